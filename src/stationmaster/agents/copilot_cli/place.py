"""The position of a reader in a Copilot session file, and events that begin with it."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from stationmaster.agents.calls import Call
from stationmaster.agents.copilot_cli import words
from stationmaster.agents.copilot_cli.lines import Context, Line
from stationmaster.agents.copilot_cli.words import PRODUCT
from stationmaster.agents.interface import Blanks, Intake, InvalidRecord, Prepared
from stationmaster.agents.values import name, repository
from stationmaster.events.model import Client, Event, Kind, Source, identify

_SOURCES: tuple[Source, ...] = ("transcript", "sidecar")
"""The sums at the end of a process are no calls, and rank behind sources that report calls."""
_BLANKS = {source: Blanks(PRODUCT, source) for source in _SOURCES}
_HOSTS = {"github": "github.com", "ado": "dev.azure.com"}


class OpenCall(msgspec.Struct):
    """A tool call without an outcome. One that was only requested is none: the request may have had
    no effect."""

    call: Call
    is_started: bool = False


class Leg(msgspec.Struct, omit_defaults=True):
    """The token figures of a session since its process started or was resumed."""

    number: int = 0
    has_records: bool = False
    totals: dict[str, list[int]] = {}
    """The sums of the last end, by model, in the order of a Vector."""
    # States are stored: this member keeps its older name there.
    reported: dict[str, int] = msgspec.field(default_factory=dict, name="told")
    """The output that messages have reported since then, by model."""
    message: str | None = None
    message_output: int = 0


class Session(msgspec.Struct, omit_defaults=True):
    """What the file has reported of itself so far; all of it is small enough to keep as state."""

    id: str = ""
    is_auxiliary: bool = False
    version: str | None = None
    model: str | None = None
    effort: str | None = None
    mode: str | None = None
    permissions: str | None = None
    client: Client | None = None
    interaction: str | None = None
    at: int | None = None
    leg: Leg = msgspec.field(default_factory=Leg)
    calls: dict[str, OpenCall] = {}
    asked_by_person: list[str] = []


class TranscriptState:
    """What holds from one line to the next. `now` is the state; `line` the current line."""

    def __init__(self, path: str, state: dict[str, Any] | None) -> None:
        self.now = msgspec.convert(state, Session) if state else Session()
        if not self.now.id:
            # A folder has the session's id; so had the file, before there were folders.
            *_, folder, base = ("", *path.replace("\\", "/").split("/"))
            stem = base.removesuffix(".jsonl")
            self.now.id = name(folder if stem == "events" else stem) or ""
        self.line = Line()
        self.turn_page()

    def turn_page(self) -> None:
        """What events begin with has changed."""
        self._blanks = {source: Prepared(partial(self._begun, source)) for source in _SOURCES}

    def event(self, kind: Kind, source: Source = "transcript") -> Event:
        """A fresh event at the time of the current line, or of the last one that had a time. Raises
        InvalidRecord before any had."""
        if self.now.at is None:
            raise InvalidRecord("a line has no time")
        event = self._blanks[source][kind]()
        event.ts = self.now.at
        event.turn_id = self.now.interaction
        agent, data = name(self.line.agent_id), self.line.data
        if agent is not None or (data is not None and data.parent_tool_call_id is not None):
            event.is_subagent, event.agent_id = True, agent
        return event

    def identified(self, kind: Kind, *key: str) -> Event:
        """A fresh event with its identity: the session and the key."""
        event = self.event(kind)
        identify(event, self.now.id, *key)
        return event

    def line_id(self) -> str:
        """What identifies the current line; lines without an id are distinguished by their time."""
        return name(self.line.id) or str(self.now.at)

    def set_context(self, event: Event, context: Context, intake: Intake) -> None:
        """Set where the session runs: folder, branch, repository."""
        if context.cwd:
            event.cwd_hash = intake.folder(self.now.id, context.cwd)
        event.branch = name(context.branch)
        event.repo = repository_of(context.repository, context.repository_host, context.host_type)

    def _begun(self, source: Source, kind: Kind) -> Event:
        now = self.now
        event = _BLANKS[source][kind]()
        event.session_id = event.root_session_id = now.id
        event.is_auxiliary = now.is_auxiliary
        event.product_version = now.version
        event.client = now.client
        event.autonomy = words.autonomy(now.mode, now.permissions)
        event.autonomy_raw = "/".join(filter(None, (now.permissions, now.mode))) or None
        return event


def repository_of(path: Any, host: Any, kind: Any) -> str | None:
    """A repository as `host/owner/name` from an address, or from a path and its host or the kind
    of it; None when the host is not known."""
    if not isinstance(path, str) or not path:
        return None
    where = host if isinstance(host, str) and host else _HOSTS.get(str(kind))
    return repository(path) or (repository(f"https://{where}/{path}") if where else None)
