#!/usr/bin/env python3
"""Lints and renders the chart by Helm's own code, with values that reach each template's branches, and holds what comes of it
against the schemas of the Kubernetes API. Kinds of operators (KEDA, Prometheus, Strimzi) have none here: they are read as YAML."""
import pathlib
import sys

import helm_python as helm
import kubernetes_validate
import yaml

root = pathlib.Path(__file__).resolve().parent.parent
chart_folder = root / "deploy/helm/fanfare"
VERSIONS = ("1.27", kubernetes_validate.latest_version())
OPERATORS = {"ScaledObject", "ServiceMonitor", "PrometheusRule"}
secured = {
    "kafka": {
        "bootstrapServers": "kafka:9095", "securityProtocol": "SASL_SSL", "authority": {"secret": "kafka-cluster-ca-cert"},
        "users": {role: {"secret": f"kafka-{role.lower()}"} for role in ("topics", "recordService", "subscriptionMatcher", "pushSender")},
    },
}
everything = {
    "environment": "production", "containers": ["iCloud.com.example.Gallery", "iCloud.com.example.Notes"],
    "settings": {"FANFARE_LOG_LEVEL": "debug"}, "image": {"repository": "registry.example.com/fanfare", "tag": "1.2.3",
                                                          "pullSecrets": [{"name": "registry"}]},
    "recordService": {"tls": {"secret": "api-tls"}, "storage": {"className": "fast"}, "nodeSelector": {"disk": "ssd"},
                      "tolerations": [{"operator": "Exists"}], "annotations": {"a": "b"}},
    "ingress": {"enabled": True, "tlsSecret": "api-tls"},
    "networkPolicy": {"metricsFrom": [{"namespaceSelector": {"matchLabels": {"name": "monitoring"}}}]},
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}}, "internalToken": {"secret": "fanfare-internal"},
    "pushSender": {"enabled": True, "apns": {"secret": "apns"}, "settings": {"FANFARE_APNS_KEY_ID": "ABC123DEFG"}},
    "prometheusRule": {"enabled": True}, "dashboards": {"enabled": True},
}
mutual = {"pushSender": {"enabled": True}, "kafka": {"bootstrapServers": "kafka:9093", "securityProtocol": "SSL", "authority": {"secret": "ca"},
                    "clientCertificates": {role: role.lower() for role in ("topics", "recordService", "subscriptionMatcher", "pushSender")}}}
RENDERINGS = {
    "as it is": {},
    "secured": secured,
    "everything": everything,
    "mutual TLS": mutual,
    "scaled by CPU": {"subscriptionMatcher": {"autoscaling": {"enabled": True, "maxReplicas": 40}}},
    "scaled by KEDA": {"subscriptionMatcher": {"keda": {"enabled": True, "authentication": "kafka"}}},
    "alone": {"topics": {"create": False}, "networkPolicy": {"enabled": False}, "podDisruptionBudget": {"enabled": False},
              "serviceAccount": {"create": False}},
}
REFUSED = {
    "two that scale": {"subscriptionMatcher": {"autoscaling": {"enabled": True}, "keda": {"enabled": True}}},
    "SASL without a Secret": {"kafka": {"bootstrapServers": "kafka:9095", "securityProtocol": "SASL_SSL"}},
    "two record-services": {"recordService": {"replicas": 2}},
    "an unknown environment": {"environment": "staging"},
    "production without its address": {"environment": "production"},
}
wrong = []


def objects(chart, values):
    found = []
    for path, text in chart.render(values, name="fanfare", namespace="records").items():
        if path.endswith(".yaml"):
            found += [document for document in yaml.safe_load_all(text) if document]
    return found


def check(name, things):
    names = [(thing["kind"], thing["metadata"]["name"]) for thing in things]
    if len(set(names)) != len(names):
        wrong.append(f"{name}: two objects of one name")
    for thing in things:
        place = f"{name}: {thing['kind']} {thing['metadata']['name']}"
        if thing["kind"] not in OPERATORS:
            for version in VERSIONS:
                try:
                    kubernetes_validate.validate(thing, version, strict=True)
                except kubernetes_validate.ValidationError as error:
                    wrong.append(f"{place}: {'.'.join(map(str, error.path))}: {error.message} ({version})")
        template = thing.get("spec", {}).get("template", {})
        if not template:
            continue
        pod = template["spec"]
        if thing["kind"] != "Job" and thing["spec"]["selector"]["matchLabels"].items() - template["metadata"]["labels"].items():
            wrong.append(f"{place}: its selector does not find its pods")
        if not pod["securityContext"].get("runAsNonRoot"):
            wrong.append(f"{place}: may run as root")
        claims = [claim["metadata"] for claim in thing["spec"].get("volumeClaimTemplates", [])]
        volumes = {volume["name"] for volume in pod["volumes"] + claims}
        for container in pod["containers"] + pod.get("initContainers", []):
            for mount in container["volumeMounts"]:
                if mount["name"] not in volumes:
                    wrong.append(f"{place}: mounts {mount['name']}, which is no volume")
            security = container["securityContext"]
            if not security["readOnlyRootFilesystem"] or security["allowPrivilegeEscalation"]:
                wrong.append(f"{place}: has privileges")
            if "limits" not in container["resources"]:
                wrong.append(f"{place}: has no limits")
            for variable in container["env"]:
                if variable["name"].endswith(("PASSWORD", "TOKEN", "SECRET")):
                    wrong.append(f"{place}: has a secret in {variable['name']}")


helm.disable_logging()
count = 0
with helm.Chart.load(str(chart_folder)) as chart:
    for name, values in RENDERINGS.items():
        report = helm.lint(str(chart_folder), values, strict=True)
        wrong += [f"{name}: {message['path']}: {message['error']}" for message in report["messages"] if message["severity"] > 1]
        things = objects(chart, values)
        count += len(things)
        check(name, things)
    for name, values in REFUSED.items():
        try:
            chart.validate_schema(chart.merge_values(values))
            objects(chart, values)
            wrong.append(f"{name}: is not refused")
        except helm.HelmError:
            pass
for path in sorted((root / "deploy/helm/examples").glob("*.yaml")):
    for document in yaml.safe_load_all(path.read_text()):
        if document and path.name.startswith("values"):
            with helm.Chart.load(str(chart_folder)) as chart:
                check(path.name, objects(chart, document))
print("\n".join(wrong) if wrong else
      f"{count} objects of {len(RENDERINGS)} renderings fit Kubernetes {' and '.join(VERSIONS)}; {len(REFUSED)} mistakes are refused")
sys.exit(1 if wrong else 0)
