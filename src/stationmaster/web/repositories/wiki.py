"""`/wiki/RUN/…`: reading a version of a repository's wiki; `/repositories/ID/wiki` leads to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.errors import BadRequest, Forbidden, NotFound
from stationmaster.repos import service as repos
from stationmaster.web.frame import menu
from stationmaster.web.frame.markdown import render
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of
from stationmaster.web.repositories.repository import known_repository, tab_page
from stationmaster.web.repositories.rows import PATH as REPOSITORIES
from stationmaster.web.repositories.rows import short_name
from stationmaster.wiki import difference, service
from stationmaster.wiki.citations import FilePages
from stationmaster.wiki.making import runs
from stationmaster.wiki.model import RESULTS_MAX, Hit, Node, Passage, Run
from stationmaster.wiki.prose.session import has_model
from stationmaster.wiki.searching import answering, asking

PATH = "/wiki"
VERSIONS_MAX = 20
QUESTION_MAX = 500
PASSAGES_SHOWN = 3
_HEADING = re.compile(r"\A#{1,6}[ \t].*\n?")
CHANGES_PER_PAGE = 100
WHOLE_TREE_MAX = 150
"""Pages of a wiki whose tree is shown whole, folded; of a larger one only the present branch is."""
SIBLINGS_MAX = 100

routes = router()


@routes.get(REPOSITORIES + "/{repo_id}/wiki")
def open_wiki(request: Request, caller: SignedIn, repo_id: str) -> Response:
    """The newest version that is finished; where there is none, what to do about it."""
    known = known_repository(request, caller, repo_id)
    _check_enabled(request)
    db = services_of(request).db
    versions = service.history(db, caller, known.url, limit=VERSIONS_MAX)
    newest = next((run for run in versions if run.is_completed), None)
    if newest is not None:
        return see_other(f"{PATH}/{newest.run_id}")
    standing = None
    if versions:
        standing = runs.standings(db, caller.org_id, versions[:1])[versions[0].run_id]
    return tab_page(request, caller, known, "wiki", standing=standing)


@routes.post(REPOSITORIES + "/{repo_id}/wiki")
def generate(request: Request, caller: SignedIn, repo_id: str) -> Response:
    """Have the wiki written at the newest commit; from then on new commits are followed."""
    require(caller, *menu.MANAGERS)
    _check_enabled(request)
    known = known_repository(request, caller, repo_id)
    runs.ask(services_of(request).db, caller.org_id, known, by=caller)
    return see_other(f"{REPOSITORIES}/{known.repo_id}/wiki")


@routes.get(PATH)
def choose_version(request: Request, caller: SignedIn, version: str) -> Response:
    """From the form of versions to the one that was chosen."""
    run, _ = service.get(services_of(request).db, caller, version)
    return see_other(f"{PATH}/{run.run_id}")


@routes.get(PATH + "/{run_id}")
def first_page(
    request: Request, caller: SignedIn, run_id: str, search: str = "", answer: bool = False
) -> Response:
    """The first page of a version, or the pages and passages that answer a question; with `answer`
    what the operator's model says from them."""
    require(caller, *menu.MEMBERS)
    _check_enabled(request)
    db = services_of(request).db
    run, nodes = service.get(db, caller, run_id)
    if question := search[:QUESTION_MAX].strip():
        hits, passages = _found(request, caller, run, nodes, question)
        settings = services_of(request).settings
        shown = [passage for passage, _ in passages]
        told = answering.answer(settings, question, shown) if answer else None
        return _shown(
            request,
            caller,
            run,
            nodes,
            None,
            search=search,
            hits=hits,
            passages=passages,
            answer=told,
            may_answer=has_model(settings) and not answer,
        )
    first = next(_walk(nodes), None)
    if first is None:
        raise NotFound("This version has no pages.")
    return see_other(f"{PATH}/{run.run_id}/{first.page_id}")


@routes.get(PATH + "/{run_id}/difference")
def show_difference(
    request: Request, caller: SignedIn, run_id: str, since: str, path: str = "", page: int = 1
) -> Response:
    """The pages that differ from another version, and the lines of one of them."""
    require(caller, *menu.MEMBERS)
    _check_enabled(request)
    db = services_of(request).db
    run, nodes = service.get(db, caller, run_id)
    other, _ = service.get(db, caller, since)
    pages = difference.pages(db, caller, since, run_id)
    start = max(page - 1, 0) * CHANGES_PER_PAGE
    return _shown(
        request,
        caller,
        run,
        nodes,
        None,
        other=other,
        changed=difference.of_page(db, caller, since, run_id, path) if path else None,
        changes=pages.changes[start : start + CHANGES_PER_PAGE],
        change_count=len(pages.changes),
        same=pages.same,
        next_page=page + 1 if len(pages.changes) > start + CHANGES_PER_PAGE else None,
        ids={node.path: node.page_id for node in _walk(nodes)},
    )


@routes.get(PATH + "/{run_id}/{page_id}")
def show_page(request: Request, caller: SignedIn, run_id: str, page_id: str) -> Response:
    require(caller, *menu.MEMBERS)
    _check_enabled(request)
    db = services_of(request).db
    run, nodes = service.get(db, caller, run_id)
    files = _files(request, caller, run)
    found, text = service.page(db, caller, run_id, page_id, files)
    addresses = {node.path: f"{PATH}/{run_id}/{node.page_id}" for node in _walk(nodes)}
    own = f"{found.path}/index" if found.is_index else found.path
    trail = [node for node in _walk(nodes) if found.path.startswith(f"{node.path}/")]
    return _shown(
        request,
        caller,
        run,
        nodes,
        page_id,
        found=found,
        trail=trail,
        rendered=render(text, own, addresses, "" if files is None else files.prefix),
    )


def _shown(
    request: Request,
    caller: Caller,
    run: Run,
    nodes: list[Node],
    page_id: str | None,
    **values: Any,
) -> Response:
    db = services_of(request).db
    versions = service.history(db, caller, run.origin.repo_url, limit=VERSIONS_MAX)
    return page(
        "wiki.html",
        caller,
        request,
        run=run,
        nodes=nodes,
        is_whole=sum(1 for _ in _walk(nodes)) <= WHOLE_TREE_MAX,
        siblings_max=SIBLINGS_MAX,
        page_id=page_id,
        address=short_name(run.origin.repo_url),
        is_registered=bool(_registered(request, caller, run)),
        versions=[version for version in versions if version.is_completed],
        **{"search": "", "hits": None, "passages": [], "trail": []}
        | {"answer": None, "may_answer": False}
        | {"found": None, "rendered": None, "other": None}
        | values,
    )


def _found(
    request: Request, caller: Caller, run: Run, nodes: list[Node], question: str
) -> tuple[list[Hit], list[tuple[Passage, str]]]:
    """The pages with words of a question, and the passages that answer it best, each with its HTML
    below its own heading."""
    files = _files(request, caller, run)
    addresses = {node.path: f"{PATH}/{run.run_id}/{node.page_id}" for node in _walk(nodes)}
    with_children = {node.path for node in _walk(nodes) if node.children}
    hits, passages = asking.answer(
        services_of(request).db, caller, run.run_id, question, RESULTS_MAX, PASSAGES_SHOWN, files
    )
    shown = []
    for passage in passages:
        own = f"{passage.path}/index" if passage.path in with_children else passage.path
        text = _HEADING.sub("", passage.text, count=1)
        rendered = render(text, own, addresses, "" if files is None else files.prefix)
        shown.append((passage, rendered.html))
    return hits, shown


def _registered(request: Request, caller: Caller, run: Run) -> bool:
    try:
        return bool(repos.find(services_of(request).db, caller.org_id, run.origin.repo_url))
    except BadRequest:
        return False


def _files(request: Request, caller: Caller, run: Run) -> FilePages | None:
    """Where citations lead: to our own pages if the files of the run's commit may be here."""
    if run.origin.commit_hash is None or not _registered(request, caller, run):
        return None
    return FilePages(f"{REPOSITORIES}/{run.repository_id}/files", run.origin.commit_hash)


def _check_enabled(request: Request) -> None:
    if not services_of(request).settings.wiki_enabled:
        raise Forbidden("The wiki is switched off here.", code="wiki_disabled")


def _walk(nodes: list[Node]) -> Iterator[Node]:
    """All nodes of a tree, as a reader meets them from top to bottom."""
    for node in nodes:
        yield node
        yield from _walk(node.children)
