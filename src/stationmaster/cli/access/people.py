"""`people`: who is who, on a server or in the local data folder."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import asking, groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json, Wide, Yes
from stationmaster.cli.printing import output, table

people = groups.group()

_PATH = "/api/platform/v1/people"
_ERASURES = "/api/platform/v1/erasures"
_AFTER_ERASURE = "This cannot be undone; older backups still hold it."
_COLUMNS = (
    *("who", "status", "team", "agents", "last day"),
    *(table.wide("first day"), table.wide("also"), table.wide("id")),
)

User = Annotated[str, typer.Argument(help="A user id, as `people list` prints it.")]


def register(app: typer.Typer) -> None:
    """Add the group `people`."""
    app.add_typer(people, name="people")


@people.command("list")
def list_people(connection: Connection, wide: Wide = False, json: Json = False) -> None:
    """List members and people who are seen in telemetry only."""
    api = connection.api()
    answer = api.get(_PATH, limit=100)
    found: list[dict[str, Any]] = answer["people"]
    while answer["pagination"]["hasMore"]:
        answer = api.get(_PATH, limit=100, cursor=answer["pagination"]["nextCursor"])
        found += answer["people"]
    if json:
        output.as_json({"people": found})
    else:
        output.as_table(_COLUMNS, map(_row, found), wide=wide)


@people.command("merge")
def merge_person(
    connection: Connection,
    user: User,
    into: Annotated[str, typer.Argument(help="The person: a user id or an e-mail address.")],
    json: Json = False,
) -> None:
    """Count a user id for another person, from its first day on."""
    path = f"{_PATH}/{quote(user, safe='')}/merge"
    person = connection.api().send("POST", path, {"into": into})
    _tell(person, f"{user} counts for {person['email']}; its days follow.", json)


@people.command("unmerge")
def unmerge_person(connection: Connection, user: User, json: Json = False) -> None:
    """Let an alias be a person of its own again, whatever telemetry shows."""
    path = f"{_PATH}/{quote(user, safe='')}/unmerge"
    person = connection.api().send("POST", path)
    _tell(person, f"{user} no longer counts for {person['email'] or person['userId']}.", json)


@people.command("erase")
def erase_person(
    connection: Connection,
    person: Annotated[str, typer.Argument(help="An e-mail address, or a user id.")],
    reports: Annotated[
        str,
        typer.Option(
            help="restate: reports without the person's figures; anonymise: the figures stay,"
            " under no name."
        ),
    ] = "anonymise",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Erase all that is stored about a person, for good."""
    api = connection.api()
    asking.confirm(f"Erase all data of {person}? {_AFTER_ERASURE}", yes, or_fail=True)
    asked = api.send("POST", _ERASURES, {"person": person, "reports": reports})
    if json:
        output.as_json(asked)
        return
    output.say(
        f"Access has ended. The background worker erases the rest ({asked['erasureId']}); "
        "`stationmaster people erasures` shows when it is done."
    )


@people.command("erasures")
def list_erasures(connection: Connection, json: Json = False) -> None:
    """List the erasures that were requested, and whether they are done."""
    answer = connection.api().get(_ERASURES)
    if json:
        output.as_json(answer)
        return
    output.as_table(
        ("erasure", "reports", "requested", "done", "events"),
        [
            [
                each["erasureId"],
                each["reports"],
                _moment(each["requestedAt"]),
                "in progress" if each["finishedAt"] is None else _moment(each["finishedAt"]),
                each["events"],
            ]
            for each in answer["erasures"]
        ],
    )


@people.command("export")
def export_person(
    connection: Connection,
    person: Annotated[str, typer.Argument(help="An e-mail address, or a user id.")],
    out: Annotated[
        Path, typer.Option("--out", help="A new folder, or a new file that ends in .zip.")
    ],
    json: Json = False,
) -> None:
    """Write all that is stored about a person, a file of JSON lines for each kind of record."""
    from stationmaster.cli.access import person_files

    counts = person_files.write(connection.settings(), connection.org, person, out)
    if json:
        output.as_json({"out": str(out), "records": counts})
        return
    output.as_table(("file", "records"), [[f"{name}.ndjson", n] for name, n in counts.items()])
    output.say(f"Written to {out}.")


def _moment(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")


def _tell(person: dict[str, Any], what: str, json: bool) -> None:
    if json:
        output.as_json(person)
    else:
        output.say(what)


def _row(person: dict[str, Any]) -> list[object]:
    return [
        person["email"] or person["userId"],
        person["status"] or "seen",
        person["team"],
        ", ".join(person["products"]),
        person["lastDay"],
        person["firstDay"],
        ", ".join(alias["userId"] for alias in person["aliases"]),
        person["userId"],
    ]
