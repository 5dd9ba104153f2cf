"""Requests about destinations of alerts and identity providers."""

from __future__ import annotations

from dataclasses import replace

from stationmaster import ids
from tests.conformance.asks.ask import Ask, asks
from tests.conformance.conftest import House
from tests.support.cast import Cast

_DESTINATIONS = "/api/platform/v1/alerts/destinations"


_HOOK = {"format": "webhook", "url": "https://192.88.98.1/hook"}


"""Of a public network that nobody uses, so nothing is looked up or reached."""


@asks(f"POST {_DESTINATIONS}")
def _new_destination(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"name": ids.new("hook"), **_HOOK})


@asks(
    f"GET {_DESTINATIONS}/{{destination_id}}",
    f"DELETE {_DESTINATIONS}/{{destination_id}}",
    f"POST {_DESTINATIONS}/{{destination_id}}/rotate",
    f"POST {_DESTINATIONS}/{{destination_id}}/test",
)
def _alert_destination(house: House, cast: Cast, _caller: str) -> Ask:
    owner = house.client("owner", cast)
    # An organization has a limited number of them.
    for other in owner.get(_DESTINATIONS).json()["destinations"]:
        owner.delete(f"{_DESTINATIONS}/{other['destinationId']}")
    made = owner.post(_DESTINATIONS, json={"name": ids.new("hook"), **_HOOK}).json()
    return Ask(path={"destination_id": made["destination"]["destinationId"]}, json={})


@asks(f"PATCH {_DESTINATIONS}/{{destination_id}}")
def _changed_destination(house: House, cast: Cast, caller: str) -> Ask:
    return replace(_alert_destination(house, cast, caller), json={"name": ids.new("hook")})


@asks(f"POST {_DESTINATIONS}/{{destination_id}}/replay")
def _replay_since(house: House, cast: Cast, caller: str) -> Ask:
    return replace(_alert_destination(house, cast, caller), json={"since": 0})


@asks("GET /api/platform/v1/alerts/deliveries/{delivery_id}")
@asks("POST /api/platform/v1/alerts/deliveries/{delivery_id}/replay")
def _alert_delivery(house: House, cast: Cast, caller: str) -> Ask:
    place = _alert_destination(house, cast, caller).path["destination_id"]
    made = house.client("owner", cast).post(f"{_DESTINATIONS}/{place}/test").json()
    return Ask(path={"delivery_id": made["deliveryId"]})


_PROVIDERS = "/api/platform/v1/identity-providers"


_PROVIDER = {"issuer": "https://192.88.98.1", "clientId": "c", "clientSecret": "s"}


"""At an address that nobody uses."""


@asks(f"POST {_PROVIDERS}")
def _new_provider(house: House, cast: Cast, _caller: str) -> Ask:
    owner = house.client("owner", cast)
    for other in owner.get(_PROVIDERS).json()["identityProviders"]:
        owner.delete(f"{_PROVIDERS}/{other['name']}")
    return Ask(json={"name": ids.new("p").replace("_", "-"), **_PROVIDER})


@asks(
    f"PATCH {_PROVIDERS}/{{name}}",
    f"DELETE {_PROVIDERS}/{{name}}",
    f"POST {_PROVIDERS}/{{name}}/test",
)
def _identity_provider(house: House, cast: Cast, caller: str) -> Ask:
    new = _new_provider(house, cast, caller).json
    house.client("owner", cast).post(_PROVIDERS, json=new).raise_for_status()
    return Ask({"name": new["name"]}, json={"allowedDomains": ["a.example"]})
