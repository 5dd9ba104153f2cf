"""Wikis beyond the published operations: generated, compared, asked, read as files."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Response
from starlette.requests import Request

from stationmaster.access.model import Caller
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import Services, services_of
from stationmaster.api.v0.wiki import QUESTION_MAX, Reader, RunId, run_for
from stationmaster.api.v0.wiki_bodies import WikiRun
from stationmaster.ids import RepoId
from stationmaster.repos import service as repos
from stationmaster.wiki import difference, service
from stationmaster.wiki.making import runs
from stationmaster.wiki.model import PASSAGES_MAX, Details, Run
from stationmaster.wiki.searching import answering, asking
from stationmaster.wiki.searching.answering import Answered
from stationmaster.wiki.transfer import files
from stationmaster.wiki.transfer.names import PATH_BYTES_MAX

routes = router("/api/platform/v1/wiki", "Wiki")

MARKDOWN = "text/markdown"


class WikiChecks(wire.Answer):
    """Links and citations of a run's pages when it was made. `unresolvedCitations` name lines that
    are not in the commit; null where the repository was not at hand. `problems` are the first few.
    """

    links: int
    broken_links: int
    citations: int
    unresolved_citations: int | None
    problems: list[str]


class WikiRunDetails(wire.Answer):
    """A run and how it was made. `step` is what is being done, null for one that has ended.

    `stats` counts files, lines and pages of a generated run; `checks` is null where none were made.
    `isPartial` says that pages which a model planned are missing or incomplete.
    """

    run: WikiRun
    job_id: str | None
    step: str | None
    stats: dict[str, int]
    is_partial: bool
    checks: WikiChecks | None


class WikiChange(wire.Answer):
    """`lines` of a unified difference, for a page that changed; `isCut` where there are more."""

    kind: difference.Kind
    path: str
    title: str
    lines: list[str]
    is_cut: bool


class WikiDifference(wire.Answer):
    """Pages that differ, by path; `same` is how many others there are."""

    changes: list[WikiChange]
    same: int


class WikiPassage(wire.Answer):
    """A section of a page that answers, as Markdown with citations of files and lines."""

    page_id: str
    path: str
    title: str
    headings: list[str]
    text: str
    is_cut: bool


class WikiCitation(wire.Answer):
    """Lines of code, such as `src/app.py:3-9`, and where they can be read."""

    place: str
    url: str


class WikiSentence(wire.Answer):
    """A sentence that a model wrote; `passages` are those that it rests on, counted from 0."""

    text: str
    passages: list[int]
    citations: list[WikiCitation]


class WikiAnswer(wire.Answer):
    """What the operator's model says to a question from the passages alone. Each sentence survived
    the checks of names and numbers and an attempt to refute it; `dropped` did not. `fault` is why
    there is no answer, null where the model gave one.
    """

    model: str
    sentences: list[WikiSentence]
    dropped: int
    fault: str | None


class WikiPassages(wire.Answer):
    """The passages that answer a question, best first, at most one a page. `answer` is null where
    none was asked for, the operator named no model, or no passage was found.
    """

    question: str
    passages: list[WikiPassage]
    answer: WikiAnswer | None


@routes.post("/repositories/{repo_id}/generate", status_code=202)
async def generate_wiki(
    request: Request, repo_id: wire.Identifier, caller: callers.Manager, _: Reader
) -> WikiRun:
    """Write the wiki of a registered repository at its newest commit: a run that a job completes.

    Answers with the run that already waits, if one does. From then on new commits are followed.
    """
    services = services_of(request)
    db = services.db
    known = await blocking.work(repos.get, db, caller.org_id, RepoId(repo_id))
    run = await blocking.work(lambda: runs.ask(db, caller.org_id, known, by=caller))
    return await blocking.read(db, run_for, services, caller, run)


@routes.get("/runs/{wikiRunId}")
async def get_wiki_run_details(
    request: Request, caller: Reader, wiki_run_id: RunId
) -> WikiRunDetails:
    """A run, how far it is, and what was counted."""
    services = services_of(request)
    run, _ = await blocking.read(services.db, service.get, services.db, caller, wiki_run_id)
    return await blocking.work(_details, services, caller, run)


@routes.post("/runs/{wikiRunId}/cancel", responses=problems("Problem", 409))
async def cancel_wiki_run(request: Request, caller: Reader, wiki_run_id: RunId) -> WikiRun:
    """Call off a run that waits or is being made. What it found so far is not kept.

    409 (`job_ended`) for a run that has ended, `job_changed` where it changed at the same moment.
    """
    services = services_of(request)
    run = await blocking.work(runs.cancel, services.db, caller, wiki_run_id)
    return await blocking.read(services.db, run_for, services, caller, run)


@routes.get("/runs/{wikiRunId}/difference/{other}")
async def compare_wiki_runs(
    request: Request,
    caller: Reader,
    wiki_run_id: RunId,
    other: Annotated[str, Path(pattern=wire.ID)],
) -> WikiDifference:
    """What changed from the run `other` to this one: pages, and their lines."""
    db = services_of(request).db
    found = await blocking.work(difference.between, db, caller, other, wiki_run_id)
    return WikiDifference(
        changes=[
            WikiChange(
                kind=change.kind,
                path=change.path,
                title=change.title,
                lines=list(change.lines),
                is_cut=change.is_cut,
            )
            for change in found.changes
        ],
        same=found.same,
    )


@routes.get("/runs/{wikiRunId}/ask")
async def ask_wiki_run(
    request: Request,
    caller: Reader,
    wiki_run_id: RunId,
    q: Annotated[str, Query(max_length=QUESTION_MAX)],
    limit: Annotated[int, Query(ge=1, le=PASSAGES_MAX)] = 5,
    answer: bool = False,
) -> WikiPassages:
    """The passages of a wiki that answer a question in words, each with its page. With
    `answer=true` the operator's model answers from them, if there is one.
    """
    services = services_of(request)
    passages = await blocking.work(asking.passages, services.db, caller, wiki_run_id, q, limit)
    told = None
    if answer:
        told = await blocking.work(answering.answer, services.settings, q, passages)
    return WikiPassages(
        question=q,
        answer=None if told is None else _answer(told),
        passages=[
            WikiPassage(
                page_id=passage.page_id,
                path=passage.path,
                title=passage.title,
                headings=list(passage.headings),
                text=passage.text,
                is_cut=passage.is_cut,
            )
            for passage in passages
        ],
    )


@routes.get(
    "/runs/{wikiRunId}/files/{name:path}",
    response_class=Response,
    responses={
        200: {
            "description": "The file as Markdown.",
            "content": {MARKDOWN: {"schema": {"type": "string"}}},
        }
    },
)
async def read_wiki_file(
    request: Request,
    response: Response,
    caller: Reader,
    wiki_run_id: RunId,
    name: Annotated[str, Path(max_length=PATH_BYTES_MAX, examples=["llms.txt"])],
) -> Response:
    """A wiki as files for programs: `llms.txt` lists its pages, `llms-full.txt` has all of them,
    `PATH.md` is one. Errors are JSON.
    """
    text = await blocking.work(files.text, services_of(request).db, caller, wiki_run_id, name)
    return Response(text, media_type=f"{MARKDOWN}; charset=utf-8", headers=response.headers)


def _answer(told: Answered) -> WikiAnswer:
    return WikiAnswer(
        model=told.model,
        sentences=[
            WikiSentence(
                text=sentence.text,
                passages=list(sentence.passages),
                citations=[WikiCitation(place=at.place, url=at.url) for at in sentence.citations],
            )
            for sentence in told.sentences
        ],
        dropped=told.dropped,
        fault=told.fault or None,
    )


def _details(services: Services, caller: Caller, run: Run) -> WikiRunDetails:
    details = service.details(services.db, caller, run.run_id)
    standing = runs.standings(services.db, caller.org_id, [run])[run.run_id]
    return WikiRunDetails(
        run=run_for(services, caller, run),
        job_id=run.job_id,
        step=standing.step,
        stats={} if details is None else details.stats,
        is_partial=details is not None and details.is_partial,
        checks=None if details is None else _checks(details),
    )


def _checks(details: Details) -> WikiChecks:
    return WikiChecks(
        links=details.links,
        broken_links=details.broken_links,
        citations=details.citations,
        unresolved_citations=details.unresolved_citations,
        problems=list(details.problems),
    )
