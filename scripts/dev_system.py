"""A running `fanfare dev` and clients of it: what `siege` and `multipliers` share."""
import http.client, json, os, shutil, signal, subprocess, tempfile, time
from collections import Counter

MIB = 1 << 20


class Client:
    """One connection to the service, opened again after an answer that ends it."""

    def __init__(self, dev, address="127.0.0.1", timeout=60):
        self.dev, self.address, self.timeout = dev, address, timeout
        self.token, self.connection, self.user = None, None, None
        self.host, port = dev["url"].split("//")[1].split(":")
        self.port = int(port)
        self.counts = Counter()

    def path(self, family, rest, extra=""):
        path = f"/{family}/1/{self.dev['container']}/development/{rest}"
        path += ("&" if "?" in rest else "?") + f"ckAPIToken={self.dev['apiToken']}" + extra
        return path + (f"&ckWebAuthToken={quote(self.token)}" if self.token else "")

    def ask(self, rest, body=None, family="database", method=None, extra=""):
        """The status and the answer; (0, why) when there was none."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if self.connection is None:
            self.connection = http.client.HTTPConnection(
                self.host, self.port, timeout=self.timeout, source_address=(self.address, 0))
        try:
            self.connection.request(method or ("GET" if data is None else "POST"), self.path(family, rest, extra), data)
        except (BrokenPipeError, ConnectionResetError):
            if self.connection.sock is None:
                self.connection = None
                return self.note(0, "the connection was closed")
            # Refused before the body was read: the answer is there.
            self.connection._HTTPConnection__state = "Request-sent"
        except OSError as error:
            self.close()
            return self.note(0, str(error))
        try:
            answer = self.connection.getresponse()
            text = answer.read()
            if answer.will_close:
                self.close()
            try:
                return self.note(answer.status, json.loads(text) if text else {})
            except ValueError:
                return self.note(answer.status, {})
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return self.note(0, str(error) or type(error).__name__)

    def note(self, status, answer):
        code = ""
        if isinstance(answer, dict):
            items = next((value for value in answer.values() if isinstance(value, list)), [])
            code = answer.get("serverErrorCode") or next(
                (item["serverErrorCode"] for item in items if isinstance(item, dict) and "serverErrorCode" in item), "")
        self.counts[f"{status} {code}".strip()] += 1
        return status, answer

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def sign_in(self, name):
        status, answer = self.ask("signin", {"user": name}, "auth")
        self.token = answer["ckWebAuthToken"] if status == 200 else None
        self.user = answer["userRecordName"] if status == 200 else None
        return self

    # The calls of CloudKit Web Services that victims and attackers make.

    def modify(self, operations, database="public", **rest):
        return self.ask(f"{database}/records/modify", {"operations": operations, **rest})

    def save(self, name, fields, type="Note", database="public", **rest):
        return self.modify([change(name, fields, type, **rest)], database)

    def subscribe(self, subscriptions, database="public", kind="create"):
        return self.ask(f"{database}/subscriptions/modify", {
            "operations": [{"operationType": kind, "subscription": subscription} for subscription in subscriptions]})

    def query(self, query, database="public", **rest):
        return self.ask(f"{database}/records/query", {"query": query, **rest})


def quote(text):
    return text.replace("%", "%25").replace("+", "%2B").replace("/", "%2F")


def subscription(name, type, predicate=None, info=None, **rest):
    query = {"recordType": type, **({"predicate": predicate} if predicate else {})}
    return {"subscriptionID": name, "subscriptionType": "query", "query": query, "firesOn": ["create", "update", "delete"],
            "notificationInfo": info or {"shouldSendContentAvailable": True}, **rest}


def change(name, fields, type, kind="forceUpdate", **rest):
    """An operation of `records/modify`."""
    values = {key: {"value": value} for key, value in fields.items()}
    return {"operationType": kind, "record": {"recordName": name, "recordType": type, "fields": values, **rest}}


def share(name, root, thumbnail):
    """An operation of `records/modify` that shares the record `root`."""
    return {"operationType": "create", "record": {
        "recordType": "cloudkit.share", "recordName": name, "forRecord": {"recordName": root},
        "fields": {"cloudkit.thumbnailImageData": thumbnail}, "publicPermission": "READ_ONLY"}}


def batches(items, size=200):
    for start in range(0, len(items), size):
        yield items[start:start + size]


def program():
    """The release program: FANFARE_EXECUTABLE, or one that is built here first."""
    path = os.environ.get("FANFARE_EXECUTABLE")
    if not path:
        subprocess.run(["swift", "build", "--configuration", "release", "--product", "fanfare"], check=True)
        path = ".build/release/fanfare"
    return path


class System:
    """`fanfare dev` on a folder of its own."""

    def __init__(self, program, *arguments, environment=None, internal="127.0.0.1:0"):
        self.folder = tempfile.mkdtemp()
        self.log = open(f"{self.folder}/log", "wb")
        self.listen = "127.0.0.1:0"
        self.command = [program, "dev", "--data", f"{self.folder}/data", "--internal-listen", internal, *arguments]
        self.start(environment)

    def start(self, environment=None):
        """Starts the process, or starts it again on its port, with further variables of the environment."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("FANFARE_")}
        announced, before = f"{self.folder}/data/dev.json", self.announcement()
        self.process = subprocess.Popen(
            [*self.command, "--listen", self.listen], stdout=self.log, stderr=self.log, env={**kept, **(environment or {})})
        deadline = time.monotonic() + 60
        while self.announcement() == before:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("fanfare dev did not start: " + open(f"{self.folder}/log").read()[-2000:])
            time.sleep(0.05)
        self.dev = json.load(open(announced))
        self.listen = self.dev["url"].split("//")[1]

    def announcement(self):
        """The file in which the process says where it is, by its number and time; None without one."""
        try:
            status = os.stat(f"{self.folder}/data/dev.json")
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns

    def memory(self, key):
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                return next((int(line.split()[1]) // 1024 for line in status if line.startswith(key)), 0)
        except OSError:
            return 0

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as peak:
            peak.write("5")

    def end(self):
        ended = self.process.poll()
        if ended is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                ended = "did not end on SIGTERM"
        tail = open(f"{self.folder}/log", errors="replace").read()[-3000:]
        shutil.rmtree(self.folder, ignore_errors=True)
        return ended, tail
