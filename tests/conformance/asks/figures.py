"""Requests for reports, prices and telemetry."""

from __future__ import annotations

import secrets
import zlib

from stationmaster import clock
from stationmaster.pricing import store as prices_store
from stationmaster.pricing.credits import genai
from stationmaster.pricing.credits.card import encode
from stationmaster.report_names import INSIGHTS
from tests.conformance.asks.ask import _DAY, Ask, asks
from tests.conformance.conftest import House
from tests.support.cast import Cast


@asks(
    "GET /api/v1/analytics/tokens",
    "GET /api/v1/analytics/tools",
    "GET /api/v1/analytics/activity",
    "GET /api/v1/analytics/productivity",
    "GET /api/v1/analytics/users",
    *(f"GET /api/platform/v1/analytics/{report}" for report in INSIGHTS),
    "GET /api/platform/v1/costs",
    "GET /api/platform/v1/me/usage",
)
def _analytics(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(params=_DAY)


@asks("POST /api/platform/v1/costs/what-if")
def _what_if(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={**_DAY, "card": "families = []"})


_PRICES = b'{"m-1": {"litellm_provider": "openai", "input_cost_per_token": 1e-6}}'


@asks("POST /api/platform/v1/rates/import")
def _price_list(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(content=_PRICES, media="application/octet-stream")


@asks("DELETE /api/platform/v1/rates/{origin}")
def _imported_price_list(house: House, cast: Cast, _caller: str) -> Ask:
    prices = genai.read({"id": "x", "models": []}, clock.today())
    stored = prices_store.StoredList(prices.origin, clock.now_ms(), secrets.token_hex(8))
    with cast.db.transaction() as connection:
        for each in (house.ours, house.theirs):
            # Both organizations call an origin by the same name.
            prices_store.remove_list(connection, each.org, prices.origin)
        packed = zlib.compress(encode(prices))
        prices_store.put_list(connection, cast.org, stored, packed)
    return Ask({"origin": prices.origin})


@asks("POST /v1/metrics", "POST /v1/logs", "POST /v1/traces")
def _otlp(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(content=b"{}", media="application/json")


@asks("POST /")
def _otlp_by_content(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(content=b'{"resourceLogs": []}', media="application/json")


@asks("POST /api/platform/v1/events")
def _events(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json=[])
