"""Generates the message classes from proto/ while the package is built. All else is in pyproject.toml."""

import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

PROTO = Path(__file__).resolve().parents[2] / "proto"


class BuildWithMessages(build_py):
    def run(self) -> None:
        super().run()
        files = sorted(PROTO.glob("opic/v1/*.proto"))
        if not files:
            raise FileNotFoundError(f"no .proto files in {PROTO}: build the package in a checkout of opic")
        out = self.build_lib
        subprocess.run(["protoc", f"-I{PROTO}", f"--python_out={out}", f"--pyi_out={out}", *files], check=True)


setup(cmdclass={"build_py": BuildWithMessages})
