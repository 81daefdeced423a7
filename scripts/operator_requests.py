"""The worst requests of the console's pages and of the operators' API, for `scripts/multipliers`."""
import http.client, json

OPERATOR = "/operator/1/{container}/{environment}/"


class Operator:
    """Sends requests with the token of the file that `fanfare dev` makes for operators."""

    def __init__(self, world):
        self.caller, self.dev = world.nobody, world.dev
        with open(world.dev["operatorTokenFile"]) as file:
            self.headers = {"Authorization": f"Bearer {file.read().strip()}", "X-Fanfare-Console": "1"}

    def path(self, name):
        return f"/operator/1/{self.dev['container']}/development/{name}"

    def send(self, path, body):
        connection = http.client.HTTPConnection(self.caller.host, self.caller.port, timeout=300)
        connection.request("POST", path, json.dumps(body), self.headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    def ask(self, name, body):
        """The answer of a request that prepares another one."""
        status, text = self.send(self.path(name), body)
        if status != 200:
            raise SystemExit(f"what the worst requests need is refused: {name}: {text[:300]}")
        return json.loads(text)

    def measure(self, name, body, strict=True):
        """The work of one request: returns the bytes that it sends, headers included, and those of the answer's body."""
        path = name if name.startswith("/") else self.path(name)

        def work():
            status, text = self.send(path, body)
            if strict and status >= 400:
                raise SystemExit(f"the worst request, {path}, is refused with {status}: {text[:300]}")
            return self.caller.sent("POST", path, json.dumps(body).encode()) + sum(map(len, self.headers.values())), len(text)
        return work


def register(route):
    """Registers the requests by the decorator of `scripts/multipliers`."""

    @route("GET /console", "GET /console/", "GET /console/start.json", "GET /console/{build}/{file}", "GET /console/{build}/{folder}/{file}")
    def pages(world):
        build = json.loads(world.nobody.send("GET", "/console/start.json")[1])["build"]
        return [world.nobody.fetched("GET", path, strict=False) for path in (
            "/console", "/console/", "/console/start.json", f"/console/{build}/console.css", f"/console/{build}/pages/records.js")]

    @route("POST /operator/1/sessions", "POST /operator/1/sessions/current", "POST /operator/1/sessions/end", "POST /operator/1/codes")
    def sessions(world):
        operator = Operator(world)
        return [operator.measure(f"/operator/1/{name}", {"code": "0" * 64} if name == "sessions" else {}, strict=False)
                for name in ("sessions", "sessions/current", "codes", "sessions/end")]

    @route(*(f"POST {OPERATOR}{name}" for name in (
        "overview", "settings", "schema", "schema/difference", "stages", "poison/list", "log", "actions", "tokens/list", "keys/list",
        "users/list", "users/lookup", "devices/list", "subscriptions/list", "explain", "notifications/way",
        "records/history", "feeds/read", "journals/read", "couriers/list", "secrets/list", "series", "audits/list", "audits/lookup")))
    def reading(world):
        operator = Operator(world)
        language = operator.ask("schema", {})["text"]
        user = operator.ask("users/list", {"search": "alice"})["users"][0]["userRecordName"]
        most = {"limit": 1000}
        return [operator.measure(name, body, strict=False) for name, body in (
            ("overview", {}), ("settings", {}), ("schema", {}), ("schema/difference", {"text": language}), ("stages", {}),
            ("poison/list", {}), ("log", most), ("actions", most), ("tokens/list", {}), ("keys/list", {}), ("users/list", most),
            ("users/lookup", {"user": user}), ("devices/list", {"user": user}), ("devices/list", {"limit": 50}),
            ("subscriptions/list", {"user": user}), ("subscriptions/list", {"limit": 50}),
            ("couriers/list", {"limit": 50}), ("secrets/list", {}), ("series", {}),
            ("audits/list", {}), ("audits/lookup", {"auditID": "none"}),
            ("explain", {"change": 40, "subscriptionID": "s1", "user": user, "database": "private"}),
            ("notifications/way", {"change": 40, "user": user}), ("notifications/way", {"notificationID": "0" * 36}),
            ("records/history", {"database": "private", "user": user, "recordName": "r1", "limit": 200}),
            ("feeds/read", {"deviceID": "phone-0", "limit": 200}), ("journals/read", {"user": user, "limit": 200}))]

    @route(f"POST {OPERATOR}changes/read")
    def changes(world):
        operator = Operator(world)
        return [operator.measure("changes/read", {"database": database, "limit": 200}, strict=False)
                for database in ("public", "private", "shared")]

    @route(*(f"POST {OPERATOR}{name}" for name in (
        "schema/modify", "schema/promote", "users/block", "users/unblock", "users/signOut", "users/delete", "devices/remove",
        "subscriptions/remove", "tokens/create", "tokens/revoke", "keys/create", "keys/revoke", "poison/retry", "couriers/remove",
        "couriers/test", "secrets/rotate", "secrets/remove", "schema/reset")))
    def acts(world):
        operator = Operator(world)
        for name in ("dave", "erin"):
            type(world.nobody)(world.dev).sign_in(name)
        dave, erin = (operator.ask("users/list", {"search": name})["users"][0]["userRecordName"] for name in ("dave", "erin"))
        token = operator.ask("tokens/create", {"note": "measured"})["digest"]
        key = operator.ask("keys/create", {"note": "measured"})["keyID"]
        grant = {"recordType": "Row", "right": "READ", "role": "_world", "isGranted": True}
        return [operator.measure(name, body, strict=False) for name, body in (
            ("schema/modify", {"grant": grant}), ("schema/promote", {"digest": "0" * 64}), ("users/block", {"user": dave}),
            ("users/unblock", {"user": dave}), ("users/signOut", {"user": dave}), ("users/delete", {"user": erin, "confirm": erin}),
            ("devices/remove", {"deviceID": "nobody's"}),
            ("subscriptions/remove", {"user": dave, "database": "private", "subscriptionID": "none"}),
            ("tokens/create", {"note": "x" * 200}), ("tokens/revoke", {"digest": token}), ("keys/create", {"note": "x" * 200}),
            ("keys/revoke", {"keyID": key}), ("poison/retry", {"all": True}),
            ("couriers/remove", {"deviceID": "nobody's", "kind": "apns"}), ("couriers/test", {"deviceID": "nobody's"}),
            ("secrets/rotate", {}), ("secrets/remove", {"name": "none"}), ("schema/reset", {"confirm": "none"}))]

    @route(f"POST {OPERATOR}audits/start", f"POST {OPERATOR}audits/stop")
    def audits(world):
        operator = Operator(world)
        return [operator.measure("audits/start", {}), operator.measure("audits/stop", {"auditID": "none"}, strict=False)]
