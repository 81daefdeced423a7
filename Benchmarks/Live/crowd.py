"""Very many devices, some a user, registered by the log: the store is filled while nothing runs, and the record-service publishes them.
Then changes that notify each user, and reads of devices at random."""
import json, os, random, statistics, subprocess, time

from devices import TYPE, creation
from driver import Driver, Failure, percentile

FILLER = ".build/release/RecordStoreBenchmark"
CHANGES, READS = 3, 300
USERS_AT_ONCE = 50_000


class CrowdRun:
    def __init__(self, make, users, devices, seed):
        self.users, self.each, self.draw = users, devices // users, random.Random(seed)
        self.system = make()
        self.driver = Driver(self.system.dev)

    def sign_in(self, user):
        return self.driver.one("auth", "signin", {"user": user})["ckWebAuthToken"]

    def save(self, name):
        self.driver.all([creation(self.driver, name, self.writer)])

    def read(self, user, token):
        """A device of a user's from its start; the names of the records of its notifications."""
        body = {"deviceID": f"d{user}-{self.draw.randrange(self.each)}"}
        answer = self.driver.all([self.driver.request("device", "notifications/changes", body, token)], connections=1)[0]
        return [item["recordName"] for item in json.loads(answer)["notifications"]]

    def notified(self):
        return self.system.counter("matcher", "fanfare_notification_delivery_notifications_total")

    def fill(self, users):
        """Stops the roles, fills the store, starts them again, and waits until the last user's registration is through, which is the last one."""
        self.driver.close()
        self.system.stop_roles()
        container = self.system.dev["container"]
        subprocess.run([FILLER, "crowd", f"{self.system.folder}/data/{container}.development.sqlite", container, TYPE,
                        str(users.start), str(users.stop), str(self.each)], check=True)
        began = time.monotonic()
        self.system.start_roles()
        self.driver = Driver(self.system.dev)
        if self.read(users[-1], self.sign_in(f"u{users[-1]}")):
            raise Failure("a new device was notified of something")
        return time.monotonic() - began

    def measure(self):
        self.writer = self.sign_in("writer")
        self.save("first")
        # In parts: a store refuses more when a million events wait to be published.
        parts = [range(first, min(first + USERS_AT_ONCE, self.users)) for first in range(0, self.users, USERS_AT_ONCE)]
        took = sum(self.fill(users) for users in parts)
        report = {"devices": self.users * self.each, "users": self.users, "startAndRegistrationByTheLogSeconds": round(took, 1)}
        seconds = []
        for change in range(CHANGES):
            before, began = self.notified(), time.monotonic()
            self.save(f"c{change}")
            while (notified := self.notified() - before) < self.users:
                if time.monotonic() - began > 120:
                    raise Failure(f"{notified} of {self.users} users were notified")
                time.sleep(0.02)
            seconds.append(time.monotonic() - began)
        took = statistics.median(seconds)
        report |= {"fanOutSeconds": round(took, 2), "entriesPerSecond": round(self.users / took),
                   "devicesNotifiedPerSecond": round(self.users * self.each / took)}
        report |= self.read_at_random()
        usage = self.system.usage()
        report["mebibytes"] = {role: usage[role][1] for role in usage}
        report["coreSeconds"] = {role: round(usage[role][0], 1) for role in usage}
        data = f"{self.system.folder}/data"
        report["fileMebibytes"] = {name.split(".development.")[-1]: os.path.getsize(f"{data}/{name}") >> 20
                                   for name in os.listdir(data) if name.endswith("sqlite")}
        return report

    def read_at_random(self):
        chosen = [self.draw.randrange(self.users) for _ in range(READS)]
        tokens = {user: self.sign_in(f"u{user}") for user in chosen}
        times, due = [], [f"c{change}" for change in range(CHANGES)]
        for user in chosen:
            began = time.monotonic()
            names = self.read(user, tokens[user])
            times.append(time.monotonic() - began)
            while names != due:
                # The tail of the journals may still be on its way.
                if names != due[:len(names)] or time.monotonic() - began > 60:
                    raise Failure(f"user {user} was notified of {names}")
                names = self.read(user, tokens[user])
        return {"randomReadP50": percentile(times, 0.5), "randomReadP99": percentile(times, 0.99)}

    def end(self):
        self.driver.close()
        self.system.end()
