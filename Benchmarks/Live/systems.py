"""Fanfare as processes of a run: embedded, or its roles beside the broker at KAFKA_BOOTSTRAP_SERVERS."""
import json, os, shutil, signal, socket, subprocess, tempfile, time, urllib.error, urllib.request

# Nothing here is held back by a rate: the loops set it.
UNBOUND = {f"FANFARE_RATE_{who}_{what}": "0" for who in ("USER", "TOKEN", "ADDRESS") for what in ("REQUESTS", "MEBIBYTES", "COST")}
UNBOUND["FANFARE_RATE_REFUSED_REQUESTS"] = "0"
UNBOUND["FANFARE_HELD_PER_USER_MAX"] = "0"
UNBOUND["FANFARE_CONNECTIONS_MAX"] = "100000"
CONTAINER = "iCloud.com.example.Gallery"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def usage(pid):
    """Seconds of CPU and MiB of resident memory of a process."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(fields[21]) * os.sysconf("SC_PAGE_SIZE") >> 20


class System:
    """The processes, each by its role, and how to reach the service (`dev`: url, container, apiToken)."""

    def __init__(self, program, **settings):
        self.program, self.folder, self.processes = program, tempfile.mkdtemp(prefix="bench-live-"), {}
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("FANFARE_")}
        settings.setdefault("FANFARE_FEED_TOPICS", os.environ.get("BENCH_FEED_TOPICS", "false"))
        self.environment.update(UNBOUND, FANFARE_LOG_LEVEL="warning", FANFARE_CONTAINERS=CONTAINER,
                                FANFARE_DATA=f"{self.folder}/data", **settings)

    def start(self, role, *words):
        with open(f"{self.folder}/{role}.log", "ab") as log:
            self.processes[role] = subprocess.Popen(
                [self.program, *words], env=self.environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def wait(self, condition, what, patience=90):
        deadline = time.monotonic() + patience
        while not condition():
            for role, process in self.processes.items():
                if process.poll() is not None:
                    raise SystemExit(f"bench-live: {role} ended: {open(f'{self.folder}/{role}.log').read()[-2000:]}")
            if time.monotonic() > deadline:
                raise SystemExit(f"bench-live: {what} did not happen in {patience} s; {self.folder}")
            time.sleep(0.02)

    def run(self, *words):
        done = subprocess.run([self.program, *words], env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"bench-live: {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def usage(self):
        """By role: seconds of CPU, MiB."""
        return {role: usage(process.pid) for role, process in self.processes.items()} | self.others()

    def counter(self, role, name):
        """A counter of a role's metrics, all labels together."""
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.internal[role]}/metrics", timeout=30).read().decode()
        return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith((name + " ", name + "{")))

    def others(self):
        return {}

    def end(self):
        for process in reversed(self.processes.values()):
            process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Embedded(System):
    """`fanfare dev`, anew."""

    def __init__(self, program, **settings):
        super().__init__(program, **settings)
        self.internal = {"dev": free_port()}
        self.start("dev", "dev", "--listen", "127.0.0.1:0", "--internal-listen", f"127.0.0.1:{self.internal['dev']}")
        path = f"{self.folder}/data/dev.json"
        self.wait(lambda: os.path.exists(path), "the start of fanfare dev")
        self.dev = json.load(open(path))


class Kafka(System):
    """A record-service and one matcher, on topics of a container of its own; where pushes may go, a push-sender."""

    made = 0

    def __init__(self, program, **settings):
        Kafka.made += 1
        container = f"{CONTAINER}{os.getpid()}x{Kafka.made}"
        port, internal = free_port(), [free_port() for _ in range(3)]
        super().__init__(
            program, FANFARE_BOOTSTRAP_SERVERS=os.environ["KAFKA_BOOTSTRAP_SERVERS"], FANFARE_DEVELOPMENT_SIGN_IN="true",
            FANFARE_ENVIRONMENTS="development", FANFARE_LISTEN=f"127.0.0.1:{port}", **settings)
        self.environment["FANFARE_CONTAINERS"] = container
        self.run("secrets", "init")
        self.environment["FANFARE_API_TOKEN_FILE"] = f"{self.folder}/data/api.token"
        self.run("topics", "init")
        self.words = {"record-service": ("record-service", "--internal-listen", f"127.0.0.1:{internal[0]}"),
                      "matcher": ("subscription-matcher", "--internal-listen", f"127.0.0.1:{internal[1]}")}
        if "FANFARE_PUSH_LOOPBACK" in settings:
            self.words["push-sender"] = ("push-sender", "--internal-listen", f"127.0.0.1:{internal[2]}")
        self.internal = dict(zip(self.words, internal))
        for role, words in self.words.items():
            self.start(role, *words)
        for number in self.internal.values():
            self.wait(lambda: self.is_ready(number), "readiness")
        with open(f"{self.folder}/data/api.token") as file:
            self.dev = {"url": f"http://127.0.0.1:{port}", "container": container, "apiToken": file.read().strip()}

    @staticmethod
    def is_ready(port):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=5).status == 200
        except (OSError, urllib.error.URLError):
            return False

    def stop_roles(self):
        for role in reversed(self.words):
            self.processes[role].send_signal(signal.SIGTERM)
            self.processes.pop(role).wait(60)

    def start_roles(self):
        for role, words in self.words.items():
            self.start(role, *words)
        for number in self.internal.values():
            self.wait(lambda: self.is_ready(number), "readiness", patience=600)

    def topic(self, name):
        return f"{self.dev['container']}.development.{name}"

    def others(self):
        """The broker that scripts/with-kafka started beside this program."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
                if parent == os.getppid() and b"kafka.Kafka" in open(f"/proc/{pid}/cmdline", "rb").read():
                    return {"broker": usage(int(pid))}
            except OSError:
                continue
        return {}


SYSTEMS = {"embedded": Embedded, "kafka": Kafka}
