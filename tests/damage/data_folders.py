"""Data folders of small crawls, made by the programs: finished, killed early, killed after a clean stop."""
import signal
import subprocess
import time
from pathlib import Path


class SampleWeb:
    """`opic sample-web`, for as long as the context lasts."""

    def __init__(self, opic, pages, hosts):
        self.words = [opic, "sample-web", "--sample-pages", str(pages), "--sample-hosts", str(hosts)]

    def __enter__(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, text=True)
        self.seed = self.process.stdout.readline().split()[1]
        self.connect_to = self.process.stdout.readline().split()[1]
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def crawl(self, opic, folder, *more):
        return [opic, "crawl", self.seed, "--data", str(folder), "--scope", "any", "--delay", "5ms", "--allow-private",
                "--per-address", "256", "--connect-to", self.connect_to, "--quiet", *more]


def run(words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run_and_kill(words, folder, fetches):
    """Kills the crawl with -9 when its log has so many lines more."""
    log = Path(folder) / "fetches.jsonl"
    lines = lambda: log.read_bytes().count(b"\n") if log.exists() else 0
    enough = lines() + fetches
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while lines() < enough and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    if process.wait() != -signal.SIGKILL:
        raise RuntimeError("the crawl ended before it could be killed")


def make(opic, where):
    """The folders, by name."""
    folders = {name: Path(where) / name for name in ("finished", "killed", "resumed")}
    with SampleWeb(opic, pages=1200, hosts=12) as web:
        run(web.crawl(opic, folders["finished"]))
        run_and_kill(web.crawl(opic, folders["killed"]), folders["killed"], 250)
        run(web.crawl(opic, folders["resumed"], "--pages", "200"))
        run(web.crawl(opic, folders["resumed"], "--pages", "400"))
        run_and_kill(web.crawl(opic, folders["resumed"]), folders["resumed"], 250)
    return folders
