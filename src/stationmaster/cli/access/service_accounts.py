"""`service-accounts`: identities of programs, on a server or in the local data folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from stationmaster.cli import asking, groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json, Wide, Yes
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column
from stationmaster.errors import BadRequest

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

accounts = groups.group()

_PATH = "/api/platform/v1/service-accounts"
_COLUMNS = {
    "name": Column("name"),
    "role": Column("role"),
    "isActive": Column("active"),
    "createdAt": table.moment("created"),
    "serviceAccountId": table.wide("id"),
}

Account = Annotated[str, typer.Argument(help="Its name or id.")]


def register(app: typer.Typer) -> None:
    """Add the group `service-accounts`."""
    app.add_typer(accounts, name="service-accounts")


@accounts.command("create")
def create_account(
    connection: Connection,
    name: str,
    role: Annotated[str, typer.Option(help="manager, member (the default) or guest.")] = "member",
    json: Json = False,
) -> None:
    """Make a service account, for good under this name."""
    made = connection.api().send("POST", _PATH, {"name": name, "role": role})
    _tell(made, f"is {made['role']}", json)


@accounts.command("list")
def list_accounts(connection: Connection, wide: Wide = False, json: Json = False) -> None:
    """List service accounts by name."""
    found = connection.api().get(_PATH)["serviceAccounts"]
    output.as_list(
        "serviceAccounts", _COLUMNS, found, json, wide=wide, empty="There are no service accounts."
    )


@accounts.command("pause")
def pause_account(connection: Connection, account: Account, json: Json = False) -> None:
    """Refuse the keys of a service account until it is resumed."""
    api = connection.api()
    _tell(api.send("PATCH", _path(api, account), {"isActive": False}), "is paused", json)


@accounts.command("resume")
def resume_account(connection: Connection, account: Account, json: Json = False) -> None:
    """Take the keys of a paused service account again."""
    api = connection.api()
    _tell(api.send("PATCH", _path(api, account), {"isActive": True}), "is active", json)


@accounts.command("remove")
def remove_account(
    connection: Connection, account: Account, yes: Yes = False, json: Json = False
) -> None:
    """Remove a service account; its keys stop at once, its history and its name stay."""
    api = connection.api()
    path = _path(api, account)
    asking.confirm(
        f"Remove the service account {account}? Its keys stop for good and its name stays taken; "
        "what it sent stays.",
        yes,
    )
    api.send("DELETE", path)
    removed = {"serviceAccountId": path.rpartition("/")[2], "name": account}
    _tell(removed, "is removed", json)


def _path(api: Api, account: str) -> str:
    """The address of the account with that id or name."""
    for known in api.get(_PATH)["serviceAccounts"]:
        if account in (known["serviceAccountId"], known["name"]):
            return f"{_PATH}/{known['serviceAccountId']}"
    raise BadRequest(f"there is no service account {account!r}", code="no_service_account")


def _tell(account: dict[str, Any], what: str, json: bool) -> None:
    if json:
        output.as_json(account)
    else:
        output.say(f"{account['name']} {what}.")
