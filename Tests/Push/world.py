"""A `fanfare dev` whose pushes go to twins, and its users."""
import itertools, os, re, subprocess, sys, urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
from dev_system import Client, System, change, subscription
from apns import APNsTwin
from server import Loop
from web_push import PushService
from webhooks import WebhookTwin

KEY_ID, TEAM_ID, TOPIC = "ABCDE12345", "TEAM123456", "com.example.Gallery"
SUBJECT = "mailto:push@example.com"
numbers = itertools.count(1)


def expect(is_true, what):
    if not is_true:
        raise AssertionError(what)


class Twins:
    """One twin of each provider."""
    key_id, team_id, topic = KEY_ID, TEAM_ID, TOPIC

    def __init__(self, authority):
        self.authority, self.loop = authority, Loop()
        self.apns = APNsTwin(self.loop, authority, KEY_ID, TEAM_ID, [TOPIC])
        self.service = PushService(self.loop, authority)
        self.webhooks = WebhookTwin(self.loop, authority)
        self.all = [self.apns, self.service, self.webhooks]

    def more_services(self, count, **rest):
        """Further push services, each a host of its own to the program."""
        made = [PushService(self.loop, self.authority, **rest) for _ in range(count)]
        self.all += made
        return made

    def stop(self):
        for twin in self.all:
            twin.stop()

    def violations(self):
        """What requests had wrong since the last call."""
        found = [f"{type(twin).__name__}: {each}" for twin in self.all for each in twin.violations]
        for twin in self.all:
            twin.violations.clear()
        return found


class World:
    """A system and its twins."""

    def __init__(self, program, authority, *arguments, environment=None, twins=None, containers=("iCloud.com.example.Gallery",)):
        self.twins = twins or Twins(authority)
        self.apns, self.service, self.webhooks = self.twins.apns, self.twins.service, self.twins.webhooks
        self.containers = ["--containers", ",".join(containers), "--environments", "development", "--partitions", "2"]
        self.tokens = {}
        self.settings = [
            "--apns-key-file", authority.apns_key_file, "--apns-key-id", KEY_ID, "--apns-team-id", TEAM_ID,
            "--apns-topic", TOPIC, "--apns-development-url", self.apns.origin, "--apns-production-url", self.apns.origin,
            "--vapid-subject", SUBJECT, "--push-ca-file", authority.file, *arguments]
        self.system = System(program, *self.containers, *self.settings, environment=environment)

    def run(self, *arguments):
        """A command of the program on the system's folder."""
        return subprocess.run([self.system.command[0], *arguments, "--data", f"{self.system.folder}/data", *self.containers],
                              capture_output=True, text=True)

    def scope(self, container):
        """What a client needs for a container: an API token of its own, but for the first."""
        if not container or container == self.system.dev["container"]:
            return self.system.dev
        if container not in self.tokens:
            made = self.run("token", "create", "--container", container)
            expect(made.returncode == 0, made.stderr)
            self.tokens[container] = made.stdout.split()[-1]
            one = Client({**self.system.dev, "container": container, "apiToken": self.tokens[container]})
            self.wait("the API token", lambda: one.sign_in("first").token)
        return {**self.system.dev, "container": container, "apiToken": self.tokens[container]}

    def user(self, container=None):
        return User(self, container)

    def wait(self, what, condition):
        return self.twins.loop.wait(what, condition)

    def metrics(self):
        port = re.findall(r'"internalPort":(\d+)', self.log())[-1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            return answer.read().decode()

    def metric(self, name, **labels):
        """The sum of a metric's rows with these labels."""
        total = 0.0
        for line in self.metrics().splitlines():
            found = re.fullmatch(r"([a-z_]+)(?:\{(.*)\})? (\S+)", line)
            if found and found[1] == name:
                have = dict(re.findall(r'([a-z]+)="([^"]*)"', found[2] or ""))
                if all(have.get(key) == value for key, value in labels.items()):
                    total += float(found[3])
        return total

    def outcomes(self, kind, outcome, **labels):
        return self.metric("fanfare_push_sender_pushes_total", kind=kind, outcome=outcome, **labels)

    def log(self):
        return open(f"{self.system.folder}/log", errors="replace").read()

    def end(self):
        return self.system.end()


class User:
    """A user with devices, subscribed to the records of a type in the private database."""

    def __init__(self, world, container=None):
        self.world, self.number = world, next(numbers)
        self.client = Client(world.scope(container)).sign_in(f"user-{self.number}")
        expect(self.client.token, "signing in")
        self.saved, self.keys = itertools.count(1), None

    def good(self, answer):
        status, body = answer
        expect(isinstance(body, dict), f"{status} {body}")
        items = next((value for value in body.values() if isinstance(value, list)), [])
        wrong = [item for item in items if isinstance(item, dict) and "serverErrorCode" in item]
        expect(status == 200 and not wrong, f"{status} {body}")
        return body

    def subscribe(self, info=None, name="all", type="Note", **rest):
        info = {"alertBody": "A note"} if info is None else info
        return self.good(self.client.subscribe([subscription(name, type, info=info, **rest)], "private"))

    def save(self, fields=None, name=None, type="Note"):
        """Saves a record; its name."""
        name = name or f"note-{self.number}-{next(self.saved)}"
        self.good(self.client.save(name, fields or {}, type, "private"))
        return name

    def id(self, name):
        """The ID of a device: no two users share one."""
        return f"{name}-{self.number}"

    def device(self, name):
        name = self.id(name)
        return self.good(self.client.ask("devices/register", {"deviceID": name}, "device"))["deviceID"]

    def register(self, device, contents=None, **address):
        """The answer of devices/push; the device is made if it is not there."""
        body = {"deviceID": self.device(device), **address, **({"contents": contents} if contents else {})}
        return self.client.ask("devices/push", body, "device")

    def apns(self, device=None, token=None, environment="development", **rest):
        """Registers a token of APNs on a device; the token."""
        token = token or os.urandom(32).hex()
        self.good(self.register(device or f"phone-{token[:12]}", apns={"token": token, "environment": environment}, **rest))
        return token

    def web(self, device=None, service=None, origin=None, **rest):
        """Registers a browser's subscription; that."""
        if self.keys is None:
            self.keys = self.good(self.client.ask("push/keys", None, "device"))["applicationServerKey"]
        made = (service or self.world.service).subscribe(self.keys, origin=origin)
        self.good(self.register(device or f"browser-{made.name[:12]}", webPush=made.json, **rest))
        return made

    def hook(self, device=None, name=None, **rest):
        """Registers a webhook; its name."""
        name = name or os.urandom(6).hex()
        url, secret = self.world.webhooks.hook(name)
        self.good(self.register(device or f"server-{name}", webhook={"url": url, "secret": secret}, **rest))
        return name

    def kinds(self):
        """The kinds of addresses of each device."""
        devices = self.good(self.client.ask("devices/list", None, "device"))["devices"]
        return {each["deviceID"].rsplit("-", 1)[0]: sorted(push["kind"] for push in each.get("push", [])) for each in devices}

    def feed(self, device, count):
        """The notifications of a device, once there are so many."""
        def read():
            found = self.read(device)
            return found if len(found) >= count else None
        return self.world.wait(f"{count} notifications of {device}", read)

    def read(self, device):
        """The notifications of a device now."""
        found, token, more = [], None, True
        while more:
            body = {"deviceID": self.id(device), **({"serverChangeToken": token} if token else {})}
            page = self.good(self.client.ask("notifications/changes", body, "device"))
            found += page["notifications"]
            token, more = page["serverChangeToken"], page["moreComing"]
        return found


def record_of(payload):
    """The record's name in a payload."""
    return (payload["ck"].get("qry") or {}).get("rid")
