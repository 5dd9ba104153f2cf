"""`gateway`: passing calls of agents on to the providers of models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stationmaster import logs
from stationmaster.access.vault import Vault
from stationmaster.api.serving import server
from stationmaster.cli import configuring, folder, groups, secret_files
from stationmaster.cli.operation import passing
from stationmaster.cli.options import DataDir, Host, OrganizationFolder, Port
from stationmaster.cli.printing import output
from stationmaster.gateway import providers as registry

_COLUMNS = "name, kind, url: address, failover, isPrivate: private (wide)"

gateway = groups.group(invoke_without_command=True)
providers = groups.group()
gateway.add_typer(
    providers, name="providers", help="Manage the providers to which calls are passed."
)


@gateway.callback()
def run(
    context: typer.Context, data_dir: DataDir = None, host: Host = None, port: Port = None
) -> None:
    """Pass model calls of agents to providers, within budgets."""
    if context.invoked_subcommand is not None:
        return
    settings = configuring.configure(data_dir, host=host, gateway_port=port)
    logs.configure(settings.log_format, settings.log_level)
    server.check_address(settings.host, settings.gateway_port)
    with folder.database(settings):
        pass
    passing.serve(settings)


@providers.command("add")
def add(
    place: OrganizationFolder,
    name: Annotated[
        str, typer.Argument(help="Its name, which is part of the gateway's addresses.")
    ],
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
        typer.Option(
            help="A provider of the same kind to use if this one is unavailable; repeatable."
        ),
    ] = None,
) -> output.Shown:
    """Register a provider, or replace the one of this name; its key is stored sealed."""
    settings = place.settings()
    with place.opened() as (db, by):
        provider = registry.add(
            db,
            Vault.open(settings),
            by,
            name,
            kind,
            address,
            secret_files.read("--key-file", key_file),
            is_private=allow_private,
            failover=tuple(failover or ()),
        )
    row = _row(provider)
    yield row
    output.remark(f"{provider.name}: {settings.gateway_address}/gateway/{provider.name}")


@providers.command("list")
def list_providers(
    place: OrganizationFolder,
) -> output.Shown:
    """List the providers, without their keys."""
    with place.opened() as (db, by):
        rows = [_row(provider) for provider in registry.list_all(db, by.org_id)]
    empty = "No providers: `stationmaster gateway providers add NAME --kind … --url … --key-file …`"
    yield from output.as_list("providers", _COLUMNS, rows, empty=empty)


@providers.command("remove")
def remove(
    place: OrganizationFolder,
    name: Annotated[str, typer.Argument(help="The name of the provider.")],
) -> output.Shown:
    """Delete a provider and its key; calls under its name are refused immediately."""
    with place.opened() as (db, by):
        registry.remove(db, by, name)
    yield from output.as_answer({"name": name}, f"{name} is removed.")


def _row(provider: object) -> dict[str, object]:
    assert isinstance(provider, registry.Provider)
    return {
        "name": provider.name,
        "kind": provider.kind,
        "url": provider.url,
        "failover": list(provider.failover),
        "isPrivate": provider.is_private,
        "createdAt": provider.created_at,
    }
