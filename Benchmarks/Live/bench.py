"""The live benchmark: see scripts/bench-live, which starts this."""
import argparse, json, os, statistics, subprocess, sys, tempfile

from crowd import CrowdRun
from devices import DevicesRun
from driver import Failure
from live import LiveRun
from pushes import PushedCrowdRun, PushesRun
from replay import ReplayRun
from store import StoreRun
from systems import SYSTEMS
from trials import TrialsRun

HERE = os.path.dirname(os.path.abspath(__file__))


class Hops:
    """The bare loops in C."""

    def __init__(self):
        self.path = os.path.join(tempfile.mkdtemp(prefix="bench-live-"), "hops")
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "rdkafka"], capture_output=True, text=True, check=True).stdout.split()
        subprocess.run(["cc", "-O2", "-w", "-o", self.path, f"{HERE}/hops.c", *flags, "-lpthread"], check=True)

    def __call__(self, *words):
        done = subprocess.run([self.path, *map(str, words)], capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise Failure(done.stderr)
        return json.loads(done.stdout)


def live(options, log, hops):
    for count in options.subscriptions:
        for loop in options.loops:
            yield {"work": "live", "log": log, "subscriptions": count, "loop": loop}, lambda: live_cell(options, log, count, loop, hops)


def live_cell(options, log, count, loop, hops):
    # The hops of the same rate just before, beside nothing else.
    bare = hops("hops", 3, loop, min(5, options.seconds)) if hops and loop != "closed" else None
    run = LiveRun(lambda: SYSTEMS[log](options.program), count, options.seed)
    try:
        figures = run.profiled(loop, options.seconds, options.profile) if options.profile else run.measure(loop, options.seconds)
    finally:
        run.end()
    if bare:
        figures |= {"hopsP50": bare["p50"], "hopsP99": bare["p99"]}
        if figures["notifiedP50"]:
            figures |= {"p50ToHops": round(figures["notifiedP50"] / bare["p50"], 1),
                        "p99ToHops": round(figures["notifiedP99"] / bare["p99"], 1)}
    return figures


def topics(options, log, hops):
    """What a topic for each device costs without Fanfare."""
    # One kind a run, as each makes the next one dearer: a broker of its own for each.
    own = ["own"] if options.own_settings else []
    yield {"work": "topics", "log": log, "ownSettings": len(own)}, lambda: hops("topics", options.devices, *own)


def simple(name, make):
    def cells(options, log, hops):
        def cell():
            run = make(options, log, hops)
            try:
                return run.measure()
            finally:
                run.end()
        yield {"work": name, "log": log}, cell
    return cells


WORKS = {
    "live": live,
    # The bare consumer reads the device's topic.
    "replay": simple("replay", lambda options, log, hops: ReplayRun(
        lambda: SYSTEMS[log](options.program, **({"FANFARE_FEED_TOPICS": "true"} if hops else {})), options.notifications, hops)),
    "devices": simple("devices", lambda options, log, hops: DevicesRun(
        lambda: SYSTEMS[log](options.program), options.devices, options.seed)),
    "crowd": simple("crowd", lambda options, log, hops: CrowdRun(
        lambda: SYSTEMS[log](options.program), options.users, options.devices, options.seed)),
    "pushes": simple("pushes", lambda options, log, hops: PushesRun(
        lambda **settings: SYSTEMS[log](options.program, **settings), 100, options.seconds)),
    "pushcrowd": simple("pushcrowd", lambda options, log, hops: PushedCrowdRun(
        lambda **settings: SYSTEMS[log](options.program, **settings), options.devices)),
    "topics": topics,
    "store": simple("store", lambda options, log, hops: StoreRun(
        lambda: SYSTEMS[log](options.program), options.records, options.seed)),
    "trials": simple("trials", lambda options, log, hops: TrialsRun(
        lambda: SYSTEMS[log](options.program), options.records, options.trials, options.seed)),
}


def median(runs):
    """Of each figure the median of the runs; counts of mistakes are added."""
    merged = {}
    for key, value in runs[0].items():
        values = [run[key] for run in runs]
        if key in ("lost", "doubled", "false"):
            merged[key] = sum(values)
        elif isinstance(value, dict):
            merged[key] = median(values)
        else:
            merged[key] = None if None in values else statistics.median(values)
    return merged


def table(results):
    """For people: a row a cell, with the figures that there are."""
    for work in WORKS:
        rows = [(head, figures) for head, figures in results if head["work"] == work]
        if not rows:
            continue
        keys = [key for head, _ in rows for key in head if key != "work"] + [key for _, figures in rows for key in figures]
        keys = list(dict.fromkeys(keys))
        lines = [[str(key) for key in keys]]
        for head, figures in rows:
            lines.append([show((head | figures).get(key)) for key in keys])
        # Upside down, a figure a line: there are more figures than cells.
        print(f"\n{work}", file=sys.stderr)
        widths = [max(len(cell) for cell in line) for line in lines]
        for row in zip(*lines):
            print("  " + "  ".join(cell.ljust(width) if index == 0 else cell.rjust(width)
                                   for index, (cell, width) in enumerate(zip(row, widths))), file=sys.stderr)


def show(value):
    if value is None:
        return "–"
    if isinstance(value, dict):
        return " ".join(f"{key} {part}" for key, part in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value)


def numbers(text):
    return [int(part) for part in text.split(",")]


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench-live", description=__doc__)
    parser.add_argument("works", nargs="*", metavar="WORK", help="live, replay, devices, crowd, pushes, pushcrowd, topics, store, trials; live alone without")
    parser.add_argument("--logs", default="embedded", help="embedded, kafka or both (default: embedded)")
    parser.add_argument("--subscriptions", type=numbers, default=[0, 1000], help="how many, several cells (default: 0,1000)")
    parser.add_argument("--loops", default="closed,100", help="closed, or saves a second of an open loop (default: closed,100)")
    parser.add_argument("--seconds", type=float, default=5, help="of each cell, after 2 of warm-up (default: 5)")
    parser.add_argument("--notifications", type=int, default=20000, help="of a replay (default: 20000)")
    parser.add_argument("--devices", type=int, default=1000, help="of the work devices, each of a user of its own (default: 1000); of the work crowd, of all users")
    parser.add_argument("--users", type=int, default=100, help="of the work crowd (default: 100)")
    parser.add_argument("--own-settings", action="store_true", help="the work topics gives each topic a setting of its own")
    parser.add_argument("--records", type=int, default=40000, help="of the work store, at least 4000: its queries find 20 of each artist (default: 40000)")
    parser.add_argument("--trials", type=int, default=100, help="tests of subscriptions of the work trials (default: 100)")
    parser.add_argument("--rounds", type=int, default=1, help="runs of each cell, whose medians are printed (default: 1)")
    parser.add_argument("--seed", type=int, default=1, help="of subscriptions and records (default: 1)")
    parser.add_argument("--profile", help="a file that perf writes the profile of the last live cell to")
    parser.add_argument("--program", default=".build/release/fanfare", help="several, with commas between, are run in turns")
    options = parser.parse_args()
    options.loops = options.loops.split(",")
    programs, logs = [os.path.abspath(path) for path in options.program.split(",")], options.logs.split(",")
    unknown = set(options.works) - set(WORKS) | set(logs) - set(SYSTEMS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if {"crowd", "topics"} & set(options.works) and logs != ["kafka"]:
        parser.error("crowd and topics run on Kafka alone: --logs kafka")
    if "kafka" in logs and not os.environ.get("KAFKA_BOOTSTRAP_SERVERS"):
        parser.error("set KAFKA_HOME to an unpacked Kafka, or KAFKA_BOOTSTRAP_SERVERS to one that runs")
    hops = Hops() if "kafka" in logs else None
    runs, wrong = {}, []
    for _ in range(options.rounds):
        for work in options.works or ["live"]:
            for log in logs:
                for program in programs:
                    one = argparse.Namespace(**{**vars(options), "program": program})
                    for head, cell in WORKS[work](one, log, hops if log == "kafka" else None):
                        if len(programs) > 1:
                            head["program"] = os.path.relpath(program)
                        figures = cell()
                        print(json.dumps({"seed": options.seed, **head, **figures}), flush=True)
                        if any(figures.get(key) for key in ("lost", "doubled", "false")):
                            wrong.append(head)
                        runs.setdefault(json.dumps(head), []).append(figures)
    table([(json.loads(head), median(figures)) for head, figures in runs.items()])
    if wrong:
        raise SystemExit(f"bench-live: notifications were lost, doubled or false: {wrong}")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        raise SystemExit(f"bench-live: {failure}")
