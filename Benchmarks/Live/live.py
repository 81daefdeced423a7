"""Saves at a closed or an open loop, beside streams of every user's device: rates, latencies, and the oracle's verdict."""
import json, resource, signal, subprocess, time
from collections import deque

from driver import Connection, Driver, Failure, Stream, percentile
from workload import PROBE, Workload, judge

WRITERS, SENDERS = 16, 64
WARM_UP, PATIENCE = 2.0, 30.0


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class LiveRun:
    """One fresh system with `count` subscriptions."""

    def __init__(self, make, count, seed):
        self.workload = Workload(count, seed)
        self.system = make()
        self.driver = Driver(self.system.dev)
        self.sent, self.saved, self.answers = {}, {}, []
        self.due = self.came = 0
        self.prefix = "r"
        self.prepare()

    def sign_in(self, users):
        users = list(users)
        answers = self.driver.all(self.driver.request("auth", "signin", {"user": user}) for user in users)
        return {user: json.loads(answer)["ckWebAuthToken"] for user, answer in zip(users, answers)}
    def prepare(self):
        workload, driver = self.workload, self.driver
        self.writer = self.sign_in(["writer"])["writer"]
        tokens = self.sign_in(workload.users())
        self.devices = {f"device-{user}": user for user in tokens}
        if workload.count:
            self.devices["device-probe-2"] = workload.user(PROBE)
        driver.all(driver.request("device", "devices/register", {"deviceID": device}, tokens[user])
                   for device, user in self.devices.items())
        # The type has to be known before it is subscribed to.
        self.save_all([(1 << 40)])
        mine = {user: [] for user in tokens}
        for number in range(workload.count):
            mine[workload.user(number)].append(number)
        requests = []
        for user, numbers in mine.items():
            for first in range(0, len(numbers), 200):
                operations = [{"operationType": "create", "subscription": workload.subscription(number)}
                              for number in numbers[first:first + 200]]
                requests.append(driver.request("database", "public/subscriptions/modify", {"operations": operations}, tokens[user]))
        began = time.monotonic()
        driver.all(requests)
        self.subscribing = time.monotonic() - began
        self.arrived = {device: [] for device in self.devices}
        self.streams = [
            Stream(driver, driver.request("device", f"notifications/stream?deviceID={device}", token=tokens[user]), self.taker(device))
            for device, user in self.devices.items()]
        deadline = time.monotonic() + PATIENCE
        while not all(stream.is_open for stream in self.streams):
            if time.monotonic() > deadline:
                raise Failure("the streams did not open")
            driver.turn(0.1)

    def taker(self, device):
        kept = self.arrived[device]

        def take(found, now):
            kept.append((now, found))
            self.came += len(found)

        return take

    def save_request(self, number):
        return self.driver.request(
            "database", "public/records/modify", {"operations": [self.workload.record(f"{self.prefix}{number}", number)]}, self.writer)

    def save_all(self, numbers):
        self.driver.all(self.save_request(number) for number in numbers)

    def answered(self, number, sent, status, body):
        now = time.monotonic()
        if status != 200 or b'"serverErrorCode"' in body:
            raise Failure(f"a save was refused: {status} {body[:300]}")
        self.saved[number] = sent
        self.answers.append((now, now - sent))
        self.due += self.weight[number % len(self.workload.shapes)]

    def closed(self, seconds):
        """16 writers, each with one save under way."""
        end = time.monotonic() + seconds
        number = underway = 0

        def save(connection):
            nonlocal number, underway
            now = time.monotonic()
            if now >= end:
                return
            mine, number, underway = number, number + 1, underway + 1
            connection.ask(self.save_request(mine), lambda connection, status, body: done(connection, mine, now, status, body))

        def done(connection, mine, sent, status, body):
            nonlocal underway
            underway -= 1
            self.answered(mine, sent, status, body)
            save(connection)

        for _ in range(WRITERS):
            save(Connection(self.driver))
        while underway:
            self.driver.turn(1)

    def open(self, rate, seconds):
        """Saves that are due at set times, and sent then, however slow answers are; latencies count from when they were due."""
        idle, waiting = deque(Connection(self.driver) for _ in range(SENDERS)), deque()
        began, total, number, underway = time.monotonic() + 0.05, int(rate * seconds), 0, 0

        def send(connection, mine):
            due = began + mine / rate
            connection.ask(self.save_request(mine), lambda connection, status, body: done(connection, mine, due, status, body))

        def done(connection, mine, due, status, body):
            nonlocal underway
            underway -= 1
            self.answered(mine, due, status, body)
            if waiting:
                send(connection, waiting.popleft())
            else:
                idle.append(connection)

        while number < total or underway:
            now = time.monotonic()
            while number < total and began + number / rate <= now:
                underway += 1
                if idle:
                    send(idle.popleft(), number)
                else:
                    waiting.append(number)
                number += 1
            self.driver.turn(began + number / rate - now if number < total else 1)

    def profiled(self, loop, seconds, path):
        """The same while perf looks at all processes that are measured."""
        pids = ",".join(str(process.pid) for process in self.system.processes.values())
        words = ["perf", "record", "-q", "-F", "499", "--call-graph", "fp", "-p", pids, "-o", path]
        perf = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        try:
            return self.measure(loop, seconds)
        finally:
            perf.send_signal(signal.SIGINT)
            perf.wait(60)

    def measure(self, loop, seconds):
        """Runs the loop; the figures of what was saved and notified after the warm-up."""
        workload = self.workload
        self.weight = [len(hits) + (1 if workload.count else 0) for hits in workload.hits]
        before, mine, began = self.system.usage(), cpu(), time.monotonic()
        if loop == "closed":
            self.closed(seconds + WARM_UP)
        else:
            self.open(float(loop), seconds + WARM_UP)
        ended, arrived_by_end = time.monotonic(), self.came
        after, used = self.system.usage(), cpu() - mine
        settled, last, progress = ended, self.came, ended
        while self.came < self.due:
            self.driver.turn(0.05)
            settled = time.monotonic()
            if self.came > last:
                last, progress = self.came, settled
            if settled - progress > PATIENCE:
                break
        # A duplicate comes soon.
        final = self.system.usage()
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            self.driver.turn(0.05)
        arrived, latencies, within = self.read_arrivals(began + WARM_UP, ended)
        steady = [latency for at, latency in self.answers if at >= began + WARM_UP]
        span = ended - began - WARM_UP
        took = ended - began
        return {
            "savesPerSecond": round(len(steady) / span, 1), "notificationsPerSecond": round(within / span),
            "notificationsPerSave": round(self.due / max(1, len(self.saved)), 1),
            "notifications": self.due, "drainedSeconds": round(settled - ended, 2),
            "deliveredSavesPerSecond": round(len(self.saved) / (settled - began), 1),
            "deliveredNotificationsPerSecond": round(self.came / (settled - began)),
            "saveP50": percentile(steady, 0.5), "saveP99": percentile(steady, 0.99),
            "notifiedP50": percentile(latencies, 0.5), "notifiedP99": percentile(latencies, 0.99),
            "subscriptionsPerSecond": round(workload.count / self.subscribing) if workload.count else None,
            "cores": {role: round((after[role][0] - before[role][0]) / took, 2) for role in after},
            # What the whole costs, however busy the machine is with other things.
            "cpuMicrosecondsASave": {role: round((final[role][0] - before[role][0]) * 1e6 / max(1, len(self.saved))) for role in final},
            "driverCores": round(used / took, 2), "mebibytes": {role: after[role][1] for role in after},
            **judge(workload, self.devices, self.saved, arrived),
        }

    def read_arrivals(self, first, last):
        """What came, as numbers; the latencies of what was saved after the warm-up; how many came between the two times."""
        arrived, latencies, within = {}, [], 0
        for device, batches in self.arrived.items():
            numbers = arrived[device] = []
            for now, found in batches:
                if first <= now <= last:
                    within += len(found)
                for subscription, record in found:
                    number = int(record[1:])
                    numbers.append((int(subscription), number))
                    if (sent := self.saved.get(number, 0)) >= first:
                        latencies.append(now - sent)
        return arrived, latencies, within

    def end(self):
        self.driver.close()
        self.system.end()
