"""The rows of `/repositories`: what is known of each repository, searched, sorted, page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cached_property
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import Form
from starlette.responses import Response

from stationmaster import clock
from stationmaster.agents import values
from stationmaster.days import start_ms
from stationmaster.errors import Forbidden, StationmasterError
from stationmaster.ids import RepoId
from stationmaster.pipelines.model import Severity
from stationmaster.pipelines.scanning import finding_store, store as scans
from stationmaster.pipelines.scanning.findings import SEVERITIES
from stationmaster.readiness import levels, service as readiness
from stationmaster.readiness.model import LEVELS, Level, Scores
from stationmaster.repos import service as repos
from stationmaster.repos.model import Credential, Repository, credential
from stationmaster.web.figures import folds, reports
from stationmaster.web.figures.blocks import Column, Row as TableRow, Table
from stationmaster.web.figures.period import Period
from stationmaster.web.frame.pages import (
    ManagerVisit,
    MemberVisit,
    Visit,
    csv_file,
    router,
    see_other,
)
from stationmaster.wiki import reads as wikis
from stationmaster.wiki.model import Run

routes = router()

PATH = "/repositories"
PER_PAGE = 50
DAYS = 30
"""Closed days of which dollars, sessions and the trend are shown."""
SORTS = ("name", "readiness", "findings", "wiki", "cost", "sessions")
_NO_FIGURES = (None, None)


class RepositoryRow(NamedTuple):
    """What the table shows of a repository. None where nothing was read yet."""

    repository: Repository
    standing: levels.LevelResult | None
    before: tuple[Level, float] | None
    """Level and percentage at the beginning of the days, or of the first report since; None without
    another report."""
    findings: Counter[Severity] | None
    """Those that are open."""
    wiki: Run | None
    """The newest one."""
    dollars: float | None
    sessions: float | None

    @property
    def name(self) -> str:
        """The repository's address without its scheme."""
        return short_name(self.repository.url)

    @property
    def is_wiki_current(self) -> bool:
        """True where the newest wiki describes the head of the repository."""
        return self.wiki is not None and (
            self.wiki.origin.commit_hash == self.repository.head_commit
        )

    @property
    def trend(self) -> str:
        """What became of the level, else of the percentage, in words."""
        if self.standing is None or self.before is None:
            return ""
        level, percentage = self.before
        if self.standing.level != level:
            word = "up" if self.standing.level > level else "down"
            return f"{word} from level {level}"
        change = round((self.standing.overall.percentage or 0) - percentage)
        return (
            "unchanged" if change == 0 else f"{abs(change)} points {'up' if change > 0 else 'down'}"
        )


class Listing:
    """One view of the table: what the address requests, and the rows that it shows."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        parameters = visit.request.query_params
        self.search = parameters.get("search", "")[:200]
        order = parameters.get("sort", "")
        self.is_descending = order.startswith("-")
        self.sort = order.removeprefix("-") if order.removeprefix("-") in SORTS else "name"
        page = parameters.get("page", "")
        self.page = max(1, int(page)) if page.isdecimal() and len(page) < 6 else 1
        self.has_figures = visit.is_manager
        self.fault: str | None = None
        """Why there are no dollars and sessions."""

    @cached_property
    def all(self) -> list[Repository]:
        """Every repository that the search finds, sorted. The registry is bounded."""
        text = self.search.strip().lower()
        listed = repos.list_page(self._visit.db, self._visit.org)
        matching = [repository for repository in listed if text in repository.url.lower()]
        if self.sort != "name":
            matching.sort(key=self._key())
        return matching[::-1] if self.is_descending else matching

    @property
    def rows(self) -> list[RepositoryRow]:
        """The rows of this page, PER_PAGE of them at most."""
        start = (self.page - 1) * PER_PAGE
        return [self._row(repository) for repository in self.all[start : start + PER_PAGE]]

    @property
    def next_page(self) -> str | None:
        """The address of the next page; None on the last."""
        if len(self.all) <= self.page * PER_PAGE:
            return None
        return self.link(page=f"{self.page + 1}")

    def link(self, **changes: str) -> str:
        """The address of the table with another order or page."""
        order = f"{'-' if self.is_descending else ''}{self.sort}"
        state = {"search": self.search, "sort": order} | changes
        if state["sort"] == "name":
            del state["sort"]
        query = urlencode({name: value for name, value in state.items() if value})
        return f"{PATH}?{query}" if query else PATH

    def sorted_by(self, sort: str) -> str:
        """The address with the rows by a column: names from A on, figures with the most first, and
        the other way round when they are so already."""
        is_down = not self.is_descending if self.sort == sort else sort != "name"
        return self.link(sort=f"-{sort}" if is_down else sort, page="")

    def calls(self) -> list[str]:
        """The requests to the API that answer the same figures."""
        paths = ["readiness/repositories?limit=100", "ci/findings?state=open&limit=100"]
        base = f"{self._visit.address}/api/platform/v1"
        own = [f"{base}/{path}" for path in paths]
        return own if self._figures is None else [*own, self._figures.call]

    def table(self) -> Table:
        """All rows as a table."""
        figures = (Column("Dollars", "usd"), Column("Sessions")) if self.has_figures else ()
        columns = (
            *(Column(name, "text") for name in ("Id", "Level", "Trend", "Wiki", "Fetched")),
            *(Column(f"Findings {severity}") for severity in SEVERITIES),
            *figures,
        )
        rows = [self._cells(self._row(repository)) for repository in self.all]
        return Table("repositories", "Repositories", "Repository", columns, rows, "")

    def _cells(self, row: RepositoryRow) -> TableRow:
        repository, standing = row.repository, row.standing
        wiki = "" if row.wiki is None else "current" if row.is_wiki_current else "earlier commit"
        counts = [None if row.findings is None else row.findings[name] for name in SEVERITIES]
        cells: list[Any] = [repository.repo_id, standing and standing.level, row.trend, wiki]
        cells += [repository.fetch_error or repository.fetched_at, *counts]
        if self.has_figures:
            cells += [row.dollars, row.sessions]
        return TableRow(row.name, cells)

    def _row(self, repository: Repository) -> RepositoryRow:
        standing = self._standing(repository)
        at = start_ms(clock.today() - timedelta(days=DAYS))
        before = (
            None
            if standing is None
            else readiness.scores_at(self._visit.db, self._visit.org, repository.repo_id, at)
        )
        dollars, sessions = self._worked(repository)
        return RepositoryRow(
            repository,
            standing,
            None if before is None else levels.rank(before),
            self._findings(repository),
            self._wikis.get(repository.repo_id),
            dollars,
            sessions,
        )

    def _key(self) -> Callable[[Repository], tuple[Any, ...]]:
        """What the rows are sorted by; unknown ones are first."""

        def readiness_of(repository: Repository) -> tuple[Any, ...]:
            scores = self._scores.get(repository.repo_id)
            return (0, 0) if scores is None else levels.rank(scores)

        def findings_of(repository: Repository) -> tuple[Any, ...]:
            findings = self._findings(repository)
            return (-1,) if findings is None else tuple(findings[name] for name in SEVERITIES)

        def wiki_of(repository: Repository) -> tuple[Any, ...]:
            run = self._wikis.get(repository.repo_id)
            if run is None:
                return (0, 0)
            return (2 if run.origin.commit_hash == repository.head_commit else 1, run.created_at)

        return {
            "readiness": readiness_of,
            "findings": findings_of,
            "wiki": wiki_of,
            "cost": lambda repository: (self._worked(repository)[0] or 0,),
            "sessions": lambda repository: (self._worked(repository)[1] or 0,),
        }[self.sort]

    def _standing(self, repository: Repository) -> levels.LevelResult | None:
        scores = self._scores.get(repository.repo_id)
        return None if scores is None else levels.standing(scores)

    def _findings(self, repository: Repository) -> Counter[Severity] | None:
        if repository.repo_id not in self._scanned:
            return None
        return self._counts.get(repository.repo_id, Counter())

    def _worked(self, repository: Repository) -> tuple[float | None, float | None]:
        name = values.repository(repository.url)
        dollars, sessions = self._sums.get(name or "", _NO_FIGURES)
        return dollars, sessions

    @cached_property
    def _scores(self) -> Mapping[str, Scores]:
        listed = readiness.repositories(
            self._visit.db, self._visit.org, after="", count=repos.REPOSITORIES_MAX
        )
        return {evaluated.repo_id: evaluated.scores for evaluated in listed}

    @cached_property
    def _counts(self) -> Mapping[RepoId, Counter[Severity]]:
        return finding_store.counts(self._visit.db, self._visit.org)

    @cached_property
    def _scanned(self) -> Mapping[RepoId, str]:
        return scans.commits(self._visit.db, self._visit.org)

    @cached_property
    def _wikis(self) -> Mapping[str, Run]:
        return {
            run.repository_id: run for run in wikis.newest_runs(self._visit.db, self._visit.caller)
        }

    @cached_property
    def _figures(self) -> reports.ReportAnswer | None:
        """The report on spending by repository, where the caller may see it."""
        if not self.has_figures:
            return None
        today = clock.today()
        period = Period(today - timedelta(days=DAYS), today - timedelta(days=1))
        parameters = (("group_by", "repository"), ("period", "month"))
        try:
            return reports.ask(self._visit, "spend", period, parameters)
        except Forbidden as fault:
            self.has_figures, self.fault = False, fault.detail
            return None

    @cached_property
    def _sums(self) -> Mapping[str, list[float | None]]:
        if self._figures is None:
            return {}
        return folds.total(self._figures.rows, ("cost_usd", "sessions"))


def short_name(url: str) -> str:
    """An address without its scheme."""
    return url.rpartition("://")[2]


@routes.get(PATH)
def show_repositories(visit: MemberVisit) -> Response:
    return _repositories(visit)


@routes.post(PATH)
def register(
    visit: ManagerVisit,
    url: Annotated[str, Form()],
    username: Annotated[str, Form()] = "",
    secret: Annotated[str, Form()] = "",
) -> Response:
    """Register a repository, and open its page."""
    try:
        made, _ = repos.register(
            visit.db, visit.services.vault, visit.caller, url, credential_of(username, secret)
        )
    except StationmasterError as fault:
        return _repositories(visit, fault=fault, url=url)
    return see_other(f"{PATH}/{made.repo_id}/readiness")


def _repositories(
    visit: Visit, *, fault: StationmasterError | None = None, url: str = ""
) -> Response:
    listing = Listing(visit)
    if visit.request.query_params.get("csv"):
        return csv_file(listing.table(), "repositories")
    return visit.page(
        "repositories.html",
        error=fault,
        listing=listing,
        url=url,
        levels=LEVELS,
        severities=SEVERITIES,
        may_register=visit.is_manager,
    )


def credential_of(username: str, secret: str) -> Credential | None:
    """What opens a repository according to a form; None without a token or password."""
    if not secret:
        return None
    return credential("basic" if username else "token", username or None, secret)
