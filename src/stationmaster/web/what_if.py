"""`/spend/what-if`: what past days would have cost by another rate card. Nothing is stored."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import Form
from msgspec import structs
from starlette.responses import Response

from stationmaster import clock
from stationmaster.analytics.spending.what_if import DAYS_MAX, WhatIf
from stationmaster.errors import StationmasterError
from stationmaster.pricing.credits.reading import CARD_LENGTH_MAX
from stationmaster.web.figures import folds, reports
from stationmaster.web.figures.blocks import Column, Row, Table
from stationmaster.web.frame.pages import ManagerVisit, Visit, csv_file, router

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
def show_what_if(visit: ManagerVisit) -> Response:
    last = clock.today() - timedelta(days=1)
    return _shown(visit, f"{last - timedelta(days=WEEK - 1)}", f"{last}", "")


@routes.post(PATH)
def compare(
    visit: ManagerVisit,
    first: Annotated[str, Form()],
    last: Annotated[str, Form()],
    card: Annotated[str, Form(max_length=CARD_LENGTH_MAX)],
    form: Annotated[str, Form(alias="as")] = "",
) -> Response:
    """The page with both results next to each other, or these as CSV."""
    try:
        compared = reports.compare_card(visit, first, last, card)
    except StationmasterError as fault:
        if fault.status >= 500 or fault.status == 403:
            raise
        return _shown(visit, first, last, card, fault=fault)
    if form == "csv":
        rows = [Row(model, figures) for model, figures in _models(compared)]
        return csv_file(Table("what-if", "What if", "Model", COLUMNS, rows, ""), "what-if")
    return _shown(visit, first, last, card, compared=compared)


def _shown(
    visit: Visit,
    first: str,
    last: str,
    card: str,
    *,
    compared: WhatIf | None = None,
    fault: StationmasterError | None = None,
) -> Response:
    return visit.page(
        "what_if.html",
        error=fault,
        first=first,
        last=last,
        card=card,
        days_max=DAYS_MAX,
        compared=compared,
        models=[] if compared is None else _models(compared),
        address=visit.address,
    )


def _models(compared: WhatIf) -> list[tuple[str, list[float | None]]]:
    """The figures of each model over all days, most dollars now first."""
    rows = [{"group_key": row.model_id, **structs.asdict(row)} for row in compared.data]
    return folds.ranked(rows, FIGURES)
