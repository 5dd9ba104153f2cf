"""What Claude Code's words mean: tools, permission modes, entry points, query sources, commands."""

from __future__ import annotations

from typing import Literal, NamedTuple

from stationmaster.events.model import Autonomy, Client, ToolKind

PRODUCT = "claude-code"

_CANONICAL_TOOLS = {
    "Bash": "shell",
    "PowerShell": "shell",
    "Monitor": "shell",
    "Read": "read",
    "Write": "write",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Grep": "search",
    "Glob": "find",
    "LS": "list",
    "WebFetch": "web_fetch",
    "WebSearch": "web_search",
    "Agent": "task",
    "Task": "task",
    "Workflow": "task",
    "Skill": "skill",
    "TodoWrite": "todo",
    "TaskCreate": "todo",
    "TaskUpdate": "todo",
    "TaskGet": "todo",
    "TaskList": "todo",
    "AskUserQuestion": "ask_user",
    "ExitPlanMode": "plan_exit",
}

FILE_CHANGING = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
NAMING_A_FILE = FILE_CHANGING | {"Read"}
SHELLS = frozenset({"Bash", "PowerShell", "Monitor"})

REDACTED = frozenset({"mcp_tool", "custom", "third-party", "custom_skill", "mcp"})
"""Names the exporter puts in place of a person's own when tool details are switched off."""

_AUTONOMY: dict[str, Autonomy] = {
    "bypassPermissions": "auto-high",
    "auto": "auto-medium",
    "dontAsk": "auto-medium",
    "acceptEdits": "auto-low",
    "plan": "spec",
    "default": "manual",
    "ask": "manual",
}

_TURN_STARTING_BUILTINS = frozenset(
    {"init", "review", "security-review", "pr-comments", "insights", "batch", "debug", "loop"}
    | {"simplify", "code-review", "ultrareview", "btw", "plan"}
)
_LOCAL_COMMANDS = frozenset(
    {"add-dir", "agents", "app", "bashes", "bug", "cd", "chrome", "clear", "color", "compact"}
    | {"config", "context", "continue", "copy", "cost", "desktop", "diff", "doctor", "effort"}
    | {"exit", "export", "extra-usage", "fast", "feedback", "fork", "help", "hooks", "ide"}
    | {"install-github-app", "install-slack-app", "keybindings", "login", "logout", "mcp"}
    | {"memory", "migrate-installer", "mobile", "model", "output-style", "permissions"}
    | {"plugin", "privacy-settings", "quit", "release-notes", "reload-plugins", "remote-control"}
    | {"rename", "resume", "rewind", "sandbox", "session", "skills", "stats", "status"}
    | {"statusline", "stickers", "tasks", "terminal-setup", "theme", "todos", "undo", "upgrade"}
    | {"usage", "vim", "voice"}
)

_AUXILIARY_MARKS = (
    "auxiliary",
    "compact",
    "title",
    "summar",
    "memor",
    "suggestion",
    "topic",
    "prefix",
    "extract",
    "explain",
    "classif",
    "auto_mode",
    "validation",
    "insight",
    "quota",
    "web_search",
    "web_fetch",
    "side_question",
    "away",
    "rename",
    "hook",
)


class QuerySource(NamedTuple):
    """Whose model call it is, and the client when the source tells it."""

    is_subagent: bool
    is_auxiliary: bool
    client: Client | None
    agent_type: str | None = None


def canonical_tool(tool: str) -> str:
    """The name the tool has for every agent; unknown names pass through."""
    return _CANONICAL_TOOLS.get(tool, tool)


def tool_kind(tool: str) -> ToolKind:
    """Whether a tool is of an MCP server, a skill, a subagent or built in, by its raw name."""
    if tool.startswith("mcp__") or tool == "mcp_tool":
        return "mcp"
    canonical = _CANONICAL_TOOLS.get(tool)
    if canonical == "skill":
        return "skill"
    return "subagent" if canonical == "task" else "builtin"


def autonomy(mode: str | None) -> Autonomy | None:
    """The level of a permission mode; None for a mode we do not know."""
    return _AUTONOMY.get(mode) if mode is not None else None


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
    if any(mark in source for mark in _AUXILIARY_MARKS):
        return _AUXILIARY
    return QuerySource(True, False, None, source)


def own_hooks(event: str | None, tool: str, started: int) -> int:
    """How many of the hooks that an export says were started are the program's own.

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

    `source` is `builtin`, `custom` or `mcp` as the exporter says, None where nobody says.
    """
    if source == "builtin":
        return command in _TURN_STARTING_BUILTINS
    return source is not None or command not in _LOCAL_COMMANDS
