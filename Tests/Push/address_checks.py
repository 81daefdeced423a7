"""Checks of addresses that change, and of connections that end between pushes."""
import os
from answer_checks import Pair, name_of
from certificates import Authority
from delivery_checks import arrives
from server import Answer
from world import expect, record_of


def a_token_that_changes_hands_belongs_to_its_new_user_at_once(world):
    """A phone or a browser that another user registers is sent nothing of the former one's."""
    former, latter = world.user(), world.user()
    for user in (former, latter):
        user.subscribe()
        user.apns("fence")
    token, web = former.apns(), former.web()
    former.save()
    places = [(world.apns, token), (world.service, web)]
    for twin, place in places:
        arrives(world, twin, place)
    latter.apns("phone", token)
    latter.good(latter.register("browser", webPush=web.json))
    expect(sum(len(kinds) for kinds in former.kinds().values()) == 1, f"{former.kinds()}")
    names = {former.save() for _ in range(3)}
    mine = latter.save()
    for twin, place in places:
        world.wait("the push of the new user", lambda: name_of(twin.pushes(place)[-1]) == mine)
        expect(not names & {name_of(push) for push in twin.pushes(place)[1:]}, "a push for the former user")


def removed_addresses_and_devices_get_nothing(world):
    for way in ("remove", "DELETE", "unregister"):
        for kind in ("apns", "webPush", "webhook"):
            pair = Pair(world, kind)
            device = pair.user.id("device")
            if way == "DELETE":
                pair.user.good(pair.user.client.ask(
                    f"devices/push/remove?deviceID={device}&kind={kind}", None, "device", method="DELETE"))
            else:
                pair.user.good(pair.user.client.ask(
                    "devices/unregister" if way == "unregister" else "devices/push/remove", {"deviceID": device, "kind": kind}, "device"))
            for _ in range(4):
                pair.save()
            expect(len(pair.pushes()) == 1, f"{way} {kind}: {len(pair.pushes()) - 1} pushes")
            expect(pair.user.kinds().get("device", []) == [], f"{way}: {pair.user.kinds()}")


def a_push_that_waits_goes_to_the_newest_address(world):
    services = world.twins.more_services(2)
    user = world.user()
    old = user.web("browser", service=services[0])
    user.subscribe()
    services[0].behaviours[old.name] = lambda request: Answer(503)
    last = user.save()
    arrives(world, services[0], old)
    new = user.web("browser", service=services[1])
    push = arrives(world, services[1], new)[0]
    expect(record_of(push.payload) == last and push.id == services[0].pushes(old)[0].id, f"{push.payload}")


def connections_that_servers_close_while_idle_cost_nothing(world):
    """Servers end idle connections, in order or not: the next push takes another one, without a failure."""
    pairs = [Pair(world, kind) for kind in ("apns", "webPush", "webhook")]
    service = world.twins.more_services(1, protocols=("http/1.1",))[0]
    pairs.append(Pair(world, "webPush", service=service))
    failed = sum(world.outcomes(kind, "failed") for kind in ("apns", "webPush", "webhook"))
    for round in range(2):
        for twin in {pair.twin for pair in pairs}:
            twin.close_connections()
        for pair in pairs:
            name = pair.save()
            world.wait("the push", lambda: name_of(pair.pushes()[-1]) == name)
            expect(len(pair.pushes()) == round + 2, f"{pair.kind}: sent again")
    count = sum(world.outcomes(kind, "failed") for kind in ("apns", "webPush", "webhook")) - failed
    # By HTTP/1.1 one of two pushes at once may be written to the old connection, and is written again at once.
    expect(count <= 2, f"{count} failures")


def a_server_without_trust_is_sent_nothing(world):
    """A certificate of another authority: the push waits, and no byte of it is sent."""
    folder = f"{world.system.folder}/other"
    os.mkdir(folder)
    service, user = world.twins.more_services(1)[0], world.user()
    good, service.context = service.context, Authority(folder).server_context()
    service.stop()
    service.start()
    web = user.web(service=service)
    user.subscribe()
    before = world.outcomes("webPush", "failed", reason="no-trust")
    name = user.save()
    world.wait("the failure", lambda: world.outcomes("webPush", "failed", reason="no-trust") > before)
    expect(not service.requests, "a push was sent to a server without trust")
    service.stop()
    service.context = good
    service.start()
    expect(record_of(arrives(world, service, web)[0].payload) == name, "another push")


CHECKS = [a_token_that_changes_hands_belongs_to_its_new_user_at_once, removed_addresses_and_devices_get_nothing,
          a_push_that_waits_goes_to_the_newest_address, connections_that_servers_close_while_idle_cost_nothing,
          a_server_without_trust_is_sent_nothing]
