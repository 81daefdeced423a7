"""Checks of answers that a wrong setting, a provider that is down, or a user with bad addresses gives for many devices."""
import time
from apns import answer
from answer_checks import NOW, Pair, id_of, name_of, removes
from server import Answer
from world import expect

# Answers that the operator's settings are wrong, each played in a container of its own.
SETTINGS = [(403, "InvalidProviderToken"), (403, "BadCertificate"), (403, "BadCertificateEnvironment"), (403, "Forbidden"),
            (403, "BadEnvironmentKeyIdInToken"), (403, "MissingProviderToken"), (400, "MissingTopic"), (400, "TopicDisallowed"),
            (403, "ExpiredProviderToken")]
CONTAINERS = [f"iCloud.com.example.Wrong{number}" for number in range(len(SETTINGS))]
DOUBTED, BUSY, SPITEFUL, EVIL, WEB = (f"iCloud.com.example.{name}" for name in ("Doubted", "Busy", "Spiteful", "Evil", "Web"))
ALL = ["iCloud.com.example.Gallery", *CONTAINERS, DOUBTED, BUSY, SPITEFUL, EVIL, WEB]


class Refused:
    """A user of a container whose pushes are all answered alike."""

    def __init__(self, world, container, given, devices):
        self.world, self.user, self.given = world, world.user(container), given
        self.tokens = [self.user.apns(f"phone{number}") for number in range(devices)]
        for token in self.tokens:
            world.apns.behaviours[token] = lambda request: self.given
        self.user.subscribe({"alertBody": "x"})

    def pushes(self):
        return [push for token in self.tokens for push in self.world.apns.pushes(token)]

    def recover(self):
        self.given = None


def wrong_settings_stop_a_container_keep_its_pushes_and_are_probed_every_minute(world):
    """Beside it all tokens of a container answer BadDeviceToken: no address is removed, pushes wait for the probe."""
    refused = [Refused(world, container, answer(*given), 2) for container, given in zip(CONTAINERS, SETTINGS)]
    doubted = Refused(world, DOUBTED, answer(400, "BadDeviceToken"), 20)
    groups = [*refused, doubted]
    for each in refused:
        each.user.save()
    for _ in range(3):
        doubted.user.save()
    stopped = lambda: world.metric("fanfare_push_sender_stopped_credentials", kind="apns")
    world.wait("stopped credentials", lambda: stopped() == len(groups))
    counts = [len(each.pushes()) for each in groups]
    names = [each.user.save() for each in groups]
    # Another container's pushes go on.
    for _ in range(2):
        Pair(world, "apns")
    for each, given, count in zip(refused, SETTINGS, counts):
        expect(count <= (4 if given[1] == "ExpiredProviderToken" else 2), f"{given}: {count} pushes before the stop")
    expect([len(each.pushes()) for each in groups] == counts, "a stopped credential was used")
    expect(len(doubted.user.kinds()) == 20 and all(kinds == ["apns"] for kinds in doubted.user.kinds().values()),
           f"addresses were removed: {doubted.user.kinds()}")
    times = [max(push.time for push in each.pushes()) for each in groups]
    before = [{id_of(push) for push in each.pushes()} for each in groups]
    for each in groups:
        each.recover()
    for each, name in zip(groups, names):
        world.twins.loop.wait("the newest push at each device after a probe", lambda: all(
            name in [name_of(push) for push in world.apns.pushes(token)] for token in each.tokens), 150)
    for each, time_of_stop, count, given in zip(groups, times, counts, [*SETTINGS, (400, "BadDeviceToken")]):
        pause = min(push.time for push in each.pushes() if push.time > time_of_stop) - time_of_stop
        expect(pause > 50, f"{given}: a probe after {pause:.1f} s")
    world.wait("no stopped credential", lambda: stopped() == 0)
    # One of many that answers so is dead.
    removes(world, "apns", answer(400, "BadDeviceToken"), container=DOUBTED)


def a_provider_that_fails_is_probed_with_one_push_and_gets_all_when_it_is_back(world):
    users = [Refused(world, BUSY, None, 6) for _ in range(5)]
    for each in users:
        each.given = answer(503, "ServiceUnavailable")
        each.user.save()
    world.wait("an open circuit", lambda: world.metric("fanfare_push_sender_open_circuits", kind="apns") > 0)
    pushes = lambda: [push for each in users for push in each.pushes()]
    # Those in flight are answered; then single probes come.
    world.wait("three probes", lambda: len(pushes()) >= 63)
    last = sorted(push.time for push in pushes())[-3:]
    opened = len(pushes())
    expect(opened < 100, f"{opened} pushes to a provider that fails")
    for each in users:
        each.recover()
    names = {each: name_of(each.pushes()[-1]) for each in users}
    world.wait("all pushes", lambda: all(
        any(push.answer.status == 200 and name_of(push) == names[each] for push in world.apns.pushes(token))
        for each in users for token in each.tokens))
    for each in users:
        for token in each.tokens:
            ids = {id_of(push) for push in world.apns.pushes(token)}
            expect(len(ids) == 1, f"{len(ids)} IDs of one push")
    expect(last == sorted(last), "time")


def one_user_with_bad_addresses_stops_nobody_else(world):
    """20 tokens that nobody made, or 20 subscriptions that their push service refuses, are one user's own matter."""
    for kind, container, given in (("apns", SPITEFUL, answer(400, "BadDeviceToken")), ("webPush", EVIL, Answer(403))):
        spite = world.user(container)
        for number in range(20):
            place = getattr(spite, "apns" if kind == "apns" else "web")(f"d{number}")
            twin = world.apns if kind == "apns" else world.service
            twin.behaviours[getattr(place, "name", place)] = lambda request: given
        spite.subscribe({"alertBody": "x"})
        count = len(twin.requests)
        for _ in range(3):
            spite.save()
        world.wait("refusals", lambda: len(twin.requests) >= count + 12)
        # Somebody else has pushes before, between and after.
        for _ in range(2):
            pair = Pair(world, kind, container)
            name = pair.save()
            world.wait("a push of somebody else", lambda: name_of(pair.pushes()[-1]) == name)
            spite.save()


def web_push_refusals_remove_after_ten_in_a_row(world):
    """Single ones are counted: a push service that is confused for a while costs nobody the subscription."""
    for status in (400, 401, 403):
        for _ in range(3):
            Pair(world, "webPush", WEB)
        pair = Pair(world, "webPush", WEB)
        pair.answer_with(*[Answer(status)] * 9)
        for count in range(9):
            pair.save()
            pair.pushes(2 + count)
        pair.save()
        pair.pushes(11)
        expect(pair.is_registered(), f"{status}: removed after fewer than ten")
        pair.answer_with(*[Answer(status)] * 10)
        for count in range(10):
            pair.save()
            pair.pushes(12 + count)
        world.wait("the removal", lambda: not pair.is_registered())


CHECKS = [a_provider_that_fails_is_probed_with_one_push_and_gets_all_when_it_is_back,
          one_user_with_bad_addresses_stops_nobody_else, web_push_refusals_remove_after_ten_in_a_row]
SLOW_CHECKS = [wrong_settings_stop_a_container_keep_its_pushes_and_are_probed_every_minute]
