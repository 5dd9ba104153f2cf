"""What people type: names and e-mail addresses, made uniform or refused."""

from __future__ import annotations

import unicodedata

from stationmaster.errors import BadRequest

NAME_LENGTH_MAX = 100
EMAIL_LENGTH_MAX = 254
"""The longest address that SMTP can carry: RFC 5321, 4.5.3.1.3."""


def name_of(text: str) -> str:
    """A name to show, without spaces around; raises BadRequest."""
    name = unicodedata.normalize("NFC", text).strip()
    if not 0 < len(name) <= NAME_LENGTH_MAX or any(map(_is_control, name)):
        raise BadRequest(
            f"A name has 1 to {NAME_LENGTH_MAX} characters and no control characters.",
            code="invalid_name",
        )
    return name


def email_of(text: str) -> str:
    """An address in lower case; raises BadRequest for what no mail could reach.

    Deliberately simple: whether an address is someone's, only a mail can tell.
    """
    email = text.strip().lower()
    local, _, domain = email.partition("@")
    if (
        not local
        or not domain
        or "@" in domain
        or len(email) > EMAIL_LENGTH_MAX
        or any(letter.isspace() or _is_control(letter) for letter in email)
    ):
        raise BadRequest("This is not an e-mail address.", code="invalid_email")
    return email


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "C"
