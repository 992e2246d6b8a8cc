#!/usr/bin/env python3
"""Tests run side by side, also with those of another build: none uses what another one may use, too.

    tests/layers/isolation.py [REPOSITORY]

Prints one line a violation (file:line: what is wrong) and exits with 1 when there is any. It refuses, in tests/,
  * a name below the temporary folder that is the same for every test: `testing::TempDir() + "/seeds"`, "/tmp/seeds",
    a variable that holds the folder with "/seeds" added. What makes it a test's own is the test's name (`name()`,
    tests/support/own_path.h), the process (`getpid()`, `$$`) or mkdtemp ("XXXXXX") in the same statement;
  * an address that a test listens at with a port that is not 0: "--listen", "127.0.0.1:7070";
  * an opic-node or opic-scheduler that is started without --listen (or, a node, --cluster): it takes its default port.
The temporary folder itself may be given to what makes files without a name in it. Comments are not read.
"""

import pathlib
import re
import sys

import violations

SKIPPED = ("tests/fuzz/corpus/", "tests/layers/isolation", "tests/links/pages/", "tests/mutants/",
           "tests/support/own_path.h")
CODE = {".cc", ".h", ".inc"}
SCRIPTS = {".py", ".sh", ""}

OWN = re.compile(r"\bgetpid\(\)|\bOwnPath\(|\bname\(\)|XXXXXX|\$\$|\bmktemp\b|\bmkdtemp\b")
FIXED = re.compile(r"(?:\bTempDir\(\)|\btemp_directory_path\(\)(?:\.string\(\))?) *[+/]"
                   r"|\bStrCat\([^;\"]*\bTempDir\(\),|\bgettempdir\(\) *[+/,]"
                   r"|(?<![\w}).])/(?:tmp|var/tmp|dev/shm)/[\w.]")
# In a variable, or what a function returns.
HELD = re.compile(r"\b(\w+(?:\(\))?)(?: = | \{\s*return )[^;]*\b(?:TempDir|temp_directory_path|gettempdir)\(\)(?:;|$)",
                  re.MULTILINE)

LISTEN = re.compile(r"(?:\"--(?:listen[\w-]*|http|port)\"\s*,|\blisten\w* =|\bServer::Start\()\s*"
                    r"\"(?:(?:127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1?\]):)?0*[1-9]\d*\"")
PROGRAM = re.compile(r"(?:\bProgram\(\"opic-(?:node|scheduler)\"\)|\bRunProgram\(\"opic-(?:node|scheduler)\""
                     r"|(?:/ |\(\w+, )\"opic-(?:node|scheduler)\")\s*(?=,)")
PLACED = re.compile(r"\"--(?:listen|cluster|check-config|help|version)\"")


def without_comments(text: str, code: bool) -> str:
    """Comments become spaces: positions and line numbers stay."""
    comment = r"//[^\n]*|/\*.*?\*/" if code else r"(?<!\S)#[^\n]*|\"\"\".*?\"\"\""
    return re.sub(comment + r"|(\"(?:\\.|[^\"\\\n])*\")",
                  lambda found: found[0] if found[1] else re.sub(r"[^\n]", " ", found[0]), text, flags=re.DOTALL)


def statement(text: str, at: int, end: str) -> str:
    """What is around `at`, between two `end`s."""
    after = text.find(end, at)
    return text[text.rfind(end, 0, at) + 1:after if after >= 0 else len(text)]


def enclosed(text: str, at: int) -> str:
    """From `at` to the bracket that closes around it."""
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if depth < 0:
            return text[at:index]
    return text[at:]


def complaints(text: str, code: bool):
    """(position, what is wrong)."""
    text = without_comments(text, code)
    end = ";" if code else "\n"
    places = [match.start() for match in FIXED.finditer(text)]
    for held in HELD.finditer(text):
        named = re.escape(held[1])
        places += [match.start() for match in re.finditer(rf"\b{named} *[+/] *\"|\({named}, *\"/", text)]
    for at in sorted(set(places)):
        if not OWN.search(statement(text, at, end)):
            yield at, "a path below the temporary folder that other tests name, too (tests/support/own_path.h)"
    for match in LISTEN.finditer(text):
        yield match.start(), "a port of its own is port 0"
    for match in PROGRAM.finditer(text):
        if not PLACED.search(enclosed(text, match.end())):
            yield match.start(), "without --listen 127.0.0.1:0 this program takes its default port"


def check(repository: pathlib.Path) -> list[str]:
    wrong = []
    for file in sorted((repository / "tests").rglob("*")):
        name = file.relative_to(repository).as_posix()
        if not file.is_file() or file.suffix not in CODE | SCRIPTS or name.startswith(SKIPPED) or "__pycache__" in name:
            continue
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            continue
        wrong += [f"{name}:{text.count(chr(10), 0, at) + 1}: {why}" for at, why in complaints(text, file.suffix in CODE)]
    return wrong


if __name__ == "__main__":
    sys.exit(violations.main(check))
