"""What stands around the gateway in its benchmark: a provider that answers at once, and the least
that a pass-through of the same libraries can do.

    python -m benchmarks.gateway_apps provider PORT
    python -m benchmarks.gateway_apps bare PORT PROVIDER_PORT
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import uvicorn

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

USAGE = {"input_tokens": 900, "output_tokens": 60, "cache_read_input_tokens": 4000}
ANSWER = json.dumps(
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "word " * 60}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }
).encode()
START = {"type": "message_start", "message": {"id": "msg_1", "usage": USAGE}}
DELTA = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "word"}}
END = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": USAGE}
_JSON = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(ANSWER))]
_EVENTS = [(b"content-type", b"text/event-stream")]


def frame(data: dict[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


async def _whole(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def provider(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers a call at once, streams 61 events, or keeps a stream open after the first."""
    if scope["type"] != "http":
        return
    content = await _whole(receive)
    is_open, is_stream = b'"keep open"' in content, b'"stream":true' in content
    fields = _EVENTS if is_stream else _JSON
    await send({"type": "http.response.start", "status": 200, "headers": fields})
    if not is_stream:
        await send({"type": "http.response.body", "body": ANSWER})
        return
    for data in (START, *[DELTA] * 59):
        await send({"type": "http.response.body", "body": frame(data), "more_body": True})
        if is_open:
            await asyncio.wait([asyncio.ensure_future(receive())], timeout=120)
            break
    await send({"type": "http.response.body", "body": frame(END)})


class Bare:
    """Passes everything on, and knows nothing of it."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}"
        self._session: aiohttp.ClientSession | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), auto_decompress=False
            )
        content = await _whole(receive)
        fields = [(n.decode(), v.decode()) for n, v in scope["headers"] if n != b"host"]
        async with self._session.post(
            self._url + scope["path"], data=content, headers=fields
        ) as answer:
            kept = [(n, v) for n, v in answer.raw_headers if n.lower() != b"transfer-encoding"]
            await send({"type": "http.response.start", "status": answer.status, "headers": kept})
            async for chunk in answer.content.iter_any():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


if __name__ == "__main__":
    app = provider if sys.argv[1] == "provider" else Bare(int(sys.argv[3]))
    uvicorn.run(app, port=int(sys.argv[2]), log_level="error", lifespan="off", backlog=2048)
