#!/usr/bin/env python3
"""Every header with a class says which threads may use it.

    tests/layers/thread_rules.py [REPOSITORY]

Prints one line a violation (file:line: what is wrong) and exits with 1 when there is any. It refuses a header of src/
that defines a class and has no comment "Thread safety: ...". A class that is only declared (`class App;`) is
none.
"""

import pathlib
import re
import sys

import violations

CLASS = re.compile(r"^class (\w+)[^;{]*\{", re.MULTILINE)
RULE = re.compile(r"// Thread safety: \S")


def check(repository: pathlib.Path) -> list[str]:
    wrong = []
    for file in sorted((repository / "src").rglob("*.h")):
        name, text = file.relative_to(repository).as_posix(), file.read_text()
        found = CLASS.search(text)
        if found and not RULE.search(text):
            line = text.count("\n", 0, found.start()) + 1
            wrong.append(f"{name}:{line}: no \"Thread safety:\" tells who may use {found[1]}")
    return wrong


if __name__ == "__main__":
    sys.exit(violations.main(check))
