"""A twin of Apple's push service: HTTP/2 over TLS, with Apple's checks of requests, and answers that a test sets."""
import json, re, time
from certificates import read_token
from server import Answer, Server

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def answer(status, reason=None, **rest):
    """An answer with one of Apple's reasons; `timestamp` in milliseconds, `retry_after` in seconds."""
    body = {"reason": reason} if reason else {}
    if "timestamp" in rest:
        body["timestamp"] = rest.pop("timestamp")
    headers = {"retry-after": str(rest.pop("retry_after"))} if "retry_after" in rest else {}
    return Answer(status, headers, json.dumps(body).encode() if body else b"", **rest)


class APNsTwin(Server):
    """Records each push in order as a `Request` with `token`, `payload` and `claims`.

    `behaviours` has for a device's token, or for None (all others), an Answer, a list of Answers for the next pushes, or a
    function of the request. Without one the answer is 200.
    """

    def __init__(self, loop, authority, key_id, team_id, topics, **rest):
        self.key, self.key_id, self.team_id, self.topics = authority.apns_key.public_key(), key_id, team_id, topics
        self.behaviours = {}
        super().__init__(loop, authority.server_context(("h2",)), **rest)

    def pushes(self, token=None, processed=True):
        return [each for each in list(self.requests) if (token is None or each.token == token)
                and (not processed or each.answer.is_processed)]

    def respond(self, request):
        request.token = request.path.rsplit("/", 1)[-1]
        refusal = self.refusal(request)
        given = refusal or self.behaviour(request)
        if isinstance(given, Answer) and request.headers.get("apns-id"):
            # The answer is one of several pushes' at times.
            given = Answer(**{**given.__dict__, "headers": {"apns-id": request.headers["apns-id"], **given.headers}})
        return given

    def behaviour(self, request):
        given = self.behaviours.get(request.token, self.behaviours.get(None))
        if isinstance(given, list):
            given = given.pop(0) if given else None
        elif callable(given):
            given = given(request)
        return given or answer(200)

    def refusal(self, request):
        """Apple's answer to a request that it never takes, noted as a violation; None for a good one."""
        def refuse(status, reason, why=""):
            self.violate(f"{status} {reason} {why}".strip())
            return answer(status, reason)
        headers = request.headers
        if request.method != "POST":
            return refuse(405, "MethodNotAllowed", request.method)
        if not request.path.startswith("/3/device/"):
            return refuse(404, "BadPath", request.path)
        if request.certificate:
            if "authorization" in headers:
                return refuse(403, "InvalidProviderToken", "beside a certificate")
        elif (refused := self.refusal_of_token(request, refuse)):
            return refused
        if not re.fullmatch(r"([0-9a-f]{2}){32,100}", request.token):
            return refuse(400, "BadDeviceToken", request.token)
        if "apns-id" in headers and not UUID.fullmatch(headers["apns-id"]):
            return refuse(400, "BadMessageId", headers["apns-id"])
        if headers.get("apns-topic") not in self.topics:
            return refuse(400, "TopicDisallowed", headers.get("apns-topic", ""))
        if len(headers.get("apns-collapse-id", "").encode()) > 64:
            return refuse(400, "BadCollapseId", headers["apns-collapse-id"])
        if not re.fullmatch(r"\d{1,10}", headers.get("apns-expiration", "0")):
            return refuse(400, "BadExpirationDate", headers["apns-expiration"])
        if len(request.body) > 4096:
            return refuse(413, "PayloadTooLarge", str(len(request.body)))
        return self.refusal_of_payload(request, refuse)

    def refusal_of_token(self, request, refuse):
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return refuse(403, "MissingProviderToken")
        try:
            header, request.claims = read_token(token, self.key)
        except ValueError as error:
            return refuse(403, "InvalidProviderToken", str(error))
        if (header.get("kid"), request.claims.get("iss")) != (self.key_id, self.team_id):
            return refuse(403, "InvalidProviderToken", f"{header} {request.claims}")
        age = time.time() - request.claims["iat"]
        return None if -60 < age < 3600 else refuse(403, "ExpiredProviderToken", f"{age} s")

    @staticmethod
    def refusal_of_payload(request, refuse):
        try:
            request.payload = json.loads(request.body)
            aps = request.payload["aps"]
        except (ValueError, KeyError):
            return refuse(400, "PayloadEmpty", repr(request.body[:100]))
        kind, priority = request.headers.get("apns-push-type"), request.headers.get("apns-priority")
        isVisible = any(part in aps for part in ("alert", "sound", "badge"))
        if kind not in ("alert", "background") or (kind == "alert") != isVisible:
            return refuse(400, "InvalidPushType", f"{kind} {aps}")
        if priority != ("10" if isVisible else "5"):
            return refuse(400, "BadPriority", f"{priority} {aps}")
        if not isVisible and aps.get("content-available") != 1:
            return refuse(400, "InvalidPushType", f"background that wakes nobody: {aps}")
        if "mutable-content" in aps and "alert" not in aps:
            return refuse(400, "InvalidPushType", f"mutable-content without an alert: {aps}")
        return None
