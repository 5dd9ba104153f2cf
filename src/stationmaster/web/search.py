"""`/search`: people, repositories, wiki pages, findings of CI and pages of this application."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import privacy, reads
from stationmaster.access.model import Caller
from stationmaster.pipelines.scanning import findings
from stationmaster.repos import service as repos
from stationmaster.web.frame import menu
from stationmaster.web.frame.pages import page, router
from stationmaster.web.frame.requests import SignedIn, services_of
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


class Hit(NamedTuple):
    """Something that was found: its name, its page, and what tells it from others."""

    name: str
    address: str
    about: str = ""


@routes.get(PATH)
def search(request: Request, caller: SignedIn, q: str = "") -> Response:
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
        (name, list(islice(hits(request, caller, question), OF_A_KIND_MAX)))
        for name, hits in kinds
        if question
    ]
    shown = [(name, hits) for name, hits in groups if hits]
    return page("search.html", caller, request, question=question, groups=shown)


def _pages(_: Request, caller: Caller, question: str) -> Iterator[Hit]:
    for group, entries in menu.shown_to(caller):
        for entry in entries:
            if question.lower() in f"{group} {entry.name}".lower():
                yield Hit(entry.name, entry.path, group)
    for entry in menu.SETTINGS:
        if caller.role in entry.roles and question.lower() in entry.name.lower():
            yield Hit(entry.name, entry.path, "Settings")


def _people(request: Request, caller: Caller, question: str) -> Iterator[Hit]:
    """Members by address and team. Pages of persons are for organizations that show them."""
    if caller.role not in menu.MANAGERS:
        return
    db = services_of(request).db
    is_named = privacy.of(db, caller.org_id).is_named
    wanted = question.lower()
    for member in reads.list_members(db, caller.org_id):
        team = (member.team or "") if is_named else ""
        if wanted in member.email or wanted in team.lower():
            address = f"/people/{member.user_id}" if is_named else "/settings/members"
            yield Hit(member.email, address, team or member.role)


def _repositories(request: Request, caller: Caller, question: str) -> Iterator[Hit]:
    if caller.role not in menu.MEMBERS:
        return
    for known in repos.list_page(services_of(request).db, caller.org_id):
        if question.lower() in known.url.lower():
            yield Hit(short_name(known.url), f"/repositories/{known.repo_id}/readiness")


def _wiki_pages(request: Request, caller: Caller, question: str) -> Iterator[Hit]:
    services = services_of(request)
    if caller.role not in menu.MEMBERS or not services.settings.wiki_enabled:
        return
    for run in wikis.newest_runs(services.db, caller)[:_WIKIS_MAX]:
        for hit in asking.find(services.db, caller, run.run_id, question, OF_A_KIND_MAX):
            address = f"/wiki/{run.run_id}/{hit.page_id}"
            yield Hit(hit.title, address, f"{short_name(run.origin.repo_url)}: {hit.snippet}")


def _findings(request: Request, caller: Caller, question: str) -> Iterator[Hit]:
    if caller.role not in menu.MEMBERS:
        return
    wanted = question.lower()
    everything = findings.Wanted()
    db = services_of(request).db
    for place in findings.page(db, caller.org_id, everything, limit=_FINDINGS_MAX, after=None):
        finding = place.finding
        if wanted in f"{finding.rule} {finding.path} {finding.message}".lower():
            yield Hit(
                finding.message,
                f"/repositories/{place.repository.repo_id}/ci",
                f"{short_name(place.repository.url)}: {finding.path}:{finding.line}",
            )
