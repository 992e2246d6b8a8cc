"""The crawlers of `opic bench`, and the web that they crawl. Each gives what its process used, and how many pages."""

import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable

from processes import run, without_settings

HERE = pathlib.Path(__file__).resolve().parent
OTHERS = ("wget2", "wget", "httrack", "scrapy")


class Web:
    """A sample web on a free port, while this is open."""

    def __init__(self, opic: str, pages: int, hosts: int):
        self.server = subprocess.Popen(
            [opic, "sample-web", "--sample-pages", str(pages), "--sample-hosts", str(hosts)],
            stdout=subprocess.PIPE, text=True, env=without_settings())
        said = [self.server.stdout.readline() for _ in range(2)]
        found = re.match(r"seed (\S+)\s+connect-to ::(\S+)", "".join(said))
        if not found:
            self.server.terminate()
            raise SystemExit(f"published: {opic} sample-web said {said}")
        self.seed, self.address = found.groups()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()
        self.server.stdout.close()


Crawl = Callable[[Web], dict[str, float]]


def with_opic(opic: str, web: Web) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        summary = pathlib.Path(folder) / "summary"
        used = run(["sh", "-c", 'exec "$@" > "$0" 2>&1', str(summary), opic, "crawl", web.seed, "--connect-to",
                    "::" + web.address, "--allow-private", "--scope", "domain", "--delay", "0", "--per-address", "1000",
                    "--data", f"{folder}/data"], folder, without_settings())
        text = summary.read_text(encoding="utf-8")
        with open(f"{folder}/data/fetches.jsonl", encoding="utf-8") as log:
            used["pages"] = sum('"outcome":"fetched"' in line for line in log)
    stages = re.search(r"^CPU .*a page: (.*)$", text, re.MULTILINE)
    for stage in (stages[1].split(", ") if stages else []):
        name, value = stage.split()
        used[name] = float(value)
    return used


def files_below(folder: str) -> int:
    return sum(file.is_file() and file.name != "robots.txt" for file in pathlib.Path(folder).rglob("*"))


def with_wget(command: list[str], web: Web, memory: str) -> dict[str, float]:
    """wget and wget2, which take the same flags."""
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        used = run(["env", f"http_proxy=http://{web.address}", *command, "-q", "-r", "-l", "inf", "--tries=2", "-H",
                    "--domains=sample.test", web.seed], folder)
        used["pages"] = files_below(folder)
    return used


def with_httrack(web: Web, memory: str) -> dict[str, float]:
    """Without its limits on speed, its cache, its index and its log."""
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        used = run(["httrack", web.seed, "-O", folder, "-q", "-P", web.address, "+*.sample.test/*", "--max-rate=0",
                    "--disable-security-limits", "--connection-per-second=0", "--sockets=16", "--cache=0", "--index=0",
                    "--do-not-log"], folder)
        used["pages"] = sum(files_below(str(host)) for host in pathlib.Path(folder).glob("*.sample.test"))
    return used


def with_scrapy(web: Web) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        told = pathlib.Path(folder) / "pages"
        used = run(["env", f"http_proxy=http://{web.address}", "scrapy", "runspider", str(HERE / "scrapy_spider.py"),
                    "-a", f"seed={web.seed}", "-a", f"told={told}"], folder)
        used["pages"] = int(told.read_text(encoding="utf-8")) if told.exists() else 0
    return used


def crawlers(opic: str, memory: str) -> dict[str, Crawl]:
    """opic, and the others that are installed."""
    all_others: dict[str, Crawl] = {
        "wget2": lambda web: with_wget(["wget2", "--max-threads=1"], web, memory),
        "wget": lambda web: with_wget(["wget"], web, memory),
        "httrack": lambda web: with_httrack(web, memory),
        "scrapy": with_scrapy,
    }
    return {"opic": lambda web: with_opic(opic, web),
            **{name: all_others[name] for name in OTHERS if shutil.which(name)}}
