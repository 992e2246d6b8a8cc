"""What a process used, from its start to its end."""

import os
import subprocess
import time


def run(command: list[str], folder: str, environment: dict[str, str] | None = None) -> dict[str, float]:
    """Seconds, switches and MB of one process; its own exit code says nothing (wget2: a dead link is an error)."""
    load = os.getloadavg()[0]
    begun = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begun
    process.returncode = 0  # it was waited for
    return {"user": usage.ru_utime, "system": usage.ru_stime, "wall": wall, "mb": usage.ru_maxrss / 1000,
            "switches": usage.ru_nvcsw + usage.ru_nivcsw, "load": load}


def without_settings() -> dict[str, str]:
    """The environment without opic's settings, which are not to be measured."""
    return {name: value for name, value in os.environ.items() if not name.startswith("OPIC_")}
