"""Checks of what is sent: headers, contents, order, merging."""
import json, random, threading, time
from apns import answer
from server import Answer
from world import SUBJECT, TOPIC, expect, record_of


def arrives(world, twin, place, count=1):
    """The pushes at an address, once there are so many."""
    return world.wait(f"{count} pushes at {type(twin).__name__}", lambda: (lambda all: all if len(all) >= count else None)(
        twin.pushes(place)))


def a_visible_push_reaches_each_provider_with_its_headers(world):
    user = world.user()
    token, web, hook = user.apns(), user.web(), user.hook()
    user.subscribe({"alertBody": "News", "shouldBadge": True, "soundName": "ping"})
    before = time.time()
    name = user.save()
    push = arrives(world, world.apns, token)[0]
    aps = push.payload["aps"]
    expect(aps["alert"] in ("News", {"body": "News"}) and aps["badge"] == 1 and aps["sound"] == "ping", f"aps {aps}")
    expect(record_of(push.payload) == name, f"ck {push.payload}")
    headers = push.headers
    expect((headers["apns-push-type"], headers["apns-priority"], headers["apns-topic"]) == ("alert", "10", TOPIC), f"{headers}")
    expect(abs(int(headers["apns-expiration"]) - before - 28 * 86_400) < 120, f"apns-expiration {headers['apns-expiration']}")
    expect(headers["apns-collapse-id"] == headers["apns-id"], f"a repeat would not replace: {headers}")
    expect(push.claims["iat"] % 1800 == 0, f"iat {push.claims}")
    got = arrives(world, world.service, web)[0]
    expect(got.headers["urgency"] == "high" and abs(int(got.headers["ttl"]) - 28 * 86_400) < 120, f"{got.headers}")
    expect(len(got.headers["topic"]) == 32 and got.claims["sub"] == SUBJECT, f"{got.headers} {got.claims}")
    expect(got.payload == push.payload, f"Web Push and APNs differ: {got.payload} {push.payload}")
    event = arrives(world, world.webhooks, hook)[0].event
    expect(event["data"] == push.payload and event["type"] == "fanfare.notification", f"{event}")
    expect(event["source"] == f"/{world.system.dev['container']}/development", f"{event}")


def a_silent_push_reaches_those_that_take_it(world):
    user = world.user()
    token, web, hook = user.apns(), user.web(silent=True), user.hook()
    loud = user.web()
    user.subscribe({"shouldSendContentAvailable": True})
    before = time.time()
    name = user.save()
    push = arrives(world, world.apns, token)[0]
    headers = push.headers
    expect((headers["apns-push-type"], headers["apns-priority"]) == ("background", "5"), f"{headers}")
    expect(push.payload["aps"] == {"content-available": 1} and record_of(push.payload) == name, f"{push.payload}")
    expect(abs(int(headers["apns-expiration"]) - before - 3600) < 120, f"{headers}")
    got = arrives(world, world.service, web)[0]
    expect(got.headers["urgency"] == "normal" and 3400 < int(got.headers["ttl"]) <= 3600, f"{got.headers}")
    arrives(world, world.webhooks, hook)
    # Browsers penalise pushes that show nothing.
    world.wait("the drop of a silent push to a browser", lambda: world.outcomes("webPush", "dropped", reason="silent") > 0)
    expect(not world.service.pushes(loud), "a browser was sent a push that shows nothing")


def a_background_push_always_has_content_available(world):
    user = world.user()
    token = user.apns()
    user.subscribe({"desiredKeys": ["title"], "additionalFields": ["title"], "category": "c"})
    user.save({"title": "x"})
    push = arrives(world, world.apns, token)[0]
    expect(push.payload["aps"].get("content-available") == 1 and push.headers["apns-push-type"] == "background", f"{push.payload}")


SECRET = "Zebrafinch-7731"


def contents_none_sends_no_value_of_a_record(world):
    user = world.user()
    token, web, hook = (getattr(user, kind)(contents="none") for kind in ("apns", "web", "hook"))
    user.subscribe({"alertBody": "From " + SECRET, "title": SECRET, "alertLocalizationKey": "K", "alertLocalizationArgs": ["title"],
                    "collapseIDKey": "title", "additionalFields": ["title", "number"], "category": SECRET, "soundName": SECRET})
    user.save({"title": SECRET, "number": 77_317_731})
    apns, got, hooked = (arrives(world, twin, place)[0] for twin, place in
                         ((world.apns, token), (world.service, web), (world.webhooks, hook)))
    for push, content in ((apns, apns.body), (got, got.content + got.body), (hooked, hooked.body)):
        readable = content.decode(errors="replace") + json.dumps(push.headers) + push.path
        for value in (SECRET, "77317731"):
            expect(value not in readable, f"{value} can be read: {readable}")
    expect(apns.headers["apns-push-type"] == "alert" and apns.payload["aps"]["alert"]["loc-key"], f"{apns.payload}")
    # A hash in place of the collapse identifier.
    expect(got.payload.pop("fanfare")["tag"] == got.headers["topic"], f"{got.headers}")
    expect(got.payload == apns.payload == hooked.event["data"] and apns.payload["ck"]["nid"], f"{got.payload} {apns.payload}")


def a_collapse_key_is_hashed_where_no_header_can_have_it(world):
    user = world.user()
    token, web = user.apns(), user.web()
    user.subscribe({"alertBody": "x", "collapseIDKey": "title"})
    values = ["short", "x" * 65, "\u00fcml\u00e4ut", "a\r\nx-evil: 1", " space "]
    for count, value in enumerate(values, 1):
        user.save({"title": value})
        push = arrives(world, world.apns, token, count)[-1]
        arrives(world, world.service, web, count)
        given = push.headers["apns-collapse-id"]
        expect((given == value) == (value == "short"), f"{value!r}: {given!r}")
        expect("x-evil" not in push.headers, "a header was forged")
    user.save({"title": "short"})
    twice = arrives(world, world.service, web, len(values) + 1)
    expect(twice[0].headers["topic"] == twice[-1].headers["topic"], "the same key has two topics")
    expect(len({push.headers["topic"] for push in twice}) == len(values), "different keys share a topic")
    expect(len(web.held) == len(values), "a repeat does not replace at the push service")


def one_push_is_in_flight_and_the_newest_visible_one_stands_for_those_that_wait(world):
    user = world.user()
    token, hook, quiet = user.apns(), user.hook(), user.apns(whenBehind="silent")
    user.subscribe({"alertBody": "x", "shouldBadge": True})
    user.subscribe({"shouldSendContentAvailable": True}, name="silent", type="Quiet")
    gate = threading.Event()
    world.apns.behaviours[token] = world.apns.behaviours[quiet] = world.webhooks.behaviours[hook] = lambda request: Answer(200, gate=gate)
    first = user.save()
    arrives(world, world.apns, token)
    arrives(world, world.webhooks, hook)
    before = world.outcomes("webhook", "collapsed")
    for _ in range(6):
        last = user.save()
    user.save(type="Quiet")
    world.wait("merging", lambda: world.outcomes("webhook", "collapsed") >= before + 6)
    expect(len(world.apns.pushes(token)) == 1 and len(world.webhooks.pushes(hook)) == 1, "two pushes in flight")
    gate.set()
    pushes = arrives(world, world.apns, token, 2)
    events = [each.event for each in arrives(world, world.webhooks, hook, 2)]
    expect([record_of(push.payload) for push in pushes] == [first, last], f"{[push.payload for push in pushes]}")
    expect([push.payload["aps"]["badge"] for push in pushes] == [1, 7], "the badge is not the newest")
    expect([event.get("merged", 1) for event in events] == [1, 7], f"merged: {events}")
    expect(record_of(events[1]["data"]) == last, f"{events}")
    expect(events[1]["data"]["fanfare"] == {"changes": 7} and "fanfare" not in events[0]["data"], f"changes: {events}")
    silent = arrives(world, world.apns, quiet, 2)
    expect(len(silent) == 2 and silent[0].payload["aps"]["badge"] == 1, f"{[push.payload for push in silent]}")
    expect(silent[1].payload["aps"] == {"content-available": 1}, f"whenBehind: {silent[1].payload}")


def pushes_of_a_device_come_in_the_order_of_its_feed(world):
    user = world.user()
    token = user.apns("ordered")
    user.subscribe({"alertBody": "x"})
    world.apns.behaviours[token] = lambda request: answer(200, delay=random.Random(request.headers["apns-id"]).random() / 50)
    for _ in range(40):
        user.save()
    names = [each["recordName"] for each in user.feed("ordered", 40)]
    world.wait("the last push", lambda: any(record_of(push.payload) == names[-1] for push in world.apns.pushes(token)))
    pushed = [record_of(push.payload) for push in world.apns.pushes(token)]
    places = [names.index(name) for name in pushed]
    expect(places == sorted(places) and len(set(places)) == len(places), f"out of order or doubled: {places}")
    ids = [push.headers["apns-id"] for push in world.apns.pushes(token)]
    expect(len(set(ids)) == len(ids), "two pushes share an ID")


def silent_pushes_in_production_are_three_at_once(world):
    user = world.user()
    token, other = user.apns(environment="production"), user.apns()
    user.subscribe({"shouldSendContentAvailable": True})
    for count in range(1, 7):
        user.save()
        arrives(world, world.apns, other, count)
    user.subscribe({"alertBody": "x"}, name="loud", type="Loud")
    expect(len(world.apns.pushes(token)) <= 3, "more than three silent pushes")
    last = user.save(type="Loud")
    arrives(world, world.apns, other, 7)
    # The rate does not hold a visible push, and it stands for the silent ones.
    pushes = arrives(world, world.apns, token, 4)
    expect(len(pushes) == 4 and record_of(pushes[-1].payload) == last, f"{[push.payload for push in pushes]}")


def a_provider_that_is_away_gets_the_newest_push_of_each_device(world):
    service = world.twins.more_services(1)[0]
    user = world.user()
    addresses = [user.web(service=service) for _ in range(4)]
    user.subscribe({"alertBody": "x"})
    user.save()
    for each in addresses:
        arrives(world, service, each)
    service.stop()
    failed = world.outcomes("webPush", "failed")
    for _ in range(5):
        last = user.save()
    world.wait("failures", lambda: world.outcomes("webPush", "failed") > failed)
    service.start()
    for each in addresses:
        pushes = arrives(world, service, each, 2)
        world.wait("the newest push", lambda: record_of(service.pushes(each)[-1].payload) == last)
        expect(len(pushes) <= 3, f"{len(pushes)} pushes in place of one")


def random_text(random, most):
    alphabet = "abc \u00e9\u4e2d\U0001f600\"\\\n\u0000/" if random.random() < 0.5 else "abcdefghijklmnopqrstuvwxyz "
    return "".join(random.choice(alphabet) for _ in range(random.randrange(most))).replace("\0", "\u0001")


def random_info(random):
    texts = ["alertBody", "title", "subtitle", "soundName", "category", "alertActionLocalizationKey", "alertLaunchImage"]
    info = {key: random_text(random, 900) or "x" for key in texts if random.random() < 0.4}
    for key in ("alertLocalizationKey", "titleLocalizationKey"):
        if random.random() < 0.3:
            info[key] = "KEY"
            info[key.replace("Key", "Args")] = [f"f{random.randrange(5)}" for _ in range(random.randrange(4))]
    if random.random() < 0.5:
        info["additionalFields"] = [f"f{number}" for number in random.sample(range(5), random.randrange(1, 4))]
    if random.random() < 0.3:
        info["collapseIDKey"] = f"f{random.randrange(5)}"
    for key in ("shouldBadge", "shouldSendContentAvailable", "shouldSendMutableContent"):
        if random.random() < 0.3:
            info[key] = True
    return info or {"alertBody": "x"}


def random_web_pushes_are_those_of_the_feed(world, count, seed):
    """Each is decrypted by http_ece, has at most 4,096 bytes, and is the payload of the feed but for what was pruned."""
    chance = random.Random(seed)
    done, each = 0, 25
    while done < count:
        user = world.user()
        web = user.web("browser", silent=True)
        for number in range(each):
            user.subscribe(random_info(chance), name=f"s{number}", type=f"T{number}")
        for number in range(each):
            fields = {f"f{field}": random_text(chance, 400) for field in range(5)}
            user.save(fields, type=f"T{number}")
            arrives(world, world.service, web, number + 1)
        feed = {entry["notificationID"]: entry for entry in user.feed("browser", each)}
        for push in world.service.pushes(web):
            expect(len(push.body) <= 4096, f"{len(push.body)} bytes")
            # Workers see no headers: the tag of a collapse identifier is in the payload.
            tag = push.payload.pop("fanfare", {}).get("tag", push.headers["topic"])
            expect(tag == push.headers["topic"], f"the tag {tag} is not the topic of {push.headers}")
            same_but_pruned(push.payload, feed[push.payload["ck"]["nid"]]["pushPayload"], len(push.content))
        done += each


# The order in which parts are left out; those of a line go together.
PRUNED = ["cid", "af", "rid zid zoid", "fo", "dbs", "subtitle", "subtitle-loc-args", "subtitle-loc-key", "title", "title-loc-args",
          "title-loc-key", "content-available", "sound", "launch-image", "action-loc-key", "category", "body", "loc-args", "loc-key",
          "badge", "nid"]


def parts(value, path=()):
    """The leaves of a payload by path; an alert that is a text is a body."""
    if path == ("aps", "alert") and isinstance(value, str):
        value = {"body": value}
    if isinstance(value, dict):
        return {key: found for name, part in value.items() for key, found in parts(part, (*path, name)).items()}
    return {path: value}


def same_but_pruned(sent, kept, size):
    """Compares a payload that was sent with that of the feed: the parts that it lacks had no room, in their order.
    `content-available` and `mutable-content` follow other rules."""
    free = {("aps", "content-available"), ("aps", "mutable-content"), ("ck", "p"), ("ck", "qry", "p")}
    ours, theirs = parts(sent), parts(kept)
    wrong = {path: (value, theirs.get(path)) for path, value in ours.items() if path not in free and theirs.get(path) != value}
    expect(not wrong, f"not of the feed: {wrong}")
    missing = [path for path in theirs if path not in ours and path not in free]
    if missing:
        places = {path: next(place for place, names in enumerate(PRUNED) if set(names.split()) & set(path)) for path in missing}
        last = [path for path in missing if places[path] == max(places.values())]
        room = sum(len(json.dumps(theirs[path], ensure_ascii=False).encode()) + len(path[-1]) + 5 for path in last)
        expect(size + room + 40 > 3993, f"{last} left out of {size} bytes, and has {room}")
        earlier = {place for path, place in places.items()}
        late = [path for path in ours if path not in free for place, names in enumerate(PRUNED)
                if set(names.split()) & set(path) and place < max(earlier) and names != "content-available"]
        expect(not late, f"{late} is there, and {last} is left out")


def a_push_is_never_before_its_journal(world):
    """While a push is held at the provider, its notification is in the device's feed already."""
    user = world.user()
    place = {"apns": user.apns("phone"), "web": user.web("browser"), "hook": user.hook("server")}
    user.subscribe({"alertBody": "x"})
    for count in range(1, 16):
        user.save()
        for kind, device, twin in (("apns", "phone", world.apns), ("web", "browser", world.service), ("hook", "server", world.webhooks)):
            push = arrives(world, twin, place[kind], count)[count - 1]
            feed = user.read(device)
            expect(push.payload["ck"]["nid"] in [entry["notificationID"] for entry in feed], f"{kind}: a push before its journal")


def read_marks_and_badges_reach_the_other_devices(world):
    """A read mark is worth nothing later; a badge that is set is seen."""
    user = world.user()
    user.device("reader")
    token, web, hook = user.apns(), user.web(silent=True), user.hook()
    loud = user.web()
    user.subscribe({"alertBody": "x", "shouldBadge": True})
    user.save()
    name = user.feed("reader", 1)[0]["notificationID"]
    for twin, place in ((world.apns, token), (world.service, web), (world.webhooks, hook)):
        arrives(world, twin, place)
    user.good(user.client.ask("notifications/markRead", {"deviceID": user.id("reader"), "notificationIDs": [name]}, "device"))
    marks = [arrives(world, twin, place, 2)[1] for twin, place in ((world.apns, token), (world.service, web), (world.webhooks, hook))]
    expect(all(mark.payload["ck"]["read"] == [name] for mark in marks), f"{[mark.payload for mark in marks]}")
    expect((marks[0].headers["apns-push-type"], marks[0].headers["apns-expiration"]) == ("background", "0"), f"{marks[0].headers}")
    expect(marks[1].headers["urgency"] == "low" and int(marks[1].headers["ttl"]) <= 60, f"{marks[1].headers}")
    user.good(user.client.ask("badge/modify", {"deviceID": user.id("reader"), "badgeValue": 7}, "device"))
    badge = arrives(world, world.apns, token, 3)[2]
    expect(badge.payload["aps"] == {"badge": 7} and badge.headers["apns-push-type"] == "alert", f"{badge.payload}")
    expect(arrives(world, world.service, web, 3)[2].payload["aps"] == {"badge": 7}, "the badge in the browser")
    # A browser that wants each push to show something is sent both with its next one, once.
    user.subscribe({"alertBody": "y"}, name="plain", type="Plain")
    for _ in range(2):
        user.save(type="Plain")
    later = arrives(world, world.service, loud, 3)[1:]
    expect([push.payload["ck"].get("read") for push in later] == [[name], None], f"{[push.payload for push in later]}")
    expect([push.payload["aps"].get("badge") for push in later] == [7, None], f"{[push.payload for push in later]}")


CHECKS = [
    read_marks_and_badges_reach_the_other_devices,
    a_push_is_never_before_its_journal,
    a_visible_push_reaches_each_provider_with_its_headers, a_silent_push_reaches_those_that_take_it,
    a_background_push_always_has_content_available, contents_none_sends_no_value_of_a_record,
    a_collapse_key_is_hashed_where_no_header_can_have_it,
    one_push_is_in_flight_and_the_newest_visible_one_stands_for_those_that_wait,
    pushes_of_a_device_come_in_the_order_of_its_feed, silent_pushes_in_production_are_three_at_once,
    a_provider_that_is_away_gets_the_newest_push_of_each_device,
]
