"""What the apps of a run do over HTTP, and the history that each keeps of it. Nothing here knows how the service works."""
import http.client, json, random, threading, time


class Refused(Exception):
    """An answer that says that something cannot be served."""

    def __init__(self, status, code, reason):
        super().__init__(f"{status} {code}: {reason}")
        self.status, self.code = status, code


class Client:
    """One connection of a user."""

    def __init__(self, run, user, timeout=20):
        self.run, self.user, self.timeout = run, user, timeout
        self.connection, self.token = None, None

    def ask(self, path, body=None, family="database", extra="", timeout=None):
        """The answer, once. Raises OSError or HTTPException when there is none, Refused when it is an error."""
        run = self.run
        query = f"{'&' if '?' in path else '?'}ckAPIToken={run.api_token}{extra}"
        if self.token:
            query += f"&ckWebAuthToken={self.token.replace('%', '%25').replace('+', '%2B').replace('/', '%2F')}"
        data = None if body is None else json.dumps(body).encode()
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", run.port, timeout=timeout or self.timeout)
        try:
            self.connection.request(
                "GET" if data is None else "POST", f"/{family}/1/{run.container}/development/{path}{query}", data)
            answer = self.connection.getresponse()
            status, text = answer.status, answer.read()
            if answer.will_close:
                self.close()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        try:
            value = json.loads(text)
        except ValueError:
            value = {}
        if status != 200:
            run.note_refusal(status, value.get("serverErrorCode"), path)
            raise Refused(status, value.get("serverErrorCode"), value.get("reason"))
        return value

    def persist(self, *words, **more):
        """Asks until there is an answer that is not passing."""
        while True:
            self.run.check_end()
            try:
                return self.ask(*words, **more)
            except Refused as error:
                if error.status < 500 and error.status != 429:
                    raise
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.1)

    def sign_in(self):
        self.token = None   # it may be of a store that was lost
        answer = self.persist("signin", {"user": self.user}, "auth")
        self.token = answer["ckWebAuthToken"]
        return self

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


class Worker(threading.Thread):
    """A thread whose failure fails the run."""

    def __init__(self, run, name):
        super().__init__(daemon=True, name=name)
        self.of = run

    def run(self):
        try:
            self.work()
        except EndOfRun:
            pass
        except BaseException as error:
            self.of.fail(f"{self.name}: {type(error).__name__}: {error}")


class EndOfRun(Exception):
    """The run is over: threads that wait for an answer give up."""


def query(name, type, *filters, **more):
    return {"subscriptionID": name, "subscriptionType": "query", "firesOn": ["create", "update", "delete"],
            "query": {"recordType": type, "filterBy": [
                {"fieldName": field, "comparator": comparator, "fieldValue": {"value": value}}
                for field, comparator, value in filters]},
            "notificationInfo": {"alertBody": "changed"}, **more}


class Change:
    """One committed change of this user's records, with the subscriptions that it has to fire."""

    def __init__(self, database, record, reason, value, fires, origin, mark):
        self.database, self.record, self.reason, self.value = database, record, reason, value
        self.fires, self.origin = frozenset(fires), origin
        self.mark = mark    # where the run was when it was answered

    def __repr__(self):
        return f"{self.record} {self.reason} {sorted(self.fires)}" + (f" by {self.origin}" if self.origin else "")


class Writer(Worker):
    """Saves and subscribes as one user, one request after the other, so that the order of commits is known.

    Each request can be sent again: a second creation gets EXISTS, a second update CONFLICT, so that
    what became of one without an answer is known, too.
    """

    def __init__(self, run, user, seed):
        super().__init__(run, f"writer {user}")
        self.user, self.random = user, random.Random(seed)
        self.client = Client(run, user).sign_in()
        self.lock = threading.Lock()
        self.history = []                       # changes, in the order of their commits
        self.private, self.public = [], []      # the same by database
        self.records = {}                       # (database, name): (tag, value), of those that are there
        self.fires = {"all": (None, {"recordCreated", "recordUpdated", "recordDeleted"}), "low": (50, {"recordCreated", "recordUpdated", "recordDeleted"})}
        self.number = 0
        self.go = threading.Event()
        self.go.set()
        self.idle = threading.Event()
        self.devices = []                       # those whose changes may be saved as theirs
        self.last_answer = time.monotonic()

    def prepare(self):
        self.subscribe(query("all", "Note"))
        self.subscribe(query("low", "Note", ("number", "LESS_THAN", 50)))
        self.subscribe(query("public", "Item"), "public")

    def subscribe(self, subscription, database="private", kind="create"):
        answer = self.client.persist(f"{database}/subscriptions/modify", {
            "operations": [{"operationType": kind, "subscription": subscription}]})
        item = answer["subscriptions"][0]
        if "serverErrorCode" in item and not (kind == "delete" and item["serverErrorCode"] == "NOT_FOUND"):
            raise RuntimeError(f"subscription {subscription}: {item}")

    def work(self):
        while True:
            if not self.go.is_set():
                self.idle.set()
                self.go.wait(1)
                self.of.check_end()
                continue
            self.idle.clear()
            self.of.check_end()
            self.step()
            self.last_answer = time.monotonic()
            time.sleep(self.random.uniform(0, self.of.pace))

    def step(self):
        kind = self.random.random()
        if kind < 0.05:
            self.toggle()
        elif kind < 0.08:
            self.once()
        elif kind < 0.25:
            self.save("public")
        else:
            self.save("private")

    def toggle(self):
        """Makes a subscription, or deletes one: from the answer on it fires, or does not."""
        dynamic = [name for name in self.fires if name.startswith("dynamic")]
        if dynamic and (len(dynamic) > 3 or self.random.random() < 0.5):
            name = self.random.choice(dynamic)
            self.subscribe({"subscriptionID": name}, kind="delete")
            del self.fires[name]
        else:
            self.number += 1
            taken = {limit for limit, _ in self.fires.values()}
            name, limit = f"dynamic{self.number}", self.random.choice([value for value in range(1, 100) if value not in taken])
            self.subscribe(query(name, "Note", ("number", "LESS_THAN", limit), firesOn=["create"]))
            self.fires[name] = (limit, {"recordCreated"})

    def once(self):
        """A subscription that fires once, with several records for it to fire on."""
        self.number += 1
        name = f"once{self.number}"
        self.subscribe(query(name, "Note", ("number", "LESS_THAN", 100 + self.number), firesOn=["create"], firesOnce=True))
        self.once_name = name
        for count in range(self.random.randint(2, 4)):
            self.save("private", create=True, once=name if count == 0 else None)

    def matching(self, before, after, reason):
        # A deletion is matched on the record's last values, an update on its new ones.
        value = before if reason == "recordDeleted" else after
        return {name for name, (limit, reasons) in self.fires.items()
                if reason in reasons and (limit is None or value < limit)}

    def save(self, database, create=False, once=None):
        mine = [key for key in self.records if key[0] == database]
        choice = 0 if create or len(mine) < 5 else self.random.random()
        value = self.random.randint(0, 99)
        if choice < 0.6:
            self.number += 1
            key, reason, before = (database, f"{self.user}-{self.number}"), "recordCreated", None
            operation, tag = "create", None
        else:
            key = self.random.choice(mine)
            tag, before = self.records[key]
            operation, reason = ("update", "recordUpdated") if choice < 0.9 else ("delete", "recordDeleted")
            # An update that changes nothing is no change.
            value += 1 if value == before else 0
        origin = self.random.choice(self.devices) if self.devices and self.random.random() < 0.3 else None
        self.modify(database, key, operation, tag, value, origin)
        fires = {"public"} if database == "public" else self.matching(before, value, reason) | ({once} if once else set())
        change = Change(database, key[1], reason, value, fires, origin, self.of.mark())
        with self.lock:
            self.history.append(change)
            (self.public if database == "public" else self.private).append(change)
            if reason == "recordDeleted":
                del self.records[key]
            else:
                self.records[key] = (self.tag, value)

    def modify(self, database, key, operation, tag, value, origin):
        record = {"recordName": key[1], "recordType": "Item" if database == "public" else "Note"}
        if tag:
            record["recordChangeTag"] = tag
        if operation != "delete":
            record["fields"] = {"number": {"value": value}}
        extra = f"&clientId={origin}" if origin else ""
        tries = 0
        while True:
            tries += 1
            answer = self.client.persist(
                f"{database}/records/modify", {"operations": [{"operationType": operation, "record": record}]}, extra=extra)
            item = answer["records"][0]
            code = item.get("serverErrorCode")
            if code is None:
                self.tag = item.get("recordChangeTag")
                return
            if code in ("TRY_AGAIN_LATER", "THROTTLED"):
                continue
            if (operation, code) in (("create", "EXISTS"), ("update", "CONFLICT"), ("delete", "NOT_FOUND"), ("delete", "CONFLICT")):
                # The request before was committed, and its answer lost.
                return self.look(database, key, operation, value)
            raise RuntimeError(f"{operation} of {key}: {item}")

    def look(self, database, key, operation, value):
        item = self.client.persist(f"{database}/records/lookup", {"records": [{"recordName": key[1]}]})["records"][0]
        if operation == "delete":
            if item.get("serverErrorCode") != "NOT_FOUND":
                raise RuntimeError(f"{key} was deleted and is there: {item}")
            return
        if item.get("fields", {}).get("number", {}).get("value") != value:
            raise RuntimeError(f"{operation} of {key} was answered as committed and is not: {item}")
        self.tag = item["recordChangeTag"]

    def pause(self):
        self.idle.clear()
        self.go.clear()

    def check_store(self):
        """No answered save is lost, and nothing is there that was not saved."""
        for (database, name), (tag, value) in self.records.items():
            item = self.client.persist(f"{database}/records/lookup", {"records": [{"recordName": name}]})["records"][0]
            found = item.get("fields", {}).get("number", {}).get("value")
            if found != value or item.get("recordChangeTag") != tag:
                yield f"{self.user}: {name} was saved with {value} (tag {tag}), and is {item}"


def key(note):
    return (note.get("notificationID"), note.get("subscriptionID"), note.get("notificationType"),
            note.get("queryNotificationReason"), note.get("recordName"))


class Device(Worker):
    """Follows a device's feed and keeps all notifications, with the token after each page."""

    def __init__(self, run, user, identifier, seed, token=None):
        super().__init__(run, f"device {identifier}")
        self.user, self.identifier, self.random = user, identifier, random.Random(seed)
        self.client = Client(run, user, timeout=30).sign_in()
        self.notes, self.tokens = [], [(None, 0, 0)]     # tokens with the notifications before them, and the place of the run
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        self.epoch = None

    def register(self):
        answer = self.client.persist("devices/register", {"deviceID": self.identifier}, "device")
        self.epoch = answer.get("epoch")
        return self

    def unregister(self):
        try:
            self.client.persist("devices/unregister", {"deviceID": self.identifier}, "device")
        except Refused as error:
            if error.code != "NOT_FOUND":
                raise

    def page(self, token, limit=200, wait=0, client=None, persist=True):
        body = {"deviceID": self.identifier, "resultsLimit": limit, "waitSeconds": wait}
        if token:
            body["serverChangeToken"] = token
        client = client or self.client
        answer = (client.persist if persist else client.ask)("notifications/changes", body, "device")
        return answer["notifications"], answer["serverChangeToken"], answer["moreComing"]

    def work(self):
        while not self.stopped.is_set():
            self.of.check_end()
            try:
                notes, token, _ = self.page(self.tokens[-1][0], self.random.choice([1, 3, 20, 200]), 3, persist=False)
            except Refused as error:
                if error.status < 500 and error.status != 429:
                    raise
                time.sleep(0.05)
                continue
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
                continue
            with self.lock:
                self.notes += notes
                self.tokens.append((token, len(self.notes), self.of.mark()))

    def stop(self):
        self.stopped.set()
        self.join(60)

    def received(self):
        with self.lock:
            return list(self.notes)

    def whole(self, token=None, limits=(200,)):
        """Everything after a token, up to the end for now."""
        client, notes = Client(self.of, self.user).sign_in(), []
        while True:
            page, token, more = self.page(token, self.random.choice(limits), client=client)
            notes += page
            if not more:
                client.close()
                return notes
