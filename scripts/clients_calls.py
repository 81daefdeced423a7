"""The calls of scripts/clients: each prints whether the client could make it and read its answer."""

import json
import sys

import requests

with open(sys.argv[1]) as file:
    DEV = json.load(file)
URL, CONTAINER, TOKEN = DEV["url"], DEV["container"], DEV["apiToken"]
SCOPE = f"{CONTAINER}/development"
failures = 0


def call(client, what, work, expected=None):
    """Makes one call; what it returns, or None. With `expected`, a call that fails so has passed."""
    global failures
    try:
        result = work()
    except Exception as error:  # whatever a client throws
        if expected and expected in f"{type(error).__name__} {error}":
            print(f"ok    {client:18} {what}: {type(error).__name__}, as it should")
            return None
        failures += 1
        print(f"FAIL  {client:18} {what}: {type(error).__name__} {str(error)[:300]} {str(getattr(error, 'payload', ''))[:300]}")
        return None
    if expected:
        failures += 1
        print(f"FAIL  {client:18} {what}: it should have been {expected}")
        return None
    print(f"ok    {client:18} {what}")
    return result


def check(is_true, what):
    """Fails a call whose answer is not what was saved."""
    if not is_true:
        raise AssertionError(what)


def pyicloud():
    """pyicloud.common.cloudkit: typed models of what Apple sends."""
    from pyicloud.common.cloudkit import client as cloudkit
    from pyicloud.common.cloudkit import models

    name = "pyicloud"
    signin = requests.post(f"{URL}/auth/1/{SCOPE}/signin?ckAPIToken={TOKEN}", json={"user": "ann"}).json()
    params = {"ckAPIToken": TOKEN, "ckWebAuthToken": signin["ckWebAuthToken"]}

    def container(extra):
        return cloudkit.CloudKitContainerClient(
            f"{URL}/database/1/{SCOPE}/private", requests.Session(), params, validation_extra=extra)

    ann = container("allow")
    zone = models.CKZoneIDReq(zoneName="Notes")
    whole = models.CKQueryObject(recordType="Note")

    def operation(kind, record, fields, tag=None):
        return models.CKModifyOperation(
            operationType=kind,
            record=models.CKWriteRecord(recordName=record, recordType="Note", fields=fields, recordChangeTag=tag))

    def save(*operations, client=ann):
        return client.modify(operations=list(operations), zone_id=zone, atomic=True).records

    def text(value):
        return {"text": {"type": "STRING", "value": value}}

    call(name, "zones/modify (raw)", lambda: ann.raw_post(
        "/zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Notes"}}}]}))

    def zones():
        found = ann.zones_list().zones
        check(any(z.zoneID.zoneName == "Notes" and z.syncToken for z in found), found)
    call(name, "zones/list (POST)", zones)

    saved = call(name, "records/modify create", lambda: save(*[
        operation("create", f"n{i}", text(f"note {i}") | {"n": {"type": "INT64", "value": i}}) for i in range(5)]))
    tag = saved[0].recordChangeTag if saved else "0"
    call(name, "records/modify update", lambda: save(operation("update", "n0", text("changed"), tag)))
    call(name, "records/modify, stale tag", lambda: save(operation("update", "n0", text("again"), tag)), "CONFLICT")
    call(name, "records/modify, types of fields", lambda: save(operation("create", "all", {
        "when": {"type": "TIMESTAMP", "value": 1700000000000}, "bytes": {"type": "BYTES", "value": "aGVsbG8="},
        "ratio": {"type": "DOUBLE", "value": 0.5}, "names": {"type": "STRING_LIST", "value": ["a", "b"]},
        "to": {"type": "REFERENCE", "value": {"recordName": "n0", "action": "VALIDATE"}}})))

    def lookup():
        found = ann.lookup(["n0", "none"], zone_id=zone, desired_keys=["text"]).records
        check(found[0].fields.text.value == "changed" and found[1].serverErrorCode == "NOT_FOUND", found)
    call(name, "records/lookup", lookup)

    def query():
        seen, marker = [], None
        while True:
            page = ann.query(query=whole, zone_id=zone, results_limit=2, continuation=marker)
            seen += [record.recordName for record in page.records]
            marker = page.continuationMarker
            if not marker:
                return check(sorted(seen) == ["all", "n0", "n1", "n2", "n3", "n4"], seen)
    call(name, "records/query, pages", query)

    def filtered():
        filters = [models.CKQueryFilterBy(
            comparator="GREATER_THAN", fieldName="n", fieldValue=models.CKFVInt64(type="INT64", value=2))]
        found = ann.query(
            query=models.CKQueryObject(
                recordType="Note", filterBy=filters, sortBy=[models.CKQuerySortBy(fieldName="n", ascending=False)]),
            zone_id=zone).records
        check([record.recordName for record in found] == ["n4", "n3"], found)
    call(name, "records/query, filter and sort", filtered)
    call(name, "records/query, all zones", lambda: ann.query(query=whole, zone_wide=True))

    asset = call(name, "assets/upload and the bytes", lambda: ann.upload_asset(
        record_type="Note", field_name="file", record_name="n1", data=b"hello" * 1000, zone_id=zone))

    def attach():
        value = asset.model_dump(mode="json", exclude_none=True)
        record = save(operation("forceUpdate", "n1", {"file": {"type": "ASSETID", "value": value}}))[0]
        token = record.fields.file.value
        check(record.fields.file.type_tag == "ASSETID", record)
        check(ann.download_asset_bytes(token.downloadURL) == b"hello" * 1000, "other bytes")
        check(b"".join(ann.download_asset_stream(token.downloadURL)) == b"hello" * 1000, "other bytes")
    call(name, "an asset saved and downloaded", attach)

    def changes():
        pages = list(ann.iter_changes(
            zone_req=models.CKZoneChangesZoneReq(zoneID=models.CKZoneID(zoneName="Notes"), desiredKeys=["text"]), results_limit=2))
        token = pages[-1].syncToken
        save(operation("forceDelete", "n4", {}))
        left = ann.changes(zone_req=models.CKZoneChangesZoneReq(zoneID=models.CKZoneID(zoneName="Notes"), syncToken=token)).zones[0].records
        check([record.recordName for record in left] == ["n4"] and left[0].deleted, left)
    call(name, "changes/zone, pages and a token", changes)

    def database():
        page = ann.database_changes()
        check(any(zone.zoneID.zoneName == "Notes" for zone in page.zones), page)
        check(ann.database_changes(sync_token=page.syncToken).zones == [], "changes without any")
    call(name, "changes/database", database)
    call(name, "a zone that is not there", lambda: ann.changes(
        zone_req=models.CKZoneChangesZoneReq(zoneID=models.CKZoneID(zoneName="None"))), "ZONE_NOT_FOUND")
    stranger = cloudkit.CloudKitContainerClient(
        f"{URL}/database/1/{SCOPE}/private", requests.Session(), params | {"ckWebAuthToken": "x"})
    call(name, "a token that is none", lambda: stranger.zones_list(), "CloudKitAuthError")
    strict = container("forbid")
    call(name, "lookup, unknown members forbidden", lambda: strict.lookup(["n0", "all"], zone_id=zone))
    call(name, "query, unknown members forbidden", lambda: strict.query(query=whole, zone_id=zone))


def requests_cloudkit():
    """requests_cloudkit.CloudKitAuth: a server-to-server signature for requests. The version on PyPI is written for Python 2."""
    from requests_cloudkit import CloudKitAuth

    auth = CloudKitAuth(key_id=DEV["keyID"], key_file_name=DEV["privateKeyPath"])
    url = f"{URL}/database/1/{SCOPE}/public/records/query"
    call("requests-cloudkit", "a signed request (1.0.1 fails on Python 3 before it sends)", lambda: requests.post(
        url, data=json.dumps({"query": {"recordType": "Note"}}), auth=auth).raise_for_status(), "TypeError")


pyicloud()
requests_cloudkit()
print(f"{failures} calls failed" if failures else "every call passed")
sys.exit(1 if failures else 0)
