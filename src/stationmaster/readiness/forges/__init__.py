"""What hosting services tell through their programming interfaces, a module for each.

They are asked with the repository's own token, read only, and for a few dozen answers at most. What
a token may not see stays unknown: it never reads as missing. Source: docs/readiness.md.
"""

from __future__ import annotations

from typing import Protocol
from urllib.parse import urlsplit

from stationmaster.readiness.forges import github, gitlab
from stationmaster.readiness.hosting import Hosting
from stationmaster.repos import forges
from stationmaster.repos.model import Credential, Provider, provider_of
from stationmaster.repos.web import Web
from stationmaster.settings import Settings

SECONDS = 60
QUESTIONS_MAX = 60


class _Forge(Protocol):
    """What the module of a service offers."""

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
    host = forges.connect(settings, url, credential, seconds=SECONDS, questions_max=QUESTIONS_MAX)
    name = urlsplit(url).path.strip("/")
    return None if host is None else forge.ask(host.web, name, branch or "main")
