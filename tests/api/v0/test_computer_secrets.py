"""Secrets for computers over HTTP: names out, values in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from stationmaster.access.vault import Vault
from stationmaster.computers import secrets
from tests.support.cast import Cast
from tests.support.servers import Server

SECRETS = "/api/v0/organization/computer-secrets"


@pytest.fixture
def manager(served: Server, cast: Cast) -> Iterator[httpx.Client]:
    with served.client(cast.keys["manager"]) as client:
        yield client


def put(client: httpx.Client, *pairs: tuple[str, str], delete: tuple[str, ...] = ()) -> Any:
    upsert = [{"key": key, "value": value} for key, value in pairs]
    return client.patch(SECRETS, json={"upsert": upsert, "delete": list(delete)})


def test_secrets_are_set_replaced_and_deleted(manager: httpx.Client) -> None:
    assert manager.get(SECRETS).json() == {"secrets": []}

    assert put(manager, ("B", "x"), ("A", "y")).json() == {"secrets": [{"key": "A"}, {"key": "B"}]}
    left = {"secrets": [{"key": "A"}, {"key": "C"}]}
    assert put(manager, ("A", "z"), ("C", "z"), delete=("B",)).json() == left

    assert manager.get(SECRETS).json() == left


def test_a_value_is_told_nowhere_and_opens_for_the_installation(
    served: Server, cast: Cast, manager: httpx.Client
) -> None:
    answers = [put(manager, ("TOKEN", "hunter2")), put(manager, ("bad", "hunter2"))]

    assert [answer.status_code for answer in answers] == [200, 400]
    for answer in (*answers, manager.get(SECRETS)):
        assert "hunter2" not in answer.text
    [(sealed,)] = cast.db.rows("SELECT sealed FROM computer_secrets WHERE org_id = ?", cast.org)
    vault: Vault = served.services.vault
    assert vault.unseal(bytes(sealed), secrets.purpose(cast.org, "TOKEN")).reveal() == "hunter2"


@pytest.mark.parametrize(
    "body",
    [
        {"upsert": [{"key": "A", "value": "x"}, {"key": "A", "value": "y"}]},
        {"upsert": [{"key": "A", "value": "x"}], "delete": ["A"]},
        {"upsert": [{"key": "a", "value": "x"}]},
        {"upsert": [{"key": "A", "value": ""}]},
        {"upsert": [{"key": "A", "value": "x" * 32_769}]},
        {"upsert": [{"key": "A", "value": "x\0"}]},
        {"upsert": [{"key": "A", "value": 7}]},
        {"upsert": [{"key": "A"}]},
        {"upsert": [{"key": f"A{n}", "value": "x"} for n in range(101)]},
        {"delete": [f"A{n}" for n in range(101)]},
        {"remove": ["A"]},
        [],
    ],
)
def test_what_does_not_fit_is_400_and_changes_nothing(manager: httpx.Client, body: Any) -> None:
    assert manager.patch(SECRETS, json=body).status_code == 400
    assert manager.get(SECRETS).json() == {"secrets": []}


def test_only_those_who_manage_may_know_the_names(served: Server, cast: Cast) -> None:
    for kind in ("member", "guest", "svc"):
        with served.client(cast.keys[kind]) as client:
            assert client.get(SECRETS).status_code == 403
            assert put(client, ("A", "x")).status_code == 403
