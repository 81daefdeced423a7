"""Runs the checks of pushes; `scripts/push-check` starts it with its modules."""
import argparse, os, sys, tempfile, threading, time, traceback
from certificates import Authority
from world import Twins, World
import address_checks, answer_checks, away_checks, crash_checks, delivery_checks, hostile_checks, refusal_checks, setting_checks, slow_checks, twins_check


class Runner:
    """Runs checks by name, in groups of one world each."""

    def __init__(self, options):
        self.options, self.passed, self.failed = options, 0, []
        self.lock = threading.Lock()
        self.folder = tempfile.TemporaryDirectory()
        self.authority = Authority(self.folder.name)

    def chosen(self, checks):
        names = self.options.names
        return [check for check in checks if not names or any(name in check.__name__ for name in names)]

    def check(self, function, subject, log, violations):
        """Runs one check and says how it ended."""
        began, error = time.monotonic(), None
        try:
            function(subject)
            found = violations()
            if found:
                raise AssertionError(f"requests that no provider takes: {found[:3]}")
        except (Exception, SystemExit) as caught:
            error = caught
        text = f"{function.__name__.replace('_', ' ')}  ({time.monotonic() - began:.1f} s)"
        with self.lock:
            if error is None:
                self.passed += 1
                print(f"ok      {text}", flush=True)
            else:
                self.failed.append(function.__name__)
                print(f"FAILED  {text}\n        {error!r}", flush=True)
                if not isinstance(error, AssertionError):
                    traceback.print_exception(error)
                lines = [line for line in log()[-20_000:].splitlines() if '"level":"info"' not in line and line.startswith("{")]
                print("".join(f"        | {line}\n" for line in lines[-8:]), end="", flush=True)

    def world(self, checks, *arguments, **rest):
        """Runs checks on one system, one after the other."""
        checks = self.chosen(checks)
        if not checks:
            return
        world = World(self.options.program, self.authority, *arguments, **rest)
        self.within(world, checks)

    def within(self, world, checks):
        try:
            for check in checks:
                self.check(check, world, world.log, world.twins.violations)
        finally:
            world.end()
            world.twins.stop()

    def run(self):
        def twins():
            own = Twins(self.authority)
            for check in self.chosen(twins_check.CHECKS):
                self.check(check, own, lambda: "", own.violations)
            own.stop()

        def delivery():
            def random_web_pushes(world):
                delivery_checks.random_web_pushes_are_those_of_the_feed(world, self.options.count, self.options.seed)
            self.world([*delivery_checks.CHECKS, random_web_pushes])

        def apns():
            self.world(answer_checks.CHECKS)

        def addresses():
            self.world(address_checks.CHECKS)

        def removals():
            self.world(answer_checks.REMOVAL_CHECKS)

        def firefox():
            if self.options.firefox:
                import firefox_checks
                def firefox_gets_the_pushes_of_its_subscription(world):
                    firefox_checks.firefox_gets_the_pushes_of_its_subscription(world, self.options.firefox)
                self.world([firefox_gets_the_pushes_of_its_subscription])

        def settings():
            self.world(
                setting_checks.CHECKS, "--apns-table", setting_checks.table(self.folder.name, self.authority),
                containers=["iCloud.com.example.Gallery", setting_checks.CERTIFIED])

        def streams():
            self.world(answer_checks.STREAM_CHECKS)

        def web():
            self.world(answer_checks.WEB_CHECKS)

        def refusals():
            self.world(refusal_checks.CHECKS, containers=refusal_checks.ALL)

        def probes():
            self.world(refusal_checks.SLOW_CHECKS, containers=refusal_checks.ALL)

        def silence():
            self.world([slow_checks.silence_and_slow_answers])

        def connections():
            self.world([slow_checks.too_many_connections_open_the_circuit])

        def hostile():
            checks = self.chosen(hostile_checks.CHECKS)
            if checks:
                self.within(hostile_checks.HostileWorld(
                    self.options.program, self.authority, self.folder.name, Twins(self.authority)), checks)

        def crashes():
            self.world(crash_checks.CHECKS[:1])

        def more_crashes():
            self.world(crash_checks.CHECKS[1:])

        def away():
            def providers_that_are_away_cost_no_memory(world):
                away_checks.providers_that_are_away_cost_no_memory(world, self.options.away_minutes)
            self.world([providers_that_are_away_cost_no_memory])

        groups = [twins, away, delivery, addresses, removals, settings, firefox, hostile, crashes, more_crashes, apns, streams, web, refusals, probes, silence, connections]
        threads = [threading.Thread(target=self.guarded, args=(group,)) for group in groups]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.folder.cleanup()

    def guarded(self, group):
        try:
            group()
        except (Exception, SystemExit) as error:
            with self.lock:
                self.failed.append(group.__name__)
                print(f"FAILED  {group.__name__}", flush=True)
                traceback.print_exception(error)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("names", nargs="*", help="parts of names of checks; all without one")
    parser.add_argument("--firefox", help="the program of Firefox, for a check with it; left out without one")
    parser.add_argument("--count", type=int, default=300, help="random Web Pushes")
    parser.add_argument("--away-minutes", type=float, default=0.1, help="minutes without a provider")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_intermixed_args()
    print(f"seed {options.seed}", flush=True)
    runner = Runner(options)
    began = time.monotonic()
    runner.run()
    print(f"push-check: {runner.passed} passed, {len(runner.failed)} failed  ({time.monotonic() - began:.0f} s)")
    sys.exit(1 if runner.failed or not runner.passed else 0)


main()
