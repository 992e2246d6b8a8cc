#!/usr/bin/env python3
"""`opic bench` as it is installed, with a small web; and how its script reads the programs that measure the parts."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import installed
from installed import ROOT

LEDGER = """pages 10000, links 60, groups of 64
visits recorded, groups of 1024             10715 /s    93.3 us each,   33.5 of the processor
written a visit                               691 bytes
visits settled                              {} /s  1121.7 us each,   36.7 of the processor
  slowest group                             412.5 ms
  written a visit                             856 bytes
"""


def run(*words, **more):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OPIC_")} | more
    return subprocess.run([*map(str, words)], capture_output=True, text=True, env=environment, timeout=150, check=False)


class InstalledTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = installed.Tree()
        cls.addClassCleanup(cls.tree.close)
        cls.opic = cls.tree.usr / "bin/opic"

    def test_it_crawls_and_says_what_it_left_out(self):
        # A setting of the environment is not what is measured.
        said = run(self.opic, "bench", "--sample-pages", "200", "--rounds", "1", "--only", "opic,ledger", "--json",
                   "--out", self.tree.root / "charts", OPIC_PAGES="3")
        self.assertEqual(said.returncode, 0, said.stderr)
        found = json.loads(said.stdout)
        for web in ("one site", "many hosts"):
            self.assertGreater(found[web]["opic"]["pages"], 150)
            self.assertGreater(found[web]["opic"]["ledger"], 0)
            self.assertIn("<svg ", (self.tree.root / f"charts/{web.replace(' ', '_')}.svg").read_text())
        self.assertIn("processor", found["machine"])
        self.assertIn("ledger_bench is not in", found["left_out"]["ledger"])
        self.assertIn("ledger: left out", said.stderr)
        self.assertEqual(list(self.tree.root.rglob("*.pyc")), [])

    def test_its_exit_codes(self):
        said = run(self.opic, "bench", "--only", "nonsense")
        self.assertEqual((said.returncode, "nonsense" in said.stderr), (2, True), said.stderr)
        self.assertEqual(run(self.opic, "bench", "--rounds", "0").returncode, 2)
        self.assertEqual(run(self.opic, "bench", "--folder", self.tree.root).returncode, 1)
        self.assertEqual(run(self.opic, "bench", PATH="/nonexistent").returncode, 5)

    def test_without_its_script_it_says_where_that_should_be(self):
        script = self.tree.usr / "libexec/opic/published"
        script.rename(script.with_suffix(".away"))
        self.addCleanup(script.with_suffix(".away").rename, script)
        said = run(self.opic, "bench")
        self.assertEqual(said.returncode, 5)
        self.assertIn("libexec/opic/published", said.stderr)


class PartsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program("opic", "")

    def program(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}END\n")
        path.chmod(0o755)

    def bench(self, *words):
        return run(ROOT / "tests/bench/published", "--folder", self.folder, "--only", "ledger", *words)

    def test_figures_are_those_that_the_program_tells(self):
        self.program("ledger_bench", LEDGER.format(892))
        said = self.bench("--json", "-", "--rounds", "1")
        self.assertEqual(json.loads(said.stdout)["ledger"],
                         {"settled visits/s": 892, "CPU us a settled visit": 36.7, "slowest group, ms": 412.5,
                          "bytes written a settled visit": 856})
        self.assertRegex(said.stderr, r"settled visits/s +892\.000\n")

    def test_a_figure_that_is_missing_is_a_failure(self):
        self.program("ledger_bench", LEDGER.format("many"))
        said = self.bench()
        self.assertEqual(said.returncode, 1)
        self.assertIn('ledger_bench did not tell "settled visits/s"', said.stderr)

    def test_a_program_that_fails_is_a_failure(self):
        self.program("ledger_bench", "")
        (self.folder / "ledger_bench").write_text("#!/bin/sh\necho no disk >&2\nexit 3\n")
        said = self.bench()
        self.assertEqual(said.returncode, 1)
        self.assertIn("ledger_bench ended with 3: no disk", said.stderr)


if __name__ == "__main__":
    unittest.main()
