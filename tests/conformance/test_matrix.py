"""Every operation, asked by every kind of caller, about what is ours, another's and nobody's."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.conformance.asks import ASKS, Ask, asked, send
from tests.conformance.conftest import House
from tests.conformance.matrix import Row, rows
from tests.spec import day
from tests.support.builders import an_event
from tests.support.cast import CALLERS
from tests.support.described import contract

pytestmark = pytest.mark.attack

DESCRIBED = contract()
ROWS = rows()
NAMING = [row for row in ROWS if row.elsewhere]
ALLOWED_MEMBERS = {"detail", "status", "title", "metadata"}
each_caller = pytest.mark.parametrize("caller", CALLERS)


@pytest.fixture(scope="module", autouse=True)
def _data_of_both(_one_house: House) -> None:
    """Something for every report, with each organization's mark in it."""
    for cast in (_one_house.ours, _one_house.theirs):
        mark = cast.mark
        event = an_event(
            kind="tool_call",
            tool=f"{mark}-tool",
            tool_kind="mcp",
            mcp_server=f"{mark}-server",
            user_email=f"somebody@{mark}.example",
        )
        day.send(_one_house.client("svc", cast), [event])


def check_answer(house: House, row: Row, answer: httpx.Response) -> None:
    """What holds for every answer, whoever asks for what: it is as described, among the rest."""
    DESCRIBED[row.path][row.method].validate_response(answer)
    described = DESCRIBED.raw_schema["paths"][row.path][row.method.lower()]["responses"]
    assert str(answer.status_code) in described
    assert answer.headers["x-request-id"].startswith("req_")
    theirs = house.theirs
    for marked in (theirs.mark, theirs.org, *theirs.ids()):
        assert marked.encode() not in answer.content, marked
    if answer.status_code >= 400 and row.path.startswith("/api/"):
        members = set(answer.json())
        is_analytics = row.path.startswith("/api/v1/analytics/")
        assert members == ALLOWED_MEMBERS | ({"requestId"} if is_analytics else set())


def test_every_operation_has_a_row_and_every_row_an_operation(one_house: House) -> None:
    described = one_house.client("none").get("/openapi.json").json()["paths"]
    operations = {
        f"{method.upper()} {path}" for path, methods in described.items() for method in methods
    }

    assert sorted(row.operation for row in ROWS) == sorted(operations)
    assert set(ASKS) <= operations


@each_caller
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.operation)
def test_who_may_do_what_in_their_own_organization(one_house: House, row: Row, caller: str) -> None:
    answer = send(one_house, row, asked(one_house, row, caller), caller)

    assert answer.status_code == row.status[caller], answer.text
    check_answer(one_house, row, answer)


@each_caller
@pytest.mark.parametrize("row", NAMING, ids=lambda row: row.operation)
def test_what_is_another_organizations_cannot_be_told_from_what_does_not_exist(
    one_house: House, row: Row, caller: str
) -> None:
    theirs = asked(one_house, row, caller, of="theirs")
    nobodys = theirs.of_nothing()
    foreign = send(one_house, row, theirs, caller)
    unknown = send(one_house, row, nobodys, caller)

    may = row.status[caller] not in (401, 403)
    assert foreign.status_code == (row.elsewhere["foreign"] if may else row.status[caller])
    assert unknown.status_code == (row.elsewhere["unknown"] if may else row.status[caller])
    DESCRIBED[row.path][row.method].validate_response(foreign)
    assert list(_told(foreign, theirs)) == list(_told(unknown, nobodys))


def _told(answer: httpx.Response, ask: Ask) -> Iterator[object]:
    """Everything of an answer that may not differ: status, body and header fields."""
    yield answer.status_code
    yield answer.text.replace(ask.name(), "NAME")
    own = {"x-request-id", "date", "content-length"}
    yield {name: value for name, value in answer.headers.items() if name not in own}


@pytest.mark.parametrize("row", [r for r in ROWS if r.method == "GET"], ids=lambda r: r.path)
def test_head_answers_like_get_without_a_body(one_house: House, row: Row) -> None:
    ask = asked(one_house, row, "owner")
    get = send(one_house, row, ask, "owner")
    head = send(one_house, row._replace(method="HEAD"), ask, "owner")

    assert (head.status_code, head.content) == (get.status_code, b"")
    # How a body of any length is sent says nothing about an answer without one.
    own = {"x-request-id", "date", "connection", "transfer-encoding"}
    if row.path == "/metrics":
        # The second look counts the first.
        own.add("content-length")
    for name in get.headers.keys() - own:
        assert head.headers[name] == get.headers[name], name
