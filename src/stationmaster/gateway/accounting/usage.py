"""What providers report of a call: tokens, and the names of model, answer and tier.

A figure that cannot be true is not used, and neither are the others that arrived with it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from stationmaster.gateway.routes import Api

TOKENS_MAX = 20_000_000
"""No call has more tokens of a kind."""


class TokenUse(Struct):
    """Disjoint counts of tokens, except `cache_write_1h`, which is part of `cache_write`, and
    `reasoning`, which is part of `output`. None is not reported."""

    input: int | None = None
    output: int | None = None
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    reasoning: int = 0
    speed: str | None = None
    service_tier: str | None = None
    region: str | None = None

    @property
    def is_whole(self) -> bool:
        """True where input and output are reported."""
        return self.input is not None and self.output is not None


class _CacheCreation(Struct):
    ephemeral_1h_input_tokens: int | None = None


class _OutputDetails(Struct):
    thinking_tokens: int | None = None
    reasoning_tokens: int | None = None


class _InputDetails(Struct):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _Figures(Struct):
    """Of Anthropic's and of both of OpenAI's interfaces."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation: _CacheCreation | None = None
    output_tokens_details: _OutputDetails | None = None
    input_tokens_details: _InputDetails | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _InputDetails | None = None
    completion_tokens_details: _OutputDetails | None = None
    speed: str | None = None
    service_tier: str | None = None
    inference_geo: str | None = None


class _Metadata(Struct, rename="camel"):
    """Of Gemini's interface."""

    prompt_token_count: int | None = None
    cached_content_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None


class _Answer(Struct):
    """The whole answer, or what a frame holds of it."""

    id: str | None = None
    model: str | None = None
    usage: _Figures | None = None
    service_tier: str | None = None


class _Delta(Struct):
    text: str | None = None
    partial_json: str | None = None
    thinking: str | None = None


class _Function(Struct):
    arguments: str | None = None


class _Call(Struct):
    function: _Function | None = None


class _ChatDelta(Struct):
    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(Struct):
    delta: _ChatDelta | None = None


class _Part(Struct):
    text: str | None = None


class _Content(Struct):
    parts: list[_Part] | None = None


class _Candidate(Struct):
    content: _Content | None = None


class _MessagesFrame(_Answer):
    message: _Answer | None = None
    delta: _Delta | None = None


class _ResponsesFrame(_Answer):
    response: _Answer | None = None
    delta: str | None = None


class _ChatFrame(_Answer):
    choices: list[_Choice] | None = None


class _GeminiFrame(Struct, rename="camel"):
    usage_metadata: _Metadata | None = None
    model_version: str | None = None
    response_id: str | None = None
    candidates: list[_Candidate] | None = None


_FRAMES: dict[Api, Any] = {
    "messages": msgspec.json.Decoder(_MessagesFrame, strict=True),
    "responses": msgspec.json.Decoder(_ResponsesFrame),
    "chat": msgspec.json.Decoder(_ChatFrame),
    "gemini": msgspec.json.Decoder(_GeminiFrame),
}
_LOOSE = msgspec.json.Decoder(dict[str, msgspec.Raw])


class UseReport:
    """What is known of an answer so far, from its frames or its whole body."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._decoder = _FRAMES[api]
        self.usage = TokenUse()
        self.answer_id: str | None = None
        self.model: str | None = None
        self.text_bytes = 0
        """Of texts, arguments and thoughts."""
        self.is_wrong = False
        """A figure could not be true."""

    def take(self, data: bytes | memoryview) -> bool:
        """Take one frame's data, or a whole body; False for what is no JSON object, which reports
        nothing."""
        try:
            frame = self._decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            # Perhaps only a figure or a text is of another type than it should be.
            return self._take_wrong(data)
        if isinstance(frame, _GeminiFrame):
            self._take_gemini(frame)
            return True
        parts: list[str | None] = []
        if isinstance(frame, _MessagesFrame):
            answer = frame.message or frame
            if (delta := frame.delta) is not None:
                parts = [delta.text, delta.partial_json, delta.thinking]
        elif isinstance(frame, _ResponsesFrame):
            answer = frame.response or frame
            parts = [frame.delta]
        else:
            answer = frame
            parts = _chat_parts(frame)
        self._count(parts)
        self._name(answer.id, answer.model)
        if answer.usage is not None:
            self._take(answer.usage, answer.service_tier)
        return True

    def _take_wrong(self, data: bytes | memoryview) -> bool:
        try:
            members = _LOOSE.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return False
        holders = {"usage", "usageMetadata", "message", "response"}
        self.is_wrong |= not holders.isdisjoint(members)
        return True

    def _take(self, figures: _Figures, service_tier: str | None) -> None:
        input_tokens = (
            figures.input_tokens if figures.input_tokens is not None else figures.prompt_tokens
        )
        output = figures.output_tokens
        output = figures.completion_tokens if output is None else output
        details = figures.input_tokens_details or figures.prompt_tokens_details or _InputDetails()
        thought = figures.output_tokens_details or figures.completion_tokens_details
        read, written = details.cached_tokens or 0, details.cache_write_tokens or 0
        if self._api == "messages":
            # Here the input has no part in caches; frames after the first may leave counts out.
            read = _or(figures.cache_read_input_tokens, self.usage.cache_read)
            written = _or(figures.cache_creation_input_tokens, self.usage.cache_write)
        elif input_tokens is not None:
            input_tokens -= read + written
        kept = figures.cache_creation.ephemeral_1h_input_tokens if figures.cache_creation else None
        reasoning = (thought.thinking_tokens or thought.reasoning_tokens or 0) if thought else 0
        self._set(
            TokenUse(
                _or(input_tokens, self.usage.input),
                _or(output, self.usage.output),
                read,
                written,
                _or(kept, self.usage.cache_write_1h),
                reasoning,
                figures.speed or self.usage.speed,
                figures.service_tier or service_tier or self.usage.service_tier,
                figures.inference_geo or self.usage.region,
            )
        )

    def _take_gemini(self, frame: _GeminiFrame) -> None:
        for candidate in frame.candidates or ():
            if candidate.content is not None:
                self._count([part.text for part in candidate.content.parts or ()])
        self._name(frame.response_id, frame.model_version)
        metadata = frame.usage_metadata
        if metadata is None or metadata.prompt_token_count is None:
            return
        read = metadata.cached_content_token_count or 0
        thoughts = metadata.thoughts_token_count or 0
        input_tokens = (
            metadata.prompt_token_count + (metadata.tool_use_prompt_token_count or 0) - read
        )
        self._set(
            TokenUse(
                input_tokens,
                (metadata.candidates_token_count or 0) + thoughts,
                read,
                reasoning=thoughts,
            )
        )

    def _set(self, usage: TokenUse) -> None:
        counts = (
            *(usage.input or 0, usage.output or 0, usage.cache_read, usage.cache_write),
            *(usage.cache_write_1h, usage.reasoning),
        )
        if not all(0 <= count <= TOKENS_MAX for count in counts) or (
            usage.cache_write_1h > usage.cache_write
        ):
            self.is_wrong = True
            return
        self.usage = usage

    def _count(self, texts: list[str | None]) -> None:
        for text in texts:
            if text:
                self.text_bytes += len(text) if text.isascii() else len(text.encode())

    def _name(self, answer_id: str | None, model: str | None) -> None:
        if answer_id and len(answer_id) <= 200:
            self.answer_id = answer_id
        if model and len(model) <= 200:
            self.model = model


def _chat_parts(frame: _ChatFrame) -> list[str | None]:
    parts: list[str | None] = []
    for choice in frame.choices or ():
        if (delta := choice.delta) is not None:
            parts += [delta.content, delta.reasoning_content]
            calls = delta.tool_calls or ()
            parts += [call.function.arguments for call in calls if call.function is not None]
    return parts


def _or(count: int | None, before: Any) -> Any:
    return before if count is None else count
