"""One run: a cluster, the roles, users who save and listen, and faults by seed. `scripts/chaos` starts it."""
import collections, json, os, random, shutil, signal, subprocess, sys, tempfile, threading, time

import checker
from clients import Client, Device, EndOfRun, Refused, Worker, Writer
from cluster import Cluster, Process, free_ports
from disasters import DIFFERENCES, Disasters
from faults import ALL, Faults
from system import System

LAG_SECONDS = 30        # after healing, within which every device gets every notification
VISITS_MAX = 80         # of a user's visitors without a pause: of 150 registrations (docs/limits.md) some are left for the last checks
DISK_MEBIBYTES = 1500   # of a run's folder, above which it ends


class Reader:
    """A `device-client` that writes its notifications to a file: a role that dies, too, and a device that is checked."""

    def __init__(self, run, user):
        self.of, self.user, self.name, self.identifier = run, user, "device-client", f"reader-{user}"
        self.file, self.log = f"{run.folder}/reader.jsonl", f"{run.folder}/reader.log"
        self.process = None

    def start(self, **extra):
        run = self.of
        self.process = Process(
            [run.system.program, "device-client", "--url", f"http://127.0.0.1:{run.port}", "--user", self.user, "--device",
             self.identifier, "--output", self.file], {**run.system.environment, "FANFARE_API_TOKEN": run.api_token, **extra}, self.log)

    @property
    def is_running(self):
        return self.process.code is None

    def kill(self):
        self.process.end()

    def terminate(self, patience=10):
        return self.process.end(15, patience)

    def text(self):
        return open(self.log, errors="replace").read()

    def received(self):
        """The lines up to the last with a token: what stands behind it is cut off at the next start."""
        notes, kept = [], 0
        if not os.path.exists(self.file):
            return []
        for line in open(self.file):
            if not line.endswith("\n"):
                break
            notes.append(json.loads(line))
            if "serverChangeToken" in notes[-1]:
                kept = len(notes)
        return notes[:kept]


class Visitor(Worker):
    """A device that comes and goes: it has to get the whole history, and of nothing after it has gone."""

    def __init__(self, run, writer, seed):
        super().__init__(run, f"visitor of {writer.user}")
        self.writer, self.random = writer, random.Random(seed)
        self.heard = []     # the notifications of each visit, checked when the history is complete
        self.count = 0
        self.lock, self.stopped = threading.Lock(), threading.Event()

    def work(self):
        previous, visits = None, 0
        while not self.stopped.is_set():
            again = previous and self.random.random() < 0.4
            if not again:
                self.count += 1
            identifier = f"visitor-{self.writer.user}-{self.count}"
            device = Device(self.of, self.writer.user, identifier, self.random.random()).register()
            if again:
                self.expect(device, previous, "CHANGE_TOKEN_EXPIRED")
            notes, token = [], None
            for _ in range(self.random.randint(1, 6)):
                page, token, _ = device.page(token, self.random.choice([2, 50, 200]), self.random.choice([0, 0, 1]))
                notes += page
                self.of.check_end()
            with self.lock:
                self.heard.append((identifier, notes))
            device.unregister()
            self.expect(device, token, "NOT_FOUND")
            previous = token
            device.client.close()
            visits += 1
            # A user may register so many devices at once, and then one a minute.
            self.stopped.wait(61 if visits > VISITS_MAX else self.random.uniform(0, 1))

    def expect(self, device, token, code):
        try:
            notes, _, _ = device.page(token)
        except Refused as error:
            if error.code == code:
                return
            self.of.fail(f"{device.identifier}: {code} was expected, not {error}")
        else:
            self.of.fail(f"{device.identifier}: {code} was expected, not {len(notes)} notifications")


class Run:
    def __init__(self, seconds, seed, program, kafka):
        self.seconds, self.seed = seconds, seed
        self.random = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="chaos-")
        self.program, self.kafka = os.path.abspath(program), kafka
        self.failures, self.refusals, self.done = [], collections.Counter(), collections.Counter()
        self.lags, self.lock = [], threading.Lock()
        self.is_over, self.has_small_disk = False, False
        self.audited, self.audit_range = set(), []
        self.pace = float(os.environ.get("CHAOS_PACE", 0.08))

    # MARK: Threads

    def fail(self, text):
        with self.lock:
            self.failures.append(text)
        print(f"chaos: FAILED: {text}", file=sys.stderr, flush=True)

    def note_refusal(self, status, code, path):
        with self.lock:
            self.refusals[f"{status} {code}"] += 1
        if status == 500 or code in ("INTERNAL_ERROR",):
            self.fail(f"{path} was answered {status} {code}: an error that does not say what is wrong")

    def check_end(self):
        if self.is_over:
            raise EndOfRun()

    def mark(self):
        return time.monotonic()

    def sleep(self, seconds):
        time.sleep(seconds)

    def say(self, text):
        print(f"chaos: {time.monotonic() - self.began:6.1f} s  {text}", flush=True)

    # MARK: The run

    def start(self):
        self.began = time.monotonic()
        self.container = f"iCloud.chaos.run{self.random.randint(0, 1 << 30)}"
        self.api_token = "".join(self.random.choice("0123456789abcdef") for _ in range(64))
        self.port = free_ports(1)[0]
        self.cluster = Cluster(self.kafka, f"{self.folder}/kafka")
        self.mount_a_small_disk()
        self.cluster.start()
        self.system = System(self.program, self.cluster.bootstrap, self.container, self.api_token, self.port, f"{self.folder}/system")
        self.system.start()
        self.writers = [Writer(self, user, self.random.random()) for user in ("alice", "bob")]
        self.devices = []
        for writer in self.writers:
            writer.prepare()
            for name in ("phone", "tablet"):
                device = Device(self, writer.user, f"{name}-{writer.user}", self.random.random()).register()
                writer.devices.append(device.identifier)
                self.devices.append((writer, device))
        self.reader = Reader(self, self.writers[0].user)
        self.reader.start()
        self.devices.append((self.writers[0], self.reader))
        self.killable = [*self.system.roles, self.reader]
        self.visitors = [Visitor(self, writer, self.random.random()) for writer in self.writers]
        for worker in [*self.writers, *(device for _, device in self.devices if isinstance(device, Device)), *self.visitors]:
            worker.start()
        self.say(f"seed {self.seed}: three brokers, a record-service, two matchers; logs in {self.folder}")
        # A run has its seconds from here on, however long the machine took for the start.
        self.began = time.monotonic()

    def mount_a_small_disk(self):
        node = self.cluster.nodes[-1]
        data = f"{node.folder}/data"
        aside = f"{node.folder}/formatted"
        os.rename(data, aside)
        os.mkdir(data)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", data], capture_output=True, text=True)
        self.has_small_disk = done.returncode == 0
        if not self.has_small_disk:
            self.say(f"no disk of its own for a broker: {done.stderr.strip()}")
        shutil.copytree(aside, data, dirs_exist_ok=True)
        shutil.rmtree(aside)

    def work(self):
        faults = Faults(self)
        names = [name for name in os.environ.get("CHAOS_FAULTS", "").split(",") if name] or ALL
        names = [name for name in names if name != "none"]
        order = []
        self.settle("the beginning")
        if not names:
            # Something has to have happened before it is lost.
            self.sleep(min(10, 0.2 * self.seconds))
            self.settle("a while without faults")
        while names and (not self.done or time.monotonic() - self.began < 0.6 * self.seconds) and not self.failures:
            if not order:
                # Every fault before any comes again.
                order = self.random.sample(names, len(names))
            name = order.pop()
            self.sleep(self.random.uniform(0.5, 2))
            self.check_disk()
            what = getattr(faults, name)()
            self.done[f"{name}" + (f": {what}" if what else "")] += 1
            self.settle(f"{getattr(Faults, name).__doc__}" + (f" ({what})" if what else ""))

    def check_disk(self):
        used = int(subprocess.run(["du", "-sm", self.folder], capture_output=True, text=True).stdout.split()[0])
        if used > DISK_MEBIBYTES:
            self.fail(f"the run's folder has {used} MiB")

    def settle(self, what):
        """Everything is healed: all notifications come within 30 s, and all are right."""
        healed = time.monotonic()
        for role in self.system.roles:
            if not role.is_running:
                self.fail(f"{role.name} ended by itself with {role.process.code} after {what}: see {role.log}")
                return
        for writer in self.writers:
            writer.pause()
        waiting = self.unsettled()
        while waiting and time.monotonic() - healed < LAG_SECONDS and not self.failures:
            time.sleep(0.05)
            waiting = self.unsettled()
        took = time.monotonic() - healed
        self.lags.append(took)
        if waiting:
            self.fail(f"{LAG_SECONDS} s after {what}: {'; '.join(waiting)}")
            self.look_into_it()
            # Late is another thing than lost.
            deadline = time.monotonic() + 45
            while self.unsettled() and time.monotonic() < deadline:
                time.sleep(0.2)
            self.say(f"after {time.monotonic() - healed:.0f} s: {'; '.join(self.unsettled()) or 'all notified'}")
        if self.failures:
            return
        self.say(f"{what}: notified after {took:.1f} s; {sum(len(writer.private) + len(writer.public) for writer in self.writers)} changes")
        self.check(what)
        for writer in self.writers:
            writer.go.set()

    def look_into_it(self):
        """Keeps the evidence of which stage stands still: positions, ends, open transactions, metrics."""
        for name, words in (("groups", ("kafka-consumer-groups.sh", "--describe", "--all-groups")),
                            ("ends", ("kafka-get-offsets.sh",)),
                            ("topics", ("kafka-topics.sh", "--describe")),
                            ("transactions", ("kafka-transactions.sh", "list"))):
            try:
                said = self.cluster.tool(words[0], "--bootstrap-server", self.cluster.direct, *words[1:], patience=30, may_fail=True)
            except subprocess.TimeoutExpired:
                said = "no answer within 30 s"
            with open(f"{self.folder}/{name}.txt", "w") as file:
                file.write(said)
        for role in self.system.roles:
            with open(f"{self.folder}/metrics-{role.name}.txt", "w") as file:
                file.write(role.metrics())

    def unsettled(self):
        for role in self.system.roles:
            if not role.is_running and not self.failures:
                self.fail(f"{role.name} ended by itself with {role.process.code}: see {role.log}")
        result = [f"{writer.user} waits for an answer" for writer in self.writers if not writer.idle.is_set()]
        if not result:
            for writer, device in self.devices:
                left = checker.lag(writer, self.writers, device.identifier, device.received())
                if left > 0:
                    result.append(f"{device.identifier} misses {left}")
        return result

    def check(self, what):
        for writer, device in self.devices:
            for text in checker.differences(device.received(), writer, self.writers, device.identifier, device.identifier):
                self.fail(f"after {what}: {text}")
        for visitor in self.visitors:
            with visitor.lock:
                heard, visitor.heard = visitor.heard, []
            for identifier, notes in heard:
                for text in checker.differences(notes, visitor.writer, self.writers, identifier, identifier, is_whole=False):
                    self.fail(f"after {what}: {text}")
        _, device = self.random.choice([pair for pair in self.devices if isinstance(pair[1], Device)])
        self.check_tokens(device)

    def check_tokens(self, device, tries=2):
        """Old tokens give exactly what came after them, in pages of any length."""
        for _ in range(tries):
            with device.lock:
                token, place, _ = self.random.choice(device.tokens)
                after = device.notes[place:]
            read = device.whole(token, limits=(7, 50, 200))
            for text in checker.same(read, after, device.identifier, f"what comes after token {place} and what came"):
                self.fail(text)

    def finish(self):
        """The last checks, of everything."""
        for writer in self.writers:
            writer.pause()
        for writer in self.writers:
            # Its client has one connection, which its last request may still use.
            if not writer.idle.wait(LAG_SECONDS):
                self.fail(f"{writer.user} waits for an answer")
                return
        for writer in self.writers:
            for text in writer.check_store():
                self.fail(text)
        for writer, device in self.devices:
            if not isinstance(device, Device):
                continue
            self.check_tokens(device, 5)
            for text in checker.same(device.whole(), device.received(), device.identifier, "a reading from the start and what came"):
                self.fail(text)
            new = Device(self, writer.user, f"late-{device.identifier}", 0).register()
            whole = new.whole()
            for text in checker.differences(whole, writer, self.writers, new.identifier, new.identifier):
                self.fail(text)
            known = {checker.key(note) for note in device.received()}
            for text in checker.same([note for note in whole if checker.key(note) in known], device.received(), new.identifier, "a new device and its sibling"):
                self.fail(text)
            for one, notes in ((device, device.received()), (new, whole)):
                for text in checker.same(self.topic(one, len(notes)), notes, one.identifier, "the device's topic and what came"):
                    self.fail(text)
        began = time.monotonic()
        for line in list(self.audit("the faults"))[:5]:
            self.fail(f"audit after the faults: {line}")
        self.say(f"audited in {time.monotonic() - began:.1f} s")

    def topic(self, device, count):
        """The first notifications in the topic of a device, as `device-client` reads them on Kafka."""
        if not count:
            return []
        words = ["--device", device.identifier, "--token-key-file", f"{self.system.data}/token.keys", "--from-start"]
        deadline = time.monotonic() + LAG_SECONDS
        while True:
            try:
                code, said = self.system.command("device-client", *words, "--limit", str(count), patience=LAG_SECONDS)
            except subprocess.TimeoutExpired:
                self.fail(f"{device.identifier}: its topic has no {count} notifications after {LAG_SECONDS} s")
                return []
            if code == 0:
                return [json.loads(line) for line in said.splitlines() if '"notificationType"' in line][:count]
            if time.monotonic() > deadline:
                self.fail(f"{device.identifier}: its topic cannot be read: {said[-500:]}")
                return []
            time.sleep(1)

    def audit(self, when):
        """What `fanfare audit` finds in the whole log that it has not found before, by kind."""
        code, said = self.system.command("audit", "--json", *self.audit_range, patience=300)
        lines = [line for line in said.splitlines() if line.startswith("{")]
        found = {line: json.loads(line).get("kind") for line in lines}
        found = {line: kind for line, kind in found.items() if kind}
        if code not in (0, 3) or (code == 3) != bool(found):
            self.fail(f"audit after {when} ended with {code}: {said[-2000:]}")
        new = {line: kind for line, kind in found.items() if line not in self.audited}
        self.audited |= found.keys()
        return new

    def lose_halves(self):
        """Halves that are lost, once all else is known to be right; the visitors have gone."""
        for visitor in self.visitors:
            visitor.stopped.set()
        disasters = Disasters(self)
        chosen = os.environ.get("CHAOS_DISASTERS")
        kinds = [kind for kind in disasters.kinds if not chosen or (kind[1] or kind[0]) in chosen.split(",")]
        self.random.shuffle(kinds)
        struck = 0
        while kinds and (not struck or time.monotonic() - self.began < self.seconds) and not self.failures:
            struck += 1
            kind, name = kinds.pop()
            what = f"{kind} {name}" if name else kind
            came = disasters.strike(kind, name)
            if not self.failures:
                found = self.audit(what)
                differences = collections.Counter(found.values())
                came += f"; the audit finds {', '.join(f'{count} {kind}' for kind, count in sorted(differences.items())) or 'no difference'}"
                expected = DIFFERENCES.get(name or kind, set())
                for line, difference in list(found.items())[:10]:
                    self.say(f"audit: {line}")
                    if difference not in expected:
                        self.fail(f"audit after the loss of {what}: {line}")
            self.done[f"lost: {what}: {came}"] += 1
            self.say(f"lost: {what}: {came}")

    def report(self):
        said = collections.Counter()
        for role in [*self.system.roles, self.system.spare]:
            if os.path.exists(role.log):
                said.update(role.said())
        print("\nWhat was done, and how often:")
        for what, count in sorted(self.done.items()):
            print(f"  {count:4} {what}")
        saves = sum(len(writer.private) + len(writer.public) for writer in self.writers)
        notes = sum(len(device.received()) for _, device in self.devices)
        passed, delayed = self.cluster.proxy.command("stats").split()
        print(f"{saves} changes, {notes} notifications on {len(self.devices)} devices, {sum(visitor.count for visitor in self.visitors)} visitors; "
              f"{passed} ends of transactions, {delayed} delayed")
        if self.lags:
            print(f"notified after healing: {sum(self.lags) / len(self.lags):.1f} s on average, {max(self.lags):.1f} s at most")
        print("refused: " + (", ".join(f"{count} × {what}" for what, count in self.refusals.most_common()) or "nothing"))
        print("logged: " + (", ".join(f"{count} × {what}" for what, count in said.most_common(20)) or "nothing"))

    def end(self):
        self.is_over = True
        if hasattr(self, "system"):
            self.system.end()
        if hasattr(self, "reader"):
            self.reader.kill()
        if hasattr(self, "cluster"):
            self.cluster.end()
        if self.has_small_disk:
            subprocess.run(["umount", f"{self.cluster.nodes[-1].folder}/data"], check=False)


def main():
    seconds, seed = int(sys.argv[1]), int(sys.argv[2])
    # However it ends, what it started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    run = Run(seconds, seed, os.environ["FANFARE_EXECUTABLE"], os.environ["KAFKA_HOME"])
    try:
        run.start()
        run.work()
        if not run.failures:
            run.finish()
        if not run.failures:
            run.lose_halves()
        run.report()
    except BaseException as error:
        run.fail(f"{type(error).__name__}: {error}")
        if not isinstance(error, (RuntimeError, Refused)):
            import traceback
            traceback.print_exc()
    finally:
        run.end()
    if run.failures:
        print(f"\nchaos: FAILED with seed {seed}; again: make chaos CHAOS_SECONDS={seconds} SEED={seed}\nhistories and logs: {run.folder}", file=sys.stderr)
        for text in run.failures[:10]:
            print(f"chaos: {text}", file=sys.stderr)
        os._exit(1)
    shutil.rmtree(run.folder, ignore_errors=True)
    print(f"chaos: nothing was lost, doubled, out of order or silent (seed {seed})")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
