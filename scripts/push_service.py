"""A push service of browsers (RFC 8030) on this machine: it decrypts what it gets, and keeps it."""
import base64
import os
import queue
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class PushService:
    def __init__(self):
        service = self
        self.keys, self.pushes = {}, defaultdict(queue.Queue)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                name = self.path.strip("/")
                body = self.rfile.read(int(self.headers["Content-Length"]))
                key, secret = service.keys[name]
                service.pushes[name].put(http_ece.decrypt(body, private_key=key, auth_secret=secret, version="aes128gcm").decode())
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def subscription(self, name):
        """A browser's subscription, as PushSubscription.toJSON() returns it."""
        key, secret = self.keys[name] = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": f"http://127.0.0.1:{self.server.server_port}/{name}", "expirationTime": None,
                "keys": {"p256dh": text(point), "auth": text(secret)}}

    def next(self, name):
        """The content of the next push to a browser."""
        return self.pushes[name].get(timeout=60)
