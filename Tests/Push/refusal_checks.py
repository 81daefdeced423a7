"""Checks of answers that a wrong setting, a provider that is down, or a user with bad addresses gives for many devices."""
import threading
from apns import answer
from answer_checks import Pair, is_removed, name_of, removes
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
    """Users of a container whose pushes are all answered alike."""

    def __init__(self, world, container, given, devices, users=1):
        self.world, self.users, self.given = world, [world.user(container) for _ in range(users)], given
        self.tokens = {user: [user.apns(f"phone{number}") for number in range(devices)] for user in self.users}
        for user, tokens in self.tokens.items():
            for token in tokens:
                world.apns.behaviours[token] = lambda request: self.given
            user.subscribe({"alertBody": "x"})

    def save(self):
        """Each user saves a record."""
        self.names = {user: user.save() for user in self.users}

    def has_arrived(self):
        """True once the last push of each device was taken."""
        return all(any(push.answer.status == 200 and name_of(push) == self.names[user] for push in self.world.apns.pushes(token))
                   for user, tokens in self.tokens.items() for token in tokens)

    def pushes(self):
        return [push for tokens in self.tokens.values() for token in tokens for push in self.world.apns.pushes(token)]

    def recover(self):
        self.given = None


def wrong_settings_stop_a_container_keep_its_pushes_and_are_probed_every_minute(world):
    """Beside it all tokens of a container answer BadDeviceToken: no address is removed, pushes wait for the probe."""
    refused = [Refused(world, container, answer(*given), 2) for container, given in zip(CONTAINERS, SETTINGS)]
    doubted = Refused(world, DOUBTED, answer(400, "BadDeviceToken"), devices=4, users=5)
    groups = [*refused, doubted]
    for each in refused:
        each.save()
    for _ in range(3):
        doubted.save()
    stopped = lambda: world.metric("fanfare_push_sender_stopped_credentials", kind="apns")
    world.wait("stopped credentials", lambda: stopped() == len(groups))
    counts = [len(each.pushes()) for each in groups]
    for each in groups:
        each.save()
    # Another container's pushes go on.
    for _ in range(2):
        Pair(world, "apns")
    for each, given, count in zip(refused, SETTINGS, counts):
        expect(count <= (4 if given[1] == "ExpiredProviderToken" else 2), f"{given}: {count} pushes before the stop")
    expect([len(each.pushes()) for each in groups] == counts, "a stopped credential was used")
    for user in doubted.users:
        expect(list(user.kinds().values()) == [["apns"]] * 4, f"addresses were removed: {user.kinds()}")
    expect(world.outcomes("apns", "removed") == 0, "addresses were removed")
    times = [max(push.time for push in each.pushes()) for each in groups]
    for each in groups:
        each.recover()
    for each in groups:
        world.twins.loop.wait("the newest push at each device after a probe", each.has_arrived, 150)
    for each, time_of_stop, count, given in zip(groups, times, counts, [*SETTINGS, (400, "BadDeviceToken")]):
        pause = min(push.time for push in each.pushes() if push.time > time_of_stop) - time_of_stop
        expect(pause > 50, f"{given}: a probe after {pause:.1f} s")
    world.wait("no stopped credential", lambda: stopped() == 0)
    # One of many that answers so is dead.
    removes(world, "apns", answer(400, "BadDeviceToken"), container=DOUBTED)


def a_provider_that_fails_is_probed_with_one_push_and_gets_all_when_it_is_back(world):
    crowd = Refused(world, BUSY, answer(503, "ServiceUnavailable"), devices=6, users=5)
    crowd.save()
    world.wait("an open circuit", lambda: world.metric("fanfare_push_sender_open_circuits", kind="apns") > 0)
    in_flight = lambda: world.metric("fanfare_push_sender_in_flight_pushes", kind="apns")
    # Those in flight are answered; then single probes come.
    world.wait("the answers", lambda: in_flight() == 0)
    for _ in range(3):
        gate = threading.Event()
        crowd.given = answer(503, "ServiceUnavailable", gate=gate)
        held = lambda: [push for push in crowd.pushes() if push.answer.gate is gate]
        world.wait("a probe", held)
        # While it is not answered no other is sent: it takes the metrics' requests a while to come.
        expect([in_flight() for _ in range(5)] == [1] * 5, f"{in_flight()} in flight")
        expect(len(held()) == 1, f"{len(held())} probes at once")
        gate.set()
        world.wait("the answer", lambda: in_flight() == 0)
    crowd.recover()
    world.wait("all pushes", crowd.has_arrived)
    for token in [token for tokens in crowd.tokens.values() for token in tokens]:
        ids = {push.id for push in world.apns.pushes(token)}
        expect(len(ids) == 1, f"{len(ids)} IDs of one push")


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
        is_removed(world, pair)


CHECKS = [a_provider_that_fails_is_probed_with_one_push_and_gets_all_when_it_is_back,
          one_user_with_bad_addresses_stops_nobody_else, web_push_refusals_remove_after_ten_in_a_row]
SLOW_CHECKS = [wrong_settings_stop_a_container_keep_its_pushes_and_are_probed_every_minute]
