"""Exports are whole, and an import takes them back as they were: records of all field types, by the page and by the commands."""
import base64, csv, io, json, os, pathlib, subprocess, tempfile, urllib.request

from console_hostile import DOUBLES, NAMES, NUMBERS, VALUES
from console_world import Tab

# Names of their own: the hostile step has the others.
OWN = [f"{name[:252]} ex" for name in NAMES]
ZONE = "Zone =1+1, \"quoted\""
FILES = {"page": b"<!doctype html><script>alert(1)</script>", "bytes": bytes(range(256)) * 40, "none": b""}


def fields(user, database, kind):
    """A field of each type, and lists of each type that has lists."""
    values = {
        "STRING": "=1+1", "INT64": "-9223372036854775808", "DOUBLE": "5e-324", "TIMESTAMP": "-1", "REFERENCE": {"recordName": NAMES[0], "action": "NONE"},
        "LOCATION": {"latitude": -0.1, "longitude": 179.99999999999997, "altitude": 12.5, "horizontalAccuracy": 3, "timestamp": 1700000000123}, "BYTES": base64.b64encode(b"\xfb\xff\x00=").decode()}
    made = {f"a_{name}": {"value": value, "type": name} for name, value in values.items()}
    made |= {f"l_{name}": {"value": [value, value], "type": f"{name}_LIST"} for name, value in values.items()}
    if database == "private":
        made |= {f"e_{name}": {"value": value, "type": name, "isEncrypted": True} for name, value in values.items() if name != "REFERENCE"}
        made |= {"e_list": {"value": ["@a", ""], "type": "STRING_LIST", "isEncrypted": True}}
    made |= {"empty_list": {"value": [], "type": "STRING_LIST"}, "empty_bytes": {"value": "", "type": "BYTES"}}
    made |= {f"f_{key}": {"value": value, "type": "STRING"} for key, value in VALUES.items()}
    made |= {f"n_{key}": {"value": value, "type": "INT64"} for key, value in NUMBERS.items()} | {f"d_{key}": {"value": value, "type": "DOUBLE"} for key, value in DOUBLES.items()}
    made |= {"guarded": {"value": "'=1", "type": "STRING"}, "guards": {"value": "''@", "type": "STRING"}, "apostrophe": {"value": "'tis", "type": "STRING"}, "negative": {"value": "-5", "type": "STRING"},
             "ends": {"value": "\r\nlines\r", "type": "STRING"}, "quotes": {"value": "\"\"\",\"", "type": "STRING"}, "longer": {"value": "ü\"" * 4000, "type": "STRING"}}
    made |= {"file": {"value": upload(user, database, kind, "file", FILES["page"]), "type": "ASSETID"},
             "files": {"value": [upload(user, database, kind, "files", FILES[name]) for name in ("bytes", "none")], "type": "ASSETID_LIST"}}
    return made


def upload(user, database, kind, field, contents):
    token = user.ask("database", f"{database}/assets/upload", {"tokens": [{"recordType": kind, "fieldName": field}]})["tokens"][0]
    return json.load(urllib.request.urlopen(urllib.request.Request(token["url"], data=contents, method="POST")))["singleFile"]


def stored(user, database, kind):
    """The records of a type in all zones, by zone and name, without what a save or an answer changes; files as their contents."""
    found, marker = {}, {}
    while marker is not None:
        answer = user.ask("database", f"{database}/records/query", {"query": {"recordType": kind}, "zoneWide": database != "public", "numbersAsStrings": True, **marker})
        for one in answer["records"]:
            for field in one["fields"].values():
                if field["type"].startswith("ASSET"):
                    files = field["value"] if isinstance(field["value"], list) else [field["value"]]
                    field["value"] = [urllib.request.urlopen(file["downloadURL"]).read() for file in files]
            found[one["zoneID"]["zoneName"], one["recordName"]] = one["fields"], one.get("parent", {}).get("recordName")
        marker = {"continuationMarker": answer["continuationMarker"]} if "continuationMarker" in answer else None
    return found


def prepare(user, database, kind):
    zone = ZONE if database == "private" else None
    if zone:
        user.ask("database", "private/zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}}]})
    saved = user.save([{"recordName": name, "recordType": kind, "fields": fields(user, database, kind) if number < 2 else {"f_markup": {"value": f"{number}"}}} for number, name in enumerate(OWN)], database)
    # Records that hang onto others, before and after them in the order of names; a page has 200.
    more = [{"recordName": f"many-{number:03}", "recordType": kind, "fields": {"number": {"value": str(number), "type": "INT64"}}} for number in range(260)]
    saved += user.save(more, database)
    saved += user.save([{"recordName": "above", "recordType": kind, "fields": {"needs": {"value": {"recordName": "many-259", "action": "VALIDATE"}, "type": "REFERENCE"}}}], database)
    if zone:
        saved += user.save([{"recordName": "root z", "recordType": kind, "fields": {"f_empty": {"value": ""}}}, {"recordName": "a child", "recordType": kind, "parent": {"recordName": "root z"}, "fields": {}}], database, zone=zone)
    return [one for one in saved if "serverErrorCode" in one]


def remove(user, database, records):
    zones = {}
    for zone, name in records:
        zones.setdefault(zone, []).append(name)
    for zone, names in zones.items():
        # Those that others need go last.
        names.sort(key=lambda name: (name in ("many-259", "root z"), name))
        for at in range(0, len(names), 200):
            user.ask("database", f"{database}/records/modify", {"operations": [{"operationType": "forceDelete", "record": {"recordName": name}} for name in names[at:at + 200]], "atomic": False,
                                                               **({} if zone == "_defaultZone" else {"zoneID": {"zoneName": zone}})})


def exported(page, form, folder):
    page.get_by_role("button", name="More").first.click()
    page.get_by_role("menuitem", name="Export what the query finds").click()
    page.locator("dialog select").select_option(form)
    with page.expect_download() as download:
        page.locator("dialog .button.main").click()
    page.locator("dialog").wait_for(state="detached")
    path = pathlib.Path(folder) / f"page.{form}"
    download.value.save_as(path)
    return path


def imported(page, path, kind):
    """Imports a file on the page of a type that has no records left."""
    page.get_by_role("button", name="Import", exact=True).first.click()
    page.locator("dialog input[type=file]").set_input_files(path)
    page.locator("dialog").get_by_label("Record type").fill(kind)
    page.locator("dialog").get_by_role("button", name="Import", exact=True).click()
    page.locator(".note-box, dialog", has_text="Import:").last.wait_for()
    said = page.locator(".note-box, dialog", has_text="Import:").last.inner_text()
    return said[:600]


def again(tab, address):
    """Opens a page without the notes of what was before."""
    tab.go(address)
    tab.page.reload()


def command(world, user, *words):
    container, environment = world.scope.split("/")
    done = subprocess.run([world.executable, *words, "--url", world.origin, "--container", container, "--environment", environment, "--json"],
                          capture_output=True, text=True, timeout=300, env={**os.environ, "FANFARE_API_TOKEN": world.dev["apiToken"], "FANFARE_WEB_AUTH_TOKEN": user.token})
    return done.returncode, done.stdout, done.stderr[-2000:]


def lines(path):
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def by_name(path):
    """The lines of an export, by zone and name: an import may change the order."""
    return sorted(lines(path), key=lambda one: (one.get("zoneID", {}).get("zoneName", ""), one["recordName"]))


def differing(now, before):
    """What differs, in short: for the report of a check that fails."""
    missing = sorted(set(before) - set(now))
    changed = {key: [name for name in {**before[key][0], **now[key][0]} if before[key][0].get(name) != now[key][0].get(name)] for key in before if key in now and before[key] != now[key]}
    one = next(((key, name, before[key][0].get(name), now[key][0].get(name)) for key, names in changed.items() for name in names), None)
    return missing[:5], changed, str(one)[:400]


def walk(world, browser, results):
    user = world.user("exa")
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    tab = Tab(world, context)
    page = tab.open()
    tab.sign_in("exa")
    with tempfile.TemporaryDirectory() as folder:
        for database, kind in (("public", "Exported"), ("private", "Secret")):
            wrong = prepare(user, database, kind)
            results.check(f"{database}: the records of an export can be saved", not wrong, str(wrong)[:1000])
            before = stored(user, database, kind)
            both_ways(world, user, tab, results, pathlib.Path(folder), database, kind, before)
    selected(user, tab, results)
    results.check("exports: nothing goes wrong", not tab.wrong, tab.wrong[:5])
    context.close()


def both_ways(world, user, tab, results, folder, database, kind, before):
    page = tab.page
    address = f"/records/{database}/{kind}?zone=*" if database == "private" else f"/records/{database}/{kind}"
    files = {}
    for form in ("jsonl", "csv"):
        again(tab, address)
        page.locator(".grid-body .grid-row").first.wait_for()
        files[form] = exported(page, form, folder)
        remove(user, database, before)
        results.check(f"{database}, {form}: the records are gone", not stored(user, database, kind))
        again(tab, address)
        page.get_by_text("There are no records").first.wait_for()
        said = imported(page, files[form], kind)
        now = stored(user, database, kind)
        results.check(f"{database}, {form}: the page takes its export back, unchanged", now == before, [said, differing(now, before)])
        path = folder / f"command.{form}"
        words = ["--database", database, "--type", kind, *(["--zone", "*"] if database == "private" else []), *(["--csv"] if form == "csv" else [])]
        code, said, error = command(world, user, "export", str(path), *words)
        results.check(f"{database}, {form}: the command exports", code == 0 and json.loads(said or "{}") == {"exported": len(before)}, [code, said, error])
        remove(user, database, before)
        code, said, error = command(world, user, "import", str(path), "--database", database, *(["--type", kind] if form == "csv" else []))
        now = stored(user, database, kind)
        results.check(f"{database}, {form}: the command takes its export back, unchanged", code == 0 and now == before, [code, said, error, differing(now, before)])
    results.check(f"{database}: JSON lines of page and command are the same", by_name(files["jsonl"]) == by_name(folder / "command.jsonl"))
    tables = [list(csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))) for path in (files["csv"], folder / "command.csv")]
    results.check(f"{database}: tables of page and command have the same columns", sorted(tables[0][0]) == sorted(tables[1][0]), [tables[0][0][:5], tables[1][0][:5]])
    ran = [cell[:20] for table in tables for row in table for cell in row if cell[:1] in tuple("=+@\t\r") or cell[:1] == "-" and not cell[1:2].isdigit()]
    results.check(f"{database}: no cell of a table runs", not ran, ran[:5])
    remove(user, database, before)
    # What the page wrote, the command reads, and the other way round.
    code, said, error = command(world, user, "import", str(files["csv"]), "--database", database, "--type", kind)
    now = stored(user, database, kind)
    results.check(f"{database}: the command takes the page's table", code == 0 and now == before, [code, said, error, differing(now, before)])
    remove(user, database, before)
    again(tab, address)
    page.get_by_text("There are no records").first.wait_for()
    imported(page, folder / "command.csv", kind)
    now = stored(user, database, kind)
    results.check(f"{database}: the page takes the command's table", now == before, differing(now, before))


def selected(user, tab, results):
    """Rows that are selected are cut on the page, and whole in exports, copies, and what undo sends."""
    page = tab.page
    long = "x" * 200000
    user.save([{"recordName": "long", "recordType": "Lengthy", "fields": {"text": {"value": long}}}])
    tab.go("/records/public/Lengthy")
    page.locator(".grid-body .grid-row").first.wait_for()
    page.locator(".grid-body .grid-row .cell.tick").first.click()
    with page.expect_download() as download:
        page.locator(".bar-of-selection").get_by_role("button", name="Export").click()
        page.locator("dialog .button.main").click()
    results.check("a selected record is exported whole", lines(pathlib.Path(download.value.path()))[0]["fields"]["text"]["value"] == long)
    page.locator(".bar-of-selection").get_by_role("button", name="Delete").click()
    page.locator("dialog").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").click()
    page.locator(".note-box", has_text="Taken back.").wait_for()
    back = user.ask("database", "public/records/lookup", {"records": [{"recordName": "long"}]})["records"][0]
    results.check("a deletion that is undone brings long values back whole", back["fields"]["text"]["value"] == long, len(back["fields"]["text"]["value"]))
