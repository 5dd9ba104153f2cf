"""The position of a reader in a Claude Code session file: whose turn, which mode, half-read
calls."""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster.agents.claude_code import words
from stationmaster.agents.claude_code.calls import Requests
from stationmaster.agents.claude_code.lines import Line
from stationmaster.agents.claude_code.results import Waiting
from stationmaster.agents.claude_code.words import PRODUCT
from stationmaster.agents.interface import Blanks, Intake, InvalidRecord, Prepared, Transcript
from stationmaster.agents.values import name, time_ms
from stationmaster.events.model import Event, Kind, identify

BLANKS = Blanks(PRODUCT, "transcript")


class _Snapshot(msgspec.Struct, omit_defaults=True):
    """The state of a reader between two lines: identifiers, counters and half-read events."""

    session: str = ""
    version: str | None = None
    branch: str | None = None
    entrypoint: str | None = None
    context: tuple[str | None, ...] | None = None
    turn: str | None = None
    mode: str | None = None
    # States are stored: this member keeps its older name there.
    is_mode_reported: bool = msgspec.field(default=True, name="is_mode_told")
    stamp: str | None = None
    call_key: tuple[str, ...] | str | None = None
    call: Event | None = None
    waiting: dict[str, Waiting] = {}
    skills: list[str] = []
    request: Event | None = None
    answers: dict[str, str | None] = {}
    typed: tuple[str, int] | None = None


class TranscriptState(Transcript):
    """What holds from one line to the next, and events that begin with it."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        folders = path.replace("\\", "/").split("/")
        self._stem = folders[-1].removesuffix(".jsonl")
        is_subagent = "subagents" in folders[1:]
        self._root = folders[folders.index("subagents", 1) - 1] if is_subagent else None
        self._agent = self._stem.removeprefix("agent-") if is_subagent else None
        self._cwd: str | None = None
        self._line_session: str | None = None
        self._blanks = Prepared(self._begun)
        self._timed: tuple[str | None, int] = (None, 0)
        """The last time of a line that was read, and what it is."""
        self._now: _Snapshot = msgspec.convert(state, _Snapshot) if state else _Snapshot()
        self._now.session = self._now.session or self._root or self._stem
        if isinstance(self._now.call_key, str):
            # As older versions wrote it.
            self._now.call_key = (self._now.call_key,)
        self._requests = Requests(self._now.answers)

    def _turn_page(self, record: Line, intake: Intake) -> None:
        """Note a new session, folder, branch or version, and report it once."""
        if record.cwd is None and record.version is None and self._now.context is not None:
            # A short line that names no more than its session.
            return
        self._cwd, self._line_session = record.cwd, record.session_id
        self._now.session = self._root or name(record.session_id) or self._now.session
        self._now.branch, self._now.version = record.git_branch, record.version
        self._now.entrypoint = record.entrypoint or self._now.entrypoint
        if record.prompt_source == "sdk" and self._now.entrypoint is None:
            self._now.entrypoint = "sdk"
        self._blanks.clear()
        if record.cwd is None and record.version is None:
            return
        cwd = intake.folder(self._now.session, record.cwd) if record.cwd else None
        now = self._now
        context = (now.session, now.version, now.branch, cwd, now.entrypoint)
        if context == self._now.context or self._now.stamp is None:
            return
        self._now.context = context
        event = self._event(
            "session_context", *(part or "" for part in context), self._now.turn or ""
        )
        event.branch = name(self._now.branch)
        event.cwd_hash = cwd
        intake.add(event)

    def _begun(self, kind: Kind) -> Event:
        """An event that has everything the events of one page share."""
        event = BLANKS[kind]()
        event.session_id = event.root_session_id = self._now.session
        event.product_version = name(self._now.version)
        event.client, event.surface = words.client_of_entrypoint(self._now.entrypoint)
        event.autonomy = words.WORDS.autonomy.get(self._now.mode or "")
        event.autonomy_raw = name(self._now.mode)
        if self._agent is not None:
            event.is_subagent = True
            event.agent_id = name(self._agent)
        return event

    def _ts(self) -> int:
        """The time of the current line, else of the last line that had one."""
        if self._now.stamp != self._timed[0]:
            ts = time_ms(self._now.stamp)
            if ts is None:
                raise InvalidRecord("a line has no time")
            self._timed = self._now.stamp, ts
        elif self._now.stamp is None:
            raise InvalidRecord("a line has no time")
        return self._timed[1]

    def _event(self, kind: Kind, *key: str) -> Event:
        event = self._blanks[kind]()
        event.ts = self._ts()
        event.turn_id = name(self._now.turn)
        identify(event, *key)
        return event

    def _place(self) -> str:
        """What replaces a missing id: the session and the line's time."""
        return f"{self._now.session}\0{self._now.stamp}"

    def _change_mode(self, mode: str | None, intake: Intake) -> None:
        if mode is not None and mode != self._now.mode:
            self._now.mode = mode
            self._now.is_mode_reported = False
            self._blanks.clear()
        if self._now.is_mode_reported or self._now.turn is None or self._now.stamp is None:
            return
        self._now.is_mode_reported = True
        if words.WORDS.autonomy.get(self._now.mode or "") is not None:
            intake.add(
                self._event("mode_change", self._now.session, self._now.turn, self._now.mode or "")
            )
