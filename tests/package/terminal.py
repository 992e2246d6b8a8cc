"""A shell on a terminal, typed at as by a user."""
import os
import pty
import select
import signal
import subprocess
import time

PATIENCE = 60.0  # seconds


class Shell:
    """`words` starts it; it must print `prompt` before every line that it reads."""

    def __init__(self, words, environment, folder, prompt):
        self.prompt = prompt
        self.terminal, slave = pty.openpty()
        self.process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, env=environment, cwd=folder,
                                        start_new_session=True)
        os.close(slave)
        self.read()

    def read(self):
        """What comes until the next prompt."""
        said, end = "", time.monotonic() + PATIENCE
        while self.prompt not in said:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"no prompt: {said!r}")
            said += os.read(self.terminal, 65536).decode(errors="replace")
        return said

    def type(self, keys):
        """What it says to a line, its echo included. Tabs are keys."""
        os.write(self.terminal, keys.encode() + b"\r")
        return self.read()

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.terminal)
