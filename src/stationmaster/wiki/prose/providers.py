"""The two protocols that models are asked in: OpenAI's chat completions, Anthropic's messages.

Both are JSON over one POST. Sources: the providers' references of these two calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec

from stationmaster.wiki.prose.model import Usage

Name = Literal["openai", "anthropic"]
ANSWER_TOKENS = 3_000
"""What one answer may have: a plan of a dozen pages, or two dozen sentences, in JSON."""
_T = TypeVar("_T")
_VERSION = "2023-06-01"


class Failed(Exception):
    """A call without an answer that can be used. `reason` is a word of a closed set."""

    def __init__(self, reason: str, usage: Usage | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.usage = usage or Usage()


class Prompt(NamedTuple):
    """`rules` are ours, `data` is our question with texts of the repository in it."""

    rules: str
    data: str


class Reply(NamedTuple):
    text: str
    usage: Usage


class OpenAI:
    """Also of the many servers with the same interface, not all of which have all its fields."""

    def __init__(self) -> None:
        self._limit = "max_tokens"
        self._has_json = True

    def address(self, base: str) -> str:
        return f"{base.rstrip('/')}/chat/completions"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def request(self, model: str, prompt: Prompt) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": model,
            "messages": [
                {"role": "system", "content": prompt.rules},
                {"role": "user", "content": prompt.data},
            ],
            self._limit: ANSWER_TOKENS,
        }
        if self._has_json:
            body["response_format"] = {"type": "json_object"}
        return body

    def adapt(self, complaint: str) -> bool:
        """Ask otherwise after a refusal of the request's form; False where nothing can be done."""
        if self._limit == "max_tokens" and "max_completion_tokens" in complaint:
            self._limit = "max_completion_tokens"
        elif self._has_json and "response_format" in complaint:
            self._has_json = False
        else:
            return False
        return True

    def reply(self, body: bytes) -> Reply:
        """Raises Failed: `nonsense`, `refused`, `length`."""
        completion = _decoded(body, _Completion)
        used = completion.usage or _CompletionUsage()
        details = used.prompt_tokens_details or _Details()
        usage = Usage(used.prompt_tokens, used.completion_tokens, details.cached_tokens or 0)
        if not completion.choices:
            raise Failed("nonsense", usage)
        choice = completion.choices[0]
        if choice.message.refusal or choice.finish_reason == "content_filter":
            raise Failed("refused", usage)
        if choice.finish_reason == "length":
            raise Failed("length", usage)
        return Reply(choice.message.content or "", usage)


class Anthropic:
    def address(self, base: str) -> str:
        return f"{base.rstrip('/')}/v1/messages"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}

    def request(self, model: str, prompt: Prompt) -> dict[str, Any]:
        return {
            "model": model,
            "max_tokens": ANSWER_TOKENS,
            "system": prompt.rules,
            "messages": [{"role": "user", "content": prompt.data}],
        }

    def adapt(self, _: str) -> bool:
        return False

    def reply(self, body: bytes) -> Reply:
        message = _decoded(body, _Message)
        used = message.usage
        cached = used.cache_read_input_tokens or 0
        sent = used.input_tokens + cached + (used.cache_creation_input_tokens or 0)
        usage = Usage(sent, used.output_tokens, cached)
        if message.stop_reason == "refusal":
            raise Failed("refused", usage)
        if message.stop_reason in ("max_tokens", "model_context_window_exceeded"):
            raise Failed("length", usage)
        return Reply(
            "".join(block.text for block in message.content if block.type == "text"), usage
        )


PROVIDERS: Mapping[Name, type[OpenAI] | type[Anthropic]] = {
    "openai": OpenAI,
    "anthropic": Anthropic,
}
BASES: Mapping[Name, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
}
"""Where they are when the operator names no other place."""


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _CompletionUsage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Details | None = None


class _ChatMessage(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _ChatMessage
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _CompletionUsage | None = None


class _Part(msgspec.Struct):
    type: str
    text: str = ""


class _MessageUsage(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Message(msgspec.Struct):
    content: list[_Part]
    stop_reason: str | None = None
    usage: _MessageUsage = msgspec.field(default_factory=_MessageUsage)


def _decoded(body: bytes, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Failed("nonsense") from fault
