"""What the console may take: the first row, all rows, scrolling, a save until it is drawn, many notifications at once."""
import time
from console_world import Tab, artwork, quantile

FIRST_ROW = """new MutationObserver((_, watcher) => {
  const cell = document.querySelector('.grid-body .grid-row .cell.first');
  if (cell && cell.textContent) { window.firstRow = performance.now(); watcher.disconnect(); }
}).observe(document, {childList: true, subtree: true});"""
COUNTS = """window.drawn = [];
new MutationObserver((changes) => { for (const change of changes) if (change.attributeName === 'aria-rowcount' && change.target.getAttribute('aria-rowcount') !== '-1') window.drawn.push([Number(change.target.getAttribute('aria-rowcount')) - 1, performance.timeOrigin + performance.now()]); })
  .observe(document, {attributes: true, subtree: true, attributeFilter: ['aria-rowcount']});
window.long = [];
new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.long.push(entry.duration); }).observe({type: 'longtask', buffered: true});"""
SCROLL = """async (frames) => {
  const grid = document.querySelector('.grid');
  const step = grid.scrollHeight / frames;
  const times = [];
  let most = 0;
  window.long.length = 0;
  await new Promise((resolve) => {
    let last = performance.now();
    let count = 0;
    const frame = (now) => {
      times.push(now - last);
      last = now;
      grid.scrollTop += step;
      if (count % 30 === 0) most = Math.max(most, document.getElementsByTagName('*').length);
      if (++count < frames) requestAnimationFrame(frame); else resolve();
    };
    requestAnimationFrame(frame);
  });
  window.gc?.();
  return {times: times.slice(2), most, long: window.long.filter((one) => one > 50), heap: performance.memory.usedJSHeapSize / 1048576};
}"""


def rows(world, browser, results, runs=20):
    """10,000 records: the first row, all of them, scrolling from end to end."""
    user = world.user("rita")
    count = len(world.ask("database", "public/records/query", {"query": {"recordType": "Big", "predicate": "number > 9998"}}).get("records", []))
    if not count:
        user.save([{"recordName": f"big-{number}", "recordType": "Big", "fields": {
            "title": {"value": f"The title of number {number}"}, "number": {"value": number}, "artist": {"value": f"Artist {number % 97}"}, "medium": {"value": "Oil paint on canvas"},
            "year": {"value": 1500 + number % 520}, "when": {"value": 1700000000000 + number, "type": "TIMESTAMP"}}} for number in range(10000)])
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    times = []
    tab = Tab(world, context, FIRST_ROW + COUNTS)
    for _ in range(runs + 2):
        tab.page.goto("about:blank")
        tab.page.goto(world.page("/records/public/Big"))
        tab.page.locator(".grid-body .grid-row").first.wait_for()
        times.append(tab.page.evaluate("window.firstRow"))
    results.bar("first row of 10,000, p50", quantile(times[2:], 0.5), 500)
    results.bar("first row of 10,000, p95", quantile(times[2:], 0.95), 1000)
    page = tab.page
    page.evaluate("window.began = performance.timeOrigin + performance.now()")
    page.locator(".grid").focus()
    page.keyboard.press("Control+ArrowDown")
    page.locator(".grid[aria-rowcount='10001']").wait_for()
    results.bar("all 10,000 rows fetched", page.evaluate("window.drawn.at(-1)[1] - window.began"), 2500)
    found = page.evaluate(SCROLL, 600)
    results.bar("scrolling 10,000 rows, frames p50", quantile(found["times"], 0.5), 34)
    results.bar("scrolling 10,000 rows, frames p99", quantile(found["times"], 0.99), 50)
    results.bar("scrolling 10,000 rows, tasks over 50 ms", len(found["long"]), 0 if results.slack == 1 else 3, "tasks")
    results.bar("scrolling 10,000 rows, elements", found["most"], 800, "elements", timing=False)
    results.bar("scrolling 10,000 rows, heap", found["heap"], 60, "MB", timing=False)
    page.locator(".grid").focus()
    page.keyboard.press("Control+End")
    results.check("the last row is there", page.locator(".grid-body .grid-row[aria-rowindex='10001']").is_visible())
    results.check("10,000 rows: nothing goes wrong", not tab.wrong, tab.wrong)
    context.close()


def saves(world, browser, results, count, where="", p50=50, p99=250, keeps=False):
    """A save in one tab until it is drawn in another. Answers the tab with the feed where the caller `keeps` it."""
    user = world.user("liv")
    user.device("liv-laptop")
    user.device("liv-phone")
    user.subscribe({"subscriptionID": "all", "subscriptionType": "query", "firesOn": ["create", "update"], "query": {"recordType": "Burst"}, "notificationInfo": {"alertBody": "Burst"}})
    user.subscribe({"subscriptionID": "modern", "subscriptionType": "query", "firesOn": ["create", "update"], "query": {"recordType": "Artwork", "predicate": "year > 1900 AND title BEGINSWITH \"Liv\""}, "notificationInfo": {"alertBody": "Modern"}})
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    feed, player = Tab(world, context, COUNTS), Tab(world, context, COUNTS)
    feed.open()
    feed.sign_in("liv")
    feed.go("/feed/liv-phone")
    feed.page.locator(".live-sign.live").wait_for()
    player.open()
    player.sign_in("liv")
    player.go("/play")
    player.page.get_by_label("laptop: title").fill("Liv")
    player.page.get_by_label("laptop: record name").fill("liv-1")
    save = player.page.get_by_role("button", name="Save on laptop")
    # A browser draws the tab in front; the other one sends from behind.
    feed.page.bring_to_front()
    times = []
    for number in range(count + 5):
        before = feed.page.evaluate("window.drawn.length ? window.drawn.at(-1)[0] : 0")
        # The same once more would be no change.
        player.page.evaluate("year => { document.querySelector('[aria-label=\"laptop: year\"]').value = year; }", str(1901 + number))
        began = save.evaluate("(element) => { const began = performance.timeOrigin + performance.now(); element.click(); return began; }")
        feed.page.locator(f".grid[aria-rowcount='{before + 2}']").wait_for()
        times.append(feed.page.evaluate(f"window.drawn.find(([count]) => count === {before + 1})[1]") - began)
    results.bar(f"saved in one tab until drawn in another{where}, p50", quantile(times[5:], 0.5), p50)
    results.bar(f"saved in one tab until drawn in another{where}, p99", quantile(times[5:], 0.99), p99)
    results.check(f"saves{where}: nothing goes wrong", not feed.wrong and not player.wrong, feed.wrong + player.wrong)
    player.page.close()
    if keeps:
        return feed
    context.close()
    return None


def live(world, browser, results, count=60, burst=2000):
    """A save in one tab until it is drawn in another, and many notifications at once."""
    feed = saves(world, browser, results, count, keeps=True)
    user = world.user("liv")
    feed.page.evaluate("window.long.length = 0; window.drawn.length = 0")
    before = int(feed.page.locator(".grid").get_attribute("aria-rowcount")) - 1
    began = time.time()
    user.save([{"recordName": f"burst-{number}", "recordType": "Burst", "fields": {"number": {"value": number}}} for number in range(burst)], client="liv-laptop")
    saved = time.time() - began
    feed.page.locator(f".grid[aria-rowcount='{before + burst + 1}']").wait_for(timeout=120000)
    drawn = feed.page.evaluate("window.drawn")
    results.measured["2,000 notifications, saved in"] = {"value": round(saved * 1000), "unit": "ms"}
    results.bar("2,000 notifications at once until all are drawn", max(0, drawn[-1][1] - (began + saved) * 1000), 1500)
    slow = feed.page.evaluate("window.long.filter((one) => one > 50)")
    results.bar("2,000 notifications at once, tasks over 50 ms", len(slow), 0 if results.slack == 1 else 3, "tasks")
    names = feed.page.evaluate("document.querySelectorAll('.grid-body .grid-row').length")
    results.check("a live list draws what is seen alone", names < 60, names)
    results.check("live: nothing goes wrong", not feed.wrong, feed.wrong)
    feed.page.context.close()


def steady(world, browser, results, seconds=300, rate=200):
    """200 notifications a second for minutes: none lost, none twice, and the heap stays."""
    user = world.user("stella")
    user.device("stella-laptop")
    user.device("stella-phone")
    user.subscribe({"subscriptionID": "all", "subscriptionType": "query", "firesOn": ["create", "update"], "query": {"recordType": "Steady"}, "notificationInfo": {"alertBody": "Steady"}})
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    tab = Tab(world, context, COUNTS)
    tab.open()
    tab.sign_in("stella")
    tab.go("/feed/stella-phone")
    tab.page.locator(".live-sign.live").wait_for()
    began, sent, first = time.time(), 0, None
    while time.time() - began < seconds:
        user.save([{"recordName": f"s-{sent + number}", "recordType": "Steady", "fields": {"number": {"value": sent + number}}} for number in range(rate)], client="stella-laptop")
        sent += rate
        time.sleep(max(0, sent / rate - (time.time() - began)))
        if first is None and time.time() - began > 60:
            first = tab.page.evaluate("(window.gc?.(), performance.memory.usedJSHeapSize / 1048576)")
    tab.page.locator(".under-grid", has_text="not read here").wait_for()
    shown = lambda: tab.page.evaluate("[...document.querySelector('.under-grid').textContent.replace(/[^0-9;]/g, ' ').split(/[ ;]+/)].join(' ')")
    deadline = time.time() + 60
    total = 0
    while time.time() < deadline and total < sent:
        total = tab.page.evaluate("window.drawn.at(-1)[0]") + tab.page.evaluate("Number((/the oldest ([^ ]+) are/.exec(document.querySelector('.under-grid').textContent)?.[1] ?? '0').replace(/[^0-9]/g, ''))")
        time.sleep(0.2)
    results.check(f"{sent} notifications: none is lost, none comes twice", total == sent, [total, sent, shown()])
    last = tab.page.evaluate("(window.gc?.(), performance.memory.usedJSHeapSize / 1048576)")
    results.bar("heap after the first minute grows by", max(0, last - (first or last)), 10, "MB", timing=False)
    context.close()
