"""Each page in both schemes and three sizes: nothing goes wrong, axe finds nothing, and a picture is kept."""
import os

import console_static
from console_world import SIZES, Tab, artwork

PAGES = {
    "overview": "", "types": "/records/public", "records": "/records/public/Artwork", "record": "/records/public/Artwork?open=art-1", "empty": "/records/public/Artwork?where=year%20%3E%203000",
    "zones": "/zones/private", "sharing": "/sharing", "subscriptions": "/subscriptions", "subscription": "/subscriptions?open=modern", "subscribe": "/subscriptions?new=1&type=Artwork&where=year%20%3E%201900",
    "devices": "/devices", "feeds": "/feed", "feed": "/feed/phone", "play": "/play", "gone": "/nothing",
}

# Where axe looks in the short form.
SEEN = {("light", "wide"), ("dark", "phone")}


def prepare(world):
    """A user with records, zones, a share, subscriptions, devices and notifications."""
    alice, bob = world.user("alice"), world.user("bob")
    alice.device("phone")
    alice.device("laptop")
    alice.subscribe({"subscriptionID": "modern", "subscriptionType": "query", "firesOn": ["create", "update"], "query": {"recordType": "Artwork", "predicate": "year > 1900"},
                     "notificationInfo": {"title": "Gallery", "alertBody": "A modern artwork", "additionalFields": ["title", "year"], "shouldBadge": True}})
    alice.save([artwork(f"art-{number}", 1850 + number) for number in range(120)], client="laptop")
    alice.ask("database", "private/zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Notes"}}}]})
    alice.save([{"recordName": "note-1", "recordType": "Note", "fields": {"text": {"value": "Hello"}}},
                {"recordName": "share-1", "recordType": "cloudkit.share", "forRecord": {"recordName": "note-1"}, "publicPermission": "NONE", "fields": {"cloudkit.title": {"value": "My note"}},
                 "participants": [{"userIdentity": {"userRecordName": bob.record_name}, "permission": "READ_WRITE"}]}], "private", kind="create", zone="Notes")
    while len(alice.ask("device", "notifications/changes", {"deviceID": "phone", "waitSeconds": 5})["notifications"]) < 60:
        pass
    return alice


def menus(tab, results, where):
    """Dialogs and menus, opened one after the other: axe finds nothing in them."""
    page = tab.page
    for name, open_it in {
            "scope menu": lambda: page.get_by_role("button", name="Container").click(), "voices menu": lambda: page.get_by_role("button", name="Voices").click(), "looks menu": lambda: page.get_by_role("button", name="Looks and keys").click(),
            "palette": lambda: page.keyboard.press("Control+k"), "keys": lambda: page.keyboard.press("?")}.items():
        page.locator("main").focus()
        open_it()
        page.locator(".menu, dialog").first.wait_for()
        found = tab.axe()
        results.check(f"{where}: axe finds nothing in the {name}", not found, found)
        page.keyboard.press("Escape")
        page.locator(".menu, dialog").first.wait_for(state="detached")


def walk(world, browser, results, pictures=None, shown=("records", "feed", "play", "overview"), long=False):
    """axe looks at each page in both schemes; in all three sizes in the long form alone."""
    for scheme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
            tab = Tab(world, context)
            tab.open()
            loaded = tab.page.evaluate("performance.getEntriesByType('resource').map((one) => one.name.split('/').slice(5).join('/'))")
            # A browser asks for the icon when it likes.
            others = (set(loaded) ^ set(console_static.first_page())) - {"", "index.html", "icon.svg"}
            results.check("the first page loads its own files alone", not others, sorted(others))
            results.check("a page for nobody offers to sign in", tab.page.get_by_role("button", name="Sign in").first.is_visible())
            found = tab.axe()
            results.check(f"signed out, {scheme}, {size}: axe finds nothing", not found, found)
            tab.sign_in("alice")
            for name, path in PAGES.items():
                tab.go(path)
                tab.page.locator(f"main .page-{path.strip('/').split('/')[0].split('?')[0] or 'overview'}" if name != "gone" else "main .page-gone").wait_for()
                tab.settled()
                if name in ("records", "feed"):
                    tab.page.locator(".grid-body .grid-row").first.wait_for()
                if name in ("record", "subscription", "subscribe"):
                    tab.page.locator(".panel .facts, .panel .labelled").first.wait_for()
                found = tab.axe() if long or (scheme, size) in SEEN else []
                results.check(f"{name}, {scheme}, {size}: axe finds nothing", not found, found)
                wide = tab.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
                results.check(f"{name}, {scheme}, {size}: nothing is wider than the window", wide[0] <= wide[1], wide)
                title = tab.page.title()
                results.check(f"{name}: its title ends with the service's name", title.endswith("Fanfare") and tab.page.locator("h1").count() == 1, title)
                if pictures and size == "wide" and name in shown:
                    picture(tab, results, f"{pictures}/console-{name}-{scheme}.png", (width, height))
            tab.go("")
            tab.settled()
            if long or size == "wide":
                menus(tab, results, f"{scheme}, {size}")
            results.check(f"{scheme}, {size}: nothing goes wrong on any page", not tab.wrong, tab.wrong[:5])
            context.close()
    production(world, browser, results)
    first_steps(world, browser, results)
    operators(world, browser, results)


def first_steps(world, browser, results):
    """Story O1: somebody new does the three steps of the overview, and sees a notification; the playground says why one device gets none."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    tab = Tab(world, context)
    page = tab.open()
    tab.sign_in("newcomer")
    for step in ("Register laptop and phone", "Subscribe to year > 1900", "Save an artwork"):
        page.get_by_role("button", name=step).click()
        if step != "Save an artwork":
            page.locator(".step.done", has_text="done").nth(0 if "Register" in step else 1).wait_for()
    page.locator("main .page-feed .grid-body .grid-row", has_text="try-").wait_for()
    results.check("three steps lead to a notification", "newcomer-phone" in page.locator("h1").inner_text(), page.locator("h1").inner_text())
    tab.go("")
    page.locator(".step.done").nth(2).wait_for()
    tab.go("/play")
    page.locator(".phone-note").first.wait_for()
    page.get_by_role("button", name="Save on laptop").click()
    page.locator(".way .good", has_text="newcomer-phone is notified").wait_for()
    results.check("the half that made the change says why it gets none", "gets no notification" in page.locator(".half .why").first.inner_text())
    heard = world.user("newcomer").ask("device", "notifications/changes", {"deviceID": "newcomer-laptop"})["notifications"]
    results.check("and it has none", not heard, heard)
    results.check("first steps: nothing goes wrong", not tab.wrong, tab.wrong)
    context.close()


def operators(world, browser, results):
    """The pages of operators, as far as the service has their routes: opened by the code of the address that dev prints."""
    session = None
    for scheme, size in sorted(SEEN):
        context = browser.new_context(viewport=dict(zip(("width", "height"), SIZES[size])), color_scheme=scheme, reduced_motion="reduce")
        tab = Tab(world, context, session and f"for (const [name, value] of Object.entries({session})) sessionStorage.setItem(name, value);")
        tab.page.goto(world.console + ("" if session else f"#code={world.code}"))
        tab.page.locator("main h1").wait_for()
        if not session:
            results.check("the code is taken out of the address", "code=" not in tab.page.url, tab.page.url)
            results.check("the code signs an operator in", tab.page.evaluate("sessionStorage.getItem('operator')") is not None)
            tab.sign_in("alice")
            session = tab.page.evaluate("JSON.stringify({...sessionStorage})")
        for address in tab.page.evaluate("[...document.querySelectorAll('nav a')].filter((one) => one.querySelector('.needs')).map((one) => one.hash)"):
            tab.shows(address)
            found = tab.axe()
            results.check(f"{address}, {scheme}, {size}: axe finds nothing", not found, found)
            bad = tab.page.locator("main .bad-box").all_inner_texts()
            results.check(f"{address}, {scheme}, {size}: no error is shown", not bad, bad)
            wide = tab.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            results.check(f"{address}, {scheme}, {size}: nothing is wider than the window", wide[0] <= wide[1], wide)
        results.check(f"operators, {scheme}, {size}: nothing goes wrong", not tab.wrong, tab.wrong[:5])
        context.close()


def picture(tab, results, path, size):
    """A picture for docs/console.md, small enough for a repository."""
    tab.page.set_viewport_size({"width": 1000, "height": 520})
    tab.page.locator("main h1").wait_for()
    tab.page.screenshot(path=path, animations="disabled")
    tab.page.set_viewport_size({"width": size[0], "height": size[1]})
    results.check(f"{path} has at most 120 KB", os.path.getsize(path) < 120000, os.path.getsize(path))


def production(world, browser, results):
    """Production looks different, is locked, and has no sign-in by name."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    tab = Tab(world, context)
    tab.page.goto(f"{world.console}#/{world.dev['container']}/production")
    page = tab.page
    page.locator(".bar .button", has_text="unlock for 15 minutes").wait_for()
    results.check("production has its colour", page.evaluate("getComputedStyle(document.querySelector('.bar')).backgroundColor") == "rgb(138, 28, 95)")
    found = tab.axe()
    results.check("production: axe finds nothing", not found, found)
    page.evaluate("hash => { location.hash = hash }", f"#/{world.dev['container']}/production/records/public")
    page.get_by_role("button", name="New record").wait_for()
    results.check("nothing can be made in locked production", page.get_by_role("button", name="New record").is_disabled())
    page.locator(".bar .button", has_text="unlock for 15 minutes").click()
    page.locator(".bar .button", has_text="unlocked until").wait_for()
    # The page is drawn again after the bar.
    page.get_by_role("button", name="New record", disabled=False).wait_for()
    results.check("production: nothing goes wrong", not tab.wrong, tab.wrong)
    context.close()
