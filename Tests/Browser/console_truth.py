"""Truth: figures and lists of pages, held against the API or the command's --json in the same test."""
import json, re, subprocess

from console_beyond import routes
from console_operator import operate, sign_in
from console_world import Tab, artwork


def digits(text):
    """The numbers of a text, thin spaces taken out."""
    return [int(number) for number in re.findall(r"\d+", text.replace("\u2009", ""))]


def command(world, *words, target=True):
    """The JSON lines of a command, beside the running service."""
    container, environment = world.scope.split("/")
    scope = ["--container", container, "--environment", environment] if target else []
    done = subprocess.run([world.executable, *words, "--data", str(world.data), *scope, "--json"], capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 3):
        raise AssertionError(f"{words}: {done.returncode} {done.stderr[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def prepare(world):
    vera = world.user("vera")
    vera.device("vera-laptop")
    vera.device("vera-phone")
    vera.ask("device", "devices/push", {"deviceID": "vera-phone", "apns": {"token": "ab" * 32, "environment": "development"}})
    vera.subscribe({"subscriptionID": "vera", "subscriptionType": "query", "firesOn": ["create", "update"], "query": {"recordType": "Truth", "predicate": "year > 1900"},
                    "notificationInfo": {"alertBody": "Truth"}})
    vera.save([{"recordName": f"t-{number}", "recordType": "Truth", "fields": {"title": {"value": f"Truth {number}"}, "year": {"value": 1890 + number}}} for number in range(30)], client="vera-laptop")
    vera.ask("database", "private/zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Facts"}}}]})
    vera.save([{"recordName": f"fact-{number}", "recordType": "Fact", "fields": {"text": {"value": "x" * 100}}} for number in range(7)], "private", zone="Facts")
    entries, token = [], None
    while len(entries) < 19:
        page = vera.ask("device", "notifications/changes", {"deviceID": "vera-phone", "waitSeconds": 10, **({"serverChangeToken": token} if token else {})})
        token, entries = page["serverChangeToken"], entries + page["notifications"]
    return vera, entries


def at_rest(world):
    """Waits until no stage has an entry to do: what earlier steps saved would move figures between two looks."""
    while any(one["entriesBehind"] for one in operate(world, f"{world.scope}/stages")["stages"]):
        pass


def run(world, browser, results):
    vera, entries = prepare(world)
    at_rest(world)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=world.origin)
    tab = Tab(world, context)
    sign_in(tab)
    tab.sign_in("vera")
    own(vera, tab, results)
    newest(tab, results, entries)
    feed(vera, tab, results, entries)
    dry_run(vera, tab, results)
    users(world, vera, tab, results)
    devices(world, tab, results)
    changes(world, tab, results)
    explained(world, vera, tab, results, entries)
    credentials(world, tab, results)
    schema(world, tab, results)
    stages(world, tab, results)
    known = routes(world)
    if "audits/start" in known:
        audit(world, tab, results)
    if "couriers/list" in known:
        couriers(world, vera, tab, results)
    results.check("truth: nothing goes wrong", not tab.wrong, tab.wrong[:5])
    context.close()


def own(vera, tab, results):
    """Overview, records, zones, devices: what the API says of the user."""
    page = tab.page
    tab.go("")
    figures = page.locator(".page-overview > .page .figure b")
    figures.nth(3).wait_for()
    shown = [digits(text)[0] for text in figures.all_inner_texts()]
    wanted = [len(vera.ask("device", "devices/list")["devices"]), len(vera.ask("database", "public/subscriptions/list", {})["subscriptions"]),
              len(vera.ask("database", "private/zones/list", {})["zones"]), vera.ask("device", "badge/current", query="?deviceID=vera-phone")["badgeValue"]]
    results.check("truth: the overview's figures are the API's", shown == wanted, [shown, wanted])

    tab.go("/records/public/Truth?where=year%20%3E%201910")
    page.locator(".under-grid", has_text="records,").wait_for()
    found = vera.ask("database", "public/records/query", {"query": {"recordType": "Truth", "predicate": "year > 1910"}})["records"]
    names = page.locator(".grid-body .grid-row .cell.first").all_inner_texts()
    results.check("truth: a query's records and their count", names == [one["recordName"] for one in found] and digits(page.locator(".under-grid").inner_text())[0] == len(found), [names, len(found)])
    price = page.locator(".under-grid", has_text="costs").inner_text()
    tested = vera.ask("database", "public/subscriptions/modify", {"operations": [{"operationType": "test", "parseOnly": True, "changesMax": 1, "subscription": {
        "subscriptionType": "query", "firesOn": ["create"], "notificationInfo": {}, "query": {"recordType": "Truth", "predicate": "year > 1910"}}}]})["subscriptions"][0]
    results.check("truth: a query's cost", f"costs {tested['predicateCost']} of" in price.replace("\u2009", ""), [price, tested])

    tab.go("/zones/private/Facts")
    page.get_by_role("button", name="Count its records").click()
    page.locator(".page-zones .list li", has_text="Fact").first.wait_for()
    count = digits(page.locator(".page-zones .list li", has_text="Fact").first.inner_text())
    stored = vera.ask("database", "private/records/query", {"query": {"recordType": "Fact"}, "zoneID": {"zoneName": "Facts"}})["records"]
    results.check("truth: a zone's records by type", count[-1] == len(stored), [count, len(stored)])


def newest(tab, results, entries):
    """The overview's list has the end of a feed of several pages."""
    page, address = tab.page, "**/notifications/changes*"
    page.route(address, lambda route: route.continue_(post_data=json.dumps({**route.request.post_data_json, "resultsLimit": 2})))
    tab.go("/devices")
    tab.go("")
    rows = page.locator(".page-overview .card", has_text="Last notifications").locator("li .grow .quiet")
    rows.first.wait_for()
    shown, wanted = rows.all_inner_texts(), [one["recordName"] for one in entries[-20:][::-1]]
    results.check("truth: the overview lists the newest notifications", shown == wanted and len(entries) > 2, [shown, wanted])
    page.unroute(address)


def feed(vera, tab, results, entries):
    page = tab.page
    tab.go("/feed/vera-phone")
    page.locator(".live-sign.live").wait_for()
    page.locator(f".grid[aria-rowcount='{len(entries) + 1}']").wait_for()
    rows = page.locator(".grid-body .grid-row .cell:nth-child(4)").all_inner_texts()
    results.check("truth: a feed is what the device fetches, in its order", rows == [one["recordName"] for one in reversed(entries)], [rows[:5], len(entries)])
    results.check("truth: and its count", digits(page.locator(".under-grid").inner_text())[:2] == [len(entries), len(entries)], page.locator(".under-grid").inner_text())


def dry_run(vera, tab, results):
    page = tab.page
    tab.go("/subscriptions?open=vera")
    page.locator(".panel").get_by_role("button", name="Test it").click()
    page.locator(".panel [role=status] b", has_text="Fires on").wait_for()
    said = digits(page.locator(".panel [role=status] p").first.inner_text())
    tested = vera.ask("database", "public/subscriptions/modify", {"operations": [{"operationType": "test", "changesMax": 1000, "subscription": {
        "subscriptionType": "query", "firesOn": ["create", "update"], "notificationInfo": {}, "query": {"recordType": "Truth", "predicate": "year > 1900"}}}]})["subscriptions"][0]
    if tested["changesExamined"] > 50:
        page.locator(".panel [role=status] b", has_text=f"of {tested['changesExamined']:,}".replace(",", "\u2009") if tested["changesExamined"] > 9999 else f"of {tested['changesExamined']}").wait_for()
        said = digits(page.locator(".panel [role=status] p").first.inner_text())
    results.check("truth: a dry run says what the API says", said[:3] == [tested["changesMatched"], tested["changesExamined"], tested["predicateCost"]], [said, tested["changesMatched"], tested["changesExamined"]])
    page.keyboard.press("Escape")


def users(world, vera, tab, results):
    page = tab.page
    tab.go("/users")
    page.locator(".under-grid", has_text="users").wait_for()
    listed = command(world, "users", "list", target=False)
    shown = digits(page.locator(".under-grid").inner_text())[0]
    results.check("truth: as many users as the command lists", shown == len(listed), [shown, len(listed)])
    tab.go(f"/users?open={vera.record_name}")
    page.locator(".panel h3", has_text="Uses").wait_for()
    usage = command(world, "users", "usage", "--user", vera.record_name)[0]
    asked = operate(world, f"{world.scope}/users/lookup", {"user": vera.record_name})["usage"]
    known = usage.get("usage", usage)
    same = {name: one["used"] for name, one in asked.items()}
    results.check("truth: usage is the command's", all(same.get(name) == one["used"] for name, one in known.items() if isinstance(one, dict) and "used" in one), [same, known])
    for word, name in (("private records", "privateRecords"), ("zones", "zones"), ("devices", "devices")):
        line = page.locator(".panel .list li", has_text=re.compile(f"^{word}")).first.inner_text()
        results.check(f"truth: usage of {word}", digits(line)[0] == asked[name]["used"], [line, asked[name]])
    page.keyboard.press("Escape")


def devices(world, tab, results):
    """Each device's place and lag."""
    page = tab.page
    tab.go("/devices/all")
    page.locator(".under-grid", has_text="devices").wait_for()
    listed = {(one["userRecordName"], one["deviceID"]): one for one in command(world, "devices", "list")}
    asked = operate(world, f"{world.scope}/devices/list", {"limit": 50})["devices"]
    results.check("truth: the command lists the route's devices", all(listed[(one["userRecordName"], one["deviceID"])].get("token") == one.get("token") for one in asked), [asked[:2]])
    rows = {row[0]: row[1] for row in page.evaluate("[...document.querySelectorAll('.grid-body .grid-row:not([hidden])')].map((row) => [row.children[0].textContent, row.children[4].textContent])")}
    for one in asked:
        if one["deviceID"] not in rows:
            continue
        behind = (one.get("token") or {}).get("notificationsBehind", (one.get("token") or {}).get("entriesBehind"))
        wanted = "has not read yet" if behind is None else f"… {behind} behind" if behind else "✓ up to date"
        results.check(f"truth: how far {one['deviceID'][:20]} is", rows[one["deviceID"]].replace("\u2009", "") == wanted, [rows[one["deviceID"]], wanted])


def changes(world, tab, results):
    page = tab.page
    tab.go("/changes/public?record=t-20")
    page.locator(".grid-body .grid-row", has_text="t-20").first.wait_for()
    partition, offset = digits(page.locator(".grid-body .grid-row", has_text="t-20").first.locator(".cell").last.inner_text())
    row = operate(world, f"{world.scope}/changes/read", {"database": "public", "from": [{"partition": partition, "offset": offset}], "partition": partition, "limit": 1})["changes"][0]
    shown = digits(page.locator(".grid-body .grid-row", has_text="t-20").first.locator(".cell").first.inner_text())[0]
    results.check("truth: a change is where the page says", (row["recordName"], row["sequence"]) == ("t-20", shown), [row, shown])


def explained(world, vera, tab, results, entries):
    page = tab.page
    for entry, place in ((entries[0], "first"), (entries[-1], "last")):
        tab.go(f"/explain?change={entry['notificationID']}&subscription=vera&user={vera.record_name}")
        page.locator(".verdict").wait_for()
        explanation = command(world, "explain", "--change", entry["notificationID"], "--subscription", "vera", "--user", vera.record_name)[0]
        results.check(f"truth: the verdict of the {place} notification is the command's", explanation["verdict"] in page.locator(".verdict").inner_text(), [explanation["verdict"], page.locator(".verdict").inner_text()])
        texts = page.locator("ol.why > li > .grow > p:not(.note)").all_inner_texts()
        results.check("truth: and each step of it", texts == [one["text"] for one in explanation["steps"]], [texts, [one["text"] for one in explanation["steps"]]])


def credentials(world, tab, results):
    page = tab.page
    tab.go("/credentials")
    page.locator(".card h2", has_text="API tokens").wait_for()
    for words, title in ((("token", "list"), "API tokens"), (("key", "list"), "Server-to-server keys")):
        listed = command(world, *words)
        shown = page.locator(".card", has=page.locator("h2", has_text=title)).locator("ul.list > li").count()
        results.check(f"truth: {title} as the command lists them", shown == len(listed), [shown, len(listed)])


def schema(world, tab, results):
    page = tab.page
    tab.go("/schema")
    page.locator(".side-list a").first.wait_for()
    asked = operate(world, f"{world.scope}/schema")
    shown = page.locator(".side-list a").all_inner_texts()
    results.check("truth: as many types and fields as the schema has", sorted(digits(text)[-1] for text in shown) == sorted(len(one["fields"]) for one in asked["recordTypes"]), shown)
    container = world.scope.split("/")[0]
    page.evaluate("hash => { location.hash = hash }", f"#/{container}/production/schema/promote")
    page.locator("main .parts li").first.wait_for()
    seen = operate(world, f"{container}/production/schema/difference")
    shown = page.locator("main .parts li code").all_inner_texts()
    results.check("truth: the difference of schemas, line for line", sorted(shown) == sorted(cut(line[2:]) for line in seen["changes"]), [len(shown), len(seen["changes"]), sorted(shown)[:3]])
    results.check("truth: and its digest", any(code and seen["digest"].startswith(code.split("…")[0]) for code in page.locator("main code").all_inner_texts()), seen["digest"])


def cut(text, most=300):
    return text[:most] + "…" if len(text) > most else text


def stages(world, tab, results):
    page = tab.page
    tab.go("/stages")
    page.locator(".figures .figure").first.wait_for()
    asked = operate(world, f"{world.scope}/stages")["stages"]
    results.check("truth: a square for each partition of each stage", page.locator(".square").count() == len(asked), [page.locator(".square").count(), len(asked)])
    with_wrong = sum(1 for one in asked if one.get("failure") or re.search("failing|stalled", one["condition"]))
    results.check("truth: as many are wrong as the service says", digits(page.locator(".figures .figure b").first.inner_text())[0] == with_wrong)
    if "series" in routes(world):
        groups = {one.get("group", one["label"]) for one in operate(world, f"{world.scope}/series")["series"]}
        page.locator(".charts figure").nth(len(groups) - 1).wait_for()
        shown = set(page.locator(".charts figure").evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))"))
        results.check("truth: a chart for each group of series", shown == groups, [shown, groups])


def audit(world, tab, results):
    """An audit that the page starts counts the same as the command."""
    page = tab.page
    tab.go("/audit")
    page.get_by_role("button", name="New audit").first.click()
    page.locator("dialog .dialog-foot").get_by_role("button", name="Start").click()
    page.locator(".panel .badge", has_text="difference").wait_for()
    said = digits(page.locator(".panel p", has_text="call for").inner_text())
    lines = command(world, "audit")
    last = lines[-1]
    results.check("truth: an audit counts what the command counts", said == [last[name] for name in ("changes", "expected", "feeds", "users", "entries")], [said, last])
    results.check("truth: and finds as many differences", last["differences"] == len(lines) - 1 and ("no difference" in page.locator(".panel .badge").first.inner_text()) == (last["differences"] == 0), lines[:3])
    page.keyboard.press("Escape")


def couriers(world, vera, tab, results):
    """Addresses of pushes, and the keys of the ring."""
    page = tab.page
    tab.go("/push")
    tab.page.locator("main .page-push h1").wait_for()
    tab.settled()
    listed = command(world, "push", "list")
    page.locator(".under-grid", has_text="addresses").wait_for() if listed else page.locator(".box.empty").wait_for()
    shown = page.locator(".grid-body .grid-row:visible").count()
    results.check("truth: as many addresses of pushes as the command lists", shown == len(listed), [shown, len(listed)])
    tab.go("/actions")
    page.locator(".under-grid", has_text="actions").wait_for()
    acts = command(world, "actions")
    shown = digits(page.locator(".under-grid").inner_text())[0]
    results.check("truth: as many acts as the command lists", shown == len(acts), [shown, len(acts)])
    tab.go("/credentials")
    ring = page.locator(".card", has=page.locator("h2", has_text="Key ring"))
    ring.locator("ul.list > li").first.wait_for()
    names = ring.locator("ul.list > li code").all_inner_texts()
    known = command(world, "secrets", "list", target=False)
    results.check("truth: the key ring is the command's", sorted(names) == sorted(one["name"] for one in known), [names, known])
