"""Reading a Codex session file ("rollout").

Rules: a model call is a running total that has not been seen; a tool call is named by its request
and settled by its completed item, or by its output where there is none; the history that a fork or
a subagent copies from its parent keeps the parent's identities, so that it counts once.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from stationmaster.agents.codex import words
from stationmaster.agents.codex.calls import Calls, OpenCall
from stationmaster.agents.codex.lines import Counts, Line, Payload, Vector, decode_line, set_tokens
from stationmaster.agents.interface import (
    Blanks,
    Intake,
    InvalidRecord,
    NoEvent,
    Prepared,
    blank_of,
)
from stationmaster.agents.values import (
    LineReader,
    model_name,
    name,
    repository,
    tier,
    time_ms,
    word,
)
from stationmaster.events.model import Autonomy, Event, Kind, identify

_BLANKS = Blanks(words.PRODUCT, "transcript")
_CALL_TYPES = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "web_search_call"}
    | {"tool_search_call", "image_generation_call"}
)
_OUTPUT_TYPES = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})
_ITEM_OF_EVENT = {
    "exec_command_end": "CommandExecution",
    "patch_apply_end": "FileChange",
    "mcp_tool_call_end": "McpToolCall",
}
_SETTLING_ITEMS = frozenset(_ITEM_OF_EVENT.values())
_NO_TOTAL = (0, 0, 0, 0, 0)


class Session(msgspec.Struct, omit_defaults=True):
    """What the file has reported of itself so far; all of it is small enough to keep as state."""

    id: str = ""
    origin: str = ""
    """The session whose identities this one's events have: itself, or what it was copied from."""
    root: str = ""
    is_introduced: bool = False
    is_subagent: bool = False
    is_auxiliary: bool = False
    version: str | None = None
    originator: str | None = None
    source: str | None = None
    model: str | None = None
    effort: str | None = None
    turn: str | None = None
    service_tier: str | None = None
    turn_messages: int = 0
    messages_as: str | None = None
    autonomy: Autonomy | None = None
    autonomy_raw: str | None = None
    stamp: str | None = None
    total: Vector = _NO_TOTAL
    open_calls: dict[str, OpenCall] = {}


class CodexTranscript(LineReader[Line]):
    """See agent.Transcript. Calls without an outcome stay in the state; `finish` reports them."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        stem = path.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".jsonl")
        self._now: Session = msgspec.convert(state, Session) if state else Session()
        if not self._now.id:
            # The name ends with the session's id; the first line repeats it.
            self._now.id = stem[-36:]
            self._now.origin = self._now.root = self._now.id
        self._blanks = Prepared(self._begun)
        self._calls = Calls(self.event, self._now.open_calls)

    decode = staticmethod(decode_line)

    def finish(self, intake: Intake) -> None:
        """Add copies of the calls that have no outcome yet."""
        for call in self._now.open_calls.values():
            intake.add(blank_of(call.event)())

    def event(self, kind: Kind) -> Event:
        """A fresh event at the time of the current line, with what all events share."""
        event = self._blanks[kind]()
        ts = time_ms(self._now.stamp)
        if ts is None:
            raise InvalidRecord("a line has no time")
        event.ts = ts
        event.turn_id = self._now.turn
        return event

    def key(self) -> str:
        """The session under which copies of its history have the same identities."""
        return self._now.origin

    def _begun(self, kind: Kind) -> Event:
        now = self._now
        event = _BLANKS[kind]()
        event.session_id = now.id
        event.root_session_id = now.root
        event.is_subagent = now.is_subagent
        event.is_auxiliary = now.is_auxiliary
        event.product_version = now.version
        event.client, event.surface = words.client_of(now.source, now.originator)
        event.autonomy = now.autonomy
        event.autonomy_raw = now.autonomy_raw
        return event

    def _read(self, record: Line, intake: Intake) -> None:
        payload = record.payload
        if payload is None:
            raise NoEvent("unknown_record")
        if record.timestamp is not None:
            self._now.stamp = record.timestamp
        kind = record.type
        detail = payload.type
        if kind == "session_meta":
            self._read_meta(payload, intake)
        elif kind == "turn_context":
            self._read_turn_context(payload, intake)
        elif kind == "token_usage_record":
            if payload.thread_token_usage is not None:
                total = payload.thread_token_usage.vector()
                self._add_call(payload.usage, total, payload.model, intake)
        elif kind == "response_item":
            self._read_response_item(payload, detail, intake)
        elif kind == "event_msg":
            self._read_event(payload, detail, intake)
        else:
            intake.drop("not_counted")

    def _read_meta(self, meta: Payload, intake: Intake) -> None:
        now = self._now
        identity = name(meta.id) or name(meta.session_id)
        forked = name(meta.forked_from_id)
        if now.is_introduced:
            # A copied history brings the line of the session it was copied from.
            if identity == now.origin and forked is not None:
                now.origin = forked
            raise NoEvent("not_counted")
        now.is_introduced = True
        now.id = identity or now.id
        now.root = now.id
        now.origin = forked or now.id
        now.version, now.originator = name(meta.cli_version), name(meta.originator)
        self._read_source(meta.source)
        self._blanks.clear()
        event = self.event("session_context")
        identify(event, now.id)
        if meta.git is not None:
            event.branch = name(meta.git.branch)
            event.repo = repository(meta.git.repository_url)
        if meta.cwd:
            event.cwd_hash = intake.folder(now.id, meta.cwd)
        intake.add(event)

    def _read_source(self, source: Any) -> None:
        """A source is a word, or names the thread of which this one is a helper."""
        now = self._now
        if isinstance(source, str):
            now.source = name(source)
        if not isinstance(source, dict) or "subagent" not in source:
            return
        now.is_subagent = True
        helper = source["subagent"]
        spawned = helper.get("thread_spawn") if isinstance(helper, dict) else None
        parent = name(spawned.get("parent_thread_id")) if isinstance(spawned, dict) else None
        if parent is None:
            # A review or a memory job: the agent's own work, of no conversation.
            now.is_auxiliary = True
            return
        now.root = parent
        if now.origin == now.id:
            now.origin = parent

    def _read_turn_context(self, context: Payload, intake: Intake) -> None:
        now = self._now
        self._start_turn(context.turn_id)
        now.model = name(context.model) or now.model
        now.effort = name(context.effort)
        approval = words.policy(context.approval_policy)
        sandbox = words.sandbox(context.sandbox_policy, context.permission_profile)
        mode = context.collaboration_mode.mode if context.collaboration_mode else None
        level = words.autonomy(approval, sandbox, context.approvals_reviewer, mode)
        raw = f"{approval}/{sandbox}" if mode != "plan" else f"plan/{sandbox}"
        if level is None or (level == now.autonomy and raw == now.autonomy_raw):
            raise NoEvent("not_counted")
        now.autonomy, now.autonomy_raw = level, raw
        self._blanks.clear()
        event = self.event("mode_change")
        identify(event, now.id, now.turn or str(event.ts), raw)
        intake.add(event)

    def _start_turn(self, turn: str | None) -> None:
        turn = name(turn)
        if turn is not None and turn != self._now.turn:
            self._now.turn = turn
            self._now.turn_messages = 0

    def _add_call(
        self, usage: Counts | None, total: Vector, model: str | None, intake: Intake
    ) -> None:
        now = self._now
        if total == now.total:
            raise NoEvent("redundant")
        before, now.total = now.total, total
        if usage is not None:
            vector = usage.vector()
        elif all(new >= old for new, old in zip(total, before, strict=True)):
            vector = cast(Vector, tuple(n - o for n, o in zip(total, before, strict=True)))
        else:
            vector = total
        if not any(vector):
            raise NoEvent("not_counted")
        event = self.event("model_call")
        set_tokens(event, vector)
        event.model = model_name(model or now.model)
        event.provider = "openai"
        event.model_tier = tier(event.reasoning_tokens, now.effort)
        event.service_tier = now.service_tier
        all_input, cached, _, output, reasoning = total
        identify(event, now.origin, f"{all_input},{cached},{output},{reasoning}")
        intake.add(event)

    def _read_token_count(self, payload: Payload, intake: Intake) -> None:
        info = payload.info
        if info is None or (info.total_token_usage is None and info.last_token_usage is None):
            raise NoEvent("not_counted")
        last = info.last_token_usage
        if info.total_token_usage is not None:
            total = info.total_token_usage.vector()
        else:
            added = zip(self._now.total, last.vector() if last else _NO_TOTAL, strict=True)
            total = cast(Vector, tuple(old + new for old, new in added))
        self._add_call(last, total, info.model, intake)

    def _read_event(self, payload: Payload, detail: str | None, intake: Intake) -> None:
        if detail == "token_count":
            self._read_token_count(payload, intake)
        elif detail == "item_completed" and payload.item is not None:
            item = payload.item
            self._start_turn(payload.turn_id)
            if item.type == "UserMessage":
                self._add_message("item", intake)
            elif item.type in _SETTLING_ITEMS:
                self._calls.settle(self.key(), item.type, item, intake)
            else:
                intake.drop("not_counted")
        elif detail == "user_message":
            self._add_message("event", intake)
        elif detail in _ITEM_OF_EVENT:
            self._calls.settle(self.key(), _ITEM_OF_EVENT[detail], payload, intake)
        else:
            if detail == "task_started":
                self._start_turn(payload.turn_id)
            elif detail == "thread_settings_applied" and payload.thread_settings is not None:
                self._now.service_tier = word(payload.thread_settings.service_tier)
            intake.drop("not_counted")

    def _add_message(self, form: str, intake: Intake) -> None:
        """A person's message; a file that writes both forms of it is counted by the first."""
        now = self._now
        now.messages_as = now.messages_as or form
        if now.messages_as != form or now.is_subagent:
            raise NoEvent("redundant")
        event = self.event("user_message")
        now.turn_messages += 1
        place = f"{now.turn}\0{now.turn_messages}" if now.turn else str(event.ts)
        identify(event, now.origin, place)
        intake.add(event)

    def _read_response_item(self, payload: Payload, detail: str | None, intake: Intake) -> None:
        if detail in _CALL_TYPES:
            self._calls.start(self.key(), payload, intake)
        elif detail in _OUTPUT_TYPES:
            self._calls.output(self.key(), payload, intake)
        else:
            intake.drop("not_counted")
