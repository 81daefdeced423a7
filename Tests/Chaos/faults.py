"""What is broken, each by a name. A fault breaks something, waits, and heals it; what it returns is noted for the report."""
import glob, os, random, shutil, signal, subprocess, time

# The steps of each role, as docs/faults.md names them.
STEPS = {
    "record-service": ["store-committed", "relay-step-published", "relay-published", "relay-removed", "command-applied"],
    "matcher": ["match-appended", "match-committing", "match-committed", "deliver-taken-over",
                "deliver-journals-written", "deliver-written", "deliver-committed"],
    "device-client": ["reader-fetched", "reader-printed"],
}
STOPPED_SECONDS = 8     # longer than a member may be silent (6 s)
FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")


def name_of(role):
    return "matcher" if role.name.startswith("matcher") else role.name


class Faults:
    def __init__(self, run):
        self.run, self.random = run, run.random
        self.system, self.cluster = run.system, run.cluster
        self.steps = [(role, step) for role in run.killable for step in STEPS[name_of(role)]]
        self.random.shuffle(self.steps)
        self.shifts = []

    # MARK: Processes

    def kill_at_a_step(self):
        """a role dies by SIGKILL at a named step"""
        if not self.steps:
            self.steps = [(role, step) for role in self.run.killable for step in STEPS[name_of(role)]]
            self.random.shuffle(self.steps)
        role, step = self.steps.pop()
        time_to_reach = self.random.choice([1, 1, 2, 3])
        if step in ("deliver-taken-over", "command-applied"):
            time_to_reach = 1
        role.kill()
        role.start(FANFARE_KILL_AT=f"{step}:{time_to_reach}")
        reached = self.wait(lambda: not role.is_running, 10)
        role.kill()
        role.start()
        return f"{name_of(role)} at {step}" + ("" if reached else " (not reached)")

    def kill(self):
        """a role dies by SIGKILL at any time"""
        role = self.random.choice(self.run.killable)
        role.kill()
        self.run.sleep(self.random.uniform(0, 1.5))
        role.start()
        return name_of(role)

    def kill_all(self):
        """all roles die at once"""
        for role in self.run.killable:
            role.kill()
        for role in self.run.killable:
            role.start()
        return "all"

    def end_in_order(self):
        """a role ends by SIGTERM within 10 s"""
        role = self.random.choice(self.run.killable)
        if not role.terminate(10):
            self.run.fail(f"{role.name} did not end within 10 s of SIGTERM: see {role.log}")
        role.start()
        return name_of(role)

    def stop_a_matcher(self):
        """a matcher is stopped past its session, and goes on"""
        role = self.random.choice(self.system.matchers)
        role.process.send(signal.SIGSTOP)
        self.run.sleep(STOPPED_SECONDS)
        role.process.send(signal.SIGCONT)
        return "any time"

    def stop_at_a_step(self):
        """a matcher is stopped at a named step past its session, and goes on"""
        role = self.random.choice(self.system.matchers)
        step = self.random.choice(["match-appended", "match-committing", "deliver-taken-over", "deliver-journals-written", "deliver-written", "deliver-committed"])
        role.kill()
        before = len(role.text())
        role.start(FANFARE_STOP_AT=step)
        stopped = self.wait(lambda: f'{{"stopped":"{step}"}}' in role.text()[before:], 10)
        if stopped:
            self.run.sleep(STOPPED_SECONDS)
            role.process.send(signal.SIGCONT)
        else:
            # It would stop whenever it comes there, and nobody would let it go on.
            role.kill()
            role.start()
        return step + ("" if stopped else " (not reached)")

    def stop_the_service(self):
        """the record-service is stopped for a while"""
        self.system.service.process.send(signal.SIGSTOP)
        self.run.sleep(3)
        self.system.service.process.send(signal.SIGCONT)

    def storm(self):
        """matchers come and go: a storm of rebalances"""
        for _ in range(4):
            self.system.spare.start()
            self.run.sleep(self.random.uniform(0.3, 2))
            if self.random.random() < 0.5:
                self.system.spare.kill()
            else:
                self.system.spare.terminate()

    # MARK: Brokers

    def kill_a_broker(self):
        """a broker dies by SIGKILL and is started again"""
        node = self.random.choice(self.cluster.nodes)
        node.process.end()
        self.run.sleep(self.random.uniform(1, 6))
        node.start()
        node.wait()
        return f"node {node.number}"

    def pause_a_broker(self):
        """a broker is stopped until others lead, and comes back with old ends"""
        node = self.random.choice(self.cluster.nodes)
        node.process.send(signal.SIGSTOP)
        self.run.sleep(self.random.uniform(6, 9))
        if self.random.random() < 0.5:
            # A process that takes over meanwhile may ask the broker that comes back.
            role = self.random.choice(self.system.matchers)
            role.kill()
            role.start()
        node.process.send(signal.SIGCONT)
        self.run.sleep(0.5)
        self.cluster.move_leaders_back()
        return f"node {node.number}"

    def below_the_minimum(self):
        """two brokers die: nothing can be written"""
        nodes = self.random.sample(self.cluster.nodes, 2)
        for node in nodes:
            node.process.end()
        self.run.sleep(5)
        for node in nodes:
            node.start()
        for node in nodes:
            node.wait()

    def end_without_brokers(self):
        """two brokers are stopped, and a role has to end by SIGTERM within 10 s all the same"""
        nodes = self.random.sample(self.cluster.nodes, 2)
        for node in nodes:
            node.process.send(signal.SIGSTOP)
        self.run.sleep(2)
        role = self.random.choice(self.system.roles)
        if not role.terminate(10):
            self.run.fail(f"{role.name} did not end within 10 s of SIGTERM with two brokers stopped: see {role.log}")
        for node in nodes:
            node.process.send(signal.SIGCONT)
        role.start()
        return name_of(role)

    def delay_transactions(self):
        """ends of transactions come late, and a matcher dies meanwhile"""
        self.cluster.proxy.command("endtxn 6")
        self.run.sleep(3)
        role = self.random.choice(self.system.matchers)
        role.kill()
        role.start()
        self.run.sleep(6)
        self.cluster.proxy.command("endtxn 0")

    def hold_a_broker(self):
        """nothing passes between clients and a broker, which goes on leading"""
        number = self.random.choice(self.cluster.nodes).number
        self.cluster.proxy.command(f"hold {number}")
        self.run.sleep(self.random.uniform(3, 8))
        self.cluster.proxy.command(f"pass {number}")
        return f"node {number}"

    def cut_a_broker(self):
        """all connections to a broker are cut, several times"""
        number = self.random.choice(self.cluster.nodes).number
        for _ in range(5):
            self.cluster.proxy.command(f"cut {number}")
            self.run.sleep(0.3)
        return f"node {number}"

    def fill_a_disk(self):
        """a broker's disk is full"""
        node = self.cluster.nodes[-1]
        if not self.run.has_small_disk:
            return "left out: no disk of its own could be mounted"
        ballast = f"{node.folder}/data/ballast"
        try:
            with open(ballast, "wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 16))
        except OSError:
            pass
        ended = self.wait(lambda: node.process.code is not None, 8)
        os.unlink(ballast)
        node.process.end()
        node.start()
        node.wait()
        return "the broker ended" if ended else "the broker lived on"

    # MARK: Clocks

    def move_the_clock(self):
        """the record-service's clock is hours ahead, or behind"""
        if not FAKETIME:
            return "left out: libfaketime is not installed"
        if not self.shifts:
            self.shifts = self.random.sample(["+2h", "-2h", "+20h", "-40d"], 4)
        shift = self.shifts.pop()
        service = self.system.service
        service.terminate()
        service.start(LD_PRELOAD=FAKETIME[0], FAKETIME=shift, FAKETIME_DONT_FAKE_MONOTONIC="1")
        self.run.sleep(5)
        service.terminate()
        service.start()
        return shift

    def wait(self, condition, patience):
        deadline = time.monotonic() + patience
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


ALL = ["kill_at_a_step", "kill", "kill_all", "end_in_order", "stop_a_matcher", "stop_at_a_step", "stop_the_service", "storm",
       "kill_a_broker", "pause_a_broker", "below_the_minimum", "end_without_brokers", "delay_transactions", "hold_a_broker",
       "cut_a_broker", "fill_a_disk", "move_the_clock"]
