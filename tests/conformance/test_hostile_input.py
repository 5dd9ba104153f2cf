"""Every operation, with each of its inputs replaced by what no honest client sends.

The requests of the matrix, one input at a time, on each database: nothing may be a fault of ours,
and whatever is answered is as described.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.conformance.asks import ASKS, Ask, asked, send
from tests.conformance.conftest import House
from tests.conformance.matrix import Row, rows
from tests.support.described import contract

pytestmark = [pytest.mark.attack, pytest.mark.slow]

DESCRIBED = contract()
STORED: tuple[Any, ...] = (
    0, -1, 2**63, 1e308, "a\0b", "\ud800", "\U0001f600", "'; DROP TABLE members; --", "x" * 100_000,
)  # fmt: skip
"""Values that databases take differently: each of them gets all."""
SHAPES: tuple[Any, ...] = (
    None, True, "", " ", "\u202e", "../..", "{{7*7}}", [], {}, ["x"], {"x": "y"},
)  # fmt: skip
"""What is judged before any database is asked: one of them is enough."""
QUERY_MAX = 9_000
"""Characters of a value in a query: above what indexes hold, and what clients parse in no time."""
APART = {"POST /api/v0/wiki", "POST /api/platform/v1/rates/import"}
"""Operations that start a process for each request, which asks no database: on SQLite one value."""
SEGMENTS = ("%00", "%ED%A0%80", "%F0%9F%98%80", "..%2F..", "%2F", "%25", "a%0D%0Ab", "x" * 5000)
WITH_BODY = [
    row
    for row in rows()
    if "requestBody" in DESCRIBED[row.path][row.method].definition.raw and row.operation in ASKS
]
WITH_NAMES = [row for row in rows() if "{" in row.path]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value in a body, that of the body itself last."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))
    yield path


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    if not path:
        return by
    found = copy.deepcopy(value)
    place = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = by
    return found


class Checker:
    """Checks answers of one operation; one that came before is not held against the description
    again, which costs more than the request where it is long."""

    def __init__(self, row: Row) -> None:
        self._row = row
        self._valid: set[tuple[int, str | None, bytes]] = set()

    def check(self, answer: httpx.Response, tried: object) -> None:
        assert answer.status_code < 500 or answer.status_code == 501, (tried, answer.text)
        told = (answer.status_code, answer.headers.get("content-type"), answer.content)
        if told not in self._valid:
            DESCRIBED[self._row.path][self._row.method].validate_response(answer)
            self._valid.add(told)


def hostile(house: House, row: Row) -> tuple[Any, ...]:
    """What is tried on the database of a house."""
    if house.server.services.db.dialect == "postgresql":
        return STORED + SHAPES
    return STORED[:1] if row.operation in APART else STORED


def sent(house: House, row: Row, ask: Ask, body: Any) -> httpx.Response:
    """As text: a client's encoder would refuse half a surrogate pair."""
    content = json.dumps(body).encode()
    plain = Ask(path=ask.path, params=ask.params, content=content, media="application/json")
    return send(house, row, plain, "owner")


@pytest.mark.parametrize("row", WITH_BODY, ids=lambda row: row.operation)
def test_no_value_in_a_body_is_a_fault_of_ours(house: House, row: Row) -> None:
    ask, checker = asked(house, row, "owner"), Checker(row)
    for path in leaves(ask.json):
        for value in hostile(house, row):
            checker.check(sent(house, row, ask, replaced(ask.json, path, value)), (path, value))


@pytest.mark.parametrize("row", WITH_BODY, ids=lambda row: row.operation)
def test_a_member_that_nobody_described_is_refused(one_house: House, row: Row) -> None:
    ask = asked(one_house, row, "owner")
    if not isinstance(ask.json, dict):
        return
    for path in [path for path in leaves(ask.json) if path == () or isinstance(path[-1], int)]:
        inside = ask.json
        for key in path:
            inside = inside[key]
        if isinstance(inside, dict):
            body = replaced(ask.json, path, {**inside, "nobodys": 1})
            assert sent(one_house, row, ask, body).status_code == 400


@pytest.mark.parametrize("row", WITH_BODY, ids=lambda row: row.operation)
@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"{", b"[" * 50_000, b"\0"], ids=lambda content: repr(content[:9])
)
def test_what_is_no_json_is_400(one_house: House, row: Row, content: bytes) -> None:
    ask = asked(one_house, row, "owner")
    if ask.json is None:
        return
    plain = Ask(path=ask.path, params=ask.params, content=content, media="application/json")
    answer = send(one_house, row, plain, "owner")

    assert answer.status_code == 400
    if content:
        assert answer.json()["metadata"]["code"] == "malformed_body"


@pytest.mark.parametrize("row", WITH_NAMES, ids=lambda row: row.operation)
def test_no_text_in_an_address_is_a_fault_of_ours(house: House, row: Row) -> None:
    ask = asked(house, row, "owner")
    for name in re.findall(r"{(\w+)}", row.path):
        for segment in SEGMENTS:
            strange = Ask(path={**ask.path, name: segment}, params=ask.params, json=ask.json)
            answer = send(house, row, strange, "owner")
            is_harmless = row.elsewhere.get("unknown") in (200, 204)
            assert 300 <= answer.status_code < 500 or is_harmless, (segment, answer.text)
            assert answer.status_code < 500, (segment, answer.text)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.operation)
def test_no_text_in_a_query_is_a_fault_of_ours(house: House, row: Row) -> None:
    described = DESCRIBED[row.path][row.method].definition.raw
    names = [each["name"] for each in described.get("parameters", ()) if each["in"] == "query"]
    if not names:
        return
    ask, checker = asked(house, row, "owner"), Checker(row)
    for name in names:
        for value in hostile(house, row):
            text = value if isinstance(value, str) else json.dumps(value)
            query = {**ask.params, name: text[:QUERY_MAX]}
            raw = "&".join(
                f"{key}={quote(given, safe='', errors='surrogatepass')}"
                for key, given in query.items()
            )
            asking = row._replace(path=f"{row.path}?{raw}")
            plain = Ask(path=ask.path, json=ask.json, content=ask.content, media=ask.media)
            checker.check(send(house, asking, plain, "owner"), (name, value))
