"""A check with a real browser: Firefox subscribes on a page, and its service worker gets the push that the program sent.

Firefox finds its push service by the setting `dom.push.serverURL`; the twin's WebSocket speaks the part of its protocol that
this needs. Firefox is driven by WebDriver BiDi, which it serves itself.
"""
import asyncio, http.server, itertools, json, os, re, shutil, subprocess, tempfile, threading, uuid
import websockets.asyncio.server, websockets.exceptions, websockets.sync.client
from certificates import encode
from server import Answer
from web_push import PushService
from world import expect, record_of

PREFERENCES = {
    "dom.push.enabled": True, "dom.push.connection.enabled": True, "dom.push.testing.allowInsecureServerURL": True,
    "dom.push.testing.ignorePermission": False, "permissions.default.desktop-notification": 1, "remote.active-protocols": 1,
    "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False, "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "browser.safebrowsing.update.enabled": False, "extensions.update.enabled": False, "services.settings.server": "data:,",
}
PAGE = b"""<!doctype html><title>push</title><script>
var messages = [];
navigator.serviceWorker.addEventListener('message', event => messages.push(event.data));
</script>"""
WORKER = b"""self.addEventListener('push', event => event.waitUntil(
    clients.matchAll({includeUncontrolled: true}).then(all => all.forEach(one => one.postMessage(event.data.text())))));"""


class BrowserSubscription:
    """A subscription whose key only the browser has."""

    def __init__(self, name, server_key, send):
        self.name, self.server_key, self.send, self.held = name, server_key, send, {}

    def decrypt(self, body):
        """The twin cannot read it; the check does so in the browser."""
        return b"null"


class BrowserService(PushService):
    """A push service with the WebSocket by which Firefox subscribes and gets its pushes."""

    def __init__(self, loop, authority):
        super().__init__(loop, authority)
        self.versions, self.acknowledged = itertools.count(1), []

        async def listen():
            return await websockets.asyncio.server.serve(self.serve, "127.0.0.1", 0)
        self.socket_port = loop.run(listen()).sockets[0].getsockname()[1]

    async def serve(self, socket):
        try:
            async for text in socket:
                await self.take_message(socket, json.loads(text))
        except websockets.exceptions.ConnectionClosedError:
            # Firefox has ended.
            pass

    async def take_message(self, socket, message):
        kind = message.get("messageType")
        if kind == "ack":
            self.acknowledged += message["updates"]
            return self.loop.notify()
        if kind == "hello":
            answer = {"uaid": message.get("uaid") or uuid.uuid4().hex, "use_webpush": True, "broadcasts": {}}
        elif kind == "register":
            channel = message["channelID"]
            made = BrowserSubscription(
                encode(os.urandom(12)), message["key"].rstrip("="), lambda body: self.forward(socket, channel, body))
            self.subscriptions[made.name] = made
            answer = {"channelID": channel, "pushEndpoint": f"{self.origin}/push/{made.name}"}
        elif kind == "unregister":
            answer = {"channelID": message["channelID"]}
        else:
            return
        await socket.send(json.dumps({"messageType": kind, "status": 200, **answer}))

    def forward(self, socket, channel, body):
        """Sends a push to the browser."""
        note = {"messageType": "notification", "channelID": channel, "version": str(next(self.versions)), "data": encode(body),
                "headers": {"encoding": "aes128gcm"}}
        asyncio.get_running_loop().create_task(socket.send(json.dumps(note)))

    def respond(self, request):
        given = super().respond(request)
        if given.status == 201 and isinstance(request.subscription, BrowserSubscription):
            request.subscription.send(request.body)
        return given


class Firefox:
    """A headless Firefox with a profile of its own, on one page."""

    def __init__(self, program, preferences, url):
        self.folder = tempfile.mkdtemp()
        with open(f"{self.folder}/user.js", "w") as file:
            for name, value in preferences.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            [program, "--headless", "--profile", self.folder, "--remote-debugging-port", "0", "--no-remote", "about:blank"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        address = next(found[0] for line in self.process.stderr if (found := re.findall(r"WebDriver BiDi listening on (\S+)", line)))
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.numbers = itertools.count(1)
        self.socket = websockets.sync.client.connect(f"{address}/session", max_size=None, open_timeout=60)
        self.call("session.new", capabilities={})
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv(120))
            if answer.get("id") == number:
                expect("result" in answer, f"{method}: {answer}")
                return answer["result"]

    def evaluate(self, text):
        """The text that an expression, or the promise of one, gives on the page."""
        answer = self.call("script.evaluate", expression=text, target={"context": self.context}, awaitPromise=True)
        expect(answer["type"] == "success", f"{answer}")
        return answer["result"].get("value")

    def end(self):
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)


class Page(http.server.BaseHTTPRequestHandler):
    """The app's page and its service worker."""

    def do_GET(self):
        isWorker = self.path.startswith("/worker.js")
        self.send_response(200)
        self.send_header("content-type", "text/javascript" if isWorker else "text/html")
        self.end_headers()
        self.wfile.write(WORKER if isWorker else PAGE)

    def log_message(self, *_):
        pass


def firefox_gets_the_pushes_of_its_subscription(world, program):
    service = BrowserService(world.twins.loop, world.twins.authority)
    world.twins.all.append(service)
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    user = world.user()
    key = user.good(user.client.ask("push/keys", None, "device"))["applicationServerKey"]
    firefox = Firefox(program, {**PREFERENCES, "dom.push.serverURL": f"ws://127.0.0.1:{service.socket_port}/"},
                      f"http://127.0.0.1:{site.server_port}/")
    try:
        made = firefox.evaluate(
            "navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)"
            ".then(worker => worker.pushManager.subscribe({userVisibleOnly: true, applicationServerKey: '" + key + "'}))"
            ".then(JSON.stringify)")
        user.good(user.register("browser", webPush=json.loads(made)))
        user.subscribe({"alertBody": "To Firefox", "additionalFields": ["title"]})
        names = []
        for count in range(1, 11):
            names.append(user.save({"title": "\u00fcber \U0001f98a " * count}))
            world.wait("the acknowledgement", lambda: len(service.acknowledged) >= count)
        world.wait("the messages", lambda: int(firefox.evaluate("String(messages.length)")) >= 10)
        payloads = [json.loads(text) for text in json.loads(firefox.evaluate("JSON.stringify(messages)"))]
        expect([record_of(payload) for payload in payloads] == names, f"{payloads}")
        feed = [entry["pushPayload"] for entry in user.feed("browser", 10)]
        expect(payloads == feed, f"{payloads[0]} {feed[0]}")
        expect(not [update for update in service.acknowledged if update.get("code", 100) != 100], f"{service.acknowledged}")
        # The browser ends its subscription, and the service says so.
        service.behaviours[None] = lambda request: Answer(410)
        user.save()
        world.wait("the removal", lambda: world.outcomes("webPush", "removed") >= 1)
    finally:
        firefox.end()
        site.shutdown()
