"""What the address of a registered repository tells: its name, its owner, where its files are."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import msgspec

from stationmaster.repos.model import Repository, provider_of

_FILES = {"github": "/blob/", "gitlab": "/-/blob/"}
"""What stands between a repository's address and a commit where its pages show files."""


class Origin(msgspec.Struct, frozen=True):
    """The repository that is scanned. `files_url` is where browsers find its files, if known."""

    full_name: str
    files_url: str | None


def full_name(url: str) -> str:
    """Such as `acme/shop`, or `acme/team/shop` where groups nest."""
    return unquote(urlsplit(url).path).strip("/")


def owner(url: str) -> str:
    """Such as `acme` or `acme/team`; the host where a repository has nothing above it."""
    return full_name(url).rpartition("/")[0] or urlsplit(url).netloc


def owners(repositories: list[Repository]) -> list[str]:
    """Every owner once, in the order of letters."""
    return sorted({owner(repository.url) for repository in repositories})


def owned_by(repositories: list[Repository], login: str) -> list[Repository]:
    """An owner's repositories; letter case does not count, as it does not at most hosts."""
    return [
        repository
        for repository in repositories
        if owner(repository.url).casefold() == login.casefold()
    ]


def origin(url: str, commit: str) -> Origin:
    """Of what is at a normalised address."""
    between = _FILES.get(provider_of(url))
    return Origin(full_name(url), None if between is None else f"{url}{between}{commit}")
