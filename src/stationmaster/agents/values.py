"""Tolerant readers of the values agents send: one agent's number is another's string.

A reader of a plain value answers None for what it cannot read. A reader of tokens raises
InvalidRecord instead, because a wrong figure must be reported to its sender and never be stored.
Of a record, a field that is not of its type is left out and the rest stays: agents change the type
of a field between versions. The strict decoder is tried first because it is many times faster.
`LineReader` is what readers of files with one record a line have in common.
"""

from __future__ import annotations

import math
import re
import types
from abc import abstractmethod
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from stationmaster.agents.interface import Intake, InvalidRecord, NoEvent, Transcript
from stationmaster.days import MS_PER_DAY
from stationmaster.events.model import NAME_LENGTH_MAX, TOKENS_MAX
from stationmaster.model_names import parse

Record = TypeVar("Record", bound=msgspec.Struct)
T = TypeVar("T")

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


def file_bytes(path: str, size_max: int) -> bytes:
    """A file's bytes. Raises OSError, and NotJson for one that is too large to be a record."""
    with open(path, "rb") as file:
        data = file.read(size_max + 1)
    if len(data) > size_max:
        raise NotJson("too large")
    return data


def lenient(kind: type[Record]) -> Callable[[Any], Record]:
    """A decoder of an object, of its JSON text or of a piece of a line, that gives an empty Struct
    for all else."""
    decode = decoder(kind)

    def decode_any(raw: Any) -> Record:
        raw = raw.encode("utf-8", "replace") if isinstance(raw, str) else raw
        try:
            if isinstance(raw, dict):
                return _struct(kind, raw)
            return decode(raw) if isinstance(raw, bytes | msgspec.Raw) else kind()
        except NotJson:
            return kind()

    return decode_any


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


def take(read: Callable[[T, Intake], None], record: T, intake: Intake) -> None:
    """Take a record by a reader; one that it raises NoEvent for is dropped, and one that it raises
    InvalidRecord for is rejected."""
    try:
        read(record, intake)
    except NoEvent as none:
        intake.drop(str(none))
    except InvalidRecord as fault:
        intake.reject(str(fault))


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
        take(self._read, record, intake)

    @abstractmethod
    def _read(self, record: Record, intake: Intake) -> None:
        """Take a record. Raises InvalidRecord."""


_DIGITS_MAX = 19
_YEAR_10000_MS = 253_402_300_800_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_parse_time = datetime.fromisoformat
_REMOTE = re.compile(
    r"(?:(?:https?|ssh|git)://)?(?:[^@/\s]*@)?(?P<host>[\w.-]+\.[\w-]+|localhost)"
    r"(?::\d+/|[:/])(?P<path>[\w./~+-]+)",
    re.ASCII,
)
_WORD = re.compile(r"[\w.-]{1,40}", re.ASCII)
_parsed = lru_cache(maxsize=1024)(parse)
"""Few models make up all calls."""
_EFFORTLESS = ("", "none", "off", "minimal")
_FAILED_HOOKS = frozenset({"blocked", "cancelled", "failed", "failure", "timeout"})


def whole(value: Any) -> int | None:
    """An integer from an integer, an integral float or a numeric string; None for all else."""
    if type(value) is int:
        return value
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value.is_integer() else None
    if isinstance(value, str) and len(value) <= _DIGITS_MAX:
        try:
            return int(value)
        except ValueError:
            return None
    return None


def milliseconds(value: Any) -> int | None:
    """A duration as a non-negative integer; fractions are cut off, nonsense is None."""
    if isinstance(value, float) and math.isfinite(value):
        value = int(value)
    duration = whole(value)
    return duration if duration is not None and 0 <= duration < 2**53 else None


def length(value: Any) -> int | None:
    """A number of characters; None for what is none or more than ingestion takes."""
    count = milliseconds(value)
    return count if count is not None and count <= TOKENS_MAX else None


def money(value: Any) -> float | None:
    """A finite, non-negative amount; None for all else."""
    if type(value) is not float and type(value) is not int:
        return None
    try:
        amount = float(value)
    except OverflowError:
        return None
    return amount if 0 <= amount < math.inf else None


def flag(value: Any) -> bool | None:
    """A boolean from a boolean or the words true and false; None for all else."""
    if value is True or value == "true":
        return True
    if value is False or value == "false":
        return False
    return None


def name(value: Any) -> str | None:
    """A name, at most 200 characters of it and only the printable; None for an empty one and for
    other types."""
    if type(value) is not str:
        return None
    text = value[:NAME_LENGTH_MAX]
    return (text if text.isprintable() else "".join(filter(str.isprintable, text))) or None


def command_name(value: Any) -> str | None:
    """The name of a slash command, without the slash, and without arguments: those are content."""
    words = value[:NAME_LENGTH_MAX].split(maxsplit=1) if type(value) is str else []
    return name(words[0].removeprefix("/")) if words else None


def tokens(value: Any) -> int | None:
    """A count of tokens; None when none was given. Raises InvalidRecord for an impossible one."""
    if type(value) is int and 0 <= value <= TOKENS_MAX:
        return value
    if value is None:
        return None
    count = whole(value)
    if count is None or isinstance(value, bool):
        raise InvalidRecord("a token count is not a whole number")
    if not 0 <= count <= TOKENS_MAX:
        raise InvalidRecord(f"a token count is negative or above {TOKENS_MAX}")
    return count


def repetitions(value: Any) -> int:
    """How many things a counter counts: between 1 and a million."""
    count = whole(value)
    return min(max(count, 1), 1_000_000) if count is not None else 1


def time_ms(text: Any) -> int | None:
    """UTC milliseconds of an ISO 8601 time; None when it is not one. No offset means UTC."""
    try:
        at = _parse_time(text)
        if at.tzinfo is None:
            at = at.replace(tzinfo=UTC)
        # Whole milliseconds, without the rounding of a float in between.
        since = at - _EPOCH
    except (TypeError, ValueError, OverflowError):
        return None
    return since.days * MS_PER_DAY + since.seconds * 1000 + since.microseconds // 1000


def moment(value: Any) -> int | None:
    """UTC milliseconds of a time that is ISO 8601 text or that number itself; None for all else,
    and for a time without a date of four digits."""
    at = time_ms(value) if isinstance(value, str) else milliseconds(value)
    return at if at is not None and 0 <= at < _YEAR_10000_MS else None


def model_name(raw: Any) -> str | None:
    """A model's id without the provider's prefix, dates kept; None when there is none."""
    text = name(raw)
    if text is None:
        return None
    return _parsed(text).model or None


def model_region(raw: Any) -> str | None:
    """The region that a model id of a cloud names, such as `jp`."""
    text = name(raw)
    return None if text is None else _parsed(text).region


def tier(reasoning: int | None, effort: Any) -> Literal["standard", "thinking"] | None:
    """The tier of a model call by its reasoning tokens and the effort that was asked for; None
    where neither is reported, because silence about the effort does not mean that there was none.
    """
    if reasoning or effort not in (None, *_EFFORTLESS):
        return "thinking"
    return None if effort is None else "standard"


def word(value: Any) -> str | None:
    """A word of a fixed set, such as a tier's; None for all else, which may be content."""
    if value is None:
        return None
    return value if isinstance(value, str) and _WORD.fullmatch(value) is not None else None


def speed(value: Any) -> str | None:
    """How fast a call ran where that is not the ordinary speed."""
    if value is None:
        return None
    text = word(value)
    return text if text not in ("standard", "normal") else None


def repository(url: Any) -> str | None:
    """A remote's address as `host/owner/name`: lower case, no credentials, port or `.git`."""
    if not isinstance(url, str) or len(url) > NAME_LENGTH_MAX:
        return None
    match = _REMOTE.fullmatch(url.strip())
    if match is None:
        return None
    path = match.group("path").strip("/").removesuffix(".git")
    return f"{match.group('host')}/{path}".lower() if path else None


def hook_success(outcome: str | None) -> bool | None:
    """Whether a hook of a reported outcome ran without an error and let the agent go on; None where
    the outcome is missing or is neither."""
    if outcome == "success":
        return True
    is_failed = outcome is not None and (outcome in _FAILED_HOOKS or "error" in outcome)
    return False if is_failed else None
