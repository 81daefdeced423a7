"""The roles of the program as processes: started, armed with a step to die at, killed, stopped, and asked how they are."""
import json, os, signal, subprocess, time, urllib.request

from cluster import Process, free_ports


class Role:
    def __init__(self, system, name, words):
        self.system, self.name, self.words = system, name, words
        self.port = free_ports(1)[0]
        self.log = f"{system.folder}/{name}.log"
        self.process = None

    def start(self, **extra):
        self.process = Process(
            [self.system.program, *self.words, "--internal-listen", f"127.0.0.1:{self.port}"],
            {**self.system.environment, **extra}, self.log)

    @property
    def is_running(self):
        return self.process is not None and self.process.code is None

    def kill(self):
        self.process.send(signal.SIGCONT)
        self.process.end()

    def terminate(self, patience=10):
        return self.process.end(signal.SIGTERM, patience)

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health/ready", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def metrics(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5) as answer:
                return answer.read().decode()
        except OSError as error:
            return str(error)

    def wait(self, patience=60):
        deadline = time.monotonic() + patience
        while not self.is_ready():
            if not self.is_running:
                raise RuntimeError(f"{self.name} ended with {self.process.code}: see {self.log}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} was not ready within {patience} s: see {self.log}")
            time.sleep(0.05)

    def text(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def said(self, since=0):
        """The messages in its log that are warnings or worse, and how often each."""
        counts = {}
        for line in self.text()[since:].splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if entry.get("level", "").lower() in ("warning", "error"):
                name = entry.get("message") or entry.get("msg") or "?"
                counts[name] = counts.get(name, 0) + 1
        return counts


class System:
    """One record-service and some matchers on the cluster."""

    def __init__(self, program, bootstrap, container, api_token, port, folder, matchers=2):
        self.program, self.folder, self.port = program, folder, port
        self.container, self.api_token, self.bootstrap = container, api_token, bootstrap
        os.makedirs(folder, exist_ok=True)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("FANFARE_", "KAFKA_"))}
        self.environment |= {
            "KAFKA_BOOTSTRAP_SERVERS": bootstrap, "FANFARE_CONTAINERS": container, "FANFARE_PARTITIONS": "4",
            "FANFARE_API_TOKEN": api_token, "FANFARE_CRASH_MARKS": f"{folder}/crash-marks",
            "FANFARE_FEED_TOPICS": os.environ.get("CHAOS_FEED_TOPICS", "true"),
            "FANFARE_TABLE_SNAPSHOTS": f"{folder}/table-snapshots", "FANFARE_ENVIRONMENTS": "development",
        }
        self.data = f"{folder}/data"
        self.service = Role(self, "record-service", [
            "record-service", "--data", self.data, "--listen", f"127.0.0.1:{port}", "--development-sign-in"])
        self.matchers = [Role(self, f"matcher-{number}", ["subscription-matcher"]) for number in range(1, matchers + 1)]
        self.spare = Role(self, "matcher-spare", ["subscription-matcher"])

    @property
    def roles(self):
        return [self.service, *self.matchers]

    def command(self, *words, patience=60):
        """Runs a command of the program; its exit code and what it printed."""
        done = subprocess.run(
            [self.program, *words], env=self.environment, capture_output=True, text=True, timeout=patience)
        return done.returncode, done.stdout + done.stderr

    def start(self):
        code, said = self.command("topics", "init")
        if code != 0:
            raise RuntimeError(f"topics init ended with {code}: {said}")
        for role in self.roles:
            role.start()
        for role in self.roles:
            role.wait()

    def end(self):
        for role in [*self.roles, self.spare]:
            if role.process:
                role.kill()
