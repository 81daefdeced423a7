"""What is subscribed to and saved, drawn by a seed, and the oracle: which user has to be notified of what. It knows nothing of the services' code."""
import random
from collections import defaultdict

TYPE = "BenchArtwork"
ARTISTS, GENRES, CITIES, PER_USER = 200, 20, 50, 1000
PROBE = 0  # the number of the subscription of everything, which two devices of its user follow


class Workload:
    """`count` subscriptions, the first one of everything, and `shapes` kinds of records, with the subscriptions that each hits."""

    def __init__(self, count, seed, shapes=2000):
        self.count = count
        draw = random.Random(seed)
        self.conditions = [[]] if count else []
        taken = set()
        while len(self.conditions) < count:
            number = len(self.conditions)
            condition = self.draw_condition(draw)
            # A user has a condition once: the service refuses duplicates.
            key = (self.user(number), repr(condition))
            if key not in taken:
                taken.add(key)
                self.conditions.append(condition)
        self.shapes = [self.draw_record(draw) for _ in range(shapes)]
        self.hits = self.find_hits()
        for shape in draw.sample(range(shapes), min(shapes, max(4, 1_000_000 // max(1, count)) if count else 0)):
            walked = [number for number, condition in enumerate(self.conditions) if self.holds(condition, self.shapes[shape])]
            assert walked == self.hits[shape], "the oracle's index differs from the plain walk"

    @staticmethod
    def user(number):
        """Whose a subscription is: the probe's user has nothing else."""
        return "probe" if number == PROBE else f"user-{(number - 1) // PER_USER}"

    def users(self):
        return sorted({self.user(number) for number in range(self.count)})

    @staticmethod
    def draw_condition(draw):
        artist, genre = f"artist {draw.randrange(ARTISTS)}", f"genre {draw.randrange(GENRES)}"
        kind = draw.random()
        if kind < 0.4:
            return [("artist", "EQUALS", artist), ("yearFrom", "GREATER_THAN_OR_EQUALS", draw.randrange(1400, 2000))]
        if kind < 0.6:
            return [("artist", "EQUALS", artist), ("price", "LESS_THAN", draw.randrange(1, 1000))]
        if kind < 0.75:
            low = draw.randrange(1400, 1990)
            return [("genre", "EQUALS", genre), ("yearFrom", "GREATER_THAN_OR_EQUALS", low),
                    ("yearFrom", "LESS_THAN", low + 10 + draw.randrange(10)), ("price", "LESS_THAN", draw.randrange(300, 1000))]
        if kind < 0.9:
            other = f"artist {draw.randrange(ARTISTS)}"
            return [("artist", "IN", sorted({artist, other})), ("genre", "EQUALS", genre)]
        return [("title", "BEGINS_WITH", f"view of city {draw.randrange(CITIES)} "), ("genre", "EQUALS", genre),
                ("price", "LESS_THAN", draw.randrange(100, 1000))]

    @staticmethod
    def draw_record(draw):
        return {"artist": f"artist {draw.randrange(ARTISTS)}", "genre": f"genre {draw.randrange(GENRES)}",
                "title": f"view of city {draw.randrange(CITIES)} {draw.randrange(10**6)}", "yearFrom": draw.randrange(1400, 2000),
                "price": draw.randrange(1000), "isPublic": draw.randrange(2),
                "place": f"museum {draw.randrange(300)}", "inventory": f"{draw.randrange(10**9)}"}

    @staticmethod
    def holds(condition, record):
        for field, comparator, operand in condition:
            value = record[field]
            if not {"EQUALS": lambda: value == operand, "LESS_THAN": lambda: value < operand,
                    "GREATER_THAN_OR_EQUALS": lambda: value >= operand, "IN": lambda: value in operand,
                    "BEGINS_WITH": lambda: value.startswith(operand)}[comparator]():
                return False
        return True

    def find_hits(self):
        """The numbers of the subscriptions that each shape hits, by the first text that a condition asks for."""
        filed, rest = defaultdict(list), []
        for number, condition in enumerate(self.conditions):
            field, comparator, operand = condition[0] if condition else ("", "", "")
            if comparator == "EQUALS":
                filed[field, operand].append(number)
            elif comparator == "IN":
                for text in operand:
                    filed[field, text].append(number)
            elif comparator == "BEGINS_WITH":
                filed[field, operand.split()[3]].append(number)
            else:
                rest.append(number)
        found = []
        for record in self.shapes:
            candidates = rest + filed["artist", record["artist"]] + filed["genre", record["genre"]]
            candidates += filed["title", record["title"].split()[3]]
            found.append(sorted(number for number in candidates if self.holds(self.conditions[number], record)))
        return found

    def subscription(self, number):
        """As `subscriptions/modify` takes it."""
        filters = [{"fieldName": field, "comparator": comparator,
                    "fieldValue": {"value": operand, **({"type": "STRING_LIST"} if comparator == "IN" else {})}}
                   for field, comparator, operand in self.conditions[number]]
        return {"subscriptionID": f"s{number}", "subscriptionType": "query", "firesOn": ["create"],
                "query": {"recordType": TYPE, "filterBy": filters},
                "notificationInfo": {"alertLocalizationKey": "NEW_ARTWORK", "alertLocalizationArgs": ["title"],
                                     "additionalFields": ["title", "yearFrom"], "soundName": "default"}}

    def record(self, name, number):
        """The record of a number, as `records/modify` takes it."""
        fields = self.shapes[number % len(self.shapes)]
        return {"operationType": "create", "record": {
            "recordName": name, "recordType": TYPE, "fields": {key: {"value": value} for key, value in fields.items()}}}

    def due(self, number):
        """The subscriptions that the record of a number hits."""
        return self.hits[number % len(self.shapes)]


def judge(workload, devices, saved, arrived):
    """Compares what came with what had to.

    devices: of each stream (its device) the user; saved: the numbers of records that were answered with success; arrived: for each
    stream the list of (subscription's number, record's number). Returns counts of lost, doubled and false ones."""
    by_user = defaultdict(list)
    for device, user in devices.items():
        by_user[user].append(device)
    expected = {device: set() for device in devices}
    for number in saved:
        for subscription in workload.due(number):
            for device in by_user[workload.user(subscription)]:
                expected[device].add((subscription, number))
    lost = doubled = false = 0
    for device, wanted in expected.items():
        came = arrived[device]
        distinct = set(came)
        lost += len(wanted - distinct)
        false += len(distinct - wanted)
        doubled += len(came) - len(distinct)
    return {"lost": lost, "doubled": doubled, "false": false}
