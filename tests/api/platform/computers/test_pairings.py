"""Pairing a machine by a short code, through the API."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from stationmaster import clock, ids
from stationmaster.access.signing_in.buckets import Buckets
from stationmaster.computers import pairings
from stationmaster.db.engine import Database
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for

PATH = "/api/platform/v1/pairings"


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    clock.freeze(None)
    with running_server(settings_for(tmp_path_factory.mktemp("pairings"), "sqlite")) as running:
        yield running


@pytest.fixture
def cast(server: Server) -> Cast:
    return Cast(server.services.db, "acme")


@pytest.fixture
def machine(server: Server) -> Iterator[httpx.Client]:
    """Without a credential."""
    with server.client() as client:
        yield client


@pytest.fixture
def person(server: Server, cast: Cast) -> Iterator[httpx.Client]:
    with server.client(str(cast.keys["member"])) as client:
        yield client


def begun(machine: httpx.Client, **members: str) -> dict[str, str]:
    about = {"name": "build", "remoteUser": "dev", "hostname": "build.local"}
    answer = machine.post(PATH, json=about | {"hostId": ids.new_uuid()} | members)
    assert answer.status_code == 201, answer.text
    body: dict[str, str] = answer.json()
    return body


def code_of(answer: httpx.Response) -> str:
    return str(answer.json()["metadata"]["code"])


def test_an_approved_machine_is_a_computer_whose_credential_opens_it(
    server: Server, machine: httpx.Client, person: httpx.Client
) -> None:
    asked = begun(machine)
    credential = {"credential": asked["credential"]}
    assert machine.post(f"{PATH}/claim", json=credential).json()["computerId"] is None
    typed = {"code": asked["code"].lower().replace("-", " ")}
    seen = person.post(f"{PATH}/look-up", json=typed).json()
    assert (seen["hostname"], seen["remoteUser"]) == ("build.local", "dev")
    made = person.post(f"{PATH}/approve", json=typed)

    assert made.status_code == 201, made.text
    claimed = machine.post(f"{PATH}/claim", json=credential).json()
    assert claimed == made.json()
    computer = person.get(f"/api/v0/computers/{claimed['computerId']}").json()
    assert computer["name"] == "build"
    history = person.get(f"/api/platform/v1/computers/{claimed['computerId']}/history").json()
    assert [each["cause"] for each in history["changes"]] == ["paired"]
    assert code_of(person.post(f"{PATH}/approve", json=typed)) == "unknown_code"
    person.delete(f"/api/v0/computers/{claimed['computerId']}")
    gone = machine.post(f"{PATH}/claim", json=credential)
    assert (gone.status_code, code_of(gone)) == (410, "pairing_expired")


def test_a_claim_during_the_approval_waits_for_the_next_one(
    machine: httpx.Client, person: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = begun(machine)
    credential, typed = {"credential": asked["credential"]}, {"code": asked["code"]}
    approvals: list[int] = []
    rows = Database.rows

    def approved_after(db: Database, statement: Any, *values: Any) -> Any:
        before = rows(db, statement, *values)
        if statement == pairings._CLAIMED and not approvals:
            approvals.append(0)
            approvals[0] = person.post(f"{PATH}/approve", json=typed).status_code
        return before

    monkeypatch.setattr(Database, "rows", approved_after)
    during = machine.post(f"{PATH}/claim", json=credential)
    after = machine.post(f"{PATH}/claim", json=credential)

    assert approvals == [201]
    assert (during.status_code, during.json()["computerId"]) == (200, None)
    assert after.json()["name"] == "build"


def test_a_code_stays_good_when_its_name_is_taken(
    machine: httpx.Client, person: httpx.Client
) -> None:
    first, second = begun(machine), begun(machine)
    person.post(f"{PATH}/approve", json={"code": first["code"]})
    taken = person.post(f"{PATH}/approve", json={"code": second["code"]})
    renamed = person.post(f"{PATH}/approve", json={"code": second["code"], "name": "other"})

    assert (taken.status_code, code_of(taken)) == (409, "name_taken")
    assert (renamed.status_code, renamed.json()["name"]) == (201, "other")


def test_a_code_is_good_for_ten_minutes(machine: httpx.Client, person: httpx.Client) -> None:
    asked = begun(machine)
    now = datetime.fromtimestamp(clock.now_ms() / 1000, UTC)
    clock.freeze(now + timedelta(milliseconds=pairings.LIFE_MS + 1000))
    try:
        late = person.post(f"{PATH}/approve", json={"code": asked["code"]})
        claim = machine.post(f"{PATH}/claim", json={"credential": asked["credential"]})
    finally:
        clock.freeze(None)

    assert (late.status_code, claim.status_code) == (404, 410)


def test_guessing_codes_and_asking_for_them_is_limited(
    machine: httpx.Client, person: httpx.Client
) -> None:
    guesses = [
        person.post(f"{PATH}/look-up", json={"code": f"BBBB-BBB{letter}"}).status_code
        for letter in pairings.ALPHABET[: pairings.TRIES + 1]
    ]
    assert guesses == [404] * pairings.TRIES + [429]
    asked = begun(machine)
    assert person.post(f"{PATH}/approve", json={"code": asked["code"]}).status_code == 429
    about = {"name": "build", "remoteUser": "dev", "hostId": ids.new_uuid()}
    begins = [machine.post(PATH, json=about).status_code for _ in range(pairings.BEGINS)]
    assert set(begins[: pairings.BEGINS - 1]) == {201}
    assert begins[-1] == 429


def test_what_a_machine_waits_with_opens_nothing(server: Server, machine: httpx.Client) -> None:
    asked = begun(machine)
    with server.client(asked["credential"]) as client:
        assert client.get("/api/v0/computers").status_code == 401
        assert client.get("/api/platform/v1/me").status_code == 401


def test_buckets_are_shared_by_all_processes(server: Server) -> None:
    assert {type(bucket) for bucket in server.services.pairings.buckets} == {Buckets}
