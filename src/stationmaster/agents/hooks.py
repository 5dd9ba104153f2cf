"""The JSON of a hook, in the form that several agents share: who says it, when, and what of.

Beside what happened in the agent, each such JSON tells that a hook ran: our own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from stationmaster.agents.blanks import Blank, blank
from stationmaster.agents.card import Intake
from stationmaster.agents.given import digest
from stationmaster.agents.values import moment, name
from stationmaster.events.identity import event_id, path_hash
from stationmaster.events.model import Event


class Hook:
    """One hook. `kind` is its event, "" when nobody says; `session` is None when it is not told.

    `event` and `received_ms` are those of card.Agent.hook.
    """

    def __init__(self, event: str | None, given: dict[str, Any], received_ms: int) -> None:
        self._given = given
        self.kind = name(given.get("hook_event_name")) or event or ""
        self.session = name(self.get("session_id", "sessionId"))
        at = moment(given.get("timestamp"))
        self.ts, self.ts_source = (received_ms, "received") if at is None else (at, "event")

    def get(self, *spellings: str) -> Any:
        """A field by the first of its names that is there."""
        return next(
            (self._given[spelling] for spelling in spellings if spelling in self._given), None
        )

    def text(self, *spellings: str) -> str | None:
        """A field that is a text; None for all else."""
        value = self.get(*spellings)
        return value if isinstance(value, str) else None

    def event(self, make: Blank) -> Event:
        """A fresh event at the hook's time, in its session."""
        event = make()
        event.ts, event.ts_source = self.ts, self.ts_source
        event.session_id = event.root_session_id = self.session
        if self.session is None:
            event.quality = "no_session"
        return event

    def boundary(self, make: Blank) -> Event:
        """The start or the end of a session, with what it says of that."""
        event = self.event(make)
        event.event_id = event_id(event.product, event.kind, self.session or "", str(self.ts))
        event.source_detail = name(self.get("source", "reason"))
        cwd = self.text("cwd")
        if cwd:
            event.cwd_hash = path_hash(self.session or "", cwd)
        return event


def read_by(
    product: str,
    read: Callable[[str | None, dict[str, Any], int, Intake], None],
    canonical: Callable[[str], str] = str,
) -> Callable[[str | None, dict[str, Any], int, Intake], None]:
    """What takes a hook of an agent: its own reader, and beside it that the hook ran."""

    def hook(event: str | None, given: dict[str, Any], received_ms: int, intake: Intake) -> None:
        read(event, given, received_ms, intake)
        intake.add_if(execution(product, event, given, received_ms, canonical))

    return hook


def execution(
    product: str,
    event: str | None,
    given: dict[str, Any],
    received_ms: int,
    canonical: Callable[[str], str] = str,
) -> Event | None:
    """That a hook ran, whatever it tells; None where its event is not named.

    `canonical` gives an agent's names of hook events the words that all agents share.
    """
    hook = Hook(event, given, received_ms)
    called = canonical(hook.kind or name(hook.get("hookName")) or "")
    if not called:
        return None
    made = hook.event(_execution(product))
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
    place = (made.session_id or "", called, str(hook.ts), digest(given))
    made.event_id = event_id(product, "hook", *place)
    return made


@lru_cache(maxsize=32)
def _execution(product: str) -> Blank:
    return blank(product, "hook", "hook")
