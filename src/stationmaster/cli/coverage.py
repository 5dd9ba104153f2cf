"""`coverage`: who sends data, who stopped, who never did; what was dropped, what disagrees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from stationmaster.cli import output
from stationmaster.cli.configure import connect
from stationmaster.cli.options import DataDir, Json, Key, Org, Url

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

_PAGE = 1000
_COVERAGE = "/api/platform/v1/coverage"
_STATES = ("stopped", "quiet", "never", "active")


def register(app: typer.Typer) -> None:
    app.command()(coverage)


def coverage(
    days: Annotated[int, typer.Option(help="Closed days that are looked at.")] = 30,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Show which people and agents send data, and what is missing."""
    found = _whole(connect(data_dir, org, url, key), days)
    if json:
        output.as_json(found)
        return
    _print_people(found["people"])
    _print_agents(found)
    _print_days(found)
    for problem in found["problems"]:
        output.say(f"! {problem}")


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


def _print_people(people: list[dict[str, Any]]) -> None:
    rows: list[list[object]] = []
    for each in people:
        who = each["email"] or each["name"] or each["id"]
        for n, sender in enumerate(each["senders"] or [None]):
            rows.append([*((who, each["state"]) if n == 0 else ("", "")), *_sent(sender)])
    columns = ["who", "state", "agent", "version", "source", "machine", "since", "last", "events"]
    output.as_table(columns, rows)


def _sent(sender: dict[str, Any] | None) -> list[object]:
    if sender is None:
        return [None] * 7
    return [
        *(sender[name] for name in ("agent", "version", "source", "machine")),
        *(output.moment(sender[name]) for name in ("since", "lastSeen")),
        sender["events"],
    ]


def _print_agents(found: dict[str, Any]) -> None:
    output.as_table(
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
    _table(
        ["agent", "events", "no session", "no repository", "no client", "no autonomy"],
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


def _print_days(found: dict[str, Any]) -> None:
    _table(
        ["source", "figure", "sessions", "differ", "told", "counted", "off", "most"],
        [
            [
                f"{each['agent']} {each['source']}",
                each["figure"],
                *(each[name] for name in ("sessions", "differing", "told", "counted")),
                f"{each['share']:.1%}",
                *(session["sessionId"] for session in each["worst"][:1]),
            ]
            for each in found["comparisons"]
            if each["differing"]
        ],
    )
    _table(
        ["day", "agent", "dropped because", "records"],
        [[each[name] for name in ("day", "agent", "reason", "records")] for each in found["drops"]],
    )
    _table(
        ["key never used", "of", "since"],
        [
            [each["name"], each["principalId"], output.moment(each["createdAt"])]
            for each in found["silentKeys"]
        ],
    )


def _table(columns: list[str], rows: list[list[object]]) -> None:
    """A table that is there only when there is something to say."""
    if rows:
        output.as_table(columns, rows)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"
