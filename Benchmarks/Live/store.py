"""The record-service alone: batches, look-ups and queries over HTTP by several clients, without subscriptions."""
import random, time

from driver import Driver, Failure

TYPE, ARTISTS, BATCH, CLIENTS, PAGE = "BenchArtwork", 200, 200, 4, 20


class StoreRun:
    """`count` records in batches of 200; then queries of 20 rows (an equality and a range), and look-ups of one record at random."""

    def __init__(self, make, count, seed):
        self.count, self.draw = count, random.Random(seed)
        self.system = make()
        self.driver = Driver(self.system.dev)
        self.token = self.driver.one("auth", "signin", {"user": "writer"})["ckWebAuthToken"]

    def fields(self, number):
        return {"artist": f"artist {number % ARTISTS}", "genre": f"genre {self.draw.randrange(20)}",
                "title": f"view of city {self.draw.randrange(50)} {number}", "yearFrom": 1400 + number // ARTISTS % 600,
                "price": self.draw.randrange(1000), "isPublic": number % 2, "place": f"museum {self.draw.randrange(300)}",
                "inventory": f"{self.draw.randrange(10**9)}"}

    def batch(self, numbers):
        operations = [{"operationType": "create", "record": {"recordName": f"r{number}", "recordType": TYPE, "fields": {
            key: {"value": value} for key, value in self.fields(number).items()}}} for number in numbers]
        return self.driver.request("database", "public/records/modify", {"operations": operations}, self.token)

    def query(self):
        filters = [("artist", "EQUALS", f"artist {self.draw.randrange(ARTISTS)}"), ("yearFrom", "GREATER_THAN_OR_EQUALS", 1400)]
        return self.driver.request("database", "public/records/query", {"resultsLimit": PAGE, "query": {
            "recordType": TYPE, "filterBy": [{"fieldName": name, "comparator": comparator, "fieldValue": {"value": value}}
                                             for name, comparator, value in filters]}}, self.token)

    def lookup(self):
        return self.driver.request("database", "public/records/lookup", {
            "records": [{"recordName": f"r{self.draw.randrange(self.count)}"}]}, self.token)

    def rate(self, requests, rows, connections=CLIENTS):
        """Requests a second, not rounded; fails when an answer does not have as many records."""
        requests = list(requests)
        began = time.monotonic()
        answers = self.driver.all(requests, connections)
        took = time.monotonic() - began
        if wrong := [answer for answer in answers if answer.count(b'"recordName"') != rows]:
            raise Failure(f"{rows} records were due: {wrong[0][:300]}")
        return len(requests) / took

    def measure(self):
        firsts = range(0, self.count - self.count % BATCH, BATCH)
        batches = [self.batch(range(first, first + BATCH)) for first in firsts]
        before = self.core_seconds()
        saves = round(self.rate(batches, BATCH) * BATCH)
        report = {"records": self.count, "recordsPerSecondInBatches": saves,
                  "coreMicrosecondsARecord": round((self.core_seconds() - before) / self.count * 1e6)}
        before = self.core_seconds()
        report["queriesPerSecond"] = round(self.rate((self.query() for _ in range(3000)), PAGE, connections=16))
        report["coreMicrosecondsAQuery"] = round((self.core_seconds() - before) / 3000 * 1e6)
        report["queriesPerSecondByOne"] = round(self.rate((self.query() for _ in range(1000)), PAGE, connections=1))
        report["lookupsPerSecond"] = round(self.rate((self.lookup() for _ in range(10000)), 1, connections=16))
        return report

    def core_seconds(self):
        return sum(seconds for role, (seconds, _) in self.system.usage().items() if role in ("dev", "record-service"))

    def end(self):
        self.driver.close()
        self.system.end()
