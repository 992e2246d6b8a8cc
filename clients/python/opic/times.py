"""google.protobuf.Duration and Timestamp, from what Python has for them."""

from __future__ import annotations

from datetime import datetime, timedelta

from google.protobuf.duration_pb2 import Duration as DurationMessage
from google.protobuf.timestamp_pb2 import Timestamp

Duration = timedelta | float
"""A timedelta, or a number of seconds."""


def micros(given: Duration | None) -> int | None:
    if given is None:
        return None
    return round((given.total_seconds() if isinstance(given, timedelta) else given) * 1_000_000)


def duration(given: Duration | None) -> DurationMessage | None:
    whole = micros(given)
    if whole is None:
        return None
    message = DurationMessage()
    message.FromMicroseconds(whole)
    return message


def seconds(given: datetime | int | None) -> int | None:
    """Unix seconds of a time with its zone, or of Unix seconds."""
    return int(given.timestamp()) if isinstance(given, datetime) else given


def timestamp(given: datetime | int | None) -> Timestamp | None:
    """The same; None: there is none, or 0."""
    at = seconds(given)
    return Timestamp(seconds=at) if at else None
