"""The steps of scripts/board: DEV.JSON PAGE CHROMIUM [PICTURES]."""
import json
import os
import sys
import tempfile
import time
import urllib.request

from playwright.sync_api import TimeoutError, sync_playwright

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
  const subscription = %s;
  return {endpoint: subscription.endpoint, toJSON: () => subscription};
};
"""


def check(what, is_good, more=""):
    global passed, failed
    passed, failed = passed + bool(is_good), failed + (not is_good)
    print(("passed  " if is_good else "FAILED  ") + what + ("" if is_good else f": {more}"), flush=True)


def holds(what, page, expression, argument=None):
    """Waits until an expression of the page is true."""
    try:
        page.wait_for_function(expression, arg=argument)
        check(what, True)
    except TimeoutError:
        check(what, False, page.inner_text("body"))


def is_stored(what, page, text):
    """Waits until the service has a card with the text. `wait_for_function` takes the promise of `STORED` for true."""
    deadline = time.monotonic() + 90
    while not (found := page.evaluate(STORED, text)) and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    check(what, found, text)


CARDS = """() => Object.fromEntries(['todo', 'doing', 'done'].map((column) =>
  [column, [...document.querySelectorAll(`[data-column=${column}] li input`)].map((input) => input.value)]))"""
SHOWS = """([column, text]) => [...document.querySelectorAll(`[data-column=${column}] li input`)]
  .some((input) => input.value === text)"""
LACKS = """(text) => ![...document.querySelectorAll('li input')].some((input) => input.value === text)"""
SENT = "() => document.querySelector('#waiting').hidden"
# The service has a card with the text, asked by the guest.
STORED = """async (text) => {
  const {default: CloudKit} = await import(`${self.service.url}/fanfare/fanfare.js`);
  const {records} = await CloudKit.getDefaultContainer().sharedCloudDatabase.performQuery({recordType: 'Card'}, {zoneWide: true});
  return records.some(({fields}) => fields.text.value === text);
}"""
KEPT = "(count) => document.querySelector('#waiting').textContent === `${count} to send`"


class User:
    """A profile of Chromium, and what one does there."""

    def __init__(self, playwright, folder, name):
        self.name, self.desktop = name, Desktop()
        self.context = playwright.chromium.launch_persistent_context(
            f"{folder}/{name}", executable_path=chromium, args=["--no-sandbox"], viewport={"width": 1000, "height": 700},
            env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": self.desktop.address})
        self.context.set_default_timeout(90_000)
        self.context.grant_permissions(["notifications"], origin=site)
        self.context.add_init_script(SUBSCRIBE % json.dumps(service.subscription(name)))
        self.errors, self.streams, self.registration = [], [], None
        self.page = self.watched(self.context.pages[0])

    def watched(self, page):
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: "notifications/stream" in request.url and self.streams.append((page, request.url)))
        return page

    def sign_in(self, path="/"):
        self.page.goto(site + path)
        with self.page.expect_popup() as opened:
            self.page.click("#apple-sign-in-button button")
        window = opened.value
        window.fill("input[name=user]", self.name)
        with window.expect_event("close"):
            window.click("text=Sign in by name")
        self.page.wait_for_selector("#board:not([hidden])")

    def go_offline(self):
        # A request that begins as the connection goes may still get through: none does here.
        self.context.route(f"{dev['url']}/**", lambda route: route.abort("internetdisconnected"))
        self.context.set_offline(True)
        self.page.wait_for_function("() => !navigator.onLine")

    def go_online(self):
        self.context.unroute_all()
        self.context.set_offline(False)

    def add(self, text):
        self.page.fill("#add input", text)
        self.page.click("#add button")

    def card(self, text):
        name = self.page.evaluate("""(text) => [...document.querySelectorAll('li')]
          .find((item) => item.querySelector('input').value === text).dataset.name""", text)
        return self.page.locator(f"li[data-name='{name}']")

    def write(self, old, new):
        field = self.card(old).locator("input")
        field.fill(new)
        field.press("Tab")

    def picture(self, name):
        if pictures:
            self.page.screenshot(path=f"{pictures}/{name}.png", full_page=True)

    def end(self):
        self.context.close()
        self.desktop.end()


def signs_in_and_shares(ada, bob):
    ada.sign_in()
    check("a user signs in on the service's page, and sees the own board", ada.page.inner_text("#user") == "ada")
    ada.add("Paint the fence")
    ada.add("Buy bread")
    holds("cards appear", ada.page, SHOWS, ["todo", "Buy bread"])
    ada.page.click("#share")
    ada.page.wait_for_function("() => document.querySelector('#link').textContent.includes('?share=')")
    link = ada.page.inner_text("#link")
    bob.sign_in(link[len(site):])
    holds("another user with the link takes part, and sees the cards", bob.page, SHOWS, ["todo", "Paint the fence"])
    check("on the board of the first one", bob.page.evaluate("document.querySelector('#boards').selectedOptions[0].text")
          .startswith("Shared by"))
    ada.picture("shared")


def live(ada, bob):
    bob.card("Buy bread").locator(".on").click()
    holds("what one moves, the other sees moved", ada.page, SHOWS, ["doing", "Buy bread"])
    ada.write("Paint the fence", "Paint the fence green")
    holds("what one writes, the other reads", bob.page, SHOWS, ["todo", "Paint the fence green"])
    bob.add("From bob")
    holds("a card of the guest's comes to the owner", ada.page, SHOWS, ["todo", "From bob"])
    ada.card("From bob").locator(".remove").click()
    holds("a card that is removed goes away for both", bob.page, LACKS, "From bob")
    holds("nothing is left to send", bob.page, SENT)


def offline(ada, bob):
    ada.go_offline()
    ada.write("Buy bread", "Buy rye bread")
    ada.add("Offline card")
    holds("changes without a connection are kept", ada.page, KEPT, 2)
    holds("and shown", ada.page, SHOWS, ["doing", "Buy rye bread"])
    ada.picture("offline")
    bob.card("Paint the fence green").locator(".on").click()
    holds("the other works meanwhile", bob.page, SHOWS, ["doing", "Paint the fence green"])
    check("and sees none of it", bob.page.evaluate(LACKS, "Offline card"))
    ada.go_online()
    holds("with the connection, the changes arrive", bob.page, SHOWS, ["todo", "Offline card"])
    holds("each of them", bob.page, SHOWS, ["doing", "Buy rye bread"])
    holds("and what the other did meanwhile", ada.page, SHOWS, ["doing", "Paint the fence green"])
    holds("nothing is left to send", ada.page, SENT)
    holds("once", bob.page, "() => [...document.querySelectorAll('li input')].filter((input) => input.value === 'Offline card').length === 1")


def conflicts(ada, bob):
    ada.go_offline()
    ada.write("Buy rye bread", "Bake bread")
    holds("a change is kept", ada.page, KEPT, 1)
    check("and is with nobody else", bob.page.evaluate(SHOWS, ["doing", "Buy rye bread"]))
    bob.write("Buy rye bread", "Order bread")
    is_stored("the other changes the same text", bob.page, "Order bread")
    ada.go_online()
    holds("with the connection, there is a conflict", ada.page, "() => !document.querySelector('#conflict').hidden")
    check("the app asks which text stays", (ada.page.inner_text("#mine"), ada.page.inner_text("#theirs"))
          == ("Bake bread", "Order bread"), ada.page.inner_text("#conflict"))
    ada.picture("conflict")
    ada.page.click("#keep-mine")
    holds("the chosen one is everybody's", bob.page, SHOWS, ["doing", "Bake bread"])
    ada.go_offline()
    ada.write("Offline card", "Written before the page was closed")
    holds("a change is kept again", ada.page, KEPT, 1)
    ada.page.close()
    ada.go_online()
    ada.page = ada.watched(ada.context.new_page())
    ada.page.goto(site)
    holds("a change outlives the page, and is sent by the next one", bob.page, SHOWS, ["todo", "Written before the page was closed"])
    check("which is signed in still", ada.page.inner_text("#user") == "ada")


def tabs(ada, bob):
    ada.page.wait_for_selector("#board:not([hidden])")
    first, count = ada.page, len(ada.streams)
    second = ada.watched(ada.context.new_page())
    second.goto(site)
    second.wait_for_selector("#board:not([hidden])")
    bob.add("For both tabs")
    for name, page in (("the first tab", first), ("the second tab", second)):
        holds(f"a change reaches {name}", page, SHOWS, ["todo", "For both tabs"])
    check("by one connection of the browser", len(ada.streams) == count, ada.streams[count:])
    first.close()
    bob.add("For the tab that is left")
    holds("the tab that is left goes on", second, SHOWS, ["todo", "For the tab that is left"])
    bob.add("And again")
    holds("live", second, SHOWS, ["todo", "And again"])
    check("with a connection of its own", [page for page, _ in ada.streams[count:]] == [second], ada.streams[count:])
    ada.page = second


LOOP = """async (recordType) => {
  const {default: CloudKit} = await import(`${self.service.url}/fanfare/fanfare.js`);
  const container = CloudKit.getDefaultContainer();
  self.seen = [];
  (async () => {
    for await (const {recordFields} of container.publicCloudDatabase.notifications()) self.seen.push(recordFields.n.value);
  })().catch((error) => self.seen.push(String(error)));
}"""
SAVE = """async ([recordType, from, to]) => {
  const {default: CloudKit} = await import(`${self.service.url}/fanfare/fanfare.js`);
  const database = CloudKit.getDefaultContainer().publicCloudDatabase;
  for (let n = from; n < to; n++) await database.saveRecords({recordType, fields: {n}});
}"""
SUBSCRIBED = """async (recordType) => {
  const {default: CloudKit} = await import(`${self.service.url}/fanfare/fanfare.js`);
  const subscription = {subscriptionID: recordType, subscriptionType: 'query', firesOn: ['create'], query: {recordType},
    notificationInfo: {additionalFields: ['n']}};
  return !(await CloudKit.getDefaultContainer().publicCloudDatabase.saveSubscriptions(subscription)).hasErrors;
}"""
# Records of the public database have an order each, and none among them.
SEEN = "(count) => self.seen.length >= count && JSON.stringify([...self.seen].sort((a, b) => a - b)) === JSON.stringify([...Array(count).keys()])"


def loops(ada, bob):
    first = bob.page
    check("a page subscribes", first.evaluate(SUBSCRIBED, "News"))
    ada.page.evaluate(SAVE, ["News", 0, 5])
    second = bob.watched(bob.context.new_page())
    second.goto(site)
    second.wait_for_selector("#board:not([hidden])")
    for page in (first, second):
        page.evaluate(LOOP, "News")
    ada.page.evaluate(SAVE, ["News", 5, 10])
    for name, page in (("the first tab", first), ("the second tab", second)):
        holds(f"a loop in {name} has each notification once", page, SEEN, 10)
    check("by one connection of the browser", len([url for page, url in bob.streams if page == second]) == 0, bob.streams)
    first.close()
    ada.page.evaluate(SAVE, ["News", 10, 20])
    holds("when the tab with the connection is closed, the other one misses and repeats nothing", second, SEEN, 20)
    third = bob.watched(bob.context.new_page())
    third.goto(site)
    third.wait_for_selector("#board:not([hidden])")
    third.evaluate(LOOP, "News")
    ada.page.evaluate(SAVE, ["News", 20, 25])
    for name, page in (("the second tab", second), ("a new tab", third)):
        holds(f"{name} goes on", page, SEEN, 25)
    third.close()
    bob.page = second


def pushes(ada, bob):
    devtools = ada.context.new_cdp_session(ada.page)
    found = []
    devtools.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(
        one["registrationId"] for one in event["registrations"] if one["scopeURL"] == f"{site}/"))
    devtools.send("ServiceWorker.enable")
    ada.page.click("#push")
    ada.page.wait_for_selector("#push:disabled")
    check("notifications are turned on", ada.page.locator("#problem").is_hidden(), ada.page.inner_text("#problem"))
    ada.add("My own card")
    is_stored("an own change is sent", bob.page, "My own card")
    bob.add("A card to notify of")
    payload = service.next("ada")
    first = json.loads(payload)
    check("a change of the other makes a push", first["aps"]["alert"].get("body") == "A card has changed", first)
    check("an own one made none", first["aps"]["badge"] == 1, first)
    devtools.send("ServiceWorker.deliverPushMessage", {"origin": site, "registrationId": found[-1], "data": payload})
    shown = ada.desktop.wait(lambda shown: shown)
    check("which the browser shows", len(shown) == 1 and shown[0][0] == "My board" and "A card has changed" in shown[0][1], shown)
    read_elsewhere(first["ck"]["nid"])
    check("and withdraws when it is read on another device", not ada.desktop.wait(lambda shown: not shown))


def read_elsewhere(identifier):
    """Another device of Ada's marks a notification as read."""
    headers = {"X-Apple-CloudKit-API-Token": dev["apiToken"]}

    def ask(family, path, body):
        request = urllib.request.Request(f"{dev['url']}/{family}/1/{scope}/{path}", json.dumps(body).encode(), headers)
        return json.load(urllib.request.urlopen(request))

    headers["Authorization"] = "Bearer " + ask("auth", "signin", {"user": "ada"})["ckWebAuthToken"]
    ask("device", "devices/register", {"deviceID": "ada-phone"})
    ask("device", "notifications/markRead", {"deviceID": "ada-phone", "notificationIDs": [identifier]})


def signs_out(ada, bob):
    bob.page.click("#apple-sign-out-button button")
    bob.page.wait_for_selector("#apple-sign-in-button button")
    check("a user signs out, and the board is gone", bob.page.locator("#board").is_hidden())
    check("the other goes on", ada.page.locator("#board").is_visible())
    for user in (ada, bob):
        check(f"the pages of {user.name} report no errors", not user.errors, user.errors)


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        ada, bob = User(playwright, folder, "ada"), User(playwright, folder, "bob")
        for step in (signs_in_and_shares, live, offline, conflicts, tabs, pushes, loops, signs_out):
            step(ada, bob)
        for user in (ada, bob):
            user.end()
    if pictures:
        print(f"pictures are in {pictures}")
    print(f"board: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
