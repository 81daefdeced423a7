"""Three Kafka nodes as processes of this run, by Kafka's own scripts, and the proxy that clients reach them through."""
import os, random, signal, socket, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))


def free_ports(count):
    """Below those that the system gives to clients by itself: of those one could be a client's while who listens there is started again."""
    sockets = []
    while len(sockets) < count:
        one = socket.socket()
        try:
            one.bind(("127.0.0.1", random.randrange(10000, 32768)))
            sockets.append(one)
        except OSError:
            one.close()
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Process:
    """A process of this run, with a session of its own, so that what it starts ends with it."""

    def __init__(self, words, environment, log):
        self.log = log
        with open(log, "ab") as output:
            self.popen = subprocess.Popen(
                words, env=environment, stdout=output, stderr=output, stdin=subprocess.DEVNULL, start_new_session=True)

    @property
    def code(self):
        return self.popen.poll()

    def send(self, number):
        if self.code is None:
            os.killpg(self.popen.pid, number)

    def end(self, number=signal.SIGKILL, patience=20):
        """Sends a signal and waits; returns whether the process ended by it in time."""
        self.send(number)
        try:
            self.popen.wait(patience)
            return True
        except subprocess.TimeoutExpired:
            self.send(signal.SIGCONT)
            self.send(signal.SIGKILL)
            self.popen.wait()
            return False


class Node:
    """A broker that is a controller, too."""

    def __init__(self, cluster, number, folder):
        self.cluster, self.number, self.folder = cluster, number, folder
        self.process = None
        os.makedirs(folder, exist_ok=True)

    def format(self, cluster_id, ports, voters, proxied):
        client, inner, controller = ports
        with open(f"{self.folder}/server.properties", "w") as file:
            file.write(f"""process.roles=broker,controller
node.id={self.number}
controller.quorum.voters={voters}
listeners=CLIENT://127.0.0.1:{client},INNER://127.0.0.1:{inner},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=CLIENT://127.0.0.1:{proxied},INNER://127.0.0.1:{inner}
controller.listener.names=CONTROLLER
inter.broker.listener.name=INNER
listener.security.protocol.map=CLIENT:PLAINTEXT,INNER:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={self.folder}/data
auto.create.topics.enable=false
default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
transaction.state.log.num.partitions=4
request.timeout.ms=10000
share.coordinator.state.topic.replication.factor=3
share.coordinator.state.topic.min.isr=2
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=4000
broker.heartbeat.interval.ms=500
replica.lag.time.max.ms=5000
controller.quorum.election.timeout.ms=500
controller.quorum.fetch.timeout.ms=1500
log.cleaner.dedupe.buffer.size=2097152
log.cleaner.threads=1
num.network.threads=2
num.io.threads=4
log.index.size.max.bytes=65536
log.segment.bytes=16777216
""")
        self.cluster.tool("kafka-storage.sh", "format", "-t", cluster_id, "-c", f"{self.folder}/server.properties")

    def start(self):
        if self.process is None or self.process.code is not None:
            self.mark = os.path.getsize(f"{self.folder}/log") if os.path.exists(f"{self.folder}/log") else 0
            self.process = Process(
                [f"{self.cluster.home}/bin/kafka-server-start.sh", f"{self.folder}/server.properties"],
                {**self.cluster.environment, "KAFKA_HEAP_OPTS": "-Xmx384m", "LOG_DIR": f"{self.folder}/logs",
                 "KAFKA_JVM_PERFORMANCE_OPTS": f"-Djava.io.tmpdir={self.folder} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"},
                f"{self.folder}/log")

    def is_up(self):
        if self.process.code is not None:
            return False
        with open(f"{self.folder}/log", "rb") as log:
            log.seek(self.mark)
            return b"Kafka Server started" in log.read()

    def wait(self, patience=180):
        deadline = time.monotonic() + patience
        while not self.is_up():
            if self.process.code is not None or time.monotonic() > deadline:
                raise RuntimeError(f"node {self.number} did not start: see {self.folder}/log")
            time.sleep(0.1)


class Cluster:
    """All nodes. Clients get the proxy's addresses; brokers speak to each other directly."""

    def __init__(self, home, folder, count=3):
        self.home = os.path.abspath(home)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("KAFKA_")}
        self.environment["KAFKA_HEAP_OPTS"] = "-Xmx160m"
        self.environment["KAFKA_JVM_PERFORMANCE_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        self.folder = folder
        os.makedirs(folder)
        self.nodes = [Node(self, number, f"{folder}/node-{number}") for number in range(1, count + 1)]
        ports = free_ports(4 * count)
        groups = [ports[4 * index:4 * index + 4] for index in range(count)]
        self.bootstrap = ",".join(f"127.0.0.1:{group[3]}" for group in groups)
        self.direct = ",".join(f"127.0.0.1:{group[0]}" for group in groups)
        self.proxy = Proxy([(group[3], group[0]) for group in groups], f"{folder}/proxy.log")
        identifier = self.tool("kafka-storage.sh", "random-uuid").split()[-1]
        voters = ",".join(f"{node.number}@127.0.0.1:{group[2]}" for node, group in zip(self.nodes, groups))
        for node, group in zip(self.nodes, groups):
            node.format(identifier, group[:3], voters, group[3])

    def start(self):
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            node.wait()

    def tool(self, name, *words, patience=60, may_fail=False):
        """Runs one of Kafka's commands; returns what it printed."""
        done = subprocess.run(
            [f"{self.home}/bin/{name}", *words], env={**self.environment, "LOG_DIR": self.folder}, timeout=patience,
            capture_output=True, text=True)
        if done.returncode != 0 and not may_fail:
            raise RuntimeError(f"{name} {' '.join(words)}: {done.stdout[-800:]} {done.stderr[-800:]}")
        return done.stdout

    def topics(self, *words, **options):
        return self.tool("kafka-topics.sh", "--bootstrap-server", self.direct, *words, **options)

    def move_leaders_back(self):
        self.tool(
            "kafka-leader-election.sh", "--bootstrap-server", self.direct, "--election-type", "preferred",
            "--all-topic-partitions", may_fail=True)

    def end(self):
        for node in self.nodes:
            if node.process:
                node.process.send(signal.SIGCONT)
                node.process.end()
        self.proxy.end()


class Proxy:
    """The process of `proxy.py`."""

    def __init__(self, routes, log):
        with open(log, "ab") as output:
            self.popen = subprocess.Popen(
                [sys.executable, f"{HERE}/proxy.py"] + [f"{port}:{target}" for port, target in routes],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output, text=True, start_new_session=True)
        self.popen.stdout.readline()

    def command(self, words):
        self.popen.stdin.write(words + "\n")
        self.popen.stdin.flush()
        return self.popen.stdout.readline().strip()

    def end(self):
        self.popen.kill()
        self.popen.wait()
