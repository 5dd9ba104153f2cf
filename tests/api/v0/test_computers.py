"""Computers over HTTP: the specified look-up by name, and everything that leads to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster.access.authenticate import authenticate
from stationmaster.access.model import Caller
from stationmaster.computers.model import CopySource, SetupStep, Template
from tests.computers.rows import HOST, a_managed_computer
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for

COMPUTERS = "/api/v0/computers"
NEW = {"name": "build", "remoteUser": "dev"}
STEPS = (
    SetupStep("create-computer", "Creating computer", "completed", started_at=1, completed_at=2),
    SetupStep("setup-user", "Setting up user", "failed", error="No such shell.", started_at=3),
    SetupStep("start-services", "Starting services", "pending"),
)


@pytest.fixture
def client(served: Server, cast: Cast) -> Iterator[httpx.Client]:
    """A member's."""
    with served.client(cast.keys["member"]) as client:
        yield client


@pytest.fixture
def manager(served: Server, cast: Cast) -> Iterator[httpx.Client]:
    with served.client(cast.keys["manager"]) as client:
        yield client


def caller(cast: Cast, kind: str = "member") -> Caller:
    return authenticate(cast.db, cast.keys[kind] or "")


def registered(client: httpx.Client, **fields: Any) -> dict[str, Any]:
    answer = client.post(COMPUTERS, json={**NEW, **fields})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def refusal(answer: httpx.Response) -> tuple[int, str]:
    assert set(answer.json()) == {"detail", "status", "title", "metadata"}
    return answer.status_code, answer.json()["metadata"]["code"]


class TestByName:
    def test_a_computer_has_the_specified_members(
        self, served: Server, cast: Cast, client: httpx.Client
    ) -> None:
        made = registered(
            client, hostId=HOST, hostname="build.local", clonedRepoDirectories=["/src/app"]
        )

        found = client.get(f"{COMPUTERS}/name/build").json()

        relay = f"ws://127.0.0.1:8700/relay/v1/computers/{made['id']}"
        assert found == {
            "id": made["id"],
            "name": "build",
            "providerType": "byom",
            "status": "active",
            "createdAt": made["createdAt"],
            "hostId": HOST,
            "hostname": "build.local",
            "remoteUser": "dev",
            "relayClientUrl": f"{relay}/connect",
            "relayAgentUrl": f"{relay}/listen",
            "clonedRepoDirectories": ["/src/app"],
            "ownerPrincipalKind": "human",
            "ownerId": cast.people["member"].user_id,
        }

    @pytest.mark.parametrize("name", ["", "a" * 64, "%61" * 64])
    def test_a_name_that_is_empty_or_over_63_is_400(self, client: httpx.Client, name: str) -> None:
        assert refusal(client.get(f"{COMPUTERS}/name/{name}")) == (400, "bad_request")

    @pytest.mark.parametrize(
        "name",
        ["nothing", "a" * 63, "Build", "BUILD", "b%00", "build%2F", "a/b", "%F0%9F", "-", "ab--c"],
    )  # fmt: skip
    def test_any_other_name_that_is_not_exactly_a_computers_is_404(
        self, client: httpx.Client, name: str
    ) -> None:
        registered(client)

        assert refusal(client.get(f"{COMPUTERS}/name/{name}")) == (404, "not_found")

    def test_somebody_elses_cannot_be_told_from_none(
        self, client: httpx.Client, manager: httpx.Client
    ) -> None:
        registered(client)

        theirs, none = (manager.get(f"{COMPUTERS}/name/{name}") for name in ("build", "other"))

        assert (theirs.status_code, theirs.text) == (none.status_code, none.text)
        assert theirs.status_code == 404

    def test_two_candidates_are_409_with_their_ids(
        self, served: Server, cast: Cast, manager: httpx.Client
    ) -> None:
        ids = set()
        for kind in ("svc", "svc-mgr"):
            with served.client(cast.keys[kind]) as program:
                ids.add(registered(program)["id"])

        several = manager.get(f"{COMPUTERS}/name/build")
        own = registered(manager)

        assert refusal(several) == (409, "several_computers")
        assert set(several.json()["metadata"]["ids"]) == ids
        assert manager.get(f"{COMPUTERS}/name/build").json()["id"] == own["id"]

    def test_a_guest_is_403(self, served: Server, cast: Cast) -> None:
        with served.client(cast.keys["guest"]) as guest:
            assert refusal(guest.get(f"{COMPUTERS}/name/build")) == (403, "insufficient_role")


class TestSteps:
    def test_are_told_while_a_computer_is_not_active(
        self, cast: Cast, client: httpx.Client
    ) -> None:
        made = a_managed_computer(cast.db, caller(cast), status="error", provisioning_steps=STEPS)

        found = client.get(f"{COMPUTERS}/name/cloud").json()

        assert (found["providerType"], found["status"]) == ("managed", "error")
        assert found["provisioningSteps"] == [
            {
                "id": "create-computer",
                "name": "Creating computer",
                "status": "completed",
                "startedAt": 1,
                "completedAt": 2,
            },
            {
                "id": "setup-user",
                "name": "Setting up user",
                "status": "failed",
                "error": "No such shell.",
                "startedAt": 3,
            },
            {"id": "start-services", "name": "Starting services", "status": "pending"},
        ]
        assert client.get(f"{COMPUTERS}/{made.computer_id}").json() == found
        assert client.get(COMPUTERS).json() == {"computers": [found]}

    def test_are_told_of_an_active_one_on_request(self, cast: Cast, client: httpx.Client) -> None:
        a_managed_computer(cast.db, caller(cast), status="active", provisioning_steps=STEPS)

        [quiet] = client.get(COMPUTERS).json()["computers"]
        [asked] = client.get(COMPUTERS, params={"includeProvisioningSteps": True}).json()[
            "computers"
        ]

        assert "provisioningSteps" not in quiet
        assert [step["id"] for step in asked["provisioningSteps"]] == [step.id for step in STEPS]
        assert "provisioningSteps" not in client.get(f"{COMPUTERS}/name/cloud").json()

    def test_are_none_for_a_machine_of_ones_own(self, client: httpx.Client) -> None:
        registered(client)

        [found] = client.get(COMPUTERS, params={"includeProvisioningSteps": True}).json()[
            "computers"
        ]

        assert found["provisioningSteps"] == []


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (Template("t1"), {"kind": "template", "templateId": "t1"}),
        (CopySource("cmp_x"), {"kind": "computer", "computerId": "cmp_x"}),
    ],
)
def test_where_a_computer_came_from_is_told_when_known(
    cast: Cast, client: httpx.Client, source: Template | CopySource, told: dict[str, str]
) -> None:
    a_managed_computer(cast.db, caller(cast), source=source)

    assert client.get(f"{COMPUTERS}/name/cloud").json()["computerSource"] == told


class TestListing:
    def test_is_newest_first_and_can_be_of_one_host(self, client: httpx.Client) -> None:
        names = ["b", "a"]
        made = [registered(client, name=name) for name in names]
        hosted = registered(client, name="c", hostId=HOST)

        listed = client.get(COMPUTERS).json()["computers"]
        one = client.get(COMPUTERS, params={"hostId": HOST.upper()}).json()["computers"]

        assert {each["id"] for each in listed} == {each["id"] for each in (*made, hosted)}
        times = [each["createdAt"] for each in listed]
        assert times == sorted(times, reverse=True)
        assert [each["id"] for each in one] == [hosted["id"]]

    @pytest.mark.parametrize("query", [{"hostId": "x"}, {"includeProvisioningSteps": "perhaps"}])
    def test_refuses_parameters_that_do_not_fit(
        self, client: httpx.Client, query: dict[str, str]
    ) -> None:
        assert refusal(client.get(COMPUTERS, params=query)) == (400, "bad_request")

    def test_providers_are_those_that_are_served(self, client: httpx.Client) -> None:
        assert client.get(f"{COMPUTERS}/providers").json() == {"providers": ["byom"]}


class TestRegistering:
    def test_tells_the_credential_once(self, client: httpx.Client) -> None:
        made = registered(client)
        credential = made.pop("machineCredential")

        assert credential.startswith("smc_")
        assert client.get(f"{COMPUTERS}/{made['id']}").json() == made
        assert credential not in client.get(COMPUTERS).text

    @pytest.mark.parametrize(
        "more", [{"provider": "byom"}, {"repos": [], "autoInstallDeps": False}]
    )
    def test_takes_what_says_nothing_new(self, client: httpx.Client, more: dict[str, Any]) -> None:
        assert registered(client, **more)["providerType"] == "byom"

    def test_without_a_user_and_a_source_is_refused_in_the_published_words(
        self, client: httpx.Client
    ) -> None:
        for body in ({"name": "build"}, {"name": "build", "provider": "managed"}):
            answer = client.post(COMPUTERS, json=body)

            assert refusal(answer) == (400, "missing_user")
            assert answer.json()["detail"] == "remoteUser is required when source is omitted"

    @pytest.mark.parametrize(
        "more",
        [
            {"provider": "managed"},
            {"repos": ["https://example.com/a/b"]},
            {"autoInstallDeps": True},
            {"source": {"kind": "template", "templateId": "t"}},
            {"source": {"kind": "computer", "computerId": "c"}, "remoteUser": None},
        ],
    )
    def test_of_a_managed_computer_is_501(self, client: httpx.Client, more: dict[str, Any]) -> None:
        answer = client.post(COMPUTERS, json={**NEW, **more})

        assert refusal(answer) == (501, "managed_not_available")
        assert client.get(COMPUTERS).json() == {"computers": []}

    def test_of_several_at_once_is_501(self, client: httpx.Client) -> None:
        answer = client.post(f"{COMPUTERS}/bulk", json={"count": 3, "namePrefix": "ci"})

        assert refusal(answer) == (501, "managed_not_available")

    @pytest.mark.parametrize(
        ("fields", "code"),
        [
            ({"provider": "teapot"}, "unknown_provider"),
            ({"name": "Build"}, "invalid_name"),
            ({"name": "a" * 64}, "bad_request"),
            ({"name": ""}, "bad_request"),
            ({"remoteUser": "-l root"}, "invalid_user"),
            ({"hostname": "a\0"}, "invalid_hostname"),
            ({"hostId": "this one"}, "bad_request"),
            ({"machineHash": "abc"}, "bad_request"),
            ({"clonedRepoDirectories": ["src"]}, "invalid_directory"),
            ({"clonedRepoDirectories": ["/a"] * 201}, "bad_request"),
            ({"clonedRepoDirectories": ["/" + "a" * 1024]}, "bad_request"),
            ({"source": {"kind": "wish"}}, "bad_request"),
            ({"owner": "me"}, "bad_request"),
            ({"remote_user": "dev"}, "bad_request"),
        ],
    )
    def test_with_what_does_not_fit_is_400(
        self, client: httpx.Client, fields: dict[str, Any], code: str
    ) -> None:
        assert refusal(client.post(COMPUTERS, json={**NEW, **fields})) == (400, code)
        assert client.get(COMPUTERS).json() == {"computers": []}

    def test_of_a_lone_surrogate_is_400(self, client: httpx.Client) -> None:
        answer = client.post(
            COMPUTERS,
            content=b'{"name": "build", "remoteUser": "dev", "hostname": "\\ud800"}',
            headers={"Content-Type": "application/json"},
        )

        assert refusal(answer) == (400, "bad_request")

    def test_of_a_name_or_host_in_use_is_409(self, client: httpx.Client) -> None:
        hash_, other = "0" * 64, "1" * 64
        made = registered(client, hostId=HOST, machineHash=hash_)

        def again(**fields: Any) -> httpx.Response:
            return client.post(COMPUTERS, json={**NEW, **fields})

        taken = again(hostId=HOST, machineHash=hash_, name="other")
        assert refusal(taken) == (409, "host_registered")
        assert taken.json()["metadata"]["computer_id"] == made["id"]
        assert refusal(again(hostId=HOST, machineHash=other)) == (409, "disk_copied")
        assert refusal(again()) == (409, "name_taken")


class TestChanging:
    def test_answers_with_the_computer_as_it_is_then(self, client: httpx.Client) -> None:
        made = registered(client)
        path = f"{COMPUTERS}/{made['id']}"

        changed = client.patch(
            path, json={"name": "bench", "remoteUser": "ada", "clonedRepoDirectories": ["/a"]}
        )

        assert changed.status_code == 200
        wanted = {"name": "bench", "remoteUser": "ada", "clonedRepoDirectories": ["/a"]}
        del made["machineCredential"]
        assert changed.json() == made | wanted == client.get(path).json()

    def test_leaves_what_is_not_given(self, client: httpx.Client) -> None:
        made = registered(client, hostname="a")
        del made["machineCredential"]

        for body in ({}, {"name": None, "hostname": None}):
            assert client.patch(f"{COMPUTERS}/{made['id']}", json=body).json() == made

    @pytest.mark.parametrize(
        "body", [{"name": "A"}, {"remoteUser": ""}, {"status": "error"}, {"hostId": HOST}, []]
    )
    def test_refuses_what_does_not_fit(self, client: httpx.Client, body: Any) -> None:
        made = registered(client)

        assert client.patch(f"{COMPUTERS}/{made['id']}", json=body).status_code == 400

    def test_to_a_name_in_use_is_409(self, client: httpx.Client) -> None:
        registered(client)
        made = registered(client, name="other")

        answer = client.patch(f"{COMPUTERS}/{made['id']}", json={"name": "build"})

        assert refusal(answer) == (409, "name_taken")


class TestRemoving:
    def test_is_204_and_so_is_removing_again(self, client: httpx.Client) -> None:
        made = registered(client)
        path = f"{COMPUTERS}/{made['id']}"

        for _ in range(2):
            answer = client.delete(path)
            assert (answer.status_code, answer.content) == (204, b"")
        assert refusal(client.get(path)) == (404, "not_found")
        assert refusal(client.get(f"{COMPUTERS}/name/build")) == (404, "not_found")
        assert registered(client)["id"] != made["id"]

    @pytest.mark.parametrize("text", ["cmp_" + "a" * 16, "build", "%00", "cmp_%F0%9F"])
    def test_of_what_was_never_visible_is_404(self, client: httpx.Client, text: str) -> None:
        assert refusal(client.delete(f"{COMPUTERS}/{text}")) == (404, "not_found")


def test_what_a_managed_computer_can_do_is_refused_for_a_machine_of_ones_own(
    client: httpx.Client,
) -> None:
    path = f"{COMPUTERS}/{registered(client)['id']}"

    assert refusal(client.post(f"{path}/restart", json={"mode": "reboot"})) == (409, "not_managed")
    for action in ("refresh", "install-deps", "activity"):
        answer = client.post(f"{path}/{action}")
        assert refusal(answer) == (409, "not_managed")
        assert answer.json()["detail"].startswith("This is its owner's machine:")
    assert refusal(client.post(f"{path}/retry")) == (409, "not_in_error")
    assert refusal(client.get(f"{path}/metrics")) == (400, "not_managed")


def test_settings_say_where_the_relay_is_and_what_managed_is_called(tmp_path: Path) -> None:
    settings = settings_for(
        tmp_path,
        "sqlite",
        app_url="https://sm.example.com/",
        vendor_provider_name="cloudbox",
    )
    with running_server(settings) as server:
        cast = Cast(server.services.db, "acme")
        made = a_managed_computer(cast.db, caller(cast))
        with server.client(cast.keys["member"]) as client:
            found = client.get(f"{COMPUTERS}/name/cloud").json()
            for word in ("managed", "cloudbox"):
                answer = client.post(COMPUTERS, json={**NEW, "provider": word})
                assert refusal(answer) == (501, "managed_not_available")
            assert registered(client)["providerType"] == "byom"

    relay = f"wss://sm.example.com/relay/v1/computers/{made.computer_id}"
    assert found["relayClientUrl"] == f"{relay}/connect"
    assert found["relayAgentUrl"] == f"{relay}/listen"
    assert found["providerType"] == "cloudbox"
