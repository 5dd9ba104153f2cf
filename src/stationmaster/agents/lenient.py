"""JSON into typed records when a field is not of its type: that field is left out, the rest stays.

Agents change the type of a field between versions. The strict decoder is tried first because it is
many times faster; this is the way for the few lines it refuses. `LineReader` is what
readers of files with one record a line have in common.
"""

from __future__ import annotations

import types
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar, Union, get_args, get_origin

import msgspec

from stationmaster.agents.interface import Intake, InvalidRecord, Transcript

Record = TypeVar("Record", bound=msgspec.Struct)

_decode_any = msgspec.json.Decoder().decode
_decode_text = msgspec.json.Decoder(str).decode
_TEXT_MAX = 65_536


UNFIT = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
"""What a strict decoder raises for text that is not what it expects."""


class NotJson(ValueError):
    """The text is not JSON, or is nested too deeply to be a record of an agent."""


def decoder(kind: type[Record]) -> Callable[[bytes | msgspec.Raw], Record]:
    """A decoder into a Struct that leaves out the fields of a wrong type. It raises NotJson."""
    strict = msgspec.json.Decoder(kind).decode

    def decode(text: bytes | msgspec.Raw) -> Record:
        try:
            return strict(text)
        except UNFIT:
            return decode_slowly(kind, text)

    return decode


def decode_slowly(kind: type[Record], text: bytes | msgspec.Raw) -> Record:
    """What a decoder does after the strict one has raised one of `UNFIT`. It raises NotJson."""
    try:
        value = _decode_any(text)
        return _struct(kind, value if isinstance(value, dict) else {})
    except UNFIT as fault:
        raise NotJson("not JSON") from fault


def text(raw: msgspec.Raw) -> str:
    """The text of a JSON string; "" for any other value and for what does not decode."""
    try:
        return _decode_text(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""


def text_of_parts(raw: msgspec.Raw) -> str:
    """The text of a result: a string, or the first texts of a list of parts."""
    try:
        value = _decode_any(raw)
    except UNFIT:
        return ""
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else [value]
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))[:_TEXT_MAX]


def _struct(kind: type[Record], fields: dict[str, Any]) -> Record:
    fitting = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in fields:
            value = _value(field.type, fields[field.encode_name])
            if value is not _NO_VALUE:
                fitting[field.name] = value
    return kind(**fitting)


_NO_VALUE = object()


def _value(kind: Any, content: Any) -> Any:
    """The value as the wanted type, or `_NO_VALUE`."""
    if kind is Any:
        return content
    if kind is msgspec.Raw:
        return msgspec.Raw(msgspec.json.encode(content))
    if get_origin(kind) in (Union, types.UnionType):
        for option in get_args(kind):
            value = _value(option, content)
            if value is not _NO_VALUE:
                return value
        return _NO_VALUE
    if get_origin(kind) is list:
        if not isinstance(content, list):
            return _NO_VALUE
        values = (_value(get_args(kind)[0], item) for item in content)
        return [value for value in values if value is not _NO_VALUE]
    if get_origin(kind) is dict:
        if not isinstance(content, dict):
            return _NO_VALUE
        members = {key: _value(get_args(kind)[1], item) for key, item in content.items()}
        return {key: value for key, value in members.items() if value is not _NO_VALUE}
    if kind is type(None):
        return None if content is None else _NO_VALUE
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind, content) if isinstance(content, dict) else _NO_VALUE
    return content if type(content) is kind else _NO_VALUE


class LineReader(Transcript, Generic[Record]):
    """See agent.Transcript. A line that is no record is rejected, and the next one is read."""

    decode: Callable[[bytes], Record]
    """Makes a record of a line. Raises NotJson."""

    def feed(self, line: bytes, intake: Intake) -> None:
        """Take one line; a blank one is skipped, and one that is no record is rejected."""
        if not line.strip():
            return
        try:
            record = self.decode(line)
        except NotJson:
            intake.reject("a line is not JSON")
            return
        try:
            self._read(record, intake)
        except InvalidRecord as fault:
            intake.reject(str(fault))

    @abstractmethod
    def _read(self, record: Record, intake: Intake) -> None:
        """Take a record. Raises InvalidRecord."""
