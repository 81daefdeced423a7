"""Hostile contents: saved as names and values of all kinds, and shown as text everywhere."""
import email.message, http.server, json, subprocess, threading, urllib.error, urllib.parse, urllib.request

from console_operator import operate
from console_world import Tab

VALUES = {
    "markup": "<img src=x onerror=alert(1)><script>alert(2)</script>", "attribute": "\"'><svg/onload=alert(3)>", "address": "javascript:alert(4)", "template": "{{7*7}} ${7*7} #{7*7} <%= 7*7 %>",
    "direction": "abc\u202egpj.exe\u202c", "isolates": "\u2066evil\u2069\u200f\u200e", "nul": "a\u0000b\u0000", "controls": "a\u0001b\u001bc\u007fd\u0085e", "lines": "one\ntwo\tthree\r\nfour", "spaces": "\ufeff\u200bzero\u2060", "marks": "\u0301\u0301\u0301lone",
    "formula": "=HYPERLINK(\"x\",\"y\")", "formulas": "@SUM(1)", "long": "x" * 5000, "family": "\U0001F468\u200d\U0001F469\u200d\U0001F467", "persian": "می\u200cخواهم", "empty": "", "quotes": "\"',;--`", "astral": "\U0001F600" * 50,
}
NAMES = ["<b>bold<!--", "javascript:alert(5)", "..%2f..%2fetc", "na'me\"s", "#?&=/%", "x" * 255, "constructor", "=1+1", "a b"]
GIVEN = [*NAMES, "__proto__", "a\u202eb", "\U0001F468\u200d\U0001F469", VALUES["controls"][:8]]
# What a URL may have (docs/push.md): markup is escaped in it, quotes and brackets of code are not.
HOOK_PATH = "/javascript:alert(10)/'%22%3E%3Cimg%20src=x%20onerror=alert(11)%3E/%E2%80%AE%00/?a='$%7B7*7%7D;--&b=(alert(12))&c=" + "%3Cb%3E" * 250
NO_HOOKS = ["javascript:alert(13)", "http://127.0.0.1/<script>alert(14)</script>", "https://a\"onerror=alert(15)@127.0.0.1/", "https://\u202emoc.elpmaxe/", "data:text/html,<script>alert(16)</script>", "http://127.0.0.1/#<b>", "=1+1"]
FILE_NAMES = [*NAMES, "a\u202egpj.exe", "\"; filename=evil.html", "x.svg\r\nSet-Cookie: a=b", "..\\..\\x", "%00.html", "<svg onload=alert(17)>.png", "\U0001F468\u200d\U0001F469\u0301"]
NUMBERS = {"least": "-9223372036854775808", "most": "9223372036854775807", "odd": "9007199254740993"}
DOUBLES = {"tiny": "5e-324", "huge": "1.7976931348623157e308", "third": "0.30000000000000004", "minus": "-0.0"}


LONGEST = "y" * 1040000
# Development learns at most 1,000 fields of a type (docs/limits.md, fieldsPerTypeMax): a record has no more there.
FIELDS_MAX = 1000
WIDE = {f"w{number:04}_{'z' * (249 if number < 20 else 4)}": {"value": f"<i>{number}</i>", "type": "STRING"} for number in range(FIELDS_MAX)}
# Names as long as permitted.
LONG_TYPE, LONG_ZONE, LONG_SUBSCRIPTION, LONG_DEVICE = "T" + "t" * 254, "z'<\"" + "z" * 251, "s&<" + "s" * 252, "D" + "d-_" * 21
LONG_NAME = "\U0001F600\u202e\u0301<b>" + "n" * 249
TITLE = "<script>alert(8)</script>\u202e\u0000" + "T" * 60000
NOTE = "<img src=x onerror=alert(9)>\u2066\u0007" + "N" * 400


def record(name):
    fields = {f"f_{key}": {"value": value, "type": "STRING"} for key, value in VALUES.items()}
    fields |= {f"n_{key}": {"value": value, "type": "INT64"} for key, value in NUMBERS.items()}
    fields |= {f"d_{key}": {"value": value, "type": "DOUBLE"} for key, value in DOUBLES.items()}
    fields["constructor"] = {"value": "a field", "type": "STRING"}
    if name == NAMES[0]:
        fields["longest"] = {"value": LONGEST, "type": "STRING"}
    return {"recordName": name, "recordType": "Hostile", "fields": fields}


WATCH = """window.alerts = []; window.alert = (text) => window.alerts.push(text);
window.violations = []; document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective + ' ' + event.blockedURI));"""


def walk(world, browser, results):
    user = world.user("<i>mallory</i>")
    for number, name in enumerate(GIVEN):
        user.ask("device", "devices/register", {"deviceID": f"d{number}", "name": name, "platform": "<u>"})
    saved = user.save([record(name) for name in NAMES])
    good = [answer["recordName"] for answer in saved if "serverErrorCode" not in answer]
    results.check("hostile names are names of records", len(good) == len(NAMES), [one for one in saved if "serverErrorCode" in one][:2])
    user.ask("database", "private/zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": name}}} for name in [*NAMES, LONG_ZONE]]})
    longest(user, results)
    for number, name in enumerate(NAMES):
        user.subscribe({"subscriptionID": name, "subscriptionType": "query", "firesOn": ["update"], "query": {"recordType": "Hostile", "predicate": f"n_odd > {number}"},
                        "notificationInfo": {"title": VALUES["markup"], "alertBody": VALUES["direction"], "subtitle": VALUES["attribute"], "additionalFields": ["f_markup", "f_direction"]}})
    for one in (changed := [record(name) for name in good]):
        one["fields"]["version"] = {"value": 2}
    user.save(changed, client="d1")
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=world.origin)
    tab = Tab(world, context, WATCH)
    page = tab.open()
    tab.sign_in("<i>mallory</i>")
    tab.go("/records/public/Hostile?columns=f_direction,f_controls,f_empty,f_lines,f_family,n_most,n_odd,d_third,f_missing")
    page.locator(".grid-body .grid-row").nth(len(good) - 1).wait_for()
    text = page.locator(".grid-body").inner_text()
    for shown, what in (("[U+202E]", "direction marks"), ("[U+0001]", "control characters"), ('""', "the empty text"), ("⏎", "newlines"), ("⇥", "tabs"), ("9\u2009223\u2009372\u2009036\u2009854\u2009775\u2009807", "the largest number"), ("9\u2009007\u2009199\u2009254\u2009740\u2009993", "an odd number above 2^53"),
                        ("0.30000000000000004", "a double"), (VALUES["family"], "joined emoji"), ("–", "an absent field")):
        results.check(f"the grid shows {what}", shown in text, text[:500])
    tab.go("/records/public/Hostile?columns=longest,f_long")
    page.locator(".grid-row .cell", has_text="xxx").first.wait_for()
    most = page.evaluate("Math.max(...[...document.querySelectorAll('.grid-body .cell')].map((one) => one.textContent.length))")
    results.check("a cell shows at most 201 characters", most <= 201, most)

    # Copied and exported as they are.
    page.locator(".grid").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.locator(".panel .facts").first.wait_for()
    page.locator(".panel .value", has_text="U+202E").first.wait_for()
    page.keyboard.press("y")
    page.locator(".note-box", has_text="Copied").wait_for()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    results.check("the record is copied whole, byte for byte", all(copied["fields"][f"f_{key}"]["value"] == value for key, value in VALUES.items()), list(copied["fields"])[:3])
    results.check("and its million characters", copied["fields"]["longest"]["value"] == LONGEST)
    results.check("and its numbers", all(copied["fields"][f"n_{key}"]["value"] == value for key, value in NUMBERS.items()))
    page.keyboard.press("Escape")
    lines = exported(page, "jsonl").split("\n")
    found = {one["recordName"]: one for one in map(json.loads, filter(None, lines))}
    results.check("JSON lines have every record, exactly", sorted(found) == sorted(good) and all(one["fields"][f"f_{key}"]["value"] == value for one in found.values() for key, value in VALUES.items()))
    table = exported(page, "csv")
    results.check("no cell of CSV runs", "'=HYPERLINK" in table and "'@SUM" in table and "\n=" not in table and ",=" not in table and ",@" not in table)
    results.check("CSV has numbers as they are", "-9223372036854775808" in table and "'-9223372036854775808" not in table)
    everywhere(world, tab, results, good)
    wide(tab, results)
    shares(tab, results)
    files(world, user, tab, results)
    file_names(user, tab, results)
    with Hook() as hook:
        webhooks(world, user, tab, results, hook)
        operators(world, tab, results)
    tab.go("")
    tab.settled()
    results.check("no script of the contents ran", page.evaluate("window.alerts.length") == 0)
    results.check("the policy was never violated", page.evaluate("window.violations") == [], page.evaluate("window.violations"))
    results.check("hostile contents: nothing goes wrong", not tab.wrong, tab.wrong[:5])
    context.close()


def longest(user, results):
    """A record of as many fields as permitted, and names of each kind as long as permitted, markup in them where their rule has it."""
    saved = user.save([{"recordName": "wide", "recordType": "HostileWide", "fields": WIDE}])[0]
    results.check(f"a record has {FIELDS_MAX} fields", "serverErrorCode" not in saved, str(saved)[:300])
    more = user.save([{"recordName": "wider", "recordType": "HostileWide", "fields": {"one_more": {"value": "x"}}}])[0]
    results.check("and not one more", more.get("serverErrorCode") == "QUOTA_EXCEEDED" and more["limit"]["name"] == "fieldsPerTypeMax", more)
    saved = user.save([{"recordName": "X" * 255, "recordType": LONG_TYPE, "fields": {"f" * 255: {"value": VALUES["markup"]}}}])[0]
    results.check("names of types, records and fields are as long as permitted", "serverErrorCode" not in saved, saved.get("reason", "")[:400])
    made = user.ask("device", "devices/register", {"deviceID": LONG_DEVICE, "name": LONG_NAME, "platform": LONG_NAME})
    results.check("names of devices are, too", made.get("deviceID") == LONG_DEVICE, str(made)[:300])
    made = user.subscribe({"subscriptionID": LONG_SUBSCRIPTION, "subscriptionType": "query", "firesOn": ["update"], "query": {"recordType": LONG_TYPE, "predicate": f"{'f' * 255} != \"{VALUES['attribute'][:4]}\""},
                           "notificationInfo": {"title": NOTE, "alertBody": VALUES["controls"]}})
    results.check("and those of subscriptions", made.get("subscriptionID") == LONG_SUBSCRIPTION, str(made)[:300])
    bob = user.world.user("bob <b>")
    answers = user.save([{"recordName": "shared", "recordType": "Hostile", "fields": {}},
                         {"recordName": "share", "recordType": "cloudkit.share", "forRecord": {"recordName": "shared"}, "publicPermission": "READ_ONLY", "fields": {"cloudkit.title": {"value": TITLE}},
                          "participants": [{"userIdentity": {"userRecordName": bob.record_name}, "permission": "READ_WRITE"}]}], "private", kind="create", zone=LONG_ZONE)
    results.check("a share has a hostile title of 60,000 characters", not any("serverErrorCode" in one for one in answers), str(answers)[:400])


def clean(tab, results, where):
    """No element is made of contents, and nothing is wider than the window."""
    page = tab.page
    made = page.evaluate("document.querySelectorAll('main b > b, main i, main u, main script, main [onerror], main [onload], aside i, aside script, aside [onerror], dialog script, dialog [onerror]').length")
    results.check(f"hostile names on {where}: no element is made of them", made == 0, made)
    results.check(f"hostile names on {where}: nothing is wider than the window", page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def wide(tab, results):
    """A record of 1,000 fields: its grid, its panel, and a copy with all of them."""
    page = tab.page
    tab.go("/records/public/HostileWide?open=wide")
    page.locator(".panel .facts dt", has_text="w0000_").first.wait_for()
    clean(tab, results, "a record of 1,000 fields")
    page.locator(".panel h2").focus()
    page.keyboard.press("y")
    page.locator(".note-box", has_text="Copied").last.wait_for()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    results.check("a record of 1,000 fields is copied whole", {name: one["value"] for name, one in copied["fields"].items()} == {name: one["value"] for name, one in WIDE.items()}, len(copied["fields"]))
    columns = page.locator(".grid [role=columnheader]").count()
    results.check("its grid has a few columns", columns <= 41, columns)
    page.get_by_role("button", name="Columns").click()
    page.locator("dialog .check").first.wait_for()
    clean(tab, results, "the columns to choose from")
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    page.keyboard.press("Escape")
    tab.go(f"/records/public/{LONG_TYPE}?open={'X' * 255}")
    page.locator(".panel .facts dd", has_text="<img").first.wait_for()
    clean(tab, results, "names of 255 characters")
    page.keyboard.press("Escape")


def shares(tab, results):
    """The title of a share, cut on the page and whole in what is sent back."""
    page = tab.page
    tab.go("/sharing")
    page.locator("main", has_text="[U+202E]").first.wait_for()
    clean(tab, results, "/sharing")
    longest = page.evaluate("Math.max(...[...document.querySelectorAll('main b, main h2, main h3, main a, main p, main span')].map((one) => one.textContent.length))")
    results.check("a title is cut on the page", longest < 2000, longest)


def exported(page, kind):
    page.get_by_role("button", name="More").first.click()
    page.get_by_role("menuitem", name="Export what the query finds").click()
    page.locator("dialog select").select_option(kind)
    with page.expect_download() as download:
        page.locator("dialog .button.main").click()
    page.locator("dialog").wait_for(state="detached")
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        return file.read()


def everywhere(world, tab, results, good):
    """Each page that can show names shows them, as text."""
    page = tab.page
    for path in ("", "/devices", "/devices/install", "/feed", "/zones/private", f"/zones/private/{quote(LONG_ZONE)}", "/subscriptions", f"/subscriptions?open={quote(LONG_SUBSCRIPTION)}", "/play",
                 "/sharing", f"/feed/{LONG_DEVICE}", "/feed/d0"):
        tab.go(path)
        tab.settled()
        if path == "/feed/d0":
            page.locator(".grid-body .grid-row", has_text="<img").first.wait_for()
            page.locator(".grid-body .grid-row").first.click()
            page.locator(".panel .phone-note", has_text="<img src=x").wait_for()
        clean(tab, results, path or "/")
    for name in good[:6]:
        tab.go(f"/records/public/Hostile?open={quote(name)}")
        page.locator(".panel .facts dt", has_text="f_markup").wait_for()
        head = page.locator(".panel-head h2").inner_text()
        results.check(f"an address opens {name[:20]!r}", head[:6] == name[:6] or "U+" in head, head)
        page.keyboard.press("Escape")


def operators(world, tab, results):
    """Each page of operators that can show names, notes and values, with an error's text and a log line that have them, too."""
    page = tab.page
    made = operate(world, f"{world.scope}/tokens/create", {"note": NOTE, "origins": ["https://example.com"]})
    operate(world, f"{world.scope}/keys/create", {"note": NOTE})
    results.check("a token's note is hostile", "apiToken" in made, made)
    page.evaluate("([name, value]) => { sessionStorage.setItem(name, value); }", ["operator", json.dumps(operator_session(world))])
    page.reload()
    tab.page.locator("main h1").wait_for()
    addresses = page.evaluate("[...document.querySelectorAll('nav a')].filter((one) => one.querySelector('.needs')).map((one) => one.hash)")
    paths = [f"#/{world.scope}/devices/all", f"#/{world.scope}/subscriptions/all", f"#/{world.scope}/schema?type=HostileWide", f"#/{world.scope}/schema?type={LONG_TYPE}",
             f"#/{world.scope}/users?search={quote('<i>mallory</i>')}", f"#/{world.scope}/changes/private", f"#/{world.scope}/credentials"]
    for address in [*addresses, *paths]:
        tab.shows(address)
        clean(tab, results, address[:80].replace(f"#/{world.scope}", ""))
        if page.locator("main .grid-body .grid-row:visible").count():
            page.locator("main .grid-body .grid-row:visible").first.click()
            tab.settled()
            clean(tab, results, f"{address[:80].replace(f'#/{world.scope}', '')}, the first opened")
            page.keyboard.press("Escape")
    results.check("a token's note has marks", page.locator(".mark", has_text="U+2066").count() > 0)
    tab.shows(f"#/{world.scope}/push")
    rows = page.locator(".grid-body .grid-row")
    rows.nth(2).wait_for()
    for number in range(3):
        rows.nth(number).click()
        page.locator(".panel-head h2", has_text="Webhook").wait_for()
        clean(tab, results, f"the push address {number + 1}")
        page.keyboard.press("Escape")


def operator_session(world):
    """A session as the console keeps it, of a code."""
    request = urllib.request.Request(f"{world.origin}/operator/1/sessions", data=json.dumps({"code": operate(world, "codes")["code"]}).encode(), headers={"X-Fanfare-Console": "1"})
    answer = json.load(urllib.request.urlopen(request, timeout=60))
    return {"name": answer["operator"], "role": answer["role"], "token": answer["token"]}


def quote(text):
    return urllib.parse.quote(text, safe="")


class Hook:
    """A server that refuses what webhooks send, with markup."""

    def __enter__(self):
        heard = self.heard = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                body = VALUES["markup"].encode()
                self.send_response(400, "<img src=x onerror=alert(18)>")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                heard.set()

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}{HOOK_PATH}"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def webhooks(world, user, tab, results, hook):
    """Webhooks of devices and of a key: their URLs, names, and answers, on the pages of devices; `operators` opens those of pushes."""
    for url in NO_HOOKS:
        answer = user.ask("device", "devices/push", {"deviceID": "d0", "webhook": {"url": url}})
        results.check(f"no webhook at {url[:30]!r}, and the refusal has no part of it", answer.get("serverErrorCode") == "BAD_REQUEST" and url not in answer["reason"], answer)
    for device in ("d0", LONG_DEVICE):
        answer = user.ask("device", "devices/push", {"deviceID": device, "webhook": {"url": hook.url}})
        results.check(f"a webhook at a hostile URL, for {device[:10]}", "webhook" in answer.get("kinds", []), answer)
    made = operate(world, f"{world.scope}/keys/create", {"note": NOTE})
    container, environment = world.scope.split("/")
    where = ["--data", str(world.data), "--container", container, "--environment", environment, "--json"]
    run = lambda *words: subprocess.run([world.executable, "webhooks", *words, *where], capture_output=True, timeout=300)
    done = run("create", "--server-key", made["keyID"], "--webhook-url", hook.url)
    results.check("a key's webhook at a hostile URL", done.returncode == 0, done.stderr[-500:])
    listed = [json.loads(line) for line in run("list").stdout.splitlines()]
    results.check("webhooks list has the URL byte for byte", [one["url"] for one in listed] == [hook.url], listed)
    shown = subprocess.run([world.executable, "webhooks", "list", *where[:-1]], capture_output=True, timeout=300).stdout
    results.check("and no terminal obeys it", hook.url.encode() in shown and not any(byte < 32 and byte != 10 for byte in shown), shown[:300])
    user.save([{"recordName": NAMES[1], "recordType": "Hostile", "fields": {"version": {"value": 3}}}], client="d1")
    results.check("a webhook is called", hook.heard.wait(120))
    for path in ("/devices", f"/devices?open={quote(LONG_DEVICE)}", "/feed/d0"):
        tab.go(path)
        tab.settled()
        clean(tab, results, f"{path[:20]} with webhooks")


def file_names(user, tab, results):
    """Names of files are kept nowhere: those of an upload and of a page are not seen again, those of a download stay in its header."""
    for number, name in enumerate(FILE_NAMES):
        token = user.ask("database", "public/assets/upload", {"tokens": [{"recordType": "Named", "fieldName": "file"}]})["tokens"][0]
        given = name.replace("\\", "\\\\").replace('"', '\\"').replace("\r\n", "%0D%0A")
        form = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{given}"\r\nContent-Type: text/html\r\n\r\n<b>{number}</b>\r\n--b--\r\n'.encode()
        request = urllib.request.Request(token["url"], data=form, headers={"Content-Type": "multipart/form-data; boundary=b"})
        single = json.load(urllib.request.urlopen(request))["singleFile"]
        saved = user.save([{"recordName": f"named-{number}", "recordType": "Named", "fields": {"file": {"value": single, "type": "ASSETID"}}}])[0]
        results.check(f"a file called {name[:20]!r} is saved", "serverErrorCode" not in saved, saved)
        url = user.ask("database", "public/records/lookup", {"records": [{"recordName": f"named-{number}"}]})["records"][0]["fields"]["file"]["value"]["downloadURL"]
        try:
            answer = urllib.request.urlopen(f"{url}{'&' if '?' in url else '?'}filename={quote(name)}")
        except urllib.error.HTTPError as error:
            results.check(f"a download called {name[:20]!r} is refused as a bad request", error.code == 400, error.code)
            continue
        kept = email.message.Message()
        kept["Content-Disposition"] = answer.headers["Content-Disposition"] or ""
        good = kept.get_content_disposition() == "attachment" and answer.headers["Content-Type"] == "application/octet-stream" and answer.headers["X-Content-Type-Options"] == "nosniff"
        results.check(f"a download called {name[:20]!r} is a file, and no page", good and answer.read() == f"<b>{number}</b>".encode() and "Set-Cookie" not in answer.headers, answer.headers.items())
    page = tab.page
    tab.go("/records/public/Named")
    page.locator(".grid-body .grid-row").nth(len(FILE_NAMES) - 1).wait_for()
    clean(tab, results, "files with hostile names")
    # A file that is chosen on the page: its own name stays in the browser's control.
    tab.go("/records/public/Named?open=named-0")
    page.locator(".panel").get_by_role("button", name="Edit the record").click()
    page.locator(".panel input[type=file]").set_input_files({"name": "<img src=x onerror=alert(19)>\u202e.html", "mimeType": "text/html", "buffer": b"<b>page</b>"})
    page.keyboard.press("Control+Enter")
    page.locator(".panel").get_by_role("button", name="Edit the record").wait_for()
    clean(tab, results, "a file that was chosen on the page")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download file").click()
    # Chromium adds an ending by the bytes.
    results.check("a download of the page is called after its field", download.value.suggested_filename.split(".")[0] == "file", download.value.suggested_filename)
    with open(download.value.path(), "rb") as file:
        results.check("and has the bytes that were chosen", file.read() == b"<b>page</b>")
    page.keyboard.press("Escape")


def files(world, user, tab, results):
    """A file that is SVG or HTML is never a page and never a picture."""
    for kind, contents in (("svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(6)'/>"), ("html", b"<!doctype html><script>alert(7)</script>")):
        token = user.ask("database", "public/assets/upload", {"tokens": [{"recordType": "Files", "fieldName": "file"}]})["tokens"][0]
        single = json.load(urllib.request.urlopen(urllib.request.Request(token["url"], data=contents)))["singleFile"]
        user.save([{"recordName": f"file-{kind}", "recordType": "Files", "fields": {"file": {"value": single, "type": "ASSETID"}}}])
        tab.go(f"/records/public/Files?open=file-{kind}")
        tab.page.get_by_role("button", name="Show file as a picture").click()
        tab.page.locator(".note-box", has_text="download it").first.wait_for()
        results.check(f"a file that is {kind} is no picture", tab.page.locator(".panel img").count() == 0)
        with tab.page.expect_download() as download:
            tab.page.get_by_role("button", name="Download file").click()
        with open(download.value.path(), "rb") as file:
            results.check(f"a file that is {kind} is downloaded as it is", file.read() == contents)
        tab.page.keyboard.press("Escape")
