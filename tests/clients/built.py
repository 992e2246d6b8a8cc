"""The Python package, built as a wheel from this tree and unpacked into a folder of its own: `import built` first, then
`import opic` takes it. Ends the test with 77 (skipped) when what it needs is not installed."""
import atexit
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77


def lacking():
    """What is not there of what the package, and building it, need."""
    for module in ("grpc", "google.protobuf", "setuptools", "wheel"):
        try:
            found = importlib.util.find_spec(module)
        except ModuleNotFoundError:  # of google
            found = None
        if found is None:
            yield f"the module {module}"
    if not shutil.which("protoc"):
        yield "protoc"


def make(folder):
    """The wheel's path."""
    said = subprocess.run([ROOT / "clients/python/make-wheel", folder], env={**os.environ, "PYTHON": sys.executable},
                          capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise AssertionError(said.stderr)
    return Path(said.stdout.strip())


def unpack():
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    wheel = make(Path(folder, "made"))
    installed = Path(folder, "installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    return wheel, installed


if missing := ", ".join(lacking()):
    print(f"skipped: {missing} is not there (deploy/install-packages test)")
    sys.exit(SKIPPED)
WHEEL, INSTALLED = unpack()
sys.path.insert(0, str(INSTALLED))
