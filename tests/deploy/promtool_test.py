#!/usr/bin/env python3
"""The alert rules and the metrics against Prometheus's own judge of them, promtool: 77, which means skipped, where it is
not at hand. OPIC_PROGRAMS is the build folder."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

from monitoring_files_test import RULES, exposition

SKIPPED = 77


class PromtoolTest(unittest.TestCase):
    def test_the_rules_are_right(self):
        said = subprocess.run(["promtool", "check", "rules", RULES], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_a_dead_node_is_told_of_until_it_serves_again(self):
        """The node b is killed after a minute, and started again after nine; a has batches for it meanwhile."""
        a, b = ('{instance="a.example:9464", node="a", peer="b"}', '{instance="b.example:9464", job="opic"}')
        connected, waiting = "opic_channel_connected" + a, "opic_channel_unacknowledged_batches" + a
        down = {"exp_labels": {"severity": "critical", "instance": "b.example:9464", "job": "opic"},
                "exp_annotations": {"summary": "b.example:9464 does not answer",
                                    "action": "See its log and its service; nothing is lost, start it again."}}
        lags = {"exp_labels": {"severity": "warning", "instance": "a.example:9464", "node": "a", "peer": "b"},
                "exp_annotations": {"summary": "a: batches for b wait on disk",
                                    "action": "See whether that node runs and can be reached."}}
        fires = [("2m", [], []), ("4m", [down], []), ("7m", [down], [lags]), ("11m", [], [])]
        case = {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [{
            "interval": "1m",
            "input_series": [{"series": "up" + b, "values": "1 0x8 1x10"},
                             {"series": connected, "values": "1 0x8 1x10"},
                             {"series": waiting, "values": "0 7x8 0x10"}],
            "alert_rule_test": [
                {"eval_time": when, "alertname": name, "exp_alerts": alerts}
                for when, is_down, is_late in fires
                for name, alerts in (("OpicDown", is_down), ("OpicPeerLags", is_late))]}]}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "case.yml")
            file.write_text(yaml.safe_dump(case))
            said = subprocess.run(["promtool", "test", "rules", file], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_the_metrics_are_right(self):
        for program, text in exposition().items():
            said = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True,
                                  check=False)
            self.assertEqual((said.returncode, said.stderr), (0, ""), program)


if __name__ == "__main__":
    if shutil.which("promtool") is None:
        print("promtool is not at hand")
        sys.exit(SKIPPED)
    unittest.main()
