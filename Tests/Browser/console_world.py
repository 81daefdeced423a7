"""A running `fanfare dev`, its API, and browsers whose pages report what went wrong."""
import json, os, pathlib, re, signal, subprocess, tempfile, time, urllib.error, urllib.request
import axe_playwright_python

FILES = pathlib.Path(__file__).resolve().parents[2] / "Sources/Services/CConsoleFiles"
SIZES = {"wide": (1440, 900), "tablet": (820, 1180), "phone": (360, 740)}
AXE = next(pathlib.Path(axe_playwright_python.__file__).parent.glob("**/axe.min.js")).read_text()


class Results:
    """Counts checks, and keeps what was measured."""

    def __init__(self, slack):
        self.passed, self.failed, self.measured, self.slack = 0, 0, {}, slack

    def check(self, name, good, detail=None):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED  {name}: {str(detail)[:2000]}", flush=True)

    def bar(self, name, value, most, unit="ms", timing=True):
        """Checks a measured value against its bar; timings have the run's slack, and none is held on a busy machine."""
        limit = most * (self.slack if timing else 1)
        self.measured[name] = {"value": round(value, 2), "bar": most, "unit": unit}
        if timing and self.slack > 1 and value > limit and os.getloadavg()[0] > 2 * os.cpu_count():
            print(f"  busy ({os.getloadavg()[0]:.0f} processes wait for {os.cpu_count()} cores), not held: {name}: {value:.1f} {unit}, {most} wanted")
            return
        self.check(f"{name}: {value:.1f} {unit} is at most {limit:g}", value <= limit, value)


class World:
    """A service of its own, on the loopback."""

    def __init__(self, executable, arguments=()):
        self.executable, self.arguments = executable, list(arguments)
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.data = pathlib.Path(self.folder.name) / "data"
        self.port = self.internal_port = 0
        self.start()

    def start(self):
        (self.data / "dev.json").unlink(missing_ok=True)
        log = pathlib.Path(self.folder.name) / "dev.log"
        log.unlink(missing_ok=True)
        self.log = open(log, "ab")
        self.process = subprocess.Popen(
            [self.executable, "dev", "--data", str(self.data), "--listen", f"127.0.0.1:{self.port}", "--internal-listen", "127.0.0.1:0",
             "--rate-user-requests", "0", "--rate-user-cost", "0", "--rate-user-mebibytes", "0", "--rate-token-cost", "0", *self.arguments],
            stdout=self.log, stderr=subprocess.STDOUT)
        while not (self.data / "dev.json").exists() or not self.answers() or "Try it" not in log.read_text():
            if self.process.poll() is not None:
                raise SystemExit(pathlib.Path(self.log.name).read_text()[-4000:])
            time.sleep(0.05)
        self.origin = self.dev["url"]
        codes = re.findall(r"/console/#code=(\S+)", pathlib.Path(self.log.name).read_text())
        self.code = codes[-1] if codes else None
        ports = re.findall(r'"internalPort":(\d+)', pathlib.Path(self.log.name).read_text())
        self.internal_port = int(ports[-1]) if ports else 0
        self.port = int(self.origin.rsplit(":", 1)[1])
        self.scope = f"{self.dev['container']}/{self.dev['environment']}"
        self.hash = f"#/{self.scope}"

    def answers(self):
        try:
            self.dev = json.loads((self.data / "dev.json").read_text())
            urllib.request.urlopen(f"{self.dev['url']}/openapi.yaml", timeout=5).read(1)
            return True
        except (OSError, ValueError, KeyError):
            return False

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.folder.cleanup()

    @property
    def console(self):
        return f"{self.origin}/console/"

    def page(self, path):
        return f"{self.console}{self.hash}{path}"

    def ask(self, family, path, body=None, token=None, query=""):
        request = urllib.request.Request(
            f"{self.origin}/{family}/1/{self.scope}/{path}{query}", data=None if body is None else json.dumps(body).encode(),
            headers={"X-Apple-CloudKit-API-Token": self.dev["apiToken"], **({"Authorization": f"Bearer {token}"} if token else {})})
        try:
            return json.load(urllib.request.urlopen(request, timeout=60))
        except urllib.error.HTTPError as error:
            return json.load(error)

    def user(self, name):
        return User(self, name)


class User:
    """A user of the service, over its API."""

    def __init__(self, world, name):
        self.world, self.name = world, name
        answer = world.ask("auth", "signin", {"user": name})
        self.token, self.record_name = answer["ckWebAuthToken"], answer["userRecordName"]

    def save(self, records, database="public", client=None, kind="forceUpdate", zone=None):
        answers = []
        for at in range(0, len(records), 200):
            body = {"operations": [{"operationType": kind, "record": record} for record in records[at:at + 200]], "atomic": False,
                    "numbersAsStrings": True, **({"zoneID": {"zoneName": zone}} if zone else {})}
            answer = self.world.ask("database", f"{database}/records/modify", body, self.token, f"?clientId={client}" if client else "")
            answers += answer.get("records", [answer])
        return answers

    def ask(self, family, path, body=None, query=""):
        return self.world.ask(family, path, body, self.token, query)

    def device(self, name):
        return self.ask("device", "devices/register", {"deviceID": name, "name": f"The {name}", "platform": "test"})

    def subscribe(self, subscription, database="public"):
        return self.ask("database", f"{database}/subscriptions/modify",
                        {"operations": [{"operationType": "create", "subscription": subscription}]})["subscriptions"][0]


def artwork(name, year, title=None):
    return {"recordName": name, "recordType": "Artwork",
            "fields": {"title": {"value": title or f"Work {name}", "type": "STRING"}, "year": {"value": str(year), "type": "INT64"}}}


class Tab:
    """A page of the console, with all that went wrong on it."""

    def __init__(self, world, context, init=None):
        self.world, self.wrong, self.expected, self.mouse = world, [], [], 0
        self.page = context.new_page()
        # A guard against hanging, which a busy machine does not reach.
        self.page.set_default_timeout(180000)
        if init:
            self.page.add_init_script(init)
        self.page.on("console", lambda message: self.note(f"console {message.type}: {message.text}") if message.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.note(f"unhandled: {error}"))
        self.page.on("request", lambda request: None if request.url.startswith((world.origin + "/", "blob:")) else self.note(f"foreign request: {request.url}"))
        self.page.on("response", lambda response: self.note(f"answer {response.status}: {response.url}") if response.status >= 400 else None)

    def note(self, text):
        if not any(re.search(pattern, text) for pattern in self.expected):
            self.wrong.append(text)

    def open(self, path=""):
        self.page.goto(self.world.page(path))
        self.page.locator("main h1, main .alone").first.wait_for()
        return self.page

    def go(self, path):
        """Goes to another address of the console without loading it again."""
        self.page.evaluate("hash => { location.hash = hash }", f"{self.world.hash}{path}")
        return self.page

    def sign_in(self, name):
        page = self.page
        page.get_by_role("button", name="Voices").click()
        page.locator("[role=menuitem]", has_text="user").first.click()
        page.get_by_label("Name", exact=True).fill(name)
        page.keyboard.press("Enter")
        page.locator("dialog").wait_for(state="detached")
        page.locator(".who", has_text=name).wait_for(state="attached")

    def shows(self, address):
        """Goes to an address with its fragment, and waits until its page is there and settled."""
        self.page.evaluate("hash => { location.hash = hash }", address)
        parts = address.split("?")[0].split("/")
        self.page.locator(f"main .page-{parts[3] if len(parts) > 3 and parts[3] else 'overview'}").wait_for()
        self.settled()

    def settled(self):
        """Waits until nothing loads any more."""
        self.page.locator("main [aria-busy=true], main.loading, main .skeleton").first.wait_for(state="detached")
        self.page.locator("main h1").first.wait_for()

    def axe(self):
        """What axe finds, run in a world of its own, which the page's policy does not reach."""
        session = self.page.context.new_cdp_session(self.page)
        frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = session.send("Page.createIsolatedWorld", {"frameId": frame})["executionContextId"]
        session.send("Runtime.evaluate", {"expression": AXE, "contextId": world})
        run = "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => JSON.stringify(violations.map((one) => [one.id, one.impact, one.nodes.slice(0, 3).map((node) => [node.html.slice(0, 200), node.failureSummary.slice(0, 300)])])))"
        answer = session.send("Runtime.evaluate", {"expression": run, "contextId": world, "awaitPromise": True, "returnByValue": True})
        session.detach()
        return json.loads(answer["result"]["value"])


def launch(playwright, chromium):
    return playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--js-flags=--expose-gc", "--enable-precise-memory-info"])


def quantile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def environment_without_settings():
    """Only the settings of the checks count."""
    for name in [name for name in os.environ if name.startswith("FANFARE_")]:
        del os.environ[name]
