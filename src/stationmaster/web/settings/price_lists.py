"""`/settings/organization/prices`: import a price list, see what it changes, and take it back."""

from __future__ import annotations

from typing import Annotated

from fastapi import File, Form
from starlette.responses import Response

from stationmaster.analytics.spending.rate_lines import dollars_of
from stationmaster.errors import NotFound, StationmasterError
from stationmaster.pricing import service, uploads
from stationmaster.pricing.credits import files
from stationmaster.web.figures.blocks import Table
from stationmaster.web.frame.pages import (
    OwnerVisit,
    csv_file,
    listing,
    router,
    see_other,
    takes_files,
)
from stationmaster.web.settings.organization import PATH as ORGANIZATION, show_with

PATH = ORGANIZATION + "/prices"
CALL = "/api/platform/v1/rates/import"
SHOWN_MAX = 100
"""Rows of each kind of difference; the counts are of all."""
_FORM_BYTES = 2**16
"""Of a form without its file."""

routes = router()


@routes.post(PATH)
@takes_files(files.SIZE_MAX + _FORM_BYTES)
def import_list(
    visit: OwnerVisit,
    file: Annotated[bytes, File()] = b"",
    step: Annotated[str, Form()] = "compare",
) -> Response:
    """What a list changes (`step` is "compare"), all of it as CSV ("csv"), or the same after it was
    imported ("import")."""
    is_dry_run = step != "import"
    try:
        prices = uploads.read(visit.org, file, visit.services.uploads)
        change = service.import_list(
            visit.db, visit.settings, visit.caller, prices, is_dry_run=is_dry_run
        )
    except StationmasterError as fault:
        return show_with(visit, fault=fault)
    if step == "csv":
        return csv_file(_all(change), "prices")
    return visit.page(
        "price_list.html",
        change=change,
        models=len({key.model for key in change.prices.prices}),
        tables=_tables(change),
        shown_max=SHOWN_MAX,
        is_dry_run=is_dry_run,
        call=visit.call(CALL, [("dryRun", "true")] if is_dry_run else ()),
    )


@routes.get(PATH + "/{origin}/remove")
def ask_to_remove(visit: OwnerVisit, origin: str) -> Response:
    ages = service.ages(visit.db, visit.settings, visit.org)
    if not any(age.origin == origin and age.imported_at is not None for age in ages):
        raise NotFound("There is no imported price list of this origin.")
    return visit.confirm("prices", origin, f"{ORGANIZATION}#prices")


@routes.post(PATH + "/{origin}/remove")
def remove(visit: OwnerVisit, origin: str) -> Response:
    service.remove_list(visit.db, visit.settings, visit.caller, origin)
    return see_other(f"{ORGANIZATION}#prices")


def _tables(change: service.ListChange) -> list[tuple[str, int, list[tuple[str, ...]]]]:
    """Title, number and rows of each kind of difference that there is."""
    kinds = {
        "New prices": change.new,
        "Changed prices": change.changed,
        "Models without a price in this list": change.gone,
    }
    return [
        (title, len(differences), [_row(difference) for difference in differences[:SHOWN_MAX]])
        for title, differences in kinds.items()
        if differences
    ]


def _all(change: service.ListChange) -> Table:
    """Every difference, as CSV has them; dollars per million tokens."""
    kinds = {"new": change.new, "changed": change.changed, "gone": change.gone}
    rows = [
        (row[0], kind, *row[1:])
        for kind, differences in kinds.items()
        for row in map(_row, differences)
    ]
    columns = (
        "0: Model, 1: Change, 2: Region, 3: Input before, 4: Output before, 5: Input after, "
        "6: Output after"
    )
    return listing("prices", "Prices", columns, rows, "")


def _row(difference: service.Difference) -> tuple[str, ...]:
    """Model, region, and dollars per million tokens of input and output, before and after."""
    before, after = (
        None if price is None else price.standard.amounts
        for price in (difference.before, difference.after)
    )
    amounts = (
        before and before.input,
        before and before.output,
        after and after.input,
        after and after.output,
    )
    return (
        difference.key.model,
        difference.key.region or "",
        *("–" if amount is None else f"${dollars_of(amount)}" for amount in amounts),
    )
