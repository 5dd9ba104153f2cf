"""The events that our plugin forwards: OpenCode's own, each as `{"type": …, …its properties}`.

Read are `session.created`, `session.updated`, `message.updated`, `message.part.updated` and
`command.executed`, and the hook `chat.message` with the members of both its arguments. The plugin
adds `rootSessionID`, the top session, to what happens in a subagent's, and `permission`, what is
configured for the agent (`{}` for nothing), to `chat.message`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from stationmaster.agents.interface import Intake, NoEvent
from stationmaster.agents.opencode import words
from stationmaster.agents.opencode.conversation import (
    Conversation,
    Teller,
    agent_of,
    created,
    place_of,
)
from stationmaster.agents.opencode.records import Message, Part, Session
from stationmaster.agents.values import lenient, moment, name
from stationmaster.events.model import identify

_SETTLED = frozenset({"completed", "error"})
_ID = re.compile(r"[a-z]+_([0-9a-f]{12})", re.ASCII)
_COUNTER_BITS = 12
_TIMES = 2**36
_COPIED_AFTER_MS = 60_000
_PARTS_MAX = 1_000
_session_of, _message_of, _part_of = lenient(Session), lenient(Message), lenient(Part)
_teller = Teller("hook")


def read_hook(event: str | None, payload: dict[str, Any], received_ms: int, intake: Intake) -> None:
    """Take one event's JSON. Raises InvalidRecord."""
    kind = name(payload.get("type")) or event or ""
    reader = _READERS.get(kind)
    try:
        if reader is None:
            raise NoEvent(words.WORDS.unread_hook(kind))
        reader(payload, received_ms, intake)
    except NoEvent as none:
        intake.drop(str(none))


def _place(payload: dict[str, Any], session: str | None, received_ms: int) -> Conversation:
    identity = name(session) or name(payload.get("sessionID")) or ""
    root = name(payload.get("rootSessionID")) or identity
    return Conversation(identity, root, received_ms=received_ms)


def _read_session(payload: dict[str, Any], received_ms: int, intake: Intake) -> None:
    session = _session_of(payload.get("info"))
    place = place_of(session, name(payload.get("rootSessionID")) or name(session.parent_id))
    place.created_ms = place.created_ms or received_ms
    _teller.session(place, intake)


def _read_prompt(payload: dict[str, Any], received_ms: int, intake: Intake) -> None:
    message = _message_of(payload.get("message"))
    message.id = message.id or name(payload.get("messageID"))
    message.agent = message.agent or name(payload.get("agent"))
    parts = payload.get("parts")
    listed = parts[:_PARTS_MAX] if isinstance(parts, list) else ()
    place = _place(payload, message.session_id, received_ms)
    _teller.prompt(place, message, list(map(_part_of, listed)), intake)
    if "permission" in payload or agent_of(message) == words.PLAN:
        _add_mode(place, message, payload.get("permission"), intake)


def _add_mode(place: Conversation, message: Message, permission: Any, intake: Intake) -> None:
    """The level that the session is in from this message on; None where it is unknown."""
    event = _teller.event("mode_change", place, created(message))
    agent = agent_of(message)
    event.autonomy, raw = words.autonomy_of(permission)
    event.autonomy_raw = name(f"{agent}/{raw}") if agent else raw
    if agent == words.PLAN:
        event.autonomy, event.autonomy_raw = "spec", agent
    key = name(message.id) or str(event.ts)
    identify(event, place.id, key)
    intake.add(event)


def _read_message(payload: dict[str, Any], received_ms: int, intake: Intake) -> None:
    message = _message_of(payload.get("info"))
    if message.role != "assistant" or _is_copy(message.id, message.time and message.time.created):
        # A person's message arrives whole as `chat.message`.
        raise NoEvent("redundant")
    _teller.answer(_place(payload, message.session_id, received_ms), message, intake)


def _read_part(payload: dict[str, Any], received_ms: int, intake: Intake) -> None:
    part = _part_of(payload.get("part"))
    state = part.state
    if state is None or state.status not in _SETTLED:
        intake.drop("not_counted")
    elif _is_copy(part.id, state.time and state.time.end):
        intake.drop("redundant")
    else:
        _teller.part(_place(payload, part.session_id, received_ms), Message(), part, intake)


def _read_command(payload: dict[str, Any], received_ms: int, intake: Intake) -> None:
    command = name(payload.get("name"))
    if command is None:
        raise NoEvent("unknown_record")
    message = name(payload.get("messageID")) or str(received_ms)
    _teller.command(_place(payload, None, received_ms), command, message, None, intake)


def _is_copy(identity: str | None, at: Any) -> bool:
    """Was the id made long after what it identifies? A fork copies a history with new ids.

    An id holds the lowest 48 bits of the milliseconds times 4096 plus a counter.
    """
    match = _ID.match(identity or "")
    since = moment(at)
    if match is None or since is None:
        return False
    later = ((int(match[1], 16) >> _COUNTER_BITS) - since) % _TIMES
    return _COPIED_AFTER_MS < later < _TIMES // 2


_READERS: dict[str, Callable[[dict[str, Any], int, Intake], None]] = {
    "session.created": _read_session,
    "session.updated": _read_session,
    "chat.message": _read_prompt,
    "message.updated": _read_message,
    "message.part.updated": _read_part,
    "command.executed": _read_command,
}
