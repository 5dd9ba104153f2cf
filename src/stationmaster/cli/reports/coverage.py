"""`coverage`: who sends data, who stopped, who never did; what was dropped, what disagrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from stationmaster import ids
from stationmaster.cli.api import Api
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json, Wide
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column
from stationmaster.settings import Settings

_PAGE = 1000
_ME = "/api/platform/v1/me"
_COVERAGE = "/api/platform/v1/coverage"
_NO_MACHINE = {"unnamed", "others"}
_STATES = ("stopped", "quiet", "never", "active")


def register(app: typer.Typer) -> None:
    """Add the command `coverage`."""
    app.command()(coverage)


def coverage(
    connection: Connection,
    days: Annotated[int, typer.Option(help="Closed days that are looked at.")] = 30,
    wide: Wide = False,
    json: Json = False,
) -> None:
    """Show which people and agents send data, and what is missing."""
    settings = connection.settings()
    api = Api(settings, connection.org)
    found = _whole(api, days)
    if json:
        output.as_json(found)
        return
    org_id = api.get(_ME)["org_id"]
    _print_people(found, _hosts(settings, org_id), wide)
    _print_agents(found)
    _print_days(found, wide)
    for problem in found["problems"]:
        output.say(f"Problem: {problem}")


def _whole(api: Api, days: int) -> dict[str, Any]:
    """All pages as one answer, without the paging."""
    answer: dict[str, Any] = api.get(_COVERAGE, days=days, limit=_PAGE)
    people = answer["people"]
    while answer["pagination"]["hasMore"]:
        cursor = answer["pagination"]["nextCursor"]
        answer = api.get(_COVERAGE, days=days, limit=_PAGE, cursor=cursor)
        people += answer["people"]
    people.sort(key=lambda each: (_STATES.index(each["state"]), -(each["lastSeen"] or 0)))
    del answer["pagination"]
    return {**answer, "people": people}


def _print_people(found: dict[str, Any], hosts: Mapping[str, str], wide: bool) -> None:
    """A row for each person; with `wide` one for each sender of theirs."""
    body: list[list[object]] = []
    for person in found["people"]:
        who = person["email"] or person["name"] or person["id"]
        senders = person["senders"]
        if not wide:
            machines = {
                hosts.get(each["machine"], each["machine"]) for each in senders
            } - _NO_MACHINE
            agents = sorted({each["agent"] for each in senders})
            last, events = person["lastSeen"], person["events"]
            named = sorted(machines) if len(machines) == 1 else len(machines) or None
            body.append([who, person["state"], agents, named, last, events])
            continue
        rows = senders or [None]
        body += [[who, person["state"], *_sent(sender, hosts)] for sender in rows]
    titles: tuple[str | Column, ...] = (
        *("who", "state", "agents", Column("machines", is_number=False)),
        *(table.moment("last seen"), "events"),
    )
    if wide:
        titles = (
            *("who", "state", "agent", "version", "source", "machine"),
            *(table.moment("since"), table.moment("last seen"), "events"),
        )
    output.as_table(titles, body, title="People and programs", empty="No person is shown here.")


def _sent(sender: dict[str, Any] | None, hosts: Mapping[str, str]) -> list[object]:
    if sender is None:
        return [None] * 7
    return [
        *(sender[name] for name in ("agent", "version", "source")),
        hosts.get(sender["machine"], sender["machine"]),
        *(sender[name] for name in ("since", "lastSeen", "events")),
    ]


def _hosts(settings: Settings, org_id: str) -> dict[str, str]:
    """The names of machines that are known here: of this machine, which no server is told."""
    from stationmaster.client import computer, machine

    own = machine.of(settings.client_dir)
    if own is None:
        return {}
    return {ids.machine_of(ids.OrgId(org_id), own): computer.hostname()}


def _print_agents(found: dict[str, Any]) -> None:
    _table(
        "Agents",
        ["agent", "expected", "state", "people", "machines", "events"],
        [
            [
                each["agent"],
                "yes" if each["isExpected"] else None,
                *(each[name] for name in ("state", "people", "machines", "events")),
            ]
            for each in found["agents"]
        ],
    )
    lacking = ("withoutSession", "withoutRepository", "withoutClient")
    missing = ("no session", "no repository", "no client", "no autonomy")
    _table(
        "What events lack",
        ["agent", "events", *map(table.share, missing)],
        [
            [
                each["agent"],
                each["events"],
                *(_share(each[name], each["events"]) for name in lacking),
                _share(each["withoutAutonomy"], each["calls"]),
            ]
            for each in found["quality"]
        ],
    )


def _print_days(found: dict[str, Any], wide: bool) -> None:
    _table(
        "Sources that disagree",
        [
            *("source", "figure", table.wide("sessions"), table.wide("differ")),
            *("reported", "counted", table.share("off"), table.wide("largest in session")),
        ],
        [
            [
                f"{each['agent']} {each['source']}",
                each["figure"],
                *(each[name] for name in ("sessions", "differing", "told", "counted", "share")),
                next((session["sessionId"] for session in each["worst"]), None),
            ]
            for each in found["comparisons"]
            if each["differing"]
        ],
        wide=wide,
    )
    _table(
        "Dropped records",
        ["day", "agent", "reason", "records"],
        [[each[name] for name in ("day", "agent", "reason", "records")] for each in found["drops"]],
    )
    names = {each["id"]: each["email"] or each["name"] for each in found["people"]}
    _table(
        "Keys that were never used",
        ["key", "holder", table.moment("created")],
        [
            [each["name"], names.get(each["principalId"]) or each["principalId"], each["createdAt"]]
            for each in found["silentKeys"]
        ],
    )


def _table(
    title: str,
    columns: Sequence[str | Column],
    rows: Sequence[Sequence[object]],
    *,
    wide: bool = False,
) -> None:
    """A table below others that is there only when there is something to say."""
    if rows:
        output.gap()
        output.as_table(columns, rows, title=title, wide=wide)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
