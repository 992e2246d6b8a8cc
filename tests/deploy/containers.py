"""Services of a compose file as processes: each with a read-only root of its own, its volumes, its variables and its
user, in one network namespace where every service has a loopback address by its name. For machines without a container
engine.
"""
import fcntl
import os
import shlex
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import compose

SKIPPED = 77  # exit code: this machine does not allow it
PATH = "/opt/opic:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SHARED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr")  # of this system, where there is no image
INSIDE = "OPIC_CONTAINERS_INSIDE"


def enter_namespaces():
    """Runs this script again in network, mount and process namespaces of its own: all that it starts ends with it."""
    if os.environ.get(INSIDE):
        bring_loopback_up()
        return
    words = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    words += ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode != 0:
        print("no namespaces may be made here", file=sys.stderr)
        sys.exit(SKIPPED)
    os.environ[INSIDE] = "1"
    os.execvp(words[0], [*words, sys.executable, "-B", *sys.argv])


def bring_loopback_up():
    set_flags, up = 0x8914, 0x1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as some:
        fcntl.ioctl(some, set_flags, struct.pack("16sH14s", b"lo", up, b""))


class Failed(Exception):
    pass


class Containers:
    """`model` as of compose.load; `folder` is for volumes and logs. `image` is a folder with the image's root, or None:
    then this system stands for it, with the programs in the folder `programs`."""

    def __init__(self, model, folder, image=None, programs=None):
        self.model, self.folder, self.image, self.programs = model, Path(folder), image, programs
        self.services = model["services"]
        self.running = {}
        (self.folder / "etc").mkdir(parents=True, exist_ok=True)
        hosts = ["127.0.0.1 localhost"] + [f"127.0.1.{n} {name}" for n, name in enumerate(self.services, 1)]
        (self.folder / "etc/hosts").write_text("\n".join(hosts) + "\n")

    def log(self, name):
        return self.folder / f"{name}.log"

    def start(self, name):
        with open(self.log(name), "ab") as log:
            self.running[name] = subprocess.Popen(self.words_to_start(name), stdout=log, stderr=log,
                                                  stdin=subprocess.DEVNULL, start_new_session=True)

    def wait(self, name, seconds):
        """Its exit code."""
        return self.running[name].wait(timeout=seconds)

    def stop(self, name):
        """As an engine does: SIGTERM, patience. Gives the exit code."""
        self.running[name].terminate()
        return self.wait(name, float(self.services[name].get("stop_grace_period", "10s").rstrip("s")))

    def execute(self, name, words):
        """Runs a command in a running container, to its end."""
        inside = ["nsenter", "--target", str(self.running[name].pid), "--mount", "--root", "--wd", "--"]
        return subprocess.run([*inside, *self.confined(name, words)], capture_output=True, text=True, check=False,
                              timeout=120)

    def await_healthy(self, name, seconds=30):
        deadline = time.monotonic() + seconds
        while True:
            asked = self.execute(name, self.services[name]["healthcheck"]["test"][1:])
            if asked.returncode == 0:
                return
            if self.running[name].poll() is not None or time.monotonic() > deadline:
                raise Failed(f"{name} is not healthy: {asked.stdout}{asked.stderr}\n"
                             f"{self.log(name).read_text()[-2000:]}")
            time.sleep(0.05)

    def up(self):
        """Starts all services, each when those that it depends on are as far as it asks for."""
        for name in compose.in_order(self.services):
            for other, condition in self.services[name].get("depends_on", {}).items():
                if condition["condition"] == "service_healthy":
                    self.await_healthy(other)
                elif self.wait(other, 60) != 0:
                    raise Failed(f"{other} failed: {self.log(other).read_text()}")
            self.start(name)

    def words_to_start(self, name):
        service = self.services[name]
        words = service.get("entrypoint", ["opic-node"]) + service.get("command", [])
        root = self.folder / "roots" / name
        root.mkdir(parents=True, exist_ok=True)
        lines = ["set -eu", *self.mounts(name, root), f"cd {root}",
                 "exec chroot . " + shlex.join(self.confined(name, words))]
        return ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", "\n".join(lines)]

    def mounts(self, name, root):
        """Commands that put the container's root together."""
        service = self.services[name]
        binds = [(self.folder / "etc/hosts", "/etc/hosts"), ("/dev", "/dev")]
        for volume, path in compose.mounts(service):
            (self.folder / "volumes" / volume).mkdir(parents=True, exist_ok=True)
            binds.append((self.folder / "volumes" / volume, path))
        for config in service.get("configs", []):
            binds.append((self.model["configs"][config["source"]]["file"], config["target"]))
        if self.image:
            yield f"mount --bind {self.image} {root}"
        else:
            yield f"mount -t tmpfs tmpfs {root}"
            yield from self.this_system(root)
            binds += [(self.programs, "/opt/opic"), ("/etc/ld.so.cache", "/etc/ld.so.cache")]
        for source, path in binds:
            yield f"mkdir -p {root}{Path(path).parent}"
            yield f"if [ -d {source} ]; then mkdir -p {root}{path}; else [ -e {root}{path} ] || : >{root}{path}; fi"
            yield f"mount --rbind {source} {root}{path}"
        yield f"mkdir -p {root}/proc {root}/tmp && mount -t proc proc {root}/proc"
        for path in service.get("tmpfs", []):
            yield f"mount -t tmpfs tmpfs {root}{path}"
        if service.get("read_only"):
            yield f"mount -o remount,bind,ro {root}"

    @staticmethod
    def this_system(root):
        for folder in SHARED:
            path = Path("/", folder)
            if path.is_symlink():
                yield f"ln -s {os.readlink(path)} {root}/{folder}"
            elif path.exists():
                yield f"mkdir {root}/{folder} && mount --rbind /{folder} {root}/{folder}"

    def confined(self, name, words):
        service = self.services[name]
        user = service.get("user", "10001").partition(":")[0]
        kept = ",".join("+" + capability.lower() for capability in service.get("cap_add", []))
        confine = ["setpriv", "--no-new-privs", "--bounding-set", "-all" + ("," + kept if kept else "")]
        if user != "0":
            confine += ["--reuid", user, "--regid", user, "--clear-groups"]
        variables = [f"{key}={value}" for key, value in service.get("environment", {}).items()]
        # An engine has a name server, which says at once that a name has no IPv6 address; here is only the file.
        return [*confine, "env", "-i", f"PATH={PATH}", "HOME=/tmp", "GRPC_DNS_RESOLVER=native", *variables, *words]
