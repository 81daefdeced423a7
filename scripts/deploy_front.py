#!/usr/bin/env python3
"""Runs the front of deploy/front/nginx.conf before a service of its own, and checks what goes in, comes out and is logged: no
secret of an address in any log, HSTS on every answer, and neither a trace nor an address that a client claims.

    scripts/deploy_front.py FOLDER   # with front.conf, as scripts/deploy-check makes it
"""
import http.server
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECRET = "secret0of0an0address"
wrong = []
seen = []


class Service(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        seen.append({name.lower(): value for name, value in self.headers.items()})
        code = 404 if "absent" in self.path else 200
        self.send_response(code)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_POST = do_GET

    def log_message(self, *_):
        pass


def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


folder = pathlib.Path(sys.argv[1])
listen = port()
service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
threading.Thread(target=service.serve_forever, daemon=True).start()

text = (folder / "front.conf").read_text()
text = text.replace("listen 8443 ssl", f"listen 127.0.0.1:{listen} ssl").replace("record-service:8080", f"127.0.0.1:{service.server_port}")
for name, stream in (("access", "/dev/stdout"), ("error", "/dev/stderr")):
    if stream not in text:
        sys.exit(f"the front has no {name} log of its own at {stream}")
    text = text.replace(stream, str(folder / f"{name}.log"))
(folder / "run.conf").write_text(text)
# As the image's own configuration has it: a log with the whole target, and temporary files in /tmp.
temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
(folder / "run-nginx.conf").write_text(
    f"daemon off; master_process off; pid {folder}/run.pid; error_log {folder}/main.log notice; events {{}}\n"
    f"http {{ access_log {folder}/main-access.log; {temporary} include {folder}/run.conf; }}\n")
nginx = subprocess.Popen(["nginx", "-q", "-e", f"{folder}/main.log", "-p", str(folder), "-c", f"{folder}/run-nginx.conf"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE


def ask(target, body=None, **headers):
    request = urllib.request.Request(f"https://127.0.0.1:{listen}{target}", data=body,
                                     headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request, context=context, timeout=20) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


def check(what, is_good):
    if not is_good:
        wrong.append(what)


try:
    for _ in range(200):
        if nginx.poll() is not None:
            sys.exit("nginx ended: " + nginx.stderr.read())
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", listen)) == 0:
                break
        time.sleep(0.05)
    scope = "1/iCloud.c/development"
    targets = [
        f"/database/{scope}/public/records/query?ckAPIToken=a&ckWebAuthToken={SECRET}", f"/assets/{scope}/upload/{SECRET}",
        f"/assets/{scope}/download/{SECRET}?filename=x", f"/assets/{scope}/download/{SECRET}/more{SECRET}",
        f"/assets/{scope}/%64ownload/{SECRET}", f"/share/{scope}/{SECRET}", f"/aps?tok={SECRET}",
        f"/auth/{scope}/callback?code={SECRET}&state={SECRET}", f"/absent?x={SECRET}",
        # Other spellings of the same addresses: those that nginx makes one of, and those that the service refuses.
        f"/assets//{scope}/download//{SECRET}", f"/x/../assets/{scope}/download/./{SECRET}",
        f"/assets/{scope}/download%2F{SECRET}", f"/share/{scope}//{SECRET}", f"/share%2F{scope}/{SECRET}",
        f"/Assets/{scope}/Download/{SECRET}", f"/SHARE/{scope}/{SECRET}", f"/assets/{scope}/download;x=1/{SECRET}",
    ]
    for target in targets:
        status, headers = ask(target, traceparent="00-" + "a" * 32 + "-" + "b" * 16 + "-01", tracestate="x=1",
                              X_Forwarded_For="203.0.113.7", Referer=f"https://x.example/?t={SECRET}")
        check(f"{target}: {status}", status in (200, 404))
        check(f"{target} has no HSTS", "max-age=" in (headers.get("Strict-Transport-Security") or ""))
        check(f"{target}: a client's trace came through", not {"traceparent", "tracestate"} & set(seen[-1]))
        check(f"{target}: a client's address came through", seen[-1].get("x-forwarded-for") == "127.0.0.1")
    # Errors of nginx's own: a body that is too long, and a service that is away.
    status, headers = ask(f"/assets/{scope}/upload/{SECRET}?s={SECRET}", Content_Length=str(1 << 30))
    check(f"a body of 1 GiB: {status}", status == 413 and headers.get("Strict-Transport-Security"))
    service.shutdown()
    service.server_close()
    status, headers = ask(f"/assets/{scope}/download/{SECRET}?s={SECRET}")
    check(f"without a service: {status}", status == 502 and headers.get("Strict-Transport-Security"))
finally:
    nginx.terminate()
    nginx.wait(20)

logs = {path.name: path.read_text() for path in folder.glob("*.log")}
for name, text in logs.items():
    check(f"{name} has secrets:\n{text}", SECRET not in text)
check(f"the log has not a line for each request:\n{logs['access.log']}", logs["access.log"].count("\n") == len(targets) + 2)
check("the log has no paths", re.search(r'"GET /assets/1/iCloud.c/development/download/\S* HTTP', logs["access.log"]))
check("the image's own log is written, too", not logs.get("main-access.log"))
print("\n".join(wrong) if wrong else f"{len(targets) + 2} requests left no secret in a log")
sys.exit(1 if wrong else 0)
