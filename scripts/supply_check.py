#!/usr/bin/env python3
"""Checks scripts/sbom against CycloneDX's own schema (cyclonedx-python-lib of PyPI), SPDX's own tools (spdx-tools of PyPI) and
dpkg, and scripts/image-digests on copies of the files, with a registry that is run here."""
import hashlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

ROOT = pathlib.Path(__file__).resolve().parent.parent
wrong = []


def check(what, is_good):
    if not is_good:
        wrong.append(what)


def run(*command, code=0, **environment):
    done = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, env={**os.environ, **environment})
    check(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stdout}{done.stderr}", done.returncode == code)
    return done.stdout


def bill(*arguments):
    text = run("scripts/sbom", *arguments)
    check(f"sbom {arguments}: the second run differs", text == run("scripts/sbom", *arguments))
    error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
    check(f"sbom {arguments}: {error}", error is None)
    content = json.loads(text)
    spdx(text, content)
    return content


def spdx(text, content):
    """The same bill as SPDX: its own tools accept it, and it names the same packages, and the same hash."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "bill.cdx.json"), pathlib.Path(folder, "bill.spdx.json")
        source.write_text(text)
        target.write_text(run("scripts/sbom", "spdx", source, SOURCE_DATE_EPOCH="1700000000"))
        document = parse_file(str(target))
    messages = [message.validation_message for message in validate_full_spdx_document(document)]
    check(f"SPDX: {messages}", not messages)
    main, *others = document.packages
    found = {(one.name, one.version, one.external_references[0].locator) for one in others}
    check("SPDX has other packages", found == {(one["name"], one["version"], one["purl"]) for one in content["components"]})
    hashes = [one["content"] for one in content["metadata"]["component"].get("hashes", [])]
    check("SPDX has another hash", [one.value for one in main.checksums] == hashes)
    check("SPDX lacks dependencies", len(document.relationships) == 1 + len(others))


def versions(content):
    return {part["name"]: part["version"] for part in content["components"] if part["purl"].startswith("pkg:deb/")}


def sboms(folder):
    # A program that is linked as ours is, where none is built: OpenSSL's command and its library.
    program = next((str(ROOT / path) for path in (".build/release/fanfare", ".build/debug/fanfare") if (ROOT / path).exists()), None)
    for path in filter(None, (program, "/usr/bin/openssl")):
        content = bill("program", path)
        found = versions(content)
        needed = {"/usr/bin/openssl": {"libssl3", "libc6"}}.get(path, {"librdkafka1", "libmicrohttpd12", "libsqlite3-0", "libcjose0", "libssl3"})
        check(f"{path}: lacks {needed - set(found)}", needed <= set(found))
        for name, version in found.items():
            installed = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True).stdout
            check(f"{path}: {name} is {installed}, not {version}", installed == version)
        hashed = content["metadata"]["component"]["hashes"][0]["content"]
        check(f"{path}: another hash", hashed == hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest())
    status = folder / "status"
    status.write_text("Package: libfoo1\nStatus: install ok installed\nArchitecture: amd64\nSource: foo (2:1.0)\nVersion: 1:2.0+b~1\n\n"
                      "Package: gone\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 1\n\n"
                      "Package: data\nStatus: install ok installed\nArchitecture: all\nVersion: 3\nDescription: two\n lines\n")
    release = folder / "os-release"
    release.write_text('ID=debian\nVERSION_ID="13"\n')
    content = bill("image", status, release)
    check(f"an image of two packages: {versions(content)}", versions(content) == {"libfoo1": "1:2.0+b~1", "data": "3"})
    purls = {part["name"]: part["purl"] for part in content["components"]}
    check(purls["libfoo1"], purls["libfoo1"] == "pkg:deb/debian/libfoo1@1%3A2.0%2Bb~1?arch=amd64&distro=debian-13&upstream=foo%402%3A1.0")
    run("scripts/sbom", "image", "/dev/null", code=1)
    run("scripts/sbom", "program", "/etc/passwd", code=1)


class Registry(http.server.BaseHTTPRequestHandler):
    salt, asked = "a", []

    def do_HEAD(self):
        self.asked.append(self.path)
        if "Authorization" not in self.headers:
            self.send_response(401)
            self.send_header("WWW-Authenticate", f'Bearer realm="http://127.0.0.1:{self.server.server_port}/token",service="s",scope="pull"')
        elif "grafana" in self.path:
            self.send_response(404)
        else:
            self.send_response(200)
            self.send_header("Docker-Content-Digest", "sha256:" + hashlib.sha256((self.salt + self.path).encode()).hexdigest())
        self.end_headers()

    def do_GET(self):
        body = json.dumps({"token": "t"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def digests(folder):
    files = []
    for name in ("docker-compose.yml", "deploy/front.yml", "deploy/secured.yml", "deploy/Dockerfile"):
        copy = folder / name.replace("/", "-")
        # Without digests, whatever the files have now.
        copy.write_text(re.sub(r"@sha256:[0-9a-f]{64}", "", (ROOT / name).read_text()))
        files.append(copy)
    before = [file.read_text() for file in files]
    registry = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=registry.serve_forever, daemon=True).start()
    settings = {"FANFARE_IMAGE_FILES": " ".join(map(str, files)), "FANFARE_REGISTRY": f"http://127.0.0.1:{registry.server_port}"}
    run("scripts/image-digests", "--check", code=3, **settings)
    run("scripts/image-digests", code=1, **settings)
    first = [file.read_text() for file in files]
    check("an image whose registry does not know it was changed", not re.search(r"grafana/grafana:[^\s]*@", "".join(first)))
    check("something else was changed", [re.sub(r"@sha256:[0-9a-f]{64}", "", text) for text in first] == before)
    pinned = re.findall(r"(?:image:|FROM) +(\S+)@sha256:", "".join(first))
    for image in ("apache/kafka:4.3.1", "swift:6.3-bookworm", "debian:bookworm-slim", "nginxinc/nginx-unprivileged:1.28-bookworm"):
        check(f"{image} is not pinned", image in pinned)
    check("a name without a slash is Docker's library", any("/v2/library/swift/" in path for path in Registry.asked))
    run("scripts/image-digests", code=1, **settings)
    check("a second run changes something", [file.read_text() for file in files] == first)
    Registry.salt = "b"
    run("scripts/image-digests", code=1, **settings)
    second = [file.read_text() for file in files]
    check("a tag that moved keeps its digest", second != first and all(text.count("@sha256:") == old.count("@sha256:") for text, old in zip(second, first)))
    registry.shutdown()


with tempfile.TemporaryDirectory() as name:
    sboms(pathlib.Path(name))
    digests(pathlib.Path(name))
print("\n".join(wrong) if wrong else "bills of materials are valid, and digests are renewed")
sys.exit(1 if wrong else 0)
