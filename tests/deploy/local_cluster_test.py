#!/usr/bin/env python3
"""What deploy/local-cluster and quickstart say, with programs that are none: shell scripts in a folder."""
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from commands import ROOT

# What `opic cluster init` writes, as far as the script reads it; `opic crawl` finds nothing to do.
OPIC = """#!/bin/bash
[ "$1" = cluster ] || exit 0
for node in $(seq "$4"); do echo '"address"'; done >"${@: -1}"
"""


class LocalClusterTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        self.program("opic", OPIC)
        self.program("opic-node", "#!/bin/sh\necho answering on 127.0.0.1:1\nexec sleep 60\n")

    def program(self, name, text):
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def run_it(self, *words):
        return subprocess.run([ROOT / "deploy/local-cluster", *words, "--folder", self.folder / "cluster"],
                              capture_output=True, text=True, timeout=60, check=False)

    def cluster_of(self, count, *more):
        return self.run_it(count, "http://a.test/", "--programs", self.programs, *more)

    # "((: 08: value too great for base".
    def test_a_count_with_zeros_in_front_is_decimal(self):
        for count, nodes in (("08", 8), ("3", 3), ("0010", 10)):
            with self.subTest(count=count):
                said = self.cluster_of(count, "--fresh")
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertIn(f": {nodes} nodes; ", said.stderr)

    # A folder of two words was shown as two.
    def test_the_command_that_is_shown_is_quoted(self):
        self.folder = self.folder / "it's here"
        said = self.cluster_of("1")
        command = said.stderr.split("ask them with: ")[1].split("\n")[0]
        self.assertEqual(shlex.split(command), [str(self.programs / "opic"), "status", "--cluster",
                                                str(self.folder / "cluster/cluster.json")])

    def test_a_wrong_count_is_refused(self):
        for count in ("0", "00", "65", "099", "9" * 40):
            with self.subTest(count=count):
                said = self.cluster_of(count)
                self.assertEqual((said.returncode, said.stderr), (2, "local-cluster: from 1 to 64 nodes\n"))

    # "line 53: 2: --delay needs a value", with 1.
    def test_a_missing_value_is_a_wrong_option(self):
        for option in ("--h-url", "--base-port", "--folder", "--programs", "--scope", "--delay", "--rate"):
            for value in ([], [""]):
                with self.subTest(option=option, value=value):
                    said = subprocess.run([ROOT / "deploy/local-cluster", "2", option, *value],
                                          capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual((said.returncode, said.stderr), (2, f"local-cluster: {option} needs a value\n"))
        said = subprocess.run([ROOT / "deploy/local-cluster", "2", "--foo"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(said.returncode, 2)
        self.assertIn("local-cluster: there is no switch --foo, and an option needs a value", said.stderr)

    # "No such file or directory", with 127.
    def test_a_missing_program_is_named(self):
        said = self.run_it("2", "--programs", "/nonexistent")
        self.assertEqual(said.returncode, 2)
        self.assertIn("there is no program opic in /nonexistent: --programs names", said.stderr)
        said = self.cluster_of("2", "--schedulers")
        self.assertEqual(said.returncode, 2)
        self.assertIn(f"there is no program opic-scheduler in {self.programs}", said.stderr)
        self.assertFalse((self.folder / "cluster").exists())

    def test_the_code_of_a_node_that_does_not_start_is_passed_on(self):
        for code, passed in ((2, 2), (74, 74), (0, 1)):
            with self.subTest(code=code):
                self.program("opic-node", f"#!/bin/sh\necho error: it says why\nexit {code}\n")
                said = self.cluster_of("2", "--frob", "1")
                self.assertEqual(said.returncode, passed)
                self.assertIn("it says why\nlocal-cluster: node0 ended; see ", said.stderr)


class QuickstartTest(unittest.TestCase):
    def test_the_command_that_is_shown_is_quoted(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "a b"
            script = root / "deploy/quickstart"
            stub = "#!/bin/sh\nexit 0\n"
            for path, text in ((script, (ROOT / "deploy/quickstart").read_text()), (root / "bin/cmake", stub),
                               (root / "deploy/install-packages", stub), (root / "build/release/opic", stub)):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                path.chmod(0o755)
            said = subprocess.run([script], capture_output=True, text=True, timeout=60, check=True,
                                  env={**os.environ, "PATH": f"{root / 'bin'}:{os.environ['PATH']}"})
            command = said.stderr.split("for example: ")[1]
            self.assertEqual(shlex.split(command), [str(root / "build/release/opic"), "top", "--data",
                                                    str(root / "build/demo-data")])


if __name__ == "__main__":
    unittest.main()
