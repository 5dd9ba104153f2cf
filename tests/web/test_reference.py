"""The API reference: every operation of the description, with what it takes and answers."""

from __future__ import annotations

import html
import re

from tests.web.conftest import Office


def test_every_operation_stands_on_the_page_of_its_part(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        described = visitor.get("/openapi.json").json()["paths"]
        first = visitor.get("/reference").text
        groups = set(re.findall(r'href="(/reference/[a-z-]+)"', first))
        pages = html.unescape("".join(visitor.get(group).text for group in groups))

    for path, operations in described.items():
        for method in operations:
            assert f"{method.upper()} {path}</code>" in pages


def test_a_part_shows_parameters_bodies_and_a_command(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        page = html.unescape(visitor.get("/reference/api-keys").text)
        unknown = visitor.get("/reference/nothing")

    assert "principalId" in page
    assert 'id="schema-NewKey"' in page
    assert f'curl -H "Authorization: Bearer $KEY" {office.server.url}/api/platform/v1/keys' in page
    assert unknown.status_code == 404
