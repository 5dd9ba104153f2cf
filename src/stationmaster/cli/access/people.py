"""`people`: who is who, on a server or in the local data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from stationmaster.cli import groups
from stationmaster.cli.options import Connection, Wide, Yes, confirm
from stationmaster.cli.printing import output

people = groups.group()

_PATH = "/api/platform/v1/people"
_ERASURES = "/api/platform/v1/erasures"
_AFTER_ERASURE = "This cannot be undone; older backups still contain the data."
_COLUMNS = (
    "email|userId: who, status|'seen': status, team, products: agents, lastDay: last day, "
    "firstDay: first day (wide), aliases.userId: also (wide), userId: id (wide)"
)
_ERASED = (
    "erasureId: erasure, reports, requestedAt: requested (moment), "
    "finishedAt|'in progress': done (moment), events"
)

User = Annotated[str, typer.Argument(help="A user id, as `people list` prints it.")]


@people.command("list")
def list_people(connection: Connection, wide: Wide = False) -> output.Shown:
    """List members, and people who are only in telemetry."""
    listed = connection.api().rows(_PATH, "people")
    yield from output.as_list("people", _COLUMNS, listed, wide=wide)


@people.command("merge")
def merge_person(
    connection: Connection,
    user: User,
    into: Annotated[str, typer.Argument(help="The person: a user id or an e-mail address.")],
) -> output.Shown:
    """Count a user id for another person, from its first day on."""
    path = f"{_PATH}/{quote(user, safe='')}/merge"
    person = connection.api().send("POST", path, {"into": into})
    yield from output.as_answer(person, f"{user} counts for {person['email']}; its days follow.")


@people.command("unmerge")
def unmerge_person(connection: Connection, user: User) -> output.Shown:
    """Separate an alias from its person, permanently."""
    path = f"{_PATH}/{quote(user, safe='')}/unmerge"
    person = connection.api().send("POST", path)
    yield from output.as_answer(
        person, f"{user} no longer counts for {person['email'] or person['userId']}."
    )


@people.command("erase")
def erase_person(
    connection: Connection,
    person: Annotated[str, typer.Argument(help="An e-mail address, or a user id.")],
    reports: Annotated[
        str,
        typer.Option(
            help="restate: remove the person's figures from reports; anonymise: keep them "
            "without a name."
        ),
    ] = "anonymise",
    yes: Yes = False,
) -> output.Shown:
    """Erase all data about a person permanently."""
    api = connection.api()
    confirm(f"Erase all data of {person}? {_AFTER_ERASURE}", yes, or_fail=True)
    erasure = api.send("POST", _ERASURES, {"person": person, "reports": reports})
    yield erasure
    output.remark(
        f"Access has ended. The background worker erases the rest ({erasure['erasureId']}); "
        "`stationmaster people erasures` shows when it is done."
    )


@people.command("erasures")
def list_erasures(connection: Connection) -> output.Shown:
    """List the erasures that were requested, and whether they are done."""
    answer = connection.api().get(_ERASURES)
    yield answer
    output.as_rows(_ERASED, answer["erasures"])


@people.command("export")
def export_person(
    connection: Connection,
    person: Annotated[str, typer.Argument(help="An e-mail address, or a user id.")],
    out: Annotated[
        Path, typer.Option("--out", help="A new folder, or a new file that ends in .zip.")
    ],
) -> output.Shown:
    """Write all data about a person, as a file of JSON lines for each kind of record."""
    from stationmaster.cli.access import person_files

    counts = person_files.write(connection.settings(), connection.org, person, out)
    yield {"out": str(out), "records": counts}
    output.as_table(("file", "records"), [[f"{name}.ndjson", n] for name, n in counts.items()])
    output.remark(f"Written to {out}.")
