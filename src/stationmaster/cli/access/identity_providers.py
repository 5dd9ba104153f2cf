"""`identity-providers`: where members sign in, on a server or in the local data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from stationmaster.cli import groups, secret_files
from stationmaster.cli.options import Connection, Wide, Yes, confirm
from stationmaster.cli.printing import output

identity_providers = groups.group()

_PATH = "/api/platform/v1/identity-providers"
_COLUMNS = (
    "name, issuer, clientId: client, allowedDomains|'all': domains, setBy: set by, "
    "redirectUri: redirect address (wide)"
)

Name = Annotated[str, typer.Argument(help="Its name.")]
SecretFile = Annotated[
    Path | None,
    typer.Option(help="A file with the client secret; - is standard input."),
]
Domain = Annotated[
    list[str] | None,
    typer.Option("--domain", help="Only e-mail addresses of this domain; repeat for more."),
]
Trust = Annotated[
    bool | None,
    typer.Option(
        "--trust-unverified-email/--verified-email-only",
        help="Accept or refuse addresses that the provider has not verified.",
    ),
]


@identity_providers.command("add")
def add(
    connection: Connection,
    name: Annotated[str, typer.Argument(help="On the button of the sign-in page: a-z, 0-9, -.")],
    issuer: Annotated[str, typer.Option(help="Its address, as in its discovery document.")],
    client_id: Annotated[str, typer.Option(help="As it is registered there.")],
    secret_file: SecretFile = None,
    domain: Domain = None,
    trust: Trust = None,
) -> output.Shown:
    """Add a provider; its client secret is stored sealed."""
    body = {
        "name": name,
        "issuer": issuer,
        "clientId": client_id,
        "clientSecret": _secret(secret_file),
        "allowedDomains": domain or [],
        "trustUnverifiedEmail": bool(trust),
    }
    made = connection.api().send("POST", _PATH, body)
    yield made
    output.remark(f"{name} is added. Register this redirect address there:")
    output.line(made["redirectUri"])


@identity_providers.command("list")
def list_providers(connection: Connection, wide: Wide = False) -> output.Shown:
    """List providers, those of the operator first."""
    rows = connection.api().get(_PATH)["identityProviders"]
    empty = "There are no identity providers: members sign in with a password."
    yield from output.as_list("identityProviders", _COLUMNS, rows, wide=wide, empty=empty)


@identity_providers.command("change")
def change(
    connection: Connection,
    name: Name,
    issuer: Annotated[str | None, typer.Option(help="Another address.")] = None,
    client_id: Annotated[str | None, typer.Option(help="Another client.")] = None,
    secret_file: SecretFile = None,
    domain: Domain = None,
    all_domains: Annotated[bool, typer.Option("--all-domains", help="All domains.")] = False,
    trust: Trust = None,
) -> output.Shown:
    """Change the given settings of a provider; others stay."""
    body = {
        "issuer": issuer,
        "clientId": client_id,
        "clientSecret": _secret(secret_file),
        "allowedDomains": [] if all_domains else domain,
        "trustUnverifiedEmail": trust,
    }
    changed = connection.api().send("PATCH", _path(name), body)
    yield from output.as_answer(changed, f"{name} is changed.")


@identity_providers.command("test")
def ask_provider(connection: Connection, name: Name) -> output.Shown:
    """Ask a provider for its discovery document and keys; exit with 1 if it does not answer."""
    answer = connection.api().send("POST", f"{_path(name)}/test")
    count = answer["keys"]
    keys = "1 key that verifies" if count == 1 else f"{count} keys that verify"
    yield from output.as_answer(answer, f"{name} answers, with {keys} tokens.")


@identity_providers.command("remove")
def remove(connection: Connection, name: Name, yes: Yes = False) -> output.Shown:
    """Remove a provider with its secret; members stay signed in."""
    api = connection.api()
    confirm(f"Remove {name}? No one can sign in there any more.", yes)
    api.send("DELETE", _path(name))
    yield from output.as_answer({"name": name}, f"{name} is removed.")


def _path(name: str) -> str:
    return f"{_PATH}/{quote(name, safe='')}"


def _secret(path: Path | None) -> str | None:
    return None if path is None else secret_files.read("--secret-file", path)
