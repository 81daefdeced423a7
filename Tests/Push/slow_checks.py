"""Checks that wait for time-outs of the product; they run beside the others."""
import time
from answer_checks import Pair, name_of
from server import Answer
from world import expect


def silence_and_slow_answers(world):
    """A provider that never answers is given ten seconds; one that is slow is not sent the push again."""
    pairs = {kind: Pair(world, kind) for kind in ("apns", "webPush", "webhook")}
    dripping = Pair(world, "webPush", service=world.twins.more_services(1, protocols=("http/1.1",))[0])
    slow = {kind: Pair(world, kind) for kind in pairs}
    huge = [Pair(world, kind, service=service) for kind, service in (
        ("webPush", world.twins.more_services(1)[0]), ("webPush", world.twins.more_services(1, protocols=("http/1.1",))[0]))]
    for each in pairs.values():
        each.answer_with(Answer(fault="silence"))
    dripping.answer_with(Answer(201, body=b"x" * 1000, trickle=0.5))
    for each in slow.values():
        each.answer_with(Answer(200, delay=4))
    for each in huge:
        each.answer_with(Answer(201, body=b"x" * (16 << 20)))
    names = {each: each.save() for each in [*pairs.values(), dripping, *slow.values(), *huge]}
    for each in [*pairs.values(), dripping]:
        first, second = each.pushes(3)[1:3]
        expect(first.id == second.id and name_of(second) == names[each], f"{each.kind}: not the same push")
        expect(8 < second.time - first.time < 60, f"{each.kind}: again after {second.time - first.time:.1f} s")
    for each in [*slow.values(), *huge]:
        last = each.save()
        world.wait("the next push", lambda: name_of(each.pushes()[-1]) == last)
        same = [push for push in each.pushes() if name_of(push) == names[each]]
        # On a full machine the answer may take the ten seconds after which a push is sent again.
        early = [later for push, later in zip(same, same[1:]) if later.time - push.time < 9]
        expect(not early or each in huge and len(same) <= 3, f"{each.kind}: sent {len(same)} times")


def too_many_connections_open_the_circuit(world):
    """A provider that cuts each connection is not connected to again and again: Apple takes that for an attack."""
    world.apns.behaviours[None] = lambda request: Answer(fault="cut")
    user = world.user()
    token = user.apns()
    user.subscribe({"alertBody": "x"})
    began, opened = time.monotonic(), world.apns.opened
    for _ in range(3):
        user.save()
    world.wait("an open circuit", lambda: '"sender.line.stopped","kind":"apns"' in world.log())
    count, began = world.apns.opened - opened, time.monotonic() - began
    expect(count <= 8, f"{count} connections in {began:.1f} s")
    world.apns.behaviours.pop(None)
    last = user.save()
    world.wait("the push", lambda: any(
        push.answer.status == 200 and not push.answer.fault and name_of(push) == last for push in world.apns.pushes(token)))
