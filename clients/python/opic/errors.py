"""What can go wrong with a call: an Error says what, which call it was, and which node was asked."""

from __future__ import annotations

from collections.abc import Mapping

import grpc

from opic.details import read_details


class Error(Exception):
    """A node has refused a call, or has not answered it.

    code      name of the gRPC status, as "UNAVAILABLE"; empty: it is not of a call
    call      "Importance.Get"
    node      who was asked: name and address
    message   why, as the node says it, for people
    reason    why, for programs: a word such as "ROLE_NEEDED" (docs/operations.md, "Refusals"), or the code
    metadata  facts beside the reason, by name
    """

    def __init__(self, message: str, *, code: str = "", call: str = "", node: str = "", reason: str = "",
                 metadata: Mapping[str, str] | None = None) -> None:
        where = ": ".join(part for part in (node, call, code) if part)
        super().__init__(f"{where}: {message}" if where else message)
        self.message, self.code, self.call, self.node = message, code, call, node
        self.reason, self.metadata = reason or code, dict(metadata or {})


class Unavailable(Error):
    """Nobody answers at the address, the node starts or stops, or too many questions wait there: try again."""


class DeadlineExceeded(Error):
    """No answer came in time. Whether a command was carried out is not known; commands may be repeated."""


class PermissionDenied(Error):
    """The caller's certificate or token is not of the role that the call needs."""


class InvalidArgument(Error, ValueError):
    """The request is wrong; the same one is always refused."""


class NotFound(Error, LookupError):
    """There is no such thing."""


class AlreadyExists(Error):
    """Something else has that id."""


class FailedPrecondition(Error):
    """The state of the node does not allow it; the reason says what has to be done first."""


class Aborted(Error):
    """Something else came between; the whole may be repeated."""


class OutOfRange(Error):
    """The answer would be larger than the node gives."""


class Unimplemented(Error):
    """The process does not know the call: of an older release, in no cluster, or of another kind."""


class ResourceExhausted(Error):
    """The message, or all messages together, are larger than the node or this client takes."""


class Partial(Error):
    """A node of the cluster did not answer, so the reply, which is kept here, lacks its pages."""

    def __init__(self, missing: list[str], *, call: str, node: str, reply: object) -> None:
        super().__init__(f"nodes that did not answer: {', '.join(missing)}", call=call, node=node)
        self.missing, self.reply = missing, reply


class NotEverywhere(Error):
    """Some nodes were not told. `errors` and `replies` are by the name of the node."""

    def __init__(self, errors: Mapping[str, Error], replies: Mapping[str, object]) -> None:
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


def of(error: grpc.RpcError, call: str, node: str) -> Error:
    """The exception for what gRPC has raised; of a class of its own for the codes that opic gives."""
    code = error.code()
    trailers = {name: value for name, value in error.trailing_metadata() or ()}
    reason, metadata = read_details(trailers.get("grpc-status-details-bin", b""))
    return _BY_CODE.get(code, Error)(error.details() or "no reason given", code=code.name, call=call, node=node,
                                     reason=reason, metadata=metadata)
