#!/usr/bin/env python3
"""What the documents promise to hold: lines of one width, and the table of RPCs.

    tests/layers/documents.py [REPOSITORY]

Prints one line a violation (file:line: what is wrong) and exits with 1 when there is any. It refuses
  * a line of prose in Markdown of more than 120 characters (tables, code blocks and headings may be longer);
  * an rpc of proto/ that the table of services in docs/operations.md does not name, and a name there that is no rpc.
"""

import pathlib
import re
import sys

import violations

WIDTH = 120
FOLDERS = ("clients", "deploy", "docs", "proto", "services", "src", "tests")
SERVICE = re.compile(r"^service (\w+) \{(.*?)^\}", re.MULTILINE | re.DOTALL)
RPC = re.compile(r"^\s*rpc (\w+)\(", re.MULTILINE)
PACKAGE = re.compile(r"^package ([\w.]+);", re.MULTILINE)
ROW = re.compile(r"^\| `([\w.]+\.v1\.\w+)` \| (.*) \|$")
NAME = re.compile(r"\b[A-Z]\w+\b")
REMARKS = re.compile(r"\([^)]*\)|:.*")  # "Session (of a node)", "Read: a node's own pages"


def long_lines(text: str):
    """The numbers of lines of prose that are too long."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code and len(line) > WIDTH and not line.lstrip().startswith(("|", "#")):
            yield number


def rpcs(repository: pathlib.Path) -> dict[str, set[str]]:
    """By service, with its package: the names of its calls."""
    found = {}
    for file in sorted((repository / "proto").rglob("*.proto")):
        text = file.read_text()
        package = PACKAGE.search(text)
        for name, body in SERVICE.findall(text):
            found[f"{package[1]}.{name}" if package else name] = set(RPC.findall(body))
    return found


def check_table(repository: pathlib.Path) -> list[str]:
    services, wrong, rows = rpcs(repository), [], set()
    document = repository / "docs/operations.md"
    if not document.is_file():
        return []
    for number, line in enumerate(document.read_text().splitlines(), 1):
        row = ROW.match(line)
        if not row:
            continue
        where, service = f"docs/operations.md:{number}", row[1]
        rows.add(service)
        if service not in services:
            wrong.append(f"{where}: {service} is no service of proto/")
            continue
        named = set(NAME.findall(REMARKS.sub("", row[2])))
        wrong += [f"{where}: {service} has no rpc {name}" for name in sorted(named - services[service])]
        wrong += [f"{where}: {service} lacks its rpc {name}" for name in sorted(services[service] - named)]
    return wrong + [f"docs/operations.md: no row of {service}" for service in sorted(services.keys() - rows)]


def check(repository: pathlib.Path) -> list[str]:
    files = list(repository.glob("*.md"))
    for folder in FOLDERS:
        files += (repository / folder).rglob("*.md")
    wrong = [f"{file.relative_to(repository)}:{number}: more than {WIDTH} characters"
             for file in sorted(files) for number in long_lines(file.read_text())]
    return wrong + check_table(repository)


if __name__ == "__main__":
    sys.exit(violations.main(check))
