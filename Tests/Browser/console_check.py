"""Checks the console in browsers: see scripts/console.

    console_check.py FANFARE CHROMIUM [--firefox PROGRAM] [--pictures FOLDER] [--json FILE] [--files FOLDER] [--strict] [--long] [--kafka] [--only NAME]...
"""
import argparse, json, sys, traceback
from playwright.sync_api import sync_playwright
import console_beyond, console_export, console_firefox, console_hostile, console_keyboard, console_operator, console_pages, console_restart, console_speed, console_static, console_truth
from console_kafka import KafkaWorld
from console_world import Results, World, environment_without_settings, launch


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("fanfare")
    parser.add_argument("chromium")
    parser.add_argument("--firefox")
    parser.add_argument("--pictures")
    parser.add_argument("--json")
    parser.add_argument("--files", help="a folder that is served in place of the program's own files")
    parser.add_argument("--strict", action="store_true", help="no slack for timings")
    parser.add_argument("--long", action="store_true", help="five minutes of notifications, hidden tabs, axe in all sizes")
    parser.add_argument("--kafka", action="store_true", help="the way of a save alone, on the cluster at KAFKA_BOOTSTRAP_SERVERS")
    parser.add_argument("--only", action="append", default=[])
    return parser.parse_args()


def steps(given, world, browser, results):
    """The steps by name, in their order."""
    if given.kafka:
        yield "live", lambda: console_speed.saves(world, browser, results, 200 if given.strict else 40, " on Kafka", 150, 600)
        return
    yield "static", lambda: console_static.check(results)
    yield "pages", lambda: console_pages.walk(world, browser, results, given.pictures, long=given.long)
    yield "keyboard", lambda: console_keyboard.walk(world, browser, results)
    yield "hostile", lambda: console_hostile.walk(world, browser, results)
    yield "export", lambda: console_export.walk(world, browser, results)
    yield "beyond", lambda: console_beyond.run(world, browser, results)
    yield "truth", lambda: console_truth.run(world, browser, results)
    yield "operator", lambda: console_operator.run(world, browser, results)
    yield "rows", lambda: console_speed.rows(world, browser, results, 20 if given.strict else 8)
    yield "live", lambda: console_speed.live(world, browser, results, 200 if given.strict else 40)
    if given.long:
        yield "steady", lambda: console_speed.steady(world, browser, results)
    yield "tabs", lambda: console_restart.tabs(world, browser, results, long=given.long)
    yield "restart", lambda: console_restart.restart(world, browser, results)
    if given.firefox:
        yield "firefox", lambda: console_firefox.walk(world, given.firefox, results)


def main():
    given = arguments()
    environment_without_settings()
    results = Results(1 if given.strict else 2)
    world = KafkaWorld(given.fanfare) if given.kafka else World(given.fanfare, ["--console-files", given.files] if given.files else [])
    try:
        if not given.kafka:
            console_pages.prepare(world)
        with sync_playwright() as playwright:
            browser = launch(playwright, given.chromium)
            for name, run in steps(given, world, browser, results):
                if given.only and name not in given.only:
                    continue
                before = results.passed
                try:
                    run()
                except Exception as error:  # A step that ends early fails; the others go on.
                    traceback.print_exc()
                    results.check(f"{name} ends", False, error)
                    for context in list(browser.contexts):
                        context.close()
                print(f"  {name}: {results.passed - before} passed", flush=True)
            browser.close()
    finally:
        world.stop()
    measured = json.dumps(results.measured, indent=2)
    print(measured)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            file.write(measured + "\n")
    print(f"console: {results.passed} passed, {results.failed} failed")
    sys.exit(1 if results.failed else 0)


main()
