#!/usr/bin/env python3
"""Every patch of tests/mutants applies to the tree as it is, to the line.

    tests/mutants/apply.py [REPOSITORY]

The mutants themselves take long (tests/mutants/run); one that does not apply any more tests nothing.
"""

import pathlib
import subprocess
import sys


def complaint(repository: pathlib.Path, patch: pathlib.Path) -> str | None:
    """Why the patch cannot be applied; None when it can."""
    command = ["patch", "--dry-run", "--batch", "--silent", "--forward", "-p1", "-F0", "-d", str(repository)]
    with patch.open("rb") as text:
        done = subprocess.run(command, stdin=text, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"{patch.name}: make it anew: {done.stdout.strip()}"


def main() -> int:
    repository = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    if len(sys.argv) < 2:
        repository = repository.parents[2]
    patches = sorted((repository / "tests/mutants").glob("*.patch"))
    wrong = [why for patch in patches if (why := complaint(repository, patch))]
    if not patches:
        wrong.append("tests/mutants has no patches")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
