"""`/repositories`: every registered repository with its readiness, CI findings and wiki; register
one, refresh it, change its credential."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, NamedTuple

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.ciscan import finding_store
from stationmaster.ciscan import store as scans
from stationmaster.errors import StationmasterError
from stationmaster.pipelines.model import Severity
from stationmaster.readiness import levels
from stationmaster.readiness import service as readiness
from stationmaster.readiness.levels import Standing
from stationmaster.readiness.model import LEVELS
from stationmaster.repos import service as repos
from stationmaster.repos.model import Credential, Repository, credential
from stationmaster.web import menu
from stationmaster.web.pages import page, router, see_other
from stationmaster.web.requests import SignedIn, services_of
from stationmaster.wiki import reads as wikis

PATH = "/repositories"
PER_PAGE = 50

routes = router()


class Row(NamedTuple):
    """What the table says of a repository. None where nobody has looked yet."""

    repository: Repository
    standing: Standing | None
    findings: Counter[Severity] | None
    wiki: str | None
    """The newest wiki's run."""
    is_wiki_current: bool

    @property
    def name(self) -> str:
        return short_name(self.repository.url)


def short_name(url: str) -> str:
    """An address without its scheme."""
    return url.rpartition("://")[2]


@routes.get(PATH)
def show_repositories(
    request: Request, caller: SignedIn, after: str = "", search: str = ""
) -> Response:
    return _repositories(request, caller, after=after, search=search)


@routes.post(PATH)
def register(
    request: Request,
    caller: SignedIn,
    url: Annotated[str, Form()],
    username: Annotated[str, Form()] = "",
    secret: Annotated[str, Form()] = "",
) -> Response:
    """Register a repository, and open its page."""
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    try:
        made, _ = repos.register(
            services.db, services.vault, caller, url, credential_of(username, secret)
        )
    except StationmasterError as fault:
        return _repositories(request, caller, fault=fault, url=url)
    return see_other(f"{PATH}/{made.repo_id}/readiness")


def _repositories(
    request: Request,
    caller: Caller,
    *,
    after: str = "",
    search: str = "",
    fault: StationmasterError | None = None,
    url: str = "",
) -> Response:
    require(caller, *menu.MEMBERS)
    services = services_of(request)
    wanted = search.strip().lower()
    # The registry is bounded; a search looks at names alone.
    listed = repos.list_page(services.db, caller.org_id, after=after)
    matching = [known for known in listed if wanted in known.url]
    shown = matching[:PER_PAGE]
    return page(
        "repositories.html",
        caller,
        request,
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        rows=_rows(request, caller, shown),
        more=shown[-1].url if len(matching) > PER_PAGE else None,
        search=search,
        url=url,
        levels=LEVELS,
        may_register=caller.role in menu.MANAGERS,
    )


def _rows(request: Request, caller: Caller, shown: list[Repository]) -> list[Row]:
    db, org = services_of(request).db, caller.org_id
    runs = {run.repository_id: run for run in wikis.newest_runs(db, caller)}
    counts, scanned = finding_store.counts(db, org), scans.commits(db, org)
    rows = []
    for known in shown:
        latest = readiness.latest(db, org, known.repo_id)
        run = runs.get(known.repo_id)
        rows.append(
            Row(
                known,
                None if latest is None else levels.standing(latest.scores),
                counts.get(known.repo_id, Counter()) if known.repo_id in scanned else None,
                None if run is None else run.run_id,
                run is not None and run.origin.commit_hash == known.head_commit,
            )
        )
    return rows


def credential_of(username: str, secret: str) -> Credential | None:
    """What a form says opens a repository; None without a token or password."""
    if not secret:
        return None
    return credential("basic" if username else "token", username or None, secret)
