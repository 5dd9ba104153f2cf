"""Reading a Claude Code session file: one line per content block, results in later lines.

Rules: the lines of one model call share a request and repeat its usage, of which the largest
counts; a tool call waits for the line with its result; everything else is an event immediately.
"""

from __future__ import annotations

from stationmaster.agents.claude_code import attempts, calls, words
from stationmaster.agents.claude_code.lines import (
    BOOKKEEPING,
    BOOKKEEPING_NAMES,
    Attachment,
    Block,
    Line,
    Message,
    Progress,
    Usage,
    command_of,
    decode_line,
    decode_lines,
    is_persons,
    length_of,
    text_of,
)
from stationmaster.agents.claude_code.place import BLANKS, TranscriptState
from stationmaster.agents.claude_code.results import (
    Waiting,
    consequences,
    names_of,
    read_input,
    settle,
    skill_event,
)
from stationmaster.agents.interface import Intake, NoEvent, blank_of
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import (
    UNFIT,
    NotJson,
    command_name,
    decode_slowly,
    hook_success,
    milliseconds,
    name,
    take,
    text,
    tokens,
)
from stationmaster.events.model import Event, identify

_CONVERSATION = frozenset({"assistant", "user"})
_SKILLS_KEPT = 500
_OWN_HOOK = "callback"
"""What replaces a command where a hook is the program's own."""
_COMMAND_ENDS_WITHIN_MS = 60_000


class ClaudeTranscript(TranscriptState):
    """See agent.Transcript. Half-read calls are kept in the state and reported by `finish`."""

    def feed(self, line: bytes, intake: Intake) -> None:
        """Take one line; bookkeeping is dropped undecoded, what is no JSON is rejected."""
        if line[:9] == b'{"type":"' and line[9 : line.find(b'"', 9)] in BOOKKEEPING:
            intake.drop("not_counted")
            return
        try:
            record = decode_line(line)
        except UNFIT:
            if not line.strip():
                return
            try:
                record = decode_slowly(Line, line)
            except NotJson:
                intake.reject("a line is not JSON")
                return
        take(self._read, record, intake)

    def feed_lines(self, lines: bytes, intake: Intake) -> None:
        """Take several whole lines; decoded together, and one by one where that fails."""
        try:
            records = decode_lines(lines)
        except UNFIT:
            for line in lines.split(b"\n"):
                self.feed(line, intake)
            return
        for record in records:
            take(self._read, record, intake)

    def finish(self, intake: Intake) -> None:
        """Add copies of the model call and the tool calls that later lines may complete."""
        if self._now.call is not None:
            intake.add(blank_of(self._now.call)())
        for waiting in self._now.waiting.values():
            intake.add(blank_of(waiting.event)())

    def _read(self, record: Line, intake: Intake) -> None:
        kind = record.type
        message = record.message
        if kind is None and message is not None:
            # The oldest exports have no type; the message states whose it is.
            kind = message.role or ("assistant" if message.usage is not None else None)
        if kind not in _CONVERSATION and kind in BOOKKEEPING_NAMES:
            intake.drop("not_counted")
            return
        if record.timestamp is not None:
            self._now.stamp = record.timestamp
        if (
            record.cwd != self._cwd
            or record.git_branch != self._now.branch
            or record.version != self._now.version
            or record.session_id != self._line_session
        ):
            self._turn_page(record, intake)
        if message is not None and kind == "assistant":
            self._read_assistant(record, message, intake)
        elif message is not None and kind == "user":
            self._read_user(record, message, intake)
        else:
            self._read_other(kind, record, intake)

    def _read_other(self, kind: str | None, record: Line, intake: Intake) -> None:
        if kind == "attachment" and record.attachment is not None:
            self._read_attachment(record, record.attachment, intake)
        elif kind == "progress" and record.data is not None:
            self._read_progress(record, record.data, intake)
        elif kind == "system":
            self._read_system(record, intake)
        elif kind == "permission-mode":
            self._change_mode(record.permission_mode, intake)
        elif kind == "pr-link":
            self._read_request_link(record, intake)
        else:
            intake.drop("unknown_record")

    def _read_assistant(self, record: Line, message: Message, intake: Intake) -> None:
        if record.is_api_error_message or message.model == "<synthetic>":
            raise NoEvent("not_counted")
        usage = message.usage
        if usage is not None:
            key = self._requests.key(record, message) or (self._place(),)
            if key == self._now.call_key and self._now.call is not None:
                self._grow_call(self._now.call, message, usage)
            else:
                if self._now.call is not None:
                    intake.add(self._now.call)
                self._now.call = self._model_call(key, record, message, usage)
                self._now.call_key = key
        content = message.content
        if type(content) is list:
            for block in content:
                if block.type == "tool_use":
                    self._read_tool_use(block, record, intake)

    def _model_call(
        self, key: tuple[str, ...], record: Line, message: Message, usage: Usage
    ) -> Event | None:
        """The model call of an answer; None for one without any figure."""
        event = self._blanks["model_call"]()
        event.ts = self._ts()
        calls.fill(event, record, message, usage)
        if event.output_tokens is None and event.input_tokens is None:
            return None
        identify(event, *key)
        event.turn_id = name(self._now.turn)
        if record.is_sidechain:
            event.is_subagent = True
            event.agent_id = name(record.agent_id) or event.agent_id
        return event

    def _grow_call(self, event: Event, message: Message, usage: Usage) -> None:
        """Take the usage of a later line of the same call when it has counted further."""
        if message.stop_reason is not None:
            event.quality = None
        output = tokens(usage.output_tokens)
        if output is not None and output > (event.output_tokens or 0):
            calls.take_usage(event, usage)

    def _read_tool_use(self, block: Block, record: Line, intake: Intake) -> None:
        names = names_of(block.name)
        event = self._blanks["tool_call"]()
        event.ts = self._ts()
        event.turn_id = name(self._now.turn)
        names.fill(event)
        if record.is_sidechain:
            event.is_subagent = True
            event.agent_id = name(record.agent_id) or event.agent_id
        call_id = name(block.id)
        waiting = Waiting(event)
        if names.has_input:
            read_input(waiting, block)
        if call_id is None:
            identify(event, self._place(), names.tool_raw)
            intake.add(event)
            return
        event.tool_call_id = call_id
        identify(event, call_id)
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
            for event in consequences(waiting, record, self._ts(), BLANKS):
                intake.add(event)
                if event.kind == "git_pull_request" and event.pr_url is None:
                    self._now.request = event

    def _read_request_link(self, record: Line, intake: Intake) -> None:
        """A link has the address of the request just made; by itself it proves no creation."""
        url = shell.request_url(record.pr_url)
        made, self._now.request = self._now.request, None
        if made is None or url is None:
            raise NoEvent("not_counted")
        event = blank_of(made)()
        event.pr_url = url
        intake.add(event)

    def _read_progress(self, record: Line, progress: Progress, intake: Intake) -> None:
        """What a subagent does, which older versions repeat in the session that waits for it.

        The subagent's own file has the same records under the same ids, but may be deleted.
        """
        if progress.type == "hook_progress":
            self._add_hook(record, progress, intake)
            return
        line = progress.message
        message = line.message if type(line) is Line else None
        if line is None or message is None or type(message.content) is not list:
            raise NoEvent("not_counted")
        line.is_sidechain, line.agent_id = True, progress.agent_id
        self._now.stamp = line.timestamp or self._now.stamp
        if line.type == "assistant":
            self._read_answer_of_subagent(line, message, intake)
        elif line.type == "user":
            for block in message.content:
                if block.type == "tool_result":
                    self._read_result(block, line, intake)

    def _read_answer_of_subagent(self, line: Line, message: Message, intake: Intake) -> None:
        key = self._requests.key(line, message)
        if message.usage is not None and key and message.model != "<synthetic>":
            call = self._model_call(key, line, message, message.usage)
            if call is not None:
                intake.add(call)
        for block in message.content or ():
            if type(block) is Block and block.type == "tool_use" and block.id:
                self._read_tool_use(block, line, intake)

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
        prompt, length = text_of(content)
        if not is_persons(record, prompt) or self._agent is not None:
            raise NoEvent("not_counted")
        turn = name(record.prompt_id) or name(record.uuid) or self._place()
        self._now.turn = turn
        self._change_mode(None, intake)
        command = command_of(prompt) if prompt.startswith("<command-") else None
        if command is not None:
            self._now.typed = (command, self._ts())
        if command is not None and not self._add_command(command, turn, intake):
            return
        event = self._event("user_message", turn)
        event.prompt_length = length
        intake.add(event)

    def _is_repeated(self, command: str) -> bool:
        """Was this command typed just now? Some versions note what it printed as a second one."""
        typed, self._now.typed = self._now.typed, None
        return (
            typed is not None
            and typed[0] == command
            and 0 <= self._ts() - typed[1] <= _COMMAND_ENDS_WITHIN_MS
        )

    def _add_command(self, command: str, turn: str, intake: Intake) -> bool:
        """Report a slash command; does it reach the model?"""
        event = self._event("slash_command", turn)
        event.slash_command = command_name(command)
        intake.add(event)
        if command in self._now.skills:
            intake.add(skill_event(event, command, "user-slash", BLANKS))
        return words.starts_a_turn(command, None)

    def _read_attachment(self, record: Line, attachment: Attachment, intake: Intake) -> None:
        kind = attachment.type or ""
        if kind == "queued_command":
            origin = attachment.origin.kind if attachment.origin is not None else None
            is_prompt = attachment.command_mode in (None, "prompt") and origin in (None, "human")
            if is_prompt and not record.is_sidechain and self._agent is None:
                event = self._event("user_message", name(record.uuid) or self._place())
                event.prompt_length = length_of(attachment.prompt)
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
        if command == _OWN_HOOK:
            intake.drop("not_counted")
            return
        key = name(hook.tool_use_id) or name(record.tool_use_id) or self._place()
        event = self._event("hook", key, hook.hook_event or "", command or "")
        event.hook_event = name(hook.hook_event)
        event.hook_matcher = (name(hook.hook_name) or "").partition(":")[2]
        event.hook_command = shell.program(command) if command else None
        outcome = (hook.type or "").removeprefix("hook_")
        event.hook_outcome = None if outcome == "progress" else name(outcome)
        event.success = hook_success(event.hook_outcome)
        event.duration_ms = milliseconds(hook.duration_ms)
        intake.add(event)

    def _read_system(self, record: Line, intake: Intake) -> None:
        if record.subtype == "stop_hook_summary":
            for info in record.hook_infos or ():
                hook = Attachment(hook_event="Stop", command=info.command)
                self._add_hook(record, hook, intake)
            return
        if record.subtype == "local_command" and not record.is_sidechain:
            command = command_of(text(record.content))
            if command is not None and self._is_repeated(command):
                raise NoEvent("redundant")
            if command is not None:
                turn = name(record.prompt_id) or name(record.uuid) or self._place()
                self._add_command(command, turn, intake)
                return
        if record.subtype == "api_error":
            event = self._blanks["model_error"]()
            event.ts, event.turn_id = self._ts(), name(self._now.turn)
            place = name(record.uuid) or self._place()
            identify(event, place)
            attempts.set_fault(event, record)
            intake.add(event)
            return
        intake.drop("not_counted")
