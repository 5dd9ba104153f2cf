"""The family's log records as events, each fact from one record.

`api_response` is the model call, `tool_call` the tool call, `user_prompt` the message. What a tool
did to a file is in `file_operation`, and in `tool_call` for tools that log none.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from stationmaster.agents import failures, languages
from stationmaster.agents.gemini_lineage import calls, words
from stationmaster.agents.gemini_lineage.calls import set_tokens, usage_of
from stationmaster.agents.gemini_lineage.lineage import Lineage, set_sender
from stationmaster.agents.interface import Blank, ByName, Intake, Log, NoEvent, Reader, Resource
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import (
    command_name,
    flag,
    lenient,
    milliseconds,
    model_name,
    name,
    whole,
)
from stationmaster.events.model import Event, FileOp, Kind, event_id, identify_in_session

_OUTCOMES: dict[str | None, bool] = {"success": True, "error": False}
_FIGURES = (
    *("input_token_count", "output_token_count", "cached_content_token_count"),
    *("thoughts_token_count", "tool_token_count", "total_token_count"),
)
OPERATIONS: dict[str, FileOp] = {"create": "created", "update": "edited"}
OWN_HOOK = "stationmaster"
"""The program that forwards hooks to us; that it ran shows nothing of the person's hooks."""


class _Metadata(msgspec.Struct, gc=False):
    """What is read of a tool call's metadata."""

    exit_code: Any = msgspec.field(default=None, name="exitCode")
    model_added_lines: Any = None
    model_removed_lines: Any = None


_metadata = lenient(_Metadata)


class Logs:
    """Reads the log records of one agent of the family.

    `reports_consequences`: of a tool call also its consequences.
    """

    def __init__(
        self, lineage: Lineage, blanks: Mapping[Kind, Blank], reports_consequences: bool = True
    ) -> None:
        self._lineage = lineage
        self._reports_consequences = reports_consequences
        self._blanks = blanks
        readers: dict[str, Reader[Log]] = {
            "config": self._read_config,
            "user_prompt": self._read_user_prompt,
            "api_response": self._read_api_response,
            "api_error": self._read_api_error,
            "tool_call": self._read_tool_call,
            "file_operation": self._read_file_operation,
            "slash_command": self._read_slash_command,
            "skill_launch": self._read_skill_launch,
            "hook_call": self._read_hook_call,
            "plan.approval_mode_switch": self._read_mode_switch,
        }
        plain = partial(words.plain_name, prefix=lineage.prefix)
        self.read = ByName(readers, plain, lambda name: words.WORDS.unread(plain(name)))

    def _start(self, kind: Kind, resource: Resource, record: Log) -> Event:
        """An event with what every record reports of its sender and conversation."""
        event = self._blanks[kind]()
        event.ts, event.ts_source = record.time_ms, record.ts_source
        set_sender(event, self._lineage, resource, record.attributes)
        event.turn_id = name(record.attributes.get("prompt_id"))
        return event

    def _read_config(self, resource: Resource, record: Log, intake: Intake) -> None:
        get = record.attributes.get
        event = self._start("session_context", resource, record)
        identify_in_session(event, str(record.time_ms))
        if event.client is None:
            event.client, event.surface = _client_of_config(
                get("output_format"), flag(get("interactive_shell_enabled"))
            )
        if name(get("github_workflow_name")) is not None:
            event.surface = "ci"
        intake.add(event)
        self._add_mode(resource, record, get("approval_mode"), intake)

    def _add_mode(self, resource: Resource, record: Log, mode: Any, intake: Intake) -> None:
        level = words.autonomy(mode)
        if level is None:
            raise NoEvent("not_counted")
        event = self._start("mode_change", resource, record)
        event.autonomy, event.autonomy_raw = level, name(mode)
        identify_in_session(event, str(record.time_ms), mode)
        intake.add(event)

    def _read_mode_switch(self, resource: Resource, record: Log, intake: Intake) -> None:
        self._add_mode(resource, record, record.attributes.get("to_mode"), intake)

    def _read_user_prompt(self, resource: Resource, record: Log, intake: Intake) -> None:
        event = self._start("user_message", resource, record)
        identify_in_session(event, prompt_key(event, self._lineage))
        event.prompt_length = milliseconds(record.attributes.get("prompt_length"))
        intake.add(event)

    def _read_api_error(self, resource: Resource, record: Log, intake: Intake) -> None:
        get = record.attributes.get
        event = self._start("model_error", resource, record)
        event.model = model_name(get("model") or get("model_name"))
        event.duration_ms = milliseconds(get("duration_ms"))
        identify_in_session(event, str(record.time_ms), event.turn_id or "")
        is_aborted = get("error_type") in ("AbortError", "FatalCancellationError")
        status = failures.status_of(get("status_code"))
        failures.set_failure(event, status, "aborted" if is_aborted else "unknown")
        intake.add(event)

    def _read_api_response(self, resource: Resource, record: Log, intake: Intake) -> None:
        get = record.attributes.get
        usage = usage_of(*map(get, _FIGURES))
        if not any(usage):
            raise NoEvent("not_counted")
        event = self._start("model_call", resource, record)
        set_tokens(event, usage, self._lineage.has_thoughts_in_output)
        event.model = model_name(get("model"))
        event.provider = self._lineage.provider
        event.duration_ms = milliseconds(get("duration_ms"))
        words.set_caller(event, name(get("role")), name(get("subagent_name")), event.turn_id)
        event.event_id = call_key(
            event,
            name(get("response_id")),
            (usage.prompt, usage.output),
            str(record.time_ms),
            event.turn_id or "",
            str(usage.total),
        )
        intake.add(event)

    def _read_tool_call(self, resource: Resource, record: Log, intake: Intake) -> None:
        get = record.attributes.get
        event = self._start("tool_call", resource, record)
        tool = name(get("function_name")) or "unknown"
        calls.name_tool(event, tool, name(get("mcp_server_name")))
        arguments = get("function_args")
        call = calls.take(event, calls.arguments_of(arguments))
        metadata = _metadata(get("metadata"))
        event.success = flag(get("success"))
        if whole(metadata.exit_code) not in (None, 0):
            event.success = False
        event.duration_ms = milliseconds(get("duration_ms"))
        event.decision, event.decision_source = words.verdict(
            get("decision"),
            get("error_type"),
            self._lineage.accepts_by_person,
            event.client,
            flag(get("success")),
        )
        if event.decision == "reject":
            event.success = False
        event.tool_call_id = name(get("call_id"))
        # Calls that run side by side may end in one millisecond.
        identify_in_session(
            event,
            *(
                (event.tool_call_id,)
                if event.tool_call_id is not None
                else (
                    str(record.time_ms),
                    tool,
                    str(event.duration_ms),
                    arguments if isinstance(arguments, str) else "",
                )
            ),
        )
        answer = calls.Answer(
            display=calls.Display(
                diff_stat=calls.DiffStat(metadata.model_added_lines, metadata.model_removed_lines)
            )
        )
        if self._reports_consequences and tool not in self._lineage.has_records_of:
            intake.add_all(calls.events_of(self._blanks, call, answer))
        else:
            intake.add(event)

    def _read_file_operation(self, resource: Resource, record: Log, intake: Intake) -> None:
        get = record.attributes.get
        operation = OPERATIONS.get(name(get("operation")) or "")
        if operation is None or name(get("tool_name")) not in self._lineage.has_records_of:
            raise NoEvent("not_counted" if operation is None else "redundant")
        event = self._start("file_change", resource, record)
        event.file_op = operation
        event.file_ext, event.language = language_of(get("extension"), get("programming_language"))
        identify_in_session(
            event, str(record.time_ms), operation, event.file_ext, str(whole(get("lines")))
        )
        intake.add(event)

    def _read_slash_command(self, resource: Resource, record: Log, intake: Intake) -> None:
        command = command_name(record.attributes.get("command"))
        if command is None:
            raise NoEvent("not_counted")
        event = self._start("slash_command", resource, record)
        event.slash_command = command
        event.success = _OUTCOMES.get(name(record.attributes.get("status")))
        identify_in_session(event, str(record.time_ms), command)
        intake.add(event)

    def _read_skill_launch(self, resource: Resource, record: Log, intake: Intake) -> None:
        skill = name(record.attributes.get("skill_name"))
        if skill is None or flag(record.attributes.get("success")) is False:
            raise NoEvent("not_counted")
        event = self._start("skill", resource, record)
        event.skill = skill
        identify_in_session(event, str(record.time_ms), skill)
        intake.add(event)

    def _read_hook_call(self, resource: Resource, record: Log, intake: Intake) -> None:
        get = record.attributes.get
        event = self._start("hook", resource, record)
        if not name_hook(event, get("hook_event_name"), get("hook_name")):
            raise NoEvent("not_counted")
        success = flag(get("success"))
        event.success = success
        event.hook_outcome = None if success is None else "success" if success else "error"
        event.duration_ms = milliseconds(get("duration_ms"))
        identify_in_session(
            event, str(record.time_ms), event.hook_event or "", event.hook_command or ""
        )
        intake.add(event)


def call_key(event: Event, response: str | None, figures: tuple[int, int], *otherwise: str) -> str:
    """The id of a model call: by its response, else by what the caller has instead.

    Figures are part of it because some servers number their responses from the beginning again.
    The record's time is not: that of an export and of its copy in a session file differ.
    """
    session = event.session_id or ""
    place = (response, *map(str, figures)) if response is not None else otherwise
    return event_id(event.product, "model_call", session, *place)


def prompt_key(event: Event, lineage: Lineage) -> str:
    """What distinguishes a message from others of its session: its number, or its time."""
    prompt = event.turn_id
    return prompt if lineage.has_prompt_numbers and prompt is not None else str(event.ts)


def name_hook(event: Event, called: Any, command: Any) -> bool:
    """Set which hook ran, its command without arguments; False for our own, and for none."""
    raw = name(called)
    line = command if isinstance(command, str) else ""
    program = shell.program(line)
    if raw is None or program == OWN_HOOK:
        return False
    event.hook_event, event.source_detail = words.hook_event(raw), raw
    event.hook_matcher = ""
    event.hook_command = name(program)
    return True


def language_of(extension: Any, language: Any) -> tuple[str, str | None]:
    """(extension without its dot, programming language) from what a record reports of both."""
    suffix = name(extension) or ""
    role, from_path = languages.of_path(f"x{suffix}" if suffix.startswith(".") else "")
    return role, from_path or languages.named(name(language))


def _client_of_config(output_format: Any, has_terminal: bool | None) -> tuple[Any, str | None]:
    """(client, surface) of a process that only its settings show: one that answers in JSON has no
    person at it, one that lets people type into commands has."""
    if has_terminal:
        return words.client_of(True)
    is_script = isinstance(output_format, str) and output_format not in ("", "text")
    return words.client_of(False if is_script else None)
