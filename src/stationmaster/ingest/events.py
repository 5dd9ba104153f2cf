"""Canonical events as a collector or an import sends them, each checked by itself.

The checks are the types of Event with bounds on every value. A member that Event does not have is
an error and not ignored: it could be content, and its sender believes that it was stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import UnionType
from typing import Annotated, Any, cast, get_args

import msgspec
from msgspec import Meta

from stationmaster.agents.cards.ranks import precedence
from stationmaster.agents.values import repository
from stationmaster.errors import Malformed, StationmasterError, TooLarge
from stationmaster.events.model import (
    NAME_LENGTH_MAX,
    QUALITY_FLAGS,
    TOKENS_MAX,
    Event,
    Kind,
    Source,
)
from stationmaster.ingest import media

ITEMS_MAX = 10_000
LINES_MAX = 10 * ITEMS_MAX
"""Lines of an NDJSON body, empty ones included."""
_ERROR_LENGTH_MAX = 300
_FLAGS = frozenset(QUALITY_FLAGS)

# A pattern is searched for; \Z, unlike $, does not forgive a newline at the end.
_Name = Annotated[str, Meta(max_length=NAME_LENGTH_MAX, pattern=r"\A[^\x00-\x1f\x7f]*\Z")]
_Amount = Annotated[int, Meta(ge=0, le=TOKENS_MAX)]
_Hex = Annotated[str, Meta(pattern=r"\A[0-9a-f]{1,64}\Z")] | None
_BOUNDED: dict[str, Any] = {
    "event_id": Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")],
    "product": Annotated[str, Meta(pattern=r"\A[a-z0-9][a-z0-9._-]{0,59}\Z")],
    "ts": Annotated[int, Meta(ge=0, le=2**53)],
    "ts_source": Annotated[
        str, Meta(pattern=r"\A(event|record|observed|sidecar|file_time|received)\Z")
    ],
    # Forms that a path, a command line or a credential does not fit.
    "file_path_hash": _Hex,
    "cwd_hash": _Hex,
    "commit_sha": _Hex,
    "hook_command": Annotated[str, Meta(pattern=r"\A[^\s/\\\x00-\x1f\x7f]{0,200}\Z")] | None,
    "repo": Annotated[str, Meta(max_length=200, pattern=r"\A[\w.-]+(/[\w.~+-]+)+\Z")] | None,
    "pr_url": Annotated[str, Meta(max_length=200, pattern=r"\Ahttps?://[^\s@]+\Z")] | None,
    "user_email": Annotated[str, Meta(max_length=254, pattern=r"\A[^\s@]+@[^\s@]+\Z")] | None,
    "duration_ms": Annotated[int, Meta(ge=0, le=2**53)] | None,
    "count": Annotated[int, Meta(ge=1, le=1_000_000)],
    "cost_usd": Annotated[float, Meta(ge=0, le=1e6)] | None,
}
EVENT_SCHEMA = {
    "type": "object",
    "required": ["event_id", "kind", "ts", "product", "source"],
    "properties": {
        "event_id": {
            "type": "string",
            "pattern": "^[0-9a-f]{32}$",
            "description": "The same for the same fact, however often it is sent.",
        },
        "kind": {"type": "string", "enum": list(get_args(Kind))},
        "ts": {"type": "integer", "minimum": 0, "description": "Unix milliseconds."},
        "product": {"type": "string", "description": "The agent, such as `claude-code`."},
        "source": {"type": "string", "enum": list(get_args(Source))},
    },
}
"""The form of an event, as the description of the API has it."""


def _bounded(name: str, kind: Any) -> Any:
    if name in _BOUNDED:
        return _BOUNDED[name]
    if kind is str or kind is int:
        return _Name if kind is str else _Amount
    if isinstance(kind, UnionType):
        return {str | None: _Name | None, int | None: _Amount | None}.get(kind, kind)
    return kind


def _checked_event() -> type[Event]:
    """Event again, with bounds on its values and no room for others."""
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for field in msgspec.structs.fields(Event):
        kind = _bounded(field.name, field.type)
        fields.append((field.name, kind) if field.required else (field.name, kind, field.default))
    checked = msgspec.defstruct(
        "CheckedEvent",
        fields,
        bases=(Event,),
        forbid_unknown_fields=True,
        omit_defaults=True,
        kw_only=True,
        gc=False,
    )
    return cast(type[Event], checked)


class NothingAccepted(StationmasterError):
    """Not one event of a delivery was accepted."""

    status = 422
    title = "Unprocessable Content"
    code = "no_event_accepted"


class ItemError(msgspec.Struct, frozen=True):
    """Why the item at an index (from 0) was refused."""

    index: int
    error: str


class Submitted(msgspec.Struct):
    """The events that passed, in order, and the items that did not."""

    events: list[Event] = []
    errors: list[ItemError] = []

    @property
    def drops(self) -> dict[tuple[str, str, str], int]:
        """The refused items, as the tally of a delivery counts them."""
        return {("unknown", "events", "invalid"): len(self.errors)} if self.errors else {}


class _Envelope(msgspec.Struct, forbid_unknown_fields=True):
    events: list[msgspec.Raw]


_item = msgspec.json.Decoder(_checked_event())
_array = msgspec.json.Decoder(list[msgspec.Raw])
_envelope = msgspec.json.Decoder(_Envelope)


def decode(
    content_type: str | None, content_encoding: str | None, body: bytes, *, body_max: int
) -> Submitted:
    """The events of a body: a JSON array, `{"events": […]}`, or one JSON object per line.

    Raises Malformed when the body as a whole is none of these, TooLarge above `body_max` bytes or
    ITEMS_MAX items, UnsupportedMedia for other types.
    """
    media_type = media.kind(content_type, (media.JSON, media.NDJSON))
    body = media.plain(body, content_encoding, body_max)
    media.check_density(body)
    items: Sequence[bytes | msgspec.Raw]
    if media_type == media.NDJSON:
        if body.count(b"\n") > LINES_MAX:
            raise _too_many()
        items = [line for line in body.split(b"\n") if line.strip()]
    else:
        items = _items(body)
    if len(items) > ITEMS_MAX:
        raise _too_many()
    return check(items)


def _too_many() -> TooLarge:
    return TooLarge(f"One request may have at most {ITEMS_MAX} events.", code="too_many_events")


def check(items: Iterable[bytes | msgspec.Raw]) -> Submitted:
    """Check JSON objects one by one: the events they are, and why others are none."""
    submitted = Submitted()
    for index, item in enumerate(items):
        try:
            event = _item.decode(item)
            _check_quality(event)
        except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
            error = str(fault) or type(fault).__name__
            submitted.errors.append(ItemError(index, error[:_ERROR_LENGTH_MAX]))
            continue
        if event.file_ext is not None:
            event.file_ext = event.file_ext.lstrip(".").lower()
        if event.repo is not None:
            event.repo = repository(event.repo) or event.repo.lower()
        if event.root_session_id is None:
            event.root_session_id = event.session_id
        event.source_rank, event.source_group = precedence(event.product, event.kind, event.source)
        submitted.events.append(event)
    return submitted


def _items(body: bytes) -> list[msgspec.Raw]:
    is_array = body.lstrip()[:1] == b"["
    try:
        return _array.decode(body) if is_array else _envelope.decode(body).events
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise Malformed(
            'The body is neither a JSON array of events nor {"events": […]}.'
        ) from fault


def _check_quality(event: Event) -> None:
    if event.quality is None:
        return
    flags = set(event.quality.split(","))
    if not flags <= _FLAGS:
        raise ValueError(f"Quality flags are {', '.join(QUALITY_FLAGS)} - at `$.quality`")
    event.quality = ",".join(sorted(flags))
