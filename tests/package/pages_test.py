#!/usr/bin/env python3
"""The manual pages: man(1) finds nothing wrong with them, and they have all that the help has."""
import gzip
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import installed


def complaints(page):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANPAGER": "cat"}
    said = subprocess.run(["man", "--warnings=w", "-E", "UTF-8", "-l", str(page)], capture_output=True, text=True,
                          env=environment, check=False)
    return said.stderr + ("" if said.returncode == 0 else f"exit code {said.returncode}")


def plain(text):
    """A page's source with what a reader sees: fonts gone, signs as they are printed."""
    text = re.sub(r"\\f[BIR]|\\&", "", text)
    for code, sign in {r"\-": "-", r"\(aq": "'", r"\(ga": "`", r"\(ha": "^", r"\(ti": "~", r"\(dq": '"',
                       r"\e": "\\"}.items():
        text = text.replace(code, sign)
    return text


class PagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = installed.Tree()
        cls.addClassCleanup(cls.tree.close)
        cls.man = cls.tree.usr / "share/man"

    def page(self, path):
        """Of a program or command; a command of a command stands in that one's page."""
        words = path.split()
        section = installed.PROGRAMS[words[0]]
        name = "-".join(words[:2])
        return gzip.decompress((self.man / f"man{section}/{name}.{section}.gz").read_bytes()).decode()

    def part(self, path):
        words = path.split()
        text = self.page(path)
        if len(words) < 3:
            return text.partition("\n.SH COMMANDS\n")[0]
        return re.split(r"\n\.S[SH] ", text.partition(f'\n.SS "{words[2].replace("-", chr(92) + "-")}"\n')[2])[0]

    def test_every_option_of_the_help_is_in_the_page(self):
        seen = 0
        for path in installed.paths():
            listed = set()
            for entry in re.findall(r"^\.TP\n(\\fB.*)$", self.part(path), re.M):
                listed.update(re.findall(r"(?:^|, )(--?[\w-]+)", plain(entry)))
            with self.subTest(path=path):
                self.assertEqual(listed, installed.options_of(path))
            seen += len(listed)
        self.assertGreater(seen, 300)

    def test_every_command_is_in_its_programs_page(self):
        for path in ("opic", "opic cluster"):
            text = plain(self.page(path))
            for command in installed.commands_of(path):
                self.assertRegex(text, rf'\n(\.TP\n{command}\n|\.SS "{command}"\n)', command)

    def test_the_programs_pages_tell_settings_and_exit_codes(self):
        for program in installed.PROGRAMS:
            text = self.page(program)
            codes = re.findall(r"^ +(\d+)  \S", installed.help_of(program).partition("\nExit codes:\n")[2], re.M)
            told = re.findall(r"^\.TP\n\\fB(\d+)\\fR$", text, re.M)
            self.assertEqual(told, codes)
            self.assertIn("130", told)
            self.assertIn("\n.SH SETTINGS\n", text)

    def test_pages_that_are_named_are_there(self):
        for page in self.man.rglob("*.gz"):
            text = plain(gzip.decompress(page.read_bytes()).decode()).partition("\n.SH SEE ALSO\n")[2]
            named = re.findall(r"^(\S+)\((\d)\)", text, re.M)
            self.assertTrue(named, page)
            for name, section in named:
                self.assertTrue((self.man / f"man{section}/{name}.{section}.gz").is_file(), f"{page}: {name}")


@unittest.skipUnless(shutil.which("man"), "man is not at hand")
class CleanTest(unittest.TestCase):
    def test_man_finds_nothing_wrong(self):
        tree = installed.Tree()
        self.addCleanup(tree.close)
        for page in (tree.usr / "share/man").rglob("*.gz"):
            with self.subTest(page=page.name):
                self.assertEqual(complaints(page), "")

    # Otherwise the above would be content with anything.
    def test_what_is_wrong_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "wrong.1")
            page.write_text('.TH WRONG 1\n.SH NAME\nwrong \\- a page\n.NOSUCH macro\n')
            self.assertNotEqual(complaints(page), "")


if __name__ == "__main__":
    unittest.main()
