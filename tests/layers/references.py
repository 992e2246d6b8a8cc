#!/usr/bin/env python3
"""What the repository cites is in the repository: documents, their sections, rules, files.

    tests/layers/references.py [REPOSITORY]

Prints one line a violation (file:line: what is wrong) and exits with 1 when there is any. It refuses
  * a citation of a document that does not exist ("docs/design.md", a Markdown link);
  * a citation of a numbered section that the document does not have ("docs/design.md section 5",
    "[design](design.md), sections 5 and 9");
  * "section 5" of a document that is named in capitals ("NOTES section 5"): such names say
    nothing about where the document is, and were once documents outside of the repository;
  * a rule (R1, R2 ...) that docs/design.md does not define;
  * `src/...`, `tests/...` and the like in Markdown, and "cluster/exchange.h" in a comment, when
    there is no such file;
  * "exchange.h" in a comment when there is no such file beside it.
Publications are cited by name ("paper section 3.3", "RFC 9309", "thesis 2.3.2") and not checked.
"""

import pathlib
import re
import sys

import violations

SOURCES = {".h", ".cc", ".py", ".proto", ".cmake", ".txt", ".sh", ".yml", ".yaml", ".conf", ".patch", ""}
FOLDERS = (".ci", "clients", "cmake", "deploy", "docs", "proto", "services", "src", "tests")
SKIPPED = ("tests/fuzz/corpus/", "tests/layers/references", "tests/layers/layers")

NUMBERS = r"(\d+(?:(?:, | and | to )\d+)*)"
CITATION = re.compile(r"\b(docs/[\w/.-]+?\.md)\b(?:,? (?:section|sections) " + NUMBERS + ")?")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)(?:,? (?:section|sections) " + NUMBERS + ")?")
NAMED_IN_CAPITALS = re.compile(r"\b(?!RFC|WHATWG|HTML|IANA|ISO)[A-Z][A-Z_]{3,}(?:\.md)? (?:section|sections) \d")
RULES = re.compile(r"\brules? (R\d)(?:[-, ]+(?:and |to )?(R\d))*|\((R\d)(?:, (R\d))*\)")
HEADING = re.compile(r"^#+ (\d+)\. ", re.MULTILINE)
DEFINED_RULE = re.compile(r"^\* \*\*(R\d)\*\*", re.MULTILINE)
PATH = re.compile(r"`((?:\.ci|clients|cmake|deploy|proto|services|src|tests)/[\w./@-]*\w)`")
HEADER = re.compile(r"(?<![\w/<\".-])((?:[a-z_0-9]+/)+[a-z_0-9]+\.(?:h|cc))\b")
HEADER_BESIDE = re.compile(r"(?<![\w/<\".-])([a-z_0-9]+\.h)\b")


def files_of(repository: pathlib.Path) -> list[pathlib.Path]:
    found = [file for file in repository.glob("*") if file.is_file()]
    for folder in FOLDERS:
        found += [file for file in (repository / folder).rglob("*") if file.is_file()]
    names = [(file, file.relative_to(repository).as_posix()) for file in found]
    return sorted(file for file, name in names
                  if file.suffix in SOURCES | {".md"} and "__pycache__" not in name
                  and not name.startswith(SKIPPED))


def joined(text: str) -> str:
    """Comment lines and paragraphs in one: what is wrapped is found, and positions stay."""
    return re.sub(r"\n([ \t]*(?://+|#|\*)?[ \t]*)", lambda gap: " " * len(gap[0]), text)


def squeezed(text: str) -> tuple[str, list[int]]:
    """`text` with single spaces, and the position in it of each character that is left."""
    kept = [at for at, character in enumerate(text) if character != " " or text[at - 1:at] != " "]
    return "".join(text[at] for at in kept), kept


class Checker:
    def __init__(self, repository: pathlib.Path):
        self.repository = repository
        self.wrong: list[str] = []
        self.sections: dict[pathlib.Path, set[str]] = {}
        design = repository / "docs/design.md"
        self.rules = set(DEFINED_RULE.findall(design.read_text())) if design.is_file() else set()

    def sections_of(self, document: pathlib.Path) -> set[str]:
        if document not in self.sections:
            self.sections[document] = set(HEADING.findall(document.read_text()))
        return self.sections[document]

    def document(self, document: pathlib.Path, cited: str, numbers: str | None) -> list[str]:
        if not document.exists():
            return [f"{cited} does not exist"]
        wanted = re.findall(r"\d+", numbers or "")
        return [f"{cited} has no section {number}" for number in wanted
                if number not in self.sections_of(document)]

    def is_file(self, path: str) -> bool:
        return any((self.repository / root / path).exists() for root in ("", "src", "tests", "build"))

    def complaints(self, file: pathlib.Path, text: str):
        """(position, what is wrong) of one file's text, lines joined."""
        markdown = file.suffix == ".md"
        for match in CITATION.finditer(text):
            for why in self.document(self.repository / match[1], match[1], match[2]):
                yield match.start(), why
        for match in NAMED_IN_CAPITALS.finditer(text):
            yield match.start(), f'"{match[0]}" names no document of the repository'
        for match in RULES.finditer(text):
            for rule in re.findall(r"R\d", match[0]):
                if rule not in self.rules:
                    yield match.start(), f"rule {rule} is not defined in docs/design.md"
        if markdown:
            for match in LINK.finditer(text):
                if "://" not in match[1] and not match[1].startswith("mailto:"):
                    for why in self.document(file.parent / match[1], match[1], match[2]):
                        yield match.start(), why
            for match in PATH.finditer(text):
                if not self.is_file(match[1]) and not match[1].startswith("build/"):
                    yield match.start(), f"{match[1]} does not exist"

    def check_headers(self, file: pathlib.Path, lines: list[str]):
        """Headers of ours that comments name: "cluster/exchange.h", and "exchange.h" beside them."""
        for number, line in enumerate(lines, 1):
            comment = line.partition("//")[2]
            for path in HEADER.findall(comment):
                if (self.repository / "src" / path.split("/")[0]).is_dir() and not self.is_file(path):
                    self.wrong.append(f"{file.relative_to(self.repository)}:{number}: {path} does not exist")
            for name in HEADER_BESIDE.findall(comment):
                if not (file.parent / name).exists():
                    self.wrong.append(f"{file.relative_to(self.repository)}:{number}: {name} is not in its folder")

    def check(self, file: pathlib.Path):
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            return
        flat, positions = squeezed(joined(text))
        for at, why in self.complaints(file, flat):
            number = text.count("\n", 0, positions[at]) + 1
            self.wrong.append(f"{file.relative_to(self.repository)}:{number}: {why}")
        if file.suffix in {".h", ".cc"}:
            self.check_headers(file, text.splitlines())


def check(repository: pathlib.Path) -> list[str]:
    checker = Checker(repository)
    for file in files_of(repository):
        checker.check(file)
    return checker.wrong


if __name__ == "__main__":
    sys.exit(violations.main(check))
