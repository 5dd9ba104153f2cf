"""Handing messages to a real mail server on loopback: in TLS, within bounds, or not at all."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from stationmaster import settings as settings_room
from stationmaster.alerts.mail import smtp
from stationmaster.errors import BadRequest, OperatorError, StationmasterError, Unavailable
from stationmaster.settings import Settings
from tests.support.certificates import Authority
from tests.support.mail_server import MailServer, running_mail_server

MESSAGE = smtp.MailMessage(("ada@example.com",), "Hello", "A line.\n.\nÄnother line.\n")
PASSWORD = "of-the-mail-server"


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """Trusted by this process, as an operator's own would be."""
    made = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    return made


def settings_of(server: MailServer, **more: object) -> Settings:
    fields: dict[str, object] = {
        "smtp_host": "localhost",
        "smtp_port": server.port,
        "smtp_from": "stationmaster@example.com",
        "smtp_security": "none",
    }
    return Settings(**(fields | more))  # type: ignore[arg-type]  # what a test says of them


def failure(server: MailServer, **more: object) -> StationmasterError:
    with pytest.raises(StationmasterError) as failed:
        smtp.send(settings_of(server, **more), MESSAGE, "mail_1", total_s=2)
    return failed.value


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_message_goes_over_tls_with_the_password_of_a_file(
    authority: Authority, tmp_path: Path, security: str
) -> None:
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\n")
    with running_mail_server(
        context=authority.server("localhost"),
        is_tls_from_start=security == "tls",
        login=("sm", PASSWORD),
    ) as server:
        settings = settings_of(
            server, smtp_security=security, smtp_user="sm", smtp_password_file=file
        )
        smtp.send(settings, MESSAGE, "mail_1")

    [message] = server.messages
    assert server.recipients == [["ada@example.com"]]
    assert (message["To"], message["Subject"]) == ("ada@example.com", "Hello")
    assert message["From"] == "stationmaster@example.com"
    assert message["Message-ID"] == "<mail_1@example.com>"
    assert message.get_content() == MESSAGE.text


def test_a_certificate_that_is_not_trusted_gets_neither_password_nor_message(
    tmp_path: Path,
) -> None:
    stranger = Authority(tmp_path)
    with running_mail_server(
        context=stranger.server("localhost"), login=("sm", PASSWORD)
    ) as server:
        fault = failure(server, smtp_security="starttls", smtp_user="sm", smtp_password=PASSWORD)

    assert (type(fault), fault.code) == (Unavailable, "mail_certificate")
    assert (server.raw, "AUTH" in server.verbs) == ([], False)


def test_a_certificate_of_another_name_is_refused(authority: Authority) -> None:
    with running_mail_server(context=authority.server("other.example")) as server:
        assert failure(server, smtp_security="starttls").code == "mail_certificate"
    assert server.raw == []


def test_without_starttls_nothing_is_sent_in_plain_text() -> None:
    with running_mail_server() as server:
        fault = failure(server, smtp_security="starttls", smtp_user="sm", smtp_password=PASSWORD)
    assert fault.code == "mail_not_supported"
    assert (server.raw, "AUTH" in server.verbs, "MAIL" in server.verbs) == ([], False, False)


def test_a_wrong_password_is_reported_without_it(authority: Authority) -> None:
    with running_mail_server(
        context=authority.server("localhost"), login=("sm", "another")
    ) as server:
        fault = failure(server, smtp_security="starttls", smtp_user="sm", smtp_password=PASSWORD)
    assert fault.code == "mail_sign_in"
    assert PASSWORD not in str(fault) + str(fault.metadata)


@pytest.mark.parametrize("verb", ["MAIL", "RCPT", "DATA", "."])
@pytest.mark.parametrize(
    ("answer", "kind"), [("550 secret words", BadRequest), ("451 secret words", Unavailable)]
)
def test_a_refusal_is_for_good_or_for_now_and_its_words_are_not_kept(
    verb: str, answer: str, kind: type[StationmasterError]
) -> None:
    with running_mail_server(answers={verb: answer}) as server:
        fault = failure(server)
    assert type(fault) is kind
    assert answer[:3] in fault.detail
    assert "secret" not in fault.detail
    assert fault.__cause__ is None


@pytest.mark.parametrize("verb", ["", "EHLO", "RCPT", "."])
def test_a_server_that_stalls_is_left_in_time(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smtp, "ANSWER_S", 0.2)
    with running_mail_server(stalls_at=verb) as server:
        began = time.monotonic()
        fault = failure(server)
    assert (type(fault), fault.code) == (Unavailable, "mail_timeout")
    assert time.monotonic() - began < 5


def test_the_whole_exchange_is_bounded_too() -> None:
    with running_mail_server(stalls_at="RCPT") as server:
        began = time.monotonic()
        with pytest.raises(Unavailable):
            smtp.send(settings_of(server), MESSAGE, "mail_1", total_s=0.2)
    assert time.monotonic() - began < 5


def test_a_server_that_is_away_is_unavailable() -> None:
    with running_mail_server() as server:
        pass
    assert failure(server).code in ("mail_unreachable", "mail_timeout")


@pytest.mark.parametrize("break_", ["\r\n", "\n", "\r", "\x0b", "\u2028"])
def test_no_subject_adds_a_header_field(break_: str) -> None:
    subject = f"Join Acme{break_}Bcc: evil@example.com"
    with running_mail_server() as server:
        smtp.send(settings_of(server), smtp.MailMessage(("a@example.com",), subject, "x"), "mail_1")
    [message] = server.messages
    assert "Bcc" not in message
    assert message["Subject"] == "Join Acme Bcc: evil@example.com"
    assert server.recipients == [["a@example.com"]]


@pytest.mark.parametrize(
    "address",
    [
        "a@example.com, b@example.com",
        "a@example.com\r\nBcc: b@example.com",
        "a",
        "",
        "<a@b.example>x",
    ],
)
def test_what_is_not_one_address_is_refused(address: str) -> None:
    with pytest.raises(BadRequest):
        smtp.composed(smtp.MailMessage((address,), "x", "x"), "stationmaster@example.com", "mail_1")


@pytest.mark.parametrize(
    "fields",
    [
        {"smtp_host": "mail.example"},
        {"smtp_host": "mail.example", "smtp_from": "nobody"},
        {
            "smtp_host": "mail.example",
            "smtp_from": "a@example.com",
            "smtp_user": "sm",
            "smtp_security": "none",
        },
    ],
)
def test_settings_that_cannot_send_stop_the_start(fields: dict[str, str]) -> None:
    with pytest.raises(OperatorError, match="STATIONMASTER_SMTP_"):
        settings_room.load(fields)
