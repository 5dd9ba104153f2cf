"""Requests about wikis."""

from __future__ import annotations

from urllib.parse import quote

from stationmaster.wiki import service as wiki
from tests.conformance.asks.ask import Ask, asks
from tests.conformance.asks.computers import _maker
from tests.conformance.conftest import House
from tests.support.cast import Cast
from tests.wiki.wikis import a_run


def _wiki_address(cast: Cast) -> str:
    return f"https://git.example.com/{cast.mark}/enginerooms00"


def _a_wiki(cast: Cast, caller: str) -> dict[str, str]:
    """What names a run of the caller's own, and its first page."""
    maker = _maker(cast, caller)
    run = a_run(cast.db, maker, repo_url=_wiki_address(cast))
    [page, *_] = wiki.get(cast.db, maker, run.run_id)[1]
    return {"wikiRunId": run.run_id, "pageId": page.page_id or ""}


@asks("POST /api/v0/wiki")
def _upload(_house: House, cast: Cast, _caller: str) -> Ask:
    pages = [{"path": "index.md", "content": "# Engine"}]
    return Ask(json={"repoUrl": _wiki_address(cast), "pages": pages})


@asks("GET /api/v0/wiki/upload-access")
def _upload_access(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(params={"repoUrl": _wiki_address(cast)})


@asks("GET /api/v0/wiki/history/{repoUrl}")
def _wiki_history(_house: House, cast: Cast, caller: str) -> Ask:
    _a_wiki(cast, caller)
    return Ask(path={"repoUrl": quote(_wiki_address(cast), safe="")})


@asks(
    "GET /api/v0/wiki/{wikiRunId}",
    "DELETE /api/v0/wiki/{wikiRunId}",
    "GET /api/v0/wiki/{wikiRunId}/pages/{pageId}",
    "GET /api/v0/wiki/{wikiRunId}/export",
    "GET /api/platform/v1/wiki/runs/{wikiRunId}",
    "POST /api/platform/v1/wiki/runs/{wikiRunId}/cancel",
)
def _wiki_run(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path=_a_wiki(cast, caller))


@asks("GET /api/platform/v1/wiki/runs/{wikiRunId}/files/{name}")
def _wiki_file(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path={**_a_wiki(cast, caller), "name": "llms.txt"})


@asks("GET /api/v0/wiki/{wikiRunId}/search", "GET /api/platform/v1/wiki/runs/{wikiRunId}/ask")
def _wiki_search(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path=_a_wiki(cast, caller), params={"q": "engine"})


@asks("GET /api/platform/v1/wiki/runs/{wikiRunId}/difference/{other}")
def _wiki_difference(_house: House, cast: Cast, caller: str) -> Ask:
    run = _a_wiki(cast, caller)
    return Ask(path={**run, "other": run["wikiRunId"]})


@asks("POST /api/v0/wiki/{wikiRunId}/privacy")
def _wiki_privacy(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path=_a_wiki(cast, caller), json={"privacyLevel": "private"})
