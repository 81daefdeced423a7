"""A walk of fanfare.js in a browser: browser_walk.py DEV.JSON firefox FIREFOX, browser_walk.py DEV.JSON webkit DRIVER.

The drivers of both browsers, firefox_driver.py and webkit_driver.py, have the same methods.

The pages load Clients/JavaScript/fanfare.js, and at last the classic script of the service. A second client of the user
speaks plain HTTP.
"""
import json
import signal
import sys
import threading
import urllib.parse
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

root = Path(__file__).resolve().parents[2]
dev, name, program = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
scope = f"{dev['container']}/{dev['environment']}"
zone, user = "fox", f"fox-{uuid.uuid4().hex[:8]}"
passed = failed = 0

CONFIGURATION = {"containerIdentifier": dev["container"], "environment": dev["environment"], "url": dev["url"],
                 "apiTokenAuth": {"apiToken": dev["apiToken"], "persist": True}}
HEAD = """<!doctype html><title>fanfare.js</title><link rel=icon href='data:,'>
<script>
// Not every driver reports the console: each error has a key of its own in localStorage.
const note = (...all) => { localStorage[`wrong ${Math.random()}`] = all.join(' '); };
addEventListener('error', ({error, message, target}) => note(error ?? message ?? target.outerHTML), true);
addEventListener('unhandledrejection', ({reason}) => note(reason));
Object.assign(console, {error: note, warn: note});
</script>
<div id=apple-sign-in-button></div><div id=apple-sign-out-button></div>"""
MODULE = HEAD + """<script type="module">
import CloudKit from '/fanfare.js';
self.configuration = %s;
self.container = CloudKit.configure({containers: configuration}).getDefaultContainer();
self.database = container.privateCloudDatabase;
self.found = container.setUpAuth();
self.signedIn = found.then((user) => user ?? container.whenUserSignsIn());
self.signedIn.then(() => document.body.append('signed in'));
self.zoneID = '%s';
/** The first changes or notifications of an iterator. */
self.take = async (count, items) => {
  const taken = [];
  while (taken.length < count) taken.push((await items.next()).value);
  return taken;
};
</script>""" % (json.dumps(CONFIGURATION), zone)
SCRIPT = HEAD + """<script>
self.loaded = new Promise((resolve) => addEventListener('cloudkitloaded', resolve));
</script>
<script src="%s/fanfare/cloudkit.js"></script>""" % dev["url"]
FILES = {"/": ("text/html; charset=utf-8", MODULE.encode()), "/script": ("text/html; charset=utf-8", SCRIPT.encode()),
         "/fanfare.js": ("text/javascript; charset=utf-8", (root / "Clients/JavaScript/fanfare.js").read_bytes())}


class Pages(BaseHTTPRequestHandler):
    """The app's pages, of an origin of their own."""

    def do_GET(self):
        kind, contents = FILES.get(self.path, ("text/plain", b""))
        self.send_response(200 if contents else 404)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(contents)

    def log_message(self, *_):
        pass


class SecondClient:
    """Another client of the user, without a device."""

    def __init__(self):
        self.session = self.post("auth", "signin", {"user": user})["ckWebAuthToken"]

    def post(self, family, path, body):
        headers = {"X-Apple-CloudKit-API-Token": dev["apiToken"]}
        if family != "auth":
            headers["Authorization"] = f"Bearer {self.session}"
        request = urllib.request.Request(f"{dev['url']}/{family}/1/{scope}/{path}", json.dumps(body).encode(), headers)
        return json.load(urllib.request.urlopen(request, timeout=120))

    def modify(self, kind, name, text=None):
        record = {"recordName": name, "recordType": "Card", **({"fields": {"text": {"value": text}}} if text else {})}
        body = {"zoneID": {"zoneName": zone}, "operations": [{"operationType": kind, "record": record}]}
        found = self.post("database", "private/records/modify", body)["records"][0]
        if "serverErrorCode" in found:
            raise AssertionError(str(found))

    def text(self, name):
        body = {"zoneID": {"zoneName": zone}, "records": [{"recordName": name}]}
        found = self.post("database", "private/records/lookup", body)["records"][0]
        return found["fields"]["text"]["value"] if "fields" in found else None


def check(what, is_good, more=""):
    global passed, failed
    passed, failed = passed + bool(is_good), failed + (not is_good)
    print(("passed  " if is_good else "FAILED  ") + what + ("" if is_good else f": {more}"), flush=True)


def equal(what, found, wanted):
    check(what, found == wanted, f"{found} instead of {wanted}")


def signs_in(browser, site):
    browser.open(site)
    check("without a user there is a button to sign in", browser.ask("return found;") is None and
          browser.wait("#apple-sign-in-button button", "Sign in"), browser.evaluate("document.body.textContent"))
    page = browser.tab
    browser.click("#apple-sign-in-button button")
    browser.enter_window(page)
    browser.wait("button", "Sign in by name")
    browser.evaluate("document.querySelector('input[name=user]').focus()")
    browser.keys(user, "\ue007")
    browser.tab = page
    equal("the user signs in on the service's page",
          browser.ask("const {nameComponents} = await signedIn; return nameComponents.givenName;"), user)
    check("there is a button to sign out", browser.wait("#apple-sign-out-button button", "Sign out"))


def saves_and_queries(browser, second):
    equal("all kinds of values are the same after a save", browser.ask("""
      await database.saveRecordZones(zoneID);
      const at = new Date(1751234567890);
      const {records: [saved], errors} = await database.saveRecords({recordType: 'Card', recordName: 'first', fields: {
        text: 'Näher 🦊', at, bytes: new Uint8Array([0, 1, 255]), big: 9007199254740993n, file: new Blob(['fox']),
      }}, {zoneID});
      if (errors.length > 0) throw errors[0];
      self.first = saved;
      const {records: [{fields}]} = await database.fetchRecords('first', {zoneID});
      const file = await (await fetch(fields.file.value.downloadURL)).text();
      return [fields.text.value, fields.at.value - at, fields.bytes.value, String(fields.big.value), file];"""),
          ["Näher 🦊", 0, "AAH/", "9007199254740993", "fox"])
    equal("a query has its order and its pages", browser.ask("""
      await database.saveRecords(['c', 'a', 'b'].map((text) => ({recordType: 'Letter', fields: {text}})), {zoneID});
      const query = {recordType: 'Letter', sortBy: {fieldName: 'text'}};
      const page = await database.performQuery(query, {zoneID, resultsLimit: 2});
      const next = await database.performQuery(page);
      return [page, next].map(({records}) => records.map(({fields}) => fields.text.value));"""), [["a", "b"], ["c"]])
    second.modify("forceUpdate", "first", "Theirs")
    equal("a save with an old change tag is a conflict", browser.ask("""
      const {errors: [error]} = await database.saveRecords({...first, fields: {text: 'Mine'}}, {zoneID});
      return [error.ckErrorCode, error.recordName];"""), ["CONFLICT", "first"])
    equal("a save with the present one is none", browser.ask("""
      const {records: [{recordChangeTag}]} = await database.fetchRecords('first', {zoneID});
      const {hasErrors} = await database.saveRecords({...first, recordChangeTag, fields: {text: 'Mine'}}, {zoneID});
      return hasErrors;"""), False)
    equal("the second client reads it", second.text("first"), "Mine")


LIVE = """
  self.live = database.liveQuery({recordType: 'Card', sortBy: {fieldName: 'text'}}, {zoneID});
  self.changes = live[Symbol.asyncIterator]();
  self.seen = async (count) => (await take(count, changes)).map(({type, record, records}) =>
    [type, record?.recordName ?? null, records.map(({fields}) => fields.text.value)]);
  self.until = async (text) => { while (!(await seen(1))[0][2].includes(text)); };"""
LOCKS = """
  const {held, pending} = await navigator.locks.query();
  return [held, pending].map((all) => all.filter(({name}) => name.endsWith('/live')).length);"""


def follows_a_query(browser, second, site):
    equal("a live query begins with its result", browser.ask(f"{LIVE} return seen(1);"), [["result", None, ["Mine"]]])
    second.modify("create", "second", "Another")
    equal("what the second client creates, enters", browser.ask("return seen(1);"),
          [["enter", "second", ["Another", "Mine"]]])
    second.modify("forceUpdate", "second", "Other")
    equal("its update is an update", browser.ask("return seen(1);"), [["update", "second", ["Mine", "Other"]]])
    first_tab = browser.tab
    browser.open_tab(site)
    second_tab = browser.tab
    equal("a second tab has the user", browser.ask("return (await found).nameComponents.givenName;"), user)
    equal("and its live query the records", browser.ask(f"{LIVE} return seen(1);"),
          [["result", None, ["Mine", "Other"]]])
    equal("one of both tabs has the connection, the other waits", browser.ask(LOCKS), [1, 1])
    second.modify("forceDelete", "second")
    for place, tab in (("the second tab", second_tab), ("the first tab", first_tab)):
        browser.tab = tab
        equal(f"a deleted record leaves in {place}", browser.ask("return seen(1);"), [["leave", "second", ["Mine"]]])
    browser.ask("await live.close();")
    second.modify("create", "third", "Zebra")
    browser.tab = second_tab
    equal("without the first tab the second one goes on", browser.ask("return seen(1);"),
          [["enter", "third", ["Mine", "Zebra"]]])
    browser.close_tab(first_tab)


def comes_back(browser, second, site):
    """Leaves pages and goes back to them. The browser has kept a page meanwhile, or loads it again."""
    first_tab = browser.tab
    browser.ask(f"{LIVE} await seen(1);")
    browser.open_tab(site)
    second_tab = browser.tab
    browser.ask(f"await found; {LIVE} await seen(1);")
    for text, tab, role in (("Yak", second_tab, "waits for the connection"), ("Yam", first_tab, "has the connection")):
        browser.tab = tab
        browser.open(f"{site}script")
        second.modify("create", text, text)
        browser.back()
        browser.ask(f"if (!self.live) {{ await found; {LIVE} }} await until('{text}');")
        check(f"a tab that {role} catches up when the user comes back to it", True)
        equal("afterwards one of both tabs has the connection, the other waits", browser.ask(LOCKS), [1, 1])
    browser.ask("""await new Promise((held) => {
      navigator.locks.request(`fanfare ${container.storageName}/queue/`, () => new Promise((release) => {
        self.release = release;
        held();
      }));
    });""")
    browser.tab = second_tab
    browser.ask("""
      const card = {recordType: 'Card', recordName: 'queued', fields: {text: 'Yarn'}};
      await container.offlineQueue().save(database, card, {zoneID});""")
    browser.open(f"{site}script")
    browser.back()
    browser.tab = first_tab
    browser.ask("release();")
    browser.tab = second_tab
    browser.ask("""
      await found;
      const queue = container.offlineQueue();
      await new Promise((sent) => {
        const look = async () => { if ((await queue.pending()).length === 0) sent(); };
        queue.subscribe(look);
        look();
      });""")
    equal("a change that waited for another tab meanwhile is sent", second.text("queued"), "Yarn")
    browser.close_tab(first_tab)
    second.modify("create", "Yew", "Yew")
    browser.ask("await until('Yew'); await live.close();")
    check("the first tab takes the connection of the closed second one", True)


def reads_notifications(browser, second, site):
    browser.ask("""
      const subscription = {subscriptionID: 'news', subscriptionType: 'query', firesOn: ['create'], zoneID,
        query: {recordType: 'Card', filterBy: {fieldName: 'text', comparator: 'BEGINS_WITH', fieldValue: 'News'}},
        notificationInfo: {alertBody: 'News'}};
      const {errors} = await database.saveSubscriptions(subscription);
      if (errors.length > 0) throw errors[0];
      self.notifications = container.notifications();
      self.names = async (count) => (await take(count, notifications)).map(({recordName, serverChangeToken}) => {
        localStorage.after = serverChangeToken;
        return recordName;
      });
      self.arrived = names(1);
      await container.registerForNotifications();""")
    second.modify("create", "news-1", "News 1")
    equal("a notification arrives", browser.ask("return arrived;"), ["news-1"])
    for number in (2, 3, 4):
        second.modify("create", f"news-{number}", f"News {number}")
    equal("and the next one", browser.ask("return names(1);"), ["news-2"])
    browser.ask("""
      const offline = {fetch: () => Promise.reject(new TypeError('there is no connection'))};
      const {default: CloudKit} = await import('/fanfare.js');
      self.offline = new CloudKit.Container(configuration, offline);
      const user = await self.offline.setUpAuth();
      await self.offline.offlineQueue().save(self.offline.privateCloudDatabase,
        {recordType: 'Card', recordName: 'kept', fields: {text: 'Kept', file: new File(['fox'], 'fox.txt')}}, {zoneID});
      if (!user) throw new Error('there is no user without a connection');""")
    equal("a change without a connection stays in the browser", second.text("kept"), None)
    browser.open(site)
    equal("after a reload the user is signed in", browser.ask("return (await found).nameComponents.givenName;"), user)
    equal("notifications go on after the token, each once and in order", browser.ask("""
      self.notifications = container.notifications({after: localStorage.after});
      return (await take(2, notifications)).map(({recordName}) => recordName);"""), ["news-3", "news-4"])
    second.modify("create", "news-5", "News 5")
    equal("up to the newest", browser.ask("return (await take(1, notifications))[0].recordName;"), "news-5")
    equal("the kept change is sent", browser.ask("""
      const queue = container.offlineQueue();
      await queue.flush();
      return (await queue.pending()).length;"""), 0)
    equal("and the second client reads it", second.text("kept"), "Kept")
    equal("with its file", browser.ask("""
      const {records: [{fields}]} = await database.fetchRecords('kept', {zoneID});
      return (await fetch(fields.file.value.downloadURL)).text();"""), "fox")


def signs_out(browser, site):
    browser.ask("""
      self.ended = take(1, notifications).then(() => 'a notification', ({ckErrorCode}) => ckErrorCode);
      self.signedOut = container.whenUserSignsOut();""")
    browser.click("#apple-sign-out-button button")
    browser.ask("await signedOut;")
    equal("a sign-out ends the notifications", browser.ask("return ended;"), "AUTHENTICATION_REQUIRED")
    check("and shows the button to sign in", browser.wait("#apple-sign-in-button button", "Sign in"))
    browser.open(f"{site}script")
    equal("the classic script defines CloudKit, and takes the service from its own address", browser.ask("""
      await loaded;
      const configuration = %s;
      const container = CloudKit.configure({containers: configuration}).getDefaultContainer();
      return [container.url, await container.setUpAuth()];""" % json.dumps({**CONFIGURATION, "url": None})),
          [dev["url"], None])


def start():
    if name == "firefox":
        from firefox_driver import FirefoxDriver
        return FirefoxDriver(program)
    from webkit_driver import WebKitDriver
    return WebKitDriver(program)


def main():
    # A signal ends the browser, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    pages = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    site = f"http://localhost:{pages.server_port}/"
    second, browser = SecondClient(), start()
    try:
        signs_in(browser, site)
        saves_and_queries(browser, second)
        follows_a_query(browser, second, site)
        comes_back(browser, second, site)
        reads_notifications(browser, second, site)
        signs_out(browser, site)
        wrong = [*browser.wrong, *browser.ask("""
          const names = Object.keys(localStorage).filter((name) => name.startsWith('wrong '));
          return names.map((name) => localStorage[name]);""")]
        check("the pages report no errors", not wrong, wrong[:5])
    except (AssertionError, OSError, TimeoutError) as error:
        check("the walk comes to its end", False, f"{error!r} {browser.wrong[:5]}")
    finally:
        browser.end()
    print(f"{name}: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
