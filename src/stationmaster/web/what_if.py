"""`/spend/what-if`: what past days would have come to by another rate card. Nothing is stored."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

import msgspec
from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster import clock
from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.analytics.spending.what_if import DAYS_MAX, WhatIf, WhatIfRow
from stationmaster.errors import StationmasterError
from stationmaster.pricing.credits.reading import CARD_LENGTH_MAX
from stationmaster.web.figures import folds, reports
from stationmaster.web.figures.blocks import Column, Row, Table
from stationmaster.web.figures.view import csv_file
from stationmaster.web.frame import menu
from stationmaster.web.frame.pages import page, router
from stationmaster.web.frame.requests import SignedIn, visited_address

PATH = "/spend/what-if"
WEEK = 7
FIGURES = (
    "cost_usd_now",
    "cost_usd_then",
    "cost_usd_difference",
    "billable_tokens_now",
    "billable_tokens_then",
)
COLUMNS = (
    *(Column("Dollars now", "usd"), Column("Dollars then", "usd"), Column("Difference", "usd")),
    *(Column("Credits now", "credits"), Column("Credits then", "credits")),
)

routes = router()


@routes.get(PATH)
def show_what_if(request: Request, caller: SignedIn) -> Response:
    require(caller, *menu.MANAGERS)
    last = clock.today() - timedelta(days=1)
    return _shown(request, caller, f"{last - timedelta(days=WEEK - 1)}", f"{last}", "")


@routes.post(PATH)
def compare(
    request: Request,
    caller: SignedIn,
    first: Annotated[str, Form()],
    last: Annotated[str, Form()],
    card: Annotated[str, Form(max_length=CARD_LENGTH_MAX)],
    form: Annotated[str, Form(alias="as")] = "",
) -> Response:
    """The page with both results beside each other, or these as CSV."""
    require(caller, *menu.MANAGERS)
    try:
        compared = reports.compare_card(request, caller, first, last, card)
    except StationmasterError as fault:
        if fault.status >= 500 or fault.status == 403:
            raise
        return _shown(request, caller, first, last, card, fault=fault)
    if form == "csv":
        rows = [Row(model, figures) for model, figures in _models(compared)]
        return csv_file(Table("what-if", "What if", "Model", COLUMNS, rows, ""), "what-if")
    return _shown(request, caller, first, last, card, compared=compared)


def _shown(
    request: Request,
    caller: Caller,
    first: str,
    last: str,
    card: str,
    *,
    compared: WhatIf | None = None,
    fault: StationmasterError | None = None,
) -> Response:
    return page(
        "what_if.html",
        caller,
        request,
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        first=first,
        last=last,
        card=card,
        days_max=DAYS_MAX,
        compared=compared,
        models=[] if compared is None else _models(compared),
        address=visited_address(request),
    )


def _models(compared: WhatIf) -> list[tuple[str, list[float | None]]]:
    """The figures of each model over all days, most dollars now first."""
    models = folds.total([_row(row) for row in compared.data], FIGURES)
    return sorted(models.items(), key=lambda each: (-(each[1][0] or 0), each[0]))


def _row(row: WhatIfRow) -> dict[str, Any]:
    return {"group_key": row.model_id, **msgspec.structs.asdict(row)}
