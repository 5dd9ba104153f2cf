"""What hosting services report through their APIs, a module for each.

They are asked with the repository's own token, read only, and for a few dozen answers at most. What
a token may not see stays unknown: it never reads as missing. Source: docs/readiness.md.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from stationmaster.readiness.hosting import Hosting
from stationmaster.repos.model import Credential, provider_of
from stationmaster.settings import Settings

SECONDS = 60
QUESTIONS_MAX = 60


def ask(
    settings: Settings, url: str, branch: str | None, credential: Credential | None
) -> Hosting | None:
    """What the service that hosts the repository at a normalised address reports; None without a
    token for it.
    """
    service = provider_of(url)
    if credential is None or service not in ("github", "gitlab"):
        return None
    # Most evaluations have no token, and need no client of HTTP.
    from stationmaster.readiness.forges import github, gitlab
    from stationmaster.repos.web import connect

    host = connect(settings, url, credential, seconds=SECONDS, questions_max=QUESTIONS_MAX)
    if host is None:
        return None
    ask = github.ask if service == "github" else gitlab.ask
    return ask(host.web, urlsplit(url).path.strip("/"), branch or "main")
