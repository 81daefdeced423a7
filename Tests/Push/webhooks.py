"""A twin of a server that takes webhooks (Standard Webhooks, CloudEvents): verifies signatures, plays faults."""
import base64, hashlib, hmac, json, os, time
from server import Answer, Server


class WebhookTwin(Server):
    """Records each request as a `Request` with `hook`, `id` and `event`. `behaviours` are as `APNsTwin` has them, by hook."""

    def __init__(self, loop, authority, **rest):
        self.secrets, self.behaviours = {}, {}
        super().__init__(loop, authority.server_context(), **rest)

    def hook(self, name, secret=None):
        """The URL of a hook, and its secret as `whsec_…`; `secrets` may be given another one later."""
        self.secrets[name] = secret or "whsec_" + base64.b64encode(os.urandom(24)).decode()
        return f"{self.origin}/hook/{name}", self.secrets[name]

    def pushes(self, hook=None):
        return [each for each in list(self.requests) if hook is None or each.hook == hook]

    def respond(self, request):
        request.hook = request.path.rsplit("/", 1)[-1]
        why = self.defect(request)
        if why:
            self.violate(why)
            return Answer(401)
        given = self.behaviours.get(request.hook, self.behaviours.get(None))
        if isinstance(given, list):
            given = given.pop(0) if given else None
        elif callable(given):
            given = given(request)
        return given or Answer(204)

    def defect(self, request):
        headers, secret = request.headers, self.secrets.get(request.hook)
        if secret is None:
            return f"no hook {request.hook}"
        if request.method != "POST" or not headers.get("content-type", "").startswith("application/cloudevents+json"):
            return f"{request.method} {headers.get('content-type')}"
        stamp = headers.get("webhook-timestamp", "")
        if not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
            return f"webhook-timestamp {stamp}"
        signed = f"{request.id}.{stamp}.".encode() + request.body
        key = base64.b64decode(secret.removeprefix("whsec_"))
        good = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        if good not in headers.get("webhook-signature", "").split(" "):
            return f"webhook-signature {headers.get('webhook-signature')}"
        request.event = json.loads(request.body)
        if request.event.get("specversion") != "1.0" or request.event.get("id") != request.id:
            return f"no CloudEvent with the request's ID: {request.event}"
        request.payload = request.event.get("data")
        return None
