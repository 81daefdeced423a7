"""Serves this folder on this machine: serve.py fanfare-data/dev.json [PORT]

/settings.js has the address and the API token of the service, which DEV.JSON of `fanfare dev` names.
"""
import json
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Handler(SimpleHTTPRequestHandler):
    settings = b""

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=Path(__file__).parent)

    def do_GET(self):
        if self.path == "/settings.js":
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript")
            self.end_headers()
            self.wfile.write(self.settings)
            return
        super().do_GET()

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, *_):
        pass


def main(file, port="8000"):
    dev = json.loads(Path(file).read_text())
    settings = {key: dev[key] for key in ("url", "container", "environment", "apiToken")}
    Handler.settings = f"self.service = {json.dumps(settings)};\n".encode()
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    print(f"http://localhost:{server.server_port}/", flush=True)
    server.serve_forever()


main(*sys.argv[1:])
