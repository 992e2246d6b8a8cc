"""The reason of a refusal: google.rpc.ErrorInfo in the google.rpc.Status of a call's trailer.

It is decoded field by field: these messages belong to another package. This one does not depend on it, and must not
define them a second time.
"""

from __future__ import annotations

from collections.abc import Iterator

_ERROR_INFO, _DOMAIN = b"google.rpc.ErrorInfo", "opic"
_NUMBER, _BYTES = 0, 2  # kinds of fields


def read_details(status: bytes) -> tuple[str, dict[str, str]]:
    """Reason and metadata of the first ErrorInfo of opic; empty if there is none or it cannot be decoded."""
    try:
        for number, value in _fields(status):
            if number != 3:
                continue
            detail = dict(_fields(value))
            if detail.get(1, b"").rpartition(b"/")[2] != _ERROR_INFO:
                continue
            reason, domain = "", ""
            metadata: dict[str, str] = {}
            for field, part in _fields(detail.get(2, b"")):
                if field == 1:
                    reason = part.decode()
                elif field == 2:
                    domain = part.decode()
                elif field == 3:
                    entry = dict(_fields(part))
                    metadata[entry.get(1, b"").decode()] = entry.get(2, b"").decode()
            if domain == _DOMAIN:
                return reason, metadata
    except ValueError:  # UnicodeDecodeError is one
        pass
    return "", {}


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Numbers and contents of its length-delimited fields; integers are skipped. ValueError: not such a message."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        size, at = _varint(message, at)
        if tag & 7 == _NUMBER:
            continue
        if tag & 7 != _BYTES or at + size > len(message):
            raise ValueError("no message")
        yield tag >> 3, message[at:at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            break
        value |= (message[at] & 127) << shift
        at += 1
        if message[at - 1] < 128:
            return value, at
    raise ValueError("no number")
