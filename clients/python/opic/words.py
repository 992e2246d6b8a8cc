"""The values of the enums in opic.v1 as words: PAGE_STATE_OUT_OF_SCOPE is "out_of_scope"."""

from __future__ import annotations

from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.message import Message


def word(message: Message, field: str) -> str:
    """A field of a message as a word: word(page, "state") is "fetched". Empty: unspecified, or of a later release."""
    kind = message.DESCRIPTOR.fields_by_name[field].enum_type
    number = getattr(message, field)
    known = kind.values_by_number.get(number)
    return _word(kind, known.name) if known and number else ""


def value(kind: EnumDescriptor, text: str, what: str) -> str | None:
    """The name of the value with this word; None of "". ValueError, which calls it `what`: there is no such word."""
    names = {_word(kind, one.name): str(one.name) for one in kind.values if one.number}
    if text and text not in names:
        raise ValueError(f'{what} "{text}": must be one of {", ".join(names)}')
    return names[text] if text else None


def _word(kind: EnumDescriptor, name: str) -> str:
    prefix = str(kind.values_by_number[0].name).removesuffix("UNSPECIFIED")
    return name.removeprefix(prefix).lower()
