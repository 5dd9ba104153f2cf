"""Reading a Claude Code session file: one line per content block, results in later lines.

Rules: the lines of one model call share a request and repeat its usage, of which the largest
counts; a tool call waits for the line with its result; everything else is an event at once.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

import msgspec

from stationmaster.agents import shell
from stationmaster.agents.blanks import Blank, blank, blank_of
from stationmaster.agents.claude_code import words
from stationmaster.agents.claude_code.lines import (
    BOOKKEEPING,
    Attachment,
    Block,
    Line,
    Message,
    Usage,
    decode_line,
    decode_text,
)
from stationmaster.agents.claude_code.results import (
    Waiting,
    consequences,
    names_of,
    read_input,
    settle,
    skill_event,
)
from stationmaster.agents.claude_code.words import PRODUCT
from stationmaster.agents.dialect import Intake, InvalidRecord
from stationmaster.agents.lenient import NotJson
from stationmaster.agents.values import milliseconds, model_name, name, time_ms, tokens
from stationmaster.events.identity import event_id, path_hash
from stationmaster.events.model import Event, Kind

_COMMAND = re.compile(r"<command-name>\s*/?([^<\s]{1,200})\s*</command-name>")
_NOT_A_PROMPT = (
    *("<local-command-", "<bash-", "<task-notification", "<system-reminder>"),
    "[Request interrupted by user",
)
_SKILLS_KEPT = 500
_KINDS: tuple[Kind, ...] = (
    *("model_call", "tool_call", "user_message", "slash_command", "hook", "mode_change"),
    "session_context",
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
    call_key: str | None = None
    call: Event | None = None
    waiting: dict[str, Waiting] = {}
    skills: list[str] = []
    request: Event | None = None


class ClaudeTranscript:
    """See dialect.Transcript. Half-read calls are kept in the state and told by `finish`."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._path = PurePath(path)
        parts = self._path.parts
        is_subagent = "subagents" in parts[1:]
        self._root = parts[parts.index("subagents", 1) - 1] if is_subagent else None
        self._agent = self._path.stem.removeprefix("agent-") if is_subagent else None
        self._cwd: str | None = None
        self._now = msgspec.convert(state, _Snapshot) if state else _Snapshot()
        self._line_session: str | None = None
        self._blanks: dict[Kind, Blank] = {}
        self._new_page()

    def feed(self, line: bytes, intake: Intake) -> None:
        if line[:9] == b'{"type":"' and line[9 : line.find(b'"', 9)] in BOOKKEEPING:
            intake.drop("not_counted")
            return
        try:
            record = decode_line(line)
        except NotJson:
            if line.strip():
                intake.reject("a line is not JSON")
            return
        try:
            self._read(record, intake)
        except InvalidRecord as fault:
            intake.reject(str(fault))

    def finish(self, intake: Intake) -> None:
        now = self._now
        if now.call is not None:
            intake.add(blank_of(now.call)())
        for waiting in now.waiting.values():
            intake.add(blank_of(waiting.event)())

    def state(self) -> dict[str, Any]:
        snapshot: dict[str, Any] = msgspec.to_builtins(self._now)
        return snapshot

    def _read(self, record: Line, intake: Intake) -> None:
        kind = record.type
        message = record.message
        if kind is None and message is not None:
            # The oldest exports have no type; the message says whose it is.
            kind = message.role or ("assistant" if message.usage is not None else None)
        if record.timestamp is not None:
            self._now.stamp = record.timestamp
        if (
            record.cwd != self._cwd
            or record.git_branch != self._now.branch
            or record.version != self._now.version
            or record.session_id != self._line_session
        ):
            self._turn_page(record, intake)
        if kind == "assistant" and message is not None:
            self._read_assistant(record, message, intake)
        elif kind == "user" and message is not None:
            self._read_user(record, message, intake)
        elif kind == "attachment" and record.attachment is not None:
            self._read_attachment(record, record.attachment, intake)
        elif kind == "progress" and record.data is not None:
            if record.data.type == "hook_progress":
                self._add_hook(record, record.data, intake)
        elif kind == "system":
            self._read_system(record, intake)
        elif kind == "permission-mode":
            self._change_mode(record.permission_mode, intake)
        elif kind == "pr-link":
            self._read_request_link(record, intake)
        else:
            known = kind is not None and kind.encode("utf-8", "replace") in BOOKKEEPING
            intake.drop("not_counted" if known else "unknown_record")

    # -- the conversation's place ---------------------------------------------------------------

    def _turn_page(self, record: Line, intake: Intake) -> None:
        """Take note of a new session, folder, branch or version, and tell it once."""
        if record.cwd is None and record.version is None and record.session_id is None:
            return
        now = self._now
        self._cwd, self._line_session = record.cwd, record.session_id
        now.session = self._root or name(record.session_id) or now.session or self._path.stem
        now.branch, now.version = record.git_branch, record.version
        now.entrypoint = record.entrypoint or now.entrypoint
        if record.prompt_source == "sdk" and now.entrypoint is None:
            now.entrypoint = "sdk"
        self._new_page()
        if record.cwd is None and record.version is None:
            return
        cwd = path_hash(now.session, record.cwd) if record.cwd else None
        context = (now.session, now.version, now.branch, cwd, now.entrypoint)
        if context == now.context or now.stamp is None:
            return
        now.context = context
        event = self._event("session_context", *(part or "" for part in context), now.turn or "")
        event.branch = name(now.branch)
        event.cwd_hash = cwd
        intake.add(event)

    def _new_page(self) -> None:
        """Make blanks that have everything the following events share."""
        now = self._now
        client, surface = words.client_of_entrypoint(now.entrypoint)
        for kind, make in _BLANKS.items():
            event = make()
            event.session_id = event.root_session_id = now.session or self._root or self._path.stem
            event.product_version = name(now.version)
            event.client, event.surface = client, surface
            event.autonomy = words.autonomy(now.mode)
            event.autonomy_raw = name(now.mode)
            if self._agent is not None:
                event.is_subagent = True
                event.agent_id = name(self._agent)
            self._blanks[kind] = blank_of(event)
        self._new_call = self._blanks["model_call"]
        self._new_tool_call = self._blanks["tool_call"]

    def _ts(self) -> int:
        """The time of the current line, else of the last line that had one."""
        ts = time_ms(self._now.stamp)
        if ts is None:
            raise InvalidRecord("a line has no time")
        return ts

    def _event(self, kind: Kind, *key: str) -> Event:
        event = self._blanks[kind]()
        event.ts = self._ts()
        event.turn_id = self._now.turn
        event.event_id = event_id(PRODUCT, kind, *key)
        return event

    def _place(self) -> str:
        """What stands in for a missing id: the session and the line's time."""
        return f"{self._now.session}\0{self._now.stamp}"

    def _change_mode(self, mode: str | None, intake: Intake) -> None:
        now = self._now
        if mode is not None and mode != now.mode:
            now.mode = mode
            now.is_mode_told = False
            self._new_page()
        if now.is_mode_told or now.turn is None or now.stamp is None:
            return
        now.is_mode_told = True
        if words.autonomy(now.mode) is not None:
            intake.add(self._event("mode_change", now.session, now.turn, now.mode or ""))

    # -- model calls and tool calls -------------------------------------------------------------

    def _read_assistant(self, record: Line, message: Message, intake: Intake) -> None:
        if record.is_api_error_message or message.model == "<synthetic>":
            intake.drop("not_counted")
            return
        now = self._now
        usage = message.usage
        if usage is not None:
            key = record.request_id or message.id or record.uuid or self._place()
            if key == now.call_key and now.call is not None:
                self._grow_call(now.call, message, usage)
            else:
                self._start_call(key, record, message, usage, intake)
        content = message.content
        if type(content) is list:
            for block in content:
                if block.type == "tool_use":
                    self._read_tool_use(block, record, intake)

    def _start_call(
        self, key: str, record: Line, message: Message, usage: Usage, intake: Intake
    ) -> None:
        now = self._now
        if now.call is not None:
            intake.add(now.call)
            now.call = now.call_key = None
        event = self._new_call()
        event.ts = self._ts()
        _take_usage(event, usage)
        if event.output_tokens is None and event.input_tokens is None:
            return
        event.event_id = event_id(PRODUCT, "model_call", key)
        event.turn_id = now.turn
        event.model = model_name(message.model)
        event.provider = "anthropic"
        if event.reasoning_tokens or record.effort not in (None, "none", "off"):
            event.model_tier = "thinking"
        else:
            event.model_tier = "standard"
        if record.is_sidechain:
            event.is_subagent = True
            event.agent_id = name(record.agent_id) or event.agent_id
        if message.stop_reason is None:
            event.quality = "output_lower_bound"
        now.call, now.call_key = event, key

    def _grow_call(self, event: Event, message: Message, usage: Usage) -> None:
        """Take the usage of a later line of the same call when it has counted further."""
        if message.stop_reason is not None:
            event.quality = None
        output = tokens(usage.output_tokens)
        if output is not None and output > (event.output_tokens or 0):
            _take_usage(event, usage)

    def _read_tool_use(self, block: Block, record: Line, intake: Intake) -> None:
        names = names_of(block.name)
        event = self._new_tool_call()
        event.ts = self._ts()
        event.turn_id = self._now.turn
        event.tool = names.tool
        event.tool_raw = names.tool_raw
        event.tool_kind = names.kind
        if names.server is not None:
            event.mcp_server_raw = names.server_raw
            event.mcp_server = names.server
            event.mcp_tool = names.mcp_tool
        if record.is_sidechain:
            event.is_subagent = True
            event.agent_id = name(record.agent_id) or event.agent_id
        call_id = name(block.id)
        waiting = Waiting(event)
        if names.has_input:
            read_input(waiting, block)
        if call_id is None:
            event.event_id = event_id(PRODUCT, "tool_call", self._place(), names.tool_raw)
            intake.add(event)
            return
        event.tool_call_id = call_id
        event.event_id = event_id(PRODUCT, "tool_call", call_id)
        self._now.waiting[call_id] = waiting

    def _read_result(self, block: Block, record: Line, intake: Intake) -> None:
        waiting = self._now.waiting.pop(name(block.tool_use_id) or "", None)
        if waiting is None:
            intake.drop("redundant")
            return
        settle(waiting, block, record)
        intake.add(waiting.event)
        if (
            waiting.creations
            or waiting.event.tool_kind != "builtin"
            or (waiting.event.tool_raw in words.FILE_CHANGING)
        ):
            for event in consequences(waiting, record, self._ts()):
                intake.add(event)
                if event.kind == "git_pull_request" and event.pr_url is None:
                    self._now.request = event

    def _read_request_link(self, record: Line, intake: Intake) -> None:
        """A link tells the address of the request just made; by itself it proves no creation."""
        url = shell.request_url(record.pr_url)
        made, self._now.request = self._now.request, None
        if made is None or url is None:
            intake.drop("not_counted")
            return
        event = blank_of(made)()
        event.pr_url = url
        intake.add(event)

    # -- people, hooks --------------------------------------------------------------------------

    def _read_user(self, record: Line, message: Message, intake: Intake) -> None:
        content = message.content
        if type(content) is list:
            has_result = False
            for block in content:
                if block.type == "tool_result":
                    has_result = True
                    self._read_result(block, record, intake)
            if has_result:
                return
        if record.permission_mode is not None:
            self._change_mode(record.permission_mode, intake)
        text, length = _text_of(content)
        if not _is_persons(record, text) or self._agent is not None:
            intake.drop("not_counted")
            return
        turn = name(record.prompt_id) or name(record.uuid) or self._place()
        self._now.turn = turn
        self._change_mode(None, intake)
        command = _COMMAND.search(text[:2_000]) if text.startswith("<command-") else None
        if command is not None and not self._add_command(command.group(1), turn, intake):
            return
        event = self._event("user_message", turn)
        event.prompt_length = length
        intake.add(event)

    def _add_command(self, command: str, turn: str, intake: Intake) -> bool:
        """Tell a slash command; does it reach the model?"""
        event = self._event("slash_command", turn)
        event.slash_command = name(command)
        intake.add(event)
        if command in self._now.skills:
            intake.add(skill_event(event, command, "user-slash"))
        return words.starts_a_turn(command, None)

    def _read_attachment(self, record: Line, attachment: Attachment, intake: Intake) -> None:
        kind = attachment.type or ""
        if kind == "queued_command":
            origin = attachment.origin.kind if attachment.origin is not None else None
            is_prompt = attachment.command_mode in (None, "prompt") and origin in (None, "human")
            if is_prompt and not record.is_sidechain and self._agent is None:
                event = self._event("user_message", name(record.uuid) or self._place())
                event.prompt_length = _length(attachment.prompt)
                intake.add(event)
                return
        elif kind == "skill_listing":
            fresh = [skill for skill in attachment.names or () if len(skill) <= 200]
            self._now.skills = fresh[:_SKILLS_KEPT]
        elif kind.startswith("hook_") and kind != "hook_additional_context":
            self._add_hook(record, attachment, intake)
            return
        intake.drop("not_counted")

    def _add_hook(self, record: Line, hook: Attachment, intake: Intake) -> None:
        command = hook.command
        if command is None and hook.blocking_error is not None:
            command = hook.blocking_error.command
        key = name(hook.tool_use_id) or name(record.tool_use_id) or self._place()
        event = self._event("hook", key, hook.hook_event or "", command or "")
        event.hook_event = name(hook.hook_event)
        event.hook_matcher = (name(hook.hook_name) or "").partition(":")[2]
        event.hook_command = shell.program(command) if command else None
        outcome = (hook.type or "").removeprefix("hook_")
        event.hook_outcome = None if outcome == "progress" else name(outcome)
        event.duration_ms = milliseconds(hook.duration_ms)
        intake.add(event)

    def _read_system(self, record: Line, intake: Intake) -> None:
        if record.subtype == "stop_hook_summary":
            for info in record.hook_infos or ():
                hook = Attachment(hook_event="Stop", command=info.command)
                self._add_hook(record, hook, intake)
            return
        if record.subtype == "local_command" and not record.is_sidechain:
            command = _COMMAND.search(_decoded(record.content)[:2_000])
            if command is not None:
                turn = name(record.prompt_id) or name(record.uuid) or self._place()
                self._add_command(command.group(1), turn, intake)
                return
        intake.drop("not_counted")


def _take_usage(event: Event, usage: Usage) -> None:
    event.input_tokens = tokens(usage.input_tokens)
    event.output_tokens = tokens(usage.output_tokens)
    event.cache_read_tokens = tokens(usage.cache_read_input_tokens)
    event.cache_write_tokens = tokens(usage.cache_creation_input_tokens)
    details = usage.output_tokens_details
    if details is not None:
        event.reasoning_tokens = tokens(details.thinking_tokens)


def _is_persons(record: Line, text: str) -> bool:
    """Did a person (or the caller of a headless run) submit this?"""
    if record.is_meta or record.is_sidechain or record.is_compact_summary:
        return False
    if record.origin is not None and record.origin.kind not in (None, "human"):
        return False
    return not text.startswith(_NOT_A_PROMPT)


def _text_of(content: list[Block] | str | None) -> tuple[str, int]:
    """The first text of a message, to tell what it is, and the length of all of it."""
    if type(content) is str:
        return content, len(content)
    texts = [_decoded(block.text) for block in content or () if block.type == "text"]  # type: ignore[union-attr]
    return (texts[0] if texts else ""), sum(map(len, texts))


def _decoded(raw: msgspec.Raw) -> str:
    try:
        return decode_text(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""


def _length(raw: msgspec.Raw) -> int | None:
    text = _decoded(raw)
    return len(text) if text else None
