"""`/search`: people, repositories, wiki pages, findings of CI and pages of this application."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from starlette.responses import Response

from stationmaster.access import privacy, reads
from stationmaster.pipelines.scanning import findings
from stationmaster.repos import service as repos
from stationmaster.web.frame import menu
from stationmaster.web.frame.pages import AnyVisit, Visit, router
from stationmaster.web.repositories.rows import short_name
from stationmaster.wiki import reads as wikis
from stationmaster.wiki.searching import asking

PATH = "/search"
LENGTH_MAX = 200
OF_A_KIND_MAX = 10
_WIKIS_MAX = 20
"""Newest wikis that are searched; more are found on their repositories' pages."""
_FINDINGS_MAX = 2_000

routes = router()


class SearchHit(NamedTuple):
    """Something that was found: its name, its page, and what distinguishes it from others."""

    name: str
    address: str
    about: str = ""


@routes.get(PATH)
def search(visit: AnyVisit, q: str = "") -> Response:
    """What fits a question, by kind, at most OF_A_KIND_MAX of each."""
    question = q[:LENGTH_MAX].strip()
    kinds = (
        ("Pages", _pages),
        ("People", _people),
        ("Repositories", _repositories),
        ("Wiki pages", _wiki_pages),
        ("CI findings", _findings),
    )
    groups = [
        (name, list(islice(hits(visit, question), OF_A_KIND_MAX)))
        for name, hits in kinds
        if question
    ]
    shown = [(name, hits) for name, hits in groups if hits]
    return visit.page("search.html", question=question, groups=shown)


def _pages(visit: Visit, question: str) -> Iterator[SearchHit]:
    for group, entries in menu.shown_to(visit.caller):
        for entry in entries:
            if question.lower() in f"{group} {entry.name}".lower():
                yield SearchHit(entry.name, entry.path, group)
    for entry in menu.SETTINGS:
        if visit.caller.role in entry.roles and question.lower() in entry.name.lower():
            yield SearchHit(entry.name, entry.path, "Settings")


def _people(visit: Visit, question: str) -> Iterator[SearchHit]:
    """Members by address and team. Pages of persons are for organizations that show them."""
    if not visit.is_manager:
        return
    is_named = privacy.of(visit.db, visit.org).is_named
    text = question.lower()
    for member in reads.list_members(visit.db, visit.org):
        team = (member.team or "") if is_named else ""
        if text in member.email or text in team.lower():
            address = f"/people/{member.user_id}" if is_named else "/settings/members"
            yield SearchHit(member.email, address, team or member.role)


def _repositories(visit: Visit, question: str) -> Iterator[SearchHit]:
    if visit.caller.role not in menu.MEMBERS:
        return
    for repository in repos.list_page(visit.db, visit.org):
        if question.lower() in repository.url.lower():
            yield SearchHit(
                short_name(repository.url), f"/repositories/{repository.repo_id}/readiness"
            )


def _wiki_pages(visit: Visit, question: str) -> Iterator[SearchHit]:
    if visit.caller.role not in menu.MEMBERS or not visit.settings.wiki_enabled:
        return
    for run in wikis.newest_runs(visit.db, visit.caller)[:_WIKIS_MAX]:
        for hit in asking.find(visit.db, visit.caller, run.run_id, question, OF_A_KIND_MAX):
            address = f"/wiki/{run.run_id}/{hit.page_id}"
            yield SearchHit(hit.title, address, f"{short_name(run.origin.repo_url)}: {hit.snippet}")


def _findings(visit: Visit, question: str) -> Iterator[SearchHit]:
    if visit.caller.role not in menu.MEMBERS:
        return
    text = question.lower()
    everything = findings.FindingFilter()
    for place in findings.page(visit.db, visit.org, everything, limit=_FINDINGS_MAX, after=None):
        finding = place.finding
        if text in f"{finding.rule} {finding.path} {finding.message}".lower():
            yield SearchHit(
                finding.message,
                f"/repositories/{place.repository.repo_id}/ci",
                f"{short_name(place.repository.url)}: {finding.path}:{finding.line}",
            )
