"""Checks of the twins themselves: they refuse what providers refuse, and play the faults that they say."""
import asyncio, base64, hashlib, hmac, json, time
import http_ece, httpx
from cryptography.hazmat.primitives.asymmetric import ec
from apns import answer
from certificates import encode, key_of, point, sign_token
from server import Answer

TOKEN = "ab" * 32
ALERT = json.dumps({"aps": {"alert": {"body": "x"}}}).encode()


def send(twins, requests):
    """The answers to requests (URL, headers, body) that are sent at once; an exception where none came."""
    async def run():
        async with httpx.AsyncClient(http2=True, verify=twins.authority.client_context(("h2", "http/1.1")), timeout=5) as client:
            return await asyncio.gather(
                *(client.post(url, headers=headers, content=body) for url, headers, body in requests),
                return_exceptions=True)
    return asyncio.run(run())


def expect(is_true, what):
    if not is_true:
        raise AssertionError(what)


def apns_headers(twins, key=None, **changes):
    now = int(time.time())
    claims = {"iss": twins.team_id, "iat": now - now % 1800, **changes.pop("claims", {})}
    token = sign_token(key or twins.authority.apns_key, {"alg": "ES256", "kid": changes.pop("kid", twins.key_id)}, claims)
    return {"authorization": f"bearer {token}", "apns-topic": twins.topic, "apns-push-type": "alert", "apns-priority": "10",
            "apns-expiration": "0", **changes}


def the_apns_twin_refuses_what_apns_refuses(twins):
    twin, url = twins.apns, f"{twins.apns.origin}/3/device/{TOKEN}"
    cases = [
        (403, "InvalidProviderToken", url, apns_headers(twins, key=ec.generate_private_key(ec.SECP256R1())), ALERT),
        (403, "InvalidProviderToken", url, apns_headers(twins, kid="OTHERKEYID"), ALERT),
        (403, "InvalidProviderToken", url, apns_headers(twins, claims={"iss": "OTHERTEAMS"}), ALERT),
        (403, "ExpiredProviderToken", url, apns_headers(twins, claims={"iat": int(time.time()) - 3700}), ALERT),
        (403, "MissingProviderToken", url, apns_headers(twins, authorization=""), ALERT),
        (400, "BadDeviceToken", url[:-3], apns_headers(twins), ALERT),
        (404, "BadPath", url.replace("/3/", "/2/"), apns_headers(twins), ALERT),
        (400, "TopicDisallowed", url, apns_headers(twins, **{"apns-topic": "com.example.Other"}), ALERT),
        (400, "BadCollapseId", url, apns_headers(twins, **{"apns-collapse-id": "x" * 65}), ALERT),
        (400, "BadPriority", url, apns_headers(twins, **{"apns-priority": "5"}), ALERT),
        (400, "InvalidPushType", url, apns_headers(twins, **{"apns-push-type": "background"}), ALERT),
        (400, "InvalidPushType", url, apns_headers(twins, **{"apns-push-type": "background", "apns-priority": "5"}),
         b'{"aps": {"category": "x"}}'),
        (413, "PayloadTooLarge", url, apns_headers(twins), ALERT + b" " * 4096),
        (400, "PayloadEmpty", url, apns_headers(twins), b"{}"),
        (200, None, url, apns_headers(twins), ALERT),
    ]
    for status, reason, where, headers, body in cases:
        got = send(twins, [(where, headers, body)])[0]
        expect(got.status_code == status and (got.json() if got.content else {}).get("reason") == reason,
               f"{status} {reason}: {got} {got.content}")
    expect(len(twin.violations) == len(cases) - 1, f"violations: {twin.violations}")
    twin.violations.clear()


def the_apns_twin_plays_its_faults(twins):
    twin, headers = twins.apns, apns_headers(twins)
    tokens = [f"{number:02x}" * 32 for number in range(6)]
    requests = [(f"{twin.origin}/3/device/{token}", headers, ALERT) for token in tokens]
    twin.behaviours = {tokens[0]: answer(410, "Unregistered", timestamp=5), tokens[1]: answer(429, retry_after=7),
                       tokens[2]: Answer(fault="refuse"), tokens[3]: [answer(503, delay=0.1)]}
    got = send(twins, requests)
    expect(got[0].json() == {"reason": "Unregistered", "timestamp": 5} and got[1].headers["retry-after"] == "7",
           f"{got}")
    expect(isinstance(got[2], httpx.RemoteProtocolError), f"a refused stream: {got[2]!r}")
    expect(got[3].status_code == 503 and got[4].status_code == 200, f"{got}")
    twin.behaviours = {tokens[3]: Answer(fault="goaway")}
    got = send(twins, requests[2:])
    # httpx gives up on each stream that it has not read when GOAWAY arrives, so the other answers depend on the moment.
    expect(isinstance(got[1], httpx.RemoteProtocolError), f"GOAWAY: {got}")
    expect(not twin.pushes(tokens[3])[1:], "a push above GOAWAY's last stream was processed")
    for fault, error in (("cut", httpx.ReadError), ("silence", httpx.ReadTimeout)):
        twin.behaviours = {None: Answer(fault=fault)}
        got = send(twins, requests[:1])[0]
        expect(isinstance(got, (error, httpx.RemoteProtocolError)), f"{fault}: {got!r}")
    twin.behaviours = {}
    expect(not twin.violations, f"{twin.violations}")


def web_push_request(service, subscription, key, content=b'{"aps": {}}', **changes):
    claims = {"aud": service.origin, "exp": int(time.time()) + 3600, "sub": "mailto:x@example.com", **changes.pop("claims", {})}
    token = sign_token(key, {"typ": "JWT", "alg": "ES256"}, claims)
    body = http_ece.encrypt(content, private_key=ec.generate_private_key(ec.SECP256R1()),
                            dh=point(subscription.key.public_key()), auth_secret=subscription.secret, version="aes128gcm")
    return (subscription.endpoint, {"ttl": "60", "content-encoding": "aes128gcm", "topic": "one",
                                    "authorization": f"vapid t={token}, k={encode(point(key.public_key()))}", **changes}, body)


def the_push_service_refuses_what_push_services_refuse(twins):
    service, key, other = twins.service, *(ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    mine = service.subscribe(encode(point(key.public_key())))
    good = web_push_request(service, mine, key)
    cases = [(403, web_push_request(service, mine, other)), (403, web_push_request(service, mine, key, claims={"aud": "https://x"})),
             (403, web_push_request(service, mine, key, claims={"exp": 5})), (403, web_push_request(service, mine, key, claims={"sub": "x"})),
             (400, web_push_request(service, mine, key, ttl="x")), (400, web_push_request(service, mine, key, topic="x" * 33)),
             (400, web_push_request(service, mine, key, urgency="now")), (400, (good[0], good[1], good[2][:-1] + b"x")),
             (413, (good[0], good[1], good[2] + bytes(4096))), (404, (good[0] + "x", *good[1:])), (201, good), (201, good)]
    for send_one in (lambda request: send(twins, [request])[0], lambda request: send_text(twins, request)):
        for status, request in cases:
            got = send_one(request)
            expect(got.status_code == status, f"{status}: {got} {service.violations[-1:]}")
    expect(len(mine.held) == 1, "a topic that repeats does not replace")
    expect(len(service.violations) == 2 * (len(cases) - 3), f"{service.violations}")
    service.violations.clear()
    service.requests.clear()


def send_text(twins, request):
    """The answer by HTTP/1.1."""
    url, headers, body = request
    with httpx.Client(http2=False, verify=twins.authority.client_context(("http/1.1",)), timeout=5) as client:
        return client.post(url, headers=headers, content=body)


def the_webhook_twin_verifies_signatures(twins):
    twin = twins.webhooks
    url, secret = twin.hook("self-check")
    body = b'{"specversion": "1.0", "id": "a"}'
    for key, stamp, status in ((secret, 0, 204), (secret[:-8] + "AAAAAAA=", 0, 401), (secret, -1000, 401)):
        now = str(int(time.time()) + stamp)
        code = hmac.new(base64.b64decode(key[6:]), f"a.{now}.".encode() + body, hashlib.sha256).digest()
        headers = {"content-type": "application/cloudevents+json", "webhook-id": "a", "webhook-timestamp": now,
                   "webhook-signature": "v1,AAAA v1," + base64.b64encode(code).decode()}
        got = send(twins, [(url, headers, body)])[0]
        expect(got.status_code == status, f"{status}: {got} {twin.violations}")
    twin.violations.clear()


CHECKS = [the_apns_twin_refuses_what_apns_refuses, the_apns_twin_plays_its_faults,
          the_push_service_refuses_what_push_services_refuse, the_webhook_twin_verifies_signatures]
