"""Agents use the tools through the protocol's own client, over HTTP and over standard streams."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from stationmaster.api.mcp.tools import TOOLS
from tests.support.builders import (
    a_caller,
    a_key,
    a_member,
    a_readiness_report,
    an_organization,
)
from tests.support.servers import Server, running_server, settings_for
from tests.wiki.wikis import a_run

REPO = "https://git.example.com/acme/engine"
PAGES = {
    "index.md": "# Engine\n\nIt moves trains.\n",
    "pump.md": "# Pump\n\n## Pressure\n\nThe pump holds it.\n",
}
ANSWERED: dict[str, tuple[dict[str, Any], str]] = {
    "list_repositories": ({}, '"repositories"'),
    "wiki_structure": ({"repository": REPO}, "- [Pump](pump.md): The pump holds it."),
    "wiki_page": ({"repository": REPO, "path": "pump"}, "## Pressure"),
    "wiki_search": ({"repository": REPO, "words": "pressure"}, '"path": "pump"'),
    "wiki_ask": ({"repository": REPO, "question": "Who holds pressure?"}, "The pump holds it."),
    "wiki_ask with an answer": (
        {"repository": REPO, "question": "Who holds pressure?", "answer": True},
        "The pump holds it.",
    ),
    "readiness": ({"repository": REPO}, '"levelName"'),
    "ci_findings": ({"repository": REPO}, '"findings": []'),
    "my_usage": ({"days": 7}, '"closedDays"'),
    "my_limits": ({}, '"budgets"'),
}
REFUSED = [
    ("wiki_page", {"repository": REPO, "path": "nothing"}, "There is no such file"),
    ("wiki_page", {"repository": "https://git.example.com/acme/other", "path": "a"}, "no_wiki"),
    ("wiki_search", {"repository": REPO}, "wiki_search needs words."),
    ("wiki_search", {"repository": REPO, "words": 7}, "bad_argument"),
    ("wiki_ask", {"repository": REPO, "question": "Who?", "answer": "yes"}, "bad_argument"),
    ("my_usage", {"days": True}, "bad_argument"),
    ("my_limits", {"more": "x"}, "bad_argument"),
    ("readiness", {"repository": "https://git.example.com/acme/other"}, "no_report"),
    ("ask_for_more", {"budgetId": "bud_unknown", "reason": "A release."}, "There is no such"),
    ("drop_tables", {}, "unknown_tool"),
]


class House(NamedTuple):
    server: Server
    key: str
    owner: str
    ingest_key: str
    stranger: str


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server with a wiki and a readiness report, a member's keys and another organization's."""
    with running_server(settings_for(tmp_path_factory.mktemp("mcp"), "sqlite://")) as server:
        db = server.services.db
        org, other = an_organization(db), an_organization(db, "Other")
        ada, eve = a_member(db, org), a_member(db, other, "eve@example.com")
        olga = a_member(db, org, "olga@example.com", "owner")
        key, stranger = a_key(db, org, ada), a_key(db, other, eve)
        a_run(db, a_caller(db, org, ada), PAGES, repo_url=REPO)
        with server.client(key) as client:
            report = client.post(
                "/api/organization/agent-readiness-reports", json=a_readiness_report(repoUrl=REPO)
            )
            assert report.is_success, report.text
        yield House(server, key, a_key(db, org, olga), a_key(db, org, ada, "ingest"), stranger)


@asynccontextmanager
async def over_http(house: House, key: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{house.server.url}/mcp", http_client=http)
        async with Client(transport) as client:
            yield client


@asynccontextmanager
async def over_streams(house: House, key: str) -> AsyncIterator[Client]:
    program = StdioServerParameters(
        command=sys.executable,
        args=["-m", "stationmaster", "mcp", "--url", house.server.url],
        env={**os.environ, "STATIONMASTER_KEY": key},
    )
    async with Client(program) as client:
        yield client


def call(house: House, name: str, arguments: dict[str, Any], key: str) -> tuple[str, bool]:
    """The text of a tool's answer, and whether it is an error."""

    async def asked() -> tuple[str, bool]:
        async with over_http(house, key) as client:
            result = await client.call_tool(name, arguments)
            return result.content[0].text, result.is_error  # type: ignore[union-attr]  # every answer here is a text

    return asyncio.run(asked())


@pytest.mark.parametrize("door", [over_http, over_streams], ids=["http", "streams"])
def test_the_tools_are_listed_and_only_one_of_them_changes_something(
    house: House, door: Any
) -> None:
    async def listed() -> dict[str, bool | None]:
        async with door(house, house.key) as client:
            tools = (await client.list_tools()).tools
            return {tool.name: tool.annotations.read_only_hint for tool in tools}

    hints = asyncio.run(listed())

    assert set(hints) == {tool.name for tool in TOOLS}
    assert [name for name, is_read_only in hints.items() if not is_read_only] == ["ask_for_more"]


@pytest.mark.parametrize("name", ANSWERED)
def test_a_tool_answers_what_the_api_answers(house: House, name: str) -> None:
    arguments, part = ANSWERED[name]

    text, is_error = call(house, name.partition(" ")[0], arguments, house.key)

    assert not is_error, text
    assert part in text


def test_every_tool_is_tried() -> None:
    assert {tool.name for tool in TOOLS} == {name.partition(" ")[0] for name in ANSWERED} | {
        "ask_for_more"
    }


@pytest.mark.parametrize(
    ("name", "arguments", "part"),
    REFUSED,
    ids=[f"{n}-{name}" for n, (name, *_) in enumerate(REFUSED)],
)
def test_what_cannot_be_answered_is_an_error_that_says_why(
    house: House, name: str, arguments: dict[str, Any], part: str
) -> None:
    text, is_error = call(house, name, arguments, house.key)

    assert is_error
    assert part in text


def test_more_of_a_budget_is_asked_for(house: House) -> None:
    with house.server.client(house.owner) as client:
        made = client.put(
            "/api/platform/v1/limits/budgets",
            json={"scope": "user:ada@example.com", "amount": "5", "currency": "usd"},
        )
        assert made.is_success, made.text

    text, is_error = call(
        house, "ask_for_more", {"budgetId": made.json()["id"], "reason": "A release."}, house.key
    )

    assert not is_error, text
    assert json.loads(text)["reason"] == "A release."


def test_nothing_of_another_organization_is_answered(house: House) -> None:
    text, is_error = call(house, "wiki_page", {"repository": REPO, "path": "pump"}, house.stranger)

    assert (is_error, "no_wiki" in text) == (True, True)


def test_a_key_that_may_only_ingest_reads_no_wiki(house: House) -> None:
    text, is_error = call(house, "wiki_structure", {"repository": REPO}, house.ingest_key)

    assert is_error
    assert "pump" not in text


def test_a_program_over_streams_has_the_same_answers(house: House) -> None:
    async def asked() -> str:
        async with over_streams(house, house.key) as client:
            result = await client.call_tool("wiki_page", {"repository": REPO, "path": "pump"})
            return str(result.content[0].text)  # type: ignore[union-attr]  # every answer here is a text

    assert "## Pressure" in asyncio.run(asked())


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPTS = {"Accept": "application/json, text/event-stream"}


@pytest.mark.parametrize("key", [None, "sm_wrong"], ids=["none", "wrong"])
def test_without_a_valid_key_nothing_is_answered(house: House, key: str | None) -> None:
    with house.server.client(key) as client:
        answer = client.post("/mcp", json=INITIALIZE, headers=ACCEPTS)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.json()["status"] == 401


def test_a_client_of_an_earlier_revision_is_answered_without_a_session(house: House) -> None:
    with house.server.client(house.key) as client:
        answer = client.post("/mcp", json=INITIALIZE, headers=ACCEPTS)

    assert answer.status_code == 200
    assert answer.json()["result"]["protocolVersion"] == "2025-06-18"
    assert "mcp-session-id" not in answer.headers


def test_pages_of_other_sites_are_refused(house: House) -> None:
    with house.server.client(house.key) as client:
        foreign = client.post(
            "/mcp", json=INITIALIZE, headers={**ACCEPTS, "Origin": "https://evil.example"}
        )
        own = client.post("/mcp", json=INITIALIZE, headers={**ACCEPTS, "Origin": house.server.url})

    assert (foreign.status_code, own.status_code) == (403, 200)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_other_methods_are_refused(house: House, method: str) -> None:
    with house.server.client(house.key) as client:
        answer = client.request(method, "/mcp")

    assert answer.status_code == 405
    assert "POST" in answer.headers["allow"]


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"jsonrpc":"2.0"}', b"x" * 300_000], ids=range(6)
)
def test_a_body_that_is_no_message_is_refused(house: House, body: bytes) -> None:
    with house.server.client(house.key) as client:
        answer = client.post(
            "/mcp", content=body, headers={**ACCEPTS, "Content-Type": "application/json"}
        )

    assert 400 <= answer.status_code < 500


def test_a_data_folder_is_served_without_a_server(tmp_path: Path) -> None:
    folder = str(tmp_path / "data")
    program = [sys.executable, "-m", "stationmaster"]
    subprocess.run(
        [*program, "init", "--data-dir", folder, "--org", "Acme", "--owner", "ada@example.com"],
        check=True,
        capture_output=True,
    )
    server = StdioServerParameters(
        command=sys.executable,
        args=[*program[1:], "mcp", "--data-dir", folder],
        env={**os.environ},
    )

    async def asked() -> str:
        async with Client(server) as client:
            result = await client.call_tool("list_repositories", {})
            return str(result.content[0].text)  # type: ignore[union-attr]  # every answer here is a text

    assert '"repositories": []' in asyncio.run(asked())
