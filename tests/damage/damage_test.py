#!/usr/bin/env python3
"""Random damages of data folders: each command gives the answer of the whole folder, or refuses and changes nothing.

    tests/damage/damage_test.py [--count 500] [--seed 1] [--programs build/dev] [--keep FOLDER]

Makes three small crawls, copies one of them for each damage, damages a file of the copy and asks `opic audit`, `opic
verify` and `opic crawl` (which has nothing left to fetch: the limit of pages is reached). Each must answer as it did
before the damage, or refuse with exit code 4 and leave every byte as it was. Anything else is a fault, printed with the
number that repeats it (--only). Ends with 1 when there were faults.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import damaged_file
import data_folders

DAMAGED = 4
PATIENCE_S = 60


def call(words):
    """Exit code (None: it hangs), standard output, standard error."""
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return None, b"", b""
    return done.returncode, done.stdout, done.stderr


def digest(folder):
    """Every byte of the data, by file. Locks, the address of a dead process and RocksDB's own log are not data."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_dir():
            found[name] = "folder"
        elif damaged_file.category(path, folder) is not None:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def audit(opic, folder):
    code, out, error = call([opic, "audit", "--data", folder, "--json"])
    return code, (json.loads(out) if code == 0 else None), error


def verify(opic, folder):
    code, out, error = call([opic, "verify", "--data", folder, "--json"])
    if code != 0:
        return code, None, error
    report = json.loads(out)
    # Written without a sync: a cut of the log may take them, as a crash may. A cut of the MANIFEST may take a table file
    # whose rows the log still has. The path is the copy's.
    for item in ("robots", "journal_records", "file_bytes", "folder"):
        del report["folders"][0][item]
    return code, report, error


def crawl(opic, folder):
    """The top pages, and what an audit finds afterwards."""
    code, out, error = call([opic, "crawl", "--data", folder, "--pages", "1", "--no-settle", "--quiet",
                            "--top", "20"])
    if code != 0:
        return code, None, error
    return code, (out, audit(opic, folder)[1]), error


QUESTIONS = {"audit": audit, "verify": verify, "crawl": crawl}


def judge(ask, opic, folder, whole, changes):
    """One word for what came of a command; `changes`: it may write when it does not refuse."""
    before = digest(folder)
    code, answer, error = ask(opic, folder)
    unchanged = digest(folder) == before
    if code is None:
        return "HANGS", error
    if code < 0:
        return f"CRASH {-code}", error
    if code == DAMAGED:
        return ("refused" if unchanged else "REFUSED AND CHANGED"), error
    if code != 0:
        return f"CODE {code}", error
    if answer != whole:
        return "OTHER ANSWER", error
    return ("same" if changes or unchanged else "SAME AND CHANGED"), error


def fault(word):
    return word.isupper()


class Trial:
    def __init__(self, opic, folders, whole, where, seed):
        self.opic, self.folders, self.whole, self.where, self.seed = opic, folders, whole, where, seed

    def __call__(self, number):
        rng = random.Random(f"{self.seed}-{number}")
        name = rng.choice(sorted(self.folders))
        folder = self.where / f"damage-{number}"
        shutil.copytree(self.folders[name], folder)
        category, kind, done = damaged_file.damage(folder, rng)
        words, errors = {}, {}
        for question, ask in QUESTIONS.items():
            if self.whole[name].get(question) is None:
                continue
            words[question], errors[question] = judge(ask, self.opic, folder, self.whole[name][question],
                                                      question == "crawl")
        if not any(fault(word) for word in words.values()):
            shutil.rmtree(folder)
        return number, name, category, kind, done, words, errors


def print_table(title, trials, column):
    """Outcomes of each question, by what `column` takes of a trial."""
    print(f"\n{title}")
    counts = collections.defaultdict(collections.Counter)
    for trial in trials:
        for question, word in trial[5].items():
            counts[question, column(trial)][word] += 1
    for (question, row), words in sorted(counts.items()):
        print(f"  {question:<7} {row:<26} " + ", ".join(f"{count} {word}" for word, count in sorted(words.items())))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", type=int, help="this damage alone; its folder is kept when it is a fault")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--programs", default=os.environ.get("OPIC_PROGRAMS", "build/dev"))
    parser.add_argument("--keep", help="where the folders lie; they stay there (of the damaged ones, the faults)")
    flags = parser.parse_args()
    opic = Path(flags.programs) / "opic"
    with tempfile.TemporaryDirectory(prefix="opic-damage-") as temporary:
        where = Path(flags.keep or temporary)
        where.mkdir(parents=True, exist_ok=True)
        folders = {name: where / name for name in ("finished", "killed", "resumed")}
        if not all(folder.exists() for folder in folders.values()):
            folders = data_folders.make(opic, where)
        whole = {}
        for name, folder in folders.items():
            copy = where / f"whole-{name}"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(folder, copy)
            whole[name] = {question: ask(opic, copy)[1] for question, ask in QUESTIONS.items()}
            if whole[name]["crawl"] is None or whole[name]["audit"] is None:
                sys.exit(f"the folder {name} is not whole before any damage")
        numbers = [flags.only] if flags.only is not None else range(flags.count)
        with concurrent.futures.ThreadPoolExecutor(flags.jobs) as pool:
            trials = list(pool.map(Trial(opic, folders, whole, where, flags.seed), numbers))
    faults = [trial for trial in trials if any(fault(word) for word in trial[5].values())]
    for number, name, _, _, done, words, errors in faults:
        print(f"FAULT {number} ({name}) {done}")
        for question, word in words.items():
            said = errors[question].decode(errors="replace").strip().splitlines()
            print(f"    {question:<7} {word}" + (f": {said[0][:200]}" if said else ""))
    print_table("by file", trials, lambda trial: trial[2])
    print_table("by damage", trials, lambda trial: trial[3])
    print_table("all", trials, lambda trial: "")
    print(f"\n{len(trials)} damages, {len(faults)} faults (seed {flags.seed})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
