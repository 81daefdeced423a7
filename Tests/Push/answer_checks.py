"""Checks of the actions after each answer of a provider, by the tables of answers (docs/push.md)."""
import threading, time
from apns import answer
from delivery_checks import SECRET, arrives
from server import Answer
from world import expect, record_of

NOW = 1 << 42


def name_of(push):
    return record_of(push.payload)


class Pair:
    """Two devices of a new user with addresses of one kind: one that is answered with something else than the other."""

    def __init__(self, world, kind, container=None, **rest):
        self.world, self.kind, self.user = world, kind, world.user(container)
        register = {"apns": self.user.apns, "webPush": self.user.web, "webhook": self.user.hook}[kind]
        self.twin = rest.get("service") or {"apns": world.apns, "webPush": world.service, "webhook": world.webhooks}[kind]
        self.fence, self.place = register("fence", **rest), register("device", **rest)
        self.user.subscribe({"alertBody": SECRET})
        self.key = getattr(self.place, "name", self.place)
        # Both have been answered well.
        self.removed = world.outcomes(kind, "removed")
        self.save()
        self.pushes(1)

    def save(self):
        """Saves a record that both devices are notified of, and waits for the push at the other device."""
        name = self.user.save()
        self.world.wait("a push at the other device",
                        lambda: any(name_of(push) == name for push in self.twin.pushes(self.fence)))
        return name

    def answer_with(self, *answers):
        self.twin.behaviours[self.key] = list(answers)

    def pushes(self, count=0):
        return arrives(self.world, self.twin, self.place, count)

    def is_registered(self):
        return self.kind in self.user.kinds()["device"]


def is_removed(world, pair):
    """Waits for the removal: no push comes any more."""
    count = len(pair.pushes())
    world.wait("the removal", lambda: world.outcomes(pair.kind, "removed") > pair.removed)
    for _ in range(4):
        pair.save()
    expect(len(pair.pushes()) == count, f"{len(pair.pushes()) - count} further pushes")


def removes(world, kind, *answers, container=None, **rest):
    pair = Pair(world, kind, container, **rest)
    pair.answer_with(*answers)
    pair.save()
    pair.pushes(2)
    is_removed(world, pair)
    expect(kind in pair.user.kinds()["fence"], "the other device's address was removed")


def drops(world, kind, given, reason, container=None, **rest):
    """The push is dropped and counted with its reason, the address stays."""
    pair = Pair(world, kind, container, **rest)
    before = world.outcomes(kind, "dropped", reason=reason)
    pair.answer_with(given)
    pair.save()
    world.wait(f"the drop with '{reason}'", lambda: world.outcomes(kind, "dropped", reason=reason) > before)
    last = pair.save()
    pushes = pair.pushes(3)
    expect(len(pushes) == 3 and name_of(pushes[2]) == last, f"{given.status}: {[name_of(each) for each in pushes]}")
    expect(pair.is_registered(), f"{given.status} {reason} removed the address")


def repeats(world, kind, given, pause=0.0, container=None, times=2, **rest):
    """The push is sent again with the same ID, no sooner than after a pause; others are not held. Returns the pair."""
    pair = Pair(world, kind, container, **rest)
    pair.answer_with(given)
    name = pair.save()
    pushes = pair.pushes(1 + times)[1:]
    expect({push.id for push in pushes} == {pushes[0].id}, f"{given.status}: another ID")
    expect({name_of(push) for push in pushes} == {name}, f"{given.status}: another push")
    taken = pushes[1].time - pushes[0].time
    expect(taken >= pause, f"{given.status}: again after {taken:.2f} s, not {pause}")
    last = pair.save()
    world.wait("the next push", lambda: name_of(pair.pushes()[-1]) == last)
    expect(pair.is_registered(), f"{given.status} removed the address")
    expect(len([push for push in pair.pushes() if name_of(push) == name]) == times, "sent once more than needed")
    return pair


def a_removal_is_seen_in_devices_list_and_outlives_the_process(world):
    pairs = [Pair(world, kind) for kind in ("apns", "webPush", "webhook")]
    for pair in pairs:
        pair.answer_with(answer(410, "Unregistered", timestamp=NOW))
        pair.save()
        pair.pushes(2)
        world.wait("the removal in devices/list", lambda: not pair.is_registered())
    world.system.process.kill()
    world.system.process.wait(60)
    world.system.start()
    for pair in pairs:
        pair.user.client.close()
        for _ in range(2):
            pair.save()
        expect(len(pair.pushes()) == 2, f"{pair.kind}: a push after the restart")


# APNs

def apns_410_removes(world):
    for reason in ("Unregistered", "ExpiredToken"):
        removes(world, "apns", answer(410, reason, timestamp=NOW))


def apns_410_from_before_the_registration_keeps(world):
    for reason in ("Unregistered", "ExpiredToken"):
        drops(world, "apns", answer(410, reason, timestamp=1_600_000_000_000), reason)


def apns_bad_tokens_are_removed_singly(world):
    for _ in range(4):
        Pair(world, "apns")
    for reason in ("BadDeviceToken", "DeviceTokenNotForTopic"):
        removes(world, "apns", answer(400, reason))


def apns_413_and_other_400s_drop(world):
    for status, reason in ((413, "PayloadTooLarge"), (400, "BadCollapseId"), (400, "BadMessageId"), (400, "BadExpirationDate"),
                           (400, "BadPriority"), (400, "InvalidPushType"), (400, "PayloadEmpty"), (404, "BadPath")):
        drops(world, "apns", answer(status, reason), reason)
    drops(world, "apns", answer(400, "a word of nobody's \u0000"), "bad-request")


def apns_429_backs_off_for_the_device(world):
    repeats(world, "apns", answer(429, "TooManyRequests", retry_after=1), 1.0)
    repeats(world, "apns", answer(429, "TooManyRequests"))
    pair = Pair(world, "apns")
    pair.answer_with(answer(429, "TooManyRequests", retry_after=1))
    names = [pair.save() for _ in range(4)]
    pushes = pair.pushes(3)
    expect([name_of(push) for push in pushes[1:]] == [names[0], names[-1]], "what waits was not merged")


def apns_5xx_is_sent_again(world):
    for status, reason in ((500, "InternalServerError"), (503, "ServiceUnavailable"), (503, "Shutdown")):
        repeats(world, "apns", answer(status, reason))
    repeats(world, "apns", answer(503, "ServiceUnavailable", retry_after=1), 1.0)


def apns_lost_connections_repeat_with_the_same_id(world):
    repeats(world, "apns", Answer(fault="cut"))
    pair = Pair(world, "apns")
    pair.answer_with(Answer(fault="refuse"))
    name = pair.save()
    world.wait("the push", lambda: any(name_of(push) == name for push in pair.pushes()))
    expect(len(pair.pushes()) == 2 and pair.is_registered(), "a refused stream was processed twice")


class Crowd:
    """Many devices of several users, which are sent a push at once."""

    def __init__(self, world, users=4, devices=6, container=None):
        self.world, self.users = world, [world.user(container) for _ in range(users)]
        self.tokens = {user: [user.apns() for _ in range(devices)] for user in self.users}
        for user in self.users:
            user.subscribe({"alertBody": "x"})

    def save(self):
        threads = [threading.Thread(target=user.save, args=({}, f"round-{time.monotonic_ns()}-{user.number}")) for user in self.users]
        self.names = {user: thread._args[1] for user, thread in zip(self.users, threads)}
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def pushes(self, token, user, processed=True):
        return [push for push in self.world.apns.pushes(token, processed) if name_of(push) == self.names[user]]

    def arrive(self):
        """The pushes of the last save by device, once all have come."""
        def found():
            pushes = [self.pushes(token, user) for user in self.users for token in self.tokens[user]]
            return pushes if all(pushes) else None
        return self.world.wait("a push at each device", found)


def apns_goaway_refusals_and_shrinking_limits_lose_nothing(world):
    crowd = Crowd(world)
    for _ in range(2):
        crowd.save()
        crowd.arrive()
    for what, given in (("goaway", Answer(fault="goaway")), ("refuse", Answer(fault="refuse")), ("streams", answer(200, streams=2)),
                        ("goaway", Answer(fault="goaway")), ("streams", answer(200, streams=1000)), ("cut", Answer(fault="cut"))):
        world.apns.behaviours[crowd.tokens[crowd.users[2]][3]] = [given]
        crowd.save()
        for pushes in crowd.arrive():
            expect(len({push.id for push in pushes}) == 1, f"{what}: a repeat has another ID")
            # After a connection that ends nobody knows which were processed.
            expect(len(pushes) == 1 or what in ("goaway", "cut"), f"{what}: processed {len(pushes)} times")


def apns_may_allow_one_stream_at_first(world):
    crowd = Crowd(world, users=5, devices=8)
    world.apns.first_streams = 1
    world.apns.close_connections()
    try:
        opened = world.apns.opened
        crowd.save()
        expect(all(len(pushes) == 1 for pushes in crowd.arrive()), "repeats without a fault")
        expect(world.apns.opened - opened <= 2, f"{world.apns.opened - opened} connections")
    finally:
        world.apns.first_streams = None


def apns_takes_a_new_token_once_after_expired_provider_token(world):
    """Each half hour has one token; one that is refused as expired is replaced by one of now, once."""
    pair = Pair(world, "apns")
    refused = {pair.pushes(1)[0].headers["authorization"]}
    world.apns.behaviours[pair.key] = lambda push: (
        answer(403, "ExpiredProviderToken") if push.headers["authorization"] in refused else answer(200))
    name = pair.save()
    pushes = pair.pushes(3)
    expect(len({push.id for push in pushes[1:]}) == 1 and name_of(pushes[2]) == name, "not the same push")
    expect(pushes[1].headers["authorization"] in refused and pushes[2].headers["authorization"] not in refused, "the same token")
    expect(abs(pushes[2].claims["iat"] - time.time()) < 60, f"iat {pushes[2].claims['iat']}")
    pair.save()
    expect(pair.pushes(4)[3].headers["authorization"] == pushes[2].headers["authorization"], "yet another token")


def a_topic_that_one_device_names_stops_no_others(world):
    pair, other = Pair(world, "apns"), world.user()
    other.subscribe({"alertBody": "x"})
    for number in range(5):
        token = f"{number:02x}" * 32
        other.good(other.register(f"d{number}", apns={"token": token, "environment": "development", "topic": "com.example.Evil"}))
    other.save()
    world.wait("refusals", lambda: sum("TopicDisallowed" in each for each in world.apns.violations) >= 3)
    world.apns.violations.clear()
    name = pair.save()
    world.wait("the push of another user", lambda: name_of(pair.pushes()[-1]) == name)
    world.apns.violations.clear()


# Web Push

def web_push_2xx_is_done(world):
    for status in (200, 201, 202, 204):
        pair = Pair(world, "webPush")
        pair.answer_with(Answer(status))
        pair.save()
        pair.save()
        expect(len(pair.pushes(3)) == 3, f"{status}: sent again")


def web_push_404_and_410_remove(world):
    for status in (404, 410):
        removes(world, "webPush", Answer(status))


def web_push_410_of_a_former_endpoint_keeps_the_new_one(world):
    pair, gate = Pair(world, "webPush"), threading.Event()
    pair.answer_with(Answer(410, gate=gate))
    pair.save()
    pair.pushes(2)
    new = pair.user.web("device")
    gate.set()
    name = pair.save()
    world.wait("a push at the new endpoint", lambda: any(name_of(push) == name for push in world.service.pushes(new)))
    expect(pair.is_registered(), "the new endpoint was removed")


def web_push_413_is_sent_without_contents(world):
    for kind in ("webPush", "webhook"):
        pair = Pair(world, kind)
        pair.answer_with(Answer(413))
        pair.save()
        pushes = pair.pushes(3)
        content = [push.content if kind == "webPush" else push.body for push in pushes]
        expect(SECRET.encode() in content[1] and SECRET.encode() not in content[2], f"{content}")
        expect(pushes[1].id == pushes[2].id, "another ID")
    drops(world, "webPush", Answer(413), "too-large", contents="none")


def web_push_429_and_5xx_are_sent_again(world):
    repeats(world, "webPush", Answer(429, {"Retry-After": "1"}), 1.0)
    for given in ({}, {"Retry-After": "-1"}, {"Retry-After": "soon"}, {"Retry-After": "Sun, 99 Foo 2026 10:00:00 GMT"}):
        repeats(world, "webPush", Answer(429, given))
    for status in (500, 502, 503, 507):
        repeats(world, "webPush", Answer(status), service=world.twins.more_services(1)[0])
    repeats(world, "webPush", Answer(503, {"Retry-After": "1"}), 1.0, service=world.twins.more_services(1)[0])
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 3))
    repeats(world, "webPush", Answer(503, {"Retry-After": date}), 0.5, service=world.twins.more_services(1)[0])


def web_push_redirections_are_never_followed(world):
    inside = world.twins.more_services(1)[0]
    for status in (301, 302, 303, 307, 308):
        drops(world, "webPush", Answer(status, {"Location": f"{inside.origin}/push/x"}), "redirection")
    expect(not inside.requests and not inside.opened, "a redirection was followed")


def web_push_lost_connections_and_http_1_1(world):
    for protocols in (("h2", "http/1.1"), ("http/1.1",)):
        for fault in ("cut", "refuse"):
            service = world.twins.more_services(1, protocols=protocols)[0]
            pair = repeats(world, "webPush", Answer(fault=fault), service=service)
            expect(pair.pushes()[0].version == ("2" if "h2" in protocols else "1.1"), "the version")


# Webhooks

def webhook_2xx_is_done(world):
    for status in (200, 202, 204):
        pair = Pair(world, "webhook")
        pair.answer_with(Answer(status))
        pair.save()
        pair.save()
        expect(len(pair.pushes(3)) == 3, f"{status}: sent again")


def webhook_410_removes(world):
    removes(world, "webhook", Answer(410))


def webhook_failures_are_sent_again(world):
    for status in (400, 401, 404, 429, 500, 503):
        repeats(world, "webhook", Answer(status))
    repeats(world, "webhook", Answer(429, {"Retry-After": "1"}), 1.0)
    repeats(world, "webhook", Answer(fault="cut"))
    inside = world.twins.more_services(1)[0]
    for status in (301, 307):
        repeats(world, "webhook", Answer(status, {"Location": f"{inside.origin}/hook/x"}))
    expect(not inside.opened, "a redirection was followed")


CHECKS = [
    apns_410_removes, apns_410_from_before_the_registration_keeps, apns_bad_tokens_are_removed_singly, apns_413_and_other_400s_drop,
    apns_429_backs_off_for_the_device, apns_5xx_is_sent_again, apns_takes_a_new_token_once_after_expired_provider_token,
    a_topic_that_one_device_names_stops_no_others,
]
# Each makes new connections, and the seventh a minute opens the circuit.
STREAM_CHECKS = [apns_may_allow_one_stream_at_first, apns_goaway_refusals_and_shrinking_limits_lose_nothing,
                 apns_lost_connections_repeat_with_the_same_id]
WEB_CHECKS = [
    web_push_2xx_is_done, web_push_404_and_410_remove, web_push_410_of_a_former_endpoint_keeps_the_new_one,
    web_push_413_is_sent_without_contents, web_push_429_and_5xx_are_sent_again, web_push_redirections_are_never_followed,
    web_push_lost_connections_and_http_1_1, webhook_2xx_is_done, webhook_410_removes, webhook_failures_are_sent_again,
]
REMOVAL_CHECKS = [a_removal_is_seen_in_devices_list_and_outlives_the_process]
