"""Where a reader stands in a Claude Code session file: whose turn, which mode, half-read calls."""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster.agents.blanks import Blank, blank, blank_of
from stationmaster.agents.card import Intake, InvalidRecord
from stationmaster.agents.claude_code import words
from stationmaster.agents.claude_code.calls import Requests
from stationmaster.agents.claude_code.lines import Line
from stationmaster.agents.claude_code.results import Waiting
from stationmaster.agents.claude_code.words import PRODUCT
from stationmaster.agents.values import name, time_ms
from stationmaster.events.identity import event_id
from stationmaster.events.model import Event, Kind

_KINDS: tuple[Kind, ...] = (
    *("model_call", "tool_call", "user_message", "slash_command", "hook", "mode_change"),
    *("session_context", "model_error"),
)
_BLANKS = {kind: blank(PRODUCT, kind, "transcript") for kind in _KINDS}


class _Snapshot(msgspec.Struct, omit_defaults=True):
    """Where a reader stands between two lines: identifiers, counters and half-read events."""

    session: str = ""
    version: str | None = None
    branch: str | None = None
    entrypoint: str | None = None
    context: tuple[str | None, ...] | None = None
    turn: str | None = None
    mode: str | None = None
    is_mode_told: bool = True
    stamp: str | None = None
    call_key: tuple[str, ...] | str | None = None
    call: Event | None = None
    waiting: dict[str, Waiting] = {}
    skills: list[str] = []
    request: Event | None = None
    answers: dict[str, str | None] = {}
    typed: tuple[str, int] | None = None


class Place:
    """What holds from one line to the next, and events that begin with it."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        folders = path.replace("\\", "/").split("/")
        self._stem = folders[-1].removesuffix(".jsonl")
        is_subagent = "subagents" in folders[1:]
        self._root = folders[folders.index("subagents", 1) - 1] if is_subagent else None
        self._agent = self._stem.removeprefix("agent-") if is_subagent else None
        self._cwd: str | None = None
        self._line_session: str | None = None
        self._blanks: dict[Kind, Blank] = {}
        self._timed: tuple[str | None, int] = (None, 0)
        """The last time of a line that was read, and what it is."""
        self._continue_from(msgspec.convert(state, _Snapshot) if state else _Snapshot())

    def state(self) -> dict[str, Any]:
        """JSON-able members: what holds for the next line, and the calls that are half read."""
        snapshot: dict[str, Any] = msgspec.to_builtins(
            _Snapshot(
                session=self._session,
                version=self._version,
                branch=self._branch,
                entrypoint=self._entrypoint,
                context=self._context,
                turn=self._turn,
                mode=self._mode,
                is_mode_told=self._is_mode_told,
                stamp=self._stamp,
                call_key=self._call_key,
                call=self._call,
                waiting=self._waiting,
                skills=self._skills,
                request=self._request,
                answers=self._requests.answers,
                typed=self._typed,
            )
        )
        return snapshot

    def _continue_from(self, snapshot: _Snapshot) -> None:
        self._session = snapshot.session or self._root or self._stem
        self._version = snapshot.version
        self._branch = snapshot.branch
        self._entrypoint = snapshot.entrypoint
        self._context = snapshot.context
        self._turn = snapshot.turn
        self._mode = snapshot.mode
        self._is_mode_told = snapshot.is_mode_told
        self._stamp = snapshot.stamp
        self._call_key = (
            (snapshot.call_key,) if isinstance(snapshot.call_key, str) else snapshot.call_key
        )
        self._call = snapshot.call
        self._waiting = snapshot.waiting
        self._skills = snapshot.skills
        self._request = snapshot.request
        self._requests = Requests(snapshot.answers)
        self._typed = snapshot.typed

    def _turn_page(self, record: Line, intake: Intake) -> None:
        """Take note of a new session, folder, branch or version, and tell it once."""
        if record.cwd is None and record.version is None and self._context is not None:
            # A short line that names no more than its session.
            return
        self._cwd, self._line_session = record.cwd, record.session_id
        self._session = self._root or name(record.session_id) or self._session
        self._branch, self._version = record.git_branch, record.version
        self._entrypoint = record.entrypoint or self._entrypoint
        if record.prompt_source == "sdk" and self._entrypoint is None:
            self._entrypoint = "sdk"
        self._blanks.clear()
        if record.cwd is None and record.version is None:
            return
        cwd = intake.folder(self._session, record.cwd) if record.cwd else None
        context = (self._session, self._version, self._branch, cwd, self._entrypoint)
        if context == self._context or self._stamp is None:
            return
        self._context = context
        event = self._event("session_context", *(part or "" for part in context), self._turn or "")
        event.branch = name(self._branch)
        event.cwd_hash = cwd
        intake.add(event)

    def _blank(self, kind: Kind) -> Event:
        """An event that has everything the events of one page share."""
        make = self._blanks.get(kind)
        if make is None:
            event = _BLANKS[kind]()
            event.session_id = event.root_session_id = self._session
            event.product_version = name(self._version)
            event.client, event.surface = words.client_of_entrypoint(self._entrypoint)
            event.autonomy = words.autonomy(self._mode)
            event.autonomy_raw = name(self._mode)
            if self._agent is not None:
                event.is_subagent = True
                event.agent_id = name(self._agent)
            make = self._blanks[kind] = blank_of(event)
        return make()

    def _ts(self) -> int:
        """The time of the current line, else of the last line that had one."""
        if self._stamp != self._timed[0]:
            ts = time_ms(self._stamp)
            if ts is None:
                raise InvalidRecord("a line has no time")
            self._timed = self._stamp, ts
        elif self._stamp is None:
            raise InvalidRecord("a line has no time")
        return self._timed[1]

    def _event(self, kind: Kind, *key: str) -> Event:
        event = self._blank(kind)
        event.ts = self._ts()
        event.turn_id = self._turn
        event.event_id = event_id(PRODUCT, kind, *key)
        return event

    def _place(self) -> str:
        """What stands in for a missing id: the session and the line's time."""
        return f"{self._session}\0{self._stamp}"

    def _change_mode(self, mode: str | None, intake: Intake) -> None:
        if mode is not None and mode != self._mode:
            self._mode = mode
            self._is_mode_told = False
            self._blanks.clear()
        if self._is_mode_told or self._turn is None or self._stamp is None:
            return
        self._is_mode_told = True
        if words.autonomy(self._mode) is not None:
            intake.add(self._event("mode_change", self._session, self._turn, self._mode or ""))
