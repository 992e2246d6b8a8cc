"""opic as `cmake --install` puts it below a folder, and what its programs say of themselves."""
import functools
import os
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPIC_PROGRAMS", ROOT / "build/release"))
PROGRAMS = {"opic": 1, "opic-node": 8, "opic-scheduler": 8}  # and the section of its manual page


class Tree:
    """A folder that opic is installed below, with the prefix /usr; `usr` is its /usr."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.usr = self.root / "usr"
        cmake("--install", BUILD, "--prefix", "/usr", root=self.root)

    def close(self):
        self.folder.cleanup()


def cmake(*words, root):
    said = subprocess.run(["cmake", *map(str, words)], env={**os.environ, "DESTDIR": str(root)}, capture_output=True,
                          text=True, check=False)
    if said.returncode != 0:
        raise AssertionError(said.stdout + said.stderr)
    return said.stdout


def run(program, *words):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OPIC_")}
    return subprocess.run([BUILD / program, *words], capture_output=True, text=True, env=environment, timeout=60,
                          check=True).stdout


@functools.cache
def help_of(path):
    return run(*path.split(), "--help")


def options_of(path):
    """All names of options in a help, with their dashes."""
    names = set()
    for listed in re.findall(r"^  (-[-\w,]+)", help_of(path), re.M):
        names.update(listed.split(","))
    return names


def commands_of(path):
    return re.findall(r"^  ([a-z][a-z-]*) ", help_of(path).partition("\nSubcommands:\n")[2].partition("\n\n")[0], re.M)


def paths():
    """Every program and command: "opic", "opic cluster", "opic cluster init"."""
    waiting = list(PROGRAMS)
    while waiting:
        path = waiting.pop(0)
        yield path
        waiting += [f"{path} {command}" for command in commands_of(path)]
