"""Links and alerts by mail: kept sealed until a server takes them, and never in a request's way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from stationmaster import clock, ids
from stationmaster.access import service
from stationmaster.access.vault import Vault
from stationmaster.alerts.mail import outbox
from stationmaster.alerts.mail.outbox import Outbox
from stationmaster.api.monitoring.alerts import ALERT_DELAY_S, Alerts
from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable
from stationmaster.ids import OrgId
from stationmaster.jobs import service as jobs
from stationmaster.jobs.runner import Handler, Runner, Work
from stationmaster.lake import entries
from stationmaster.lake.storage import WrittenPart
from stationmaster.settings import Settings
from tests.support.builders import a_member, an_organization
from tests.support.cast import Cast
from tests.support.mail_server import MailServer, running_mail_server
from tests.support.servers import running_server, settings_for

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
URL = "https://agents.example/join/sml_secret-of-a-link"


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


@pytest.fixture
def server() -> Iterator[MailServer]:
    with running_mail_server() as made:
        yield made


def mail_settings(folder: Path, port: int, **more: object) -> Settings:
    fields: dict[str, object] = {
        "smtp_host": "127.0.0.1",
        "smtp_port": port,
        "smtp_security": "none",
        "smtp_from": "stationmaster@example.com",
    }
    return settings_for(folder, "sqlite", **(fields | more))


def work_off(db: Database, handlers: dict[str, Handler], **more: object) -> None:
    runner = Runner(db, handlers, **more)  # type: ignore[arg-type]  # what a test says of it
    while runner.do_next(threading.Event()):
        pass


@pytest.fixture
def org(db: Database) -> OrgId:
    org = an_organization(db)
    a_member(db, org, "owner@example.com", "owner")
    return org


def offered(db: Database, org: OrgId, box: Outbox, email: str = "zoe@example.com") -> bool:
    _, link = service.invite_member(db, org, email, "member", by=None)
    return box.offer(org, email, link, URL, by=None)


def count(db: Database, org: OrgId) -> int:
    return len(db.rows("SELECT mail_id FROM outgoing_mail WHERE org_id = ?", org))


def test_an_invitation_is_sent_once_and_leaves_nothing(
    db: Database, org: OrgId, server: MailServer, tmp_path: Path
) -> None:
    settings = mail_settings(tmp_path, server.port)
    box = Outbox(db, settings, Vault.open(settings))

    assert offered(db, org, box)
    assert server.raw == []
    work_off(db, {outbox.JOB: box})

    [message] = server.messages
    assert (message["To"], message["Subject"]) == ("zoe@example.com", "Join Acme on Stationmaster")
    assert f"\n{URL}\n" in message.get_content()
    assert "until 2026-11-28 12:00 UTC" in message.get_content()
    assert count(db, org) == 0


def test_a_message_that_waits_is_sealed(
    db: Database, org: OrgId, server: MailServer, tmp_path: Path
) -> None:
    settings = mail_settings(tmp_path, server.port)
    offered(db, org, Outbox(db, settings, Vault.open(settings)))

    stored = repr(db.rows("SELECT sealed FROM outgoing_mail WHERE org_id = ?", org))
    jobs_of = repr(jobs.list_page(db, org, limit=10))
    assert count(db, org) == 1
    assert "secret-of-a-link" not in stored + jobs_of
    assert "zoe@example.com" not in stored + jobs_of


def test_a_server_that_is_away_gets_it_later(db: Database, org: OrgId, tmp_path: Path) -> None:
    with running_mail_server(answers={"MAIL": "451 later"}) as server:
        settings = mail_settings(tmp_path, server.port)
        box = Outbox(db, settings, Vault.open(settings))
        offered(db, org, box)
        work_off(db, {outbox.JOB: box})
        [job] = jobs.list_page(db, org, limit=10)
        assert (job.state, job.error) == (
            "queued",
            "The mail server did not take the message (451).",
        )

        server.answers.clear()
        clock.freeze(NOW + timedelta(seconds=30))
        work_off(db, {outbox.JOB: box})

    assert len(server.raw) == 1


def test_a_refused_address_is_given_up(db: Database, org: OrgId, tmp_path: Path) -> None:
    with running_mail_server(answers={"RCPT": "550 unknown"}) as server:
        settings = mail_settings(tmp_path, server.port)
        box = Outbox(db, settings, Vault.open(settings))
        offered(db, org, box)
        work_off(db, {outbox.JOB: box})
    [job] = jobs.list_page(db, org, limit=10)
    assert (job.state, job.attempts) == ("failed", 1)


def test_a_link_that_has_expired_is_not_sent(
    db: Database, org: OrgId, server: MailServer, tmp_path: Path
) -> None:
    settings = mail_settings(tmp_path, server.port)
    box = Outbox(db, settings, Vault.open(settings))
    offered(db, org, box)
    clock.freeze(NOW + timedelta(days=7))
    work_off(db, {outbox.JOB: box})
    assert (server.raw, count(db, org)) == ([], 0)


def test_a_link_that_has_ended_is_not_sent(
    db: Database, org: OrgId, server: MailServer, tmp_path: Path
) -> None:
    settings = mail_settings(tmp_path, server.port)
    box = Outbox(db, settings, Vault.open(settings))
    offered(db, org, box)
    service.remove_member(db, org, ids.user_of_email(org, "zoe@example.com"))
    work_off(db, {outbox.JOB: box})
    assert (server.raw, count(db, org)) == ([], 0)


def test_without_a_mail_server_nothing_is_kept(db: Database, org: OrgId, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "sqlite")
    box = Outbox(db, settings, Vault.open(settings))
    assert not offered(db, org, box)
    assert (count(db, org), jobs.list_page(db, org, limit=10)) == (0, [])


def test_work_that_is_given_up_is_reported_to_the_operator_in_one_mail(
    db: Database, org: OrgId, server: MailServer, tmp_path: Path
) -> None:
    settings = mail_settings(tmp_path, server.port, mail_alerts="ops@example.com, b@example.com")
    alerts = Alerts(db, settings)

    def fail(_work: Work) -> None:
        raise Unavailable("The host does not answer.")

    handlers: dict[str, Handler] = {"ci-scan": fail, "alert": alerts}
    for repo in ("repo_a", "repo_b"):
        jobs.ask(db, org, "ci-scan", repo, by=None)
    for hour in range(6):
        clock.freeze(NOW + timedelta(hours=hour))
        work_off(db, {"ci-scan": fail}, gave_up=alerts.given_up)
    assert server.raw == []
    clock.freeze(NOW + timedelta(hours=5, seconds=ALERT_DELAY_S))
    work_off(db, handlers)

    [message] = server.messages
    assert sorted(server.recipients[0]) == ["b@example.com", "ops@example.com"]
    for repo in ("repo_a", "repo_b"):
        assert f"- ci-scan of {repo}: The host does not answer." in message.get_content()


def test_mail_that_fails_is_not_reported_by_mail(db: Database, org: OrgId, tmp_path: Path) -> None:
    with running_mail_server(answers={"RCPT": "550 no"}) as server:
        settings = mail_settings(tmp_path, server.port, mail_alerts="ops@example.com")
        box, alerts = Outbox(db, settings, Vault.open(settings)), Alerts(db, settings)
        offered(db, org, box)
        work_off(db, {outbox.JOB: box}, gave_up=alerts.given_up)
    assert [job.kind for job in jobs.list_page(db, org, limit=10)] == [outbox.JOB]


def test_an_invitation_over_http_answers_at_once_whatever_the_mail_server_does(
    tmp_path: Path,
) -> None:
    with running_mail_server(stalls_at="") as server:
        settings = mail_settings(tmp_path, server.port, app_url="https://agents.example")
        with running_server(settings) as running:
            cast = Cast(running.services.db, "acme")
            with running.client(cast.keys["owner"]) as client:
                body = {"email": "zoe@example.com", "role": "member"}
                made = client.post("/api/platform/v1/members", json=body).json()
                address = f"/api/platform/v1/members/{cast.people['member'].user_id}/link"
                link = client.post(address).json()

            waiting = count(running.services.db, cast.org)
    assert (made["isMailed"], link["isMailed"], waiting) == (True, True, 2)
    assert made["invitationUrl"].startswith("https://agents.example/join/")


def test_damaged_parts_are_reported_while_they_are_damaged(
    db: Database, org: OrgId, server: MailServer, tmp_path: Path
) -> None:
    settings = mail_settings(tmp_path, server.port, mail_alerts="ops@example.com")
    alerts = Alerts(db, settings)
    day, part = NOW.date(), "part-1.parquet"
    with db.transaction() as connection:
        entries.enter(connection, {(org, day): [WrittenPart(part, 10, 1, "0" * 64)]})
        entries.note_checked(connection, org, day, {part: "missing"})
    alerts.damaged(org)
    clock.freeze(NOW + timedelta(seconds=ALERT_DELAY_S))
    work_off(db, {"alert": alerts})

    with db.transaction() as connection:
        entries.note_checked(connection, org, day, {part: None})
    alerts.damaged(org)
    clock.freeze(NOW + timedelta(seconds=2 * ALERT_DELAY_S))
    work_off(db, {"alert": alerts})

    [message] = server.messages
    assert f"- {day}: {part} is missing" in message.get_content()
    assert "stationmaster doctor" in message.get_content()
