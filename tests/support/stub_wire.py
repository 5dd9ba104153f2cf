"""How four APIs of models write one scripted answer: the encodings of `stub_model`.

Messages (Anthropic), Responses and Chat Completions (OpenAI), generateContent (Gemini); each whole
or as server-sent events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

Json = dict[str, Any]


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer: input is what no cache had, output includes reasoning."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.output + other.output,
            self.reasoning + other.reasoning,
        )

    @property
    def prompt(self) -> int:
        """All input, cached or not."""
        return self.input + self.cache_read + self.cache_write


@dataclass(frozen=True)
class ToolUse:
    """A call of a tool that the model asks for; a text as arguments is a tool of free form."""

    name: str
    arguments: Json | str


@dataclass(frozen=True)
class Turn:
    """What the model answers: a text, calls of tools, or an error of HTTP."""

    text: str = ""
    tools: tuple[ToolUse, ...] = ()
    usage: Usage = Usage()
    status: int = 200


class Answer(NamedTuple):
    status: int
    body: bytes
    content_type: str = "application/json"


Write = Callable[[Turn, str, int], Json]
Stream = Callable[[Turn, str, int], Iterable[tuple[str | None, Json | str]]]


class Api(NamedTuple):
    """One API: which addresses are its own, and how it writes an answer."""

    address: re.Pattern[str]
    whole: Write
    stream: Stream
    has_cache_writes: bool

    def counts(self, path: str) -> bool:
        """Does a request ask only how many tokens it has?"""
        return "count_tokens" in path or ":countTokens" in path

    def told(self, usage: Usage) -> Usage:
        """The usage as this API can tell it."""
        if self.has_cache_writes:
            return usage
        return replace(usage, input=usage.input + usage.cache_write, cache_write=0)

    def answer(self, turn: Turn, model: str, number: int, is_streamed: bool) -> Answer:
        if turn.status != 200:
            error = {"type": "error", "code": turn.status, "message": turn.text or "try again"}
            return Answer(turn.status, json.dumps({"type": "error", "error": error}).encode())
        if not is_streamed:
            return Answer(200, json.dumps(self.whole(turn, model, number)).encode())
        lines = []
        for event, data in self.stream(turn, model, number):
            lines += [f"event: {event}\n"] if event else []
            lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
        return Answer(200, "".join(lines).encode(), "text/event-stream")


def api_of(path: str) -> Api | None:
    """The API that an address belongs to, or None."""
    return next((api for api in _APIS if api.address.search(path)), None)


def model_in(path: str) -> str:
    """The model that an address of Gemini names, else ""."""
    name = re.search(r"/models/([^:/?]+)", path)
    return name[1] if name else ""


def counted(tokens: int) -> Answer:
    """The answer to a request for a number of tokens, for Anthropic and for Gemini."""
    return Answer(200, json.dumps({"input_tokens": tokens, "totalTokens": tokens}).encode())


def catalogue(path: str) -> Answer:
    """The answer to a GET: an empty list of models, or nothing."""
    content = {"object": "list", "data": [], "models": []} if "models" in path else {}
    return Answer(200, json.dumps(content).encode())


def _call_id(number: int, place: int) -> str:
    return f"call_stub{number:04}{place:02}"


def _message(turn: Turn, model: str, number: int) -> Json:
    content: list[Json] = [{"type": "text", "text": turn.text}] if turn.text else []
    content += [
        {
            "type": "tool_use",
            "id": _call_id(number, place).replace("call_", "toolu_"),
            "name": tool.name,
            "input": tool.arguments,
        }
        for place, tool in enumerate(turn.tools)
    ]
    usage = turn.usage
    return {
        "id": f"msg_stub{number:04}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if turn.tools else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.input,
            "cache_creation_input_tokens": usage.cache_write,
            "cache_read_input_tokens": usage.cache_read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": usage.cache_write,
                "ephemeral_1h_input_tokens": 0,
            },
            "output_tokens": usage.output,
            "service_tier": "standard",
        },
    }


def _message_events(turn: Turn, model: str, number: int) -> Iterable[tuple[str | None, Json | str]]:
    message = _message(turn, model, number)
    usage = message["usage"]
    begun = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    events: list[Json] = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": stop, "usage": usage})
    events.append({"type": "message_stop"})
    return [(event["type"], event) for event in events]


def _response(turn: Turn, model: str, number: int) -> Json:
    output: list[Json] = []
    if turn.text:
        part = {"type": "output_text", "text": turn.text, "annotations": []}
        output.append({"type": "message", "id": f"item_stub{number:04}", "role": "assistant",
                       "status": "completed", "content": [part]})  # fmt: skip
    for place, tool in enumerate(turn.tools):
        call = {"call_id": _call_id(number, place), "name": tool.name, "status": "completed"}
        if isinstance(tool.arguments, str):
            output.append({"type": "custom_tool_call", "input": tool.arguments, **call})
        else:
            arguments = json.dumps(tool.arguments)
            output.append({"type": "function_call", "arguments": arguments, **call})
    usage = turn.usage
    return {
        "id": f"resp_stub{number:04}",
        "object": "response",
        "status": "completed",
        "model": model,
        "output": output,
        "usage": {
            "input_tokens": usage.prompt,
            "input_tokens_details": {
                "cached_tokens": usage.cache_read,
                "cache_write_tokens": usage.cache_write,
            },
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.prompt + usage.output,
        },
    }


def _response_events(
    turn: Turn, model: str, number: int
) -> Iterable[tuple[str | None, Json | str]]:
    response = _response(turn, model, number)
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    events: list[Json] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(response["output"]):
        for kind in ("added", "done"):
            event = f"response.output_item.{kind}"
            events.append({"type": event, "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": response})
    return [(event["type"], {**event, "sequence_number": n}) for n, event in enumerate(events)]


def _completion_usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def _completion(turn: Turn, model: str, number: int) -> Json:
    message: Json = {"role": "assistant", "content": turn.text or None}
    if turn.tools:
        message["tool_calls"] = [
            {
                "index": place,
                "id": _call_id(number, place),
                "type": "function",
                "function": {"name": tool.name, "arguments": json.dumps(tool.arguments)},
            }
            for place, tool in enumerate(turn.tools)
        ]
    reason = "tool_calls" if turn.tools else "stop"
    return {
        "id": f"chatcmpl-stub{number:04}",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": _completion_usage(turn.usage),
    }


def _completion_events(
    turn: Turn, model: str, number: int
) -> Iterable[tuple[str | None, Json | str]]:
    whole = _completion(turn, model, number)
    [choice] = whole["choices"]
    chunk = {**whole, "object": "chat.completion.chunk", "usage": None}
    delta = {"index": 0, "delta": choice["message"], "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield None, {**chunk, "choices": [delta]}
    yield None, {**chunk, "choices": [end]}
    yield None, {**chunk, "choices": [], "usage": whole["usage"]}
    yield None, "[DONE]"


def _candidate(turn: Turn, model: str, number: int) -> Json:
    parts: list[Json] = [{"text": turn.text}] if turn.text else []
    parts += [{"functionCall": {"name": tool.name, "args": tool.arguments}} for tool in turn.tools]
    usage = turn.usage
    content = {"role": "model", "parts": parts}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": usage.prompt,
            "cachedContentTokenCount": usage.cache_read,
            "candidatesTokenCount": usage.output - usage.reasoning,
            "thoughtsTokenCount": usage.reasoning,
            "totalTokenCount": usage.prompt + usage.output,
        },
        "modelVersion": model,
        "responseId": f"gemini-stub{number:04}",
    }


def _candidate_events(
    turn: Turn, model: str, number: int
) -> Iterable[tuple[str | None, Json | str]]:
    return [(None, _candidate(turn, model, number))]


_APIS = (
    Api(re.compile(r"/messages(/count_tokens)?(\?|$)"), _message, _message_events, True),
    Api(re.compile(r"/responses(\?|$)"), _response, _response_events, True),
    Api(re.compile(r"/chat/completions(\?|$)"), _completion, _completion_events, False),
    Api(
        re.compile(r":(generateContent|streamGenerateContent|countTokens)(\?|$)"),
        _candidate,
        _candidate_events,
        False,
    ),
)
