"""A twin of a browser's push service (RFC 8030): makes subscriptions, checks and decrypts pushes, plays faults."""
import json, os, re, time
import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from certificates import decode, encode, key_of, point, read_token
from server import Answer, Server


class Subscription:
    """A browser's subscription."""

    def __init__(self, service, server_key, name=None, origin=None):
        self.name = name or encode(os.urandom(12))
        self.key, self.secret, self.server_key = ec.generate_private_key(ec.SECP256R1()), os.urandom(16), server_key
        self.endpoint = f"{origin or service.origin}/push/{self.name}"
        # What the service holds for the browser: a message with a topic replaces the one with the same.
        self.held = {}

    @property
    def json(self):
        """`PushSubscription.toJSON()`."""
        return {"endpoint": self.endpoint, "expirationTime": None,
                "keys": {"p256dh": encode(point(self.key.public_key())), "auth": encode(self.secret)}}

    def decrypt(self, body):
        return http_ece.decrypt(body, private_key=self.key, auth_secret=self.secret, version="aes128gcm")


class PushService(Server):
    """Records each push as a `Request` with `subscription`, `payload` and `content`, the decrypted bytes.

    `behaviours` are as `APNsTwin` has them, by the subscription's name. `origins` are the names by which clients know the
    service besides its own.
    """

    def __init__(self, loop, authority, origins=(), protocols=("h2", "http/1.1"), **rest):
        self.subscriptions, self.behaviours, self.origins = {}, {}, list(origins)
        super().__init__(loop, authority.server_context(protocols), **rest)

    def subscribe(self, server_key, **rest):
        made = Subscription(self, server_key, **rest)
        self.subscriptions[made.name] = made
        return made

    def pushes(self, subscription=None):
        return [each for each in list(self.requests) if each.subscription is not None
                and (subscription is None or each.subscription is subscription)]

    def respond(self, request):
        request.subscription = self.subscriptions.get(request.path.rsplit("/", 1)[-1])
        if request.subscription is None:
            return Answer(404)
        refusal = self.refusal(request)
        if refusal:
            return refusal
        given = self.behaviours.get(request.subscription.name, self.behaviours.get(None))
        if isinstance(given, list):
            given = given.pop(0) if given else None
        elif callable(given):
            given = given(request)
        given = given or Answer(201, {"location": f"{self.origin}/message/{len(self.requests)}"})
        if 200 <= given.status < 300 and not given.fault:
            request.subscription.held[request.headers.get("topic") or str(len(self.requests))] = request
        return given

    def refusal(self, request):
        """The answer to a request that no push service takes, noted as a violation; None for a good one."""
        def refuse(status, why):
            self.violate(f"{status} {why}")
            return Answer(status)
        headers = request.headers
        if request.method != "POST":
            return refuse(405, request.method)
        if not re.fullmatch(r"\d{1,9}", headers.get("ttl", "")):
            return refuse(400, f"TTL {headers.get('ttl')}")
        if headers.get("urgency", "normal") not in ("very-low", "low", "normal", "high"):
            return refuse(400, f"Urgency {headers['urgency']}")
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", headers.get("topic", "x")):
            return refuse(400, f"Topic {headers['topic']}")
        if headers.get("content-encoding") != "aes128gcm":
            return refuse(400, f"Content-Encoding {headers.get('content-encoding')}")
        if len(request.body) > 4096:
            return refuse(413, f"{len(request.body)} bytes")
        why = self.defect_of_token(request)
        if why:
            return refuse(403, why)
        try:
            request.content = request.subscription.decrypt(request.body)
            request.payload = json.loads(request.content)
        except Exception as error:
            return refuse(400, f"cannot be decrypted: {error!r}")
        return None

    def defect_of_token(self, request):
        """What is wrong with the VAPID header (RFC 8292)."""
        scheme, _, rest = request.headers.get("authorization", "").partition(" ")
        parts = dict(part.strip().split("=", 1) for part in rest.split(",") if "=" in part)
        if scheme.lower() != "vapid" or set(parts) != {"t", "k"}:
            return f"authorization {request.headers.get('authorization')}"
        try:
            _, claims = read_token(parts["t"], key_of(decode(parts["k"])))
        except ValueError as error:
            return f"VAPID: {error}"
        request.claims = claims
        if parts["k"] != request.subscription.server_key:
            return "another VAPID key than the subscription's"
        if claims.get("aud") not in [self.origin, *self.origins]:
            return f"aud {claims.get('aud')}"
        if not 0 < claims.get("exp", 0) - time.time() <= 86_400:
            return f"exp {claims.get('exp')}"
        if not re.match(r"mailto:|https://", str(claims.get("sub"))):
            return f"sub {claims.get('sub')}"
        return None
