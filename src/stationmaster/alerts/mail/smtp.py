"""Messages of plain text, to whose header fields nothing can be added, and passing them to the
operator's mail server, within bounds of time."""

from __future__ import annotations

import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from typing import NamedTuple

import msgspec

from stationmaster import clock, days
from stationmaster.errors import BadRequest, OperatorError, StationmasterError, Unavailable
from stationmaster.settings import Settings

_SUBJECT_MAX = 150


class MailMessage(msgspec.Struct, frozen=True):
    """`recipients` are addresses without names. `link` is the one-time link that it is about."""

    recipients: tuple[str, ...]
    subject: str
    text: str
    link: str | None = None


class LinkOffer(NamedTuple):
    """A one-time link for a person; `expires_at` in UTC milliseconds."""

    email: str
    org_name: str
    url: str
    expires_at: int


def invitation(offer: LinkOffer) -> MailMessage:
    """The message that invites a person, with the link to choose a password."""
    first = f"You are invited to join {offer.org_name} on Stationmaster.\n\nChoose a password"
    return _linked(offer, "Join", first, "If you did not expect this invitation, ignore it.")


def password(offer: LinkOffer) -> MailMessage:
    """The message with the link to choose a password, for a person who is a member already."""
    first = f"Choose a password for {offer.email} in {offer.org_name}"
    last = "If you did not ask for it, inform an owner of the organization."
    return _linked(offer, "Choose a password for", first, last)


def _linked(offer: LinkOffer, subject: str, first: str, last: str) -> MailMessage:
    until = f"The link works once, until {days.minute(offer.expires_at)} UTC."
    text = f"{first} here:\n\n{offer.url}\n\n{until} {last}\n"
    return MailMessage((offer.email,), f"{subject} {offer.org_name} on Stationmaster", text)


def composed(message: MailMessage, sender: str, message_id: str) -> EmailMessage:
    """The message as it is sent. Raises BadRequest for an address that cannot be in a header."""
    made = EmailMessage()
    made["From"] = address_of(sender)
    made["To"] = [address_of(recipient) for recipient in message.recipients]
    made["Subject"] = " ".join(message.subject.split())[:_SUBJECT_MAX]
    made["Date"] = format_datetime(datetime.fromtimestamp(clock.now_ms() / 1000, UTC))
    made["Message-ID"] = f"<{message_id}@{made['From'].addresses[0].domain}>"
    # So that no answering machine writes back.
    made["Auto-Submitted"] = "auto-generated"
    made.set_content(message.text)
    return made


def address_of(text: str) -> Address:
    """One address without a name. Raises BadRequest."""
    try:
        made = Address(addr_spec=text.strip())
        if not (made.username and made.domain):
            raise ValueError(text)
        return made
    except (MessageError, ValueError, IndexError) as fault:
        # The standard library's parser raises all of these.
        raise BadRequest(f"{text!r} is not an e-mail address.", code="invalid_email") from fault


ANSWER_S = 15.0
"""The longest wait for one answer of the server."""
TOTAL_S = 60.0
"""The longest that sending takes altogether, however slowly a server speaks."""
_PERMANENT = 500


def is_on(settings: Settings) -> bool:
    """True where the settings name a mail server."""
    return settings.smtp_host is not None


def send(
    settings: Settings, message: MailMessage, message_id: str, *, total_s: float = TOTAL_S
) -> None:
    """Deliver to the mail server; returns once it has taken the message for all recipients.

    Raises Unavailable for what may work later, BadRequest for what the server refuses permanently,
    OperatorError where mail is off. None of them holds the message or the password.
    """
    if settings.smtp_host is None:
        raise OperatorError("Mail is off: set STATIONMASTER_SMTP_HOST.", code="mail_off")
    sender = settings.smtp_from or ""
    made = composed(message, sender, message_id)
    try:
        with _session(settings, sender, total_s) as server:
            refused = server.send_message(made, sender, list(message.recipients))
    except (smtplib.SMTPException, OSError) as fault:
        raise _stored_error(fault) from None
    if refused:
        raise _refusal(max(code for code, _ in refused.values()), "some of the addresses")


@contextmanager
def _session(settings: Settings, sender: str, total_s: float) -> Iterator[smtplib.SMTP]:
    """A connection that is encrypted and signed in as the settings define, and cut after
    `total_s`."""
    context = ssl.create_default_context()
    name = address_of(sender).domain or "localhost"
    server = (
        smtplib.SMTP_SSL(local_hostname=name, timeout=ANSWER_S, context=context)
        if settings.smtp_security == "tls"
        else smtplib.SMTP(local_hostname=name, timeout=ANSWER_S)
    )
    cut = threading.Timer(total_s, _cut, (server,))
    cut.daemon = True
    cut.start()
    try:
        host = str(settings.smtp_host)
        # The name that the certificate must have; the library sets it only in its constructor.
        server._host = host  # type: ignore[attr-defined]
        server.connect(host, settings.smtp_port)
        if settings.smtp_security == "starttls":
            server.starttls(context=context)
        if settings.smtp_user is not None:
            server.login(settings.smtp_user, settings.smtp_secret)
        yield server
        with suppress(smtplib.SMTPException, OSError):
            server.quit()
    finally:
        cut.cancel()
        server.close()


def _cut(server: smtplib.SMTP) -> None:
    if server.sock is not None:
        with suppress(OSError):
            server.sock.shutdown(socket.SHUT_RDWR)


def _stored_error(fault: Exception) -> StationmasterError:
    """The error to keep: it states what failed, and nothing that the server sent or the message
    contains."""
    match fault:
        case smtplib.SMTPRecipientsRefused():
            return _refusal(max(code for code, _ in fault.recipients.values()), "the address")
        case smtplib.SMTPAuthenticationError():
            return Unavailable(
                f"The mail server refused the user or the password ({fault.smtp_code}).",
                code="mail_sign_in",
            )
        case smtplib.SMTPResponseException():
            return _refusal(fault.smtp_code, "the message")
        case smtplib.SMTPNotSupportedError():
            return Unavailable(
                "The mail server does not support what the settings require, such as STARTTLS.",
                code="mail_not_supported",
            )
        case ssl.SSLCertVerificationError():
            return Unavailable(
                f"The mail server's certificate is not trusted: {fault.verify_message}.",
                code="mail_certificate",
            )
        case ssl.SSLError():
            return Unavailable("The mail server does not speak TLS there.", code="mail_tls")
        # The library reports an answer that does not arrive as a closed connection.
        case TimeoutError() | smtplib.SMTPServerDisconnected():
            return Unavailable(
                "The mail server did not answer in time, or closed the connection.",
                code="mail_timeout",
            )
    return Unavailable("The mail server cannot be reached.", code="mail_unreachable")


def _refusal(code: int, what: str) -> StationmasterError:
    if code >= _PERMANENT:
        return BadRequest(f"The mail server refused {what} ({code}).", code="mail_refused")
    return Unavailable(f"The mail server did not take {what} ({code}).", code="mail_deferred")
