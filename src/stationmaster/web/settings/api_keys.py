"""`/settings/api-keys`: make a key or many, see them once, list them, revoke one."""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster import clock, days
from stationmaster.access import reads, service
from stationmaster.access.authenticate import require
from stationmaster.access.model import (
    ROLES,
    SCOPES,
    ApiKey,
    Caller,
    Member,
    Principal,
    Secret,
    role_of,
)
from stationmaster.errors import BadRequest, StationmasterError
from stationmaster.ids import KeyId, UserId
from stationmaster.web.figures.blocks import Table
from stationmaster.web.figures.reports import call_of
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import list_page, listing, moment
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of

PATH = "/settings/api-keys"
EXPIRIES = (("30", "in 30 days"), ("90", "in 90 days"), ("365", "in a year"), ("", "never"))
MYSELF = ""
_NAMED_MAX = 5
PEOPLE_MAX = 500
"""Of people that the form offers one by one."""
MANY_MAX = 200
"""Of people whose keys are made by one form."""

routes = router()


class NewKey(msgspec.Struct):
    """The form, as it was sent: it is shown again beside what is wrong with it."""

    name: str = ""
    holder: str = MYSELF
    role: str = "member"
    scope: str = "ingest"
    expires: str = "90"


@routes.get(PATH)
def show_keys(request: Request, caller: SignedIn) -> Response:
    return _keys(request, caller)


@routes.post(PATH)
def create_key(
    request: Request,
    caller: SignedIn,
    name: Annotated[str, Form()],
    role: Annotated[str, Form()],
    scope: Annotated[str, Form()],
    expires: Annotated[str, Form()] = "",
    holder: Annotated[str, Form()] = MYSELF,
) -> Response:
    """The page with the key in it, which is shown this once."""
    form = NewKey(name, holder, role, scope, expires)
    services = services_of(request)
    try:
        _, secret = service.create_key(
            services.db,
            caller.org_id,
            _principal(request, caller, holder),
            name=name,
            role=role_of(role),
            scope=_scope(scope),
            expires_at=_expiry(expires),
            by=caller,
            only_by_managers=services.settings.restrict_api_key_creation_to_managers,
        )
    except StationmasterError as fault:
        return _keys(request, caller, form=form, fault=fault)
    return _keys(request, caller, made=name, secret=secret)


@routes.post(PATH + "/many")
def create_many(
    request: Request,
    caller: SignedIn,
    name: Annotated[str, Form()],
    people: Annotated[str, Form()],
) -> Response:
    """The page with a key for each person, which are shown this once; none where an address is of
    no member.
    """
    require(caller, *menu.MANAGERS)
    db = services_of(request).db
    rows = ["email,key"]
    try:
        for member in _members(request, caller, _addresses(people)):
            _, secret = service.create_key(
                db, caller.org_id, member, name=name, role="guest", scope="ingest", by=caller
            )
            rows.append(f"{member.email},{secret.reveal()}")
    except StationmasterError as fault:
        return _keys(request, caller, fault=fault, many=(name, people))
    return _keys(request, caller, made=name, secrets="\n".join(rows))


@routes.get(PATH + "/{key_id}/revoke")
def ask_to_revoke(request: Request, caller: SignedIn, key_id: str) -> Response:
    key = service.get_key(services_of(request).db, caller.org_id, KeyId(key_id), by=caller)
    return page(
        "confirm.html",
        caller,
        request,
        question=f"Revoke “{key.name}”?",
        consequence=" ".join(_consequences(request, caller, key)),
        verb="Revoke",
        back=PATH,
    )


@routes.post(PATH + "/{key_id}/revoke")
def revoke_key(request: Request, caller: SignedIn, key_id: str) -> Response:
    service.revoke_key(services_of(request).db, caller.org_id, KeyId(key_id), by=caller)
    return see_other(PATH)


def _consequences(request: Request, caller: Caller, key: ApiKey) -> list[str]:
    """What revoking a key ends, and which keys stay active."""
    left = reads.keys_left(services_of(request).db, caller.org_id, key, by=caller)
    sentences = ["Requests with this key are refused at once, for good."]
    for keys, whose in ((left.made, "made with it"), (left.held, "of the same holder")):
        if keys:
            names = ", ".join(f"“{other.name}”" for other in keys[:_NAMED_MAX])
            more = "" if len(keys) <= _NAMED_MAX else f" and {len(keys) - _NAMED_MAX} more"
            sentences.append(f"Keys {whose} stay active: {names}{more}.")
    return sentences


def _keys(
    request: Request,
    caller: Caller,
    *,
    form: NewKey | None = None,
    fault: StationmasterError | None = None,
    made: str = "",
    secret: Secret | None = None,
    secrets: str = "",
    many: tuple[str, str] = ("", ""),
) -> Response:
    services = services_of(request)
    sees_all = caller.role in menu.MANAGERS
    names = _holders(request, caller) if sees_all else {}
    found = reads.list_keys(services.db, caller.org_id, None if sees_all else caller.principal_id)
    only_managers = services.settings.restrict_api_key_creation_to_managers
    keys = [_row(names, key) for key in reversed(found)]
    return list_page(
        "api_keys.html",
        caller,
        request,
        PATH,
        [_table(request, keys)],
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        form=form or NewKey(role=caller.role),
        made=made,
        secret=None if secret is None else secret.reveal(),
        secrets=secrets,
        many=many,
        many_max=MANY_MAX,
        sees_all=sees_all,
        may_create=caller.role != "guest" and (sees_all or not only_managers),
        holders=[(MYSELF, "myself"), *_accounts(request, caller), *_others(request, caller)],
        roles=[(role, role) for role in ROLES[ROLES.index(caller.role) :]],
        scopes=[("ingest", "telemetry only"), ("full", "all that the role may do")],
        expiries=EXPIRIES,
        keys=keys,
    )


def _row(names: dict[str, str], key: ApiKey) -> dict[str, Any]:
    is_expired = key.expires_at is not None and key.expires_at <= clock.now_ms()
    state = "revoked" if key.revoked_at is not None else "expired" if is_expired else "active"
    holder = names.get(key.principal_id, key.principal_id)
    return {**msgspec.structs.asdict(key), "state": state, "holder": holder}


def _table(request: Request, keys: list[dict[str, Any]]) -> Table:
    times = ("Created (UTC)", "Last used (UTC)", "Expires (UTC)")
    heads = ("Name", "Begins with", "Holder", "Role", "Scope", "State", *times)
    rows = [
        (
            *(key["name"], key["hint"], key["holder"], key["role"] or "", key["scope"]),
            key["state"],
            *(moment(key[name]) for name in ("created_at", "last_used_at", "expires_at")),
        )
        for key in keys
    ]
    return listing("api-keys", "API keys", heads, rows, call_of(request, "/api/platform/v1/keys"))


def _holders(request: Request, caller: Caller) -> dict[str, str]:
    """Whose a key is, by identifier: addresses of people, former ones too, names of programs."""
    db = services_of(request).db
    accounts = reads.list_service_accounts(db, caller.org_id)
    people = service.emails(db, caller.org_id)
    return people | {account.service_account_id: account.name for account in accounts}


def _accounts(request: Request, caller: Caller) -> list[tuple[str, str]]:
    """The programs that the caller may make keys for."""
    if caller.role not in menu.MANAGERS:
        return []
    found = reads.list_service_accounts(services_of(request).db, caller.org_id)
    return [(each.service_account_id, each.name) for each in found if each.is_active]


def _others(request: Request, caller: Caller) -> list[tuple[str, str]]:
    """The people for whom the caller may make keys that send telemetry."""
    if caller.role not in menu.MANAGERS:
        return []
    members = reads.list_members(services_of(request).db, caller.org_id)
    return [
        (member.user_id, f"{member.email} (telemetry only)")
        for member in members[:PEOPLE_MAX]
        if member.status == "active" and member.user_id != caller.principal_id
    ]


def _addresses(text: str) -> list[str]:
    """The e-mail addresses of a text, one a line or apart by commas, each once."""
    addresses = list(dict.fromkeys(re.split(r"[\s,;]+", text.strip().lower())))
    if addresses == [""]:
        raise BadRequest("Give the e-mail addresses of members, one a line.", code="no_people")
    if len(addresses) > MANY_MAX:
        raise BadRequest(f"At most {MANY_MAX} people at once.", code="too_many_people")
    return addresses


def _members(request: Request, caller: Caller, addresses: list[str]) -> list[Member]:
    """The active members with these addresses. BadRequest names those of nobody."""
    members = reads.list_members(services_of(request).db, caller.org_id)
    known = {member.email: member for member in members if member.status == "active"}
    missing = [address for address in addresses if address not in known]
    if missing:
        more = "" if len(missing) <= _NAMED_MAX else f" and {len(missing) - _NAMED_MAX} more"
        raise BadRequest(
            f"Not active members: {', '.join(missing[:_NAMED_MAX])}{more}. No key was made.",
            code="unknown_people",
        )
    return [known[address] for address in addresses]


def _principal(request: Request, caller: Caller, holder: str) -> Principal:
    db = services_of(request).db
    if holder == MYSELF:
        return service.get_member(db, caller.org_id, UserId(caller.principal_id))
    require(caller, *menu.MANAGERS)
    if any(user_id == holder for user_id, _ in _others(request, caller)):
        return service.get_member(db, caller.org_id, UserId(holder))
    return service.get_service_account(db, caller.org_id, holder)


def _scope(text: str) -> Any:
    if text not in SCOPES:
        raise BadRequest(f"A scope is one of {', '.join(SCOPES)}.", code="invalid_scope")
    return text


def _expiry(text: str) -> int | None:
    """When a key ends that lasts a number of days; None for one that never does."""
    if text not in dict(EXPIRIES):
        raise BadRequest("Choose one of the offered times.", code="invalid_expiry")
    return clock.now_ms() + int(text) * days.MS_PER_DAY if text else None
