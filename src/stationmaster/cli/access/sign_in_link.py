"""`sign-in-link`: an address that signs a person in, for who owns the data folder."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from stationmaster.cli import folder, public_address
from stationmaster.cli.access.members import find_member
from stationmaster.cli.configure import configure
from stationmaster.cli.options import DataDir, Json, Org
from stationmaster.cli.printing import output
from stationmaster.ids import UserId


def register(app: typer.Typer) -> None:
    """Add the command `sign-in-link`."""
    app.command("sign-in-link")(sign_in_link)


def sign_in_link(
    email: Annotated[
        str | None,
        typer.Argument(help="A member's e-mail; by default the first owner's.", show_default=False),
    ] = None,
    data_dir: DataDir = None,
    org: Org = None,
    json: Json = False,
) -> None:
    """Print an address that signs a person in, once, within 15 minutes, without a password."""
    from stationmaster.access import operator
    from stationmaster.access.signing_in import ways as signin

    settings = configure(data_dir)
    with folder.tenant(settings, org) as (db, org_id):
        by = operator.owner(db, org_id)
        user = UserId(by.principal_id) if email is None else find_member(db, org_id, email).user_id
        link = signin.make_sign_in_link(db, org_id, user, by=by)
    url = f"{public_address.find(settings)}/sign-in/{link.reveal()}"
    if json:
        output.as_json({"url": url, "expires_at": link.expires_at})
        return
    until = datetime.fromtimestamp(link.expires_at / 1000, UTC)
    output.say(
        f"Signs in {email or by.email}; works once, until {until:%H:%M} UTC, is not shown again:"
    )
    typer.echo(url)
