"""A short walk in Firefox, driven by WebDriver BiDi, which Firefox serves itself."""
import itertools, json, re, shutil, subprocess, tempfile, threading, time
import websockets.sync.client

PREFERENCES = {
    "remote.active-protocols": 1, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False, "browser.safebrowsing.update.enabled": False, "extensions.update.enabled": False,
    "services.settings.server": "data:,", "ui.prefersReducedMotion": 1,
}


class Firefox:
    """A headless Firefox with a profile of its own, on one page."""

    def __init__(self, program, url):
        self.folder = tempfile.mkdtemp()
        with open(f"{self.folder}/user.js", "w", encoding="utf-8") as file:
            for name, value in PREFERENCES.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen([program, "--headless", "--profile", self.folder, "--remote-debugging-port", "0", "--no-remote", "about:blank"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        address = next(found[0] for line in self.process.stderr if (found := re.findall(r"WebDriver BiDi listening on (\S+)", line)))
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.numbers, self.events, self.wrong = itertools.count(1), [], []
        self.socket = websockets.sync.client.connect(f"{address}/session", max_size=None, open_timeout=60)
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv(120))
            self.take(answer)
            if answer.get("id") == number:
                if "result" not in answer:
                    raise AssertionError(f"{method}: {answer}")
                return answer["result"]

    def take(self, message):
        """Keeps an event, and what a page reports as wrong."""
        if message.get("method") == "log.entryAdded":
            if message["params"]["level"] in ("error", "warn"):
                self.wrong.append(message["params"]["text"])
        elif "method" in message:
            self.events.append(message)

    def evaluate(self, text):
        answer = self.call("script.evaluate", expression=text, target={"context": self.context}, awaitPromise=True)
        if answer["type"] != "success":
            raise AssertionError(answer["exceptionDetails"]["text"][:500])
        return answer["result"].get("value")

    def wait(self, selector, text=""):
        """Waits until an element with a text is there."""
        deadline = time.time() + 120
        while time.time() < deadline:
            if self.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].some((one) => one.textContent.includes({json.dumps(text)}))"):
                return True
            time.sleep(0.05)
        return False

    def keys(self, *names):
        """Presses keys; a name longer than one character is a text to type."""
        actions = [{"type": kind, "value": sign} for name in names for sign in name for kind in ("keyDown", "keyUp")]
        self.call("input.performActions", context=self.context, actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def end(self):
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)


def walk(world, program, results):
    user = world.user("fox")
    user.device("fox-laptop")
    user.device("fox-phone")
    user.subscribe({"subscriptionID": "fox", "subscriptionType": "query", "firesOn": ["create"], "query": {"recordType": "Artwork", "predicate": "title BEGINSWITH \"Fox\""}, "notificationInfo": {"alertBody": "Fox"}})
    firefox = Firefox(program, world.console)
    try:
        results.check("Firefox: the overview", firefox.wait("h1", "Overview"))
        firefox.evaluate("document.querySelector('.voices').click()")
        results.check("Firefox: the menu of voices", firefox.wait(".menu button", "Sign in"))
        firefox.evaluate("document.querySelector('.menu button').click()")
        results.check("Firefox: the sign-in", firefox.wait("dialog h2", "Who are you"))
        firefox.keys("fox", "\ue007")
        results.check("Firefox: signed in", firefox.wait(".who", "fox"))
        for path, selector, text in (("/records/public/Artwork", ".grid-body .grid-row", ""), ("/zones/private", "h1", "Zones"), ("/sharing", "h1", "Sharing"), ("/subscriptions", ".grid-row", "fox"), ("/devices", "h2", "phone"), ("/play", "h2", "laptop"), ("/feed/fox-phone", ".live-sign.live", "live")):
            firefox.evaluate(f"location.hash = {json.dumps(world.hash + path)}")
            results.check(f"Firefox: {path}", firefox.wait(selector, text), firefox.evaluate("document.body.textContent.slice(0, 400)"))
        user.save([{"recordName": "fox-1", "recordType": "Artwork", "fields": {"title": {"value": "Fox"}, "year": {"value": 1900}}}], client="fox-laptop")
        results.check("Firefox: a notification comes live", firefox.wait(".grid-row", "fox-1"))
        results.check("Firefox: nothing goes wrong", not firefox.wrong, firefox.wrong[:5])
    finally:
        firefox.end()
