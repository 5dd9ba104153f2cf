"""`sign-in-link`: an address that signs a person in, for who owns the data folder."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from stationmaster.access.signing_in import ways as signin
from stationmaster.cli import public_address
from stationmaster.cli.access.members import find_member
from stationmaster.cli.options import OrganizationFolder
from stationmaster.cli.printing import output
from stationmaster.ids import UserId


def sign_in_link(
    place: OrganizationFolder,
    email: Annotated[
        str | None,
        typer.Argument(help="A member's e-mail; by default the first owner's.", show_default=False),
    ] = None,
) -> output.Shown:
    """Print an address that signs a person in, once, within 15 minutes, without a password."""
    settings = place.settings()
    with place.opened() as (db, by):
        user = (
            UserId(by.principal_id) if email is None else find_member(db, by.org_id, email).user_id
        )
        link = signin.make_sign_in_link(db, by.org_id, user, by=by)
    url = f"{public_address.find(settings)}/sign-in/{link.reveal()}"
    yield {"url": url, "expires_at": link.expires_at}
    until = datetime.fromtimestamp(link.expires_at / 1000, UTC)
    output.remark(
        f"Signs in {email or by.email}; works once, until {until:%H:%M} UTC, is not shown again:"
    )
    typer.echo(url)
