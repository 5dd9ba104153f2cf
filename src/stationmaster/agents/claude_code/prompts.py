"""What a person said in a Claude Code session file, apart from what the program says for them."""

from __future__ import annotations

import re

import msgspec

from stationmaster.agents import values
from stationmaster.agents.claude_code.lines import Block, Line

_COMMAND = re.compile(r"<command-name>\s*/?([^<\s]{1,200})\s*</command-name>")
_NOT_A_PROMPT = (
    *("<local-command-", "<bash-", "<task-notification", "<system-reminder>"),
    "[Request interrupted by user",
)
_COMMAND_WITHIN = 2_000


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
    """The first text of a message, to tell what it is, and the length of all of it.

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
