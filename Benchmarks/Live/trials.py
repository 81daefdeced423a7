"""`test` of subscriptions: predicates over the latest 1,000 changes, by one client that waits for each answer."""
import json, time

from driver import Failure
from store import BATCH, TYPE, StoreRun

PREDICATES = ["yearFrom >= 1500 AND price < 300", "title CONTAINS 'city 7' AND isPublic = 1",
              "genre IN {'genre 1', 'genre 2', 'genre 3'} AND NOT place BEGINSWITH 'museum 1'"]
WARM_UP = 10


class TrialsRun(StoreRun):
    """`count` records in batches of 200, half of them saved again; then tests one after the other."""

    def __init__(self, make, count, rounds, seed):
        super().__init__(make, count, seed)
        self.rounds = rounds

    def change(self, numbers):
        operations = [{"operationType": "forceUpdate", "record": {"recordName": f"r{number}", "recordType": TYPE, "fields": {
            "price": {"value": self.draw.randrange(1000)}}}} for number in numbers]
        return self.driver.request("database", "public/records/modify", {"operations": operations}, self.token)

    def test(self, number):
        subscription = {"subscriptionType": "query", "firesOn": ["create", "update", "leave"], "notificationInfo": {},
                        "query": {"recordType": TYPE, "predicate": PREDICATES[number % len(PREDICATES)]}}
        return self.driver.request("database", "public/subscriptions/modify", {"operations": [
            {"operationType": "test", "subscription": subscription}]}, self.token)

    def measure(self):
        firsts = range(0, self.count - self.count % BATCH, BATCH)
        self.rate([self.batch(range(first, first + BATCH)) for first in firsts], BATCH)
        self.rate([self.change(range(first, first + BATCH)) for first in firsts[::2]], BATCH)
        took, matched = [], 0
        before = self.core_seconds()
        for number in range(self.rounds + WARM_UP):
            if number == WARM_UP:
                before = self.core_seconds()
            request = self.test(number)
            began = time.monotonic()
            answer = json.loads(self.driver.all([request], 1)[0])["subscriptions"][0]
            took.append((time.monotonic() - began) * 1000)
            if answer.get("changesExamined") != 1000:
                raise Failure(f"1,000 changes were due: {str(answer)[:300]}")
            matched += answer["changesMatched"]
        core = (self.core_seconds() - before) / self.rounds
        took = sorted(took[WARM_UP:])
        return {"records": self.count, "matched": matched, "testP50": round(took[len(took) // 2], 1),
                "testP95": round(took[len(took) * 95 // 100], 1), "coreMillisecondsATest": round(core * 1000, 1)}
