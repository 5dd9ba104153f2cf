"""What a call requests, as far as it decides what the call may cost. Content is searched for
references only, and nothing of it is kept.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from stationmaster.errors import BadRequest
from stationmaster.gateway.routes import Api

OVERHEAD_TOKENS = 2_000
"""Of an input apart from its bytes: what providers add for tools."""
IMAGE_TOKENS = 10_000
"""The most that an image costs, however few bytes it has."""
_DOUBLED = "The body has a duplicate member; send each once."
_CONTENTS: dict[Api, tuple[str, ...]] = {
    "messages": ("messages", "system"),
    "responses": ("input",),
    "chat": ("messages",),
    "gemini": ("contents", "systemInstruction", "system_instruction"),
}
_ELSEWHERE = frozenset(
    {
        *("previous_response_id", "conversation", "prompt", "container", "mcp_servers"),
        *("cachedContent", "cached_content", "web_search_options"),
    }
)
"""Members of a body that name input which is not in it."""
_OWN_TOOLS = re.compile(
    r"(?:custom|function|local_shell|shell|apply_patch|namespace)\Z"
    r"|(?:bash|text_editor|computer|memory)_"
)
"""Types of tools that the caller runs itself; all others run at the provider."""
_OUTPUT_MAX: dict[Api, tuple[str, ...]] = {
    "messages": ("max_tokens",),
    "responses": ("max_output_tokens",),
    "chat": ("max_completion_tokens", "max_tokens"),
    "gemini": ("maxOutputTokens", "max_output_tokens"),
}
_DECLARED = frozenset({"functionDeclarations", "function_declarations"})
_MAYBE = re.compile(
    rb'"(?:file(?:_(?:id|url|uri|data)|Uri|Data|uri|data)?|image(?:_url)?|input_(?:file|image|audio)'
    rb'|item_reference|inline(?:Data|_data)|url|document|encrypted_file)"'
)
"""What a content with references or images has in it, and other contents may have."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_ESCAPED = re.compile(rb"\\(?=u00)")
"""Begins a letter that could be written plainly. So written, it is found faster than a text."""
_REFERENCES = frozenset(
    {"file_id", "file_url", "fileuri", "file_uri", "filedata", "file_data", "encrypted_file"}
)
_OF_TOOLS = frozenset({"args", "response", "arguments", "input_schema", "parameters"})
_PAGES = frozenset({"document", "input_file", "file", "item_reference"})


class ModelCall(msgspec.Struct):
    """A call before it is made."""

    model: str
    is_stream: bool
    bytes_in: int
    output_max: int | None = None
    """Tokens that the caller lets the model write, over all answers that it requests."""
    images: int = 0
    bytes_of_images: int = 0
    """Of the body, that are images and no text."""
    is_cached: bool = True
    """Input may be written to a cache, which may cost more than to read it."""
    is_cached_long: bool = True
    """It may be kept there for an hour, which costs most."""
    is_elsewhere: bool = False
    """Input is not in the body (files, addresses, stored conversations), or is added by tools that
    run at the provider."""
    speed: str | None = None
    service_tier: str | None = None
    region: str | None = None
    session: str | None = None
    """What the agent calls its session, where the body names it."""

    def input_max(self, window: int) -> int:
        """The most tokens of input; `window` is how much the model can read at all."""
        text = self.bytes_in - self.bytes_of_images
        inside = text + OVERHEAD_TOKENS + self.images * IMAGE_TOKENS
        return max(inside, window) if self.is_elsewhere else inside


def read(api: Api, body: bytes, model: str | None, is_stream: bool | None) -> ModelCall:
    """What a plain body requests; `model` and `is_stream` are those of the path. Raises
    BadRequest for a body that is no JSON object, names no model, or has a member twice: two
    readers could take it for two calls.
    """
    members = _members(body)
    named = model or _value(members, "model", str)
    if not named or len(named) > 200:
        raise BadRequest("The body names no model.", code="invalid_request")
    asking = ModelCall(
        named, bool(is_stream if model else _value(members, "stream", bool)), len(body)
    )
    asking.speed = _value(members, "speed", str)
    asking.service_tier = _value(members, "service_tier", str)
    asking.region = _value(members, "inference_geo", str)
    asking.session = _value(members, "prompt_cache_key", str)
    asking.output_max = _output_max(api, members)
    asking.is_elsewhere = _has_tools(members) or any(
        _is_set(members[name]) for name in _ELSEWHERE & members.keys()
    )
    is_escaped = b"\\" in body and _ESCAPED.search(body) is not None
    if api == "messages" and not is_escaped:
        # Of Anthropic, callers state what is to be cached; others decide that themselves.
        asking.is_cached = b'"cache_control"' in body
        asking.is_cached_long = asking.is_cached and b'"1h"' in body
    for name in _CONTENTS[api]:
        raw = members.get(name)
        if raw is not None and (is_escaped or _MAYBE.search(memoryview(raw))):
            _look(asking, msgspec.json.decode(raw), 0)
    return asking


def _members(body: bytes) -> dict[str, msgspec.Raw]:
    try:
        members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise BadRequest("The body is not a JSON object.", code="invalid_request") from fault
    # Without spaces and doubles, the members and their marks are all there is.
    names = "".join(members)
    sizes = [memoryview(raw).nbytes for raw in members.values()]
    size = 1 + 4 * len(members) + len(names.encode()) + sum(sizes)
    if size != len(body):
        _check_once(body, len(members))
    if names != names.lower() and len({name.lower() for name in members}) < len(members):
        raise BadRequest(_DOUBLED, code="invalid_request")
    return members


def _check_once(body: bytes, count: int) -> None:
    last: list[tuple[str, Any]] = []

    def note(pairs: list[tuple[str, Any]]) -> None:
        # The outermost object is the last one to end.
        last[:] = pairs

    try:
        json.loads(body, object_pairs_hook=note)
    except (ValueError, RecursionError) as fault:
        raise BadRequest("The body is not a JSON object.", code="invalid_request") from fault
    if len(last) != count:
        raise BadRequest(_DOUBLED, code="invalid_request")


def _value(members: dict[str, msgspec.Raw], name: str, kind: type) -> Any:
    """The value of a member of a type; None for none, null and another type."""
    raw = members.get(name)
    if raw is None:
        return None
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _is_set(raw: msgspec.Raw) -> bool:
    return bytes(raw).strip() not in (b"null", b"[]", b"{}", b'""')


def _output_max(api: Api, members: dict[str, msgspec.Raw]) -> int | None:
    names = _OUTPUT_MAX[api]
    answers = 1
    if api == "gemini":
        members = {
            name: raw
            for part in ("generationConfig", "generation_config")
            for name, raw in (_value(members, part, dict[str, msgspec.Raw]) or {}).items()
        }
        answers = _value(members, "candidateCount", int) or 1
    elif api == "chat":
        answers = _value(members, "n", int) or 1
    limits = [limit for name in names if (limit := _value(members, name, int)) is not None]
    return max(limits) * max(answers, 1) if limits and max(limits) > 0 else None


def _has_tools(members: dict[str, msgspec.Raw]) -> bool:
    """Are there tools that the provider runs?"""
    tools = _value(members, "tools", list[dict[str, msgspec.Raw]])
    for tool in tools or ():
        kind = _value(tool, "type", str)
        if kind is not None:
            if not _OWN_TOOLS.match(kind):
                return True
        elif "input_schema" not in tool and "name" not in tool and set(tool) - _DECLARED:
            return True
    return False


def _look(asking: ModelCall, value: Any, depth: int) -> None:
    """Note images, and references to what is not in the body."""
    if depth > 100:
        asking.is_elsewhere = True
    elif isinstance(value, list):
        for item in value:
            _look(asking, item, depth + 1)
    elif isinstance(value, dict):
        kind = value.get("type")
        if kind == "tool_use":
            return
        if kind in _PAGES or (kind == "url" and "url" in value):
            asking.is_elsewhere = True
        if kind in ("image", "image_url", "input_image", "input_audio"):
            asking.images += 1
            asking.bytes_of_images += _size_of_image(value)
        for name, member in value.items():
            folded = name.lower()
            if folded in _REFERENCES and member:
                asking.is_elsewhere = True
            elif folded in ("inlinedata", "inline_data"):
                _note_inline(asking, member)
            elif folded == "image_url":
                text = member.get("url") if isinstance(member, dict) else member
                asking.is_elsewhere |= not str(text).startswith("data:")
            elif folded not in _OF_TOOLS:
                _look(asking, member, depth + 1)


def _size_of_image(block: dict[str, Any]) -> int:
    """The bytes of the image in a block of Anthropic's or OpenAI's form; 0 in any other."""
    source, url = block.get("source"), block.get("image_url")
    if block["type"] == "image":
        data = source.get("data") if isinstance(source, dict) else None
        return len(data) if isinstance(data, str) and _BASE64.fullmatch(data) else 0
    text = url.get("url") if isinstance(url, dict) else url
    if not isinstance(text, str) or not text.startswith("data:image/"):
        return 0
    data = text.partition(",")[2]
    return len(data) if _BASE64.fullmatch(data) else 0


def _note_inline(asking: ModelCall, data: Any) -> None:
    media = str(data.get("mimeType") or data.get("mime_type")) if isinstance(data, dict) else ""
    if media.startswith("image/"):
        asking.images += 1
        content = data.get("data")
        if isinstance(content, str) and _BASE64.fullmatch(content):
            asking.bytes_of_images += len(content)
    else:
        # Sound, films and documents have more tokens than bytes.
        asking.is_elsewhere = True
