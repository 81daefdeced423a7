"""A feed of many notifications, read from its beginning: by pages, by stream and by `fanfare device-client`, beside a bare consumer."""
import json, subprocess, time

from driver import Driver, Failure, Stream

TYPE = "BenchArtwork"


class ReplayRun:
    def __init__(self, make, count, hops):
        self.count, self.hops = count, hops
        self.system = make()
        self.driver = Driver(self.system.dev)
        self.fill()

    def fill(self):
        driver = self.driver
        self.token = driver.one("auth", "signin", {"user": "reader"})["ckWebAuthToken"]
        device = driver.one("device", "devices/register", {"deviceID": "reader-1"}, self.token)
        self.epoch = device["epoch"]
        batches = [range(first, min(first + 200, self.count)) for first in range(0, self.count, 200)]
        driver.all([self.batch(range(self.count, self.count + 1))])
        info = {"alertLocalizationKey": "NEW_ARTWORK", "alertLocalizationArgs": ["title"], "additionalFields": ["title", "yearFrom"]}
        driver.one("database", "public/subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": "s0", "subscriptionType": "query", "firesOn": ["create"], "query": {"recordType": TYPE},
            "notificationInfo": info}}]}, self.token)
        began = time.monotonic()
        driver.all((self.batch(numbers) for numbers in batches), connections=4)
        self.filling = time.monotonic() - began
        # All are there when the last page is.
        self.pages()

    def batch(self, numbers):
        operations = [{"operationType": "create", "record": {"recordName": f"r{number}", "recordType": TYPE, "fields": {
            "title": {"value": f"view of city {number}"}, "artist": {"value": f"artist {number % 200}"},
            "yearFrom": {"value": 1400 + number % 600}}}} for number in numbers]
        return self.driver.request("database", "public/records/modify", {"operations": operations}, self.token)

    def checked(self, names, seconds):
        """The rate, if each came once."""
        if sorted(names) != list(range(self.count)):
            raise Failure(f"{self.count} were due and {len(names)} came, {len(set(names))} of them different")
        return round(self.count / seconds)

    def page(self, token, wait=0):
        body = {"deviceID": "reader-1", "waitSeconds": wait, **({"serverChangeToken": token} if token else {})}
        return self.driver.all([self.driver.request("device", "notifications/changes", body, self.token)])[0]

    def pages(self):
        """Reads all by pages of 200; the latencies of single pages, too."""
        names, token, times, began = [], None, [], time.monotonic()
        while len(names) < self.count:
            if time.monotonic() - began > 600:
                raise Failure(f"{len(names)} of {self.count} came by pages")
            asked = time.monotonic()
            answer = self.page(token, wait=5)
            times.append(time.monotonic() - asked)
            names += [int(part[:part.index(b'"')]) for part in answer.split(b'"recordName":"r')[1:]]
            at = answer.rindex(b'"serverChangeToken":"') + 21
            token = answer[at:answer.index(b'"', at)].decode()
        return names, time.monotonic() - began

    def stream(self):
        names, began = [], time.monotonic()
        request = self.driver.request("device", "notifications/stream?deviceID=reader-1", token=self.token)
        stream = Stream(self.driver, request, lambda found, now: names.extend(int(record[1:]) for _, record in found))
        while len(names) < self.count:
            if time.monotonic() - began > 600:
                raise Failure(f"{len(names)} of {self.count} came by stream")
            self.driver.turn(1)
        took = time.monotonic() - began
        stream.close()
        return names, took

    def device_client(self, *words):
        began = time.monotonic()
        # Its own change token is not kept: each run replays from the start.
        done = subprocess.run(
            [self.system.program, "device-client", "--device", "reader-1", "--from-start", "--until-caught-up",
             "--container", self.system.dev["container"], *words],
            env=self.system.environment, capture_output=True, cwd=self.system.folder)
        took = time.monotonic() - began
        if done.returncode:
            raise Failure(f"device-client ended with {done.returncode}: {done.stderr[-500:]}")
        return [int(json.loads(line)["recordName"][1:]) for line in done.stdout.splitlines()], took

    def measure(self):
        report = {"notifications": self.count, "savesPerSecondFilling": round(self.count / self.filling)}
        for name, read in [("pages", self.pages), ("stream", self.stream), ("deviceClientHTTP", self.by_http)]:
            report[name] = self.checked(*read())
        if self.hops:
            # The device's topic is behind its feed.
            deadline = time.monotonic() + 120
            while len(self.by_log()[0]) < self.count and time.monotonic() < deadline:
                time.sleep(1)
            report["deviceClientKafka"] = self.checked(*self.by_log())
            bare = self.hops("consume", self.system.topic(f"feed.reader-1.{self.epoch}"))
            report["bareConsumer"] = round(bare["entries"] / bare["seconds"])
            report["bareConsumerFetching"] = round(bare["entries"] / bare["fetching"])
            report["bytesAnEntry"] = round(bare["bytes"] / bare["entries"])
            for name in ("pages", "stream", "deviceClientHTTP", "deviceClientKafka"):
                report[f"{name}ToBare"] = round(report[name] / report["bareConsumer"], 3)
        return report

    def by_log(self):
        return self.device_client("--bootstrap-servers", self.system.environment["FANFARE_BOOTSTRAP_SERVERS"])

    def by_http(self):
        return self.device_client("--url", self.system.dev["url"], "--api-token", self.system.dev["apiToken"], "--user", "reader")

    def end(self):
        self.driver.close()
        self.system.end()
