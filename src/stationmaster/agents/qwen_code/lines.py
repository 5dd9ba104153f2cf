"""The lines of a Qwen Code chat file, with only the fields that are read."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Raw, Struct

from stationmaster.agents.gemini_lineage.chats import Part
from stationmaster.agents.values import decoder, lenient


class FunctionCall(Struct, gc=False):
    """A tool call that a model requests, with its arguments as JSON."""

    id: str | None = None
    name: str | None = None
    args: Raw = Raw()


class AnsweredCall(Struct, gc=False):
    """The id of a call and the name of its tool, as the answer to it has them."""

    id: str | None = None
    name: str | None = None


class MessagePart(Part, gc=False, rename="camel"):
    """A part of a message: words, a call, or the answer to one."""

    function_call: FunctionCall | None = None


class Content(Struct, gc=False):
    """The content of a message: its parts in order."""

    parts: list[MessagePart] = []


class Usage(Struct, gc=False, rename="camel"):
    """The token counts of one model call; the prompt's include what was cached."""

    prompt_token_count: Any = None
    candidates_token_count: Any = None
    cached_content_token_count: Any = None
    thoughts_token_count: Any = None
    tool_use_prompt_token_count: Any = None
    total_token_count: Any = None


class Result(Struct, gc=False, rename="camel"):
    """The outcome of a tool call, and what a person is shown of it."""

    call_id: str | None = None
    status: str | None = None
    error_type: str | None = None
    result_display: Raw = Raw()


class Payload(Struct, gc=False, rename="camel"):
    """The content of a system record, or a person's text as typed."""

    ui_event: dict[str, Any] | None = None
    mode: Any = None
    phase: Any = None
    raw_command: Any = None
    display_text: Any = None


class Line(Struct, gc=False, rename="camel"):
    """One record of a chat file; `type` determines which members are set."""

    uuid: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    type: str | None = None
    subtype: str | None = None
    provenance: str | None = None
    cwd: str | None = None
    version: str | None = None
    git_branch: str | None = None
    model: str | None = None
    message: Content | None = None
    usage_metadata: Usage | None = None
    tool_call_result: Result | None = None
    system_payload: Raw = Raw()
    prompt_id: str | None = None
    agent_id: str | None = None
    agent_name: str | None = None
    is_sidechain: bool | None = None
    forked_from: Raw = Raw()


decode_line = decoder(Line)
payload_of = lenient(Payload)
_answered = lenient(AnsweredCall)
_scan = json.JSONDecoder().raw_decode


def glued(line: bytes) -> tuple[list[bytes], bool]:
    """(the objects at the beginning of a line, are they all of it): a crash leaves a line without
    its end, and the next record is written behind it."""
    text = line.decode("utf-8", "replace")
    objects: list[bytes] = []
    position = 0
    while position < len(text) and text[position] == "{":
        try:
            _, end = _scan(text, position)
        except (ValueError, RecursionError):
            break
        objects.append(text[position:end].encode("utf-8", "replace"))
        position = end + len(text[end:]) - len(text[end:].lstrip())
    return objects, position >= len(text)


def answer_name(part: Part) -> str | None:
    """The tool that a part answers for, where it is named."""
    return _answered(part.function_response).name
