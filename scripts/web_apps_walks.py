"""The walks of scripts/web-apps: the steps of a user in each app. `world.check` counts them."""
import glob
import re

from playwright.sync_api import TimeoutError


def sign_in(page, name, button="#apple-sign-in-button button"):
    """Signs in by name, in the window that the app's button opens."""
    with page.expect_popup() as opened:
        page.click(button)
    window = opened.value
    window.fill("input[name=user]", name)
    with window.expect_event("close"):
        window.click("text=Sign in by name")


def holds(world, what, page, expression, argument=None):
    """Waits until an expression of the page is true."""
    try:
        page.wait_for_function(expression, arg=argument, timeout=45_000)
        world.check(what, True)
    except TimeoutError:
        world.check(what, False, page.inner_text("body")[-300:])


# MARK: Apple's CloudKit Catalog

IS_DONE = """() => document.querySelector('#dialog').classList.contains('hide')
  || document.querySelector('#dialog-text .actions')"""
IS_CHOSEN = """(sample) =>
  document.querySelector('.page-segment.selected pre')?.textContent.includes(`function ${sample}(`)"""
IS_LOADED = "() => typeof CloudKit !== 'undefined' && document.querySelector('#username').textContent"
IS_OPEN = "(tab) => document.querySelector('#page pre') && location.hash === `#${tab}`"
SHOWS_USER = "(name) => document.querySelector('#username').textContent.includes(name)"


class Catalog:
    """The catalog's page: one sample is chosen in the menu, filled in, and run by the button."""

    def __init__(self, world, page, tabs):
        self.world, self.page = world, page
        # Which tab a sample is in, and its place there.
        self.places = {sample: (tab, index) for tab, samples in tabs.items() for index, sample in enumerate(samples)}
        page.goto(world.address)
        page.wait_for_function(IS_LOADED)

    def choose(self, sample):
        tab, index = self.places[sample]
        self.page.evaluate("(tab) => { location.hash = tab; }", tab)
        self.page.wait_for_function(IS_OPEN, arg=tab)
        items = self.page.locator(f".menu-item-container.{tab} .tab-menu-item")
        if items.count():
            items.nth(index).evaluate("(item) => item.click()")
        self.page.wait_for_function(IS_CHOSEN, arg=sample)

    def fill(self, fields):
        for name, value in fields.items():
            field = self.page.locator(f".page-segment.selected [name='{name.replace('_', '-')}']")
            if name == "asset":
                field.set_input_files(value)
            elif isinstance(value, bool):
                field.evaluate("(field, wanted) => { if (field.checked !== wanted) field.click(); }", value)
            elif field.evaluate("(field) => field.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)

    def run(self, sample, expected, what=None, **fields):
        """Runs a sample whose result has to match a pattern; an error begins with `Error`. Returns the result."""
        self.choose(sample)
        self.fill(fields)
        self.page.click("#run-button")
        self.page.wait_for_function(IS_DONE)
        if self.page.locator("#dialog.hide").count() == 0:
            text = self.page.inner_text("#dialog-text")
            self.page.click("#dialog-text .actions button")
        else:
            text = self.page.inner_text(".page-segment.selected .content")
        self.world.check(sample + (f", {what}" if what else ""), re.search(expected, text, re.S), repr(text[:400]))
        return text


TABS = {
    "authentication": ["demoSetUpAuth"], "discoverability": ["demoFetchCurrentUserIdentity"],
    "public-query": ["demoPerformQuery"],
    "private-zones": ["demoSaveRecordZones", "demoDeleteRecordZones", "demoFetchRecordZones",
                      "demoFetchAllRecordZones"],
    "private-records": ["demoSaveRecords", "demoDeleteRecords", "demoFetchRecords"],
    "private-sync": ["demoFetchChangedRecords"],
    "private-subscriptions": ["demoSaveSubscription", "demoDeleteSubscription", "demoFetchSubscription",
                              "demoFetchAllSubscriptions"],
    "notifications": ["demoRegisterForNotifications"],
}
# Rows of subscriptions: those of both kinds, or one of either kind alone.
ROW = r"[0-9a-f]{12}\t%s\t"
BOTH = f"{ROW % 'zone'}.*{ROW % 'query'}|{ROW % 'query'}.*{ROW % 'zone'}"
ONE = rf"\A(?!.*{ROW % 'zone'}.*{ROW % 'query'})(?!.*{ROW % 'query'}.*{ROW % 'zone'}).*{ROW % '(zone|query)'}"
PICTURE = {"name": "picture.png", "mimeType": "image/png", "buffer": b"not a picture"}


def catalog(world, page):
    """Every sample of the catalog, in an order in which each has something to show."""
    place = {"latitude": 37.3, "longitude": -122.0}
    world.save("public", [{"recordType": "Items", "recordName": name, "fields": {
        "name": {"value": name}, "location": {"value": {**place, "latitude": place["latitude"] + distance}}}}
        for name, distance in (("Far away", 20), ("Nearby", 0.1))], "somebody")
    samples = Catalog(world, page, TABS)
    world.check("without a user, the page says so", "Unauthenticated" in page.inner_text("#username"))
    samples.run("demoSetUpAuth", "Unauthenticated")
    sign_in(page, "ada", "#page #apple-sign-in-button button")
    holds(world, "whenUserSignsIn: the page shows the user", page, SHOWS_USER, "ada")
    page.reload()
    page.wait_for_function(SHOWS_USER, arg="ada")
    samples.run("demoSetUpAuth", "ada.*Sign out", "after the page was loaded again")
    samples.run("demoFetchCurrentUserIdentity", "UserIdentity for current discoverable user")
    samples.run("demoPerformQuery", "Found 2 matching items.*Nearby.*Far away")
    samples.run("demoSaveRecordZones", "myCustomZone")
    samples.run("demoFetchRecordZones", "myCustomZone.*syncToken")
    samples.run("demoFetchAllRecordZones", "_defaultZone.*myCustomZone|myCustomZone.*_defaultZone")
    samples.run("demoFetchRecordZones", "Error: ZONE_NOT_FOUND", "a zone that is absent", name="elsewhere")
    saved = samples.run("demoSaveRecords", r"recordName\s+item.*name\s+New Item.*latitude:\s*37.*asset\s+\S",
                        "with a file", record_id="item", asset=PICTURE)
    tag = re.search(r"recordChangeTag\s+(\S+)", saved)
    samples.run("demoFetchRecords", r"recordName\s+item.*recordType\s+Items", record_id="item")
    samples.run("demoSaveRecords", "name\\s+Changed", "of an existing one", record_id="item", name="Changed",
                change_tag=tag and tag[1] or "")
    samples.run("demoSaveRecords", "Error: CONFLICT", "with a stale change tag", record_id="item", name="Late",
                change_tag=tag and tag[1] or "")
    samples.run("demoDeleteRecords", r"recordName\s+item.*deleted\s+true", record_id="item")
    samples.run("demoFetchRecords", "Error: NOT_FOUND", "of a deleted one", record_id="item")
    for count in range(5):
        samples.run("demoSaveRecords", r"recordType\s+Items", f"in a zone, {count}", record_id=f"item-{count}",
                    zone="myCustomZone", change_tag="", asset=[])
    samples.run("demoFetchChangedRecords", r"Records \(incomplete\).*item-0.*item-2")
    samples.run("demoFetchChangedRecords", "item-0.*item-4", "goes on with the token")
    samples.run("demoSaveSubscription", "subscriptionType\\s+zone.*myCustomZone", "of a zone", type="zone")
    samples.run("demoSaveSubscription", "subscriptionType\\s+query.*BEGINS_WITH", "of a query", type="query",
                filter_by=True)
    samples.run("demoFetchAllSubscriptions", BOTH)
    samples.run("demoFetchSubscription", "Fetched subscription.*subscriptionID")
    samples.run("demoDeleteSubscription", "Deleted subscription.*subscriptionID")
    samples.run("demoFetchAllSubscriptions", ONE, "after one was deleted")
    samples.run("demoRegisterForNotifications", "Notifications")
    world.check("the menu says that notifications are connected", page.inner_text("#connected-text") == "Connected",
                page.inner_text("#connected-text"))
    world.save("private", [{"recordType": "Items", "recordName": "new", "fields": {"name": {"value": "New one"}}}],
               "ada", "myCustomZone")
    holds(world, "a notification is shown", page,
          "() => document.querySelector('#page tbody td:not(.light)')?.textContent.length > 10")
    samples.choose("demoSetUpAuth")
    page.click("#page #apple-sign-out-button button")
    holds(world, "whenUserSignsOut: the page shows that nobody is signed in", page,
          SHOWS_USER, "Unauthenticated")


TABS_2015 = {
    "authentication": ["demoSetUpAuth"],
    "discoverability": ["demoFetchUserInfo", "demoDiscoverAllContactUserInfos", "demoDiscoverUserInfoWithEmailAddress",
                        "demoDiscoverUserInfoWithUserRecordName"],
    "public-query": ["demoPerformQuery"],
    "private-zones": ["demoSaveRecordZone", "demoDeleteRecordZone", "demoFetchRecordZone", "demoFetchAllRecordZones"],
    "private-records": ["demoSaveRecord", "demoDeleteRecord", "demoFetchRecord"],
    "private-sync": ["demoFetchChangedRecords"],
    "private-subscriptions": ["demoSaveSubscription", "demoDeleteSubscription", "demoFetchSubscription",
                              "demoFetchAllSubscriptions"],
    "notifications": ["demoRegisterForNotifications"],
}


def catalog_2015(world, page):
    """The samples of CloudKit JS 1, with its names: one record, zone, user or subscription at a time."""
    # This copy's query is for comments of one post.
    world.save("public", [{"recordType": "Comments", "fields": {
        "content": {"value": "A comment"},
        "post": {"value": {"recordName": "8bf8519b-d9f2-46a4-a37d-3d230bf26ae4", "action": "NONE"}}}}], "somebody")
    world.ask("public/users/discoverable", {"isDiscoverable": True}, "ada@example.com")
    samples = Catalog(world, page, TABS_2015)
    samples.run("demoSetUpAuth", "Unauthenticated")
    sign_in(page, "ada@example.com", "#page #apple-sign-in-button button")
    holds(world, "whenUserSignsIn: the page shows the user", page,
          SHOWS_USER, "ada")
    found = samples.run("demoFetchUserInfo", r"UserInfo for current .*userRecordName\s+_")
    samples.run("demoDiscoverAllContactUserInfos", "ada")
    samples.run("demoDiscoverUserInfoWithEmailAddress", "ada.*ada@example.com", email="ada@example.com")
    name = re.search(r"userRecordName\s+(\S+)", found)
    samples.run("demoDiscoverUserInfoWithUserRecordName", "ada", record_name=name and name[1] or "")
    samples.run("demoPerformQuery", "Found 1 matching item")
    samples.run("demoSaveRecordZone", "myCustomZone")
    samples.run("demoFetchRecordZone", "myCustomZone")
    samples.run("demoFetchAllRecordZones", "myCustomZone")
    samples.run("demoSaveRecord", r"recordName\s+item.*asset", "in a zone, with a file", record_id="item",
                zone="myCustomZone", asset=PICTURE)
    samples.run("demoFetchRecord", r"recordName\s+item.*recordType\s+Items", record_id="item", zone="myCustomZone")
    samples.run("demoFetchRecord", "Error: NOT_FOUND", "that is in another zone", record_id="item", zone="_defaultZone")
    samples.run("demoFetchChangedRecords", r"\titem\t|item\tItems")
    samples.run("demoDeleteRecord", r"recordName\s+item.*deleted\s+true", record_id="item", zone="myCustomZone")
    samples.run("demoSaveSubscription", r"\tzone\t", "of a zone", type="zone")
    samples.run("demoSaveSubscription", r"\tquery\t", "of a query", type="query")
    samples.run("demoFetchAllSubscriptions", BOTH)
    samples.run("demoFetchSubscription", r"\t(zone|query)\t")
    samples.run("demoDeleteSubscription", "Deleted subscription")
    samples.run("demoRegisterForNotifications", "Notifications")
    world.check("the menu says that notifications are connected", page.inner_text("#connected-text") == "Connected",
                page.inner_text("#connected-text"))
    samples.run("demoDeleteRecordZone", "myCustomZone")


# MARK: The listings of Apple's CloudKit JS reference

# Runs a listing as a script of the page, and waits for its promise. Returns the text of an error, if any.
RUN = """async (text) => {
  try { await (0, eval)(text); return null; } catch (error) { return `${error.ckErrorCode ?? ''} ${error.message}`; }
}"""
# Runs one that waits for a user: `self.happened` has its number when its promise resolves.
BEGIN = """([text, number]) => { (0, eval)(text).then(() => (self.happened ??= []).push(number)); }"""
# The listings use these variables without declaring them.
PREPARE = """async () => {
  self.myContainer = self.container = CloudKit.getDefaultContainer();
  self.database = self.myDatabase = myContainer.privateCloudDatabase;
  self.someRecord = {recordType: 'Artwork', recordName: 'first'};
  await database.saveRecordZones('publicArtwork');
  const {records} = await database.saveRecords([{recordType: 'Artwork', recordName: 'second'},
    {recordType: 'Artwork', recordName: 'third'}]);
  [self.someOtherRecord, self.aThirdRecord] = records;
}"""
REFERENCE_PAGE = """<!doctype html><title>reference</title>
<div id="apple-sign-in-button"></div><div id="apple-sign-out-button"></div>
<script src="%s/fanfare/cloudkit.js"></script>"""
# The listings in the order of an app: it configures, signs in, saves, and asks.
LISTINGS = ["cloudkit-configure", "cloudkit.database", "container-setupauth", "container-whenusersignsin",
            "container-whenusersignsout", "database-saverecords", "database-fetchrecords", "database-performquery",
            "database-fetchdatabasechanges", "database-savesubscriptions", "container-discoveralluseridentities",
            "recordsbatchbuilder"]
# Pieces of a listing, or a placeholder: no scripts.
PIECES = ("// …", "__'__image__'__", "assetURL.replace")


def listings(folder, name):
    """The listings of a page of the reference, without its declarations."""
    with open(glob.glob(f"{folder}/*js-{name}.md")[0] if name.startswith("cloudkit") else
              glob.glob(f"{folder}/*js-cloudkit.{name}.md")[0], encoding="utf-8") as file:
        blocks = re.findall(r"^``` ?(\w*)\n(.*?)^```", file.read(), re.S | re.M)
    return [text for kind, text in blocks
            if kind != "source" and text.strip() and not any(piece in text for piece in PIECES)]


def reference(world, page):
    """Each listing that is a whole script, with a container and a token."""
    page.goto(world.address)
    page.wait_for_function("() => typeof CloudKit !== 'undefined'")
    for name in LISTINGS:
        for number, text in enumerate(listings(world.folder, name), 1):
            text = re.sub(r"'\[insert your container ID here\]'", f"'{world.app.container}'", text)
            text = re.sub(r"'\[insert your API token[^']*'", f"'{world.token}'", text)
            text = text.replace("// ...", f"containerIdentifier: '{world.app.container}',")
            if name.startswith("container-whenuser"):
                page.evaluate(BEGIN, [text, name])
                continue
            error = page.evaluate(RUN, text)
            world.check(f"{name}, listing {number}", error is None, error)
        if name == "container-setupauth":
            page.evaluate("() => { self.myContainer = CloudKit.getDefaultContainer(); }")
        if name == "container-whenusersignsin":
            sign_in(page, "ada")
            holds(world, name, page, "(name) => self.happened?.includes(name)", name)
            page.evaluate(PREPARE)
    page.click("#apple-sign-out-button button")
    name = "container-whenusersignsout"
    holds(world, name, page, "(name) => self.happened.includes(name)", name)


# MARK: Notes, of iOS 9 day by day

def notes(world, page):
    """Public notes with Knockout: anybody reads them, a user writes them."""
    world.save("public", [{"recordType": "CloudNote", "fields": {
        "title": {"value": "First"}, "content": {"value": "By another user"}}}], "somebody")
    page.goto(world.address)
    holds(world, "setUpAuth, performQuery: without a user the notes are shown", page,
          "() => document.body.innerText.includes('By another user')")
    world.check("and no form", page.locator("form").is_hidden())
    sign_in(page, "ada")
    holds(world, "whenUserSignsIn: the user is shown", page,
          "() => /User record name: _/.test(document.querySelector('.page-header span').textContent)")
    world.check("and the form", page.locator("form").is_visible())
    page.fill("input[placeholder=Title]", "Second")
    page.fill("input[placeholder=Content]", "By ada")
    page.click("text=Save Note")
    holds(world, "saveRecord: a new note is shown", page, "() => document.body.innerText.includes('By ada')")
    page.reload()
    holds(world, "performQuery: and after the page was loaded again", page,
          "() => document.body.innerText.includes('By ada')")


# MARK: Anchor Watch, of High Hill Bits

# MapKit JS is Apple's: this keeps the shapes that the app draws.
MAPKIT = """
self.shapes = [];
const shape = (kind) => class { constructor(...points) { Object.assign(this, {kind, points}); } };
self.mapkit = {
  init() {}, Style: class {}, Coordinate: class { constructor(...place) { this.place = place; } },
  CircleOverlay: shape('circle'), PolygonOverlay: shape('polygon'), PolylineOverlay: shape('line'),
  Map: class {
    overlays = [];
    addOverlay(overlay) { self.shapes.push(overlay); }
    removeOverlay(overlay) { self.shapes.splice(self.shapes.indexOf(overlay), 1); }
  },
};
"""
ZONE = "com.apple.coredata.cloudkit.zone"
TRACK = "(count) => self.shapes.some(({kind, points}) => kind === 'line' && points[0].length === count)"


def anchor(world, page):
    """A page that shows what a user's boat saved: a zone of Core Data, polled."""
    def boat(*records):
        world.save("private", records, "ada", ZONE)

    def spot(count):
        return {"recordType": "CD_VesselLocation", "recordName": f"spot-{count}", "fields": {
            "CD_anchorLocation": {"value": "alarm"}, "CD_latitude": {"value": 59 + count / 1e4},
            "CD_longitude": {"value": 10.5}, "CD_timestamp": {"value": 1_700_000_000_000 + count, "type": "TIMESTAMP"}}}
    alarm = {"recordType": "CD_AnchorLocation", "recordName": "alarm", "fields": {
        "CD_name": {"value": "Bay"}, "CD_statusRaw": {"value": "active"}, "CD_modeRaw": {"value": "simple"},
        "CD_latitude": {"value": 59.5}, "CD_longitude": {"value": 10.5}, "CD_distance": {"value": 40.5},
        "CD_bigDistance": {"value": 60.5}, "CD_timestamp": {"value": 1_700_000_000_000, "type": "TIMESTAMP"}}}
    world.ask("private/zones/modify", {"operations": [
        {"operationType": "create", "zone": {"zoneID": {"zoneName": ZONE}}}]}, "ada")
    page.add_init_script(MAPKIT)
    page.goto(world.address)
    page.click("#acknowledge-button")
    sign_in(page, "ada")
    holds(world, "whenUserSignsIn, performQuery: there is no alarm yet", page,
          "() => document.body.innerText.includes('No active alarm')")
    boat(alarm, spot(1), spot(2))
    holds(world, "performQuery: the alarm of the boat is drawn", page,
          "() => self.shapes.filter(({kind}) => kind === 'circle').length >= 2")
    holds(world, "performQuery with a filter and an order: and its way", page, TRACK, 2)
    boat(spot(3))
    holds(world, "and where it went since", page, TRACK, 3)
    holds(world, "the time of the last place is shown", page,
          "() => document.querySelector('#last-update').textContent.includes('2023')")
    page.click("#apple-sign-out-button button")
    holds(world, "whenUserSignsOut: the map is gone", page, "() => !document.querySelector('map-view')")
