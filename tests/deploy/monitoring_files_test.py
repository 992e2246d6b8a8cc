#!/usr/bin/env python3
"""The board and the alert rules against the programs: every metric and label in them must be one that is served.
OPIC_PROGRAMS is the build folder."""
import functools
import json
import os
import re
import subprocess
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

import yaml

from commands import ROOT

BUILD = Path(os.environ.get("OPIC_PROGRAMS", ROOT / "build/release"))
BOARD = ROOT / "deploy/grafana/opic.json"
RULES = ROOT / "deploy/prometheus/alerts.yml"
PATIENCE = 60
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("OPIC_")}
# What Prometheus adds to every sample.
LABELS_OF_PROMETHEUS = {"instance", "job"}
METRICS_OF_PROMETHEUS = {"up"}


class Served:
    """A program with --http, until `stop`."""

    def __init__(self, folder, *words):
        self.log = Path(folder, words[0] + ".log")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([BUILD / words[0], *words[1:], "--http", "127.0.0.1:0"], cwd=folder,
                                            env=ENVIRONMENT, stdout=log, stderr=log)

    def told(self, pattern):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            found = re.search(pattern, self.log.read_text())
            if found:
                return found[1]
            time.sleep(0.02)
        raise AssertionError(f"{pattern} is not in its log: {self.log.read_text()}")

    def metrics(self, until):
        """The text of /metrics when it contains `until`: the first report comes with the main loop's first turn."""
        url = "http://" + self.told(r"http://(\S+)/metrics") + "/metrics"
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with urllib.request.urlopen(url, timeout=10) as answer:
                text = answer.read().decode()
            if until in text:
                return text
            time.sleep(0.02)
        raise AssertionError(f"{until} is not in {text}")

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


@functools.cache
def exposition():
    """What a scheduler serves, and a node of a cluster whose other node is away: all metrics that there are."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([BUILD / "opic", "cluster", "init", "--nodes", "2", "--address", "127.0.0.1:2", "--address",
                        "127.0.0.1:1", "--out", "cluster.json"], cwd=folder, env=ENVIRONMENT, check=True,
                       capture_output=True)
        scheduler = Served(folder, "opic-scheduler", "--listen", "127.0.0.1:0", "--data", "scheduler")
        node = Served(folder, "opic-node", "--cluster", "cluster.json", "--node", "node0", "--data", "node",
                      "--listen", "127.0.0.1:0", "--http-questions", "127.0.0.1:0")
        try:
            return {"scheduler": scheduler.metrics("opic_scheduler_orders_total "),
                    "node": node.metrics("opic_channel_connected{")}
        finally:
            node.stop()
            scheduler.stop()


def metrics():
    return set().union(*(re.findall(r"^# TYPE (\S+)", text, re.M) for text in exposition().values()))


def labels():
    return set().union(*(re.findall(r'[{,](\w+)="', text) for text in exposition().values()))


def panels():
    for panel in json.loads(BOARD.read_text())["panels"]:
        yield panel
        yield from panel.get("panels", [])


def rules():
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def expressions():
    """(where, PromQL) of the board, its variables, and the rules."""
    for panel in panels():
        for target in panel.get("targets", []):
            yield f"board, {panel['title']}", target["expr"]
    for variable in json.loads(BOARD.read_text())["templating"]["list"]:
        if variable["type"] == "query":
            yield f"board, variable {variable['name']}", variable["definition"]
    for rule in rules():
        yield f"rule {rule['alert']}", rule["expr"]


def names_in(expression):
    """Metrics: words before a brace, a range, an operator; no functions, keywords, labels or texts."""
    bare = re.sub(r'"[^"]*"', "", expression)
    bare = re.sub(r"\{[^}]*\}|\[[^]]*\]", " ", bare)
    bare = re.sub(r"\b(?:by|on|without|ignoring)\s*\([^)]*\)", " ", bare)
    bare = re.sub(r"label_values\(([^,]*),[^)]*\)", r"\1", bare)
    return set(re.findall(r"\b[a-z_][a-z0-9_]*\b(?!\s*\()", bare)) - {"and", "or", "unless", "by"}


def shown():
    """The metrics on the board."""
    return set().union(*(names_in(expression) for where, expression in expressions() if where.startswith("board,")))


def labels_in(expression):
    selectors = re.sub(r'"[^"]*"', '""', expression)
    found = set(re.findall(r'(\w+)\s*(?:=~|!~|!=|=)\s*"', selectors))
    for listed in re.findall(r"\b(?:by|on|without|ignoring)\s*\(([^)]*)\)", selectors):
        found |= {label.strip() for label in listed.split(",")}
    return found


class NamesTest(unittest.TestCase):
    def test_metrics_are_served(self):
        for where, expression in expressions():
            with self.subTest(where=where):
                names = names_in(expression)
                self.assertTrue(names)
                self.assertLessEqual(names, metrics() | METRICS_OF_PROMETHEUS)

    def test_labels_are_served(self):
        for where, expression in expressions():
            with self.subTest(where=where):
                self.assertLessEqual(labels_in(expression), labels() | LABELS_OF_PROMETHEUS)

    def test_the_board_shows_the_room_on_the_disk(self):
        self.assertLessEqual({name for name in metrics() if name.startswith("opic_disk_")}, shown())

    def test_texts_name_labels_that_are_served(self):
        for path in (BOARD, RULES):
            used = set(re.findall(r"\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}", path.read_text()))
            with self.subTest(path=path):
                self.assertTrue(used)
                self.assertLessEqual(used, labels() | LABELS_OF_PROMETHEUS)

    def test_metrics_in_the_guide_are_served(self):
        text = (ROOT / "docs/operations.md").read_text()
        used = set(re.findall(r"\bopic_[a-z_]+[a-z]\b", text))
        self.assertTrue(used)
        self.assertLessEqual(used, metrics())

    # Otherwise the first two would be content with nothing.
    def test_what_is_not_served_is_noticed(self):
        self.assertEqual(names_in('sum by (node) (rate(opic_x_total{instance=~"$i"}[5m])) > 0.5 and on (a) up == 1'),
                         {"opic_x_total", "up"})
        self.assertEqual(names_in("count(opic_a == 0) or vector(0)"), {"opic_a"})
        self.assertEqual(labels_in('sum by (node) (opic_x{state="a", peer=~"b"}) and on (c, d) up'),
                         {"node", "state", "peer", "c", "d"})
        self.assertNotIn("opic_x_total", metrics())
        self.assertIn("peer", labels())


class FilesTest(unittest.TestCase):
    # Who is called out of bed looks at the board first.
    def test_the_board_shows_what_the_rules_look_at(self):
        for rule in rules():
            with self.subTest(rule=rule["alert"]):
                self.assertLessEqual(names_in(rule["expr"]), shown())

    def test_every_rule_says_what_to_do(self):
        self.assertGreaterEqual(len(rules()), 10)
        self.assertEqual(len({rule["alert"] for rule in rules()}), len(rules()))
        for rule in rules():
            with self.subTest(rule=rule["alert"]):
                self.assertLessEqual(set(rule), {"alert", "expr", "for", "labels", "annotations"})
                self.assertIn(rule["labels"]["severity"], {"critical", "warning", "info"})
                self.assertEqual(set(rule["annotations"]), {"summary", "action"})
                self.assertRegex(rule.get("for", "0s"), r"^\d+[smhd]$")

    def test_panels_lie_side_by_side(self):
        taken = set()
        ids = [panel["id"] for panel in panels()]
        self.assertEqual(len(set(ids)), len(ids))
        for panel in panels():
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells

    def test_the_board_is_of_any_data_source(self):
        for panel in panels():
            for target in panel.get("targets", []):
                self.assertEqual(target["datasource"]["uid"], "${datasource}", panel["title"])


if __name__ == "__main__":
    unittest.main()
