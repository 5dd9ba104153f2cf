"""What is done to credit limits, and the use of principals against them.

Each change is one transaction that writes an audit record for everything that it really changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import cast

from sqlalchemy import Connection

from stationmaster import ids
from stationmaster.access import audit, privacy
from stationmaster.access.model import Caller, MemberStatus, PrincipalKind
from stationmaster.access.store import lock_organization, members_of, service_account
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound
from stationmaster.limits import store
from stationmaster.limits.model import (
    BatchOutcome,
    CreditLimits,
    OrganizationUse,
    Period,
    PrincipalUse,
    RefusedEntry,
    UserLimit,
)

CHANGED = "user_limit_change"
"""The published name of every change of a limit."""
_ABSENCE: dict[MemberStatus | None, str] = {
    None: "There is no member with this address.",
    "invited": "The person with this address has not joined yet.",
    "removed": "The member with this address was removed.",
}
_DUPLICATE = "This is a duplicate: the request sets a limit for the same address earlier."


def set_user_limits(db: Database, caller: Caller, entries: Sequence[UserLimit]) -> BatchOutcome:
    """Give members limits of their own, or take them back; what cannot be applied is reported.

    Addresses are matched trimmed and without case, and answered as they were sent. An address that
    is sent again with the same limit is one entry; with another limit, that entry is refused.
    """
    org = caller.org_id
    credits_by_user: dict[ids.UserId, int | None] = {}
    applied: dict[str, int | None] = {}
    updated: list[UserLimit] = []
    refused: list[RefusedEntry] = []
    with db.transaction() as connection:
        lock_organization(connection, org)
        users = [ids.user_of_email(org, entry.email) for entry in entries]
        people = {member.user_id: member.status for member in members_of(connection, org, users)}
        own = store.limits_of(connection, org, people)
        fallback = store.global_limit(connection, org)
        for user, entry in zip(users, entries, strict=True):
            if user in credits_by_user:
                if credits_by_user[user] != entry.limit:
                    refused.append(RefusedEntry(entry.email, _DUPLICATE))
                continue
            credits_by_user[user] = entry.limit
            status = people.get(user)
            if status != "active":
                refused.append(RefusedEntry(entry.email, _ABSENCE[status]))
                continue
            applied[user] = entry.limit
            now = fallback if entry.limit is None else entry.limit
            updated.append(UserLimit(entry.email, now))
        _apply(connection, caller, "member", own, applied)
    return BatchOutcome(updated, refused)


def set_global_limit(db: Database, caller: Caller, limit: int | None) -> None:
    """Set the limit of everyone without one of their own; None clears it."""
    org = caller.org_id
    with db.transaction() as connection:
        lock_organization(connection, org)
        if store.global_limit(connection, org) == limit:
            return
        store.put_global_limit(connection, org, limit)
        payload = {"scope": "global", "limit": limit}
        audit.note(connection, caller, CHANGED, "organization", org, **payload)


def set_service_account_limit(
    db: Database, caller: Caller, account_id: str, limit: int | None
) -> int | None:
    """Like `set_user_limits` for one service account; the limit that applies now.

    Raises NotFound.
    """
    org = caller.org_id
    with db.transaction() as connection:
        lock_organization(connection, org)
        if service_account(connection, org, account_id) is None:
            raise NotFound("There is no such service account.")
        own = store.limits_of(connection, org, [account_id])
        _apply(connection, caller, "service_account", own, {account_id: limit})
        return store.global_limit(connection, org) if limit is None else limit


def limits(db: Database, org: ids.OrgId) -> CreditLimits:
    """The organization's limit and those of single members, in Standard Credits a month."""
    return CreditLimits(global_limit(db, org), store.user_limits(db, org))


def global_limit(db: Database, org: ids.OrgId) -> int | None:
    """Standard Credits a month of those without an own limit; None without such a limit."""
    return store.read_global_limit(db, org)


def usage(
    db: Database, org: ids.OrgId, period: Period, through: date | None, *, after: str, count: int
) -> OrganizationUse:
    """The use of at most `count` principals with an id greater than `after`, by id.

    Counts the days of the period through `through` (no day at all for None), which must have been
    rolled up. Where people are not shown by name, their addresses and limits are still answered,
    which managers set; what each used next to them would identify people in the reports.
    """
    first, last = period.start, _last(period, through)
    fallback = global_limit(db, org)
    is_named = privacy.of(db, org).is_named
    total_used = store.total(db, org, first, last)
    return OrganizationUse(
        global_limit=fallback,
        total_used=total_used,
        total_forecast=period.forecast(total_used, through),
        principals=[
            _use_of_row(row, fallback, period, through, is_shown=is_named or row[1] == "service")
            for row in store.page(db, org, first, last, after=after, count=count)
        ],
    )


def principal_use(
    db: Database,
    org: ids.OrgId,
    period: Period,
    through: date | None,
    principal: str,
    *,
    by: Caller,
) -> PrincipalUse:
    """The use of one member or service account; what `usage` lists of it, and a person's use also
    where that person is the caller. Raises NotFound."""
    row = store.one(db, org, period.start, _last(period, through), principal)
    if row is None:
        raise NotFound("There is no such member or service account.")
    is_shown = row[1] == "service" or principal == by.principal_id or privacy.of(db, org).is_named
    return _use_of_row(row, global_limit(db, org), period, through, is_shown=is_shown)


def _last(period: Period, through: date | None) -> date:
    """The last day that counts; the day before the period where none does."""
    return period.start - timedelta(days=1) if through is None else through


def _use_of_row(
    row: store.PageRow,
    fallback: int | None,
    period: Period,
    through: date | None,
    *,
    is_shown: bool,
) -> PrincipalUse:
    principal, kind, email, name, own, used = row
    return PrincipalUse(
        principal_id=principal,
        kind=cast(PrincipalKind, kind),
        email=email,
        name=name,
        limit=own,
        effective_limit=fallback if own is None else own,
        used=used if is_shown else None,
        forecast=period.forecast(used, through) if is_shown else None,
    )


def _apply(
    connection: Connection,
    caller: Caller,
    kind: str,
    own: Mapping[str, int],
    wanted: Mapping[str, int | None],
) -> None:
    """Make wanted limits the own ones of principals of a kind, as far as they are not yet."""
    changed = {user: limit for user, limit in wanted.items() if own.get(user) != limit}
    if changed:
        store.put_limits(connection, caller.org_id, changed)
    for principal, limit in changed.items():
        payload = {"scope": "individual", "limit": limit}
        audit.note(connection, caller, CHANGED, kind, principal, **payload)
