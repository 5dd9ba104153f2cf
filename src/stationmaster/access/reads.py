"""The lists of access, each one statement that the driver runs alone: an answer costs little more.

What a change must read in its own transaction is in `store`.
"""

from __future__ import annotations

from stationmaster import clock
from stationmaster.access.change_rules import may_see_key
from stationmaster.access.model import ApiKey, Caller, KeysLeft, Member, ServiceAccount, made_with
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId

_MEMBERS = """
SELECT user_id, email, role, created_at,
       CASE WHEN joined_at IS NULL THEN 'invited' ELSE 'active' END, team
FROM members WHERE org_id = ? AND removed_at IS NULL
"""
_SERVICE_ACCOUNTS = f"""
SELECT {", ".join(ServiceAccount.__struct_fields__)} FROM service_accounts
WHERE org_id = ? AND removed_at IS NULL ORDER BY name
"""
_KEYS = f"SELECT {', '.join(ApiKey.__struct_fields__)} FROM api_keys WHERE org_id = ?"


def list_members(db: Database, org: OrgId) -> list[Member]:
    """Who was not removed, by address."""
    return [Member(*row) for row in db.rows(_MEMBERS + "ORDER BY email", org)]


def page_members(
    db: Database, org: OrgId, *, limit: int, after: str | None = None, is_active: bool = False
) -> list[Member]:
    """At most `limit` of those who were not removed, by user id, from the one after `after` on;
    with `is_active` of those who have joined.
    """
    joined = "AND joined_at IS NOT NULL " if is_active else ""
    page = f"{joined}AND user_id > ? ORDER BY user_id LIMIT ?"
    return [Member(*row) for row in db.rows(_MEMBERS + page, org, after or "", limit)]


def list_service_accounts(db: Database, org: OrgId) -> list[ServiceAccount]:
    """Active and inactive ones, by name, without those that were removed."""
    return [
        ServiceAccount(account_id, name, role, bool(is_active), created_at)
        for account_id, name, role, is_active, created_at in db.rows(_SERVICE_ACCOUNTS, org)
    ]


def list_keys(db: Database, org: OrgId, principal_id: str | None = None) -> list[ApiKey]:
    """Revoked and expired ones too, oldest first; of one principal, or of all."""
    ordered = " ORDER BY created_at, key_id"
    if principal_id is None:
        rows = db.rows(_KEYS + ordered, org)
    else:
        rows = db.rows(f"{_KEYS} AND principal_id = ?{ordered}", org, principal_id)
    return [ApiKey(*row) for row in rows]


def keys_left(db: Database, org: OrgId, key: ApiKey, by: Caller | None = None) -> KeysLeft:
    """The active keys that remain next to one that is revoked, of those that `by` may see."""
    now = clock.now_ms()
    keys = list_keys(db, org)
    remaining = [
        other
        for other in keys
        if other.key_id != key.key_id and other.is_active(now) and may_see_key(by, other)
    ]
    made = {other.key_id for other in made_with(keys, key.key_id)}
    return KeysLeft(
        made=[other for other in remaining if other.key_id in made],
        of_holder=[
            other
            for other in remaining
            if other.key_id not in made and other.principal_id == key.principal_id
        ],
    )


def service_account_ids(db: Database, org: OrgId) -> set[str]:
    """Of every account that there is or was: reports distinguish the latter from people, too."""
    rows = db.rows("SELECT service_account_id FROM service_accounts WHERE org_id = ?", org)
    return {account_id for (account_id,) in rows}
