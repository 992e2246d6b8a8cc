"""Addresses of nodes and credentials of the caller, from the files and variables that the command `opic` takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from opic.errors import Error

_ROLES = ("reader", "node", "operator")  # each may do what the ones before it may
_TOKEN_CHARACTERS_MIN = 16


@dataclass(frozen=True)
class Address:
    """A node: HOST:PORT, and its name, which must be in its certificate. A node without a cluster may have no name."""

    address: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.address})" if self.name else self.address


@dataclass(frozen=True)
class Tls:
    """Paths of PEM files, as `opic cluster certs` makes them: the authority, the caller's certificate, and its key."""

    ca: str | PathLike[str]
    certificate: str | PathLike[str]
    key: str | PathLike[str]

    @classmethod
    def from_folder(cls, folder: str | PathLike[str], name: str = "operator") -> Tls:
        """The certificate `name` in a folder that `opic cluster certs` has filled: an operator's, or a node's name."""
        here = Path(folder)
        return cls(here / "ca.pem", here / f"{name}.pem", here / f"{name}-key.pem")

    def read(self) -> tuple[bytes, bytes, bytes]:
        """The authority, the key and the certificate."""
        return _read(self.ca), _read(self.key), _read(self.certificate)


def read_cluster(path: str | PathLike[str]) -> list[Address]:
    """The nodes in the file that `opic cluster init` has made, by number."""
    try:
        nodes = json.loads(_read(path))["nodes"]
        found = [Address(str(node["address"]), str(node["name"])) for node in nodes]
    except (ValueError, KeyError, TypeError) as error:
        raise Error(f"{path}: not a cluster file, as `opic cluster init` makes it ({error!r})") from None
    if not found:
        raise Error(f"{path}: the cluster file names no nodes")
    return found


def read_token(path: str | PathLike[str]) -> str:
    """The token with the highest role in a file of lines "ROLE TOKEN", as for --token-file; "#" begins a comment."""
    best: tuple[int, str] | None = None
    for number, line in enumerate(_read(path).decode(errors="replace").splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or words[0] not in _ROLES or len(words[1]) < _TOKEN_CHARACTERS_MIN:
            raise Error(f"{path}, line {number}: say {', '.join(_ROLES[:2])} or {_ROLES[2]}, and a token of "
                        f"{_TOKEN_CHARACTERS_MIN} characters or more")
        rank = _ROLES.index(words[0])
        if best is None or rank > best[0]:
            best = (rank, words[1])
    if best is None:
        raise Error(f"{path}: there is no token in it")
    return best[1]


@dataclass(frozen=True)
class Environment:
    """What OPIC_CLUSTER, OPIC_NODE, OPIC_TLS_CA, OPIC_TLS_CERT, OPIC_TLS_KEY and OPIC_TOKEN_FILE say."""

    cluster: str = ""
    node: str = ""
    tls: Tls | None = None
    token: str = ""

    @classmethod
    def read(cls, variables: Mapping[str, str]) -> Environment:
        names = ("OPIC_TLS_CA", "OPIC_TLS_CERT", "OPIC_TLS_KEY")
        files = [variables.get(name, "") for name in names]
        if any(files) and not all(files):
            lacking = [name for name, file in zip(names, files) if not file]
            raise Error(f"{', '.join(lacking)} must be set too: TLS needs {', '.join(names)}")
        tokens = variables.get("OPIC_TOKEN_FILE", "")
        return cls(variables.get("OPIC_CLUSTER", ""), variables.get("OPIC_NODE", ""),
                   Tls(*files) if all(files) else None, read_token(tokens) if tokens else "")


def _read(path: str | PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from None
