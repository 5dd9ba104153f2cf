"""Price lists: which there are and how old, importing one, taking it back."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from fastapi import Path, Query
from starlette.requests import Request

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.analytics.spending.rate_lines import dollars_of
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Opened, router, takes_uploads
from stationmaster.pricing import service, uploads

routes = router("/api/platform/v1/rates", "Rates")

_ROWS_MAX = 200
"""Of each kind of difference in an answer; the counts are of all."""
_ORIGIN = r"^[a-z][a-z0-9-]{0,39}$"


class PriceListAge(wire.Answer):
    """A list. `asOf` is the day on which it was made or imported, `importedAt` the time in Unix
    milliseconds, null for the built-in list. `oldestPrice` and `newestPrice` are the days from
    which these prices apply."""

    origin: str
    as_of: wire.DayText
    age_days: int
    is_old: bool
    imported_at: int | None
    models: int
    oldest_price: wire.DayText
    newest_price: wire.DayText


class PriceLists(wire.Answer):
    """The lists in the order of their use. A list is old (`isOld`) after 45 days; all are if
    the newest one is."""

    lists: list[PriceListAge]
    is_old: bool


class PriceDifference(wire.Answer):
    """US dollars per million tokens of input and output today; null is no price."""

    model: str
    region: str | None
    input_before: str | None
    output_before: str | None
    input_after: str | None
    output_after: str | None


class PriceListChange(wire.Answer):
    """What a list changes. Rows are the first 200 of each kind by model. `gone` are models of
    the earlier import that the new list does not have; they then get the price of another list.
    `daysDue` are days
    that will be counted again."""

    origin: str
    as_of: wire.DayText
    models: int
    is_dry_run: bool
    new_count: int
    changed_count: int
    gone_count: int
    new: list[PriceDifference]
    changed: list[PriceDifference]
    gone: list[PriceDifference]
    days_due: int


class PriceListRemoved(wire.Answer):
    """`daysDue` are days that will be counted again."""

    origin: str
    days_due: int


_FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            # What a list holds is its maker's business.
            "application/json": {"schema": {}},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


@routes.get("")
def get_price_lists(services: Opened, caller: callers.Manager) -> PriceLists:
    """The imported lists and the built-in one, with their ages."""
    ages = service.ages(services.db, services.settings, caller.org_id)
    return PriceLists(lists=[_age(age) for age in ages], is_old=all(age.is_old for age in ages))


@routes.post("/import", openapi_extra=_FILE, responses=problems(413))
@takes_uploads
async def import_price_list(
    services: Opened,
    request: Request,
    caller: callers.Owner,
    is_dry_run: Annotated[
        bool, Query(alias="dryRun", description="Show what would change, and change nothing.")
    ] = False,
    since: Annotated[
        wire.Day | None,
        Query(
            alias="from",
            description="The UTC day from which prices without a date apply; only for LiteLLM.",
        ),
    ] = None,
) -> PriceListChange:
    """Import the price file of LiteLLM or the data of genai-prices, recognised by content.

    It replaces the earlier import of the same origin. Days whose prices change are counted again.
    """
    body = await request.body()
    change = await blocking.work(_import, services, caller, body, since, is_dry_run)
    return _change(change, is_dry_run)


@routes.delete("/{origin}", responses=problems(404))
def remove_price_list(
    services: Opened,
    origin: Annotated[str, Path(pattern=_ORIGIN)],
    caller: callers.Owner,
) -> PriceListRemoved:
    """Remove an imported list. Days whose prices change are counted again."""
    days = service.remove_list(services.db, services.settings, caller, origin)
    return PriceListRemoved(origin=origin, days_due=days)


def _import(
    services: Opened, caller: Caller, body: bytes, since: date | None, is_dry_run: bool
) -> service.ListChange:
    prices = uploads.read(caller.org_id, body, services.uploads)
    return service.import_list(
        services.db, services.settings, caller, prices, since=since, is_dry_run=is_dry_run
    )


def _age(age: service.ListAge) -> PriceListAge:
    days = max((clock.today() - age.as_of).days, 0)
    return PriceListAge.of(age, age_days=days, oldest_price=age.oldest, newest_price=age.newest)


def _change(change: service.ListChange, is_dry_run: bool) -> PriceListChange:
    prices = change.prices
    kinds = {"new": change.new, "changed": change.changed, "gone": change.gone}
    return PriceListChange.of(
        prices,
        models=len({key.model for key in prices.prices}),
        is_dry_run=is_dry_run,
        days_due=change.days_due,
        **{f"{kind}_count": len(rows) for kind, rows in kinds.items()},
        **{kind: [_difference(row) for row in rows[:_ROWS_MAX]] for kind, rows in kinds.items()},
    )


def _difference(difference: service.Difference) -> PriceDifference:
    before = None if difference.before is None else difference.before.standard.amounts
    after = None if difference.after is None else difference.after.standard.amounts
    return PriceDifference(
        model=difference.key.model,
        region=difference.key.region or None,
        input_before=dollars_of(before.input if before else None),
        output_before=dollars_of(before.output if before else None),
        input_after=dollars_of(after.input if after else None),
        output_after=dollars_of(after.output if after else None),
    )
