"""Requests about people, settings of an organization, accounts and keys."""

from __future__ import annotations

from stationmaster import ids
from stationmaster.access import service
from stationmaster.people import erasure, service as people
from tests.conformance.asks.ask import Ask, asks
from tests.conformance.asks.computers import _maker
from tests.conformance.conftest import House
from tests.support.builders import a_service_account
from tests.support.cast import Cast


@asks("POST /api/platform/v1/members")
def _invite(_house: House, _cast: Cast, caller: str) -> Ask:
    return Ask(json={"email": f"asked-by-{caller}@example.com", "role": "guest"})


@asks(
    "GET /api/platform/v1/members/{user_id}",
    "PATCH /api/platform/v1/members/{user_id}",
    "DELETE /api/platform/v1/members/{user_id}",
    "POST /api/platform/v1/members/{user_id}/link",
)
def _member(_house: House, cast: Cast, _caller: str) -> Ask:
    member = service.add_member(cast.db, cast.org, f"{ids.new('a')}@{cast.mark}.example", "guest")
    return Ask(path={"user_id": member.user_id}, json={"role": "member"})


def _a_former_member(cast: Cast) -> str:
    member = service.add_member(cast.db, cast.org, f"{ids.new('a')}@{cast.mark}.example", "guest")
    service.remove_member(cast.db, cast.org, member.user_id)
    return member.user_id


@asks("GET /api/platform/v1/people/{user_id}", "POST /api/platform/v1/people/{user_id}/merge")
def _person(_house: House, cast: Cast, _caller: str) -> Ask:
    into = cast.people["member"].email
    return Ask(path={"user_id": _a_former_member(cast)}, json={"into": into})


@asks("POST /api/platform/v1/erasures")
def _erase(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(json={"person": _a_former_member(cast), "reports": "anonymise"})


@asks("GET /api/platform/v1/person-export")
def _export(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(params={"person": _a_former_member(cast)})


@asks("GET /api/platform/v1/erasures/{erasure_id}")
def _erasure(_house: House, cast: Cast, _caller: str) -> Ask:
    owner = _maker(cast, "owner")
    asked = erasure.request(cast.db, cast.org, _a_former_member(cast), "restate", by=owner)
    return Ask(path={"erasure_id": asked.erasure_id})


@asks("PUT /api/platform/v1/privacy")
def _privacy(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"mode": "named", "minimum": 6})


@asks("PUT /api/platform/v1/time-zone")
def _time_zone(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"timeZone": "Asia/Tokyo"})


@asks("PUT /api/platform/v1/retention")
def _retention(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"days": 90})


@asks("POST /api/platform/v1/people/{user_id}/unmerge")
def _alias(_house: House, cast: Cast, _caller: str) -> Ask:
    merged, into = _a_former_member(cast), cast.people["member"]
    people.merge(cast.db, cast.org, merged, into.email, by=_maker(cast, "owner"))
    return Ask(path={"user_id": merged})


@asks("POST /api/platform/v1/service-accounts")
def _new_account(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"name": ids.new("a"), "role": "guest"})


@asks(
    "GET /api/platform/v1/service-accounts/{service_account_id}",
    "PATCH /api/platform/v1/service-accounts/{service_account_id}",
    "DELETE /api/platform/v1/service-accounts/{service_account_id}",
)
def _account(_house: House, cast: Cast, _caller: str) -> Ask:
    account = a_service_account(cast.db, cast.org, f"{cast.mark}-{ids.new('a')}")
    return Ask(path={"service_account_id": account.service_account_id}, json={"isActive": False})


@asks("POST /api/platform/v1/keys")
def _new_key(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"name": "laptop", "scope": "full"})


@asks("GET /api/platform/v1/keys/{key_id}", "DELETE /api/platform/v1/keys/{key_id}")
def _key(_house: House, cast: Cast, caller: str) -> Ask:
    """The caller's own, or of the cast's member where a caller has none."""
    holder = cast.program if caller == "svc" else cast.people.get(caller, cast.people["member"])
    key, _ = service.create_key(cast.db, cast.org, holder, name="asked about")
    return Ask(path={"key_id": key.key_id})


@asks("POST /api/platform/v1/keys/{key_id}/revoke")
def _key_and_its_makes(house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path=_key(house, cast, caller).path, json={"includeMade": True})
