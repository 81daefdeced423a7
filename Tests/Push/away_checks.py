"""Checks of a sender whose providers cannot be reached for a long time."""
import threading, time
from server import Answer
from world import expect

USERS, SAVES_PER_SECOND = 25, 50
MEMORY_MAX = 64 << 20
RETURN_SECONDS = 60


class Savers:
    """Users with a phone and a webhook each, who save at a rate."""

    def __init__(self, world):
        self.users = [world.user() for _ in range(USERS)]
        self.places = [(user, user.apns("phone"), user.hook("server")) for user in self.users]
        for user in self.users:
            user.subscribe({"alertBody": "x"})
        self.last = {}

    def save(self, seconds, each_second=lambda: None):
        """Saves for so long; each save is two pushes."""
        end, due, count = time.monotonic() + seconds, time.monotonic(), 0
        while time.monotonic() < end:
            user = self.users[count % USERS]
            self.last[user] = user.save()
            count += 1
            due += 1 / SAVES_PER_SECOND
            if count % SAVES_PER_SECOND == 0:
                each_second()
            time.sleep(max(0, due - time.monotonic()))
        return count


def memory(world):
    """The resident bytes of the program."""
    with open(f"/proc/{world.system.process.pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))


def grows(world, savers, minutes):
    """Saves for so long; the most memory beyond that of the beginning."""
    before, most = memory(world), 0

    def look():
        nonlocal most
        most = max(most, memory(world))
    count = savers.save(minutes * 60, look)
    look()
    print(f"        {minutes:g} minutes, {count} saves, {2 * count} pushes: memory {before >> 20} MiB, "
          f"+ {(most - before) / (1 << 20):.1f} at most", flush=True)
    return most - before


def providers_that_are_away_cost_no_memory(world, minutes):
    savers, twins = Savers(world), (world.apns, world.webhooks)
    # Stores and logs fill their caches first.
    grows(world, savers, minutes)
    for twin in twins:
        twin.behaviours[None] = Answer(fault="cut")
    grown = grows(world, savers, minutes)
    expect(grown <= MEMORY_MAX, f"memory grew by {grown >> 20} MiB")
    for twin in twins:
        twin.behaviours.pop(None)
    began = time.monotonic()
    for user, token, hook in savers.places:
        for twin, place in ((world.apns, token), (world.webhooks, hook)):
            world.wait(f"the newest push of {place}", lambda: any(
                push.payload["ck"]["qry"]["rid"] == savers.last[user] and push.answer.fault is None
                for push in twin.pushes(place)[-3:]))
    waited = time.monotonic() - began
    print(f"        all have the newest {waited:.1f} s after the return", flush=True)
    expect(waited <= RETURN_SECONDS, f"the newest came after {waited:.0f} s")
