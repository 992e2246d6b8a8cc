"""How a check of this folder runs by itself: `check` gives one line a violation."""

import pathlib
import sys
from collections.abc import Callable


def main(check: Callable[[pathlib.Path], list[str]]) -> int:
    """Prints the violations in the repository that is the first argument, or else ours; 1 when there is any."""
    given = sys.argv[1:]
    wrong = check(pathlib.Path(given[0]).resolve() if given else pathlib.Path(__file__).resolve().parents[2])
    for line in wrong:
        print(line)
    return 1 if wrong else 0
