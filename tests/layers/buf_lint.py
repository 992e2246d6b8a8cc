#!/usr/bin/env python3
"""`buf lint` with proto/buf.yaml. Exits with 77 (skipped) where there is no buf; proto_style.py is always run."""

import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77

if __name__ == "__main__":
    if not shutil.which("buf"):
        print("no buf is installed")
        sys.exit(SKIPPED)
    sys.exit(subprocess.run(["buf", "lint"], cwd=pathlib.Path(__file__).parents[2] / "proto").returncode)
