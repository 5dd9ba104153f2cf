"""Messages: plain text with a subject, whose header fields nobody can add to."""

from __future__ import annotations

from datetime import UTC, datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from typing import NamedTuple

import msgspec

from stationmaster import clock, days
from stationmaster.errors import BadRequest

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
    """The message as it is sent. Raises BadRequest for an address that cannot stand in a header."""
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
