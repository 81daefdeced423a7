"""The operator's pages: a code becomes a session, each page is looked at, acts are done and on record, and what signs out ends."""
import json, urllib.request

from console_world import SIZES, Tab, artwork

PAGES = {
    "overview": "", "schema": "/schema", "promote": "/schema/promote", "stages": "/stages", "poison": "/poison", "log": "/log",
    "users": "/users", "credentials": "/credentials", "actions": "/actions", "settings": "/settings", "devices": "/devices/all",
    "subscriptions": "/subscriptions/all",
}
SEEN = {("light", "wide"), ("dark", "phone")}
HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe\u0007"


def operate(world, path, body=None):
    """Asks as the operator of the token file."""
    token = (world.data / "operator.token").read_text().strip()
    request = urllib.request.Request(f"{world.origin}/operator/1/{path}", data=json.dumps(body or {}).encode(),
                                     headers={"Authorization": f"Bearer {token}", "X-Fanfare-Console": "1"})
    return json.load(urllib.request.urlopen(request, timeout=60))


def sign_in(tab):
    """Opens an address with a code, as `fanfare console` prints it."""
    code = operate(tab.world, "codes")["code"]
    tab.page.goto(f"{tab.world.console}#code={code}")
    tab.page.locator(".bar .badge", has_text="operator").wait_for(state="attached")
    return code


def confirm(tab, button):
    """Presses the button of the open dialog, and waits until the dialog is gone."""
    tab.page.locator("dialog .dialog-foot").get_by_role("button", name=button, exact=True).click()


def prepare(world):
    alice = world.user("alice")
    alice.device("phone")
    alice.subscribe({"subscriptionID": "modern", "subscriptionType": "query", "firesOn": ["create"],
                     "query": {"recordType": "Artwork", "predicate": "year > 1900"}})
    alice.save([artwork("art-1", 1937)])
    world.user("carol")


def look(world, browser, results):
    for scheme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
            tab = Tab(world, context)
            code = sign_in(tab)
            history = tab.page.evaluate("JSON.stringify([location.href, document.title])")
            results.check("the code is out of the address", code not in history, history)
            for name, path in PAGES.items():
                tab.go(path)
                tab.page.locator(f"main .page-{path.strip('/').split('/')[0] or 'overview'} h1").wait_for()
                tab.settled()
                found = tab.axe() if (scheme, size) in SEEN else []
                results.check(f"operator, {name}, {scheme}, {size}: axe finds nothing", not found, found)
                wide = tab.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
                results.check(f"operator, {name}, {scheme}, {size}: nothing is wider than the window", wide[0] <= wide[1], wide)
                results.check(f"operator, {name}: no error is shown", not tab.page.locator(".bad-box").count())
            results.check(f"operator, {scheme}, {size}: nothing goes wrong on any page", not tab.wrong, tab.wrong[:5])
            context.close()


def acts(world, browser, results):
    """Makes a token with a hostile note, adds a field, blocks a user, deletes one; each act is on record."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    tab = Tab(world, context)
    page = tab.page
    sign_in(tab)

    tab.go("/credentials")
    page.get_by_role("button", name="New token").click()
    page.get_by_label("Note").fill(HOSTILE)
    confirm(tab, "Make")
    secret = page.locator("dialog pre").inner_text()
    results.check("the token is shown once", len(secret) == 64, secret)
    found = tab.axe()
    results.check("operator, the secret: axe finds nothing", not found, found)
    confirm(tab, "I have it")
    page.locator(".mark", has_text="[U+202E]").first.wait_for()
    results.check("the token is nowhere on the page", secret not in page.content())
    results.check("a hostile note is text", page.locator("main img").count() == 0)

    tab.go("/schema?type=Artwork")
    page.get_by_role("button", name="New field").click()
    page.get_by_label("Name").fill("place")
    confirm(tab, "Go on")
    confirm(tab, "Change it")
    page.get_by_role("rowheader", name="place").wait_for()
    schema = operate(world, f"{world.scope}/schema")
    fields = next(one["fields"] for one in schema["recordTypes"] if one["recordType"] == "Artwork")
    results.check("the field is in the schema", any(field["name"] == "place" for field in fields), fields)

    carol = world.user("carol")
    tab.go(f"/users?open={carol.record_name}")
    page.locator(".panel").get_by_role("button", name="Block", exact=True).click()
    confirm(tab, "Block")
    page.locator(".panel").get_by_role("button", name="Unblock").wait_for()
    blocked = operate(world, f"{world.scope}/users/lookup", {"user": carol.record_name})["user"]["isBlocked"]
    results.check("the user is blocked", blocked)
    page.locator(".panel").get_by_role("button", name="Delete …").click()
    page.locator("dialog").get_by_text("What would go").wait_for()
    confirm(tab, "Delete")
    results.check("a user is not deleted before the name is typed", page.locator("dialog input").get_attribute("aria-invalid") == "true")
    page.locator("dialog input").fill(carol.record_name)
    confirm(tab, "Delete")
    page.locator("dialog h2", has_text="What remains").wait_for()
    confirm(tab, "Close")
    users = operate(world, f"{world.scope}/users/list")["users"]
    results.check("the user is gone", all(user["userRecordName"] != carol.record_name for user in users), users)

    tab.go("/actions")
    page.locator(".grid-body .grid-row", has_text="users/delete").first.wait_for()
    shown = page.locator(".grid-body .grid-row").count()
    known = operate(world, f"{world.scope}/actions")["actions"]
    results.check("each act is on record, and shown", shown == len(known) and {"tokens/create", "schema/modify", "users/block", "users/delete"}
                  <= {one["act"] for one in known}, [shown, known])
    results.check("acts: nothing goes wrong", not tab.wrong, tab.wrong)
    ends(tab, results)
    context.close()


def environments(world, browser, results):
    """A page of another environment, with other voices, is drawn once and keeps what is chosen on it."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.clock.install()
    tab = Tab(world, context)
    page = tab.page
    sign_in(tab)
    tab.sign_in("alice")
    page.evaluate("hash => { location.hash = hash }", f"#/{world.dev['container']}/production/schema/promote")
    page.locator("main").get_by_role("button", name="All", exact=True).click()
    boxes = "[...document.querySelectorAll('main input[type=checkbox]')].map((one) => one.checked)"
    chosen = page.evaluate(boxes)
    # The page looks for other voices each 5 s.
    context.clock.fast_forward(6000)
    page.evaluate("fetch('/openapi.yaml').then((answer) => answer.text())")
    operate(world, f"{world.dev['container']}/production/schema/difference")
    kept = page.evaluate(boxes)
    results.check("what is chosen in another environment stays", all(chosen) and len(chosen) > 0 and kept == chosen, [chosen, kept])
    results.check("environments: nothing goes wrong", not tab.wrong, tab.wrong)
    context.close()


def ends(tab, results):
    """Signing out ends the session at the service, and a used code is refused."""
    page = tab.page
    token = page.evaluate("JSON.parse(sessionStorage.getItem('operator')).token")
    page.get_by_role("button", name="Voices").click()
    page.locator("[role=menuitem]", has_text="Sign out operator").click()
    page.locator("main").get_by_role("button", name="Sign in as an operator").wait_for()
    found = tab.axe()
    results.check("operator, denied: axe finds nothing", not found, found)
    tab.expected.append("401")
    status = page.evaluate("token => fetch('../operator/1/sessions/current', {method: 'POST', body: '{}', headers: {'X-Fanfare-Console': '1', "
                           "Authorization: `Bearer ${token}`}}).then((answer) => answer.status)", token)
    results.check("the session is good no more", status == 401, status)


def run(world, browser, results):
    prepare(world)
    look(world, browser, results)
    acts(world, browser, results)
    environments(world, browser, results)
