"""`doctor`: facts of an installation, what is wrong with it, and the command that helps."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from stationmaster import clock
from stationmaster.access import operator
from stationmaster.aggregate.faults import quarantine
from stationmaster.analytics.coverage import (
    findings,
    privacy as coverage_privacy,
    report as coverage,
)
from stationmaster.analytics.model import DayRange
from stationmaster.analytics.spending import costs
from stationmaster.cli import folder
from stationmaster.cli.configuring import configure
from stationmaster.cli.operation import doctor_checks
from stationmaster.cli.options import DataDir, Json
from stationmaster.cli.printing import output, table
from stationmaster.errors import StationmasterError
from stationmaster.lake import horizon
from stationmaster.lake.rollups import reads
from stationmaster.lake.status import inbox_status, intake_totals
from stationmaster.pricing import current, service
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from stationmaster.access.operator import Tenant
    from stationmaster.analytics.spending.costs import UnknownModel
    from stationmaster.db.engine import Database

_PRICED_DAYS = 30
_COVERED_DAYS = 30
_UNKNOWN = "unknown:"
_RECEIVED = ("agent", "source", "kept", "not needed", "dropped")
_LEFT_OUT = ("redundant", "not_counted")
"""Outcomes by design: no report needs the record."""


def doctor(data_dir: DataDir = None, json: Json = False) -> None:
    """Check an installation; exit with 1 when it has a problem."""
    settings = configure(data_dir)
    facts = examine(settings)
    if json:
        output.as_json(facts)
    else:
        _print(facts)
    if facts["problems"]:
        raise typer.Exit(1)


def examine(settings: Settings) -> dict[str, Any]:
    """Facts and problems as JSON-able values.

    `problems` are sentences for a person, `remedies` in the same order what to do about each.
    """
    with folder.database(settings) as db:
        facts: dict[str, Any] = {
            "data_dir": str(settings.data_dir.resolve()),
            "database": db.dialect,
            "lake": settings.lake_url or str(settings.lake_dir.resolve()),
            "inbox": {},
            "organizations": [_organization(db, org, settings) for org in operator.tenants(db)],
        }
        try:
            facts["inbox"] = inbox_status(settings)
        except StationmasterError as fault:
            facts["inbox_error"] = str(fault)
        problems = doctor_checks.problems(doctor_checks.Installation(settings, db, facts))
    return {
        **facts,
        "problems": [problem.text for problem in problems],
        "remedies": [problem.remedy for problem in problems],
    }


def _organization(db: Database, org: Tenant, settings: Settings) -> dict[str, Any]:
    counts = intake_totals(db, org.org_id)
    days = coverage.closed_days(_COVERED_DAYS)
    shown, people = coverage_privacy.read(db, settings, org.org_id, days)
    unknown = _without_price(db, org, settings)
    return {
        "org_id": org.org_id,
        "name": org.name,
        "first_day": reads.first_day(db, org.org_id),
        "days_due": reads.due_days(db, org.org_id),
        "closed_through": horizon.closed_through(db, org.org_id),
        "days_to_erase": horizon.to_erase(db, org.org_id),
        "sources": [
            {"product": product, "source": source, "outcome": outcome, "count": count}
            for product, source, outcome, count in counts
            if not product.startswith(_UNKNOWN)
        ],
        "unknown_sources": [
            {"name": product.removeprefix(_UNKNOWN), "source": source, "count": count}
            for product, source, _, count in counts
            if product.startswith(_UNKNOWN)
        ],
        "people_by_state": shown.people_by_state,
        "coverage_problems": findings.problems(shown, people),
        "unpriced_models": [model.model_id for model in unknown if not model.is_on_card],
        "price_lists": _price_lists(db, org, settings),
        "models_without_price": [msgspec.to_builtins(model) for model in unknown],
        "quarantine": [entry._asdict() for entry in quarantine.overview(db, org.org_id)],
    }


def _without_price(db: Database, org: Tenant, settings: Settings) -> list[UnknownModel]:
    """The models of the last days whose tokens are in no sum of dollars."""
    today = clock.today()
    days = DayRange(today - timedelta(days=_PRICED_DAYS), today - timedelta(days=1))
    card = current.card(db, settings, org.org_id)
    return costs.find(db, card, org.org_id, days, None).meta.unknown_models


def _price_lists(db: Database, org: Tenant, settings: Settings) -> list[dict[str, Any]]:
    """The lists of prices, the first one being asked first."""
    return [
        {"origin": age.origin, "as_of": age.as_of.isoformat(), "models": age.models}
        for age in service.ages(db, settings, org.org_id)
    ]


def _print(facts: dict[str, Any]) -> None:
    inbox = facts["inbox"]
    waiting = f"{inbox['rows']:,} requests ({inbox['bytes']:,} bytes)" if inbox else "no answer"
    output.as_table(
        ("", ""),
        [
            ["data folder", facts["data_dir"]],
            ["database", facts["database"]],
            ["lake", facts["lake"]],
            ["waiting in the inbox", waiting],
        ],
    )
    for org in facts["organizations"]:
        output.gap()
        _print_organization(org)
    _print_verdict(list(zip(facts["problems"], facts["remedies"], strict=True)))


def _print_organization(org: dict[str, Any]) -> None:
    rows = [["first day with data", org["first_day"] or "none yet"]]
    if org["days_due"]:
        rows.append(["days not yet aggregated", _days_due(org["days_due"])])
    if org["closed_through"] is not None:
        rows.append(["events erased through", org["closed_through"]])
    if org["days_to_erase"]:
        rows.append(["days still to erase", len(org["days_to_erase"])])
    rows.append(["senders", _states(org["people_by_state"])])
    rows.append(["models without a price", _named(org["models_without_price"]) or "none"])
    prices = ", ".join(
        f"{price_list['origin']} ({price_list['as_of']})" for price_list in org["price_lists"]
    )
    rows.append(["price lists", prices])
    output.as_table(("", ""), rows, title=f"Organization {org['name']} ({org['org_id']})")
    received = _received(org)
    if received:
        output.gap()
        output.as_table(_RECEIVED, received, title="Records received")


def _received(org: dict[str, Any]) -> list[list[object]]:
    """A row for each agent and source; what no agent module knows is dropped as a whole."""
    sums: dict[tuple[str, str], list[int]] = {}
    for source in org["sources"]:
        figures = sums.setdefault((source["product"], source["source"]), [0, 0, 0])
        outcome = source["outcome"]
        figures[0 if outcome == "kept" else 1 if outcome in _LEFT_OUT else 2] += source["count"]
    rows: list[list[object]] = [[*names, *figures] for names, figures in sums.items()]
    return rows + [
        [f"{source['name']} (unknown sender)", source["source"], 0, 0, source["count"]]
        for source in org["unknown_sources"]
    ]


def _days_due(days: list[Any]) -> str:
    """Not a fault: a report aggregates what it needs, and the worker the rest."""
    return f"{len(days):,} (reports aggregate theirs; `stationmaster rollup` does all now)"


def _named(models: list[dict[str, Any]]) -> str:
    return ", ".join(
        f"{model['model_id']} ({table.counted(model['days'], 'day')})" for model in models
    )


def _states(people_by_state: dict[str, int] | None) -> str:
    if people_by_state is None:
        return "not shown, because there are too few"
    return ", ".join(f"{n} {state}" for state, n in people_by_state.items())


def _print_verdict(problems: list[tuple[str, str]]) -> None:
    output.gap()
    if not problems:
        output.line("All well: no problems found.")
        return
    output.line(f"{table.counted(len(problems), 'problem')} found:")
    for number, (text, remedy) in enumerate(problems, 1):
        output.line(f"{number}. {text}")
        output.line(f"   Fix: {remedy}")
