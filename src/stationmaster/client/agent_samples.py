"""One record of each agent in the very form in which it sends it, for trying a server.

They hold figures and names of ours; a server is asked not to store them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from stationmaster.client import otlp_sample
from stationmaster.client.otlp_sample import Json

SESSION = "00000000-0000-4000-8000-000000000000"
_PROTOBUF, _JSON = "application/x-protobuf", "application/json"


class Sample(NamedTuple):
    """A request: below which address of a server, in which encoding, and its body."""

    path: str
    content_type: str
    body: bytes


class _Form(NamedTuple):
    signal: str
    content_type: str
    make: Callable[[str, str, int, str, Json], Json]
    service: str
    scope: str
    name: str
    attributes: Json


_GEMINI_CALL = {
    "session.id": SESSION,
    "model": "gemini-3-pro",
    "input_token_count": 10,
    "output_token_count": 5,
    "cached_content_token_count": 0,
    "thoughts_token_count": 0,
    "tool_token_count": 0,
    "total_token_count": 15,
    "duration_ms": 100,
    "prompt_id": f"{SESSION}########0",
    "auth_type": "oauth-personal",
}
_FORMS: dict[str, _Form] = {
    "claude-code": _Form(
        *("logs", _PROTOBUF, otlp_sample.log),
        *("claude-code", "com.anthropic.claude_code.events", "claude_code.api_request"),
        {
            "event.name": "api_request",
            "session.id": SESSION,
            "model": "claude-opus-4-8",
            "input_tokens": 10,
            "output_tokens": 5,
            "cache_read_tokens": 0,
            "cache_creation_tokens": 0,
            "duration_ms": 100,
            "request_id": "req_sample",
        },
    ),
    "codex": _Form(
        *("logs", _PROTOBUF, otlp_sample.log),
        *("codex_cli_rs", "codex_otel", "codex.sse_event"),
        {
            "event.name": "codex.sse_event",
            "event.kind": "response.completed",
            "conversation.id": SESSION,
            "model": "gpt-5.5",
            "input_token_count": "10",
            "output_token_count": "5",
            "cached_token_count": 0,
            "reasoning_token_count": 0,
        },
    ),
    "gemini-cli": _Form(
        *("logs", _JSON, otlp_sample.log),
        *("gemini-cli", "gemini-cli", "gemini_cli.api_response"),
        {"event.name": "gemini_cli.api_response", **_GEMINI_CALL},
    ),
    "qwen-code": _Form(
        *("logs", _JSON, otlp_sample.log),
        *("qwen-code", "qwen-code", "qwen-code.api_response"),
        {"event.name": "qwen-code.api_response", "response_id": "resp_sample", **_GEMINI_CALL},
    ),
    "copilot-cli": _Form(
        *("traces", _PROTOBUF, otlp_sample.span),
        *("github-copilot", "github.copilot", "chat gpt-5.5"),
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.conversation.id": SESSION,
            "gen_ai.request.model": "gpt-5.5",
            "gen_ai.response.model": "gpt-5.5",
            "gen_ai.response.id": "resp_sample",
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
        },
    ),
    "droid": _Form(
        *("metrics", _PROTOBUF, otlp_sample.counter),
        *("cli", "droid", "droid.tool.invocations"),
        {"session.id": SESSION, "tool.name": "Execute"},
    ),
}
_CLAUDE_START = {"session_id": SESSION, "hook_event_name": "SessionStart", "source": "startup"}
HOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    **dict.fromkeys(("claude-code", "codex", "gemini-cli"), ("", _CLAUDE_START)),
    **dict.fromkeys(("qwen-code", "droid"), ("", _CLAUDE_START)),
    "copilot-cli": ("sessionStart", {"sessionId": SESSION, "source": "startup"}),
    "cursor": (
        "",
        {
            "hook_event_name": "sessionStart",
            "conversation_id": SESSION,
            "session_id": SESSION,
            "cursor_version": "3.0.0",
        },
    ),
    "opencode": (
        "",
        {"type": "session.created", "info": {"id": "ses_sample", "version": "1.0.0"}},
    ),
}
"""The start of a session, as each agent's hook tells it, and the name of the hook where the JSON
does not say it."""


def export_of(agent: str, at_ms: int) -> Sample | None:
    """What an agent exports over OTLP; None for one that exports nothing."""
    form = _FORMS.get(agent)
    if form is None:
        return None
    request = form.make(form.service, form.scope, at_ms, form.name, form.attributes)
    is_json = form.content_type == _JSON
    body = msgspec.json.encode(request) if is_json else otlp_sample.protobuf(request)
    return Sample(f"/v1/{form.signal}", form.content_type, body)
