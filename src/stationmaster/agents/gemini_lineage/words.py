"""What the family's words mean: tools, approval modes, decisions, roles, outcomes in texts."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from stationmaster.agents import calls
from stationmaster.agents.vocabulary import Words
from stationmaster.events.model import Autonomy, Client, Event

SHELL = "run_shell_command"
WRITE = "write_file"
FILE_CHANGING = frozenset({WRITE, "replace", "edit"})

WORDS = Words(__file__)

_REFUSING_ERRORS = frozenset({"tool_not_registered", "execution_denied", "policy_violation"})
_REFUSED = re.compile(
    r'^Tool "[^"\n]{1,200}" not found|\bdenied by policy|\bTool execution (?:denied|blocked)'
    r"|\bpermission was declined",
    re.IGNORECASE,
)
_REFUSED_BY_PERSON = ("did not allow tool call", "User cancelled the operation")
_EXIT = re.compile(r"^Exit Code: (-?\d{1,10})\s*$", re.MULTILINE | re.ASCII)
_OUTPUT = re.compile(r"^Output: ", re.MULTILINE)
_SIDE_PROMPT = re.compile(r"[a-z]+(?:[-_][a-z]+)+|speculation", re.ASCII)
_SERVER_SHOWN = re.compile(r"(?P<tool>[^\n(]{1,200}) \((?P<server>[^\n]{1,200}) MCP Server\)")
_NOT_A_SERVER = re.compile(r"[^\w.-]", re.ASCII)
_MODE_SWITCH = "Approval mode switched from "
"""How the text of a record begins that older builds send without a name."""
_HEAD, _TAIL = 400, 400


class Verdict(NamedTuple):
    """What became of a request to run a tool, and by whom."""

    decision: Literal["accept", "reject"] | None
    source: str | None


_UNDECIDED = Verdict(None, None)


def plain_name(called: str, prefix: str) -> str:
    """A record's name without its prefix; that of the record which older builds do not name."""
    if called.startswith(_MODE_SWITCH):
        return "plan.approval_mode_switch"
    return called.removeprefix(prefix)


def autonomy(mode: Any) -> Autonomy | None:
    """The level of an approval mode in any of its spellings; None for one we do not know."""
    return WORDS.autonomy.get(mode) if isinstance(mode, str) else None


def hook_event(event: str) -> str:
    """The name that the same moment has for most agents."""
    return WORDS.hook_events.get(event, event)


def client_of(is_interactive: bool | None) -> tuple[Client | None, str | None]:
    """(client, surface) of a process that has a terminal, or has none."""
    if is_interactive is None:
        return None, None
    return ("terminal-ui" if is_interactive else "non-interactive-cli"), "cli"


def verdict(
    decision: Any,
    error_type: Any,
    accepts_by_person: bool,
    client: Client | None,
    success: bool | None,
) -> Verdict:
    """Who let a call run or refused it, by the words of a record.

    A call that ran was let run: one that failed without a decision and without an error of its own
    never began. Who cancelled it is not reported.
    """
    if isinstance(error_type, str) and error_type in _REFUSING_ERRORS:
        return Verdict("reject", "auto")
    if decision == "reject":
        return Verdict("reject", "user")
    if decision == "auto_accept":
        return Verdict("accept", "auto")
    if decision == "modify" or (decision == "accept" and accepts_by_person):
        return Verdict("accept", "user")
    if decision == "accept":
        return Verdict("accept", "auto" if client == "non-interactive-cli" else "unknown")
    if success is False and decision is None and error_type is None:
        return Verdict("reject", "unknown")
    return _UNDECIDED


def verdict_of_text(text: str) -> Verdict:
    """A refusal as the text of a failed call reports it; undecided for any other text."""
    head = text[:_HEAD]
    if any(mark in head for mark in _REFUSED_BY_PERSON):
        return Verdict("reject", "user")
    return Verdict("reject", "auto") if _REFUSED.search(head) else _UNDECIDED


def exit_code(text: str) -> int | None:
    """The exit code at the end of what a shell call answered; None where it names none."""
    codes = _EXIT.findall(text[-_TAIL:])
    return int(codes[-1]) if codes else None


def command_output(text: str) -> str:
    """What a command wrote, without what a shell call's answer adds about the command before it."""
    return _OUTPUT.split(text, 1)[-1]


def set_caller(event: Event, role: str | None, subagent: str | None, prompt: str | None) -> None:
    """Set whose model call it is: the conversation's, a subagent's, or the agent's own work.

    Older records have no role; their own work has a word where a prompt's id would be.
    """
    event.is_subagent = role == "subagent" or (role is None and subagent is not None)
    event.agent_type = subagent
    if role is not None:
        event.is_auxiliary = role.startswith("utility")
    elif subagent is None and prompt is not None:
        event.is_auxiliary = _SIDE_PROMPT.fullmatch(prompt) is not None


def server_of(tool: str, server: str | None, shown: str | None) -> tuple[str, str, bool] | None:
    """(server, its tool, is it a guess) of a call of an MCP server's tool; None for other tools.

    A record names the server, or shows it as `tool (server MCP Server)`, or has both names joined
    by `__`, or by single underscores, where the first is taken for the end of the server's name.
    """
    if server is not None:
        return server, _without(tool, server), False
    named = _SERVER_SHOWN.fullmatch(shown) if shown is not None else None
    if named is not None:
        return named.group("server"), named.group("tool"), False
    if tool.startswith("mcp__"):
        parts = calls.mcp_parts(tool)
        return None if parts is None else (*parts, False)
    if tool.startswith("mcp_"):
        server, separator, called = tool[4:].partition("_")
        return (server, called, True) if separator and server and called else None
    return None


def _without(tool: str, server: str) -> str:
    plain = _NOT_A_SERVER.sub("_", server)
    for prefix in (f"mcp__{plain}__", f"mcp_{plain}_", f"{plain}__"):
        if tool.startswith(prefix) and len(tool) > len(prefix):
            return tool[len(prefix) :]
    return tool
