"""Making an installation: its data folder, first organization, owner and API key."""

from __future__ import annotations

from stationmaster.access import model, operator, reads, service
from stationmaster.access.signing_in.signing_keys import SigningKeys
from stationmaster.access.vault import Vault
from stationmaster.cli import folder
from stationmaster.db.engine import Database
from stationmaster.ids import UserId
from stationmaster.lake.inbox import open_database
from stationmaster.settings import Settings

DEFAULT_ORG = "default"
DEFAULT_OWNER = "owner@localhost"


def has_organization(settings: Settings) -> bool:
    """Whether the data folder, which is made where it is missing, has an organization."""
    folder.make(settings)
    with folder.database(settings) as db:
        return bool(operator.tenants(db))


def create(settings: Settings, name: str, owner: str) -> dict[str, str | None]:
    """Make a data folder with an organization and its owner, or nothing where they are there.

    Returns `org_id`, `user_id` and `api_key`: None where the owner was there already.
    """
    email = model.email_of(owner)
    folder.make(settings)
    # Alone, because several machines may start for the first time at the same time.
    with folder.database(settings) as db, db.alone("first organization"):
        # Whatever takes telemetry first need not load what makes tables.
        open_database(settings).close()
        org_name = model.name_of(name)
        tenant = next((t for t in operator.tenants(db) if t.name == org_name), None)
        org_id = tenant.org_id if tenant else service.create_organization(db, org_name)
        for member in reads.list_members(db, org_id):
            if member.role == "owner":
                return {"org_id": org_id, "user_id": member.user_id, "api_key": None}
        member = service.add_member(db, org_id, email, "owner")
        _, secret = service.create_key(db, org_id, member, name="first key")
        return {"org_id": org_id, "user_id": member.user_id, "api_key": secret.reveal()}


def check_secret_key(settings: Settings, db: Database) -> None:
    """Raise OperatorError where stored secrets do not open with the secret key of this machine."""
    SigningKeys(db, Vault.open(settings)).check()


def rotate_signing_keys(settings: Settings) -> str:
    """The id of a new key, which signs access tokens from now on."""
    with folder.database(settings) as db:
        return SigningKeys(db, Vault.open(settings)).rotate()


def first_link(settings: Settings) -> str:
    """Where the owner of a new installation chooses a password; works once, for a day."""
    with folder.tenant(settings, None) as (db, org_id):
        owner = operator.owner(db, org_id)
        _, link = service.make_link(db, org_id, UserId(owner.principal_id), by=owner)
    return f"{settings.app_address}/join/{link.reveal()}"
