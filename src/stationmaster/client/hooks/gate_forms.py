"""How each agent is refused a prompt, a tool call or a model call, and which of its tools only
read. Data alone: an agent waits while this is loaded.
"""

from __future__ import annotations

PROMPT, TOOL, MODEL = "prompt", "tool", "model"
EVENTS: dict[str, dict[str, str]] = {
    "claude-code": {"UserPromptSubmit": PROMPT, "PreToolUse": TOOL},
    "codex": {"UserPromptSubmit": PROMPT, "PreToolUse": TOOL},
    "gemini-cli": {"BeforeAgent": PROMPT, "BeforeModel": MODEL, "BeforeTool": TOOL},
    # UserPromptSubmit comes before each further model call of a turn, too.
    "qwen-code": {"UserPromptSubmit": PROMPT, "PreToolUse": TOOL},
    # A message that a plugin refuses is lost, and its reason not shown.
    "opencode": {"chat.params": MODEL, "tool.execute.before": TOOL},
    # What its hook at a prompt answers is ignored.
    "copilot-cli": {"preToolUse": TOOL},
    "droid": {"UserPromptSubmit": PROMPT, "PreToolUse": TOOL},
    "cursor": {
        "beforeSubmitPrompt": PROMPT,
        "preToolUse": TOOL,
        # Builds without preToolUse have these.
        "beforeShellExecution": TOOL,
        "beforeMCPExecution": TOOL,
        "subagentStart": TOOL,
    },
}
"""The hooks at which an agent can be refused something, and what that is."""

READ_ONLY: dict[str, frozenset[str]] = {
    "claude-code": frozenset(
        {"Read", "Grep", "Glob", "LS", "TaskGet", "TaskList", "TodoWrite", "AskUserQuestion"}
        | {"BashOutput", "ExitPlanMode"}
    ),
    # It reads with its shell, which cannot be told from other commands.
    "codex": frozenset({"view_image", "update_plan", "request_user_input"}),
    "gemini-cli": frozenset(
        {"read_file", "read_many_files", "grep_search", "search_file_content", "glob"}
        | {"list_directory", "write_todos", "ask_user"}
    ),
    "qwen-code": frozenset(
        {"read_file", "read_many_files", "grep_search", "search_file_content", "glob"}
        | {"list_directory", "todo_write", "ask_user_question"}
    ),
    "opencode": frozenset(
        {"read", "grep", "glob", "list", "todoread", "todowrite", "question", "lsp_diagnostics"}
        | {"lsp_hover"}
    ),
    "copilot-cli": frozenset({"view", "grep", "glob", "update_todo", "ask_user"}),
    "droid": frozenset({"Read", "Grep", "Glob", "LS", "TodoWrite", "AskUser"}),
    "cursor": frozenset({"Read", "Grep", "Glob", "LS", "read_file", "list_dir", "TodoWrite"}),
}
"""Tools that change nothing outside the session and start no work: they stay possible."""

_SHOWING = ("claude-code", "codex", "gemini-cli", "droid")
"""Agents that show a message of a hook that refuses nothing."""
Answer = dict[str, object]


def refusal(agent: str, event: str, text: str) -> Answer:
    """The JSON with which an agent is refused what one of its EVENTS is about."""
    if agent == "cursor":
        if EVENTS[agent][event] == PROMPT:
            return {"continue": False, "user_message": text}
        return {"permission": "deny", "user_message": text, "agent_message": text}
    if agent == "copilot-cli":
        return {"permissionDecision": "deny", "permissionDecisionReason": text}
    if agent == "gemini-cli":
        return {"decision": "deny", "reason": text}
    if agent == "opencode":
        return {"refuse": text}
    if EVENTS[agent][event] == PROMPT:
        return {"decision": "block", "reason": text}
    denial = {
        "hookEventName": event,
        "permissionDecision": "deny",
        "permissionDecisionReason": text,
    }
    # The reason is for the model; a message is shown to the person.
    return {"hookSpecificOutput": denial, "systemMessage": text}


def warning(agent: str, event: str, text: str) -> Answer | None:
    """The JSON that shows a person a text and lets the prompt go on; None where nothing can."""
    if agent == "opencode" and EVENTS[agent][event] == MODEL:
        # The plugin shows it once.
        return {"warn": text}
    if EVENTS[agent][event] == PROMPT and agent in _SHOWING:
        return {"systemMessage": text}
    return None
