"""Serves web apps over CloudKit JS and walks through them: scripts/web-apps calls it."""
import functools
import http.server
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.request

from playwright.sync_api import sync_playwright

import web_apps_walks as walks

ITEMS = """DEFINE SCHEMA
RECORD TYPE Items (
    "___recordID" REFERENCE QUERYABLE, name STRING QUERYABLE SORTABLE, location LOCATION QUERYABLE SORTABLE,
    asset ASSET,
    GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
"""
NOTES = """DEFINE SCHEMA
RECORD TYPE CloudNote ("___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE, content STRING,
    GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
"""
ARTWORK = """DEFINE SCHEMA
RECORD TYPE Artwork ("___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE, address STRING QUERYABLE,
    artist REFERENCE QUERYABLE, location LOCATION QUERYABLE, image ASSET,
    GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
"""
ANCHOR = """DEFINE SCHEMA
RECORD TYPE CD_AnchorLocation ("___recordID" REFERENCE QUERYABLE, CD_name STRING, CD_statusRaw STRING QUERYABLE,
    CD_modeRaw STRING, CD_latitude DOUBLE, CD_longitude DOUBLE, CD_distance DOUBLE, CD_bigDistance DOUBLE,
    CD_startAngle DOUBLE, CD_endAngle DOUBLE, CD_timestamp TIMESTAMP QUERYABLE SORTABLE,
    GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud");
RECORD TYPE CD_VesselLocation ("___recordID" REFERENCE QUERYABLE, CD_anchorLocation STRING QUERYABLE,
    CD_latitude DOUBLE, CD_longitude DOUBLE, CD_timestamp TIMESTAMP QUERYABLE SORTABLE,
    GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud");
"""


class App:
    """A repository with a page: its container, schema and walk.

    `commit` is set where the last one lacks the page, `index` where the repository has code, and no page.
    """

    def __init__(self, name, repository, root, page, container, schema, walk, commit=None, index=None):
        self.name, self.repository, self.root, self.page = name, repository, root, page
        self.container, self.schema, self.walk, self.commit, self.index = container, schema, walk, commit, index


APPS = [
    App("catalog", "1998code/Apple-CloudKit-Catalog-V2", "", "index.html", "iCloud.io.startway.CloudKitCatalog", ITEMS,
        walks.catalog),
    App("catalog-2015", "davidmharrison/angular-cloud-kit", "examples/CloudKit", "index.html",
        "iCloud.watchinharrison.Read-The-News", ITEMS, walks.catalog_2015, commit="be91062"),
    App("reference", "theAppLaunchers/apple-docs-for-rag", "CloudKitJS/md", "", "iCloud.com.example.Reference", ARTWORK,
        walks.reference, index=walks.REFERENCE_PAGE),
    App("notes", "shinobicontrols/iOS9-day-by-day", "13-CloudKit-Web-Services/web", "index.html",
        "iCloud.com.shinobicontrols.CloudNotes", NOTES, walks.notes),
    App("anchor", "espenhogbakk/high-hill-bits-web", "", "anchor-watch/remote/index.html",
        "iCloud.com.highhillbits.anchorwatchpro", ANCHOR, walks.anchor),
]


class Page(http.server.SimpleHTTPRequestHandler):
    """Files of an app, with the script's address and the API token changed; Jekyll's lines are taken out."""

    def send_head(self):
        path = self.translate_path(self.path)
        if self.path == "/" and self.index:
            return self.answer(self.index % self.service, "text/html; charset=utf-8")
        if not path.endswith((".js", ".html")) or not os.path.isfile(path):
            return super().send_head()
        text = open(path, encoding="utf-8-sig").read()
        script = f"{self.service}/fanfare/cloudkit.js"
        text = re.sub(r"https://cdn\.apple-cloudkit\.com/ck/[12]/cloudkit\.js", script, text)
        text = re.sub(r"(?<=apiToken: ')[^']*|\b[0-9a-f]{64}\b", self.token, text)
        text = re.sub(r"\A---\n.*?\n---\n\s*|\{% (?:if jekyll.*?|endif) %\}", "", text, flags=re.S)
        return self.answer(text, "text/javascript" if path.endswith(".js") else "text/html; charset=utf-8")

    def answer(self, text, kind):
        body = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def log_message(self, *_):
        pass


class World:
    """The service, for one app: its page, its token, and requests of a user's other device."""

    def __init__(self, fanfare, data, clones, app, check):
        self.app, self.check = app, check
        self.service = json.load(open(f"{data}/dev.json"))["url"]
        options = ["--data", data, "--container", app.container]
        self.token = subprocess.run([fanfare, "token", "create", *options], check=True, capture_output=True,
                                    text=True).stdout.strip()
        with tempfile.NamedTemporaryFile("w", suffix=".ckdb") as schema:
            schema.write(app.schema)
            schema.flush()
            subprocess.run([fanfare, "schema", "import", schema.name, *options, "--apply"], check=True,
                           capture_output=True)
        self.folder = f"{clones}/{app.repository.replace('/', '+')}/{app.root}"
        handler = type("Page", (Page,), {"service": self.service, "token": self.token, "index": app.index})
        self.site = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(handler, directory=self.folder))
        threading.Thread(target=self.site.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.site.server_port}"
        self.address = f"{self.origin}/{app.page}"

    def ask(self, path, body, user, family="database"):
        """Sends a request of a user, who signs in by name."""
        def post(family, path, body, headers):
            request = urllib.request.Request(
                f"{self.service}/{family}/1/{self.app.container}/development/{path}", json.dumps(body).encode(),
                {"X-Apple-CloudKit-API-Token": self.token, **headers})
            return json.load(urllib.request.urlopen(request, timeout=60))
        session = post("auth", "signin", {"user": user}, {})["ckWebAuthToken"]
        return post(family, path, body, {"Authorization": f"Bearer {session}"})

    def save(self, database, records, user, zone=None):
        body = {"operations": [{"operationType": "forceReplace", "record": record} for record in records],
                **({"zoneID": {"zoneName": zone}} if zone else {})}
        answer = self.ask(f"{database}/records/modify", body, user)
        assert not [record for record in answer["records"] if "serverErrorCode" in record], answer


def classic(path):
    """fanfare.js as the classic script that the service makes of it."""
    body = open(path, encoding="utf-8").read().split("// MARK: Exports")[0]
    return f"(() => {{\n'use strict';\n{body}locate(document.currentScript?.src);\n}})();\n"


def open_page(browser, world, clones):
    """A page of a new profile, which gets files of other hosts from the folder alone."""
    context = browser.new_context(geolocation={"latitude": 37.3, "longitude": -122.0}, permissions=["geolocation"])
    context.set_default_timeout(20_000)

    def route(route):
        address = re.sub(r"^https?://|[?#].*$", "", route.request.url)
        if route.request.url.startswith((world.origin, world.service)):
            if os.environ.get("WEB_APPS_CLIENT") and address.endswith("/fanfare/cloudkit.js"):
                return route.fulfill(body=classic(os.environ["WEB_APPS_CLIENT"]), content_type="text/javascript",
                                     headers={"Access-Control-Allow-Origin": "*"})
            return route.continue_()
        path = f"{clones}/hosts/{address}"
        return route.fulfill(path=path) if os.path.isfile(path) else route.abort()

    context.route("**/*", route)
    return context.new_page()


def run(fanfare, data, clones, chromium, *names):
    counts = {True: 0, False: 0}

    def check(app, what, is_good, more=""):
        counts[bool(is_good)] += 1
        print(f"{'passed ' if is_good else 'FAILED '} {app}: {what}" + ("" if is_good else f": {more}"), flush=True)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for app in APPS:
            if names and app.name not in names:
                continue
            clone = f"{clones}/{app.repository.replace('/', '+')}"
            if not os.path.isdir(f"{clone}/{app.root}"):
                print(f"absent  {app.name}: {clone}/{app.root}" + (f" at {app.commit}" if app.commit else ""))
                continue
            log = subprocess.run(["git", "-C", clone, "log", "-1", "--format=%h, %cs"], capture_output=True, text=True)
            print(f"\n{app.name}: {app.repository}, {log.stdout.strip()}")
            world = World(fanfare, data, clones, app, functools.partial(check, app.name))
            page = open_page(browser, world, clones)
            try:
                app.walk(world, page)
            except Exception as error:  # The other apps are still tried.
                check(app.name, "the walk goes on to its end", False, str(error).splitlines()[0])
            page.context.close()
            world.site.shutdown()
        browser.close()
    print(f"\nweb apps: {counts[True]} passed, {counts[False]} failed")
    return not counts[False] and bool(counts[True])


if __name__ == "__main__":
    if sys.argv[1] == "containers":
        print(",".join(app.container for app in APPS))
    else:
        sys.exit(0 if run(*sys.argv[2:]) else 1)
