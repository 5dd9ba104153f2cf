"""Machines that share one PostgreSQL and the lake, and nothing else: real processes, no `init`."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from stationmaster.access import service
from stationmaster.db import alone
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import reads
from tests.support.builders import a_key, a_member, a_sent_event, an_organization
from tests.support.commands import command
from tests.support.databases import PostgreSQL
from tests.support.processes import PROGRAM, Process, ServerProcess

pytestmark = pytest.mark.slow

TODAY = datetime.now(UTC).date()
LIMIT = 6
"""Reports a minute: one comes back in ten seconds."""
DEADLINE_S = 60
# What nothing else tells: each time a day is rolled up, and at how many deliveries.
WITNESS = """
CREATE TABLE witness (seen serial, org_id text, day text, rolled bigint);
CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.rolled_at IS DISTINCT FROM OLD.rolled_at THEN
        INSERT INTO witness (org_id, day, rolled) VALUES (NEW.org_id, NEW.day, NEW.rolled);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER witness AFTER UPDATE ON lake_days FOR EACH ROW EXECUTE FUNCTION witness();
"""
HOLDER = """
SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted
AND (l.classid::bigint << 32) | l.objid::bigint = ?
"""


class Machines:
    """Two that answer and two that work, each with a folder of its own."""

    def __init__(self, folder: Path, url: str) -> None:
        self.db = Database.open(url)
        self.env = {
            "STATIONMASTER_DATABASE_URL": url,
            "STATIONMASTER_LAKE_URL": f"file://{folder / 'lake'}",
            "STATIONMASTER_SECRET_KEY": base64.b64encode(b"k" * 32).decode(),
            "STATIONMASTER_ANALYTICS_REQUESTS_PER_MINUTE": str(LIMIT),
        }
        self.folder = folder
        self.servers = [
            ServerProcess(folder / f"api-{n}", self.env, command="api") for n in range(2)
        ]
        self.workers = {
            name: Process(
                *("worker", "--data-dir", str(folder / name)),
                env={**self.env, "PGAPPNAME": name},
            )
            for name in ("worker-0", "worker-1")
        }

    def start(self) -> None:
        """All at once, on an empty database."""
        for server in self.servers:
            server.begin()
        for worker in self.workers.values():
            worker.start()
        for server in self.servers:
            server.await_ready()

    def stop(self) -> None:
        for process in (*self.workers.values(), *self.servers):
            process.stop()
        self.db.close()

    def organization(self, name: str) -> tuple[OrgId, str]:
        """A new one, and a key of its owner."""
        org = an_organization(self.db, name)
        return org, a_key(self.db, org, a_member(self.db, org, "ada@example.com", "owner"))

    def client(self, number: int, key: str) -> httpx.Client:
        headers = {"authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.servers[number].url, headers=headers, timeout=60)

    def due(self, org: OrgId) -> list[date]:
        return reads.due_days(self.db, org)

    def holder(self, name: str) -> str | None:
        """The process that is the one with a name."""
        rows = self.db.rows(HOLDER, alone.number_of(name))
        return rows[0][0] if rows else None

    def rolled(self, org: OrgId, day: date) -> list[int]:
        """At how many deliveries a day was rolled up, each time."""
        return [
            rolled
            for (rolled,) in self.db.rows(
                "SELECT rolled FROM witness WHERE org_id = ? AND day = ? ORDER BY seen",
                *(org, day.isoformat()),
            )
        ]


@pytest.fixture(scope="module")
def machines(
    postgresql: PostgreSQL, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machines]:
    with postgresql.database(template="template0") as url:
        made = Machines(tmp_path_factory.mktemp("machines"), url)
        try:
            made.start()
            with made.db.transaction() as connection:
                connection.exec_driver_sql(WITNESS)
            yield made
        finally:
            made.stop()


def until(is_so: Callable[[], object], what: str) -> None:
    give_up = time.monotonic() + DEADLINE_S
    while not is_so():
        assert time.monotonic() < give_up, what
        time.sleep(0.05)


def send(http: httpx.Client, events: list[dict[str, Any]]) -> None:
    headers = {"content-type": "application/json"}
    body = msgspec.json.encode(events)
    answer = http.post("/api/platform/v1/events", content=body, headers=headers)
    assert answer.status_code == 200, answer.text


def tokens(http: httpx.Client, day: date) -> int:
    asked = {"startDate": str(day), "endDate": str(day)}
    answer = http.get("/api/v1/analytics/tokens", params=asked)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["data"][0]["input_tokens"])


def test_a_first_start_of_many_at_once_makes_one_of_each(machines: Machines) -> None:
    """On folders that no `init` has made, with no secret of their own."""
    arguments = (
        "init",
        "--json",
        "--org",
        "first",
        "--data-dir",
        str(machines.folder / "operator"),
    )
    env = {**os.environ, **machines.env}
    with subprocess.Popen([*PROGRAM, *arguments], env=env, stdout=subprocess.PIPE) as process:
        organizations = [command(*arguments, env=machines.env).json]
        output, _ = process.communicate()
    organizations.append(json.loads(output))

    assert machines.db.rows("SELECT count(*) FROM signing_keys") == [(1,)]
    assert machines.db.rows("SELECT count(*) FROM organizations WHERE name = 'first'") == [(1,)]
    assert len({organization["org_id"] for organization in organizations}) == 1
    assert sum(organization["api_key"] is not None for organization in organizations) == 1
    assert not list(machines.folder.rglob("secret.key"))


def test_a_machine_with_another_secret_key_is_told_so(machines: Machines) -> None:
    env = {**machines.env, "STATIONMASTER_SECRET_KEY": base64.b64encode(b"x" * 32).decode()}
    folder = ("--data-dir", machines.folder / "stranger")

    refused = command("worker", *folder, env=env)
    assert command("api", "--port", "0", *folder, env=env).error == refused.error
    examined = command("doctor", "--json", *folder, env=env)

    assert "STATIONMASTER_SECRET_KEY to the same value on every machine" in refused.error
    assert examined.code == 1
    assert refused.error in examined.json["problems"]


def test_what_two_take_in_and_two_roll_up_counts_once(machines: Machines) -> None:
    org, key = machines.organization("counting")
    days = [TODAY - timedelta(days=n) for n in (4, 3)]

    def take_in(number: int) -> None:
        with machines.client(number, key) as http:
            for n in range(10):
                # A third of it comes through both.
                own, same = ([f"{s}-{n}-{m}" for m in range(5)] for s in (f"s{number}", "both"))
                send(http, [a_sent_event(name, days[0]) for name in (*own, *same)])
                send(http, [a_sent_event(f"{name}-later", days[1]) for name in (*own, *same)])

    senders = [threading.Thread(target=take_in, args=(number,)) for number in range(2)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()

    with machines.client(0, key) as one, machines.client(1, key) as other:
        assert [tokens(one, days[0]), tokens(other, days[1])] == [150, 150]
        until(lambda: not machines.due(org), "the days are rolled up")
        assert [tokens(other, days[0]), tokens(one, days[1])] == [150, 150]
    for day in days:
        rolled = machines.rolled(org, day)
        assert rolled == sorted(set(rolled)), "twice for the same deliveries"


def test_a_day_whose_worker_is_killed_is_finished_by_another(machines: Machines) -> None:
    org, key = machines.organization("killing")
    day = TODAY - timedelta(days=1)
    name = f"roll up {org} {day}"
    with machines.db.transaction() as connection:
        # Whoever rolls up the day now has it and waits to publish it.
        alone.in_transaction(connection, f"publish {org}")
        with machines.client(0, key) as http:
            send(http, [a_sent_event("s-1", day)])
        until(lambda: machines.holder(name), "a worker has the day")
        first = machines.holder(name) or ""
        machines.workers[first].kill()
        until(lambda: machines.holder(name) not in (None, first), "another has it")
    until(lambda: not machines.due(org), "the day is rolled up")

    assert machines.rolled(org, day) == [1]
    machines.workers[first].start()


def test_what_one_takes_away_the_other_refuses_at_its_next_request(machines: Machines) -> None:
    org, owner = machines.organization("changing")
    bob = a_member(machines.db, org, "bob@example.com", "manager")
    key, secret = service.create_key(machines.db, org, bob, name="bob's")
    path = "/api/platform/v1"
    limit = "/api/v0/organization/usage/limits/global"
    with machines.client(0, owner) as one, machines.client(1, secret.reveal()) as other:
        assert other.get(f"{path}/members").status_code == 200
        assert one.put(limit, json={"globalLimit": 5_000_000}).status_code == 200
        assert other.get(limit).json()["globalLimit"] == 5_000_000
        one.patch(f"{path}/members/{bob.user_id}", json={"role": "member"})
        assert other.get(f"{path}/members").status_code == 403
        one.patch(f"{path}/members/{bob.user_id}", json={"role": "manager"})
        assert other.get(f"{path}/members").status_code == 200
        assert one.delete(f"{path}/keys/{key.key_id}").status_code == 204
        assert other.get(f"{path}/members").status_code == 401
    again = a_key(machines.db, org, bob)
    with machines.client(0, owner) as one, machines.client(1, again) as other:
        assert other.get(f"{path}/members").status_code == 200
        assert one.delete(f"{path}/members/{bob.user_id}").status_code == 204
        assert other.get(f"{path}/members").status_code == 401


def test_what_is_used_up_through_one_is_missed_by_the_other(machines: Machines) -> None:
    """Which alone would give as much once more."""
    _, key = machines.organization("limited")
    answers: list[httpx.Response] = []

    def is_refused(http: httpx.Client) -> bool:
        answers.append(http.get("/api/v1/analytics/tokens", params={"startDate": str(TODAY)}))
        return answers[-1].status_code == 429

    def waits() -> int:
        return int(answers[-1].headers["retry-after"])

    with machines.client(0, key) as one, machines.client(1, key) as other:
        until(lambda: is_refused(one), "the limit is reached")
        answers.clear()
        assert not is_refused(other)
        # What was given beyond the limit is waited for, too; alone it says ten seconds at most.
        until(lambda: is_refused(other) and waits() > 60 / LIMIT, "the other has learnt")

    assert sum(answer.status_code == 200 for answer in answers) < LIMIT
    assert waits() <= 60 * (LIMIT + 1) / LIMIT
