"""The lines of a Copilot session file, with only the fields that are read.

The decoder skips every other field unread, so that a megabyte of content costs next to nothing.
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct, field

from stationmaster.agents.copilot_cli.usage import Counts
from stationmaster.agents.values import decoder


class Context(Struct, gc=False, rename="camel"):
    """Where a session runs; the repository is `owner/name`."""

    cwd: str | None = None
    repository: str | None = None
    repository_host: str | None = None
    host_type: str | None = None
    branch: str | None = None
    pending_git_context: bool | None = None


class Accounting(Struct, gc=False, rename="camel"):
    """The session that a model call was billed to, and the id of the call there."""

    source_session_id: str | None = None
    usage_id: str | None = None


class Usage(Counts, gc=False, rename="camel"):
    """One model call."""

    model: str | None = None
    model_provider: str | None = None
    reasoning_effort: str | None = None
    duration: Any = None
    initiator: str | None = None
    api_call_id: str | None = None
    accounting: Accounting | None = None


class ModelMetric(Struct, gc=False):
    """The token counts of one model over a whole session."""

    usage: Counts | None = None


class ToolRequest(Struct, gc=False, rename="camel"):
    """A tool call that an answer requests; MCP tools have their server's name as well."""

    tool_call_id: str | None = None
    name: str | None = None
    arguments: Raw = Raw()
    mcp_server_name: str | None = None
    mcp_tool_name: str | None = None


class Result(Struct, gc=False):
    """The content of a call's answer, or the kind of a person's decision on a permission."""

    content: Raw = Raw()
    kind: str | None = None


class Fault(Struct, gc=False):
    """Why a call failed: a code of Copilot's, which refusals have as well."""

    code: str | None = None


class ShellExecution(Struct, gc=False, rename="camel"):
    """The exit code of a shell command."""

    exit_code: Any = None


class FileEdit(Struct, gc=False):
    """One file that a call edited, and how."""

    path: str | None = None
    kind: str | None = None


class Metrics(Struct, gc=False, rename="camel"):
    """Lines that a call added and removed, and how long it took in milliseconds."""

    lines_added: Any = None
    lines_removed: Any = None
    duration_ms: Any = None


class Telemetry(Struct, gc=False):
    """What Copilot measured of a tool call."""

    metrics: Metrics | None = None


class HookInput(Struct, gc=False):
    """The input of a hook; of the end of a session it has the reason."""

    reason: str | None = None


class Data(Context, gc=False, rename="camel"):
    """The data of any line. It is a context as well, because a change of context is not wrapped."""

    session_id: str | None = None
    copilot_version: str | None = None
    detached_from: str | None = field(default=None, name="detachedFromSpawningParentSessionId")
    context: Context | None = None
    selected_model: str | None = None
    reasoning_effort: str | None = None
    new_model: str | None = None
    new_mode: str | None = None
    mode: str | None = None
    allow_all_permission_mode: str | None = None
    allow_all_permissions: bool | None = None
    agent_mode: str | None = None
    permission_mode: str | None = None
    decision_source: str | None = None
    content: Raw = Raw()
    source: str | None = None
    is_autopilot_continuation: bool | None = None
    interaction_id: str | None = None
    message_id: str | None = None
    model: str | None = None
    output_tokens: Any = None
    tool_requests: list[ToolRequest] | None = None
    usage: Usage | None = None
    tool_call_id: str | None = None
    parent_tool_call_id: str | None = None
    tool_name: str | None = None
    arguments: Raw = Raw()
    mcp_server_name: str | None = None
    mcp_tool_name: str | None = None
    success: bool | None = None
    error: Fault | None = None
    result: Result | None = None
    shell_execution: ShellExecution | None = None
    file_edits: list[FileEdit] | None = None
    tool_telemetry: Telemetry | None = None
    is_user_requested: bool | None = None
    name: str | None = None
    plugin_name: str | None = None
    trigger: str | None = None
    hook_invocation_id: str | None = None
    hook_type: str | None = None
    input: HookInput | None = None
    model_metrics: dict[str, ModelMetric] | None = None


class Line(Struct, gc=False, rename="camel"):
    """One line of a session file; `type` determines which members of its data are set."""

    id: str | None = None
    timestamp: str | None = None
    type: str | None = None
    agent_id: str | None = None
    data: Data | None = None


decode_line = decoder(Line)
