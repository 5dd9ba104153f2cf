"""`people`: who is who, on a server or in the local data folder."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import groups, output
from stationmaster.cli.configure import connect
from stationmaster.cli.options import DataDir, Json, Key, Org, Url

people = groups.group()

_PATH = "/api/platform/v1/people"
_COLUMNS = ("who", "status", "team", "agents", "first day", "last day", "also")

User = Annotated[str, typer.Argument(help="A user id, as `people list` prints it.")]


def register(app: typer.Typer) -> None:
    app.add_typer(people, name="people")


@people.command("list")
def list_people(
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """List members and people who are seen in telemetry only."""
    api = connect(data_dir, org, url, key)
    answer = api.get(_PATH, limit=100)
    found: list[dict[str, Any]] = answer["people"]
    while answer["pagination"]["hasMore"]:
        answer = api.get(_PATH, limit=100, cursor=answer["pagination"]["nextCursor"])
        found += answer["people"]
    if json:
        output.as_json({"people": found})
    else:
        output.as_table(_COLUMNS, map(_row, found))


@people.command("merge")
def merge_person(
    user: User,
    into: Annotated[str, typer.Argument(help="The person: a user id or an e-mail address.")],
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Count a user id for another person, from its first day on."""
    path = f"{_PATH}/{quote(user, safe='')}/merge"
    person = connect(data_dir, org, url, key).send("POST", path, {"into": into})
    _tell(person, f"{user} counts for {person['email']}; its days follow.", json)


@people.command("unmerge")
def unmerge_person(
    user: User,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Let an alias be a person of its own again, whatever telemetry shows."""
    path = f"{_PATH}/{quote(user, safe='')}/unmerge"
    person = connect(data_dir, org, url, key).send("POST", path)
    _tell(person, f"{user} no longer counts for {person['email'] or person['userId']}.", json)


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
        person["firstDay"],
        person["lastDay"],
        ", ".join(alias["userId"] for alias in person["aliases"]),
    ]
