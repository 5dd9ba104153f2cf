"""The lines of a Claude Code session file, with only the fields that are read.

The decoder skips every other field unread, so that a megabyte of content costs next to nothing.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from stationmaster.agents.lenient import decoder

BOOKKEEPING = frozenset(
    {b"summary", b"custom-title", b"ai-title", b"agent-name", b"last-prompt", b"queue-operation"}
    | {b"file-history-snapshot", b"file-history-delta", b"frame-link", b"bridge-session"}
    | {b"started", b"result", b"atis-latch", b"mode", b"api-request", b"api-request-blob"}
    | {b"api-request-shape", b"cost-state", b"tools-used", b"worktree-state", b"relocated"}
)
"""Line types that carry nothing to count; they begin their lines, so no decoding is needed."""
BOOKKEEPING_NAMES = frozenset(kind.decode() for kind in BOOKKEEPING)


class Block(Struct, gc=False):
    type: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw()
    text: Raw = Raw()
    tool_use_id: str | None = None
    is_error: bool | None = None


class OutputDetails(Struct, gc=False):
    thinking_tokens: Any = None


class CacheCreation(Struct, gc=False):
    ephemeral_1h_input_tokens: Any = None


class Usage(Struct, gc=False):
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
    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: list[Block] | str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None


class Kinded(Struct, gc=False):
    kind: str | None = None


class Decision(Struct, gc=False):
    decision: str | None = None
    source: str | None = None


class HookInfo(Struct, gc=False):
    command: str | None = None


class HookFault(Struct, gc=False):
    command: str | None = None


class Attachment(Struct, gc=False, rename="camel"):
    type: str | None = None
    hook_event: str | None = None
    hook_name: str | None = None
    command: str | None = None
    tool_use_id: str | None = field(default=None, name="toolUseID")
    exit_code: Any = None
    duration_ms: Any = None
    prompt: Raw = Raw()
    command_mode: str | None = None
    origin: Kinded | None = None
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
    origin: Kinded | None = None
    attachment: Attachment | None = None
    data: Progress | None = None
    subtype: str | None = None
    hook_infos: list[HookInfo] | None = None
    tool_use_id: str | None = field(default=None, name="toolUseID")
    pr_url: str | None = None
    content: Raw = Raw()


class ToolInput(Struct, gc=False):
    file_path: str | None = None
    notebook_path: str | None = None
    command: str | None = None
    skill: str | None = None


class PatchHunk(Struct, gc=False):
    lines: list[str] = []


class GitCommit(Struct, gc=False):
    sha: str | None = None
    kind: str | None = None


class GitOperation(Struct, gc=False):
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
decode_input = decoder(ToolInput)
decode_file_result = decoder(FileResult)
decode_shell_result = decoder(ShellResult)
decode_text = msgspec.json.Decoder(str).decode
