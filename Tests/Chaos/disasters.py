"""Lost halves: topics deleted and recreated, stores that are new or older. A role that detects it refuses to work and
reports it, and `fanfare repair` repairs it; no save may be acknowledged without a notification.

They come after the last check of the histories, each in a system that is quiet: what was under way when a half was lost may be lost with it.
"""
import os, shutil, signal, time

import checker
from clients import Client, Device, Refused

# The differences that an audit finds after a loss, because the loss made them (docs/repair.md).
DIFFERENCES = {
    "changes.private": {"phantom"},         # delivered changes are not retained any more
    "changes.public": {"phantom"},
    "subscriptions": {"phantom"},           # versions of deleted subscriptions, as those that fired once, are not kept any more
}
PATIENCE = 40       # seconds for a role to notice and say so, and for a mended one to begin
COMPARED = 15       # seconds within which the relay compares all fixed topics with the identity record, with some to spare


class Disasters:
    def __init__(self, run):
        self.run, self.random, self.system, self.cluster = run, run.random, run.system, run.cluster
        self.number = 0
        self.obstacles = {}     # what the last reading of a device was stopped by, by device
        self.undelivered = ""        # the missing notifications at the end of the last `are_notified` that ran out of time
        self.prefix = f"{run.container}.development."
        for _, device in run.devices:
            if isinstance(device, Device):
                device.stop()
        run.reader.kill()
        run.killable.remove(run.reader)
        self.devices = [(writer, device) for writer, device in run.devices if isinstance(device, Device)]
        self.tokens = {device.identifier: device.tokens[-1][0] for _, device in self.devices}

    @property
    def kinds(self):
        topics = [name for name in self.cluster.topics("--list").split() if name.startswith(self.prefix)]
        fixed = sorted(name[len(self.prefix):] for name in topics if not name[len(self.prefix):].startswith("feed."))
        own = [("feed", None)] if any(name.startswith(f"{self.prefix}feed.") for name in topics) else []
        return [("topic", name) for name in fixed if name != "journals"] + own + [("store emptied", None), ("store rolled back", None)]

    def strike(self, kind, name):
        """One disaster; says what came of it."""
        self.said = {role.name: len(role.text()) for role in self.system.roles}
        if kind == "topic":
            return self.topic(name, is_fixed=True)
        if kind == "feed":
            return self.topic_of_a_device()
        return self.store(is_emptied=kind == "store emptied")

    def topic(self, name, is_fixed):
        self.cluster.topics("--delete", "--topic", self.prefix + name)
        self.run.sleep(self.random.choice([0, 6]))
        deadline = time.monotonic() + PATIENCE
        while is_fixed and self.system.command("topics", "init")[0] != 0 and time.monotonic() < deadline:
            time.sleep(0.5)
        if self.random.random() < 0.5:
            # A process that starts later sees what those before it may have in memory.
            role = self.random.choice(self.system.roles)
            role.kill()
            role.start()
        return self.outcome(is_compared=is_fixed)

    def topic_of_a_device(self):
        """Readers over HTTP do not notice; the topic is made again with the next entry for it."""
        writer, device = self.random.choice(self.devices)
        # A repair may have given it another epoch.
        name = f"feed.{device.identifier}.{device.register().epoch}"
        self.wait_for_topic(name, writer)
        came = self.topic(name, is_fixed=False)
        self.wait_for_topic(name, writer)
        return came

    def wait_for_topic(self, name, writer):
        deadline = time.monotonic() + PATIENCE
        while self.prefix + name not in self.cluster.topics("--list").split() and not self.run.failures:
            if time.monotonic() > deadline:
                self.run.fail(f"the topic {name} is not made within {PATIENCE} s")
            self.probe(writer, writer.client)
            time.sleep(1)

    def store(self, is_emptied):
        service, data = self.system.service, self.system.data
        service.terminate()
        aside = f"{self.run.folder}/aside"
        shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(data, aside)
        if is_emptied:
            for name in os.listdir(data):
                # The keys are kept apart from the store, or nobody's sign-in would be good.
                if ".sqlite" in name:
                    os.unlink(f"{data}/{name}")
            # Sequences of two stores say nothing of each other: an audit is of one of them.
            self.run.audit_range = ["--from", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1))]
            time.sleep(1)
        else:
            service.start()
            service.wait()
            for writer, _ in self.devices[::2]:
                self.probe(writer, writer.client)
            self.read_all()
            service.kill()
            shutil.rmtree(data)
            shutil.copytree(aside, data)
        service.start()
        return self.outcome(is_new_store=is_emptied)

    # MARK: Outcomes

    def outcome(self, is_new_store=False, is_compared=False):
        refusal, deadline, answered, received = None, time.monotonic() + PATIENCE, [], None
        while time.monotonic() < deadline and not refusal:
            refusal = self.refusal()
            if refusal or is_new_store:
                time.sleep(0.1)
                continue
            if not answered:
                answered = [self.probe(writer, writer.client, patience=3) for writer, _ in self.devices[::2]]
                answered = answered if all(answered) else []
            if not received and answered and self.are_notified(answered, 5):
                received = time.monotonic()
            # Nothing necessary was lost; a refusal may still come from a periodic comparison.
            if received and time.monotonic() > received + (COMPARED if is_compared else 0):
                return "went on"
            if received:
                time.sleep(0.2)
        if not refusal:
            self.run.fail(f"saves were acknowledged without a notification, and no role reports why: {answered}; {self.undelivered}")
            return "silence"
        return self.mend(refusal, is_new_store)

    def refusal(self):
        """The first role that does not work, and says so."""
        for role in self.system.roles:
            if not role.is_running:
                return f"{role.name} ended with {role.process.code}"
            # One that has only just started, or waits for a member that was killed, is not ready either.
            if not role.is_ready() and "fanfare repair" in role.text()[self.said[role.name]:]:
                return f"{role.name} is not ready"
        return None

    def mend(self, refusal, is_new_store):
        repair = ["repair", "--data", self.system.data, "--container", self.run.container]
        code, plan = self.system.command(*repair, patience=90)
        if code != 3:
            self.run.fail(f"{refusal}, and repair ends with {code}: {plan}")
            return "not mended"
        for matcher in self.system.matchers:
            matcher.kill()
        killed = self.random.random() < 0.5
        if killed:
            self.system.environment["FANFARE_KILL_AT"] = "repair-prepared"
            self.system.command(*repair, "--yes", patience=90)
            del self.system.environment["FANFARE_KILL_AT"]
        code, said = self.system.command(*repair, "--yes", patience=90)
        if code != 0:
            self.run.fail(f"{refusal}; repair --yes ends with {code}: {said}")
            return "not mended"
        for matcher in self.system.matchers:
            matcher.start()
        if not self.system.service.is_running:
            self.system.service.start()
        for role in self.system.roles:
            role.wait(PATIENCE)
        if is_new_store:
            self.begin_anew()
        probes = [self.probe(writer, writer.client, patience=30) for _ in range(2) for writer, _ in self.devices[::2]]
        if not all(probes):
            self.run.fail(f"{refusal}; after repair saves are not answered")
        elif not self.are_notified(probes, PATIENCE):
            self.run.fail(f"{refusal}; after repair there is no notification of {probes}: {self.undelivered}; the plan was: {plan}")
        return f"{refusal}, mended" + (" at the second try" if killed else "")

    def begin_anew(self):
        """Users of an empty store sign in, subscribe and register again."""
        for writer, device in self.devices:
            device.client.sign_in()
            writer.client.sign_in()
        for writer, _ in self.devices[::2]:
            writer.prepare()
        for _, device in self.devices:
            device.register()
            # A user who signs in is another one, and old tokens belong to others.
            try:
                device.page(self.tokens[device.identifier])
                self.run.fail(f"{device.identifier}: a token of the store before was answered")
            except Refused as error:
                if error.code not in ("BAD_REQUEST", "CHANGE_TOKEN_EXPIRED"):
                    self.run.fail(f"{device.identifier}: a token of the store before: {error}")
            self.tokens[device.identifier] = None

    def probe(self, writer, client, patience=20):
        """Saves a record of the public database that notifies all; its name when it was answered."""
        self.number += 1
        name = f"probe-{self.number}"
        deadline = time.monotonic() + patience
        operation = {"operationType": "create", "record": {"recordName": name, "recordType": "Item", "fields": {"number": {"value": 1}}}}
        while time.monotonic() < deadline:
            try:
                item = client.ask("public/records/modify", {"operations": [operation]}, timeout=5)["records"][0]
                if item.get("serverErrorCode") in (None, "EXISTS"):
                    return name
            except (Refused, OSError):
                pass
            time.sleep(0.2)
        return None

    def are_notified(self, names, patience):
        deadline = time.monotonic() + patience
        while True:
            received = self.read_all()
            if all(set(names) <= set(records) for records in received.values()):
                break
            if time.monotonic() > deadline:
                missing = {identifier: sorted(set(names) - set(records)) for identifier, records in received.items()}
                self.undelivered = f"missing {missing}, stopped by {self.obstacles}, tokens {self.tokens}"
                return False
            time.sleep(0.2)
        for identifier, records in received.items():
            for name in names:
                if records.count(name) != 1:
                    self.run.fail(f"{identifier} got {records.count(name)} notifications of {name}")
        return True

    def read_all(self):
        """What each device has from its start on; an old token goes on, or is refused as expired."""
        result, self.obstacles = {}, {}
        for _, device in self.devices:
            for token in (self.tokens[device.identifier], None):
                try:
                    notes, more = [], True
                    while more:
                        page, token, more = device.page(token, persist=False)
                        notes += page
                    if token:
                        self.tokens[device.identifier] = token
                except Refused as error:
                    self.obstacles[device.identifier] = f"{error} at {'the start' if token is None else token}"
                    if error.code not in ("CHANGE_TOKEN_EXPIRED", "TRY_AGAIN_LATER", "THROTTLED"):
                        self.run.fail(f"{device.identifier}: {error}")
                    if token is None:
                        return {device.identifier: []}
                    continue
                except OSError as error:
                    self.obstacles[device.identifier] = f"{type(error).__name__} {error} at {'the start' if token is None else token}"
                    return {device.identifier: []}
            for text in checker.doubled(notes, device.identifier):
                self.run.fail(text)
            result[device.identifier] = [note.get("recordName") for note in notes if note.get("notificationType") == "query"]
        return result
