"""`service-accounts`: identities of programs, on a server or in the local data folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.options import Connection, Wide, Yes, confirm
from stationmaster.cli.printing import output

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

service_accounts = groups.group()

_PATH = "/api/platform/v1/service-accounts"
_COLUMNS = "name, role, isActive: active, createdAt: created (moment), serviceAccountId: id (wide)"

Account = Annotated[str, typer.Argument(help="Its name or id.")]


@service_accounts.command("create")
def create_account(
    connection: Connection,
    name: str,
    role: Annotated[str, typer.Option(help="manager, member (the default) or guest.")] = "member",
) -> output.Shown:
    """Create a service account; its name cannot be changed."""
    made = connection.api().send("POST", _PATH, {"name": name, "role": role})
    yield from _shown_account(made, f"is {made['role']}")


@service_accounts.command("list")
def list_accounts(connection: Connection, wide: Wide = False) -> output.Shown:
    """List service accounts by name."""
    rows = connection.api().get(_PATH)["serviceAccounts"]
    yield from output.as_list(
        "serviceAccounts", _COLUMNS, rows, wide=wide, empty="There are no service accounts."
    )


@service_accounts.command("pause")
def pause_account(connection: Connection, account: Account) -> output.Shown:
    """Refuse the keys of a service account until it is resumed."""
    api = connection.api()
    yield from _shown_account(
        api.send("PATCH", _path(api, account), {"isActive": False}), "is paused"
    )


@service_accounts.command("resume")
def resume_account(connection: Connection, account: Account) -> output.Shown:
    """Accept the keys of a paused service account again."""
    api = connection.api()
    yield from _shown_account(
        api.send("PATCH", _path(api, account), {"isActive": True}), "is active"
    )


@service_accounts.command("remove")
def remove_account(connection: Connection, account: Account, yes: Yes = False) -> output.Shown:
    """Remove a service account; its keys stop immediately, its history and its name stay."""
    api = connection.api()
    path = _path(api, account)
    confirm(
        f"Remove the service account {account}? Its keys stop working permanently, and its name "
        f"cannot be used again; its data stays.",
        yes,
    )
    api.send("DELETE", path)
    removed = {"serviceAccountId": path.rpartition("/")[2], "name": account}
    yield from _shown_account(removed, "is removed")


def _path(api: Api, account: str) -> str:
    return api.address(_PATH, "serviceAccounts", "serviceAccountId", account, "service account")


def _shown_account(account: dict[str, Any], what: str) -> output.Shown:
    yield from output.as_answer(account, f"{account['name']} {what}.")
