"""Errors of the gateway itself, each in the form of the provider whose place it takes.

A refusal for a budget is written so that the agent shows its message immediately and does not try
again; what each agent does with which status is in docs/gateway.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from stationmaster.agents import cards
from stationmaster.agents.cards.card import Caller
from stationmaster.gateway.headers import Fields
from stationmaster.gateway.providers import Kind
from stationmaster.gateway.routes import Api

BUDGET_STATUS = 429
_TYPES: dict[Kind, dict[int, str]] = {
    "anthropic": {
        400: "invalid_request_error",
        401: "authentication_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        429: "billing_error",
        502: "api_error",
        503: "overloaded_error",
    },
    "openai": {
        400: "invalid_request_error",
        401: "invalid_request_error",
        403: "invalid_request_error",
        404: "invalid_request_error",
        413: "invalid_request_error",
        429: "insufficient_quota",
        502: "server_error",
        503: "server_error",
    },
    "gemini": {
        400: "INVALID_ARGUMENT",
        401: "UNAUTHENTICATED",
        403: "PERMISSION_DENIED",
        404: "NOT_FOUND",
        413: "INVALID_ARGUMENT",
        429: "RESOURCE_EXHAUSTED",
        502: "UNAVAILABLE",
        503: "UNAVAILABLE",
    },
}
_DOMAIN = "stationmaster"


class OwnAnswer(NamedTuple):
    """A whole answer of the gateway's own."""

    status: int
    fields: Fields
    body: bytes


def error(kind: Kind, status: int, message: str, code: str) -> OwnAnswer:
    """An error that is no refusal of a budget: what a caller did wrong, or a provider that is
    away."""
    return _answer(status, _body(kind, status, message, code))


def budget(kind: Kind, message: str, agent: str, *, retry_s: int) -> OwnAnswer:
    """A call that a budget refuses. `retry_s` is when there is room again, in seconds."""
    card = cards.find(agent)
    caller = None if card is None else card.caller
    # Some repeat a call after 429 regardless of its message, or hide it.
    status = caller.refused_with if isinstance(caller, Caller) else BUDGET_STATUS
    body = _body(kind, BUDGET_STATUS, message, "insufficient_quota")
    if kind == "gemini":
        # Google's clients wait for shorter times and end the turn at longer ones.
        body["error"]["details"] = [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "BUDGET_EXHAUSTED",
                "domain": _DOMAIN,
            },
            {
                "@type": "type.googleapis.com/google.rpc.RetryInfo",
                "retryDelay": f"{max(retry_s, 3600)}s",
            },
        ]
        body["error"]["code"] = status
    return _answer(status, body, [(b"x-should-retry", b"false")])


def in_stream(api: Api, message: str) -> bytes:
    """What ends a stream that has begun and that a budget refuses to go on."""
    if api == "messages":
        body = _body("anthropic", BUDGET_STATUS, message, "")
        return b"event: error\ndata: " + msgspec.json.encode(body) + b"\n\n"
    if api == "responses":
        wrong = {"code": "insufficient_quota", "message": message}
        response = {"object": "response", "status": "failed", "error": wrong}
        failed = {"type": "response.failed", "response": response}
        return b"event: response.failed\ndata: " + msgspec.json.encode(failed) + b"\n\n"
    kind: Kind = "gemini" if api == "gemini" else "openai"
    body = _body(kind, BUDGET_STATUS, message, "insufficient_quota")
    return b"data: " + msgspec.json.encode(body) + b"\n\n"


def in_array(message: str) -> bytes:
    """What ends a streamed array of Gemini after one of its parts."""
    body = _body("gemini", BUDGET_STATUS, message, "")
    return b",\n" + msgspec.json.encode(body) + b"]"


def _body(kind: Kind, status: int, message: str, code: str) -> dict[str, Any]:
    word = _TYPES[kind].get(status, _TYPES[kind][502])
    if kind == "anthropic":
        return {"type": "error", "error": {"type": word, "message": message}}
    if kind == "gemini":
        return {"error": {"code": status, "message": message, "status": word}}
    return {"error": {"message": message, "type": word, "param": None, "code": code}}


def _answer(status: int, body: dict[str, Any], more: Fields | None = None) -> OwnAnswer:
    text = msgspec.json.encode(body)
    length = str(len(text)).encode()
    fields = [(b"content-type", b"application/json"), (b"content-length", length)]
    return OwnAnswer(status, fields + (more or []), text)
