"""Pushes: saves to webhooks beside saves to held polls, the same beside bad neighbours, and one change for many devices at APNs."""
import asyncio, json, multiprocessing, os, secrets, shutil, socket, subprocess, tempfile, time

from devices import TYPE, creation
from driver import Connection, Driver, Failure, percentile
from systems import free_port

USERS = 10
NEIGHBOUR_ROUNDS = 3
INFO = {"alertBody": "new"}


def receive(listener, pipe):
    """A process: answers webhooks over HTTP/1.1, and has for each the record's name and the time."""
    arrivals = []

    async def serve(reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                at = head.index(b"content-length:") + 15
                body = await reader.readexactly(int(head[at:head.index(b"\r\n", at)]))
                arrivals.append((json.loads(body)["data"]["ck"]["qry"]["rid"], time.monotonic()))
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run():
        await asyncio.start_server(serve, sock=listener)
        while True:
            if not pipe.poll():
                await asyncio.sleep(0.01)
            elif pipe.recv() == "end":
                os._exit(0)
            else:
                pipe.send(arrivals[:])
                arrivals.clear()

    asyncio.run(run())


class PushesRun:
    def __init__(self, make, rate, seconds):
        self.rate, self.seconds = rate, seconds
        self.system = make(FANFARE_PUSH_LOOPBACK="true")
        self.driver = Driver(self.system.dev)
        listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self.pipe, other = multiprocessing.Pipe()
        self.receiver = multiprocessing.get_context("fork").Process(target=receive, args=(listener, other), daemon=True)
        self.receiver.start()
        self.saved, self.polled = {}, {}

    def user(self, name, urls):
        """A user with a subscription in the private database, and a device for each webhook; None for a device without one."""
        driver = self.driver
        token = driver.one("auth", "signin", {"user": name})["ckWebAuthToken"]
        subscription = {"subscriptionID": "s0", "subscriptionType": "query", "firesOn": ["create"],
                        "query": {"recordType": TYPE}, "notificationInfo": INFO}
        driver.one("database", "private/subscriptions/modify", {
            "operations": [{"operationType": "create", "subscription": subscription}]}, token)
        for number, url in enumerate(urls):
            driver.one("device", "devices/register", {"deviceID": f"{name}-{number}"}, token)
            if url:
                driver.one("device", "devices/push", {"deviceID": f"{name}-{number}", "webhook": {"url": url}}, token)
        return token

    def save(self, user, name):
        record = {"recordName": name, "recordType": TYPE, "fields": {"n": {"value": 1}}}
        return self.driver.request("database", "private/records/modify", {
            "operations": [{"operationType": "create", "record": record}]}, user)

    def poll(self, number):
        """Holds polls of a user's device without end."""
        def ask(connection, token):
            body = {"deviceID": f"u{number}-0", "waitSeconds": 30, **({"serverChangeToken": token} if token else {})}
            connection.ask(self.driver.request("device", "notifications/changes", body, self.users[number]), took)

        def took(connection, status, body):
            now, answer = time.monotonic(), json.loads(body)
            if status not in (200, 503):
                raise Failure(f"a poll was answered {status} {body[:300]}")
            for note in answer.get("notifications", []):
                self.polled[note["recordName"]] = now
            self.tokens[number] = answer.get("serverChangeToken", self.tokens[number])
            ask(connection, self.tokens[number])

        ask(Connection(self.driver), None)

    def saves(self, prefix, seconds, more=()):
        """Saves at the rate, round robin; `more` are savers beside them, each with a rate of its own."""
        self.driver.close_idle()
        free, count, began = [], 0, time.monotonic()
        beside = [[user, name, 1 / rate, began] for user, name, rate in more]

        def send(user, name):
            connection = free.pop() if free else Connection(self.driver)
            self.saved[name] = time.monotonic()
            connection.ask(self.save(user, name), done)

        def done(connection, status, body):
            if status != 200 or b"serverErrorCode" in body:
                raise Failure(f"a save was answered {status} {body[:300]}")
            free.append(connection)

        while (now := time.monotonic()) < began + seconds:
            while began + count / self.rate <= now:
                send(self.users[count % USERS], f"{prefix}{count}")
                count += 1
            for saver in beside:
                if saver[3] <= now:
                    saver[3] += saver[2]
                    send(saver[0], f"{prefix}x{saver[1]}{secrets.token_hex(4)}")
            self.driver.turn(max(0, began + count / self.rate - time.monotonic()))
        until = time.monotonic() + 3
        while time.monotonic() < until:
            self.driver.turn(0.1)
        for connection in free:
            connection.close()
        self.pipe.send("take")
        pushed = {name: at for name, at in self.pipe.recv() if name.startswith(prefix)}
        names = [f"{prefix}{number}" for number in range(count)]
        polls = [self.polled[name] - self.saved[name] for name in names if name in self.polled]
        pushes = [pushed[name] - self.saved[name] for name in names if name in pushed]
        # A push may stand for older ones: those that are missing were collapsed.
        return {"samples": pushes, "saves": count, "polledP50": percentile(polls, 0.5), "polledP99": percentile(polls, 0.99), "pushes": len(pushes),
                "pushedP50": percentile(pushes, 0.5), "pushedP99": percentile(pushes, 0.99), "lost": count - len(polls)}

    def measure(self):
        self.users, self.tokens = [], [None] * USERS
        for number in range(USERS):
            self.users.append(self.user(f"u{number}", [f"{self.address}/u{number}"]))
        for number in range(USERS):
            self.poll(number)
        self.saves("w", 2)
        report = self.saves("a", self.seconds)
        report.pop("samples")
        report["pushedOverPolledP50"] = round(report["pushedP50"] - report["polledP50"], 2)
        # A server that never answers, and a port that is nobody's, each with all addresses of a user; and two users who save as
        # much and have as many devices, without addresses: the addresses' part is the time beyond theirs.
        silent = socket.create_server(("127.0.0.1", 0), backlog=4096)
        dead = free_port()
        plain = [(self.user(name, [None] * 20), name, 10) for name in ("p", "q")]
        bad = [(self.user("silent", [f"http://127.0.0.1:{silent.getsockname()[1]}/{n}" for n in range(20)]), "s", 10),
               (self.user("down", [f"http://127.0.0.1:{dead}/{n}" for n in range(20)]), "d", 10)]
        self.saves("v", 3, bad + plain)
        samples = {"Plain": [], "Bad": []}
        for number in range(NEIGHBOUR_ROUNDS):
            for name, savers in (("Plain", plain), ("Bad", bad)):
                samples[name] += self.saves(f"{name}{number}-", self.seconds / NEIGHBOUR_ROUNDS, savers)["samples"]
        for name, times in samples.items():
            report[f"beside{name}P50"], report[f"beside{name}P99"] = percentile(times, 0.5), percentile(times, 0.99)
        report["badToPlainP99"] = round(report["besideBadP99"] / report["besidePlainP99"], 2)
        silent.close()
        usage = self.system.usage()
        report["mebibytes"] = {role: usage[role][1] for role in usage}
        return report

    def end(self):
        self.pipe.send("end")
        self.receiver.join(5)
        self.receiver.terminate()
        self.driver.close()
        self.system.end()


class PushedCrowdRun:
    """Devices with tokens at an APNs of `nghttpd`, and one change for all."""

    def __init__(self, make, count):
        self.count, self.folder = count, tempfile.mkdtemp(prefix="bench-push-")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{self.folder}/key",
                        "-out", f"{self.folder}/cert"], check=True, capture_output=True)
        subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
                        f"{self.folder}/p8"], check=True, capture_output=True)
        self.tokens = [secrets.token_hex(32) for _ in range(count)]
        port = free_port()
        # It answers when it has read all of a push: else the client resets streams, which it takes for an attack.
        self.server = subprocess.Popen(["nghttpd", "--echo-upload", "-m", "1000", str(port), f"{self.folder}/key",
                                        f"{self.folder}/cert"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        origin = f"https://localhost:{port}"
        self.system = make(
            FANFARE_PUSH_LOOPBACK="true", FANFARE_APNS_KEY_FILE=f"{self.folder}/p8", FANFARE_APNS_KEY_ID="ABCDEFGHIJ",
            FANFARE_APNS_TEAM_ID="ABCDEFGHIJ", FANFARE_APNS_TOPIC="com.example", FANFARE_APNS_DEVELOPMENT_URL=origin,
            FANFARE_PUSH_CA_FILE=f"{self.folder}/cert")
        self.driver = Driver(self.system.dev)

    def measure(self):
        driver, count = self.driver, self.count
        self.writer = driver.one("auth", "signin", {"user": "writer"})["ckWebAuthToken"]
        driver.all([creation(driver, "first", self.writer)])
        answers = driver.all(driver.request("auth", "signin", {"user": f"u{number}"}) for number in range(count))
        users = [json.loads(answer)["ckWebAuthToken"] for answer in answers]
        subscription = {"subscriptionID": "s0", "subscriptionType": "query", "firesOn": ["create"],
                        "query": {"recordType": TYPE}, "notificationInfo": INFO}
        driver.all(driver.request("database", "public/subscriptions/modify", {
            "operations": [{"operationType": "create", "subscription": subscription}]}, user) for user in users)
        driver.all(driver.request("device", "devices/register", {"deviceID": f"device-{number}"}, user)
                   for number, user in enumerate(users))
        driver.all(driver.request("device", "devices/push", {
            "deviceID": f"device-{number}", "apns": {"token": self.tokens[number], "environment": "development"}}, user)
            for number, user in enumerate(users))
        # Those of a change before, so that nothing is opened or made for the first time.
        driver.all([creation(driver, "second", self.writer)])
        self.until("push-sender", "fanfare_push_sender_pushes_total", count)
        notified = self.counter("matcher", "fanfare_notification_delivery_feed_entries_total")
        began = time.monotonic()
        driver.all([creation(driver, "third", self.writer)])
        feeds = self.until("matcher", "fanfare_notification_delivery_feed_entries_total", notified + count) - began
        pushes = self.until("push-sender", "fanfare_push_sender_pushes_total", 2 * count) - began
        return {"devices": count, "feedsSeconds": round(feeds, 2), "pushedSeconds": round(pushes, 2),
                "beyondFeedsSeconds": round(pushes - feeds, 2)}

    def counter(self, role, name):
        return self.system.counter(role if role in self.system.internal else "dev", name)

    def until(self, role, name, count):
        """The time at which a counter has a value."""
        self.driver.close_idle()
        deadline = time.monotonic() + 120
        while (value := self.counter(role, name)) < count:
            if time.monotonic() > deadline:
                raise Failure(f"{value} of {count}: {name}")
            time.sleep(0.1)
        return time.monotonic()

    def end(self):
        self.driver.close()
        self.system.end()
        self.server.terminate()
        self.server.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)
