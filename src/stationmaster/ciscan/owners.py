"""What the address of a registered repository tells: its name, its owner, where its files are."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from stationmaster.ciscan.scan import Origin
from stationmaster.repos.model import Repository

_FILES = {"github": "/blob/", "gitlab": "/-/blob/"}
"""What stands between a repository's address and a commit where its pages show files."""


def full_name(url: str) -> str:
    """Such as `acme/shop`, or `acme/team/shop` where groups nest."""
    return unquote(urlsplit(url).path).strip("/")


def owner(url: str) -> str:
    """Such as `acme` or `acme/team`; the host where a repository has nothing above it."""
    return full_name(url).rpartition("/")[0] or urlsplit(url).netloc


def owners(known: list[Repository]) -> list[str]:
    """Every owner once, in the order of letters."""
    return sorted({owner(each.url) for each in known})


def owned_by(known: list[Repository], login: str) -> list[Repository]:
    """An owner's repositories; letter case does not count, as it does not at most hosts."""
    return [each for each in known if owner(each.url).casefold() == login.casefold()]


def origin(repository: Repository, commit: str) -> Origin:
    between = _FILES.get(repository.provider)
    url = None if between is None else f"{repository.url}{between}{commit}"
    return Origin(full_name(repository.url), url)
