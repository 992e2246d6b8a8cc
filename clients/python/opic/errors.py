"""What can go wrong with a call: an Error says what it was, which call, and which node was asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import grpc

from opic.details import read_details


class Error(Exception):
    """A node has refused a call or has not answered it, or something is wrong before a call (a file, an argument).

    code      name of the gRPC status code, such as "UNAVAILABLE"; empty: no call was made
    call      such as "Importance.Get"
    node      who was asked: name and address
    message   why, in the node's words, for people
    reason    why, for programs: a word such as "ROLE_NEEDED" (docs/operations.md, "Refusals"), or the code
    metadata  details of the reason, by name
    """

    def __init__(self, message: str, *, code: str = "", call: str = "", node: str = "", reason: str = "",
                 metadata: Mapping[str, str] | None = None) -> None:
        where = ": ".join(part for part in (node, call, code) if part)
        super().__init__(f"{where}: {message}" if where else message)
        self.message, self.code, self.call, self.node = message, code, call, node
        self.reason, self.metadata = reason or code, dict(metadata or {})


class Unavailable(Error):
    """Nobody answers at the address, the node is starting or stopping, or it has too many questions: try again."""


class DeadlineExceeded(Error):
    """No answer came in time. It is not known whether a command was carried out; it is safe to repeat it."""


class PermissionDenied(Error):
    """The caller's certificate or token does not have the role that the call needs."""


class InvalidArgument(Error, ValueError):
    """The request is wrong; repeating it does not help."""


class NotFound(Error, LookupError):
    """There is no such thing."""


class AlreadyExists(Error):
    """Something else has that id."""


class FailedPrecondition(Error):
    """The state of the node does not allow it; the message says what to do first."""


class Aborted(Error):
    """Something else interfered; it is safe to repeat the whole command."""


class OutOfRange(Error):
    """The answer would be larger than what the node gives at once."""


class Unimplemented(Error):
    """The process does not have this call: it is of an older release, in no cluster, or not a node."""


class ResourceExhausted(Error):
    """A message, or all messages together, are larger than the node or this client accepts."""


class Partial(Error):
    """A node of the cluster did not answer, so its pages are missing from the reply, which is kept in `reply`."""

    def __init__(self, missing: list[str], *, call: str, node: str, reply: object) -> None:
        super().__init__(f"nodes that did not answer: {', '.join(missing)}", call=call, node=node)
        self.missing, self.reply = missing, reply


class NotEverywhere(Error):
    """Some nodes could not be told. `errors` and `replies` are keyed by the names of the nodes. A command that all of
    them refuse for one reason, such as a wrong argument or a role, raises that error instead, of the first of them."""

    def __init__(self, errors: Mapping[str, Error], replies: Mapping[str, Any]) -> None:
        told = f"; told: {', '.join(replies)}" if replies else "; no node was told"
        super().__init__("; ".join(str(error) for error in errors.values()) + told)
        self.errors, self.replies = dict(errors), dict(replies)


_BY_CODE = {
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
    grpc.StatusCode.PERMISSION_DENIED: PermissionDenied,
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgument,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.ALREADY_EXISTS: AlreadyExists,
    grpc.StatusCode.FAILED_PRECONDITION: FailedPrecondition,
    grpc.StatusCode.ABORTED: Aborted,
    grpc.StatusCode.OUT_OF_RANGE: OutOfRange,
    grpc.StatusCode.UNIMPLEMENTED: Unimplemented,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ResourceExhausted,
}

# Repeating the same call does not help.
_LASTING = (InvalidArgument, PermissionDenied, NotFound, AlreadyExists, FailedPrecondition, OutOfRange, Unimplemented)


def is_lasting(error: Error) -> bool:
    return isinstance(error, _LASTING)


def of(error: grpc.RpcError, call: str, node: str) -> Error:
    """The exception for an error of gRPC: each code that opic uses has its own class."""
    code = error.code()
    trailers = {name: value for name, value in error.trailing_metadata() or ()}
    reason, metadata = read_details(trailers.get("grpc-status-details-bin", b""))
    return _BY_CODE.get(code, Error)(error.details() or "no reason given", code=code.name, call=call, node=node,
                                     reason=reason, metadata=metadata)
