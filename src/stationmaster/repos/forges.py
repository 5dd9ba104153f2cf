"""Where the programming interface of a repository's host is, and its headers."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote, urlsplit

from stationmaster.repos import web
from stationmaster.repos.model import Credential, Provider, provider_of
from stationmaster.repos.web import Web
from stationmaster.settings import Settings

_PUBLIC = {"github.com": "https://api.github.com"}
_BASE: dict[Provider, str] = {"github": "/api/v3", "gitlab": "/api/v4"}
"""Where a server of an organization's own has the interface."""


class Forge(NamedTuple):
    """`repo` is the path of the repository's own part of the interface."""

    provider: Provider
    web: Web
    repo: str


def headers(provider: Provider, token: str) -> dict[str, str]:
    """The HTTP headers by which a token signs in at a provider."""
    if provider == "gitlab":
        return {"PRIVATE-TOKEN": token}
    return {"Authorization": f"Bearer {token}", "X-GitHub-Api-Version": "2022-11-28"}


def connect(
    settings: Settings,
    url: str,
    credential: Credential,
    *,
    seconds: float,
    questions_max: int,
) -> Forge | None:
    """The interface for the repository at a normalised address; None where it may not be asked.

    A host whose name does not say what it is, is asked which interface it has.
    """
    kind = provider_of(url)
    for provider in ("github", "gitlab") if kind == "other" else (kind,):
        parts = urlsplit(url)
        base = _PUBLIC.get(parts.netloc, f"https://{parts.netloc}{_BASE[provider]}")
        shown = headers(provider, credential.secret.reveal())
        connection = web.reachable(
            settings, base, shown, seconds=seconds, questions_max=questions_max
        )
        if connection is None:
            return None
        name = parts.path.strip("/")
        repo = f"/repos/{quote(name)}" if provider == "github" else f"/projects/{quote(name, '')}"
        if kind != "other" or connection.get(repo).status == 200:
            return Forge(provider, connection, repo)
    return None
