"""The steps of scripts/push-page: DEV.JSON PAGE CHROMIUM [PICTURES]."""
import json
import os
import sys
import tempfile
import urllib.parse
import urllib.request
import uuid

from playwright.sync_api import sync_playwright

from push_desktop import Desktop
from push_service import PushService

dev, site, chromium = json.load(open(sys.argv[1])), sys.argv[2].rstrip("/"), sys.argv[3]
pictures = sys.argv[4] if len(sys.argv) > 4 else None
scope = f"{dev['container']}/{dev['environment']}"
service = PushService()
passed = failed = 0

# Chromium's subscribe asks Google's push service: this one returns what it would.
SUBSCRIBE = """
PushManager.prototype.subscribe = async function (options) {
  window.subscribedWith = options;
  const subscription = %s;
  return {endpoint: subscription.endpoint, toJSON: () => subscription};
};
"""

SHOWN = """async () => {
  const registration = await navigator.serviceWorker.ready;
  return (await registration.getNotifications()).map(({title, body, icon, badge, tag, data}) =>
    ({title, body, icon, badge, tag, id: data?.notificationID}));
}"""


def check(what, is_good, more=""):
    global passed, failed
    passed, failed = passed + bool(is_good), failed + (not is_good)
    print(("passed  " if is_good else "FAILED  ") + what + ("" if is_good else f": {more}"), flush=True)


class User:
    """A user's other device, by HTTP."""

    def __init__(self, name):
        self.headers = {"X-Apple-CloudKit-API-Token": dev["apiToken"]}
        self.headers["Authorization"] = "Bearer " + self.ask("auth", "signin", {"user": name})["ckWebAuthToken"]
        self.name, self.device = name, f"{name}-other"
        self.ask("device", "devices/register", {"deviceID": self.device})

    def ask(self, family, path, body=None):
        asked = urllib.request.Request(
            f"{dev['url']}/{family}/1/{scope}/{path}", body and json.dumps(body).encode(), self.headers)
        with urllib.request.urlopen(asked) as answer:
            return json.load(answer)

    def save(self, kind, name, **fields):
        record = {"recordType": kind, "recordName": name, "fields": {key: {"value": value} for key, value in fields.items()}}
        query = urllib.parse.urlencode({"clientId": self.device})
        return self.ask("database", f"public/records/modify?{query}", {"operations": [{"operationType": "forceUpdate", "record": record}]})

    def note(self, to, text):
        self.save("Note", str(uuid.uuid4()), author=self.name, to=to, text=text)

    def subscribe(self, name, kind, info):
        self.ask("database", "public/subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": name, "subscriptionType": "query", "firesOn": ["create"], "query": {"recordType": kind},
            "notificationInfo": info}}]})

    def mark_read(self, payload):
        self.ask("device", "notifications/markRead", {"deviceID": self.device, "notificationIDs": [payload["ck"]["nid"]]})


class Browser:
    """Chromium with the page of a user, and the desktop that shows its notifications."""

    def __init__(self, playwright, folder, name, locale="en-US", scheme="light"):
        self.desktop, self.name = Desktop(), name
        self.context = playwright.chromium.launch_persistent_context(
            f"{folder}/{name}-{locale}", executable_path=chromium, args=["--no-sandbox", f"--lang={locale}"], locale=locale,
            color_scheme=scheme, viewport={"width": 1000, "height": 760},
            env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": self.desktop.address, "LANGUAGE": locale.replace("-", "_")})
        self.context.set_default_timeout(30_000)
        self.context.grant_permissions(["notifications"], origin=site)
        self.context.add_init_script(SUBSCRIBE % json.dumps(service.subscription(name)))
        self.errors = []
        self.page = self.context.pages[0]
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: line.type == "error" and self.errors.append(line.text))
        # The address of workers' registrations, which pushes are delivered to.
        self.registration = None
        self.devtools = self.context.new_cdp_session(self.page)
        self.devtools.on("ServiceWorker.workerRegistrationUpdated", self.note_registrations)
        self.devtools.send("ServiceWorker.enable")

    def note_registrations(self, event):
        for registration in event["registrations"]:
            if registration["scopeURL"] == f"{site}/{self.name}/":
                self.registration = registration["registrationId"]

    def open(self):
        self.page.goto(f"{site}/{self.name}/")
        self.page.wait_for_selector("#push:not([hidden])")

    def turn_on(self):
        self.page.click("#turn-on")
        self.page.wait_for_selector("#turn-off:not([hidden])")

    def worker(self):
        return next(worker for worker in self.context.service_workers if worker.url.startswith(site))

    def push(self, data):
        """Delivers a push as the push service would."""
        self.devtools.send("ServiceWorker.deliverPushMessage", {
            "origin": site, "registrationId": self.registration, "data": data if isinstance(data, str) else json.dumps(data)})

    def next(self):
        """The payload of the next push that the service sends to this browser."""
        return json.loads(service.next(self.name))

    def deliver(self):
        """Delivers the next push of the service, and returns its payload."""
        payload = self.next()
        self.push(payload)
        return payload

    def shown(self):
        """What the worker shows, after the desktop has shown it: Chromium forgets what it is asked about on the way there."""
        return self.page.evaluate(SHOWN)

    def wait_shown(self, condition):
        """Waits until the condition holds for the desktop's texts; returns what the worker shows."""
        self.desktop.wait(lambda shown: condition(shown))
        return self.shown()

    def show(self, data):
        """Delivers a push to a browser that shows nothing, and returns what it shows then."""
        self.clear()
        self.push(data)
        return (self.wait_shown(lambda shown: shown) or [{}])[0]

    def clear(self):
        self.page.evaluate("""async () => {
          for (const shown of await (await navigator.serviceWorker.ready).getNotifications()) shown.close();
        }""")
        self.desktop.wait(lambda shown: not shown)

    def picture(self, name):
        if pictures:
            self.page.screenshot(path=f"{pictures}/{name}.png", full_page=True)

    def pictured(self, name):
        """The page light and dark, on a desktop's and on a phone's width."""
        size = self.page.viewport_size
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            self.picture(f"{name}-{scheme}")
            self.page.set_viewport_size({"width": 375, "height": 760})
            self.picture(f"{name}-phone-{scheme}")
            self.page.set_viewport_size(size)
        self.page.emulate_media(color_scheme="light")

    def end(self):
        self.context.close()
        self.desktop.end()


def registers(ada):
    """The page turns notifications on."""
    ada.open()
    ada.pictured("off")
    ada.turn_on()
    options = ada.page.evaluate("window.subscribedWith")
    check("the page subscribes with the key of the service, and shows every push", options["userVisibleOnly"] is True
          and len(options["applicationServerKey"]) > 80, options)
    user = User("ada")
    kinds = [device.get("push", []) for device in user.ask("device", "devices/list")["devices"]]
    check("the service has the browser's address", [one["kind"] for push in kinds for one in push] == ["webPush"], kinds)
    check("the worker is the service's", "addEventListener" in urllib.request.urlopen(
        f"{dev['url']}/fanfare/service-worker.js").read().decode() and ada.registration is not None)


def shows(ada, bob):
    """A note arrives at the page and as a notification."""
    ada.worker().evaluate("navigator.setAppBadge = (count) => { self.badgeSet = count; return Promise.resolve(); }")
    bob.note("ada", "Tea at five?")
    first = ada.next()
    shown = ada.show(first)
    check("a push is shown with the title and the text of the app's keys, and its arguments",
          (shown.get("title"), shown.get("body")) == ("A note from bob", "Tea at five?"), shown)
    check("with the app's icon, and its own ID", shown.get("icon") == f"{site}/icon.png" and shown.get("badge") == f"{site}/badge.png"
          and shown.get("id") == first["ck"]["nid"], shown)
    on_desktop = ada.desktop.wait(lambda shown: shown)
    check("the desktop shows it", len(on_desktop) == 1 and on_desktop[0][0] == "A note from bob"
          and "Tea at five?" in on_desktop[0][1], on_desktop)
    badge = ada.worker().evaluate("self.badgeSet")
    check("the badge of the app is the push's", badge == first["aps"]["badge"] == 1, (badge, first))
    ada.page.wait_for_selector("#notifications li.new")
    check("the page shows the badge and the note from its stream", ada.page.inner_text("#badge") == "1"
          and "Tea at five?" in ada.page.inner_text("#notifications"), ada.page.inner_text("body"))
    check("the page is notified of the push", "latest push" in ada.page.inner_text("#latest"))
    ada.push(first)
    ada.desktop.wait(lambda _: ada.desktop.count == 2)
    check("a push that is sent again takes its own place", [one["id"] for one in ada.shown()] == [first["ck"]["nid"]], ada.shown())
    ada.pictured("note")
    return first


def replaces(ada, bob):
    """Two pushes with one collapse identifier are one notification."""
    ada.clear()
    for text in ("At my desk", "At lunch"):
        bob.save("Status", "status-bob", author="bob", text=text)
        ada.deliver()
        shown = ada.wait_shown(lambda shown: len(shown) == 1 and text in shown[0][1])
        check(f"a status takes the place of the last one: {text}", [(one["title"], one["body"]) for one in shown]
              == [("Status of bob", text)], shown)
    on_desktop = ada.desktop.wait(lambda shown: True)
    check("on the desktop, too", len(on_desktop) == 1 and "At lunch" in on_desktop[0][1], on_desktop)
    bob.note("ada", "Two")
    ada.deliver()
    shown = ada.wait_shown(lambda shown: len(shown) == 2)
    check("a push without one takes nobody's place", len(shown) == 2, shown)


def withdraws(ada, user, bob):
    """A notification that was read on another device goes away."""
    ada.clear()
    notes = []
    for text in ("Three", "Four", "Five"):
        bob.note("ada", text)
        notes.append(ada.deliver())
        ada.wait_shown(lambda shown: any(text in body for _, body in shown))
    user.mark_read(notes[0])
    shown = ada.wait_shown(lambda shown: len(shown) == 2)
    check("what is read on another device is withdrawn by the open page", sorted(one["body"] for one in shown) == ["Five", "Four"], shown)
    ada.page.locator("li.new", has_text="Four").locator("button").click()
    shown = ada.wait_shown(lambda shown: len(shown) == 1)
    check("and so is what is read on the page itself", [one["body"] for one in shown] == ["Five"], shown)
    bob.note("ada", "Six")
    payload = ada.next()
    check("the next push names what was read on another device meanwhile", notes[0]["ck"]["nid"] in payload["ck"].get("read", []), payload)
    ada.push({**payload, "ck": {**payload["ck"], "read": [notes[2]["ck"]["nid"]]}})
    shown = ada.wait_shown(lambda shown: len(shown) == 1 and "Six" in shown[0][1])
    check("and what a push names as read", [one["body"] for one in shown] == ["Six"], shown)
    ada.page.evaluate("""async () => (await navigator.serviceWorker.ready).active.postMessage(
        {type: 'fanfare.read', ids: [null, 5, {}, 'another']})""")
    bob.note("ada", "Six and a half")
    ada.deliver()
    shown = ada.wait_shown(lambda shown: len(shown) == 2)
    check("names of others close nothing", len(shown) == 2, shown)
    ada.page.goto("about:blank")
    user.mark_read(payload)
    bob.note("ada", "Seven")
    ada.deliver()
    ada.desktop.wait(lambda shown: any("Seven" in body for _, body in shown) and not any(body.endswith("Six") for _, body in shown))
    ada.open()
    shown = ada.shown()
    check("with the page closed, the next push withdraws what was read elsewhere",
          sorted(one["body"] for one in shown) == ["Seven", "Six and a half"], shown)


def opens(ada, bob):
    """A click leads to the app."""
    page = ada.page
    ada.clear()
    bob.note("ada", "Seven")
    note = ada.deliver()
    ada.desktop.wait(lambda shown: any("Seven" in body for _, body in shown))
    page.wait_for_selector(f"[id='{note['ck']['nid']}']")
    ada.desktop.click("A note from bob")
    page.wait_for_selector(f"[id='{note['ck']['nid']}'].clicked")
    check("a click leads the open page to its notification", len(ada.context.pages) == 1, ada.context.pages)
    check("and takes the notification away", not ada.shown() and not ada.desktop.wait(lambda shown: not shown))
    page.goto("about:blank")
    ada.push(note)
    ada.desktop.wait(lambda shown: shown)
    with ada.context.expect_page() as opened:
        ada.desktop.click("A note from bob")
    opened.value.wait_for_selector(f"[id='{note['ck']['nid']}'].clicked")
    check("where none is open, a click opens the user's page, which gets the notification", opened.value.url == f"{site}/ada/", opened.value.url)
    opened.value.close()
    ada.open()


def plain(ada, user, bob):
    """The texts of a payload, each kind."""
    def texts(payload):
        shown = ada.show(payload)
        return shown.get("title"), shown.get("body")

    user.subscribe("plain", "Plain", {"alertBody": "Something <b>plain</b>", "title": "Title", "subtitle": "Subtitle", "soundName": "default"})
    bob.save("Plain", "plain", text="x")
    check("title, subtitle and text as they are", texts(ada.next()) == ("Title", "Subtitle\nSomething <b>plain</b>"), ada.shown())
    user.subscribe("body", "Body", {"alertBody": "The text alone"})
    bob.save("Body", "body", text="x")
    check("a text alone has the name of the app as its title", texts(ada.next()) == ("Notes", "The text alone"), ada.shown())
    user.subscribe("keys", "Keys", {
        "title": "Given title", "titleLocalizationKey": "UNKNOWN", "alertBody": "Given text", "alertLocalizationKey": "TEXT",
        "alertLocalizationArgs": ["text"]})
    bob.save("Keys", "keys", text="100 %@ $& %")
    check("a key wins over the text where the app has it, and values are no formats",
          texts(ada.next()) == ("Given title", "100 %@ $& %"), ada.shown())
    with ada.page.expect_response("**/devices/push"):
        ada.page.check("#private")
    bob.note("ada", "Secret")
    secret = ada.next()
    found = texts(secret)
    check("a push without contents shows the app's text for it", found == ("Notes", "Something is new in Notes")
          and "Secret" not in json.dumps(secret), (found, secret))
    shown = ada.shown()
    check("and may be withdrawn", shown and shown[0]["id"] == secret["ck"]["nid"], shown)
    ada.clear()
    ada.page.evaluate("() => { self.silent = new Promise((resolve) => navigator.serviceWorker.addEventListener("
                      "'message', ({data}) => resolve(data), {once: true})); }")
    ada.push({"aps": {"content-available": 1}, "ck": {"nid": "n"}})
    data = ada.page.evaluate("self.silent")
    check("a silent push goes to the page that is seen, and shows nothing", data["payload"]["aps"] == {"content-available": 1}
          and data["notificationID"] == "n" and ada.shown() == [], (data, ada.shown()))
    ada.worker().evaluate("self.kept = {strings: self.fanfare.strings}; self.fanfare.strings = {ORDER: '%2$@, %1$@: 5 %% %@', TEXT: ''}")
    check("arguments have places of their own, and a table may be without languages", texts(
        {"aps": {"alert": {"loc-key": "ORDER", "loc-args": ["a", "b"]}}}) == ("Notes", "b, a: 5 % a"), ada.shown())
    counted = {"aps": {"alert": "New comments"}, "fanfare": {"changes": 12}}
    check("a push of several changes says how many", texts(counted) == ("Notes", "New comments\n12 changes"), ada.shown())
    ada.worker().evaluate("self.fanfare.strings = {FANFARE_CHANGES: '%@ news'}")
    check("in the app's words", texts(counted) == ("Notes", "New comments\n12 news"), ada.shown())
    ada.worker().evaluate("self.fanfare.strings = self.kept.strings")


MALFORMED = [
    "", "no JSON", "[]", "null", "5", '"text"', "{}", '{"aps": null, "ck": []}', '{"aps": {"alert": 5}}', '{"aps": {"alert": []}}',
    '{"aps": {"alert": {"title": {}, "loc-key": "__proto__", "loc-args": {}}, "badge": "x"}}',
    '{"aps": {"alert": {"loc-key": ["TEXT"], "body": 5}, "badge": -1}, "ck": {"nid": {}, "qry": 5, "read": "x"}, "fanfare": {"tag": 5}}',
    '{"aps": {"alert": "", "badge": 1e300}, "ck": {"read": [null, {}]}}', '{"aps": {"alert": {"title-loc-key": "constructor"}}}',
    '{"fanfare": {"changes": "<b>"}}', '{"fanfare": {"changes": 1e300}}', '{"fanfare": {"changes": -5}}',
]


def malformed(ada):
    """Pushes that are no payloads."""
    ada.worker().evaluate("self.faults = []; addEventListener('error', (event) => faults.push(event.message));"
                          "addEventListener('unhandledrejection', (event) => faults.push(String(event.reason)))")
    # Without a page of the app, as then browsers want each push to show something.
    ada.page.goto("about:blank")
    for data in MALFORMED:
        ada.desktop.shown.clear()
        ada.push(data)
        shown = ada.desktop.wait(lambda shown: shown)
        check(f"{data or 'an empty push'} is shown as news", len(shown) == 1 and shown[0][0] == "Notes"
              and shown[0][1].endswith("Something is new in Notes"), shown)
    faults = ada.worker().evaluate("self.faults")
    check("and nothing throws", faults == [], faults)


def without_settings(ada):
    """A worker whose app gives no settings."""
    ada.open()
    ada.worker().evaluate("self.kept = self.fanfare; delete self.fanfare")
    shown = ada.show("no JSON")
    check("without settings, the title is the host's name", (shown.get("title"), shown.get("body"))
          == (urllib.parse.urlsplit(site).hostname, "Something is new"), shown)
    ada.worker().evaluate("self.fanfare = self.kept")


def other_languages(playwright, folder, payload):
    berta = Browser(playwright, folder, "berta", locale="de-AT")
    berta.open()
    berta.turn_on()
    shown = berta.show(payload)
    check("another language has its texts", shown.get("title") == "Eine Notiz von bob", shown)
    berta.end()


def two_users(playwright, folder):
    """Both users of the example, each on a page, as the README has it."""
    browser = Browser(playwright, folder, "carl")
    carl = browser.page
    browser.page.goto(f"{site}/")
    check("the page without a name asks for one", browser.page.inner_text("#door h2") == "Who are you?")
    browser.pictured("door")
    browser.open()
    dora = browser.context.new_page()
    dora.goto(f"{site}/dora/")
    dora.wait_for_selector("#push:not([hidden])")
    carl.fill("#to", "dora")
    carl.fill("#text", "Hello Dora")
    carl.click("text=Send note")
    dora.wait_for_selector("li.new >> text=Hello Dora")
    check("a note goes from page to page", dora.inner_text("#badge") == "1", dora.inner_text("body"))
    for text in ("Away", "Here again"):
        carl.fill("#text", text)
        carl.click("text=Set status")
        dora.wait_for_selector(f"li.new >> text={text}")
    check("a status takes the place of the last one on the page", dora.locator("li").count() == 2, dora.inner_text("body"))
    dora.click("text=Mark all as read")
    dora.wait_for_selector("#badge", state="hidden")
    check("all is read, and the badge is gone", dora.locator("li.new").count() == 0)
    check("the page reports no errors", not browser.errors, browser.errors)
    browser.end()


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        ada = Browser(playwright, folder, "ada")
        registers(ada)
        user, bob = User("ada"), User("bob")
        first = shows(ada, bob)
        replaces(ada, bob)
        withdraws(ada, user, bob)
        opens(ada, bob)
        plain(ada, user, bob)
        malformed(ada)
        without_settings(ada)
        check("the page reports no errors", not ada.errors, ada.errors)
        ada.end()
        other_languages(playwright, folder, first)
        two_users(playwright, folder)
    if pictures:
        print(f"pictures are in {pictures}")
    print(f"push-page: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
