"""Secrets that every computer of an organization gets as environment variables.

Their values can be set, replaced and deleted, and are never shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, delete, select

from stationmaster import clock
from stationmaster.access import audit
from stationmaster.access.model import Caller, Secret
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.db.tables.computers import computer_secrets
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId

SECRETS_MAX = 100
NAME_LENGTH_MAX = 128
VALUE_LENGTH_MAX = 32_768
_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
_VALUE = re.compile(rf"[^\0\ud800-\udfff]{{1,{VALUE_LENGTH_MAX}}}")
"""Neither NUL nor half of a surrogate pair, which no environment can hold."""


def purpose(org: OrgId, name: str) -> str:
    """What a value is sealed for."""
    return f"{org}/computer-secret/{name}"


def list_names(db: Database, org: OrgId) -> list[str]:
    """In the order of the alphabet."""
    with db.reading() as connection:
        return _names(connection, org)


def values(db: Database, vault: Vault, org: OrgId) -> dict[str, str]:
    """What the computers of an organization get, in the order of the alphabet."""
    rows = db.rows("SELECT name, sealed FROM computer_secrets WHERE org_id = ?", org)
    return {
        name: vault.unseal(bytes(sealed), purpose(org, name)).reveal()
        for name, sealed in sorted(rows)
    }


def change(
    db: Database, vault: Vault, caller: Caller, upsert: Mapping[str, Secret], remove: Sequence[str]
) -> list[str]:
    """Set and delete secrets, all or none; the names that there are then.

    Deleting one that is not there changes nothing. Raises BadRequest.
    """
    org, now = caller.org_id, clock.now_ms()
    for name, value in upsert.items():
        _check(name, value)
    if not upsert.keys().isdisjoint(remove):
        raise BadRequest("A secret is either set or deleted, not both.", code="invalid_secret")
    with db.transaction() as connection:
        gone = sorted(set(remove).intersection(_names(connection, org)))
        connection.execute(
            delete(computer_secrets).where(
                computer_secrets.c.org_id == org, computer_secrets.c.name.in_(gone)
            )
        )
        for name, value in upsert.items():
            row = {"sealed": vault.seal(value, purpose(org, name)), "updated_at": now}
            added = db.insert(computer_secrets).values(org_id=org, name=name, **row)
            connection.execute(
                added.on_conflict_do_update(index_elements=["org_id", "name"], set_=row)
            )
        left = _names(connection, org)
        if len(left) > SECRETS_MAX:
            raise BadRequest(
                f"An organization has at most {SECRETS_MAX} secrets.", code="too_many_secrets"
            )
        if upsert or gone:
            payload = {"set": sorted(upsert), "deleted": gone}
            audit.note(
                connection, caller, "computer_secrets_changed", "organization", org, **payload
            )
    return left


def _names(connection: Connection, org: OrgId) -> list[str]:
    query = select(computer_secrets.c.name).filter_by(org_id=org)
    # Sorted here: databases sort an underscore differently.
    return sorted(connection.execute(query).scalars())


def _check(name: str, value: Secret) -> None:
    """A name and a value that an environment can hold."""
    if len(name) > NAME_LENGTH_MAX or _NAME.fullmatch(name) is None:
        raise BadRequest(
            f"The name of a secret has 1 to {NAME_LENGTH_MAX} capital letters, digits and _, "
            "and does not begin with a digit.",
            code="invalid_secret",
        )
    if _VALUE.fullmatch(value.reveal()) is None:
        raise BadRequest(
            f"The value of {name} must have 1 to {VALUE_LENGTH_MAX} characters of text and no NUL.",
            code="invalid_secret",
        )
