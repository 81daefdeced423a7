"""Cuts the power of the embedded system: what was answered has to be there afterwards. `scripts/power-cuts` starts it.

`disk.c` writes down all that the process does to its files. A cut is a place in that: what was synchronised before it is on
the disk; of what was not, anything may be: nothing, all, a beginning, or any sectors of it, and the same for the names in each folder.
"""
import hashlib, http.client, json, os, random, shutil, signal, struct, subprocess, sys, tempfile, threading, time

import checker
from clients import Client, Device, EndOfRun, Worker, Writer
from cluster import Process, free_ports

HERE = os.path.dirname(os.path.abspath(__file__))
CREATE, WRITE, RESIZE, SYNC, RENAME, UNLINK, MKDIR, SYNC_FOLDER = range(1, 9)
SECTOR = 512


class File:
    def __init__(self):
        self.durable, self.pending = bytearray(), []

    def put(self, offset, data):
        if len(self.durable) < offset + len(data):
            self.durable.extend(bytes(offset + len(data) - len(self.durable)))
        self.durable[offset:offset + len(data)] = data

    def apply(self, operation, offset, data):
        if operation == WRITE:
            self.put(offset, data)
        elif len(self.durable) > offset:
            del self.durable[offset:]
        else:
            self.durable.extend(bytes(offset - len(self.durable)))

    def cut(self, chance):
        """What is not synchronised: any of it may be on the disk."""
        kind = chance.choice(["nothing", "all", "beginning", "sectors"])
        pending = self.pending
        if kind == "nothing":
            return
        if kind == "beginning":
            pending = pending[:chance.randint(0, len(pending))]
        share = chance.random()
        for operation, offset, data in pending:
            if kind != "sectors" or operation == RESIZE:
                self.apply(operation, offset, data)
                continue
            start = offset
            while start < offset + len(data):
                end = min((start // SECTOR + 1) * SECTOR, offset + len(data))
                if chance.random() < share:
                    self.put(start, data[start - offset:end - offset])
                start = end


class Disk:
    """Files and names as a trace leaves them."""

    def __init__(self):
        self.files, self.names, self.pending = {}, {"": None}, {}
        self.live = {}

    def take(self, operation, file, offset, data):
        if operation == CREATE:
            self.files[file] = File()
            self.note(data.decode(), ("add", data.decode(), self.files[file]))
        elif operation in (WRITE, RESIZE):
            self.files[file].pending.append((operation, offset, data))
        elif operation == SYNC and file in self.files:
            one = self.files[file]
            for change in one.pending:
                one.apply(*change)
            one.pending = []
        elif operation == RENAME:
            old, new = data.decode().split("\n")
            self.note(new, ("move", old, new))
        elif operation == UNLINK:
            self.note(data.decode(), ("remove", data.decode(), None))
        elif operation == MKDIR:
            self.note(data.decode(), ("add", data.decode(), None))
        elif operation == SYNC_FOLDER:
            for change in self.pending.pop(data.decode(), []):
                self.name(change)

    def note(self, path, change):
        self.pending.setdefault(path.rsplit("/", 1)[0], []).append(change)

    def name(self, change):
        kind, path, other = change
        if kind == "add":
            self.names[path] = other
        elif kind == "remove":
            self.names.pop(path, None)
        elif path in self.names:
            self.names[other] = self.names.pop(path)
        else:
            # The old name was made in a folder that is not synchronised: the new one is what counts.
            for folder in self.pending.values():
                for pending in folder:
                    if pending[:2] == ("add", path):
                        self.names[other] = pending[2]

    def cut(self, chance):
        for folder, changes in self.pending.items():
            for change in changes[:chance.choice([0, len(changes), chance.randint(0, len(changes))])]:
                self.name(change)
        for file in self.files.values():
            file.cut(chance)

    def write(self, folder):
        for path, file in sorted(self.names.items(), key=lambda item: item[0].count("/")):
            if not os.path.isdir(folder + path.rsplit("/", 1)[0]):
                continue    # a folder above it is not on the disk
            if file is None:
                os.makedirs(folder + path, 0o700, exist_ok=True)
            else:
                with open(folder + path, "wb") as out:
                    out.write(file.durable)
                os.chmod(folder + path, 0o600)


def entries(trace):
    """The entries of a trace, with the place behind each."""
    with open(trace, "rb") as file:
        content = file.read()
    place = 0
    while place + 21 <= len(content):
        operation, identity, offset, length = struct.unpack_from("<BQQI", content, place)
        place += 21 + length
        if place > len(content):
            return
        yield place, operation, identity, offset, content[place - length:place]


class Uploader(Worker):
    """Uploads files and saves records that refer to them."""

    def __init__(self, run, user):
        super().__init__(run, f"uploader {user}")
        self.client, self.saved, self.chance = Client(run, user).sign_in(), [], random.Random(run.seed)
        self.stopped = threading.Event()

    def work(self):
        number = 0
        while not self.stopped.is_set():
            number += 1
            name, content = f"file-{number}", self.chance.randbytes(self.chance.choice([10, 5000, 200_000]))
            token = self.client.persist("private/assets/upload", {"tokens": [{"recordType": "Photo", "fieldName": "file"}]})["tokens"][0]
            self.of.check_end()
            path = token["url"].split("/", 3)[3]
            connection = http.client.HTTPConnection("127.0.0.1", self.of.port, timeout=20)
            connection.request("POST", "/" + path, content)
            file = json.loads(connection.getresponse().read())["singleFile"]
            connection.close()
            answer = self.client.persist("private/records/modify", {"operations": [{"operationType": "create", "record": {
                "recordName": name, "recordType": "Photo", "fields": {"file": {"value": file}}}}]})
            if "serverErrorCode" in answer["records"][0]:
                raise RuntimeError(f"{name}: {answer}")
            self.saved.append((name, hashlib.sha256(content).digest(), self.of.mark()))

    def check(self, place):
        for name, hashed, mark in self.saved:
            if mark > place:
                continue
            record = self.client.persist("private/records/lookup", {"records": [{"recordName": name}]})["records"][0]
            url = record.get("fields", {}).get("file", {}).get("value", {}).get("downloadURL")
            if not url:
                yield f"{name} was saved, and is {record}"
                continue
            connection = http.client.HTTPConnection("127.0.0.1", self.of.port, timeout=20)
            connection.request("GET", "/" + url.split("/", 3)[3])
            if hashlib.sha256(connection.getresponse().read()).digest() != hashed:
                yield f"the file of {name} has other bytes than were uploaded"
            connection.close()


class Cut:
    """The part of a writer's history that a cut left, as the checker reads it."""

    def __init__(self, writer, history):
        self.user = writer.user
        self.private = [change for change in history if change.database == "private"]
        self.public = [change for change in history if change.database == "public"]


class Run:
    def __init__(self, cuts, seed, program):
        self.cuts, self.seed, self.random = cuts, seed, random.Random(seed)
        self.program = os.path.abspath(program)
        self.folder = tempfile.mkdtemp(prefix="power-")
        self.trace, self.port = f"{self.folder}/trace", free_ports(1)[0]
        self.failures, self.is_over, self.pace = [], False, 0.0

    def fail(self, text):
        if not self.is_over:
            self.failures.append(text)
            print(f"power-cuts: FAILED: {text}", file=sys.stderr, flush=True)

    def note_refusal(self, status, code, path):
        if status == 500:
            self.fail(f"{path} was answered {status} {code}")

    def check_end(self):
        if self.is_over:
            raise EndOfRun()

    def mark(self):
        return os.path.getsize(self.trace)

    def start(self, disk, **extra):
        """`fanfare dev` on a folder; returns when it answers."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("FANFARE_", "KAFKA_"))}
        self.process = Process(
            [self.program, "dev", "--data", f"{disk}/data", "--listen", f"127.0.0.1:{self.port}", "--internal-listen", "127.0.0.1:0",
             "--containers", self.container, "--api-token", self.api_token], {**environment, **extra}, f"{self.folder}/log")
        deadline = time.monotonic() + 30
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/openapi.yaml")
                connection.getresponse().read()
                return True
            except OSError:
                if self.process.code is not None or time.monotonic() > deadline:
                    return False
                time.sleep(0.02)

    def record(self, seconds):
        """A system that works, with all that it does to its disk written down."""
        self.container, self.api_token = "iCloud.com.example.Power", "".join(self.random.choice("0123456789abcdef") for _ in range(64))
        shim = f"{self.folder}/disk.so"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", shim, f"{HERE}/disk.c", "-ldl", "-lpthread"], check=True)
        disk = f"{self.folder}/disk"
        os.makedirs(disk)
        if not self.start(disk, LD_PRELOAD=shim, DISK_FOLDER=disk, DISK_TRACE=self.trace):
            raise RuntimeError(f"fanfare dev did not start: see {self.folder}/log")
        self.writers = [Writer(self, user, self.random.random()) for user in ("alice", "bob")]
        self.devices = []
        for writer in self.writers:
            writer.prepare()
            for name in ("phone", "tablet"):
                device = Device(self, writer.user, f"{name}-{writer.user}", self.random.random()).register()
                writer.devices.append(device.identifier)
                self.devices.append((writer, device))
        self.uploader = Uploader(self, "carol")
        self.prepared = self.mark()
        workers = [*self.writers, *(device for _, device in self.devices), self.uploader]
        for worker in workers:
            worker.start()
        time.sleep(seconds)
        for worker in [*(device for _, device in self.devices), self.uploader]:
            worker.stopped.set()
        self.is_over = True
        for worker in workers:
            worker.join(30)
        self.is_over = False
        self.process.end()
        self.length = self.mark()

    def cut(self, number, place):
        """What the disk has after a cut at a place of the trace, and whether the system keeps its word on it."""
        chance = random.Random(f"{self.seed} {number}")
        disk, ends = Disk(), 0
        for end, *entry in entries(self.trace):
            if end > place:
                break
            # POWER_DEAF=1 is a disk that says it has synchronised and has not: a run has to find that out.
            if entry[0] != SYNC or not os.environ.get("POWER_DEAF"):
                disk.take(*entry)
        disk.cut(chance)
        folder = f"{self.folder}/cut-{number}"
        os.makedirs(folder)
        disk.write(folder)
        shutil.copytree(folder, f"{folder}-kept")
        before = len(self.failures)
        if not self.start(folder):
            self.fail(f"cut {number} at {place}: the system does not start again: see {self.folder}/log and {folder}-kept")
        elif place >= self.prepared:
            for text in self.differences(place):
                self.fail(f"cut {number} at {place}: {text}")
        self.process.end()
        if len(self.failures) == before:
            shutil.rmtree(folder)
            shutil.rmtree(f"{folder}-kept")

    def differences(self, place):
        left = []
        for writer in self.writers:
            writer.client.close()
            answered = [change for change in writer.history if change.mark <= place]
            under_way = writer.history[len(answered):len(answered) + 1]
            texts, is_there = self.stored(writer, answered, under_way)
            yield from texts
            left.append(Cut(writer, answered + (under_way if is_there else [])))
        for writer, device in self.devices:
            device.client.close()
            cut = left[self.writers.index(writer)]
            deadline = time.monotonic() + 30
            while True:
                whole = device.whole()
                if checker.lag(cut, left, device.identifier, whole) <= 0 or time.monotonic() > deadline:
                    break
                time.sleep(0.05)
            yield from checker.differences(whole, cut, left, device.identifier, device.identifier)
            received = [(token, count) for token, count, mark in device.tokens if mark <= place]
            for token, count in [received[-1], *self.random.sample(received, min(2, len(received)))]:
                yield from checker.same(whole[:count], device.notes[:count], device.identifier, "the stored notifications and those before the cut")
                yield from checker.same(device.whole(token, (7, 200)), whole[count:], device.identifier, "what comes after an old token and what is kept")
        self.uploader.client.close()
        yield from self.uploader.check(place)

    def stored(self, writer, answered, under_way):
        """Compares the store with what was answered; what was under way is there, or not."""
        values, texts, is_there = {}, [], False
        for change in answered:
            values[change.database, change.record] = None if change.reason == "recordDeleted" else change.value
        for (database, name), value in values.items():
            found = self.value(writer, database, name)
            if found == value:
                continue
            if under_way and (under_way[0].database, under_way[0].record) == (database, name) and found == self.after(under_way[0]):
                continue
            texts.append(f"{writer.user}: {name} was answered as {value}, and is {found}")
        if under_way:
            one = under_way[0]
            if self.after(one) == values.get((one.database, one.record)):
                # Only the feed shows whether it was committed.
                is_there = any(note.get("recordName") == one.record and note.get("queryNotificationReason") == one.reason
                               for note in self.devices[2 * self.writers.index(writer)][1].whole()[-5:])
            else:
                is_there = self.value(writer, one.database, one.record) == self.after(one)
        return texts, is_there

    def after(self, change):
        return None if change.reason == "recordDeleted" else change.value

    def value(self, writer, database, name):
        item = writer.client.persist(f"{database}/records/lookup", {"records": [{"recordName": name}]})["records"][0]
        return item.get("fields", {}).get("number", {}).get("value")


def main():
    cuts, seed = int(sys.argv[1]), int(sys.argv[2])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    run = Run(cuts, seed, os.environ["FANFARE_EXECUTABLE"])
    try:
        run.record(float(os.environ.get("POWER_SECONDS", 5)))
        changes = sum(len(writer.history) for writer in run.writers)
        print(f"power-cuts: seed {seed}: {changes} changes, {len(run.uploader.saved)} files, {run.length >> 10} KiB written to files", flush=True)
        for number in range(cuts):
            # Some before anything was answered: the first start has to be survived, too.
            place = run.random.randint(0, run.prepared) if number % 5 == 4 else run.random.randint(run.prepared, run.length)
            run.cut(number, place)
            if len(run.failures) > 20:
                break
    finally:
        run.is_over = True
        if hasattr(run, "process"):
            run.process.end()
    if run.failures:
        print(f"power-cuts: FAILED with seed {seed}; trace and log: {run.folder}", file=sys.stderr)
        os._exit(1)
    shutil.rmtree(run.folder)
    print(f"power-cuts: {cuts} cuts: nothing that was answered was lost, nothing torn (seed {seed})")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
