#!/usr/bin/env python3
"""How the contracts in proto/ are written: what `buf lint` asks for (STANDARD and COMMENTS), and more.

buf itself is no package of Debian: where it is installed, buf_lint.py runs it, with proto/buf.yaml. This check also
counts a comment at the end of a line, which buf does not.

    tests/layers/proto_style.py [REPOSITORY]

Prints one line a violation (file:line: what is wrong) and exits with 1 when there is any. It refuses
  * a file without `syntax = "proto3"`, whose name is not lower_snake_case, or whose package is not its folder with a
    version at the end: opic.v1 in opic/v1;
  * a number where google.protobuf.Timestamp or Duration says more: a signed integer named due, since, until ..., or one
    that ends in its unit or in _at; but for deprecated fields, and for what only nodes say to each other;
  * names: services, calls, messages and enums are PascalCase, fields and oneofs lower_snake_case, values of enums
    UPPER_SNAKE_CASE after the enum's name, and the one of 0 is ENUM_NAME_UNSPECIFIED;
  * a call whose messages are not <Call>Request and <Call>Response, or <Service><Call>Request and ...Response, and a
    message that two calls share: what is added to it for one would be there for the other;
  * a service, a call, an enum, or a message without a comment, and a field or a value without one. A comment stands
    above, at the same depth, or at the end of the line. The comment of a call is that of its request and its response.
Contracts of others (proto/grpc, proto/google) are theirs. What cannot be changed any more is named below.
"""

import pathlib
import re
import sys

import violations

# Both ends say the same messages.
SAID_BY_BOTH = {"Peers.Channel"}
# What only nodes say to each other, in the form on the wire of what a header says: fields have their meaning there, and
# the file names it.
BETWEEN_NODES = {"lease.proto", "peer.proto", "session.proto"}

PASCAL = re.compile(r"[A-Z][A-Za-z0-9]*")
LOWER_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
UPPER_SNAKE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
OPENS = re.compile(r"(service|message|enum|oneof) (\w+) \{")
RPC = re.compile(r"rpc (\w+)\((?:stream )?(\w+)\) returns \((?:stream )?(\w+)\)"
                 r"(?:;| \{ option idempotency_level = NO_SIDE_EFFECTS; \})")
FIELD = re.compile(r"((?:repeated |optional )?[\w.]+|map<\w+, ?[\w.]+>) (\w+) = \d+(?: \[(.*)\])?;(?: \})?")
INTEGER = re.compile(r"(optional |repeated )?(u?int|s?fixed|sint)(32|64)")
SIGNED = re.compile(r"(optional |repeated )?(int|sfixed|sint)(32|64)")
UNIT = re.compile(r"\w+_(at|ns|us|ms|s|secs|seconds|millis|micros)")
TIME = re.compile(r"(\w+_)?(due|since|until|delay|period|uptime|time)")
VALUE = re.compile(r"(\w+) = (\d+);(?: \})?")
IGNORED = ("//", "syntax ", "package ", "import ", "option ", "reserved ", "}")


def upper_snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()


class File:
    """One contract. `wrong` has a line of text for each violation."""

    def __init__(self, path: pathlib.Path, folder: pathlib.PurePath, calls: dict[str, str]):
        """`calls`: of all files, by the name of a message, the call that has it; those of this file are added."""
        self.path, self.folder, self.calls, self.wrong = path, folder, calls, []
        self.lines = path.read_text().splitlines()
        self.told = {name for line in self.lines for name in RPC.findall(line) for name in name[1:]}

    def refuse(self, number: int, why: str):
        self.wrong.append(f"{(pathlib.Path('proto') / self.folder / self.path.name).as_posix()}:{number}: {why}")

    def is_commented(self, at: int) -> bool:
        line = self.lines[at]
        if "//" in line:
            return True
        depth = len(line) - len(line.lstrip())
        above = self.lines[at - 1] if at > 0 else ""
        return above.lstrip().startswith("//") and len(above) - len(above.lstrip()) == depth

    def name(self, number: int, kind: str, name: str, style: re.Pattern, words: str):
        if not style.fullmatch(name):
            self.refuse(number, f"{kind} {name} is not {words}")

    def check_file(self):
        self.name(1, "the file", self.path.stem, LOWER_SNAKE, "lower_snake_case")
        text = "\n".join(self.lines)
        if 'syntax = "proto3";' not in text:
            self.refuse(1, 'there is no syntax = "proto3";')
        package = re.search(r"^package ([\w.]+);", text, re.MULTILINE)
        if not package:
            self.refuse(1, "there is no package")
        elif package[1] != ".".join(self.folder.parts) or not re.search(r"\.v\d+$", package[1]):
            self.refuse(1, f"package {package[1]} is not that of its folder, with a version at the end")

    def check_rpc(self, at: int, service: str, name: str, messages: tuple[str, str]):
        self.name(at + 1, "rpc", name, PASCAL, "PascalCase")
        if not self.is_commented(at):
            self.refuse(at + 1, f"rpc {name} has no comment")
        call = f"{service}.{name}"
        if call in SAID_BY_BOTH or not PASCAL.fullmatch(name):
            return
        for message, role in zip(messages, ("Request", "Response")):
            if message not in (name + role, service + name + role):
                self.refuse(at + 1, f"{message} of rpc {name} is neither {name}{role} nor {service}{name}{role}")
            if message in self.calls:
                self.refuse(at + 1, f"{message} is a message of {self.calls[message]}, too")
            self.calls.setdefault(message, call)

    def check_block(self, at: int, kind: str, name: str):
        snake = kind == "oneof"
        self.name(at + 1, kind, name, *((LOWER_SNAKE, "lower_snake_case") if snake else (PASCAL, "PascalCase")))
        said = kind == "oneof" or name in self.told or self.is_commented(at)
        if not said:
            self.refuse(at + 1, f"{kind} {name} has no comment")

    def check_value(self, at: int, enum: str, name: str, number: str):
        self.name(at + 1, "the value", name, UPPER_SNAKE, "UPPER_SNAKE_CASE")
        prefix = upper_snake(enum) + "_"
        if not name.startswith(prefix):
            self.refuse(at + 1, f"the value {name} of {enum} does not begin with {prefix}")
        if number == "0" and name != prefix + "UNSPECIFIED":
            self.refuse(at + 1, f"the value 0 of {enum} is not {prefix}UNSPECIFIED")
        self.check_comment(at, name)

    def check_comment(self, at: int, name: str):
        if self.path.name not in BETWEEN_NODES and not self.is_commented(at):
            self.refuse(at + 1, f"{name} has no comment")

    def check_field(self, at: int, kind: str, name: str, options: str):
        self.name(at + 1, "the field", name, LOWER_SNAKE, "lower_snake_case")
        self.check_comment(at, name)
        is_time = INTEGER.fullmatch(kind) and UNIT.fullmatch(name) or SIGNED.fullmatch(kind) and TIME.fullmatch(name)
        if is_time and "deprecated = true" not in options and self.path.name not in BETWEEN_NODES:
            self.refuse(at + 1, f"{name} is a number: use google.protobuf.Timestamp or Duration")

    def check(self) -> list[str]:
        self.check_file()
        blocks: list[tuple[str, str]] = []  # kind and name of those that are open, the innermost last
        for at, line in enumerate(self.lines):
            code = line.partition("//")[0].strip()
            opens = OPENS.match(code)
            if opens:
                self.check_block(at, opens[1], opens[2])
                blocks.append((opens[1], opens[2]))
                code = code[opens.end():].strip()
            if code and not code.startswith(IGNORED):
                self.check_statement(at, blocks[-1] if blocks else ("", ""), code)
            if blocks and code.endswith("}") and not RPC.fullmatch(code):
                blocks.pop()
        if blocks:
            self.refuse(len(self.lines), f"{blocks[-1][1]} is not closed")
        return self.wrong

    def check_statement(self, at: int, block: tuple[str, str], code: str):
        rpc, value, field = RPC.fullmatch(code), VALUE.fullmatch(code), FIELD.fullmatch(code)
        if block[0] == "service" and rpc:
            self.check_rpc(at, block[1], rpc[1], (rpc[2], rpc[3]))
        elif block[0] == "enum" and value:
            self.check_value(at, block[1], value[1], value[2])
        elif block[0] in ("message", "oneof") and field:
            self.check_field(at, field[1], field[2], field[3] or "")
        else:
            self.refuse(at + 1, f'"{code}" is nothing that this check knows; one statement a line')


def check(repository: pathlib.Path) -> list[str]:
    root, wrong = repository / "proto", []
    calls: dict[str, str] = {}
    for path in sorted(root.rglob("*.proto")):
        folder = path.parent.relative_to(root)
        if folder.parts[:1] not in (("grpc",), ("google",)):
            wrong += File(path, folder, calls).check()
    return wrong


if __name__ == "__main__":
    sys.exit(violations.main(check))
