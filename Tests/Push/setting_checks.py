"""Checks of credentials and of the commands for them."""
import json, os
from answer_checks import Pair, name_of
from apns import answer
from server import Answer
from world import TOPIC, expect

CERTIFIED = "iCloud.com.example.Certified"


def table(folder, authority):
    """A file of `apns-table` with a certificate for one container."""
    path = f"{folder}/apns.json"
    with open(path, "w") as file:
        json.dump({CERTIFIED: {"development": {"certificateFile": authority.client, "topic": TOPIC}}}, file)
    return path


def a_certificate_takes_the_place_of_a_token(world):
    """The pushes of its container come with it and without a token; those of others come on another connection."""
    certified, other = Pair(world, "apns", CERTIFIED), Pair(world, "apns")
    for pair in (certified, other):
        name = pair.save()
        world.wait("the push", lambda: name_of(pair.pushes()[-1]) == name)
    ours, theirs = certified.pushes(2), other.pushes(2)
    expect(all(push.certificate and "authorization" not in push.headers for push in ours), f"{ours[0].headers}")
    expect(not any(push.certificate for push in theirs), "a certificate of another container")
    expect(not {push.connection for push in ours} & {push.connection for push in theirs}, "a shared connection")


def push_keys_shows_public_parts_alone(world):
    user = world.user()
    key = user.good(user.client.ask("push/keys", None, "device"))["applicationServerKey"]
    for form in ([], ["--json"]):
        shown = world.run("push", "keys", *world.settings, *form)
        expect(shown.returncode == 0 and key in shown.stdout, f"{shown}")
        secret = open(world.twins.authority.apns_key_file).read().splitlines()[1]
        folder = f"{world.system.folder}/data"
        for file in [name for name in os.listdir(folder) if name.startswith("vapid-")]:
            expect(open(f"{folder}/{file}").read().splitlines()[1] not in shown.stdout, "a private key of Web Push is shown")
        expect(secret not in shown.stdout + shown.stderr, "Apple's private key is shown")


def push_test_shows_the_answer_of_each_provider(world):
    user = world.user()
    token, web, hook = user.apns("all"), user.web("all"), user.hook("all")
    places = [(world.apns, token), (world.service, web), (world.webhooks, hook)]
    tried = world.run("push", "test", "--device", user.id("all"), *world.settings)
    expect(tried.returncode == 0, f"{tried.stdout} {tried.stderr}")
    for status in (200, 201, 204):
        expect(f"accepted: {status}" in tried.stdout, f"{status}: {tried.stdout}")
    for twin, place in places:
        push = twin.pushes(place)[0]
        if twin is not world.service:
            expect(push.id in tried.stdout, f"{push.id}: {tried.stdout}")
    expect(token not in tried.stdout and web.name not in tried.stdout and hook not in tried.stdout, f"an address: {tried.stdout}")
    world.apns.behaviours[token] = answer(403, "InvalidProviderToken")
    world.service.behaviours[web.name] = Answer(410)
    tried = world.run("push", "test", "--device", user.id("all"), *world.settings)
    expect(tried.returncode != 0 and "InvalidProviderToken" in tried.stdout, f"{tried.stdout} {tried.stderr}")
    expect(user.kinds()["all"] == ["apns", "webPush", "webhook"], "a test removed an address")


def operators_see_the_status_of_the_last_answer(world):
    """In the list of addresses, and in metrics; the user of the device does not see it."""
    def registered():
        user = world.user()
        user.subscribe({"alertBody": "x"})
        return user, (user.apns("all"), user.web("all"), user.hook("all"))

    def last(user):
        lines = [json.loads(line) for line in world.run("push", "list", "--json").stdout.splitlines()]
        found = {line["kind"]: line["last"] for line in lines if line["userRecordName"] == user.client.user and "last" in line}
        return [(found.get(kind, {}).get("outcome"), found.get(kind, {}).get("status")) for kind in ("apns", "webPush", "webhook")]
    (good, _), (bad, places) = registered(), registered()
    for twin, place in zip((world.apns, world.service, world.webhooks), places):
        twin.behaviours[getattr(place, "name", place)] = answer(400, "PayloadEmpty") if twin is world.apns else Answer(400)
    for user in (good, bad):
        user.save()
    world.wait("the statuses of successes", lambda: last(good) == [("sent", 200), ("sent", 201), ("sent", 204)])
    world.wait("the statuses of failures", lambda: last(bad) == [("failed", 400)] * 3)
    for kind, status in (("apns", 200), ("webPush", 201), ("webhook", 204), ("webhook", 400)):
        expect(world.metric("fanfare_push_sender_answers_total", kind=kind, status=str(status)) > 0, f"{kind} {status}")
        expect(world.metric("fanfare_push_sender_last_accepted_timestamp_seconds", kind=kind) > 1e9, kind)
    for user in (good, bad):
        shown = json.dumps(user.good(user.client.ask("devices/list", None, "device")))
        expect("status" not in shown and "last" in shown, shown)


def logs_and_metrics_name_no_address(world):
    """Neither tokens nor endpoints nor keys, whatever providers answer."""
    pairs = [Pair(world, kind) for kind in ("apns", "webPush", "webhook")]
    texts = [pair.key for pair in pairs] + [pairs[1].place.json["keys"]["auth"], world.webhooks.secrets[pairs[2].key]]
    for given in (Answer(400, body=b"refused"), Answer(500), Answer(fault="cut"), Answer(410), Answer(302, {"location": "https://x"})):
        for pair in pairs:
            pair.answer_with(given)
            pair.save()
    shown = world.log() + world.metrics()
    found = [text for text in texts if text in shown]
    expect(not found, f"shown: {found}")
    # Of a JWT the signature would be enough.
    for push in pairs[0].pushes()[:1] + pairs[1].pushes()[:1]:
        signature = push.headers["authorization"].split()[1].rstrip(",").split(".")[-1]
        expect(len(signature) == 86 and signature not in shown, "a provider's token is shown")


CHECKS = [a_certificate_takes_the_place_of_a_token, push_keys_shows_public_parts_alone, push_test_shows_the_answer_of_each_provider,
          operators_see_the_status_of_the_last_answer, logs_and_metrics_name_no_address]
