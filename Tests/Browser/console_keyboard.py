"""O1 by keyboard alone, in two tabs: sign in, find a record, edit, save, subscribe, see the notification, mark it as read, sign out."""
from console_world import Tab

SEEN = """(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return 'lost';
  const target = element.getAttribute('role') === 'grid' ? element.querySelector('.cell.at') : element;
  if (/^H[12]$/.test(element.tagName) || element.id === 'page') return 'seen';
  const style = getComputedStyle(target);
  return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 ? 'seen' : `no outline: ${element.outerHTML.slice(0, 200)}`;
})()"""
COUNT_MOUSE = "window.mouseEvents = 0; for (const name of ['mousedown', 'pointerdown']) addEventListener(name, () => { window.mouseEvents += 1; }, true);"


class Keys:
    """A tab that is used by keyboard; looks after each step whether the focus is seen."""

    def __init__(self, tab, results):
        self.tab, self.page, self.results = tab, tab.page, results

    def press(self, *names):
        for name in names:
            self.page.keyboard.press(name)

    def type(self, text):
        self.page.keyboard.type(text)

    def seen(self, step):
        found = self.page.evaluate(SEEN)
        self.results.check(f"by keyboard, {step}: the focus is seen", found == "seen", found)

    def reach(self, name, role="button"):
        """Goes to a control with Tab, as one has to without a mouse."""
        for _ in range(80):
            self.press("Tab")
            found = self.page.evaluate("(() => { const e = document.activeElement; return [e.getAttribute('aria-label') || e.textContent || '', e.getAttribute('role') || e.tagName.toLowerCase()]; })()")
            if name in found[0]:
                return self.seen(f"at {name}")
        self.results.check(f"by keyboard: {name} is reached with Tab", False)
        raise AssertionError(name)

    def goes(self, text):
        """To anything, by Ctrl K."""
        self.press("Control+k")
        self.page.locator("dialog.palette").wait_for()
        self.type(text)
        self.seen(f"going to {text}")
        self.press("Enter")
        self.page.locator("dialog.palette").wait_for(state="detached")


def signed_in(world, context, results, user):
    tab = Tab(world, context, COUNT_MOUSE)
    keys = Keys(tab, results)
    tab.open()
    keys.reach("Voices")
    keys.press("Enter")
    tab.page.locator(".menu").wait_for()
    keys.seen("in the menu of voices")
    keys.press("Enter")
    tab.page.locator("dialog").wait_for()
    keys.seen("in the sign-in")
    keys.press("Control+a")
    keys.type(user)
    keys.press("Enter")
    tab.page.locator(".who", has_text=user).wait_for()
    tab.settled()
    return keys


def walk(world, browser, results):
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    keys = signed_in(world, context, results, "kate")
    page = keys.page
    keys.press("g", "d")
    page.locator("main .page-devices").wait_for()
    keys.tab.settled()
    keys.press("n")
    page.locator("dialog").wait_for()
    keys.type("kates-phone")
    keys.seen("registering a device")
    keys.press("Enter")
    page.locator("h2", has_text="kates-phone").wait_for()

    # A record is made, found and edited.
    keys.goes("Painting")
    page.locator("main .page-records").wait_for()
    keys.press("n")
    page.locator(".panel textarea, .panel input").first.wait_for()
    page.keyboard.type("p-1")
    for name, value in (("title", "Red"), ("year", "1890")):
        focus(keys, "Name of a new field")
        keys.type(name)
        keys.press("Tab")
        if name == "year":
            keys.type("int64")
        keys.press("Tab", "Enter")
        page.locator(f".field textarea[aria-label={name}], .field input[aria-label={name}]").wait_for()
        keys.seen(f"in the new field {name}")
        keys.type(value)
    keys.press("Control+Enter")
    page.locator(".panel .facts dd", has_text="Red").first.wait_for()
    keys.seen("after saving")

    # A subscription, from the record type.
    keys.press("Escape")
    keys.press("g", "s")
    page.locator("main .page-subscriptions").wait_for()
    keys.tab.settled()
    keys.press("n")
    page.locator(".panel").wait_for()
    keys.type("Painting")
    focus(keys, "Predicate")
    keys.type("year > 1900")
    page.locator(".panel", has_text="latest changes").wait_for()
    keys.press("Control+Enter")
    page.locator("main .grid-row", has_text="year > 1900").wait_for()

    # The record is edited; a second tab is the phone.
    watcher = signed_in(world, context, results, "kate")
    watcher.goes("kates-phone")
    watcher.page.locator(".live-sign.live").wait_for()
    keys.press("Escape")
    keys.goes("Painting")
    page.locator(".grid-body .grid-row", has_text="p-1").wait_for()
    focus(keys, "Records of Painting")
    keys.press("e")
    page.locator(".field input[aria-label=year]").wait_for()
    focus(keys, "year")
    keys.press("Control+a")
    keys.type("1950")
    keys.press("Control+Enter")
    page.locator(".panel .facts dd", has_text="1950").first.wait_for()
    watcher.page.locator(".grid-body .grid-row", has_text="p-1").wait_for()
    results.check("the change of one tab is a notification in the other", True)
    focus(watcher, "Feed of kates-phone")
    watcher.seen("in the feed")
    watcher.press("m")
    watcher.page.locator(".grid-body .grid-row", has_text="✓ read").first.wait_for()
    watcher.press("Enter")
    watcher.page.locator(".panel .phone-note").wait_for()
    watcher.seen("in a notification")
    watcher.press("Escape")
    watcher.page.locator(".panel").wait_for(state="hidden")
    watcher.seen("after closing it")
    watcher.press("?")
    watcher.page.locator("dialog", has_text="Keys").wait_for()
    watcher.press("Escape")

    # Leaving with edits asks.
    focus(keys, "Edit the record")
    keys.press("Enter")
    focus(keys, "title")
    keys.type("der")
    keys.press("Escape")
    page.locator("dialog", has_text="Leave the edits?").wait_for()
    results.check("Esc with edits asks", True)
    keys.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    results.check("and keeps them", page.locator(".field textarea[aria-label=title]").input_value() == "Redder", page.locator(".field textarea[aria-label=title]").input_value())
    keys.press("Control+Enter")
    page.locator(".panel .facts dd", has_text="Redder").first.wait_for()

    focus(keys, "Voices")
    keys.press("Enter", "End", "ArrowUp", "Enter")
    page.locator(".face.nobody").wait_for()
    results.check("signing out ends the session", True)
    for one in (keys, watcher):
        results.check("no mouse was used", one.page.evaluate("window.mouseEvents") == 0)
        results.check("by keyboard: nothing goes wrong", not one.tab.wrong, one.tab.wrong)
    context.close()


def focus(keys, name):
    """Goes to a control by its name, with Tab."""
    for _ in range(120):
        found = keys.page.evaluate("(() => { const e = document.activeElement; return e.getAttribute('aria-label') || e.closest('label')?.textContent || e.textContent || ''; })()")
        if found.startswith(name):
            return keys.seen(f"at {name}")
        keys.press("Tab")
    raise AssertionError(f"{name} is not reached with Tab")
