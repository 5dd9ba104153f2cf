"""What Claude Code's words mean: tools, permission modes, entry points, query sources, commands."""

from __future__ import annotations

from typing import Literal, NamedTuple

from stationmaster.agents.vocabulary import Words
from stationmaster.events.model import Client, ToolKind

PRODUCT = "claude-code"

WORDS = Words(__file__)
FILE_CHANGING = WORDS.names["file_changing"]
NAMING_A_FILE = WORDS.names["naming_a_file"]
SHELLS = WORDS.names["shells"]
REDACTED = WORDS.names["redacted"]
"""Names the exporter puts in place of a person's own when tool details are switched off."""


class QuerySource(NamedTuple):
    """Whose model call it is, and the client when the source reports it."""

    is_subagent: bool
    is_auxiliary: bool
    client: Client | None
    agent_type: str | None = None


def tool_kind(tool: str) -> ToolKind:
    """Whether a tool is of an MCP server, a skill, a subagent or built in, by its raw name."""
    if tool.startswith("mcp__") or tool == "mcp_tool":
        return "mcp"
    canonical = WORDS.tools.get(tool)
    if canonical == "skill":
        return "skill"
    return "subagent" if canonical == "task" else "builtin"


def decision_source(source: object) -> Literal["auto", "hook", "user", "unknown"] | None:
    """Who decided on a tool call, from the source the vendor names; None when it names none."""
    if not isinstance(source, str):
        return None
    if source == "config":
        return "auto"
    if source == "hook":
        return "hook"
    return "user" if source.startswith("user") else "unknown"


def client_of_entrypoint(entrypoint: str | None) -> tuple[Client | None, str | None]:
    """(client, surface) of the way the process was started; (None, None) when unknown."""
    if not entrypoint:
        return None, None
    if entrypoint == "cli":
        return "terminal-ui", "cli"
    if entrypoint.startswith("remote"):
        return "web", "cloud"
    if entrypoint.startswith("sdk"):
        return "non-interactive-cli", "sdk"
    if "github" in entrypoint or "action" in entrypoint:
        return "non-interactive-cli", "ci"
    if entrypoint in ("claude-vscode", "claude-jetbrains"):
        return "terminal-ui", "ide"
    if entrypoint == "claude-desktop":
        return "terminal-ui", "desktop"
    return None, None


_TERMINAL = QuerySource(False, False, "terminal-ui")
_HEADLESS = QuerySource(False, False, "non-interactive-cli")
_UNKNOWN = QuerySource(False, False, None)
_AUXILIARY = QuerySource(False, True, None)


def query_source(source: str | None, agent_name: str | None = None) -> QuerySource:
    """Whose call a `query_source` names; one that is absent is the main conversation's."""
    if agent_name:
        return QuerySource(True, False, None, agent_name)
    if source is None or source == "main":
        return _UNKNOWN
    if source == "sdk":
        return _HEADLESS
    if source.startswith("repl_main_thread"):
        return _TERMINAL
    if source.startswith(("agent:", "agent.", "subagent")):
        return QuerySource(True, False, None, source.partition(":")[2] or None)
    if any(mark in source for mark in WORDS.names["auxiliary_marks"]):
        return _AUXILIARY
    return QuerySource(True, False, None, source)


def own_hooks(event: str | None, tool: str, started: int) -> int:
    """How many of the hooks that an export reports as started are the program's own.

    It has one after every call that names a file, and in newer versions two after a command of
    which something became, such as a commit.
    """
    if event != "PostToolUse":
        return 0
    if tool in NAMING_A_FILE:
        return min(started, 1)
    return 2 if tool in SHELLS and started > 2 else 0


def starts_a_turn(command: str, source: str | None) -> bool:
    """Does a slash command reach the model, so that it is a person's message as well?

    `source` is `builtin`, `custom` or `mcp` as the exporter reports, None where it is not reported.
    """
    if source == "builtin":
        return command in WORDS.names["turn_starting"]
    return source is not None or command not in WORDS.names["local"]
