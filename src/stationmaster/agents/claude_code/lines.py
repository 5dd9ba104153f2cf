"""The lines of a Claude Code session file, with only the fields that are read.

The decoder skips every other field unread, so that a megabyte of content costs next to nothing.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from stationmaster.agents import values
from stationmaster.agents.claude_code.words import WORDS
from stationmaster.agents.values import decoder, lenient

_COMMAND = re.compile(r"<command-name>\s*/?([^<\s]{1,200})\s*</command-name>")
_NOT_A_PROMPT = (
    *("<local-command-", "<bash-", "<task-notification", "<system-reminder>"),
    "[Request interrupted by user",
)
_COMMAND_WITHIN = 2_000

BOOKKEEPING_NAMES = WORDS.names["bookkeeping"]
"""Line types that carry nothing to count; they begin their lines, so no decoding is needed."""
BOOKKEEPING = frozenset(kind.encode() for kind in BOOKKEEPING_NAMES)


class Block(Struct, gc=False):
    """One block of a message's content: text, a tool call or the result of one."""

    type: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw()
    text: Raw = Raw()
    tool_use_id: str | None = None
    is_error: bool | None = None


class OutputDetails(Struct, gc=False):
    """What of a call's output tokens was thinking."""

    thinking_tokens: Any = None


class CacheCreation(Struct, gc=False):
    """Tokens written to the prompt cache, of which those that stay for an hour are read."""

    ephemeral_1h_input_tokens: Any = None


class Usage(Struct, gc=False):
    """The token counts of one model call; input excludes what was read from or written to cache."""

    input_tokens: Any = None
    output_tokens: Any = None
    cache_read_input_tokens: Any = None
    cache_creation_input_tokens: Any = None
    output_tokens_details: OutputDetails | None = None
    cache_creation: CacheCreation | None = None
    speed: str | None = None
    service_tier: str | None = None
    inference_geo: str | None = None


class Message(Struct, gc=False):
    """A message as the API has it; only answers of a model have `usage` and a model."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: list[Block] | str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None


class Origin(Struct, gc=False):
    """The origin of a message; its kind is `human` where a person wrote it."""

    kind: str | None = None


class Decision(Struct, gc=False):
    """Whether a tool call was accepted or rejected, and by what."""

    decision: str | None = None
    source: str | None = None


class HookInfo(Struct, gc=False):
    """One of the hooks that ran as a turn ended."""

    command: str | None = None


class HookFault(Struct, gc=False):
    """The hook that blocked what its event was about."""

    command: str | None = None


class Attachment(Struct, gc=False, rename="camel"):
    """What the program adds to a conversation: queued prompts, skills, outcomes of hooks."""

    type: str | None = None
    hook_event: str | None = None
    hook_name: str | None = None
    command: str | None = None
    tool_use_id: str | None = field(default=None, name="toolUseID")
    exit_code: Any = None
    duration_ms: Any = None
    prompt: Raw = Raw()
    command_mode: str | None = None
    origin: Origin | None = None
    names: list[str] | None = None
    blocking_error: HookFault | None = None


class Progress(Attachment, gc=False):
    """The `data` of an older progress line."""

    message: Line | None = None
    agent_id: str | None = None


class Fault(Struct, gc=False):
    """The `error` of a line of the system about a failed attempt."""

    status: Any = None
    connection: Raw = Raw()


class Line(Struct, gc=False, rename="camel"):
    """One line of a session file; its `type` determines which members are set."""

    type: str | None = None
    message: Message | None = None
    timestamp: str | None = None
    session_id: str | None = None
    request_id: str | None = None
    uuid: str | None = None
    prompt_id: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    error: Raw = Raw()
    agent_id: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    prompt_source: str | None = None
    effort: str | None = None
    permission_mode: str | None = None
    permission_decision: Decision | None = None
    tool_denial_kind: str | None = None
    tool_use_result: Raw = Raw()
    origin: Origin | None = None
    attachment: Attachment | None = None
    data: Progress | None = None
    subtype: str | None = None
    hook_infos: list[HookInfo] | None = None
    tool_use_id: str | None = field(default=None, name="toolUseID")
    pr_url: str | None = None
    content: Raw = Raw()


class ToolInput(Struct, gc=False):
    """The arguments of a tool call that name a file, a shell command or a skill."""

    file_path: str | None = None
    notebook_path: str | None = None
    command: str | None = None
    skill: str | None = None


class PatchHunk(Struct, gc=False):
    """One hunk of a patch: its lines with their `+`, `-` or space."""

    lines: list[str] = []


class GitCommit(Struct, gc=False):
    """A commit that a shell command made: its hash, and how it was made."""

    sha: str | None = None
    kind: str | None = None


class GitOperation(Struct, gc=False):
    """What a shell command did in a git repository."""

    commit: GitCommit | None = None


class FileResult(Struct, gc=False, rename="camel"):
    """What an editing tool answered."""

    type: str | None = None
    file_path: str | None = None
    content: str | None = None
    structured_patch: list[PatchHunk] | None = None


class ShellResult(Struct, gc=False, rename="camel"):
    """What a shell tool answered."""

    stdout: str | None = None
    git_operation: GitOperation | None = None


_decoder = msgspec.json.Decoder(Line)
decode_line = _decoder.decode
decode_lines = _decoder.decode_lines
input_of = lenient(ToolInput)
decode_file_result = decoder(FileResult)
decode_shell_result = decoder(ShellResult)


def command_of(text: str) -> str | None:
    """The slash command a message's text invokes, without its slash; None when it invokes none."""
    match = _COMMAND.search(text[:_COMMAND_WITHIN])
    return match.group(1) if match else None


def is_persons(record: Line, text: str) -> bool:
    """Did a person (or the caller of a headless run) submit this?"""
    if record.is_meta or record.is_sidechain or record.is_compact_summary:
        return False
    if record.origin is not None and record.origin.kind not in (None, "human"):
        return False
    return not text.startswith(_NOT_A_PROMPT)


def text_of(content: list[Block] | str | None) -> tuple[str, int]:
    """The first text of a message, to determine what it is, and the length of all of it.

    Texts that the program puts before a person's own are left out, unless there are no others.
    """
    if type(content) is str:
        return content, len(content)
    blocks = content if type(content) is list else []
    texts = [values.text(block.text) for block in blocks if block.type == "text"]
    own = [text for text in texts if not text.startswith("<system-reminder>")]
    if texts and not own and not any(block.type == "image" for block in blocks):
        own = texts
    return (own[0] if own else ""), sum(map(len, own))


def length_of(raw: msgspec.Raw) -> int | None:
    """The characters of a JSON string; None for an empty one and for any other value."""
    return len(values.text(raw)) or None
