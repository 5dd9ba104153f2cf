"""`coverage`: who sends data, who stopped, who never did; what was dropped, what disagrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from stationmaster import ids
from stationmaster.cli.api import Api
from stationmaster.cli.options import Connection, Wide
from stationmaster.cli.printing import output
from stationmaster.client import computer, machine
from stationmaster.settings import Settings

_PAGE = 1000
_ME = "/api/platform/v1/me"
_COVERAGE = "/api/platform/v1/coverage"
_NO_MACHINE = {"unnamed", "others"}
_STATES = ("stopped", "quiet", "never", "active")


def coverage(
    connection: Connection,
    days: Annotated[int, typer.Option(help="The number of closed days.")] = 30,
    wide: Wide = False,
) -> output.Shown:
    """Show which people and agents send data, and what is missing."""
    settings = connection.settings()
    api = Api(settings, connection.org)
    answer = _whole(api, days)
    yield answer
    org_id = api.get(_ME)["org_id"]
    _print_people(answer, _hosts(settings, org_id), wide)
    _print_agents(answer)
    _print_days(answer, wide)
    for problem in answer["problems"]:
        output.remark(f"Problem: {problem}")


def _whole(api: Api, days: int) -> dict[str, Any]:
    """All pages as one answer, those who stopped first."""
    answer = api.whole(_COVERAGE, "people", days=days, limit=_PAGE)
    answer["people"].sort(key=lambda p: (_STATES.index(p["state"]), -(p["lastSeen"] or 0)))
    return answer


def _print_people(answer: dict[str, Any], hosts: Mapping[str, str], wide: bool) -> None:
    """A row for each person; with `wide` one for each sender of theirs."""
    body: list[list[object]] = []
    for person in answer["people"]:
        who = person["email"] or person["name"] or person["id"]
        senders = person["senders"]
        if not wide:
            machines = {hosts.get(row["machine"], row["machine"]) for row in senders} - _NO_MACHINE
            agents = sorted({row["agent"] for row in senders})
            last, events = person["lastSeen"], person["events"]
            named = sorted(machines) if len(machines) == 1 else len(machines) or None
            body.append([who, person["state"], agents, named, last, events])
            continue
        rows = senders or [None]
        body += [[who, person["state"], *_sent(sender, hosts)] for sender in rows]
    columns = "who, state, agents, machines (text), last seen (moment), events"
    if wide:
        columns = (
            "who, state, agent, version, source, machine, since (moment), last seen (moment), "
            "events"
        )
    output.as_table(columns, body, title="People and programs", empty="No person is shown here.")


def _sent(sender: dict[str, Any] | None, hosts: Mapping[str, str]) -> list[object]:
    if sender is None:
        return [None] * 7
    return [
        *(sender[name] for name in ("agent", "version", "source")),
        hosts.get(sender["machine"], sender["machine"]),
        *(sender[name] for name in ("since", "lastSeen", "events")),
    ]


def _hosts(settings: Settings, org_id: str) -> dict[str, str]:
    """The names of machines that are known here: of this machine, which is sent to no server."""
    own = machine.of(settings.client_dir)
    if own is None:
        return {}
    return {ids.machine_of(ids.OrgId(org_id), own): computer.hostname()}


def _print_agents(answer: dict[str, Any]) -> None:
    _table(
        "Agents",
        "agent, isExpected: expected, state, people, machines, events",
        [{**row, "isExpected": row["isExpected"] or None} for row in answer["agents"]],
    )
    lacking = ("withoutSession", "withoutRepository", "withoutClient")
    _table(
        "What events lack",
        "agent, events, withoutSession: no session (share), "
        "withoutRepository: no repository (share), withoutClient: no client (share), "
        "withoutAutonomy: no autonomy (share)",
        [
            {
                **row,
                **{name: _share(row[name], row["events"]) for name in lacking},
                "withoutAutonomy": _share(row["withoutAutonomy"], row["calls"]),
            }
            for row in answer["quality"]
        ],
    )


def _print_days(answer: dict[str, Any], wide: bool) -> None:
    _table(
        "Sources that disagree",
        "source, figure, sessions (wide), differing: differ (wide), told: reported, counted, "
        "share: off (share), worst.sessionId: largest in session (wide)",
        [
            {**row, "source": f"{row['agent']} {row['source']}", "worst": row["worst"][:1]}
            for row in answer["comparisons"]
            if row["differing"]
        ],
        wide=wide,
    )
    _table(
        "Dropped records",
        "day, agent, reason, records",
        answer["drops"],
    )
    names = {row["id"]: row["email"] or row["name"] for row in answer["people"]}
    _table(
        "Keys that were never used",
        "name: key, holder|principalId: holder, createdAt: created (moment)",
        [{**row, "holder": names.get(row["principalId"])} for row in answer["silentKeys"]],
    )


def _table(title: str, columns: str, rows: Sequence[object], *, wide: bool = False) -> None:
    """A table below others that is there only when it has rows."""
    if rows:
        output.gap()
        output.as_rows(columns, rows, title=title, wide=wide)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
