"""Managed computers over HTTP, made in a cloud that is a folder; their agents are real ones."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from stationmaster import clock
from stationmaster.computers.managed import keeper, model, store
from tests.support.cast import Cast
from tests.support.clouds import USER, Cloud
from tests.support.commands import command
from tests.support.patience import PATIENCE_S
from tests.support.processes import free_port
from tests.support.servers import Server, running_server, settings_for
from tests.support.sshd import needs_sshd

COMPUTERS = "/api/v0/computers"
SECRET = 'hunter "2" $x'


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    return Cloud(tmp_path_factory.mktemp("cloud"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, cloud: Cloud) -> Iterator[Server]:
    clock.freeze(None)
    port = free_port()
    settings = settings_for(
        tmp_path_factory.mktemp("managed"),
        "sqlite",
        app_url=f"http://127.0.0.1:{port}",
        computer_templates=cloud.templates,
    )
    with running_server(settings, with_worker=True, port=port) as running:
        yield running
        _remove_all(running)


def _remove_all(server: Server) -> None:
    """The agents of computers are processes of this machine."""
    for managed in store.everywhere(server.services.db):
        with server.services.db.transaction() as connection:
            connection.exec_driver_sql("UPDATE computers SET removed_at = 1")
        server.services.db.rows("SELECT 1")
        _ask(server, managed.computer_id)
    _await(lambda: not store.everywhere(server.services.db))


def _ask(server: Server, computer_id: str) -> None:
    from stationmaster.computers.model import JOB
    from stationmaster.jobs import service as jobs

    managed = next(m for m in store.everywhere(server.services.db) if m.computer_id == computer_id)
    jobs.ask(server.services.db, managed.org_id, JOB, computer_id, by=None)


@pytest.fixture
def cast(server: Server) -> Cast:
    return Cast(server.services.db, "acme")


@pytest.fixture
def client(server: Server, cast: Cast) -> Iterator[httpx.Client]:
    with server.client(cast.keys["member"]) as client:
        client.timeout = httpx.Timeout(150)
        yield client


def _await(condition: Any) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, "this did not come about in time"
        time.sleep(0.1)


def made(client: httpx.Client, name: str = "cloud", **fields: Any) -> dict[str, Any]:
    body = {"name": name, "provider": "managed", "remoteUser": USER, **fields}
    answer = client.post(COMPUTERS, json=body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def settled(client: httpx.Client, computer: dict[str, Any]) -> dict[str, Any]:
    """The computer with its steps once it is not being set up any more."""
    found: dict[str, Any] = {}

    def is_settled() -> bool:
        answer = client.get(COMPUTERS, params={"includeProvisioningSteps": True}).json()
        found.update(next(c for c in answer["computers"] if c["id"] == computer["id"]))
        return bool(found["status"] != "provisioning")

    _await(is_settled)
    return found


def statuses(computer: dict[str, Any]) -> dict[str, str]:
    return {step["id"]: step["status"] for step in computer["provisioningSteps"]}


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["metadata"]["code"]


@needs_sshd
def test_a_computer_is_set_up_used_refreshed_restarted_and_removed(
    server: Server, cloud: Cloud, cast: Cast, client: httpx.Client
) -> None:
    new = made(client)
    computer = settled(client, new)
    path = f"{COMPUTERS}/{new['id']}"

    assert (new["status"], computer["status"]) == ("provisioning", "active")
    assert "machineCredential" not in new
    assert statuses(computer) == dict.fromkeys(
        ["create-computer", "setup-user", "configure-environment", "install-agent",
         "start-services"], "completed",
    )  # fmt: skip
    assert client.get(f"{path}/connection").json()["state"] == "online"

    with server.client(cast.keys["owner"]) as owner:
        secrets = "/api/v0/organization/computer-secrets"
        owner.patch(secrets, json={"upsert": [{"key": "TOKEN", "value": SECRET}]})
    assert client.post(f"{path}/refresh").json() == {"configured": 0, "secretsConfigured": 1}
    home = cloud.folder / "machines" / new["id"] / "home" / ".stationmaster"
    assert SECRET in (home / "environment").read_text()
    assert (home / "environment").stat().st_mode & 0o777 == 0o600

    assert client.post(f"{path}/restart", json={"mode": "resume"}).json() == {"wasRestarted": False}
    before = (home / "computer.json").read_text()
    assert client.post(f"{path}/restart", json={}).json() == {"wasRestarted": True}
    assert (home / "computer.json").read_text() != before, "each start has a credential of its own"
    assert client.get(f"{path}/connection").json()["state"] == "online"

    assert client.delete(path).status_code == 204
    _await(lambda: new["id"] not in cloud.machines)
    _await(lambda: store.one(server.services.db, cast.org, new["id"]) is None)


@needs_sshd
def test_one_that_nobody_uses_is_stopped_and_woken_by_use(
    server: Server, cloud: Cloud, cast: Cast, client: httpx.Client
) -> None:
    new = settled(client, made(client))
    path = f"{COMPUTERS}/{new['id']}"
    services = server.services
    managed = store.one(services.db, cast.org, new["id"])
    assert managed is not None
    client.post(f"{path}/activity")
    keeper.round_of(services.db, services.offer)
    assert client.get(f"{path}/connection").json()["state"] == "online"

    with services.db.transaction() as connection:
        store.change(connection, managed, last_active_at=clock.now_ms() - 31 * 60_000)
    keeper.round_of(services.db, services.offer)
    running = cloud.folder / "machines" / new["id"] / "running"
    _await(lambda: not running.exists())
    _await(lambda: client.get(f"{path}/connection").json()["state"] == "asleep")
    assert client.get(path).json()["status"] == "active"

    key = f"ssh-ed25519 {'A' * 68}"
    granted = client.post(f"{path}/ssh-grants", json={"publicKey": key})

    assert granted.status_code == 201, granted.text
    assert running.exists()
    changes = client.get(f"/api/platform/v1/computers/{new['id']}/history").json()["changes"]
    assert [change["cause"] for change in changes] == ["woken", "paused", "set_up", "created"]
    client.delete(path)


@needs_sshd
def test_a_step_that_fails_is_told_with_its_reason_and_can_be_retried(
    server: Server, cloud: Cloud, cast: Cast, client: httpx.Client
) -> None:
    cloud.fail("create")
    new = made(client, "unlucky")
    failed = settled(client, new)
    cloud.fail(None)

    step = failed["provisioningSteps"][0]
    assert failed["status"] == "error"
    assert (step["status"], step["error"]) == ("failed", "The command create ended with status 3.")
    log = client.get(f"/api/platform/v1/computers/{new['id']}/steps").json()["steps"][0]["log"]
    assert "out of luck" in log
    assert refusal(client.post(f"{COMPUTERS}/{new['id']}/refresh")) == (409, "not_active")

    again = client.post(f"{COMPUTERS}/{new['id']}/retry")

    assert (again.status_code, again.json()["status"]) == (202, "provisioning")
    assert settled(client, new)["status"] == "active"
    assert refusal(client.post(f"{COMPUTERS}/{new['id']}/retry")) == (409, "not_in_error")
    client.delete(f"{COMPUTERS}/{new['id']}")


def test_a_secret_is_in_no_log(server: Server, cast: Cast, client: httpx.Client) -> None:
    with server.client(cast.keys["owner"]) as owner:
        secrets = "/api/v0/organization/computer-secrets"
        owner.patch(secrets, json={"upsert": [{"key": "TOKEN", "value": SECRET}]})
    new = settled(client, made(client, "quiet", autoInstallDeps=True))

    shown = client.get(f"/api/platform/v1/computers/{new['id']}/steps").text

    assert "hunter" not in shown
    client.delete(f"{COMPUTERS}/{new['id']}")


def test_removing_works_while_a_computer_is_set_up(
    server: Server, cloud: Cloud, cast: Cast, client: httpx.Client
) -> None:
    cloud.hang("create")
    new = made(client, "soon-gone")
    _await(lambda: new["id"] in cloud.machines)

    assert client.delete(f"{COMPUTERS}/{new['id']}").status_code == 204

    _await(lambda: store.one(server.services.db, cast.org, new["id"]) is None)
    cloud.hang(None)
    assert new["id"] not in cloud.machines


def test_a_machine_that_its_provider_has_lost_is_an_error(
    server: Server, cloud: Cloud, cast: Cast, client: httpx.Client
) -> None:
    new = settled(client, made(client, "lost"))
    machine = cloud.folder / "machines" / new["id"]
    machine.rename(machine.with_name("elsewhere"))
    try:
        client.post(f"{COMPUTERS}/{new['id']}/install-deps")
        _await(lambda: client.get(f"{COMPUTERS}/{new['id']}").json()["status"] == "error")
    finally:
        machine.with_name("elsewhere").rename(machine)
        client.delete(f"{COMPUTERS}/{new['id']}")


@needs_sshd
def test_commands_make_and_restart_one_and_show_its_logs(
    server: Server, cloud: Cloud, cast: Cast, client: httpx.Client
) -> None:
    access = {"STATIONMASTER_URL": server.url, "STATIONMASTER_KEY": str(cast.keys["member"])}

    done = command("computers", "create", "box", "--user", USER, "--wait", env=access)
    assert (done.code, "is active" in done.stderr) == (0, True), done.stderr
    assert command("computers", "restart", "box", "--json", env=access).json == {
        "wasRestarted": True
    }
    refreshed = command("computers", "refresh", "box", "--json", env=access)
    assert refreshed.json == {"configured": 0, "secretsConfigured": 0}
    _await(
        lambda: (
            "Starting services: completed" in command("computers", "logs", "box", env=access).stderr
        )
    )
    assert command("computers", "retry", "box", env=access).code == 1
    doctor = [sys.executable, "-m", "stationmaster", "computers", "doctor", "box"]
    own = {**os.environ, **access, "STATIONMASTER_CLIENT_DIR": str(cloud.folder / "client")}
    healthy = subprocess.run(doctor, env=own, capture_output=True, text=True)
    assert healthy.returncode == 0, healthy.stderr
    assert "ok: this machine may log in" in healthy.stderr
    client.post(COMPUTERS, json={"name": "away", "remoteUser": USER})
    away = subprocess.run([*doctor[:-1], "away"], env=own, capture_output=True, text=True)
    assert (away.returncode, "`stationmaster computers serve`" in away.stderr) == (1, True)
    client.delete(f"{COMPUTERS}/{client.get(f'{COMPUTERS}/name/box').json()['id']}")


def test_what_an_owner_may_have_is_bounded_also_in_bulk(
    cloud: Cloud, cast: Cast, client: httpx.Client
) -> None:
    cloud.hang("create")
    made(client, "pc-2")
    body = {"namePrefix": "pc", "count": 2, "remoteUser": USER}

    several = client.post(f"{COMPUTERS}/bulk", json=body)
    more = client.post(f"{COMPUTERS}/bulk", json=body)

    assert several.status_code == 201, several.text
    assert [computer["name"] for computer in several.json()["computers"]] == ["pc-1", "pc-3"]
    assert refusal(more) == (409, "too_many_computers")
    for computer in client.get(COMPUTERS).json()["computers"]:
        client.delete(f"{COMPUTERS}/{computer['id']}")
    cloud.hang(None)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"source": {"kind": "template", "templateId": "other"}}, (400, "unknown_template")),
        ({"source": {"kind": "computer", "computerId": "cmp_none"}}, (404, "not_found")),
        ({"repos": ["file:///etc"]}, (400, "invalid_repository_url")),
        ({"name": "Build"}, (400, "invalid_name")),
        ({"remoteUser": "-x"}, (400, "invalid_user")),
    ],
)
def test_what_cannot_be_made_is_refused(
    client: httpx.Client, fields: dict[str, Any], code: tuple[int, str]
) -> None:
    body = {"name": "cloud", "provider": "managed", "remoteUser": USER, **fields}

    answer = client.post(COMPUTERS, json=body)

    assert answer.status_code == code[0]
    assert answer.json()["metadata"]["code"] in (code[1], "bad_request", "invalid_url")


def test_the_providers_are_told(client: httpx.Client) -> None:
    assert client.get(f"{COMPUTERS}/providers").json() == {"providers": ["byom", "managed"]}


def test_metrics_are_of_managed_computers_alone_and_average_five_minutes(
    server: Server, cast: Cast, client: httpx.Client
) -> None:
    from stationmaster.computers.managed import metrics
    from stationmaster.relay_messages import Sample

    own = client.post(COMPUTERS, json={"name": "own", "remoteUser": USER}).json()
    new = settled(client, made(client, "busy"))
    key = (cast.org, new["id"])
    for used in (10.0, 30.0):
        sample = Sample(
            cpu_used_pct=used, cpu_count=2, mem_used=int(used), mem_total=100, disk_used=5,
            disk_total=9,
        )  # fmt: skip
        metrics.add(server.services.db, {key: sample, (cast.org, own["id"]): sample})

    shown = client.get(f"{COMPUTERS}/{new['id']}/metrics").json()
    later = client.get(f"{COMPUTERS}/{new['id']}/metrics", params={"start": "2100-01-01T00:00:00Z"})

    assert [row["cpuUsedPct"] for row in shown] in ([20.0], [10.0, 30.0])
    assert set(shown[0]) == {
        "timestamp", "cpuUsedPct", "cpuCount", "memUsed", "memTotal", "diskUsed", "diskTotal",
    }  # fmt: skip
    assert later.json() == []
    assert refusal(client.get(f"{COMPUTERS}/{own['id']}/metrics")) == (400, "not_managed")
    bad = client.get(f"{COMPUTERS}/{new['id']}/metrics", params={"start": "yesterday"})
    assert refusal(bad) == (400, "invalid_start")
    client.delete(f"{COMPUTERS}/{new['id']}")


@needs_sshd
def test_one_that_was_not_seen_for_long_is_an_error_until_it_is_back(
    server: Server, cast: Cast, client: httpx.Client
) -> None:
    new = settled(client, made(client, "silent"))
    db, services = server.services.db, server.services
    managed = store.one(db, cast.org, new["id"])
    assert managed is not None
    late = clock.now_ms() - (model.UNSEEN_S + 60) * 1000
    with db.transaction() as connection:
        store.change(connection, managed, last_active_at=late)
        connection.exec_driver_sql(
            f"UPDATE computer_presence SET last_seen_at = {late} WHERE computer_id = '{new['id']}'"
        )
    keeper.round_of(db, services.offer)
    assert client.get(f"{COMPUTERS}/{new['id']}").json()["status"] == "error"

    with db.transaction() as connection:
        connection.exec_driver_sql(
            f"UPDATE computer_presence SET last_seen_at = {clock.now_ms()}"
            f" WHERE computer_id = '{new['id']}'"
        )
    keeper.round_of(db, services.offer)
    assert client.get(f"{COMPUTERS}/{new['id']}").json()["status"] == "active"
    client.delete(f"{COMPUTERS}/{new['id']}")
