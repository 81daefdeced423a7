"""Checks that a process which dies with pushes under way loses none, and repeats with equal IDs."""
import os, random, signal, threading, time
from server import Answer
from world import expect

STEPS = ["push-answered", "push-committing", "push-committed"]


class Traffic:
    """Users who save all the time, each with an address of every kind."""

    def __init__(self, world, users=3):
        self.world, self.is_over = world, False
        self.users = [world.user() for _ in range(users)]
        self.places = []
        for user in self.users:
            self.places += [(user, "phone", world.apns, user.apns("phone")), (user, "browser", world.service, user.web("browser")),
                            (user, "server", world.webhooks, user.hook("server"))]
            user.subscribe({"alertBody": "x"})
        self.counts = {user: 0 for user in self.users}
        self.threads = [threading.Thread(target=self.save, args=(user,), daemon=True) for user in self.users]
        for thread in self.threads:
            thread.start()

    def save(self, user):
        """Saves records until the end; each again until it is answered."""
        while not self.is_over:
            name = f"n{self.counts[user]}-{user.number}"
            try:
                user.save(name=name)
                self.counts[user] += 1
            except AssertionError:
                time.sleep(0.02)

    def end(self):
        self.is_over = True
        for thread in self.threads:
            thread.join(60)
        self.last = {user: user.save() for user in self.users}

    def has_repeats(self):
        """Whether a provider was given a push twice."""
        sent = [[push.id for push in twin.pushes(place)] for _, _, twin, place in self.places]
        return any(len(set(ids)) < len(ids) for ids in sent)

    def check(self):
        """Every notification of the feed was pushed, or another one stands for it; in order; repeats have equal IDs."""
        repeats = 0
        for user, device, twin, place in self.places:
            feed = [entry["notificationID"] for entry in user.feed(device, self.counts[user] + 1)]
            notification = lambda push: push.payload["ck"]["nid"]
            self.world.wait(f"the last push at {device}", lambda: any(notification(push) == feed[-1] for push in twin.pushes(place)))
            pushes = twin.pushes(place)
            ids, places, merged = {}, [], {}
            for push in pushes:
                name = notification(push)
                expect(name in feed, f"{device}: a push that the feed has not")
                repeats += name in ids
                expect(ids.setdefault(name, push.id) == push.id, f"{device}: a repeat has another ID")
                if not places or places[-1] != feed.index(name):
                    places.append(feed.index(name))
                if push.event:
                    merged[push.id] = max(merged.get(push.id, 0), push.event.get("merged", 1))
            # A repeat may come again after the crash, but nothing older.
            expect(places == sorted(places), f"{device}: out of order: {places}")
            if merged:
                expect(sum(merged.values()) >= len(feed), f"{len(feed)} notifications, pushes stand for {sum(merged.values())}")
        return repeats


def kills_at_each_step_lose_nothing(world):
    for twin in (world.apns, world.service, world.webhooks):
        twin.behaviours[None] = lambda request: Answer(200, delay=0.01)
    traffic, system = Traffic(world), world.system

    def kill(step, times):
        system.process.kill()
        system.process.wait(60)
        system.start({"FANFARE_KILL_AT": f"{step}:{times}"})
        system.process.wait(60)
        expect(f'{{"killed":"{step}"}}' in world.log(), f"{step} was not reached")
        system.start()

    for times in (1, 5, 25):
        for step in STEPS:
            kill(step, times)
    # On a full machine pushes wait, and a newer one stands for the one that would be repeated.
    for _ in range(20):
        if traffic.has_repeats():
            break
        kill("push-answered", 1)
    traffic.end()
    expect(traffic.check() > 0, "no push was repeated: nothing was under way")


def kills_at_any_time_lose_nothing(world):
    chance = random.Random(1)
    for twin in (world.apns, world.service, world.webhooks):
        twin.behaviours[None] = lambda request: Answer(200, delay=0.01)
    traffic, system = Traffic(world), world.system
    for _ in range(6):
        count = len(world.apns.requests) + chance.randrange(1, 60)
        world.wait("pushes", lambda: len(world.apns.requests) >= count)
        os.kill(system.process.pid, signal.SIGKILL)
        system.process.wait(60)
        system.start()
    traffic.end()
    traffic.check()


def an_end_in_order_repeats_nothing(world):
    traffic, system = Traffic(world), world.system
    for _ in range(3):
        count = len(world.apns.requests) + 30
        world.wait("pushes", lambda: len(world.apns.requests) >= count)
        system.process.send_signal(signal.SIGTERM)
        expect(system.process.wait(60) == 0, "the exit code")
        system.start()
    traffic.end()
    repeats = traffic.check()
    expect(repeats == 0, f"{repeats} repeats")


CHECKS = [kills_at_each_step_lose_nothing, kills_at_any_time_lose_nothing, an_end_in_order_repeats_nothing]
