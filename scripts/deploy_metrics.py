#!/usr/bin/env python3
"""Checks that the metrics of dashboards and alerts are in docs/metrics.md, which a test compares with the code."""
import json
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
rows = re.findall(r"^- `([a-z_]+)` · (\w+) ·", (root / "docs/metrics.md").read_text(), re.MULTILINE)
known = {name for name, _ in rows}
for name, kind in rows:
    if kind == "histogram":
        known |= {f"{name}_bucket", f"{name}_sum", f"{name}_count"}
wrong = []
expressions = []
for path in sorted((root / "deploy/grafana/dashboards").glob("*.json")):
    for panel in json.loads(path.read_text())["panels"]:
        expressions += [(f"{path.name}: {panel['title']}", target["expr"]) for target in panel["targets"]]
alerts = (root / "deploy/prometheus/alerts.yml").read_text()
expressions.append(("alerts.yml", alerts))
for place, expression in expressions:
    for name in set(re.findall(r"\b((?:fanfare|process)_[a-z_]+)\b", expression)) - known:
        wrong.append(f"{place} asks for {name}, which docs/metrics.md does not have")
print(f"{len(expressions) - 1} queries and {alerts.count('- alert:')} alerts ask for metrics that exist" if not wrong else "\n".join(wrong))
sys.exit(1 if wrong else 0)
