#!/usr/bin/env python3
"""The calls of curl that the guide shows, against a crawl that answers questions over HTTP. OPIC_PROGRAMS is the build
folder."""
import json
import os
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import commands

BUILD = Path(os.environ.get("OPIC_PROGRAMS", commands.ROOT / "build/release"))
PATIENCE = 60
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("OPIC_")}
SHOWN = "127.0.0.1:8080"  # in the guide


def calls():
    """Those that need no certificates."""
    lines = commands.lines_of(commands.ROOT / "docs/operations.md")
    return [line for line in lines if line.startswith("curl ") and f"http://{SHOWN}/opic" in line]


class CurlTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.processes = []

    def tearDown(self):
        for process in reversed(self.processes):
            process.terminate()
            process.communicate()
        self.folder.cleanup()

    def start(self, *words):
        """The process, and the file of what it says."""
        log = Path(self.folder.name, f"{len(self.processes)}.log")
        with open(log, "w") as output:
            self.processes.append(subprocess.Popen([BUILD / words[0], *words[1:]], cwd=self.folder.name,
                                                   env=ENVIRONMENT, stdout=output, stderr=output))
        return log

    def told(self, log, pattern):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            found = re.search(pattern, log.read_text())
            if found:
                return found[1]
            time.sleep(0.02)
        raise AssertionError(f"{pattern} is not in {log.read_text()}")

    def test_what_the_guide_shows(self):
        web = self.start("opic", "sample-web", "--sample-pages", "300", "--sample-hosts", "20")
        address = self.told(web, r"connect-to (\S+)")
        crawl = self.start("opic", "crawl", "--stay", "--quiet", "--http-questions", "127.0.0.1:0", "--connect-to",
                           address, "--allow-private", "--per-address", "256", "--delay", "10ms", "--scope", "any",
                           "http://site00.sample.test/")
        here = self.told(crawl, r"questions as JSON at http://(\S+?)/")
        shown = calls()
        self.assertGreaterEqual(len(shown), 7)
        for call in shown:
            with self.subTest(call=call):
                stream = call.endswith("/Watch")  # goes on until curl has enough: its exit code is 28 then
                more = " --fail-with-body" + (" --max-time 5" if stream else "")
                said = subprocess.run(call.replace(SHOWN, here) + more, shell=True, cwd=self.folder.name,
                                      env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE, check=False)
                self.assertEqual(said.returncode, 28 if stream else 0, said.stdout + said.stderr)
                self.assertTrue(json.loads(said.stdout.splitlines()[0] if stream else said.stdout))


if __name__ == "__main__":
    unittest.main()
