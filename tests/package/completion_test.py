#!/usr/bin/env python3
"""The completions, in the shells that they are for: their syntax, what they offer, and what a Tab types."""
import os
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import installed
import terminal

PROMPT = "ready> "


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=120)


class CompletionTest(unittest.TestCase):
    """In a folder with one file, `pages.txt`, and a program `opic` that prints how it was called."""

    @classmethod
    def setUpClass(cls):
        cls.tree = installed.Tree()
        cls.addClassCleanup(cls.tree.close)
        cls.share = cls.tree.usr / "share"
        cls.bash = cls.share / "bash-completion/completions"
        cls.zsh = cls.share / "zsh/vendor-completions"
        cls.fish = cls.share / "fish/vendor_completions.d"
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "bin").mkdir()
        (cls.folder / "here").mkdir()
        (cls.folder / "here/pages.txt").touch()
        opic = cls.folder / "bin/opic"
        opic.write_text('#!/bin/sh\necho "called with <$*>"\n')
        opic.chmod(0o755)
        cls.environment = {"PATH": f"{cls.folder}/bin:{os.environ['PATH']}", "HOME": str(cls.folder), "TERM": "dumb",
                           "LC_ALL": "C.UTF-8", "HISTFILE": "/dev/null"}

    def shell(self, *words, prompt=PROMPT):
        shell = terminal.Shell(words, {**self.environment, "PS1": PROMPT}, self.folder / "here", prompt)
        self.addCleanup(shell.close)
        return shell

    def check_what_is_typed(self, shell):
        for keys, called in {"opic cr\t--check-c\t": "crawl --check-config",
                             "opic clus\tini\t--nod\t3": "cluster init --nodes 3",
                             "opic ran\t--orde\tgau\t": "rank --order gauss-seidel",
                             "opic cra\t--seed-f\tpag\t": "crawl --seed-file pages.txt"}.items():
            said = shell.type(keys).replace("=", " ")  # zsh types "--order=gauss-seidel"
            self.assertIn(f"called with <{called}>", said)

    # In bash

    def offered(self, line):
        words = line.split(" ")
        script = f"""
            source {self.bash / words[0]} || exit
            COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1}
            _{words[0].replace("-", "_")}
            printf '%s\\n' "${{COMPREPLY[@]}}" """
        said = run("bash", "--norc", "-c", script)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return said.stdout.split()

    def test_bash_scripts_parse(self):
        for program in installed.PROGRAMS:
            said = run("bash", "-n", self.bash / program)
            self.assertEqual((said.returncode, said.stderr), (0, ""))

    def test_bash_offers_what_fits(self):
        for line, wanted in {"opic cr": ["crawl"], "opic cluster in": ["init"], "opic cluster init in": [],
                             "opic crawl --seed-file cl": [], "opic crawl --seed-f": ["--seed-file"],
                             "opic rank --matrix ": ["random-walk", "adjacency", "undirected"],
                             "opic rank --matrix =": ["random-walk", "adjacency", "undirected"],
                             "opic rank --matrix = un": ["undirected"], "opic rank --order chaotic --matr": ["--matrix"],
                             "opic-node --schedul": ["--scheduler"], "opic-scheduler --listen 12": []}.items():
            with self.subTest(line=line):
                self.assertEqual(self.offered(line), wanted)

    def test_bash_offers_all_that_the_help_has(self):
        for path in installed.paths():
            with self.subTest(path=path):
                self.assertEqual(set(self.offered(f"{path} -")), installed.options_of(path))
                self.assertEqual(self.offered(f"{path} "), installed.commands_of(path))

    def test_a_tab_in_bash(self):
        shell = self.shell("bash", "--norc", "--noprofile", "-i")
        shell.type("bind 'set enable-bracketed-paste off'")
        shell.type(f"source {self.bash}/opic")
        self.check_what_is_typed(shell)

    # In zsh

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not at hand")
    def test_zsh_scripts_parse(self):
        for program in installed.PROGRAMS:
            said = run("zsh", "-n", self.zsh / f"_{program}")
            self.assertEqual((said.returncode, said.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not at hand")
    def test_a_tab_in_zsh(self):
        shell = self.shell("zsh", "-f", "-i")
        shell.type(f"fpath=({self.zsh} $fpath); autoload -Uz compinit; compinit -u -D")
        self.check_what_is_typed(shell)

    # In fish

    def offered_by_fish(self, line):
        said = run("fish", "--no-config", "-c",
                   f"source {self.fish}/{line.split()[0]}.fish; complete -C {shlex.quote(line)}")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return {offer.partition("\t")[0] for offer in said.stdout.splitlines()}

    @unittest.skipUnless(shutil.which("fish"), "fish is not at hand")
    def test_fish_offers_what_fits(self):
        for line, wanted in {"opic craw": {"crawl"}, "opic cluster ini": {"init"}, "opic crawl --seed-f": {"--seed-file"},
                             "opic rank --order gau": {"gauss-seidel"}, "opic-node --schedul": {"--scheduler"}}.items():
            with self.subTest(line=line):
                self.assertEqual(self.offered_by_fish(line), wanted)

    @unittest.skipUnless(shutil.which("fish"), "fish is not at hand")
    def test_fish_offers_all_that_the_help_has(self):
        for path in installed.paths():
            long = {name for name in installed.options_of(path) if name.startswith("--")}
            with self.subTest(path=path):
                self.assertLessEqual(long, self.offered_by_fish(f"{path} --"))
                self.assertLessEqual(set(installed.commands_of(path)), self.offered_by_fish(f"{path} "))


if __name__ == "__main__":
    unittest.main()
