"""A walk of fanfare.js in Firefox, over WebDriver BiDi: firefox_walk.py DEV.JSON FIREFOX.

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
sys.path.insert(0, str(root / "Tests/Browser"))
from console_firefox import Firefox  # noqa: E402

dev, program = json.load(open(sys.argv[1])), sys.argv[2]
scope = f"{dev['container']}/{dev['environment']}"
zone, user = "fox", f"fox-{uuid.uuid4().hex[:8]}"
passed = failed = 0

CONFIGURATION = {"containerIdentifier": dev["container"], "environment": dev["environment"], "url": dev["url"],
                 "apiTokenAuth": {"apiToken": dev["apiToken"], "persist": True}}
HEAD = ("<!doctype html><title>fanfare.js</title><link rel=icon href='data:,'>"
        "<div id=apple-sign-in-button></div><div id=apple-sign-out-button></div>")
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


class Browser(Firefox):
    """Firefox with tabs: `context` is the one that is asked."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.call("session.subscribe", events=["browsingContext.load"])

    def next(self, name, is_wanted):
        """Waits for an event."""
        while True:
            for index, event in enumerate(self.events):
                if event["method"] == name and is_wanted(event["params"]):
                    return self.events.pop(index)["params"]
            self.take(json.loads(self.socket.recv(120)))

    def ask(self, body):
        """Runs the body of an asynchronous function in the page, and returns its value."""
        text = self.evaluate("(async () => { const value = await (async () => { %s })();"
                             " return JSON.stringify(value ?? null); })()" % body)
        return json.loads(text)

    def open(self, url):
        self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def contexts(self):
        return self.call("browsingContext.getTree")["contexts"]

    def click(self, selector):
        """Clicks with the mouse, which allows a page to open a window."""
        found = self.call("script.evaluate", expression=f"document.querySelector({json.dumps(selector)})",
                          target={"context": self.context}, awaitPromise=False)["result"]
        origin = {"type": "element", "element": {"sharedId": found["sharedId"]}}
        mouse = {"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": origin},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}
        self.call("input.performActions", context=self.context, actions=[mouse])


def check(what, is_good, more=""):
    global passed, failed
    passed, failed = passed + bool(is_good), failed + (not is_good)
    print(("passed  " if is_good else "FAILED  ") + what + ("" if is_good else f": {more}"), flush=True)


def equal(what, found, wanted):
    check(what, found == wanted, f"{found} instead of {wanted}")


def signs_in(firefox, site):
    firefox.open(site)
    check("without a user there is a button to sign in", firefox.ask("return found;") is None and
          firefox.wait("#apple-sign-in-button button", "Sign in"), firefox.evaluate("document.body.textContent"))
    page = firefox.context
    firefox.click("#apple-sign-in-button button")
    firefox.context = firefox.next("browsingContext.load", lambda opened: opened["context"] != page)["context"]
    firefox.wait("button", "Sign in by name")
    firefox.evaluate("document.querySelector('input[name=user]').focus()")
    firefox.keys(user, "\ue007")
    firefox.context = page
    name = firefox.ask("const {nameComponents} = await signedIn; return nameComponents.givenName;")
    equal("the user signs in on the service's page", name, user)
    check("there is a button to sign out", firefox.wait("#apple-sign-out-button button", "Sign out"))


def saves_and_queries(firefox, second):
    equal("all kinds of values are the same after a save", firefox.ask("""
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
    equal("a query has its order and its pages", firefox.ask("""
      await database.saveRecords(['c', 'a', 'b'].map((text) => ({recordType: 'Letter', fields: {text}})), {zoneID});
      const query = {recordType: 'Letter', sortBy: {fieldName: 'text'}};
      const page = await database.performQuery(query, {zoneID, resultsLimit: 2});
      const next = await database.performQuery(page);
      return [page, next].map(({records}) => records.map(({fields}) => fields.text.value));"""), [["a", "b"], ["c"]])
    second.modify("forceUpdate", "first", "Theirs")
    equal("a save with an old change tag is a conflict", firefox.ask("""
      const {errors: [error]} = await database.saveRecords({...first, fields: {text: 'Mine'}}, {zoneID});
      return [error.ckErrorCode, error.recordName];"""), ["CONFLICT", "first"])
    equal("a save with the present one is none", firefox.ask("""
      const {records: [{recordChangeTag}]} = await database.fetchRecords('first', {zoneID});
      const {hasErrors} = await database.saveRecords({...first, recordChangeTag, fields: {text: 'Mine'}}, {zoneID});
      return hasErrors;"""), False)
    equal("the second client reads it", second.text("first"), "Mine")


LIVE = """
  self.live = database.liveQuery({recordType: 'Card', sortBy: {fieldName: 'text'}}, {zoneID});
  self.changes = live[Symbol.asyncIterator]();
  self.seen = async (count) => (await take(count, changes)).map(({type, record, records}) =>
    [type, record?.recordName ?? null, records.map(({fields}) => fields.text.value)]);
  return seen(1);"""


def follows_a_query(firefox, second, site):
    equal("a live query begins with its result", firefox.ask(LIVE), [["result", None, ["Mine"]]])
    second.modify("create", "second", "Another")
    equal("what the second client creates, enters", firefox.ask("return seen(1);"),
          [["enter", "second", ["Another", "Mine"]]])
    second.modify("forceUpdate", "second", "Other")
    equal("its update is an update", firefox.ask("return seen(1);"), [["update", "second", ["Mine", "Other"]]])
    page = firefox.context
    firefox.context = firefox.call("browsingContext.create", type="tab")["context"]
    firefox.open(site)
    equal("a second tab has the user", firefox.ask("return (await found).nameComponents.givenName;"), user)
    equal("and its live query the records", firefox.ask(LIVE), [["result", None, ["Mine", "Other"]]])
    equal("one of both tabs has the connection, the other waits", firefox.ask("""
      const {held, pending} = await navigator.locks.query();
      return [held, pending].map((all) => all.filter(({name}) => name.endsWith('/live')).length);"""), [1, 1])
    second.modify("forceDelete", "second")
    for name, context in (("the second tab", firefox.context), ("the first tab", page)):
        firefox.context = context
        equal(f"a deleted record leaves in {name}", firefox.ask("return seen(1);"), [["leave", "second", ["Mine"]]])
    firefox.ask("await live.close();")
    second.modify("create", "third", "Zebra")
    firefox.context = next(one["context"] for one in firefox.contexts() if one["context"] != page)
    equal("without the first tab the second one goes on", firefox.ask("return seen(1);"),
          [["enter", "third", ["Mine", "Zebra"]]])
    firefox.call("browsingContext.close", context=firefox.context)
    firefox.context = page


def reads_notifications(firefox, second, site):
    firefox.ask("""
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
    equal("a notification arrives", firefox.ask("return arrived;"), ["news-1"])
    for number in (2, 3, 4):
        second.modify("create", f"news-{number}", f"News {number}")
    equal("and the next one", firefox.ask("return names(1);"), ["news-2"])
    firefox.ask("""
      const offline = {fetch: () => Promise.reject(new TypeError('there is no connection'))};
      const {default: CloudKit} = await import('/fanfare.js');
      self.offline = new CloudKit.Container(configuration, offline);
      const user = await self.offline.setUpAuth();
      await self.offline.offlineQueue().save(self.offline.privateCloudDatabase,
        {recordType: 'Card', recordName: 'kept', fields: {text: 'Kept'}}, {zoneID});
      if (!user) throw new Error('there is no user without a connection');""")
    equal("a change without a connection stays in the browser", second.text("kept"), None)
    firefox.open(site)
    equal("after a reload the user is signed in", firefox.ask("return (await found).nameComponents.givenName;"), user)
    equal("notifications go on after the token, each once and in order", firefox.ask("""
      self.notifications = container.notifications({after: localStorage.after});
      return (await take(2, notifications)).map(({recordName}) => recordName);"""), ["news-3", "news-4"])
    second.modify("create", "news-5", "News 5")
    equal("up to the newest", firefox.ask("return (await take(1, notifications))[0].recordName;"), "news-5")
    equal("the kept change is sent", firefox.ask("""
      const queue = container.offlineQueue();
      await queue.flush();
      return (await queue.pending()).length;"""), 0)
    equal("and the second client reads it", second.text("kept"), "Kept")


def signs_out(firefox, site):
    firefox.ask("""
      self.ended = take(1, notifications).then(() => 'a notification', ({ckErrorCode}) => ckErrorCode);
      self.signedOut = container.whenUserSignsOut();""")
    firefox.click("#apple-sign-out-button button")
    firefox.ask("await signedOut;")
    equal("a sign-out ends the notifications", firefox.ask("return ended;"), "AUTHENTICATION_REQUIRED")
    check("and shows the button to sign in", firefox.wait("#apple-sign-in-button button", "Sign in"))
    firefox.open(f"{site}script")
    equal("the classic script defines CloudKit, and takes the service from its own address", firefox.ask("""
      await loaded;
      const configuration = %s;
      const container = CloudKit.configure({containers: configuration}).getDefaultContainer();
      return [container.url, await container.setUpAuth()];""" % json.dumps({**CONFIGURATION, "url": None})),
          [dev["url"], None])


def main():
    # What ends this program ends Firefox, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    pages = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    site = f"http://localhost:{pages.server_port}/"
    second, firefox = SecondClient(), Browser(program, "about:blank")
    try:
        signs_in(firefox, site)
        saves_and_queries(firefox, second)
        follows_a_query(firefox, second, site)
        reads_notifications(firefox, second, site)
        signs_out(firefox, site)
        check("the pages report no errors", not firefox.wrong, firefox.wrong[:5])
    except (AssertionError, OSError, StopIteration, TimeoutError) as error:
        check("the walk comes to its end", False, f"{error!r} {firefox.wrong[:5]}")
    finally:
        firefox.end()
    print(f"firefox: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
