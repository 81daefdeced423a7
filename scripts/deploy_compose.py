#!/usr/bin/env python3
"""Reads docker-compose.yml with each overlay as Compose merges them, as far as its rules are simple, and checks what must hold:
names that exist, no privileges, no secrets, bounds, health. The engine's own reading is `make cluster-test`'s."""
import pathlib
import re
import sys

import yaml

root = pathlib.Path(__file__).resolve().parent.parent
# Not fanfare's: the engine runs them as their makers have it.
OTHERS = ("apache/", "prom/", "grafana/", "ghcr.io/", "nginxinc/")
wrong = []


class Loader(yaml.SafeLoader):
    pass


class Replaced:
    """A value under !reset or !override."""
    def __init__(self, value):
        self.value = value


def construct(loader, node):
    return Replaced(loader.construct_sequence(node) if isinstance(node, yaml.SequenceNode) else None)


Loader.add_constructor("!reset", construct)
Loader.add_constructor("!override", construct)


def merge(base, more):
    if isinstance(more, Replaced):
        return more.value
    if isinstance(base, dict) and isinstance(more, dict):
        return {key: merge(base.get(key), more[key]) if key in more else base[key] for key in base | more}
    if isinstance(base, list) and isinstance(more, list):
        return base + more
    return more


def read(name):
    return yaml.load((root / name).read_text(), Loader)


def check(name, system):
    services, volumes = system["services"], system.get("volumes") or {}

    def complain(service, what):
        wrong.append(f"{name}: {service} {what}")

    for service, settings in services.items():
        if "image" not in settings:
            complain(service, "has no image: the overlay names a service that is not there")
            continue
        dependencies = settings.get("depends_on") or {}
        for other in dependencies:
            if other not in services:
                complain(service, f"depends on {other}, which is not there")
            elif services[other].get("profiles") and not settings.get("profiles"):
                complain(service, f"depends on {other}, which has a profile")
        for volume in settings.get("volumes") or []:
            volume = re.sub(r"^\$\{[A-Z_]+:-([^}]*)\}", r"\1", volume)
            source = volume.split(":")[0]
            if source.startswith("./"):
                if not (root / source).exists():
                    complain(service, f"mounts {source}, which is not there")
            elif ":" in volume and source not in volumes:
                complain(service, f"mounts the volume {source}, which is not declared")
        if settings.get("cap_drop") != ["ALL"] or "no-new-privileges:true" not in settings.get("security_opt", []):
            complain(service, "keeps privileges")
        if settings.get("privileged"):
            complain(service, "is privileged")
        is_job = settings.get("restart") == "no"
        if not is_job and "mem_limit" not in settings:
            complain(service, "has no bound for memory")
        is_own = not settings["image"].startswith(OTHERS)
        if is_own and not is_job and not settings.get("read_only"):
            complain(service, "may write to its root")
        if is_own and not is_job and not settings.get("healthcheck"):
            complain(service, "has no health check")
        if not is_own and ("latest" in settings["image"] or ":" not in settings["image"]):
            complain(service, "has an image of no set version")
        for variable, value in (settings.get("environment") or {}).items():
            if re.search("PASSWORD$|SECRET$|TOKEN$|_KEY$", variable) and value:
                complain(service, f"has a secret in {variable}")
        for port in settings.get("ports") or []:
            if not re.match(r"(127\.0\.0\.1|\$\{(FANFARE|FRONT)_LISTEN_ON:-[0-9.]+\}):", port):
                complain(service, f"publishes {port} for other machines")


def apart(name, system):
    """Development and production share no volume that a service of theirs has: no store, key ring or key to Kafka."""
    own = {service: {volume.split(":")[0] for volume in settings.get("volumes") or [] if ":" in volume}
           for service, settings in system["services"].items() if not settings.get("image", "").startswith(OTHERS)}
    production = {service: volumes for service, volumes in own.items() if service.endswith("-production")}
    for service, volumes in production.items():
        other = service.removesuffix("-production")
        if other not in own:
            wrong.append(f"{name}: {service} is beside no {other}")
        for neighbour, theirs in own.items():
            # What makes all certificates, for seconds, runs nothing of a user's.
            if neighbour in production or neighbour in ("certificates", "acls-wanted", "front-certificate"):
                continue
            for volume in volumes & theirs:
                wrong.append(f"{name}: {service} and {neighbour} share the volume {volume}")
    if len(production) < 4:
        wrong.append(f"{name}: production has {sorted(production)} alone")


plain = read("docker-compose.yml")
check("docker-compose.yml", plain)
apart("docker-compose.yml", plain)
overlays = sorted(path.relative_to(root) for path in (root / "deploy").glob("*.yml"))
for overlay in overlays:
    check(overlay, merge(plain, read(overlay)))
    apart(overlay, merge(plain, read(overlay)))
check("front.yml and secured.yml", merge(merge(plain, read("deploy/front.yml")), read("deploy/secured.yml")))
# Every principal with a volume of its own has a certificate made for it, and the other way round.
secured = read("deploy/secured.yml")
made = {volume.split(":/secrets/")[1] for volume in secured["services"]["certificates"]["volumes"] if ":/secrets/" in volume}
script = (root / "deploy/certificates/kafka.sh").read_text()
names = set(re.findall(r"^for name in ([^;]*);", script, re.M) and " ".join(re.findall(r"^for name in ([^;]*);", script, re.M)).split())
names |= {f"{name}-production" for name in names if name.startswith("fanfare-")} | {"authority"}
if made != names:
    wrong.append(f"secured.yml: certificates has volumes for {sorted(made ^ names)}, and kafka.sh not, or the other way round")
print("\n".join(wrong) if wrong else f"docker-compose.yml and {len(overlays)} overlays are well")
sys.exit(1 if wrong else 0)
