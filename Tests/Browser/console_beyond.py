"""The playground's way, the time line, versions of a record, the replay of a feed, a second device, what would go."""
import json, re, urllib.request

from console_operator import operate, sign_in
from console_world import SIZES, Tab, artwork

SEEN = {("light", "wide"), ("dark", "phone")}


def routes(world):
    """The operator's routes that the service has."""
    return set(json.load(urllib.request.urlopen(f"{world.console}start.json"))["operators"]["routes"])


def prepare(world):
    """A user whose record was five things, three of which a subscription fires on, with a laptop that made them and a phone."""
    nora = world.user("nora")
    nora.device("nora-laptop")
    nora.device("nora-phone")
    nora.subscribe({"subscriptionID": "nora", "subscriptionType": "query", "firesOn": ["create", "update"], "query": {"recordType": "Version", "predicate": "year > 1900"},
                    "notificationInfo": {"alertBody": "A version"}})
    for number, year in enumerate((1890, 1950, 1960, 1899, 1970)):
        nora.save([{"recordName": "many", "recordType": "Version", "fields": {"title": {"value": f"Version {number}"}, "year": {"value": year}}}], client="nora-laptop")
    entries, token = [], None
    while len(entries) < 3:
        page = nora.ask("device", "notifications/changes", {"deviceID": "nora-phone", "waitSeconds": 10, **({"serverChangeToken": token} if token else {})})
        token, entries = page["serverChangeToken"], entries + page["notifications"]
    return nora, entries


def run(world, browser, results):
    nora, entries = prepare(world)
    known = routes(world)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    tab = Tab(world, context)
    sign_in(tab)
    tab.sign_in("nora")
    if "notifications/way" in known:
        notification(world, nora, tab, results, entries[-1])
        playground(world, nora, tab, results)
    if "records/history" in known:
        versions(nora, tab, results, entries[-1])
    if "feeds/read" in known:
        replay(tab, results, len(entries))
    install(tab, results)
    would_go(nora, tab, results)
    results.check("beyond: nothing goes wrong", not tab.wrong, tab.wrong[:5])
    session = tab.page.evaluate("JSON.stringify({...sessionStorage})")
    context.close()
    looks(world, browser, results, session, entries[-1], known)


def looks(world, browser, results, session, entry, known):
    """axe, widths and errors of the pages that are linked from others alone."""
    pages = {"notification": f"/notification/{entry['notificationID']}?subscription=nora", "explain": f"/explain?change={entry['notificationID']}&subscription=nora", "install": "/devices/install"}
    if "feeds/read" in known:
        pages["replay"] = "/replay/nora-phone"
    for scheme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
            tab = Tab(world, context, f"for (const [name, value] of Object.entries({session})) sessionStorage.setItem(name, value);")
            tab.open()
            for name, path in pages.items():
                tab.go(path)
                tab.page.locator(f"main .page-{path.split('/')[1].split('?')[0]} h1").wait_for()
                tab.settled()
                if name == "explain" and "records/history" in known:
                    tab.page.get_by_role("button", name="Its versions").click()
                    tab.page.locator(".strip .square").first.wait_for()
                    tab.settled()
                found = tab.axe() if (scheme, size) in SEEN else []
                results.check(f"{name}, {scheme}, {size}: axe finds nothing", not found, found)
                wide = tab.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
                results.check(f"{name}, {scheme}, {size}: nothing is wider than the window", wide[0] <= wide[1], wide)
                results.check(f"{name}, {scheme}, {size}: no error is shown", not tab.page.locator("main .bad-box").count(), tab.page.locator("main .bad-box").all_inner_texts())
            results.check(f"beyond, {scheme}, {size}: nothing goes wrong", not tab.wrong, tab.wrong[:5])
            context.close()


def notification(world, nora, tab, results, entry):
    """The time line has each step of the route, with its place and its time since the commit."""
    page = tab.page
    tab.go(f"/notification/{entry['notificationID']}")
    page.locator(".trail li").first.wait_for()
    way = operate(world, f"{world.scope}/notifications/way", {"notificationID": entry["notificationID"]})
    results.check("the time line has each step of the way", page.locator(".trail li").count() == len(way["steps"]), [page.locator(".trail li").count(), len(way["steps"])])
    first = next(one["time"] for one in way["steps"] if one["step"] == "commit")
    # The embedded log gives each entry the time of the commit: nothing is to scale there.
    flat = len({one["time"] for one in way["steps"] if one.get("time") and one["step"] not in ("read", "push", "fetched")}) == 1
    for at, one in enumerate(way["steps"]):
        if "offset" not in one or not one.get("time"):
            continue
        text = page.locator(".trail li").nth(at).inner_text().replace("\u2009", "")
        results.check(f"the time line has the place and the time of {one['step']}", f"at {one['offset']}" in text and (flat or one["step"] == "commit" or after(one["time"] - first) in text), [text, one])
    bars = page.locator(".trail-bar").count()
    results.check("each step with a time on the scale has a bar, where the log has times", bars == 0 if flat else bars >= 4, [bars, flat])
    results.check("a log without times says so", page.locator(".note", has_text="no clock of its own").count() == flat)


def after(ms):
    return f"+{ms} ms" if ms < 1000 else f"+{ms / 1000:.2f} s" if ms < 60000 else "+"


def playground(world, nora, tab, results):
    """A save lights up its way, place by place, as the log has it; the half that made the change is not notified."""
    page = tab.page
    tab.go("/play")
    page.get_by_role("button", name="Make devices and a subscription").click()
    page.locator(".note-box", has_text="subscribed").wait_for()
    page.get_by_label("laptop: record name").fill("way-1")
    page.get_by_role("button", name="Save on laptop").click()
    page.locator(".way .good", has_text="nora-phone is notified").wait_for()
    page.locator(".way .good", has_text=re.compile(r"^nora-phone(?! is)")).wait_for()
    chips = page.locator(".way li").all_inner_texts()
    row = next(one for one in operate(world, f"{world.scope}/changes/read", {"database": "public", "limit": 200})["changes"][::-1] if one.get("recordName") == "way-1")
    steps = operate(world, f"{world.scope}/notifications/way", {"change": row["sequence"], "user": nora.record_name})["steps"]
    for one in steps:
        if one["step"] in ("outbox", "matched", "journal", "feed") and one.get("offset") is not None and one.get("time"):
            topic = re.sub(r"_([0-9a-f]{6})[0-9a-f]{20,}([0-9a-f]{4})", r"_\1…\2", one["topic"])
            wanted = f"{topic}/{one['partition']} at {one['offset']}"
            results.check(f"the playground lights up {one['step']} where the log has it", any(wanted in chip for chip in chips), [wanted, chips])
    results.check("the half that made the change is not notified, and the page says so", any("nora-laptop: not notified" in chip for chip in chips) and "gets no notification" in page.locator(".half .why").first.inner_text(), chips)
    heard = nora.ask("device", "notifications/changes", {"deviceID": "nora-laptop"})["notifications"]
    results.check("and the service never notifies it", not any(one.get("recordName") == "way-1" for one in heard), heard)
    page.get_by_label("laptop: year").fill("1850")
    page.get_by_role("button", name="Save on laptop").click()
    page.locator(".way .good", has_text="changes.public").wait_for()


def versions(nora, tab, results, entry):
    """A slider over the record's versions: when the predicate began and ceased to hold."""
    page = tab.page
    tab.go(f"/explain?change={entry['notificationID']}&subscription=nora&user={nora.record_name}")
    page.get_by_role("button", name="Its versions").click()
    page.locator(".strip .square").nth(4).wait_for()
    results.check("each version of the record has its square", page.locator(".strip .square").count() == 5, page.locator(".strip .square").count())
    page.get_by_role("button", name="When did it begin").click()
    page.locator(".list li", has_text="It holds from change").nth(1).wait_for()
    signs = page.locator(".strip .square").all_inner_texts()
    results.check("the squares say at which versions it held", signs == ["✕", "✓", "✓", "✕", "✓"], signs)
    results.check("it began twice and ceased once", (page.locator(".list li", has_text="It holds from change").count(), page.locator(".list li", has_text="It holds no more").count()) == (2, 1))
    slider = page.get_by_label("Version of the record")
    slider.focus()
    page.keyboard.press("Home")
    page.locator("b", has_text="1 of 5").wait_for()
    page.locator("section", has_text="The record over time").last.locator(".node", has_text="1890").first.wait_for()
    page.locator("section", has_text="The record over time").last.locator(".node", has_text="year").first.hover()
    page.locator("tr.lit", has_text="year").wait_for()
    results.check("hovering a condition lights up its field", True)


def replay(tab, results, count):
    """Both halves of a feed together are the whole, wherever it is cut."""
    page = tab.page
    tab.go("/replay/nora-phone")
    page.get_by_role("button", name="The start").click()
    for number in range(3):
        page.get_by_role("button", name="Fetch from here").click()
        page.locator("[role=status] .good", has_text="Both halves together are the whole").wait_for()
        results.check(f"replay: the halves are the whole at place {number}", True)
        page.get_by_label("Place in the feed").focus()
        page.keyboard.press("ArrowRight")


def install(tab, results):
    """A new device's first fetch is the oldest one's history, in its order, and what that one made itself besides."""
    page = tab.page
    tab.go("/devices/install")
    page.get_by_label("ID of the new device").fill("nora-new")
    page.get_by_role("button", name="Install", exact=True).click()
    page.locator(".box", has_text="The same, in the same order").wait_for()
    found = page.locator(".box").inner_text()
    results.check("a second device gets the same, in the same order", "✓" in found, found)


def would_go(nora, tab, results):
    """Before a record is deleted, the records that go with it are counted."""
    page = tab.page
    nora.save([{"recordName": "parent", "recordType": "Parent", "fields": {"title": {"value": "Parent"}}}])
    nora.save([{"recordName": f"child-{number}", "recordType": "Child", "fields": {"of": {"value": {"recordName": "parent", "action": "DELETE_SELF"}, "type": "REFERENCE"}}} for number in range(3)])
    tab.go("/records/public/Child")
    page.locator(".grid-body .grid-row", has_text="child-2").wait_for()
    tab.go("/records/public/Parent?open=parent")
    page.locator(".panel .facts").first.wait_for()
    page.locator(".panel").get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.locator("dialog .list li", has_text="Child by of").wait_for()
    text = page.locator("dialog .list li").inner_text()
    results.check("what would go with a record is shown first", text.rstrip().endswith("3"), text)
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    tab.go("/devices")
    page.get_by_role("button", name="Remove nora-new").click()
    page.locator("dialog", has_text="What would go").wait_for()
    results.check("what would go with a device is shown first", True)
    page.keyboard.press("Escape")
