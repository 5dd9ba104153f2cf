"""What computers and things on them may be called."""

from __future__ import annotations

import re

from stationmaster.errors import BadRequest

NAME_LENGTH_MAX = 63
USER_LENGTH_MAX = 63
HOSTNAME_LENGTH_MAX = 253
"""The longest name that DNS can carry: RFC 1035, 2.3.4, without the dot at the end."""
DIRECTORY_LENGTH_MAX = 1_024

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@+-]*\$?")
_LOCAL_DOMAINS = (".local", ".localdomain", ".lan", ".home", ".home.arpa", ".internal")
_UNNAMED = "computer"


def is_name(text: str) -> bool:
    """Whether a computer may have this name: it is a label of DNS, in lower case.

    DNS keeps two hyphens in the third and fourth place for itself (RFC 5891, 4.2.3.1).
    """
    return len(text) <= NAME_LENGTH_MAX and _NAME.fullmatch(text) is not None and text[2:4] != "--"


def name_of(text: str) -> str:
    """The name of a computer as given; raises BadRequest."""
    if not is_name(text):
        raise BadRequest(
            f"A computer's name has 1 to {NAME_LENGTH_MAX} lower-case letters, digits and hyphens; "
            "it does not begin or end with a hyphen, and does not have hyphens as its third and "
            "fourth characters.",
            code="invalid_name",
        )
    return text


def user_of(text: str) -> str:
    """The name of an account on a computer; raises BadRequest.

    It will be an argument of programs, so it never looks like an option of theirs.
    """
    if len(text) > USER_LENGTH_MAX or _USER.fullmatch(text) is None:
        raise BadRequest(
            f"remoteUser is the name of an account: 1 to {USER_LENGTH_MAX} letters, digits and "
            "_ . @ + -, beginning with a letter, a digit or _.",
            code="invalid_user",
        )
    return text


def hostname_of(text: str) -> str:
    """A host name for people to read; raises BadRequest."""
    if not 0 < len(text) <= HOSTNAME_LENGTH_MAX or not text.isprintable():
        raise BadRequest(
            f"A host name has 1 to {HOSTNAME_LENGTH_MAX} printable characters.",
            code="invalid_hostname",
        )
    return text


def directory_of(text: str) -> str:
    """The absolute path of a folder on a computer; raises BadRequest."""
    if not text.startswith("/") or len(text) > DIRECTORY_LENGTH_MAX or not text.isprintable():
        raise BadRequest(
            "A directory of a clone is an absolute path of at most "
            f"{DIRECTORY_LENGTH_MAX} printable characters.",
            code="invalid_directory",
        )
    return text


def derived(host: str) -> str:
    """The name of a computer whose owner gave none: its host name, made to fit."""
    lower = host.lower().rstrip(".")
    for domain in _LOCAL_DOMAINS:
        lower = lower.removesuffix(domain)
    fitting = re.sub(r"[^a-z0-9]+", "-", lower).strip("-")
    return fitting[:NAME_LENGTH_MAX].rstrip("-") or _UNNAMED


def numbered(name: str, number: int) -> str:
    """Another name where one is taken: `build`, `build-2`, `build-3`."""
    end = f"-{number}"
    return name[: NAME_LENGTH_MAX - len(end)].rstrip("-") + end
