"""Checks that no endpoint which a user chose leads to an address inside of the operator's network.

The program is preloaded with `names.c`, by which names of `push.test` have the addresses that a check wants, and public
addresses lead to a twin. So its rules for public networks are tried as they are, port 443 included.
"""
import os, shutil, socket, subprocess, threading, time
from server import Answer
from webhooks import WebhookTwin
from delivery_checks import arrives
from world import World, expect, record_of

# Addresses that no push may reach, in all spellings that a resolver returns.
INSIDE = [
    "127.0.0.1", "127.8.9.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "198.18.0.1", "192.0.0.1", "192.0.2.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "::127.0.0.1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:7f00:1", "fe80::1", "fec0::1", "fd00::1", "fc00::1", "ff02::1",
    "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::", "2001:db8::1", "100::1",
]


# Hosts that accept connections and say nothing: more than a client has connections.
TARPITS = 300
# Hosts of webhooks that take requests and answer none: more than twice the connections of a client.
HUNG = 600


class Listener:
    """A server that accepts connections, and closes or keeps them."""

    def __init__(self, keeps=False):
        self.keeps, self.kept = keeps, []
        self.accepted, self.sockets = 0, [socket.create_server(("127.0.0.1", 0))]
        self.port = self.sockets[0].getsockname()[1]
        if socket.has_dualstack_ipv6():
            try:
                self.sockets.append(socket.create_server(("::1", self.port), family=socket.AF_INET6))
            except OSError:
                pass
        for one in self.sockets:
            threading.Thread(target=self.accept, args=(one,), daemon=True).start()

    def accept(self, one):
        while True:
            try:
                connection, _ = one.accept()
            except OSError:
                return
            self.accepted += 1
            if self.keeps:
                self.kept.append(connection)
            else:
                connection.close()


class HostileWorld(World):
    """A system as in production, with names of a test."""

    def __init__(self, program, authority, folder, twins):
        library, self.names, self.calls = f"{folder}/names.so", f"{folder}/names", f"{folder}/calls"
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "names.c")
        subprocess.run([shutil.which("cc") or "clang", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        self.listener, self.tarpit = Listener(), Listener(keeps=True)
        open(self.calls, "w").close()
        twins.service.origins.append("https://good.push.test")
        self.hung = WebhookTwin(twins.loop, authority)
        self.hung.behaviours[None] = Answer(fault="silence")
        twins.all.append(self.hung)
        lines = [f"name h{number}.push.test {address}" for number, address in enumerate(INSIDE)] + [
            "name good.push.test 11.0.0.1", "name closed.push.test 11.0.0.2",
            # Another address at the second look-up, and both at once.
            "name rebind.push.test 11.0.0.1,127.0.0.1", "name back.push.test 127.0.0.1,11.0.0.1",
            "name mixed.push.test 127.0.0.1+10.0.0.1+::1",
            f"lead 11.0.0.1:443 {twins.service.port}"]
        for number in range(HUNG):
            address = f"11.2.{number // 250}.{number % 250}"
            lines += [f"name hung{number}.push.test {address}", f"lead {address}:443 {self.hung.port}"]
        lines.append("hang slow.push.test 25")
        for number in range(2):
            lines += [f"name hooks{number}.push.test 11.0.1.{number}", f"lead 11.0.1.{number}:443 {twins.webhooks.port}"]
        for number in range(TARPITS):
            address = f"11.1.{number // 250}.{number % 250}"
            lines += [f"name tar{number}.push.test {address}", f"lead {address}:443 {self.tarpit.port}"]
        with open(self.names, "w") as file:
            file.write("\n".join(lines) + "\n")
        super().__init__(
            program, authority, "--push-loopback=false", "--web-push-hosts", "*.push.test,fcm.googleapis.com",
            "--webhook-hosts", "*.push.test", "--push-ports", str(self.listener.port), twins=twins, environment={
                "LD_PRELOAD": library, "PUSH_CHECK_NAMES": self.names, "PUSH_CHECK_LOG": self.calls})

    def connected(self):
        """The addresses to which the program connected, but for APNs' twin."""
        with open(self.calls) as file:
            lines = [line.split() for line in file]
        return [line[1] for line in lines if line[0] == "connect" and line[2] != str(self.apns.port)]

    def looked_up(self):
        with open(self.calls) as file:
            return [line.split()[1] for line in file if line.startswith("look-up")]


def nothing_inside(world):
    inside = {address for address in world.connected() if not address.startswith("11.")}
    expect(not inside, f"connections to {inside}")
    expect(world.listener.accepted == 0, "the inside listener was reached")


def a_public_push_service_is_reached_at_port_443(world):
    user = world.user()
    web = user.web(origin="https://good.push.test")
    user.subscribe()
    name = user.save()
    push = arrives(world, world.service, web)[0]
    expect(record_of(push.payload) == name and push.claims["aud"] == "https://good.push.test", f"{push.claims}")
    expect(set(world.connected()) == {"11.0.0.1"}, f"{world.connected()}")


def no_byte_reaches_an_inside_address(world):
    """Neither by Web Push nor by webhooks, at none of the allowed ports; all users are shown the same."""
    port = world.listener.port
    hosts = [f"h{number}.push.test" for number in range(len(INSIDE))] + ["mixed.push.test", "back.push.test"]
    addresses = [f"https://{host}{suffix}/push/x" for host in hosts for suffix in ("", f":{port}")]
    web, hooks = world.user(), []
    users = []
    before = {kind: world.outcomes(kind, "dropped", reason="address-not-allowed") for kind in ("webPush", "webhook")}
    for start in range(0, len(addresses), 10):
        user = world.user()
        users.append(user)
        for number, url in enumerate(addresses[start:start + 10]):
            made = world.service.subscribe(user.keys or "", origin="https://good.push.test").json
            user.good(user.register(f"browser{number}", webPush={**made, "endpoint": url}))
            user.good(user.register(f"server{number}", webhook={"url": url, "secret": "whsec_" + "A" * 32}))
        user.subscribe()
        user.save()
    for kind in before:
        world.wait(f"the drop of each push by {kind}", lambda: (
            world.outcomes(kind, "dropped", reason="address-not-allowed") - before[kind] >= len(addresses) - 4))
    world.wait("the end", lambda: world.metric("fanfare_push_sender_in_flight_pushes") == 0)
    nothing_inside(world)
    closed = world.user()
    made = world.service.subscribe("", origin="https://good.push.test").json
    closed.good(closed.register("browser0", webPush={**made, "endpoint": "https://closed.push.test/push/x"}))
    closed.subscribe()
    closed.save()
    world.wait("the failure", lambda: world.outcomes("webPush", "failed", reason="no-connection") > 0)
    # A host that nobody answers at looks to the user like one inside.
    def shown(user):
        devices = user.good(user.client.ask("devices/list", None, "device"))["devices"]
        failures = [push.get("lastFailure") for each in devices for push in each.get("push", []) if push["kind"] == "webPush"]
        return {(each["reason"], each["time"] % 60_000) for each in failures} if all(failures) else None
    views = [world.wait("the failures in devices/list", lambda: shown(user)) for user in [*users, closed]]
    expect(views == [{("no-answer", 0)}] * len(views), f"users see a difference: {views}")


def a_name_that_changes_its_address_leads_nowhere(world):
    """The first look-up is public and the second inside, at another port."""
    world.service.origins.append("https://rebind.push.test")
    user = world.user()
    web = user.web(origin="https://rebind.push.test")
    made = world.service.subscribe("", origin="https://good.push.test").json
    user.subscribe()
    user.save()
    arrives(world, world.service, web)
    before = world.outcomes("webPush", "dropped", reason="address-not-allowed")
    user.good(user.register("second", webPush={
        **made, "endpoint": f"https://rebind.push.test:{world.listener.port}/push/x"}))
    user.save()
    world.wait("the drop", lambda: world.outcomes("webPush", "dropped", reason="address-not-allowed") > before)
    expect(world.looked_up().count("rebind.push.test") >= 2, "no second look-up")
    nothing_inside(world)


def urls_that_the_operator_does_not_allow_are_refused_at_once(world):
    user = world.user()
    bad = ["http://good.push.test/x", "https://good.push.test:22/x", "https://good.push.test:0/x", "https://good.push.test:99999/x",
           "https://u:p@good.push.test/x", "https://good.push.test@127.0.0.1/x", "https://good.push.test#@127.0.0.1/",
           "https://good.push.test\\@127.0.0.1/", "https://evil.example/x", "https://push.test.evil.example/x", "https://127.0.0.1/x",
           "https://[::1]/x", "https://[::ffff:127.0.0.1]/x", "https://127.1/x", "https://2130706433/x", "https://0x7f.1/x",
           "https://0177.0.0.1/x", "https://localhost/x", "https://\u24d6ood.push.test/x", "https://g\u00f6od.push.test/x",
           "https://good.push.test/\r\nhost: x", "https://good.push.test\r\n/x", "https://good.push.test/ x", "https:///x", "https://",
           "//good.push.test/x", "file:///etc/passwd", "ftp://good.push.test/x", "https://good.push.test/" + "x" * 2048,
           "https://127.0.0.1%2f.push.test/x", "https://.push.test/x", "https://push.test/x", "https://good.push.test./x",
           "https://good..push.test/x", "HTTPS://GOOD.PUSH.TEST:22/x", "javascript:alert(1)", "", "\0", "https://good.push.test/\0"]
    made = world.service.subscribe("", origin="https://good.push.test").json
    for url in bad:
        for body in ({"webPush": {**made, "endpoint": url}}, {"webhook": {"url": url}}):
            status, answer = user.register("browser", **body)
            expect(status == 400 and answer.get("serverErrorCode") == "BAD_REQUEST", f"{url!r}: {status} {answer}")
            expect("127.0.0.1" not in str(answer) and "passwd" not in str(answer), f"{url!r} is in the answer: {answer}")
    expect(user.kinds() == {"browser": []}, f"{user.kinds()}")
    for topic in ("a\r\nb", "a b", "\u00e4", "", "x" * 300):
        status, answer = user.register("phone", apns={"token": "ab" * 32, "environment": "development", "topic": topic})
        expect(status == 400, f"{topic!r}: {status} {answer}")
    user.good(user.register("browser", webPush={**made, "endpoint": "HTTPS://GOOD.PUSH.TEST:443/x"}))


def redirections_inward_and_large_answers_say_nothing(world):
    user = world.user()
    web = user.web(origin="https://good.push.test")
    user.subscribe()
    given = [Answer(status, {"Location": f"https://h0.push.test:{world.listener.port}/"}, body=b"x" * (1 << 20)) for status in (301, 307)]
    world.service.behaviours[web.name] = list(given)
    for count in range(1, 4):
        user.save()
        arrives(world, world.service, web, count)
    nothing_inside(world)
    status, answer = user.client.ask("devices/list", None, "device")
    expect(status == 200 and "xxxx" not in str(answer) and "h0.push" not in str(answer), f"{answer}")


def hosts_that_say_nothing_hold_only_their_own_pushes(world):
    """More hosts than there are connections: a push to another host comes before theirs time out again and again."""
    for start in range(0, TARPITS, 20):
        user = world.user()
        for number in range(start, start + 20):
            made = world.service.subscribe("", origin="https://good.push.test").json
            user.good(user.register(f"tar{number}", webPush={**made, "endpoint": f"https://tar{number}.push.test/push/x"}))
        user.subscribe()
        user.save()
    world.wait("connections that say nothing", lambda: world.tarpit.accepted >= 200)
    victim = world.user()
    world.service.close_connections()
    web = victim.web(origin="https://good.push.test")
    victim.subscribe()
    for count in range(1, 4):
        began = time.monotonic()
        victim.save()
        arrives(world, world.service, web, count)
        taken = time.monotonic() - began
        expect(taken < 30, f"a push to another host took {taken:.1f} s")


def hook_at(user, twin, name, host):
    """Registers a webhook of a twin by a host's name."""
    url, secret = twin.hook(name)
    url = url.replace(twin.origin, f"https://{host}.push.test")
    user.good(user.register(f"server-{name}", webhook={"url": url, "secret": secret}))


def push_time(world, user, name):
    """Saves a record; the seconds until the webhook has its push."""
    began, count = time.monotonic(), len(world.webhooks.pushes(name))
    user.save()
    arrives(world, world.webhooks, name, count + 1)
    return time.monotonic() - began


def webhook_hosts_that_never_answer_hold_only_their_own_pushes(world):
    """More of them than there are connections: pushes to a host that answers come at once, and to a new one soon."""
    known, new = world.user(), world.user()
    for user in (known, new):
        user.subscribe()
    hook_at(known, world.webhooks, "known", "hooks0")
    alone = [push_time(world, known, "known") for _ in range(5)]
    for start in range(0, HUNG, 20):
        user = world.user()
        for number in range(start, start + 20):
            hook_at(user, world.hung, f"hung{number}", f"hung{number}")
        user.subscribe()
        user.save()
    world.wait("requests that are not answered", lambda: len({push.hook for push in world.hung.pushes()}) > 256)
    beside = [push_time(world, known, "known") for _ in range(20)]
    hook_at(new, world.webhooks, "new", "hooks1")
    first = push_time(world, new, "new")
    print(f"        a push alone {max(alone):.2f} s, beside {HUNG} hosts that never answer {sorted(beside)[10]:.2f} s, "
          f"at most {max(beside):.2f} s, the first to a new host {first:.2f} s", flush=True)
    # Requests to the others end after ten seconds.
    expect(max(beside) < 3, f"pushes to a host that answers took {beside}")


def a_name_server_that_never_answers_holds_only_its_own_pushes(world):
    """A look-up outlasts its request, and no other request waits for it."""
    known, hanging = world.user(), world.user()
    for user in (known, hanging):
        user.subscribe()
    hook_at(known, world.webhooks, "resolved", "hooks0")
    push_time(world, known, "resolved")
    hook_at(hanging, world.hung, "slow", "slow")
    timeouts = lambda: world.outcomes("webhook", "failed", reason="time-out") + world.outcomes("webhook", "failed", reason="no-connection")
    before = timeouts()
    hanging.save()
    world.wait("the look-up", lambda: "hang slow.push.test" in open(world.calls).read())
    took = []
    while timeouts() == before or len(took) < 20:
        took.append(push_time(world, known, "resolved"))
        time.sleep(0.2)
    print(f"        {len(took)} pushes beside a look-up that lasts, at most {max(took):.2f} s", flush=True)
    expect(max(took) < 3, f"pushes to another host took {took}")


CHECKS = [a_public_push_service_is_reached_at_port_443, no_byte_reaches_an_inside_address,
          urls_that_the_operator_does_not_allow_are_refused_at_once, a_name_that_changes_its_address_leads_nowhere,
          redirections_inward_and_large_answers_say_nothing, hosts_that_say_nothing_hold_only_their_own_pushes,
          webhook_hosts_that_never_answer_hold_only_their_own_pushes,
          a_name_server_that_never_answers_holds_only_its_own_pushes]
