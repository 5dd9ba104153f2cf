"""The two protocols that models are asked in: OpenAI's chat completions, Anthropic's messages.

Both are JSON over one POST. Sources: the providers' references of these two calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec

from stationmaster.wiki.prose.model import Usage

Name = Literal["openai", "anthropic"]
ANSWER_TOKENS = 3_000
"""What one answer may have: a plan of a dozen pages, or two dozen sentences, in JSON."""
_T = TypeVar("_T")
_VERSION = "2023-06-01"


class Failed(Exception):
    """A call without an answer that can be used. `reason` is a word of a closed set; `usage` is
    None where nobody knows what was used."""

    def __init__(self, reason: str, usage: Usage | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.usage = usage


class Prompt(NamedTuple):
    """`rules` are ours, `data` is our question with texts of the repository in it."""

    rules: str
    data: str


class Reply(NamedTuple):
    """`usage` is None where the provider does not report it."""

    text: str
    usage: Usage | None


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
        usage = completion.usage.tokens if completion.usage else None
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
        usage = message.usage.tokens if message.usage else None
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


_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Details(msgspec.Struct):
    cached_tokens: _Count | None = None


class _CompletionUsage(msgspec.Struct):
    prompt_tokens: _Count
    completion_tokens: _Count
    prompt_tokens_details: _Details | None = None

    @property
    def tokens(self) -> Usage:
        details = self.prompt_tokens_details or _Details()
        return Usage(self.prompt_tokens, self.completion_tokens, details.cached_tokens or 0)


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
    input_tokens: _Count
    output_tokens: _Count
    cache_read_input_tokens: _Count | None = None
    cache_creation_input_tokens: _Count | None = None

    @property
    def tokens(self) -> Usage:
        cached = self.cache_read_input_tokens or 0
        sent = self.input_tokens + cached + (self.cache_creation_input_tokens or 0)
        return Usage(sent, self.output_tokens, cached)


class _Message(msgspec.Struct):
    content: list[_Part]
    stop_reason: str | None = None
    usage: _MessageUsage | None = None


def _decoded(body: bytes, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Failed("nonsense") from fault
