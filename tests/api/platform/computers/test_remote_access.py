"""The switches of remote access: off means off, for whom and by whom the table says."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from stationmaster import clock
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for

PATH = "/api/platform/v1/remote-access"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    clock.freeze(None)
    with running_server(settings_for(tmp_path_factory.mktemp("reach"), "sqlite")) as running:
        yield running


_numbers = iter(range(1000))


@pytest.fixture
def cast(server: Server) -> Cast:
    return Cast(server.services.db, f"reach{next(_numbers)}")


def client(server: Server, cast: Cast, caller: str) -> httpx.Client:
    return server.client(str(cast.keys[caller]))


def switched(http: httpx.Client, of: str, is_on: bool) -> int:
    return http.put(PATH, json={"of": of, "isOn": is_on}).status_code


def refusals(http: httpx.Client) -> set[tuple[int, str]]:
    """What a person who owns a computer is answered who wants to reach it."""
    name = f"pc{next(_numbers)}"
    made = http.post("/api/v0/computers", json={"name": name, "remoteUser": "dev"}).json()
    sessions = f"/api/platform/v1/computers/{made['id']}/sessions"
    key = {"publicKey": f"ssh-ed25519 {'A' * 68}"}
    answers = [
        http.post(sessions, json={"agent": "codex"}),
        http.post(f"/api/v0/computers/{made['id']}/ssh-grants", json=key),
        http.get(
            f"/relay/v1/computers/{made['id']}/connect",
            headers={
                "Connection": "Upgrade",
                "Upgrade": "websocket",
                "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==",
                "Sec-WebSocket-Protocol": "stationmaster.relay.v1",
            },
        ),
    ]
    assert http.get(f"/api/v0/computers/{made['id']}").status_code == 200
    return {(each.status_code, each.json()["metadata"]["code"]) for each in answers}


@pytest.mark.parametrize(
    ("by", "of"), [("owner", "organization"), ("manager", "member"), ("member", "me")]
)
def test_what_is_switched_off_is_refused_until_it_is_on_again(
    server: Server, cast: Cast, by: str, of: str
) -> None:
    who = cast.people[of].user_id if of == "member" else of
    with client(server, cast, by) as switcher, client(server, cast, "member") as member:
        assert refusals(member) == {(503, "offline"), (409, "offline")}
        assert switched(switcher, who, False) == 200
        assert refusals(member) == {(403, "remote_access_off")}
        assert switched(switcher, who, True) == 200
        assert refusals(member) == {(503, "offline"), (409, "offline")}


def test_who_may_switch_what(server: Server, cast: Cast) -> None:
    member = cast.people["member"].user_id
    with (
        client(server, cast, "owner") as owner,
        client(server, cast, "manager") as manager,
        client(server, cast, "member") as person,
    ):
        assert switched(manager, "organization", False) == 403
        assert switched(person, cast.people["owner"].user_id, False) == 403
        assert switched(owner, "nobody@example.com", False) == 404
        assert switched(manager, member, False) == 200
        assert switched(person, "me", True) == 403
        assert person.get(PATH).json() == {"organization": True, "own": False, "othersOff": []}
        assert owner.get(PATH).json()["othersOff"] == [member]
        assert switched(owner, member, True) == 200
        assert person.get(PATH).json()["own"]
