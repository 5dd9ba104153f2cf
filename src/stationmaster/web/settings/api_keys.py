"""`/settings/api-keys`: make a key or many, see them once, list them, revoke one.
`/settings/service-accounts`: identities of programs, made, paused and removed."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec
from fastapi import Form
from starlette.responses import Response

from stationmaster import clock, days
from stationmaster.access import model, reads, service
from stationmaster.access.model import SERVICE_ROLES, service_role_of
from stationmaster.errors import BadRequest, StationmasterError
from stationmaster.web.frame.pages import (
    AnyVisit,
    ManagerVisit,
    Visit,
    listing,
    router,
    see_other,
)

ACCOUNTS = "/settings/service-accounts"

PATH = "/settings/api-keys"
_COLUMNS = (
    "0.name: Name, 0.hint: Begins with, 1: Holder, 0.role: Role, 0.scope: Scope, 2: State, "
    "0.created_at: Created (UTC), 0.last_used_at: Last used (UTC), 0.expires_at: Expires (UTC)"
)
EXPIRIES = (("30", "in 30 days"), ("90", "in 90 days"), ("365", "in a year"), ("", "never"))
MYSELF = ""
_NAMED_MAX = 5
PEOPLE_MAX = 500
"""Of people that the form offers one by one."""
MANY_MAX = 200
"""Of people whose keys are made by one form."""

routes = router()


class NewKey(msgspec.Struct):
    """The form, as it was sent: it is shown again with its faults."""

    name: str = ""
    holder: str = MYSELF
    role: str = "member"
    scope: str = "ingest"
    expires: str = "90"


@routes.get(PATH)
def show_keys(visit: AnyVisit) -> Response:
    return _keys(visit)


@routes.post(PATH)
def create_key(
    visit: AnyVisit,
    name: Annotated[str, Form()],
    role: Annotated[str, Form()],
    scope: Annotated[str, Form()],
    expires: Annotated[str, Form()] = "",
    holder: Annotated[str, Form()] = MYSELF,
) -> Response:
    """The page with the key in it, which is shown once."""
    form = NewKey(name, holder, role, scope, expires)
    try:
        _, secret = service.create_key(
            visit.db,
            visit.org,
            _principal(visit, holder),
            name=name,
            role=model.role_of(role),
            scope=_scope(scope),
            expires_at=_expiry(expires),
            by=visit.caller,
            only_by_managers=visit.settings.restrict_api_key_creation_to_managers,
        )
    except StationmasterError as fault:
        return _keys(visit, form=form, fault=fault)
    return _keys(visit, made=name, secret=secret)


@routes.post(PATH + "/many")
def create_many(
    visit: ManagerVisit, name: Annotated[str, Form()], people: Annotated[str, Form()]
) -> Response:
    """The page with a key for each person, which are shown once; none where an address is of
    no member.
    """
    rows = ["email,key"]
    try:
        for member in _members(visit, _addresses(people)):
            _, secret = service.create_key(
                visit.db,
                visit.org,
                member,
                name=name,
                role="guest",
                scope="ingest",
                by=visit.caller,
            )
            rows.append(f"{member.email},{secret.reveal()}")
    except StationmasterError as fault:
        return _keys(visit, fault=fault, many=(name, people))
    return _keys(visit, made=name, secrets="\n".join(rows))


@routes.get(PATH + "/{key_id}/revoke")
def ask_to_revoke(visit: AnyVisit, key_id: str) -> Response:
    key = service.get_key(visit.db, visit.org, key_id, by=visit.caller)
    return visit.confirm("key", key.name, PATH, " ".join(_others_of(visit, key)))


@routes.post(PATH + "/{key_id}/revoke")
def revoke_key(visit: AnyVisit, key_id: str) -> Response:
    service.revoke_key(visit.db, visit.org, key_id, by=visit.caller)
    return see_other(PATH)


def _others_of(visit: Visit, key: model.ApiKey) -> list[str]:
    """Which keys stay active when a key is revoked."""
    left = reads.keys_left(visit.db, visit.org, key, by=visit.caller)
    sentences = []
    for keys, whose in ((left.made, "made with it"), (left.of_holder, "of the same holder")):
        if keys:
            names = ", ".join(f"“{other.name}”" for other in keys[:_NAMED_MAX])
            more = "" if len(keys) <= _NAMED_MAX else f" and {len(keys) - _NAMED_MAX} more"
            sentences.append(f"Keys {whose} stay active: {names}{more}.")
    return sentences


def _keys(
    visit: Visit,
    *,
    form: NewKey | None = None,
    fault: StationmasterError | None = None,
    made: str = "",
    secret: model.Secret | None = None,
    secrets: str = "",
    many: tuple[str, str] = ("", ""),
) -> Response:
    sees_all = visit.is_manager
    names = service.names(visit.db, visit.org) if sees_all else {}
    listed = reads.list_keys(visit.db, visit.org, None if sees_all else visit.caller.principal_id)
    only_managers = visit.settings.restrict_api_key_creation_to_managers
    keys = [_row(names, key) for key in reversed(listed)]
    rows = [
        (key, row["holder"], row["state"]) for key, row in zip(reversed(listed), keys, strict=True)
    ]
    return visit.lists(
        "api_keys.html",
        PATH,
        [listing("api-keys", "API keys", _COLUMNS, rows, visit.call("/api/platform/v1/keys"))],
        error=fault,
        form=form or NewKey(role=visit.caller.role),
        made=made,
        secret=None if secret is None else secret.reveal(),
        secrets=secrets,
        many=many,
        many_max=MANY_MAX,
        sees_all=sees_all,
        may_create=visit.caller.role != "guest" and (sees_all or not only_managers),
        holders=[(MYSELF, "myself"), *_accounts(visit), *_others(visit)],
        roles=[(role, role) for role in model.ROLES[model.ROLES.index(visit.caller.role) :]],
        scopes=[("ingest", "telemetry only"), ("full", "all that the role may do")],
        expiries=EXPIRIES,
        keys=keys,
    )


def _row(names: dict[str, str], key: model.ApiKey) -> dict[str, Any]:
    is_expired = key.expires_at is not None and key.expires_at <= clock.now_ms()
    state = "revoked" if key.revoked_at is not None else "expired" if is_expired else "active"
    holder = names.get(key.principal_id, key.principal_id)
    return {**msgspec.structs.asdict(key), "state": state, "holder": holder}


def _accounts(visit: Visit) -> list[tuple[str, str]]:
    """The programs that the caller may make keys for."""
    if not visit.is_manager:
        return []
    accounts = reads.list_service_accounts(visit.db, visit.org)
    return [(account.service_account_id, account.name) for account in accounts if account.is_active]


def _others(visit: Visit) -> list[tuple[str, str]]:
    """The people for whom the caller may make keys that send telemetry."""
    if not visit.is_manager:
        return []
    members = reads.list_members(visit.db, visit.org)
    return [
        (member.user_id, f"{member.email} (telemetry only)")
        for member in members[:PEOPLE_MAX]
        if member.status == "active" and member.user_id != visit.caller.principal_id
    ]


def _addresses(text: str) -> list[str]:
    """The e-mail addresses of a text, one a line or apart by commas, each once."""
    addresses = list(dict.fromkeys(re.split(r"[\s,;]+", text.strip().lower())))
    if addresses == [""]:
        raise BadRequest("Enter the e-mail addresses of members, one per line.", code="no_people")
    if len(addresses) > MANY_MAX:
        raise BadRequest(f"At most {MANY_MAX} people at a time.", code="too_many_people")
    return addresses


def _members(visit: Visit, addresses: list[str]) -> list[model.Member]:
    """The active members with these addresses. BadRequest names those that belong to no one."""
    members = reads.list_members(visit.db, visit.org)
    by_address = {member.email: member for member in members if member.status == "active"}
    missing = [address for address in addresses if address not in by_address]
    if missing:
        more = "" if len(missing) <= _NAMED_MAX else f" and {len(missing) - _NAMED_MAX} more"
        raise BadRequest(
            f"Not active members: {', '.join(missing[:_NAMED_MAX])}{more}. No key was made.",
            code="unknown_people",
        )
    return [by_address[address] for address in addresses]


def _principal(visit: Visit, holder: str) -> model.Principal:
    if holder == MYSELF:
        return service.get_principal(visit.db, visit.org, visit.caller.principal_id)
    visit.require_manager()
    if any(user_id == holder for user_id, _ in _others(visit)):
        return service.get_principal(visit.db, visit.org, holder)
    return service.get_service_account(visit.db, visit.org, holder)


def _scope(text: str) -> Any:
    if text not in model.SCOPES:
        raise BadRequest(f"A scope is one of {', '.join(model.SCOPES)}.", code="invalid_scope")
    return text


def _expiry(text: str) -> int | None:
    """When a key ends that lasts a number of days; None for one that never does."""
    if text not in dict(EXPIRIES):
        raise BadRequest("Choose one of the offered times.", code="invalid_expiry")
    return clock.now_ms() + int(text) * days.MS_PER_DAY if text else None


@routes.get(ACCOUNTS)
def show_accounts(visit: ManagerVisit) -> Response:
    return _accounts_page(visit)


@routes.post(ACCOUNTS)
def create_account(
    visit: ManagerVisit, name: Annotated[str, Form()], role: Annotated[str, Form()]
) -> Response:
    try:
        service.create_service_account(
            visit.db, visit.org, name, service_role_of(role), by=visit.caller
        )
    except StationmasterError as fault:
        return _accounts_page(visit, fault=fault, name=name, role=role)
    return see_other(ACCOUNTS)


@routes.post(ACCOUNTS + "/{account_id}/{action}")
def change_account(
    visit: ManagerVisit, account_id: str, action: Literal["pause", "resume", "remove"]
) -> Response:
    """Pause or resume an account, or remove it permanently."""
    if action == "remove":
        service.remove_service_account(visit.db, visit.org, account_id, by=visit.caller)
    else:
        service.change_service_account(
            visit.db, visit.org, account_id, is_active=action == "resume", by=visit.caller
        )
    return see_other(ACCOUNTS)


@routes.get(ACCOUNTS + "/{account_id}/remove")
def ask_to_remove(visit: ManagerVisit, account_id: str) -> Response:
    account = service.get_service_account(visit.db, visit.org, account_id)
    return visit.confirm("account", account.name, ACCOUNTS)


def _accounts_page(
    visit: Visit, *, fault: StationmasterError | None = None, name: str = "", role: str = "member"
) -> Response:
    accounts = reads.list_service_accounts(visit.db, visit.org)
    rows = [(account, "active" if account.is_active else "paused") for account in accounts]
    columns = "0.name: Name, 0.role: Role, 1: State, 0.created_at: Created (UTC)"
    call = visit.call("/api/platform/v1/service-accounts")
    return visit.lists(
        "service_accounts.html",
        ACCOUNTS,
        [listing("service-accounts", "Service accounts", columns, rows, call)],
        error=fault,
        name=name,
        role=role,
        roles=[(role_name, role_name) for role_name in SERVICE_ROLES],
        accounts=accounts,
    )
