#!/usr/bin/env python3
"""What delivery policies have to give, by docs/policies.md alone: a plain model that shares no code with stage 2.

Reads events of one user, a line each with tabs between, and writes what each one delivers:

    in   device NAME EPOCH | gone NAME | choose NAME CLOCK GENERAL SUBSCRIPTION=POLICY …
         change TIME NUMBER RECORD SUBSCRIPTION POLICY | read TIME NAME NUMBER,… | due TIME AT | other TIME
    out  push NAME SUBSCRIPTION NUMBERS COUNT | feed SUBSCRIPTION NUMBERS COUNT | schedule AT DELAY | end

A policy is `-` or GROUPING:WINDOW:COUNT:HOURLY:FROM:TO:SHAPES, a clock FROM:MINUTES;…; times are milliseconds.
"""
import sys

HOUR, MINUTE = 3_600_000, 60_000


class Policy:
    def __init__(self, text="every:0:0:0:0:0:0"):
        parts = text.split(":")
        self.grouping = parts[0]
        self.window, self.count, self.hourly, self.start, self.stop, self.shapes = map(int, parts[1:])

    def plain(self):
        return self.grouping == "every" and not self.hourly and self.start == self.stop

    def on_pushes(self):
        if not self.shapes:
            return self
        policy = Policy()
        policy.hourly, policy.start, policy.stop = self.hourly, self.start, self.stop
        return policy

    def on_feed(self):
        policy = Policy()
        policy.grouping, policy.window, policy.count = self.grouping, self.window, self.count
        return policy


def offset(clock, time):
    minutes = clock[0][1] if clock else 0
    for start, value in clock:
        if start <= time:
            minutes = value
    return minutes * MINUTE


def is_quiet(policy, clock, time):
    if policy.start == policy.stop:
        return False
    minute = (time + offset(clock, time)) // MINUTE % 1440
    if policy.start < policy.stop:
        return policy.start <= minute < policy.stop
    return minute >= policy.start or minute < policy.stop


def after_quiet(policy, clock, time):
    """Goes on by minutes until it is not quiet."""
    while is_quiet(policy, clock, time):
        time = (time // MINUTE + 1) * MINUTE
    return time


class Note:
    def __init__(self, record, numbers, extra=0):
        self.record, self.numbers, self.extra = record, numbers, extra

    def text(self):
        return ",".join(map(str, sorted(self.numbers))) + f"\t{len(self.numbers) + self.extra}"


class Hold:
    def __init__(self, policy):
        self.policy, self.own, self.notes, self.opened, self.pushed, self.due = policy, None, [], 0, [], 0

    def add(self, note, now):
        if not self.notes:
            self.opened = now
        latest = self.policy.grouping == "latest"
        same = [one for one in self.notes if not latest or one.record == note.record]
        if same:
            former = same[-1]
            self.notes.remove(former)
            note = merged(former, note)
        self.notes.append(note)
        while len(self.notes) > (20 if latest else 1):
            first = self.notes.pop(0)
            second = self.notes[0]
            self.notes[0] = merged(first, second)

    def total(self):
        return sum(len(note.numbers) + note.extra for note in self.notes)

    def plan(self, now, clock, is_feed):
        policy = self.policy
        self.due = self.opened + policy.window
        if policy.count and self.total() >= policy.count or is_feed and self.total() >= 1000:
            self.due = min(self.due, now)
        if policy.hourly:
            self.pushed = [time for time in self.pushed if now - HOUR < time <= now + HOUR]
            if len(self.pushed) >= policy.hourly:
                self.due = max(self.due, self.pushed[-policy.hourly] + HOUR)
        else:
            self.pushed = []
        start = max(self.due, now)
        if is_quiet(policy, clock, start):
            self.due = after_quiet(policy, clock, start)


def merged(former, later):
    numbers = former.numbers + later.numbers
    return Note(later.record, numbers[:1000], former.extra + later.extra + max(0, len(numbers) - 1000))


class User:
    def __init__(self):
        self.devices, self.chosen, self.holds, self.scheduled = {}, {}, {}, None

    def clock(self, name):
        return self.chosen[name][0] if name in self.chosen else []

    def policy(self, name, subscription, own):
        if name in self.chosen:
            _, general, single = self.chosen[name]
            if subscription in single:
                return single[subscription]
            if general:
                return general
        return own or Policy()

    def change(self, now, note, subscription, policy, out):
        if policy and policy.shapes:
            hold = self.holds.setdefault(("", subscription), Hold(policy.on_feed()))
            hold.policy, hold.own = policy.on_feed(), policy
            hold.add(note, now)
            hold.plan(now, [], True)
        else:
            self.feed(now, note, subscription, policy, out)

    def feed(self, now, note, subscription, own, out):
        out.append(f"feed\t{subscription}\t{note.text()}")
        own = own.on_pushes() if own else None
        for name in self.devices:
            policy = self.policy(name, subscription, own)
            if policy.plain() and (name, subscription) not in self.holds:
                out.append(f"push\t{name}\t{subscription}\t{note.text()}")
                continue
            hold = self.holds.setdefault((name, subscription), Hold(policy))
            hold.policy, hold.own = policy, own
            hold.add(Note(note.record, list(note.numbers), note.extra), now)
            hold.plan(now, self.clock(name), False)

    def release(self, now, real, out, at=None):
        if at is not None and self.scheduled is not None and self.scheduled <= at:
            self.scheduled = None
        while True:
            ready = [key for key, hold in self.holds.items() if hold.notes and hold.due <= now]
            if not ready:
                break
            name, subscription = key = min(ready, key=lambda key: self.holds[key].due)
            hold = self.holds[key]
            if not name:
                notes, hold.notes = hold.notes, []
                for note in notes:
                    self.feed(real, note, subscription, hold.own, out)
                continue
            if name not in self.devices:
                hold.notes = []
                continue
            hold.plan(now, self.clock(name), False)
            if hold.due > now:
                continue
            room = len(hold.notes)
            if hold.policy.hourly:
                room = min(room, hold.policy.hourly - len(hold.pushed))
                hold.pushed += [now] * room
            for note in hold.notes[:room]:
                out.append(f"push\t{name}\t{subscription}\t{note.text()}")
            hold.notes = hold.notes[room:]
            hold.plan(now, self.clock(name), False)
        self.holds = {
            key: hold
            for key, hold in self.holds.items()
            if hold.notes or any(now - HOUR < time <= now + HOUR for time in hold.pushed)
        }
        due = [hold.due for hold in self.holds.values() if hold.notes]
        if due and not (self.scheduled is not None and real - HOUR < self.scheduled <= min(due)):
            self.scheduled = min(due)
            out.append(f"schedule\t{self.scheduled}\t{max(0, min(self.scheduled - real, 72 * HOUR))}")

    def take(self, line, out):
        kind, *rest = line.split("\t")
        now = int(rest[0])
        limit, at = now, None
        if kind == "device":
            self.devices[rest[1]] = True
        elif kind == "gone":
            self.devices.pop(rest[1], None)
            self.chosen.pop(rest[1], None)
        elif kind == "choose":
            name, clock, general, *single = rest[1:]
            pairs = [tuple(map(int, part.split(":"))) for part in clock.split(";") if part]
            chosen = {text.split("=")[0]: Policy(text.split("=")[1]) for text in single}
            self.chosen[name] = (pairs, Policy(general) if general != "-" else None, chosen)
            for (device, subscription), hold in self.holds.items():
                if device == name:
                    hold.policy = self.policy(name, subscription, hold.own)
                    hold.plan(now, pairs, False)
        elif kind == "change":
            number, record, subscription, policy = rest[1:]
            self.change(
                now, Note(record, [int(number)]), subscription, Policy(policy) if policy != "-" else None, out)
        elif kind == "read":
            numbers = set(map(int, rest[2].split(",")))
            for (device, _), hold in self.holds.items():
                if device:
                    for note in hold.notes:
                        note.numbers = [number for number in note.numbers if number not in numbers]
                    hold.notes = [note for note in hold.notes if note.numbers or note.extra]
        elif kind == "due":
            at = int(rest[1])
            limit = max(now, at)
        self.release(limit, now, out, at)


def main():
    user = User()
    for line in sys.stdin:
        out = []
        user.take(line.rstrip("\n"), out)
        for text in sorted(out):
            print(text)
        print("end")


main()
