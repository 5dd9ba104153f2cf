"""`/wiki`: all wikis; `/wiki/RUN/…`: one version; `/repositories/ID/wiki` leads to the newest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from starlette.responses import Response

from stationmaster.errors import BadRequest, Forbidden, NotFound
from stationmaster.repos import service as repos
from stationmaster.web.frame.markdown import render
from stationmaster.web.frame.pages import (
    ManagerVisit,
    MemberVisit,
    Visit,
    router,
    see_other,
)
from stationmaster.web.repositories.repository import known_repository, tab_page
from stationmaster.web.repositories.rows import PATH as REPOSITORIES, short_name
from stationmaster.wiki import difference, service
from stationmaster.wiki.citations import FilePages
from stationmaster.wiki.making import runs
from stationmaster.wiki.model import RESULTS_MAX, Hit, Node, Passage, Run
from stationmaster.wiki.prose.session import has_model
from stationmaster.wiki.searching import answering, asking, code

PATH = "/wiki"
WIKIS_PER_PAGE = 100
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
def open_wiki(visit: MemberVisit, repo_id: str) -> Response:
    """The newest version that is finished; where there is none, what to do about it."""
    repository = known_repository(visit, repo_id)
    _check_enabled(visit)
    versions = service.history(visit.db, visit.caller, repository.url, limit=VERSIONS_MAX)
    newest = next((run for run in versions if run.is_completed), None)
    if newest is not None:
        return see_other(f"{PATH}/{newest.run_id}")
    standing = None
    if versions:
        standing = runs.standings(visit.db, visit.org, versions[:1])[versions[0].run_id]
    return tab_page(visit, repository, "wiki", standing=standing)


@routes.post(REPOSITORIES + "/{repo_id}/wiki")
def generate(visit: ManagerVisit, repo_id: str) -> Response:
    """Have the wiki written at the newest commit; from then on new commits are followed."""
    _check_enabled(visit)
    repository = known_repository(visit, repo_id)
    runs.ask(visit.db, visit.org, repository, by=visit.caller)
    return see_other(f"{REPOSITORIES}/{repository.repo_id}/wiki")


@routes.get(PATH)
def show_wikis(visit: MemberVisit, version: str = "", page: int = 1) -> Response:
    """The newest wiki of each repository, also of those that are not registered; with `version` of
    the form of versions, the wiki that was chosen."""
    _check_enabled(visit)
    if version:
        run, _ = service.get(visit.db, visit.caller, version)
        return see_other(f"{PATH}/{run.run_id}")
    wikis = service.newest(visit.db, visit.caller)
    start = max(page - 1, 0) * WIKIS_PER_PAGE
    return visit.page(
        "wikis.html",
        rows=[
            (run, short_name(run.origin.repo_url), _registered(visit, run))
            for run in wikis[start : start + WIKIS_PER_PAGE]
        ],
        count=len(wikis),
        next_page=page + 1 if len(wikis) > start + WIKIS_PER_PAGE else None,
    )


@routes.get(PATH + "/{run_id}")
def first_page(visit: MemberVisit, run_id: str, search: str = "", answer: bool = False) -> Response:
    """The first page of a version, or the pages and passages of pages and code that answer a
    question; with `answer` what the operator's model answers from them."""
    _check_enabled(visit)
    run, nodes = service.get(visit.db, visit.caller, run_id)
    if question := search[:QUESTION_MAX].strip():
        hits, passages = _answers(visit, run, nodes, question)
        settings, files = visit.settings, _files(visit, run)
        lines = code.passages(visit.db, settings, visit.caller, run_id, question, files)
        shown = [passage for passage, _ in passages]
        answered = answering.answer(settings, question, shown, lines) if answer else None
        return _shown(
            visit,
            run,
            nodes,
            None,
            search=search,
            hits=hits,
            passages=passages,
            code=lines,
            answer=answered,
            may_answer=has_model(settings) and not answer,
        )
    first = next(_walk(nodes), None)
    if first is None:
        raise NotFound("This version has no pages.")
    return see_other(f"{PATH}/{run.run_id}/{first.page_id}")


@routes.get(PATH + "/{run_id}/difference")
def show_difference(
    visit: MemberVisit, run_id: str, since: str, path: str = "", page: int = 1
) -> Response:
    """The pages that differ from another version, and the lines of one of them."""
    _check_enabled(visit)
    run, nodes = service.get(visit.db, visit.caller, run_id)
    other, _ = service.get(visit.db, visit.caller, since)
    pages = difference.pages(visit.db, visit.caller, since, run_id)
    start = max(page - 1, 0) * CHANGES_PER_PAGE
    return _shown(
        visit,
        run,
        nodes,
        None,
        other=other,
        changed=difference.of_page(visit.db, visit.caller, since, run_id, path) if path else None,
        changes=pages.changes[start : start + CHANGES_PER_PAGE],
        change_count=len(pages.changes),
        same=pages.same,
        next_page=page + 1 if len(pages.changes) > start + CHANGES_PER_PAGE else None,
        ids={node.path: node.page_id for node in _walk(nodes)},
    )


@routes.get(PATH + "/{run_id}/{page_id}")
def show_page(visit: MemberVisit, run_id: str, page_id: str) -> Response:
    _check_enabled(visit)
    run, nodes = service.get(visit.db, visit.caller, run_id)
    files = _files(visit, run)
    page, text = service.page(visit.db, visit.caller, run_id, page_id, files)
    addresses = {node.path: f"{PATH}/{run_id}/{node.page_id}" for node in _walk(nodes)}
    own = f"{page.path}/index" if page.is_index else page.path
    trail = [node for node in _walk(nodes) if page.path.startswith(f"{node.path}/")]
    return _shown(
        visit,
        run,
        nodes,
        page_id,
        found=page,
        trail=trail,
        rendered=render(text, own, addresses, "" if files is None else files.prefix),
    )


def _shown(
    visit: Visit, run: Run, nodes: list[Node], page_id: str | None, **values: Any
) -> Response:
    versions = service.history(visit.db, visit.caller, run.origin.repo_url, limit=VERSIONS_MAX)
    return visit.page(
        "wiki.html",
        run=run,
        nodes=nodes,
        is_whole=sum(1 for _ in _walk(nodes)) <= WHOLE_TREE_MAX,
        siblings_max=SIBLINGS_MAX,
        page_id=page_id,
        address=short_name(run.origin.repo_url),
        is_registered=bool(_registered(visit, run)),
        versions=[version for version in versions if version.is_completed],
        **{"search": "", "hits": None, "passages": [], "code": [], "trail": []}
        | {"answer": None, "may_answer": False}
        | {"found": None, "rendered": None, "other": None}
        | values,
    )


def _answers(
    visit: Visit, run: Run, nodes: list[Node], question: str
) -> tuple[list[Hit], list[tuple[Passage, str]]]:
    """The pages with words of a question, and the passages that answer it best, each with its HTML
    below its own heading."""
    files = _files(visit, run)
    addresses = {node.path: f"{PATH}/{run.run_id}/{node.page_id}" for node in _walk(nodes)}
    with_children = {node.path for node in _walk(nodes) if node.children}
    hits, passages = asking.answer(
        visit.db, visit.caller, run.run_id, question, RESULTS_MAX, PASSAGES_SHOWN, files
    )
    shown = []
    for passage in passages:
        own = f"{passage.path}/index" if passage.path in with_children else passage.path
        text = _HEADING.sub("", passage.text, count=1)
        rendered = render(text, own, addresses, "" if files is None else files.prefix)
        shown.append((passage, rendered.html))
    return hits, shown


def _registered(visit: Visit, run: Run) -> bool:
    try:
        return bool(repos.find(visit.db, visit.org, run.origin.repo_url))
    except BadRequest:
        return False


def _files(visit: Visit, run: Run) -> FilePages | None:
    """Where citations lead: to our own pages if the files of the run's commit may be here."""
    if run.origin.commit_hash is None or not _registered(visit, run):
        return None
    return FilePages(f"{REPOSITORIES}/{run.repository_id}/files", run.origin.commit_hash)


def _check_enabled(visit: Visit) -> None:
    if not visit.settings.wiki_enabled:
        raise Forbidden("The wiki is switched off here.", code="wiki_disabled")


def _walk(nodes: list[Node]) -> Iterator[Node]:
    """All nodes of a tree, as a reader meets them from top to bottom."""
    for node in nodes:
        yield node
        yield from _walk(node.children)
