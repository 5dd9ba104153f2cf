"""`doctor`: what is configured, reachable, behind, unknown, unpriced."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from stationmaster import clock
from stationmaster.cli import folder, output
from stationmaster.cli.configure import configure
from stationmaster.cli.options import DataDir, Json
from stationmaster.errors import StationmasterError
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from stationmaster.access.operator import Tenant
    from stationmaster.analytics.costs import UnknownModel
    from stationmaster.db.engine import Database

_PRICED_DAYS = 30
_COVERED_DAYS = 30
_UNKNOWN = "unknown:"


def register(app: typer.Typer) -> None:
    app.command()(doctor)


def doctor(data_dir: DataDir = None, json: Json = False) -> None:
    """Check an installation; exit with 1 when it has a problem."""
    settings = configure(data_dir)
    found = examine(settings)
    if json:
        output.as_json(found)
    else:
        _print(found)
    if found["problems"]:
        raise typer.Exit(1)


def examine(settings: Settings) -> dict[str, Any]:
    """Everything that doctor tells, as JSON-able values; `problems` are sentences for a person."""
    from stationmaster.access import operator
    from stationmaster.access.signing_keys import SigningKeys
    from stationmaster.access.vault import Vault
    from stationmaster.lake.status import inbox_status

    with folder.database(settings) as db:
        found: dict[str, Any] = {
            "data_dir": str(settings.data_dir.resolve()),
            "database": db.dialect,
            "lake": settings.lake_url or str(settings.lake_dir.resolve()),
            "inbox": {},
            "organizations": [_organization(db, org, settings) for org in operator.tenants(db)],
            "problems": [],
        }
        try:
            found["inbox"] = inbox_status(settings)
        except StationmasterError as fault:
            found["problems"].append(f"the inbox does not answer: {fault.detail}")
        try:
            SigningKeys(db, Vault.open(settings)).check()
        except StationmasterError as fault:
            found["problems"].append(fault.detail)
        if found["organizations"]:
            found["problems"] += _lake_problems(settings, found["organizations"][0]["org_id"])
    _judge(found, settings)
    return found


def _lake_problems(settings: Settings, org_id: str) -> list[str]:
    from stationmaster.lake.storage import Lake

    try:
        Lake.open(settings).parts(org_id, clock.today())
    except (OSError, StationmasterError) as fault:
        return [f"the lake does not answer: {fault}"]
    return []


def _organization(db: Database, org: Tenant, settings: Settings) -> dict[str, Any]:
    from stationmaster.aggregate import quarantine
    from stationmaster.analytics import coverage, coverage_privacy, findings
    from stationmaster.lake import horizon
    from stationmaster.lake.status import intake_totals
    from stationmaster.rollups import reads

    counts = intake_totals(db, org.org_id)
    asked = coverage.closed_days(_COVERED_DAYS)
    found, people = coverage_privacy.read(db, settings, org.org_id, asked)
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
        "people_by_state": found.people_by_state,
        "coverage_problems": findings.problems(found, people),
        "unpriced_models": [each.model_id for each in unknown if not each.is_on_card],
        "models_without_price": [msgspec.to_builtins(each) for each in unknown],
        "quarantine": [entry._asdict() for entry in quarantine.overview(db, org.org_id)],
    }


def _without_price(db: Database, org: Tenant, settings: Settings) -> list[UnknownModel]:
    """The models of the last days whose tokens are in no sum of dollars."""
    from stationmaster.analytics import costs
    from stationmaster.analytics.model import DayRange
    from stationmaster.credits import rates

    today = clock.today()
    asked = DayRange(today - timedelta(days=_PRICED_DAYS), today - timedelta(days=1))
    card = rates.card(settings.rate_card)
    return costs.find(db, card, org.org_id, asked, None).meta.unknown_models


def _judge(found: dict[str, Any], settings: Settings) -> None:
    problems = found["problems"]
    inbox = found["inbox"]
    if inbox.get("corrupt_rows"):
        problems.append(
            f"{inbox['corrupt_rows']} inbox rows are set aside because they do not decode"
        )
    if inbox.get("bytes", 0) > settings.inbox_backlog_max:
        problems.append("the inbox is over its limit: is a worker running?")
    for org in found["organizations"]:
        problems.extend(f"{org['name']}: {told}" for told in org["coverage_problems"])
        problems.extend(
            f"{org['name']}, {each['day']}: {each['events']} events and {each['parts']} parts are"
            f" not counted ({each['reason']}): mend the cause, then"
            " `stationmaster rollup --retry-quarantined`"
            for each in org["quarantine"]
        )
    if not found["organizations"]:
        problems.append("there is no organization yet: `stationmaster init`")


def _named(models: list[dict[str, Any]]) -> str:
    return ", ".join(f"{each['model_id']} ({each['days']} days)" for each in models)


def _print(found: dict[str, Any]) -> None:
    inbox = found["inbox"]
    output.as_table(
        ["", ""],
        [
            ["data folder", found["data_dir"]],
            ["database", found["database"]],
            ["lake", found["lake"]],
            ["inbox", f"{inbox.get('rows', '?')} requests, {inbox.get('bytes', '?')} bytes"],
        ],
    )
    for org in found["organizations"]:
        output.as_table(
            [org["name"], org["org_id"]],
            [
                ["first day", org["first_day"]],
                ["days to roll up", len(org["days_due"])],
                ["closed through", org["closed_through"] or "none"],
                ["days to erase", len(org["days_to_erase"])],
                ["senders", _told(org["people_by_state"])],
                ["unpriced models", ", ".join(org["unpriced_models"]) or "none"],
                ["without price", _named(org["models_without_price"]) or "none"],
            ],
        )
        rows = [
            [each["product"], each["source"], each["outcome"], each["count"]]
            for each in org["sources"]
        ]
        rows += [
            [each["name"], each["source"], "unknown sender", each["count"]]
            for each in org["unknown_sources"]
        ]
        if rows:
            output.as_table(["agent", "source", "outcome", "records"], rows)
    for problem in found["problems"]:
        output.say(f"! {problem}")


def _told(people_by_state: dict[str, int] | None) -> str:
    if people_by_state is None:
        return "too few to tell"
    return ", ".join(f"{n} {state}" for state, n in people_by_state.items())
