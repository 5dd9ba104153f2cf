"""The JSON of a hook, in the form that several agents share: its sender, its time, its subject.

Apart from what happened in the agent, each such JSON reports that a hook ran: our own. A hook
without an id of its own is identified by a hash of its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, ClassVar, TypeVar

import msgspec

from stationmaster.agents.interface import Blank, Blanks, Intake, NoEvent, blank
from stationmaster.agents.values import moment, name
from stationmaster.agents.vocabulary import Words
from stationmaster.events.model import Event, Kind, identify, identify_in_session, path_hash


class Hook:
    """One hook. `kind` is its event, "" when it is not reported; `session` is None likewise.

    `event` and `received_ms` are those of agent.Agent.hook. An agent's own class defines which
    blanks its events are made of, and what else all of its hooks report.
    """

    blanks: ClassVar[Blanks]
    moment: Callable[[Any], int | None] = staticmethod(moment)
    session_members: tuple[str, ...] = ("session_id", "sessionId")

    def __init__(self, event: str | None, payload: dict[str, Any], received_ms: int) -> None:
        self.payload = payload
        self.received_ms = received_ms
        self.kind = name(self.get("hook_event_name")) or event or ""
        self.session = name(self.get(*self.session_members))
        at = self.moment(payload.get("timestamp"))
        self.ts, self.ts_source = (received_ms, "received") if at is None else (at, "event")

    def get(self, *spellings: str) -> Any:
        """A field by the first of its names that is there."""
        return next(
            (self.payload[spelling] for spelling in spellings if spelling in self.payload), None
        )

    def text(self, *spellings: str) -> str | None:
        """A field that is a text; None for all else."""
        value = self.get(*spellings)
        return value if isinstance(value, str) else None

    def fill(self, event: Event) -> None:
        """Set what every hook of the agent reports apart from its time and session."""

    def event(self, kind: Kind) -> Event:
        """A fresh event with all that the hook reports about itself."""
        event = self.placed(self.blanks[kind]())
        self.fill(event)
        return event

    def placed(self, event: Event) -> Event:
        """The event, at the hook's time and in its session."""
        event.ts, event.ts_source = self.ts, self.ts_source
        event.session_id = event.root_session_id = self.session
        if self.session is None:
            event.quality = "no_session"
        return event

    def boundary(self, kind: Kind) -> Event:
        """The start or the end of a session, with what it reports of that."""
        event = self.placed(self.blanks[kind]())
        identify_in_session(event, str(self.ts))
        event.source_detail = name(self.get("source", "reason"))
        cwd = self.text("cwd")
        if cwd:
            event.cwd_hash = path_hash(self.session or "", cwd)
        return event


def add_start(hook: Hook, intake: Intake) -> None:
    """Add the start of a session."""
    intake.add(hook.boundary("session_start"))


def add_end(hook: Hook, intake: Intake) -> None:
    """Add the end of a session."""
    intake.add(hook.boundary("session_end"))


H = TypeVar("H", bound=Hook)


def take(
    hook: H, readers: Mapping[str, Callable[[H, Intake], None]], words: Words, intake: Intake
) -> bool:
    """Have a hook read by the reader of its event; False where there is none, and it is dropped."""
    reader = readers.get(hook.kind)
    try:
        if reader is None:
            raise NoEvent(words.unread_hook(hook.kind))
        reader(hook, intake)
    except NoEvent as none:
        intake.drop(str(none))
    return reader is not None


def reader_of(
    make: Callable[[str | None, dict[str, Any], int], H],
    readers: Mapping[str, Callable[[H, Intake], None]],
    words: Words,
) -> Callable[[str | None, dict[str, Any], int, Intake], None]:
    """What reads the hooks of an agent, by a reader for each event: see agent.Agent.hook."""

    def read(event: str | None, payload: dict[str, Any], received_ms: int, intake: Intake) -> None:
        take(make(event, payload, received_ms), readers, words, intake)

    return read


def read_by(
    product: str,
    read: Callable[[str | None, dict[str, Any], int, Intake], None],
    canonical: Callable[[str], str] = str,
) -> Callable[[str | None, dict[str, Any], int, Intake], None]:
    """What takes a hook of an agent: its own reader, and one that notes that the hook ran."""

    def hook(event: str | None, payload: dict[str, Any], received_ms: int, intake: Intake) -> None:
        read(event, payload, received_ms, intake)
        intake.add_if(execution(product, event, payload, received_ms, canonical))

    return hook


def execution(
    product: str,
    event: str | None,
    payload: dict[str, Any],
    received_ms: int,
    canonical: Callable[[str], str] = str,
) -> Event | None:
    """That a hook ran, whatever it reports; None where its event is not named.

    `canonical` gives an agent's names of hook events the words that all agents share.
    """
    hook = Hook(event, payload, received_ms)
    called = canonical(hook.kind or name(hook.get("hookName")) or "")
    if not called:
        return None
    made = hook.placed(_blank(product)())
    made.session_id = made.root_session_id = hook.session or name(hook.get("conversation_id"))
    made.quality = "no_session" if made.session_id is None else None
    made.turn_id = name(hook.get("prompt_id", "turn_id", "generation_id"))
    made.agent_id, made.agent_type = name(hook.get("agent_id")), name(hook.get("agent_type"))
    made.is_subagent = made.agent_id is not None
    made.hook_event = name(called)
    made.hook_matcher = name(hook.get("tool_name", "toolName")) or ""
    if called == "SessionStart":
        made.hook_matcher = name(hook.get("source")) or ""
    elif called == "SubagentStart":
        made.hook_matcher = made.agent_type or ""
    place = (made.session_id or "", called, str(hook.ts), digest(payload))
    identify(made, *place)
    return made


@lru_cache(maxsize=32)
def _blank(product: str) -> Blank:
    return blank(product, "hook", "hook")


def digest(value: Any) -> str:
    """32 hex digits of a JSON value; they go into keys only, which are hashed again."""
    return blake2b(encoded(value), digest_size=16).hexdigest()


def encoded(value: Any) -> bytes:
    """A value as JSON with sorted members."""
    try:
        return msgspec.json.encode(value, order="deterministic")
    except (TypeError, ValueError, RecursionError):
        # What JSON cannot hold (a lone surrogate), or is nested too deeply, is no argument.
        return b"null"


def decoded(value: Any) -> Any:
    """A value that some builds give as JSON in a text, as itself; all else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return value
