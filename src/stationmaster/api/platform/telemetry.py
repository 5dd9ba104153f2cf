"""What senders of telemetry need: the endpoint for canonical events, and a way to test a key."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.api import bodies, callers, errors, wire
from stationmaster.api.edge import Route
from stationmaster.api.openapi import BEARER, RATE_LIMIT, Me, problems, ref, response
from stationmaster.api.services import services_of
from stationmaster.api.telemetry import dry_run
from stationmaster.ingest import delivery, events, media
from stationmaster.lake.rows import Delivery

PREFIX = "/api/platform/v1/"


async def take_events(request: Request) -> Response:
    """Take canonical events, each checked by itself. What is accepted is durable: all with 200, a
    part with 207, none with 422.
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
    machine = wire.machine(request)
    submitted, taken = await services.admission.turn(
        _take, caller, machine, sent, body, size_max, sender=caller.key_id
    )
    if is_dry_run:
        return await dry_run.answer(services.db, caller, taken, clock.now_ms())
    with services.admission.inside():
        await services.inbox.store(taken)
    services.metrics.took("events", len(body), taken.tally)
    return _outcome(submitted)


def _take(
    caller: Caller,
    machine: str | None,
    sent: tuple[str | None, str | None],
    body: bytes,
    size_max: int,
) -> tuple[events.Submitted, Delivery]:
    submitted = events.decode(*sent, body, body_max=size_max)
    return submitted, delivery.prepare(
        caller,
        submitted.events,
        submitted.drops,
        received_ms=clock.now_ms(),
        machine=machine,
    )


def _outcome(submitted: events.Submitted) -> Response:
    """What became of the events, in the status for clients that read nothing else."""
    accepted, refused = len(submitted.events), submitted.errors
    outcome = {"accepted": accepted, "rejected": len(refused), "errors": refused}
    if not refused:
        return wire.JsonResponse(outcome)
    if accepted:
        return wire.JsonResponse(outcome, status_code=207)
    first = refused[0]
    fault = events.NothingAccepted(
        f"None of {len(refused)} events was accepted; event {first.index}: {first.error}"
    )
    return wire.JsonResponse({**errors.body(fault, None), **outcome}, status_code=fault.status)


async def me(request: Request) -> Response:
    """Who the caller is: a way to try a key, whatever its scope."""
    services = services_of(request)
    caller = await callers.caller(request)
    headers = services.other_limit.take(caller.key_id, caller.org_id)
    services.last_use.note(caller)
    members = {name: getattr(caller, name) for name in Me.__struct_fields__}
    return wire.JsonResponse(members, headers=headers)


ROUTES = (
    Route(
        "POST",
        PREFIX + "events",
        take_events,
        {
            "operationId": "events",
            "tags": ["Platform"],
            "summary": "Take canonical events",
            "description": (
                f"At most {events.ITEMS_MAX} events. `errors` lists the refused ones; the others "
                f"are accepted. An event that is sent again with the same `event_id` counts "
                f"once. `Content-Encoding` may be gzip or deflate."
            ),
            "security": BEARER,
            "parameters": [dry_run.PARAMETER],
            "requestBody": {
                "required": True,
                "content": {
                    media.JSON: {
                        "schema": {
                            "anyOf": [
                                {"type": "array", "items": events.EVENT_SCHEMA},
                                {
                                    "type": "object",
                                    "required": ["events"],
                                    "additionalProperties": False,
                                    "properties": {
                                        "events": {"type": "array", "items": events.EVENT_SCHEMA}
                                    },
                                },
                            ]
                        }
                    },
                    media.NDJSON: {"schema": {"type": "string"}},
                },
            },
            "responses": {
                "200": response(
                    "All were accepted.",
                    json={"anyOf": [ref("EventsOutcome"), ref("DryRun")]},
                ),
                "207": response("Some were accepted.", json=ref("EventsOutcome")),
                "422": response("None was accepted.", json=ref("EventsRefused")),
                **problems(400, 401, 413, 415, 500, 503),
            },
        },
    ),
    Route(
        "GET",
        PREFIX + "me",
        me,
        {
            "operationId": "me",
            "tags": ["Platform"],
            "summary": "Who the caller is",
            "security": BEARER,
            "responses": {
                "200": response(
                    "The principal behind the credential.", headers=RATE_LIMIT, json=ref("Me")
                ),
                **problems(401, 429, 500, 503),
            },
        },
    ),
)
