"""Costs in US dollars, the rate card, and what another card would make of past days."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import msgspec
from fastapi import Query
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from stationmaster import clock
from stationmaster.analytics import ranges
from stationmaster.analytics.spending import costs, rate_lines, what_if
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import described
from stationmaster.api.routing import Opened, router
from stationmaster.pricing import current, review
from stationmaster.pricing.credits import reading

routes = router("/api/platform/v1/costs", "Costs")

_GROUPED_DAYS_MAX = 92
"""Rows of many users or repositories a day are a lot."""
_MODEL_LENGTH_MAX = 200

_DAY: dict[str, Any] = {"format": "date"}
_Start = Annotated[
    str | None,
    Query(
        alias="startDate",
        description="The first UTC day, YYYY-MM-DD; required.",
        json_schema_extra=_DAY,
    ),
]
_End = Annotated[
    str | None,
    Query(
        alias="endDate",
        description="The last UTC day, YYYY-MM-DD; required.",
        json_schema_extra=_DAY,
    ),
]


class WhatIfQuestion(wire.Question):
    """`card` is the TOML of a rate card as docs/costs.md describes it; its families are tried
    before those in force."""

    start_date: Annotated[str, wire.described(**_DAY)]
    end_date: Annotated[str, wire.described(**_DAY)]
    card: Annotated[str, Field(max_length=reading.CARD_LENGTH_MAX)]


@routes.get("", responses={200: described("Costs")})
async def get_costs(
    services: Opened,
    response: Response,
    caller: callers.Manager,
    start: _Start = None,
    end: _End = None,
    group_by: Annotated[
        costs.Grouping | None, Query(description="One row per day and value, in `group_key`.")
    ] = None,
) -> Response:
    """What model calls cost at list prices, call by call, by UTC day; closed days only."""
    days_max = services.settings.range_days_max
    if group_by not in (None, "model"):
        days_max = min(days_max, _GROUPED_DAYS_MAX)
    days = ranges.closed(start, end, days_max)
    card = await blocking.work(review.reviewed, services.db, services.settings, caller.org_id)
    await blocking.work(partial(services.freshness.ensure, caller.org_id, days, facts=True))
    find = partial(costs.find, services.db, card, caller.org_id, days, group_by)
    costs_found = await blocking.few(services.folding, find)
    if costs_found.is_large:
        return StreamingResponse(
            wire.in_turn(costs_found.parts()), 200, response.headers, "application/json"
        )
    return wire.json_answer(b"".join(costs_found.parts()), response)


@routes.get("/rates", responses={200: described("RateLines")})
def get_rates(
    services: Opened,
    response: Response,
    caller: callers.Manager,
    model: Annotated[
        str | None, Query(max_length=_MODEL_LENGTH_MAX, description="A model's id.")
    ] = None,
    day: Annotated[wire.Day | None, Query(description="A UTC day; by default today.")] = None,
    region: Annotated[
        str | None,
        Query(
            max_length=_MODEL_LENGTH_MAX,
            description="The region of a cloud that serves the model, such as `jp`.",
        ),
    ] = None,
) -> Response:
    """The rate of a model on a day, with its card and line; by default of
    all models."""
    at = day or clock.today()
    card = current.card(services.db, services.settings, caller.org_id)
    if model is None:
        lines = rate_lines.everything(card, at)
    else:
        lines = rate_lines.of_model(card, model, at, region)
    return wire.json_answer(msgspec.json.encode(lines), response)


@routes.post("/what-if", responses={200: described("WhatIf")})
async def compare_costs(
    services: Opened, response: Response, body: WhatIfQuestion, caller: callers.Manager
) -> Response:
    """What past days would have cost with another rate card; nothing is stored."""
    days = ranges.closed(body.start_date, body.end_date, what_if.DAYS_MAX)
    db, settings, org = services.db, services.settings, caller.org_id
    cards = await blocking.work(what_if.cards, db, settings, org, body.card)
    await blocking.work(partial(services.freshness.ensure, caller.org_id, days, facts=True))
    compare = partial(what_if.compare, db, settings, *cards, org, days)
    compared = await blocking.few(services.folding, compare)
    return wire.json_answer(msgspec.json.encode(compared), response)
