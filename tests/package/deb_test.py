#!/usr/bin/env python3
"""The Debian package: its fields, its files, and what its scripts may do. OPIC_DEB_FOLDER holds it."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import installed
from files_test import expected
from installed import ROOT


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def section_of_packages(name):
    return (ROOT / "deploy/packages.txt").read_text().partition(f"[{name}]\n")[2].partition("[")[0].split()


class DebTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = Path(os.environ.get("OPIC_DEB_FOLDER", installed.BUILD))
        cls.deb, = folder.glob("opic_*.deb")
        cls.fields = dict(re.findall(r"^(\S+): (.*)$", run("dpkg-deb", "--field", cls.deb), re.M))

    def files(self):
        """(mode, owner, path without "./") of every line of its contents."""
        for line in run("dpkg-deb", "--contents", self.deb).splitlines():
            mode, owner, *_, path = line.split()
            yield mode, owner, path.removeprefix("./")

    def test_fields(self):
        version = re.search(r"project\(opic VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        architecture = run("dpkg", "--print-architecture").strip()
        self.assertEqual(self.deb.name, f"opic_{version}_{architecture}.deb")
        self.assertEqual(self.fields["Package"], "opic")
        self.assertEqual(self.fields["Version"], version)
        self.assertEqual(self.fields["Architecture"], architecture)
        self.assertRegex(self.fields["Maintainer"], r"^[^<>]+ <[^<>@]+@[^<>@]+>$")
        # One line of at most 80 letters that begins without a capital or an article, and ends without a full stop.
        self.assertRegex(self.fields["Description"], r"^(?!a |an |the )[a-z].{0,78}[^.]$")

    def test_it_depends_on_what_the_list_says(self):
        depends = {word.split()[0] for word in re.split(r"[,|]", self.fields["Depends"])}
        depends |= {name.removesuffix("-fmt9") for name in depends}  # what libspdlog1.10 provides
        listed = set(section_of_packages("run"))
        if any(re.match("lib(asan|ubsan|tsan)", name) for name in depends):
            listed -= {"libjemalloc2"}  # a sanitizer brings its own allocator
        self.assertLessEqual(listed, depends)
        self.assertLessEqual({"libc6", "systemd"}, depends)
        for package in depends:
            self.assertFalse(package.endswith("-dev"), package)

    def test_it_suggests_what_a_comparison_runs(self):
        self.assertEqual(set(self.fields["Suggests"].split(", ")), set(section_of_packages("bench")))

    def test_files_are_those_that_are_installed(self):
        found = {path for mode, _, path in self.files() if not mode.startswith("d")}
        self.assertEqual(found, expected())

    def test_everything_is_roots_and_nothing_may_be_written_by_others(self):
        for mode, owner, path in self.files():
            with self.subTest(path=path):
                self.assertEqual(owner, "root/root")
                runs = mode.startswith("d") or "/bin/" in path or path.endswith(("local-cluster", "/published"))
                self.assertEqual(mode[1:], "rwxr-xr-x" if runs else "rw-r--r--")
                self.assertIn(mode[0], "d-")

    def test_programs_are_stripped(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        run("dpkg-deb", "--extract", self.deb, folder.name)
        for program in installed.PROGRAMS:
            self.assertIn(", stripped", run("file", f"{folder.name}/usr/bin/{program}"))

    def test_settings_are_kept_by_dpkg(self):
        self.assertEqual(run("dpkg-deb", "--info", self.deb, "conffiles").split(),
                         sorted("/" + path for path in expected() if path.startswith("etc/")))

    def test_scripts_are_shell_and_stop_at_errors(self):
        for script in ("postinst", "prerm", "postrm"):
            text = run("dpkg-deb", "--info", self.deb, script)
            self.assertEqual(text, (ROOT / "deploy/debian" / script).read_text())
            self.assertTrue(text.startswith("#!/bin/sh\n"))
            self.assertIn("\nset -e\n", text)
            subprocess.run(["sh", "-n"], input=text, text=True, check=True)


if __name__ == "__main__":
    unittest.main()
