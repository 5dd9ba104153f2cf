"""`mail test`: says whether the mail server takes a message."""

from __future__ import annotations

from tests.support.commands import command
from tests.support.mail_server import running_mail_server


def environment(port: int) -> dict[str, str]:
    return {
        "STATIONMASTER_SMTP_HOST": "127.0.0.1",
        "STATIONMASTER_SMTP_PORT": str(port),
        "STATIONMASTER_SMTP_SECURITY": "none",
        "STATIONMASTER_SMTP_FROM": "stationmaster@example.com",
    }


def test_a_message_that_is_taken_ends_with_zero() -> None:
    with running_mail_server() as server:
        done = command("mail", "test", "you@example.com", env=environment(server.port))
    assert (done.code, server.recipients) == (0, [["you@example.com"]])
    assert "127.0.0.1 accepted a message for you@example.com." in done.stderr


def test_a_refusal_ends_with_one_and_the_code() -> None:
    with running_mail_server(answers={"RCPT": "550 no such user"}) as server:
        done = command("mail", "test", "you@example.com", env=environment(server.port))
    assert done.code == 1
    assert "The mail server refused the address (550)." in done.stderr


def test_without_a_mail_server_it_says_which_setting_is_missing() -> None:
    done = command("mail", "test", "you@example.com")
    assert (done.code, "STATIONMASTER_SMTP_HOST" in done.stderr) == (1, True)
