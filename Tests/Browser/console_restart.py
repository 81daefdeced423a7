"""Twenty tabs on one origin, hidden tabs, and a process that is killed under an open feed and an open edit."""
import time, urllib.request
from console_world import Tab, artwork

HIDE = """(hidden) => {
  Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def streams(world):
    """How many streams of notifications the service holds."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{world.internal_port}/metrics", timeout=10).read().decode()
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith("fanfare_web_api_notification_streams"))


def tabs(world, browser, results, count=20, long=False):
    user = world.user("tom")
    user.device("tom-laptop")
    user.device("tom-phone")
    user.subscribe({"subscriptionID": "tabs", "subscriptionType": "query", "firesOn": ["create"], "query": {"recordType": "Tabs"}, "notificationInfo": {"alertBody": "Tabs"}})
    context = browser.new_context(viewport={"width": 820, "height": 600})
    first = Tab(world, context)
    first.open()
    first.sign_in("tom")
    session = first.page.evaluate("JSON.stringify({...sessionStorage})")
    all_tabs = [first]
    for _ in range(count - 1):
        tab = Tab(world, context, f"for (const [name, value] of Object.entries({session})) sessionStorage.setItem(name, value);")
        all_tabs.append(tab)
    for tab in all_tabs:
        tab.page.goto(world.page("/feed/tom-phone"))
    for tab in all_tabs:
        tab.page.locator(".live-sign.live").wait_for()
    if world.internal_port:
        results.check(f"{count} tabs share one stream", streams(world) == 1, streams(world))
    user.save([{"recordName": f"tab-{number}", "recordType": "Tabs", "fields": {"n": {"value": number}}} for number in range(5)], client="tom-laptop")
    for number, tab in enumerate(all_tabs):
        tab.page.locator(".grid[aria-rowcount='6']").wait_for()
        results.check(f"tab {number + 1} of {count}: nothing goes wrong", not tab.wrong, tab.wrong)
    results.check(f"{count} of {count} tabs have all notifications", True)
    for tab in all_tabs[1:]:
        tab.page.close()
    if long:
        hidden(world, first, user, results)
    context.close()


def hidden(world, tab, user, results):
    """A tab that is hidden for 30 s asks nothing; seen again, it has all."""
    tab.page.evaluate(HIDE, True)
    deadline = time.time() + 60
    while streams(world) and time.time() < deadline:
        time.sleep(0.5)
    results.check("a hidden tab holds no stream", streams(world) == 0)
    user.save([{"recordName": f"tab-hidden-{number}", "recordType": "Tabs", "fields": {"n": {"value": number}}} for number in range(7)], client="tom-laptop")
    tab.page.evaluate(HIDE, False)
    tab.page.locator(".grid[aria-rowcount='13']").wait_for()
    results.check("seen again, it has what came meanwhile, once", True)


def restart(world, browser, results):
    """The process is killed under an open feed and an open edit: both go on."""
    user = world.user("rex")
    user.device("rex-laptop")
    user.device("rex-phone")
    user.subscribe({"subscriptionID": "rex", "subscriptionType": "query", "firesOn": ["create", "update"], "query": {"recordType": "Artwork", "predicate": "title BEGINSWITH \"Rex\""}, "notificationInfo": {"alertBody": "Rex"}})
    user.save([artwork("rex-1", 1950, "Rex one")], client="rex-laptop")
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    feed, edit = Tab(world, context), Tab(world, context)
    for tab, path in ((feed, "/feed/rex-phone"), (edit, "/records/public/Artwork?open=rex-1")):
        tab.expected = ["ERR_", "Failed to load resource", "Failed to fetch", "answer 503"]
        tab.open()
        tab.sign_in("rex")
        tab.go(path)
    feed.page.locator(".grid[aria-rowcount='2']").wait_for()
    feed.page.locator(".live-sign.live").wait_for()
    page = edit.page
    page.get_by_role("button", name="Edit the record").click()
    page.locator("textarea[aria-label=title]").fill("Rex edited")
    world.kill()
    feed.page.locator(".live-sign.waiting").wait_for()
    results.check("a feed says when it tries again", "again in" in feed.page.locator(".live-sign").inner_text())
    page.keyboard.press("Control+Enter")
    page.locator(".panel .bad-box", has_text="OFFLINE").wait_for()
    results.check("an edit says that the service does not answer", True)
    page.locator(".offline").wait_for()
    world.start()
    page.locator(".offline").wait_for(state="hidden")
    results.check("and is still there", page.locator("textarea[aria-label=title]").input_value() == "Rex edited")
    page.keyboard.press("Control+Enter")
    page.locator(".panel .facts dd", has_text="Rex edited").first.wait_for()
    results.check("and is saved after the restart", True)
    feed.page.locator(".grid[aria-rowcount='3']").wait_for()
    feed.page.locator(".live-sign.live").wait_for()
    user.save([artwork("rex-2", 1951, "Rex two")], client="rex-laptop")
    feed.page.locator(".grid[aria-rowcount='4']").wait_for()
    rows = feed.page.locator(".grid-body .grid-row").count()
    results.check("the feed has each notification once", rows == 3, rows)
    conflict(world, user, edit, results)
    ended(user, edit, results)
    results.check("restart: nothing else goes wrong", not feed.wrong and not edit.wrong, feed.wrong + edit.wrong)
    context.close()


def conflict(world, user, tab, results):
    """A record that somebody saved meanwhile shows both; leaving with edits asks."""
    page = tab.page
    tab.go("/records/public/Artwork?open=rex-2")
    page.locator(".panel .facts dd", has_text="Rex two").first.wait_for()
    page.get_by_role("button", name="Edit the record").click()
    page.locator("textarea[aria-label=title]").fill("Rex mine")
    user.save([artwork("rex-2", 1999, "Rex theirs")])
    page.keyboard.press("Control+Enter")
    page.locator(".panel .warn-box", has_text="Rex theirs").wait_for()
    results.check("a conflict shows theirs and mine", page.locator(".panel fieldset").count() == 1 and "Rex mine" in page.locator(".panel fieldset").inner_text())
    found = tab.axe()
    results.check("a conflict: axe finds nothing", not found, found)
    page.get_by_role("button", name="Save what I chose").click()
    page.locator(".panel .facts dd", has_text="Rex mine").first.wait_for()
    saved = world.ask("database", "public/records/lookup", {"records": [{"recordName": "rex-2"}]})["records"][0]["fields"]
    results.check("what was chosen is saved, what was not touched is theirs", (saved["title"]["value"], saved["year"]["value"]) == ("Rex mine", 1999), saved)
    page.locator(".note-box button", has_text="Undo").last.click()
    page.locator(".note-box", has_text="Taken back").wait_for()
    saved = world.ask("database", "public/records/lookup", {"records": [{"recordName": "rex-2"}]})["records"][0]["fields"]
    results.check("undo sends the record before", saved["title"]["value"] == "Rex theirs", saved)


def ended(user, tab, results):
    """A session that ends under an edit: a dialog asks to sign in, and the edit is sent then."""
    page = tab.page
    tab.expected.append("answer 401|status of 401")
    page.get_by_role("button", name="Edit the record").click()
    page.locator("textarea[aria-label=title]").fill("Rex again")
    user.ask("auth", "signout", {"everywhere": True})
    page.keyboard.press("Control+Enter")
    page.locator("dialog", has_text="Who are you").wait_for()
    results.check("an ended session asks to sign in, over the edit", page.locator("textarea[aria-label=title]").input_value() == "Rex again")
    page.get_by_label("Name", exact=True).fill("rex")
    page.keyboard.press("Enter")
    page.locator(".panel .facts dd", has_text="Rex again").first.wait_for()
    results.check("and the edit is sent then", True)
