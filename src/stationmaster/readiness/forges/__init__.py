"""What hosting services tell through their programming interfaces, a module for each.

They are asked with the repository's own token, read only, and for a few dozen answers at most. What
a token may not see stays unknown: it never reads as missing. Source: readiness criteria, section 9.
"""

from __future__ import annotations

from typing import Protocol
from urllib.parse import urlsplit

from stationmaster.readiness.forges import github, gitlab
from stationmaster.readiness.hosting import Hosting
from stationmaster.repos import web
from stationmaster.repos.model import Credential, Provider, provider_of
from stationmaster.repos.web import Web
from stationmaster.settings import Settings

SECONDS = 60
QUESTIONS_MAX = 60
_PUBLIC = {"github.com": "https://api.github.com"}


class _Forge(Protocol):
    """What the module of a service offers."""

    @property
    def BASE(self) -> str: ...  # noqa: N802 - a module's constant

    def headers(self, token: str) -> dict[str, str]: ...

    def ask(self, web: Web, name: str, branch: str) -> Hosting | None: ...


_FORGES: dict[Provider, _Forge] = {"github": github, "gitlab": gitlab}


def ask(
    settings: Settings, url: str, branch: str | None, credential: Credential | None
) -> Hosting | None:
    """What the service tells that hosts the repository at a normalised address; None without a
    token for it.
    """
    forge = _FORGES.get(provider_of(url))
    if forge is None or credential is None:
        return None
    parts = urlsplit(url)
    base = _PUBLIC.get(parts.netloc, f"https://{parts.netloc}{forge.BASE}")
    headers = forge.headers(credential.secret.reveal())
    asked = web.reachable(settings, base, headers, seconds=SECONDS, questions_max=QUESTIONS_MAX)
    return None if asked is None else forge.ask(asked, parts.path.strip("/"), branch or "main")
