"""An uploaded wiki, and who sends it."""

from __future__ import annotations

from typing import Any

import httpx

from stationmaster.ids import OrgId
from tests.support.builders import a_key, a_member
from tests.support.servers import Server
from tests.wiki.wikis import REPO

WIKI = "/api/v0/wiki"


ZIP = {"Content-Type": "application/zip"}


PAGES = [
    {"path": "index.md", "content": "# Engine\n\nHow the engine works.\n"},
    {"path": "parts/index.md", "content": "# Parts\n", "order": 7},
    {"path": "parts/pump.md", "content": "# Pump\n\nIt holds the pressure.\n"},
    {"path": "guides/start", "content": "Turn the key.\n", "title": "Start"},
]


def a_client(server: Server, org: OrgId, name: str, role: Any = "member") -> httpx.Client:
    db = server.services.db
    return server.client(a_key(db, org, a_member(db, org, f"{name}@example.com", role)))


def uploaded(client: httpx.Client, **members: Any) -> dict[str, Any]:
    answer = client.post(WIKI, json={"repoUrl": REPO, "pages": PAGES, **members})
    assert answer.status_code == 201, answer.text
    run: dict[str, Any] = answer.json()
    return run


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["metadata"]["code"]
