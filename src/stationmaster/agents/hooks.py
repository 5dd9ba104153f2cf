"""The JSON of a hook, in the form that several agents share: who says it, when, and what of."""

from __future__ import annotations

from typing import Any

from stationmaster.agents.blanks import Blank
from stationmaster.agents.values import moment, name
from stationmaster.events.identity import event_id, path_hash
from stationmaster.events.model import Event


class Hook:
    """One hook. `kind` is its event, "" when nobody says; `session` is None when it is not told.

    `event` and `received_ms` are those of dialect.Agent.hook.
    """

    def __init__(self, event: str | None, given: dict[str, Any], received_ms: int) -> None:
        self._given = given
        self.kind = name(given.get("hook_event_name")) or event or ""
        self.session = name(self.get("session_id", "sessionId"))
        at = moment(given.get("timestamp"))
        self.ts, self.ts_source = (received_ms, "received") if at is None else (at, "event")

    def get(self, *spellings: str) -> Any:
        """A field by the first of its names that is there."""
        return next((self._given[one] for one in spellings if one in self._given), None)

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
