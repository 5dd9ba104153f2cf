"""Which requests pass, by method and path at the provider.

What could spend money or read what others have stored under the shared key, and is not understood
here, is refused.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from stationmaster.gateway.providers import Kind

Api = Literal["messages", "responses", "chat", "gemini"]


class ProviderRoute(NamedTuple):
    """A request that passes. `api` is the protocol of a call that costs, None for a free one."""

    api: Api | None
    model: str | None = None
    """Where the path names it."""
    is_stream: bool | None = None
    """Where the path states it."""


_ID = r"[A-Za-z0-9][A-Za-z0-9._:@-]*"
_GEMINI = re.compile(rf"v1(?:beta|alpha)?/models/({_ID}?):([A-Za-z]+)")
_FREE: dict[Kind, tuple[tuple[str, re.Pattern[str]], ...]] = {
    "anthropic": (
        ("POST", re.compile(r"v1/messages/count_tokens")),
        ("GET", re.compile(rf"v1/models(?:/{_ID})?")),
    ),
    "openai": (
        ("POST", re.compile(r"v1/responses/input_tokens")),
        ("GET", re.compile(rf"v1/models(?:/{_ID})?")),
    ),
    "gemini": (("GET", re.compile(rf"v1(?:beta|alpha)?/models(?:/{_ID})?")),),
}
_SPENDING: dict[tuple[Kind, str], Api] = {
    ("anthropic", "v1/messages"): "messages",
    ("openai", "v1/responses"): "responses",
    ("openai", "v1/responses/compact"): "responses",
    ("openai", "v1/chat/completions"): "chat",
}


def find(kind: Kind, method: str, path: str) -> ProviderRoute | None:
    """The route of a path without its leading slash; None for one that is refused."""
    if any(method == of and pattern.fullmatch(path) for of, pattern in _FREE[kind]):
        return ProviderRoute(None)
    if method != "POST":
        return None
    if kind == "gemini":
        return _gemini(path)
    api = _SPENDING.get((kind, path))
    return None if api is None else ProviderRoute(api)


def _gemini(path: str) -> ProviderRoute | None:
    match = _GEMINI.fullmatch(path)
    if match is None:
        return None
    model, verb = match.groups()
    if verb == "countTokens":
        return ProviderRoute(None)
    if verb in ("generateContent", "streamGenerateContent"):
        return ProviderRoute("gemini", model, verb == "streamGenerateContent")
    return None
