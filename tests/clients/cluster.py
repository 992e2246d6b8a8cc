"""A cluster of three opic-node processes on loopback, with certificates, that crawls the sample web. OPIC_PROGRAMS is
the build folder."""
import os
import random
import re
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import built

import opic

BUILD = Path(os.environ.get("OPIC_PROGRAMS", built.ROOT / "build/release"))
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("OPIC_")}
NODES = ("n0", "n1", "n2")
PAGES, HOSTS = 600, 20
PATIENCE = 120
READER, OPERATOR = "reader-of-the-tests", "operator-of-the-tests"  # tokens


def free_ports(count):
    """The cluster's file has to name ports before anybody listens. They are below those that the system gives to
    connections, so that none is taken while its node is restarted."""
    found = set()
    while len(found) < count:
        port = random.randrange(10_000, 30_000)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.add(port)
    return sorted(found)


def eventually(true):
    deadline = time.monotonic() + PATIENCE
    while not (found := true()):
        if time.monotonic() > deadline:
            raise AssertionError("it has not come to pass")
        time.sleep(0.05)
    return found


class Process:
    def __init__(self, log, *words):
        self.log = log
        with open(log, "w") as out:
            self.process = subprocess.Popen([BUILD / words[0], *words[1:]], cwd=log.parent, env=ENVIRONMENT,
                                            stdout=out, stderr=out)

    def told(self, pattern):
        """What it says, when it says it."""
        def look():
            found = re.search(pattern, self.log.read_text(), re.M)
            if not found and self.process.poll() is not None:
                raise AssertionError(f"it has ended: {self.log.read_text()}")
            return found
        return eventually(look)[1]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Cluster:
    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.file = self.folder / "cluster.json"
        addresses = [f"127.0.0.1:{port}" for port in free_ports(len(NODES))]
        named = [word for node, address in zip(NODES, addresses) for word in ("--name", node, "--address", address)]
        self.opic("cluster", "init", "--nodes", len(NODES), *named, "--out", self.file)
        self.opic("cluster", "certs", "--cluster", self.file, "--out", self.folder / "certs", "--also", "reader")
        (self.folder / "tokens").write_text(f"reader {READER}\noperator {OPERATOR}\n")
        self.processes = {}
        self.web = Process(self.folder / "web.log", "opic", "sample-web", "--sample-pages", str(PAGES),
                           "--sample-hosts", str(HOSTS))
        self.seed = self.web.told(r"^seed (\S+)")
        self.connect_to = self.web.told(r"^connect-to (\S+)")

    def opic(self, *words):
        said = subprocess.run([BUILD / "opic", *map(str, words)], cwd=self.folder, env=ENVIRONMENT, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        if said.returncode != 0:
            raise AssertionError(f"opic {words}: {said.returncode}: {said.stderr}")
        return said.stdout

    def tls(self, name="operator"):
        return opic.Tls.from_folder(self.folder / "certs", name)

    def start(self, *names, more=()):
        for name in names or NODES:
            tls = self.tls(name)
            self.processes[name] = Process(
                self.folder / f"{name}.log", "opic-node", "--cluster", str(self.file), "--node", name, "--data",
                str(self.folder / name), "--connect-to", self.connect_to, "--delay", "10ms", "--allow-private",
                "--tls-ca", str(tls.ca), "--tls-cert", str(tls.certificate), "--tls-key", str(tls.key), "--token-file",
                str(self.folder / "tokens"), "--listen-control", "with-peers", *more)
        for name in names or NODES:
            self.processes[name].told(r"(answering on )")

    def client(self, who="operator", **more):
        return opic.Client.from_cluster_file(self.file, tls=self.tls(who), **{"retry": 5.0, **more})

    def crawl(self, client):
        """From the seed to the end."""
        client.control.begin_crawl([self.seed], scope="any")
        eventually(lambda: opic.word(client.status().total.crawl, "phase") == "finished")

    def close(self):
        for process in self.processes.values():
            process.kill()
        self.web.kill()
        self.temporary.cleanup()
