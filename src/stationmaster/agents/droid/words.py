"""What Droid's words mean: tools, autonomy, platforms, models, texts that the program writes."""

from __future__ import annotations

import re
from typing import Any

from stationmaster.agents import calls
from stationmaster.agents.values import model_name, name
from stationmaster.agents.vocabulary import Words
from stationmaster.events.model import Autonomy, Client, Event, mark

PRODUCT = "droid"

WORDS = Words(__file__)
_MODES_WITHOUT_LEVEL = frozenset({"spec", "agi"})

_ACCOUNT_LENGTH_MIN = 16
_CUSTOM_MODEL = re.compile(r"(?:custom:)?(.*?)(?:-?\[[^\[\]]*+\](?:-\d+)?)?", re.DOTALL)
_NAMED_MODEL = re.compile(
    # Families and variants by name, because whatever follows could be a person's words.
    r"\bModel:\s*((?:claude|gpt|o\d|gemini|glm|grok|kimi|qwen|deepseek|minimax)"
    r"(?:[ -]?(?:[a-z]?\d[\d.]*|opus|sonnet|haiku|pro|flash|lite|mini|nano|codex|max|coder|preview"
    r"|thinking|fast)\b){0,6})",
    re.IGNORECASE | re.ASCII,
)
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_NOT_A_PERSON = ("hook", "system", "subagent", "tool", "compact")
_HEAD = 400
_REFUSED = re.compile(
    r"\b(?:rejected|declined|denied|cancell?ed) by (?:the )?(?:user|policy|hook)"
    r"|\b(?:user|policy|hook) (?:has )?(?:rejected|declined|denied|cancell?ed|blocked)"
    r"|\bblocked by (?:the )?(?:user|policy|hook)"
    r"|\bnot (?:allowed|permitted|available) in (?:spec|the current) (?:mode|autonomy)",
    re.IGNORECASE | re.ASCII,
)


def name_tool(event: Event, tool: str) -> None:
    """Set the names of a tool; those of an MCP tool have the same form from every source."""
    parts = calls.mcp_parts(tool)
    if parts is None and "___" in tool:
        # An older form. Nothing shows where a server's name with such a piece in it ends.
        server, _, called = tool.partition("___")
        if server and called:
            parts = server, called
            mark(event, "estimated")
    if parts is not None:
        calls.set_mcp(event, *parts)
    else:
        calls.set_builtin(event, tool, WORDS.tools)


def autonomy(level: Any, mode: Any = None) -> tuple[Autonomy | None, str | None]:
    """(level, the vendor's words) of an autonomy level and an interaction mode, either absent."""
    words = [word for word in (name(mode), name(level)) if word is not None]
    decisive = words[0] if words and words[0] in _MODES_WITHOUT_LEVEL else name(level)
    return WORDS.autonomy.get(decisive or ""), name("/".join(words))


def client_of(*platforms: Any) -> tuple[Client | None, str | None]:
    """(client, surface) of the first known platform a session ran on."""
    for platform in platforms:
        if isinstance(platform, str) and platform in WORDS.clients:
            return WORDS.clients[platform]
    return None, None


def account(owner: Any) -> str | None:
    """The vendor's account of a session's owner. A short name is the computer's own: it is
    personal, and means nothing on another computer."""
    text = name(owner)
    return text if text is not None and len(text) >= _ACCOUNT_LENGTH_MIN else None


def model(raw: Any) -> str | None:
    """A model's id without what a person's own entry in the settings puts around it."""
    text = name(raw)
    match = _CUSTOM_MODEL.fullmatch(text) if text is not None else None
    return model_name(match.group(1)) if match is not None else None


def model_in_text(text: str) -> str | None:
    """The model that a text of the program names, in the form of an id; only known families."""
    match = _NAMED_MODEL.search(text)
    return match.group(1).rstrip(".").lower().replace(" ", "-") if match is not None else None


def is_thinking(effort: Any, thinking_tokens: int | None) -> bool:
    """True where tokens were spent on thinking, or the effort requires it."""
    return bool(thinking_tokens) or effort not in (None, "", "none", "off")


def own_words(text: str) -> str:
    """What of a text a person wrote: without the program's reminders and the space around."""
    return _REMINDER.sub("", text).strip()


def is_persons(source: Any) -> bool:
    """Is a user message of this source one that a person, or the caller of a run, submitted?"""
    return not (isinstance(source, str) and source.lower().startswith(_NOT_A_PERSON))


def is_failure(output: str) -> bool:
    """True for the output of a call that failed: it begins with `Error:`."""
    return output.startswith("Error:")


def is_refusal(output: str) -> bool:
    """Does a failed call's output show that a person, a policy or a hook refused it?"""
    return _REFUSED.search(output[:_HEAD]) is not None
