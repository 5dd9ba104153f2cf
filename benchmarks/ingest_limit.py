"""The limit of taking OTLP logs in Python: parse, look at every attribute, store, answer.

A bare ASGI application without keys, meaning or a lake. Requests that wait together are stored
in one synced transaction, and each is answered after it.

    python -m benchmarks.ingest_limit DATABASE PORT
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

Message = dict[str, Any]
Waiting = tuple[int, bytes, "asyncio.Future[None]"]


class Store:
    """One table of bodies; `put` returns once its row is synced."""

    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE IF NOT EXISTS bodies (records INTEGER, body BLOB)")
        self._waiting: list[Waiting] = []
        self._task: asyncio.Task[None] | None = None

    async def put(self, records: int, body: bytes) -> None:
        stored = asyncio.get_running_loop().create_future()
        self._waiting.append((records, body, stored))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._flush())
        await stored

    async def _flush(self) -> None:
        while self._waiting:
            together, self._waiting = self._waiting, []
            await asyncio.to_thread(self._commit, [(n, body) for n, body, _ in together])
            for _, _, stored in together:
                stored.set_result(None)

    def _commit(self, rows: list[tuple[int, bytes]]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO bodies VALUES (?, ?)", rows)
        self._connection.execute("COMMIT")


def read(body: bytes) -> list[tuple[int, str, dict[str, Any]]]:
    """Time, text and all attributes of every record."""
    rows = []
    for resource_logs in ExportLogsServiceRequest.FromString(body).resource_logs:
        sender = _values(resource_logs.resource.attributes)
        for scope_logs in resource_logs.scope_logs:
            for record in scope_logs.log_records:
                attributes = _values(record.attributes)
                attributes.update(sender)
                rows.append((record.time_unix_nano, record.body.string_value, attributes))
    return rows


def _values(attributes: Any) -> dict[str, Any]:
    values = {}
    for attribute in attributes:
        value = attribute.value
        text = value.string_value
        if not text:
            kind = value.WhichOneof("value")
            text = getattr(value, kind) if kind else None
        values[attribute.key] = text
    return values


def application(
    store: Store,
) -> Callable[[Message, Callable[[], Awaitable[Message]], Any], Awaitable[None]]:
    async def take(scope: Message, receive: Callable[[], Awaitable[Message]], send: Any) -> None:
        if scope["type"] != "http":
            return
        body = b""
        more = scope["method"] == "POST"
        while more:
            message = await receive()
            body += message["body"]
            more = message.get("more_body", False)
        if body:
            await store.put(len(read(body)), body)
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-length", b"0")],
            }
        )
        await send({"type": "http.response.body", "body": b""})

    return take


if __name__ == "__main__":
    uvicorn.run(
        application(Store(sys.argv[1])),  # type: ignore[arg-type] - uvicorn's exact message types
        port=int(sys.argv[2]),
        lifespan="off",
        access_log=False,
        log_level="warning",
    )
