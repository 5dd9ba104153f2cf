"""`gateway`: passing calls of agents on to the providers of models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stationmaster import logs
from stationmaster.cli import folder, groups, secret_files
from stationmaster.cli.configure import configure
from stationmaster.cli.operation import passing
from stationmaster.cli.options import DataDir, Json, Org
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column

_COLUMNS = {
    "name": Column("name"),
    "kind": Column("kind"),
    "url": Column("address"),
    "failover": Column("failover"),
    "isPrivate": table.wide("private"),
}

gateway = groups.group(invoke_without_command=True)
providers = groups.group()
gateway.add_typer(providers, name="providers", help="The providers that calls are passed on to.")

Host = Annotated[str | None, typer.Option(help="Address to listen on.", show_default=False)]
Port = Annotated[int | None, typer.Option(help="Port to listen on.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the group `gateway`."""
    app.add_typer(gateway, name="gateway")


@gateway.callback()
def run(
    context: typer.Context, data_dir: DataDir = None, host: Host = None, port: Port = None
) -> None:
    """Pass calls of agents on to models, within budgets."""
    if context.invoked_subcommand is not None:
        return
    from stationmaster.api.serving import server

    settings = configure(data_dir, host=host, gateway_port=port)
    logs.configure(settings.log_format, settings.log_level)
    server.check_address(settings.host, settings.gateway_port)
    with folder.database(settings):
        pass
    passing.serve(settings)


@providers.command("add")
def add(
    name: Annotated[str, typer.Argument(help="Its part of the gateway's addresses.")],
    kind: Annotated[str, typer.Option(help="anthropic, openai or gemini.")],
    address: Annotated[
        str, typer.Option("--url", help="The provider's address, such as https://api.example.com.")
    ],
    key_file: Annotated[
        Path, typer.Option(help="A file with the provider's key; - is standard input.")
    ],
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Permit http, and local or private addresses.")
    ] = False,
    failover: Annotated[
        list[str] | None,
        typer.Option(help="A provider of the same kind to ask when this one is away; repeatable."),
    ] = None,
    data_dir: DataDir = None,
    org: Org = None,
    json: Json = False,
) -> None:
    """Register a provider; its key is stored sealed. Under a name that is there, it is replaced."""
    from stationmaster.access import operator
    from stationmaster.access.vault import Vault
    from stationmaster.gateway import providers as registry

    settings = configure(data_dir)
    with folder.tenant(settings, org) as (db, org_id):
        provider = registry.add(
            db,
            Vault.open(settings),
            operator.owner(db, org_id),
            name,
            kind,
            address,
            secret_files.read("--key-file", key_file),
            is_private=allow_private,
            failover=tuple(failover or ()),
        )
    row = _row(provider)
    if json:
        output.as_json(row)
        return
    output.say(f"{provider.name}: {settings.gateway_address}/gateway/{provider.name}")


@providers.command("list")
def list_providers(data_dir: DataDir = None, org: Org = None, json: Json = False) -> None:
    """List the providers; keys are shown nowhere."""
    from stationmaster.gateway import providers as registry

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        rows = [_row(provider) for provider in registry.list_all(db, org_id)]
    empty = "No providers: `stationmaster gateway providers add NAME --kind … --url … --key-file …`"
    output.as_list("providers", _COLUMNS, rows, json, empty=empty)


@providers.command("remove")
def remove(
    name: Annotated[str, typer.Argument(help="The name of the provider.")],
    data_dir: DataDir = None,
    org: Org = None,
    json: Json = False,
) -> None:
    """Forget a provider and its key; calls under its name are refused at once."""
    from stationmaster.access import operator
    from stationmaster.gateway import providers as registry

    with folder.tenant(configure(data_dir), org) as (db, org_id):
        registry.remove(db, operator.owner(db, org_id), name)
    if json:
        output.as_json({"name": name})
    else:
        output.say(f"{name} is removed.")


def _row(provider: object) -> dict[str, object]:
    from stationmaster.gateway.providers import Provider

    assert isinstance(provider, Provider)
    return {
        "name": provider.name,
        "kind": provider.kind,
        "url": provider.url,
        "failover": list(provider.failover),
        "isPrivate": provider.is_private,
        "createdAt": provider.created_at,
    }
