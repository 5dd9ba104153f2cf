"""POST /v1/{logs,metrics,traces}: OTLP/HTTP as OpenTelemetry defines it, protobuf and JSON; and
POST /, which takes all three by their content.

200 means that the request is durable. Errors are a google.rpc.Status in the encoding of the
request; a sender that meets 429 or 503 waits for `Retry-After` and sends the same again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.api import bodies, callers, errors, wire
from stationmaster.api.edge import Route
from stationmaster.api.openapi import BEARER, CHALLENGE, RETRY_AFTER, ref, response
from stationmaster.api.services import services_of
from stationmaster.api.telemetry import dry_run
from stationmaster.errors import StationmasterError, UnsupportedMedia
from stationmaster.ingest import delivery, media, otlp, otlp_protobuf
from stationmaster.ingest.otlp_walk import Decoded
from stationmaster.ingest.signals import Signal
from stationmaster.lake.rows import Delivery
from stationmaster.settings import Settings

SIGNALS: tuple[Signal, ...] = ("logs", "metrics", "traces")

_OBJECT: dict[str, Any] = {"type": "object"}
_ONE_SIGNAL: dict[str, Any] = {
    "type": "object",
    "properties": {
        member: {"type": "array", "items": _OBJECT}
        for member in ("resourceLogs", "resourceMetrics", "resourceSpans")
    },
    "additionalProperties": False,
    "minProperties": 1,
    "maxProperties": 1,
}

INLINE_BYTES = 512 * 1024
"""Bodies up to this size are decoded in the loop, some 15 ms: several threads that decode at the
same time would keep the interpreter from the loop for just as long, and take more time
altogether."""


async def receive(signal: Signal | None, request: Request) -> Response:
    """Take one export request of the signal that its address names, if it names one. Any valid key
    may send telemetry, whatever its role.
    """
    services = services_of(request)
    services.admission.check()
    caller = await callers.caller(request)
    services.last_use.note(caller)
    is_dry_run = dry_run.is_asked(request)
    size_max = services.settings.request_body_max
    body = await bodies.whole(request, services.bodies, caller.org_id, size_max)
    sent = (
        wire.header(request, b"content-type"),
        wire.header(request, b"content-encoding"),
    )
    is_quick = len(body) <= INLINE_BYTES and sent[1] in (None, "identity")
    decoded, taken = await services.admission.turn(
        _take,
        signal,
        caller,
        wire.machine(request),
        sent,
        body,
        services.settings,
        sender=None if is_quick else caller.key_id,
    )
    if is_dry_run:
        return await dry_run.answer(services.db, caller, taken, clock.now_ms())
    with services.admission.inside():
        await services.inbox.store(taken)
    services.metrics.took(decoded.signal, len(body), taken.tally)
    form = _form(sent[0])
    return Response(otlp_protobuf.success(form == media.JSON, decoded), media_type=form)


def _take(
    signal: Signal | None,
    caller: Caller,
    machine: str | None,
    sent: tuple[str | None, str | None],
    body: bytes,
    settings: Settings,
) -> tuple[Decoded, Delivery]:
    """What a body holds, and what the inbox takes of it."""
    received_ms = clock.now_ms()
    decoded = otlp.decode(
        signal,
        *sent,
        body,
        received_ms=received_ms,
        body_max=settings.request_body_max,
        person_attributes=settings.person_attribute_names,
    )
    return decoded, delivery.prepare(
        caller, decoded.events, decoded.drops, received_ms=received_ms, machine=machine
    )


def _form(content_type: str | None) -> str:
    """The encoding of the answer: that of the request, JSON where it is neither."""
    try:
        return media.kind(content_type, (media.PROTOBUF, media.JSON))
    except UnsupportedMedia:
        return media.JSON


def _status(fault: StationmasterError, request: Request) -> Response:
    form = _form(wire.header(request, b"content-type"))
    return Response(
        otlp_protobuf.failure(form == media.JSON, fault),
        status_code=fault.status,
        media_type=form,
        headers=errors.headers(fault),
    )


def _operation(
    name: str, summary: str, where: str, schema: dict[str, Any] = _OBJECT
) -> dict[str, Any]:
    binary = {"schema": {"type": "string", "format": "binary"}}

    def failed(description: str, headers: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = response(description, headers=headers, json=ref("OtlpStatus"))
        answer["content"][media.PROTOBUF] = binary
        return answer

    taken = response(
        "Durable; `partialSuccess` counts records that were refused.",
        json={
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"partialSuccess": {"type": "object"}},
                    "additionalProperties": False,
                },
                ref("DryRun"),
            ]
        },
    )
    taken["content"][media.PROTOBUF] = binary
    return {
        "operationId": f"otlp_{name}",
        "tags": ["OTLP"],
        "summary": summary,
        "description": (
            f"OTLP/HTTP. {where} `Content-Encoding` may be gzip or deflate. A dry run is answered "
            "in JSON, whatever the encoding of the request."
        ),
        "security": BEARER,
        "parameters": [dry_run.PARAMETER],
        "requestBody": {
            "required": True,
            "content": {media.PROTOBUF: binary, media.JSON: {"schema": schema}},
        },
        "responses": {
            "200": taken,
            "400": failed(
                "The body cannot be decoded, or the value of the dry-run header is invalid."
            ),
            "401": failed("The credential is missing or not valid.", CHALLENGE),
            "413": failed("The body is larger than allowed."),
            "415": failed("Neither protobuf nor JSON, or an unknown encoding."),
            "500": failed("An internal error occurred."),
            "503": failed("The server cannot store it now; send it again.", RETRY_AFTER),
        },
    }


def _routes() -> Iterator[Route]:
    for signal in SIGNALS:
        take = partial(receive, signal)
        path = f"/v1/{signal}"
        where = "JSON with another signal is accepted as that signal."
        operation = _operation(signal, f"Take OpenTelemetry {signal}", where)
        yield Route("POST", path, take, operation, _status)
        # Of a sender whose endpoint for all signals was given with the path of one of them.
        for name in SIGNALS:
            yield Route("POST", f"/v1/{name}{path}", take, error_form=_status)
    where = "The signal is recognised by the content; one body has one signal."
    operation = _operation("any", "Take OpenTelemetry logs, metrics or traces", where, _ONE_SIGNAL)
    yield Route("POST", "/", partial(receive, None), operation, _status)


ROUTES = tuple(_routes())
