"""Many devices, one a user, each with a subscription that one change hits: registered, notified, read at random, and woken from held polls."""
import json, random, time

from driver import Connection, Driver, Failure, percentile

TYPE = "BenchArtwork"
POLLS_PER_SECOND = 2000     # that begin to be held


def creation(driver, name, writer):
    """A request that saves a record which every subscription of these runs is hit by."""
    record = {"recordName": name, "recordType": TYPE, "fields": {"artist": {"value": "artist 1"}}}
    return driver.request(
        "database", "public/records/modify", {"operations": [{"operationType": "create", "record": record}]}, writer)


class DevicesRun:
    def __init__(self, make, count, seed):
        self.count, self.draw = count, random.Random(seed)
        self.system = make()
        self.driver = Driver(self.system.dev)

    def save(self, name):
        return creation(self.driver, name, self.writer)

    def poll(self, number, wait=0):
        body = {"deviceID": f"device-{number}", "waitSeconds": wait}
        if self.tokens[number]:
            body["serverChangeToken"] = self.tokens[number]
        return self.driver.request("device", "notifications/changes", body, self.users[number])

    def took(self, number, answer):
        answer = json.loads(answer)
        self.tokens[number] = answer["serverChangeToken"]
        return [item["recordName"] for item in answer["notifications"]]

    def everyone_has(self, name):
        """Reads all devices until each has got the record once; seconds since the beginning."""
        began, missing = time.monotonic(), list(range(self.count))
        while missing:
            if time.monotonic() - began > 300:
                raise Failure(f"{len(missing)} devices do not have {name}")
            answers = self.driver.all(self.poll(number, wait=1) for number in missing)
            got = [self.took(number, answer) for number, answer in zip(missing, answers)]
            if wrong := [names for names in got if names not in ([], [name])]:
                raise Failure(f"{wrong[0]} came in place of {name}")
            missing = [number for number, names in zip(missing, got) if not names]
        return time.monotonic() - began

    def measure(self):
        driver, count = self.driver, self.count
        self.writer = driver.one("auth", "signin", {"user": "writer"})["ckWebAuthToken"]
        driver.all([self.save("first")])
        answers = driver.all(driver.request("auth", "signin", {"user": f"u{number}"}) for number in range(count))
        self.users = [json.loads(answer)["ckWebAuthToken"] for answer in answers]
        self.tokens = [None] * count
        subscription = {"subscriptionID": "s0", "subscriptionType": "query", "firesOn": ["create"],
                        "query": {"recordType": TYPE}, "notificationInfo": {"alertBody": "new"}}
        driver.all(driver.request("database", "public/subscriptions/modify", {
            "operations": [{"operationType": "create", "subscription": subscription}]}, user) for user in self.users)
        report, before = {"devices": count}, self.system.usage()
        began = time.monotonic()
        driver.all(driver.request("device", "devices/register", {"deviceID": f"device-{number}"}, user)
                   for number, user in enumerate(self.users))
        report["registeredPerSecond"] = round(count / (time.monotonic() - began))
        for number, answer in enumerate(driver.all(self.poll(number) for number in range(count))):
            self.took(number, answer)
        report["allFeedsOpenSeconds"] = round(time.monotonic() - began, 2)
        driver.all([self.save("all")])
        report["oneChangeLastReadSeconds"] = round(self.everyone_has("all"), 3)
        report.update(self.read_at_random())
        report.update(self.wake())
        after = self.system.usage()
        report["mebibytes"] = {role: after[role][1] for role in after}
        report["coreSeconds"] = {role: round(after[role][0] - before[role][0], 1) for role in after}
        return report

    def read_at_random(self):
        """One after the other, each device from its start."""
        times = []
        for _ in range(min(300, self.count)):
            number = self.draw.randrange(self.count)
            kept, self.tokens[number] = self.tokens[number], None
            began = time.monotonic()
            answer = self.driver.all([self.poll(number)], connections=1)[0]
            times.append(time.monotonic() - began)
            self.tokens[number] = kept
            if answer.count(b'"notificationID"') != 1:
                raise Failure(f"a device's page is wrong: {answer[:300]}")
        return {"randomReadP50": percentile(times, 0.5), "randomReadP99": percentile(times, 0.99)}

    def wake(self):
        """All devices hold a poll, begun one after the other (2,000 a second, as what many cost that begin at once is another thing
        than what they cost while they wait); one change wakes them."""
        driver, woken = self.driver, {}
        before = self.system.usage()

        def answered(number):
            def then(connection, status, body):
                woken[number] = time.monotonic()
                if status != 200 or self.took(number, body) != ["wake"]:
                    raise Failure(f"a held poll was answered {status} {body[:300]}")
            return then

        connections = []
        for number in range(self.count):
            connection = Connection(driver)
            connection.ask(self.poll(number, wait=60), answered(number))
            connections.append(connection)
            until = time.monotonic() + 1 / POLLS_PER_SECOND
            while (rest := until - time.monotonic()) > 0:
                driver.turn(rest)
        # Until they all wait: quiet for a while.
        quiet = time.monotonic() + 2
        while time.monotonic() < quiet:
            driver.turn(0.1)
        held = self.system.usage()
        began = time.monotonic()
        driver.all([self.save("wake")], connections=1)
        while len(woken) < self.count:
            if time.monotonic() - began > 58:
                raise Failure(f"{self.count - len(woken)} held polls were not woken")
            driver.turn(1)
        times = [at - began for at in woken.values()]
        grown = {f"{role}KilobytesAHeldPoll": round((held[role][1] - before[role][1]) * 1024 / self.count, 1) for role in held}
        return {"wokenP50": percentile(times, 0.5), "wokenLast": percentile(times, 1), **grown}

    def end(self):
        self.driver.close()
        self.system.end()
