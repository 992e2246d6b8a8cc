"""The parts of opic that `opic bench` measures by themselves, by the *_bench programs, and what it takes of each."""

import os
import pathlib
import re
import subprocess
import typing


class Part(typing.NamedTuple):
    program: str
    usual: list[str]
    short: list[str]
    figures: dict[str, str]  # what it is, with its unit: the pattern of its line


def by_benchmark(name: str, figure: str) -> str:
    """Of Google Benchmark's CSV: CPU time a page in microseconds, or bytes a second."""
    return rf'^"{name}",' + {"us": r"[^,]*,[^,]*,([\d.e+]+),us,", "bytes": r"(?:[^,]*,){4}([\d.e+]+),"}[figure]


BENCHMARKS = ["--benchmark_format=csv", "--benchmark_filter=^BM_(LinksAndPages|LinksPagesAndSketch|ReaderText)$"]
PARTS = {
    "page table": Part("page_table_bench", [], ["--pages=1000000", "--shards=64", "--threads=1"], {
        "credits, million/s": r"^credits in batches +([\d.]+) M/s",
        "pages added, million/s": r"^adds +([\d.]+) M/s",
        "sweep, million pages/s": r"^sweep +([\d.]+) M pages/s",
        "checkpoint, s a million pages": r"^checkpoint +([\d.]+) s a million",
        "reload, s a million pages": r"^reload +([\d.]+) s a million",
        "memory, bytes a page": r"^ +\d+ pages: RSS ([\d.]+)",
    }),
    "ledger": Part("ledger_bench", [], ["--pages=10000", "--visits=10000"], {
        "settled visits/s": r"^visits settled +([\d.]+) /s",
        "CPU us a settled visit": r"^visits settled .* ([\d.]+) of the processor",
        "slowest group, ms": r"^  slowest group +([\d.]+) ms",
        "bytes written a settled visit": r"^visits settled(?:.*\n)+?  written a visit +([\d.]+) bytes",
    }),
    "channel": Part("channel_bench", ["--tls"], ["--pages=2000", "--seconds=1", "--tls"], {
        "credits/s, million": r"^settling:(?:.*\n)+?  credits, durable at both ends +([\d.]+) M/s",
        "CPU us a credit": r"^settling:(?:.*\n)+?  processor +([\d.]+) s per million",
        "bytes a credit on the wire": r"^settling:(?:.*\n)+?  on the wire +([\d.]+) bytes",
    }),
    "parser": Part("links_bench", BENCHMARKS, [*BENCHMARKS, "--benchmark_min_time=0.01"], {
        "links, CPU us a page": by_benchmark("BM_LinksAndPages", "us"),
        "links, MB/s": by_benchmark("BM_LinksAndPages", "bytes"),
        "text that a reader sees, MB/s": by_benchmark("BM_ReaderText", "bytes"),
        "links, text and sketch, CPU us a page": by_benchmark("BM_LinksPagesAndSketch", "us"),
    }),
}


def figures_of(part: Part, text: str) -> dict[str, float]:
    """The last of each kind; a program that no longer tells one of them is a fault, and not a gap in the table."""
    found: dict[str, float] = {}
    for figure, pattern in part.figures.items():
        lines = re.findall(pattern, text, re.MULTILINE)
        if not lines:
            raise SystemExit(f"published: {part.program} did not tell \"{figure}\":\n{text}")
        found[figure] = float(lines[-1]) / (1e6 if figure.endswith(" MB/s") else 1)  # told in bytes
    return found


def measure(part: Part, folder: str, short: bool, pages: str | None) -> dict[str, float]:
    """`pages`: the folder of HTML that the parser reads; nothing: it makes its own."""
    environment = {**os.environ, **({"OPIC_BENCH_PAGES": pages} if pages else {})}
    said = subprocess.run([os.path.join(folder, part.program), *(part.short if short else part.usual)],
                          env=environment, capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise SystemExit(f"published: {part.program} ended with {said.returncode}: {said.stderr.strip()}")
    return figures_of(part, said.stdout)


def absent(part: Part, folder: str) -> str:
    """Why it is left out; empty: it is there."""
    if (pathlib.Path(folder) / part.program).exists():
        return ""
    return f"{part.program} is not in {folder} (it is built from the sources: target all_bench)"
