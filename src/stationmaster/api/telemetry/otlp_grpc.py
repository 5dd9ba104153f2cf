"""OTLP/gRPC: each call is answered as the POST of the same message to /v1/… would be.

The application itself is asked, so that credentials, limits, storing, partial success, metrics and
log lines are those of HTTP. What differs is the envelope: a status of gRPC with a message, and
`RetryInfo` for what HTTP reports with `Retry-After`.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from starlette.types import ASGIApp, Message, Scope

from stationmaster import logs
from stationmaster.api.serving.connections import BODY_SECONDS, HEAD_BYTES_MAX
from stationmaster.api.telemetry import admission
from stationmaster.errors import MissingExtra, OperatorError, RequestTimeout
from stationmaster.ingest import media
from stationmaster.ingest.signals import Signal
from stationmaster.lake.inbox import RETRY_AFTER_S
from stationmaster.settings import Settings

SERVICES: dict[str, Signal] = {
    "opentelemetry.proto.collector.logs.v1.LogsService": "logs",
    "opentelemetry.proto.collector.metrics.v1.MetricsService": "metrics",
    "opentelemetry.proto.collector.trace.v1.TraceService": "traces",
}
CALLS_MAX = 512
"""Calls of one process at a time; more are refused with RESOURCE_EXHAUSTED."""
_CALLS_OF_CONNECTION_MAX = 100
_IDLE_MS = 5 * 60_000
_SHARE = 4
"""An organization may use a quarter of the memory for messages."""
_FORWARDED = frozenset({"authorization", "user-agent", "x-request-id", "x-stationmaster-machine"})
_DRY_RUN = "stationmaster-dry-run"


class Reading:
    """Messages that are received at a time: gRPC holds each as a whole, up to the largest one."""

    def __init__(self, settings: Settings) -> None:
        at_once = max(1, settings.request_bodies_max // settings.request_body_max)
        self._all = asyncio.Semaphore(at_once)
        self._of_one = max(1, at_once // _SHARE)
        self._orgs: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def message(self, read: Callable[[], Awaitable[bytes]]) -> bytes:
        """The message of the call at hand, whose organization is known by now.

        Raises Overloaded where others leave no room, RequestTimeout for a slow sender.
        """
        request_log = logs.asked.get()
        org = (request_log.org_id if request_log is not None else None) or ""
        own = self._orgs.setdefault(org, asyncio.Semaphore(self._of_one))
        async with AsyncExitStack() as turns:
            try:
                async with asyncio.timeout(admission.PATIENCE_S):
                    await turns.enter_async_context(own)
                    await turns.enter_async_context(self._all)
            except TimeoutError:
                raise admission.Overloaded(
                    "Too many messages are being received; send this again later.",
                    retry_after_s=RETRY_AFTER_S,
                ) from None
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    return await read()
            except TimeoutError:
                raise RequestTimeout("The message of this call took too long.") from None


class _Answer:
    """The answer of the application to one call."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[bytes, bytes] = {}
        self.body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = dict(message["headers"])
        else:
            self.body += message.get("body", b"")


@asynccontextmanager
async def serving(app: ASGIApp, settings: Settings) -> AsyncIterator[None]:
    """Take calls at `settings.grpc_port` until the block ends; calls that have begun may end."""
    if not settings.grpc_port:
        yield
        return
    grpc = library()
    server = grpc.aio.server(
        maximum_concurrent_rpcs=CALLS_MAX,
        options=(
            ("grpc.max_receive_message_length", settings.request_body_max),
            ("grpc.max_metadata_size", HEAD_BYTES_MAX),
            ("grpc.max_concurrent_streams", _CALLS_OF_CONNECTION_MAX),
            ("grpc.max_connection_idle_ms", _IDLE_MS),
            # Several processes of one server share the port; two servers must not.
            ("grpc.so_reuseport", int(multiprocessing.parent_process() is not None)),
        ),
    )
    server.add_generic_rpc_handlers(_handlers(grpc, app, Reading(settings)))
    host = f"[{settings.host}]" if ":" in settings.host else settings.host or "[::]"
    address = f"{host}:{settings.grpc_port}"
    pair = _certificate(settings)
    try:
        if pair is None:
            server.add_insecure_port(address)
        else:
            server.add_secure_port(address, grpc.ssl_server_credentials([pair]))
    except RuntimeError as fault:
        raise OperatorError(
            f"cannot accept OTLP/gRPC on {address}; choose another STATIONMASTER_GRPC_PORT",
            code="address",
        ) from fault
    await server.start()
    try:
        yield
    finally:
        await server.stop(settings.shutdown_seconds)


def check(settings: Settings) -> None:
    """Raise OperatorError where the port is asked for and cannot be served."""
    if settings.grpc_port:
        library()
        _certificate(settings)


def library() -> Any:
    """gRPC, which is an extra. Raises MissingExtra where it is not installed."""
    try:
        import grpc.aio
    except ModuleNotFoundError as fault:
        raise MissingExtra("STATIONMASTER_GRPC_PORT", "server,grpc", fault.name) from fault
    return grpc


def _certificate(settings: Settings) -> tuple[bytes, bytes] | None:
    """The key and the certificate chain in PEM; None serves without TLS."""
    files = settings.grpc_certificate_key, settings.grpc_certificate
    if files == (None, None):
        return None
    pair = []
    for name, file in zip(("CERTIFICATE_KEY", "CERTIFICATE"), files, strict=True):
        if file is None:
            raise OperatorError(
                f"STATIONMASTER_GRPC_{name} is missing: TLS needs a certificate and its key",
                code="bad_settings",
            )
        try:
            pair.append(file.read_bytes())
        except OSError as fault:
            raise OperatorError(
                f"STATIONMASTER_GRPC_{name}: {file} cannot be read ({fault.strerror})",
                code="bad_settings",
            ) from fault
    return pair[0], pair[1]


def _handlers(grpc: Any, app: ASGIApp, reading: Reading) -> Sequence[Any]:
    """As of a stream, so that a message is not read before it is known who sends it."""
    return [
        grpc.method_handlers_generic_handler(
            service,
            {
                "Export": grpc.stream_unary_rpc_method_handler(
                    partial(_export, app, reading, signal)
                )
            },
        )
        for service, signal in SERVICES.items()
    ]


async def _export(
    app: ASGIApp, reading: Reading, signal: Signal, _messages: object, context: Any
) -> bytes:
    scope = _scope(signal, context)
    answer = _Answer()

    async def receive() -> Message:
        return {"type": "http.request", "body": await reading.message(partial(_read, context))}

    await app(scope, receive, answer.send)
    if answer.status != 200:
        await _abort(context, answer)
    if answer.headers.get(b"content-type") != media.PROTOBUF.encode():
        invalid = library().StatusCode.INVALID_ARGUMENT
        await context.abort(invalid, "A dry run is answered over HTTP alone.")
    return answer.body


async def _read(context: Any) -> bytes:
    message = await context.read()
    # Without a message the library has its own object, which means that the stream has ended.
    return message if isinstance(message, bytes) else b""


async def _abort(context: Any, answer: _Answer) -> None:
    """End a call with the status that the application has answered."""
    from google.rpc import error_details_pb2, status_pb2

    status = status_pb2.Status.FromString(answer.body)
    code = next(code for code in library().StatusCode if code.value[0] == status.code)
    trailing: tuple[tuple[str, bytes], ...] = ()
    if b"retry-after" in answer.headers:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.seconds = int(answer.headers[b"retry-after"])
        status.details.add().Pack(retry)
        trailing = (
            ("grpc-status-details-bin", status.SerializeToString()),
            # Where the exporter of OpenTelemetry for Python looks.
            ("google.rpc.retryinfo-bin", retry.SerializeToString()),
        )
    await context.abort(code, status.message, trailing)


def _scope(signal: Signal, context: Any) -> Scope:
    path = f"/v1/{signal}"
    headers = [
        (key.encode(), value.encode("latin-1", "replace"))
        for key, value in context.invocation_metadata() or ()
        if isinstance(value, str) and (key in _FORWARDED or key == _DRY_RUN)
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "2",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [*headers, (b"content-type", media.PROTOBUF.encode())],
        "client": _client(context.peer()),
        "server": None,
    }


def _client(peer: str) -> tuple[str, int] | None:
    """`ipv4:127.0.0.1:4317` or `ipv6:%5B::1%5D:4317` as ASGI has it; None for any other form."""
    kind, _, address = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return None
    try:
        parts = urlsplit("//" + address.replace("%5B", "[").replace("%5D", "]"))
        return parts.hostname or "", parts.port or 0
    except ValueError:
        return None
