"""The lines of Droid's session files and headless streams, with only the fields that are read."""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct, field

from stationmaster.agents.droid import words
from stationmaster.agents.values import decoder, lenient


class Block(Struct, gc=False):
    """One block of a message's content: text, a tool call or the result of one."""

    type: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw()
    text: str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: Raw = Raw()


class Message(Struct, gc=False):
    """A message of a person or a model: one text, or a list of blocks."""

    role: str | None = None
    content: list[Block] | str | None = None


class Line(Struct, gc=False, rename="camel"):
    """A line of a session file."""

    type: str | None = None
    id: str | None = None
    timestamp: Any = None
    version: Any = None
    cwd: str | None = None
    owner: str | None = None
    message: Message | None = None
    user_message_source: Any = None
    interaction_mode: str | None = None
    hook_event_name: str | None = None
    hook_matcher: str | None = None
    hook_commands: Any = None
    hook_status: str | None = None


class Usage(Struct, gc=False):
    """The token counts of a headless run; input excludes what was read from or written to cache."""

    input_tokens: Any = None
    output_tokens: Any = None
    cache_read_input_tokens: Any = None
    cache_creation_input_tokens: Any = None


class Value(Struct, gc=False):
    """What a command answered in a stream, where it is not a text."""

    stdout: str | None = None
    exit_code: Any = field(default=None, name="exitCode")


class StreamLine(Struct, gc=False):
    """A line of a stream. Builds differ in the spelling of the session and of the call."""

    type: str | None = None
    id: str | None = None
    session_id: str | None = None
    session_id_camel: str | None = field(default=None, name="sessionId")
    timestamp: Any = None
    cwd: str | None = None
    model: str | None = None
    reasoning_effort: str | None = None
    role: str | None = None
    text: str | None = None
    tool_call_id: str | None = field(default=None, name="toolCallId")
    tool_id: str | None = field(default=None, name="toolId")
    tool_name: str | None = field(default=None, name="toolName")
    parameters: Raw = Raw()
    is_error: bool | None = field(default=None, name="isError")
    value: Raw = Raw()
    usage: Usage | None = None


class Replacement(Struct, gc=False):
    """A text of a file and the text that takes its place, in either spelling."""

    old_str: str | None = None
    old_string: str | None = None
    new_str: str | None = None
    new_string: str | None = None

    def texts(self) -> tuple[str, str]:
        """(old, new)."""
        return (self.old_str or self.old_string or "", self.new_str or self.new_string or "")


class Arguments(Replacement, gc=False):
    """The arguments of any tool."""

    file_path: str | None = None
    content: str | None = None
    edits: list[Replacement] | None = None
    changes: list[Replacement] | None = None
    input: str | None = None
    patch: str | None = None
    command: str | None = None
    skill: str | None = None
    name: str | None = None


decode_line = decoder(Line)
decode_stream_line = decoder(StreamLine)
arguments_of = lenient(Arguments)
value_of = lenient(Value)


def blocks_of(message: Message) -> list[Block]:
    """The blocks of a message; one that is a text is a single block."""
    if isinstance(message.content, str):
        return [Block(type="text", text=message.content)]
    return message.content or []


def words_of(blocks: list[Block]) -> int:
    """The length of what a person or a model wrote, without what the program put in between."""
    texts = (block.text for block in blocks if block.type == "text")
    return sum(len(words.own_words(text)) for text in texts if text is not None)
