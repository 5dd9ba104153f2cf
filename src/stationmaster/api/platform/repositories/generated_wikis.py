"""Wikis beyond the published operations: generated, compared, asked, read as files."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Response

from stationmaster.access.model import Caller
from stationmaster.api import callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, router
from stationmaster.api.v0.wiki import QUESTION_MAX, Reader, RunId, run_for
from stationmaster.api.v0.wiki_bodies import WikiRun
from stationmaster.ids import RepoId
from stationmaster.repos import service as repos
from stationmaster.wiki import difference, service
from stationmaster.wiki.making import runs
from stationmaster.wiki.model import PASSAGES_MAX, CodePassage, Details, Passage, Run
from stationmaster.wiki.searching import answering, asking, code
from stationmaster.wiki.transfer import files
from stationmaster.wiki.transfer.names import PATH_BYTES_MAX

routes = router("/api/platform/v1/wiki", "Wiki")

MARKDOWN = "text/markdown"


class WikiChecks(wire.Answer, record=Details, without=("stats",)):
    """Links and citations of a run's pages when it was made. `unresolvedCitations` cite lines
    that are not in the commit; null if the repository was not available. `problems` has the
    first ones."""


class WikiRunDetails(wire.Answer):
    """A run and how it was made. `step` is the current step, null for a run that has ended.

    `stats` counts files, lines and pages of a generated run; `checks` is null if none were
    made. `isPartial`: pages planned by a model are missing or incomplete.
    """

    run: WikiRun
    job_id: str | None
    step: str | None
    stats: dict[str, int]
    is_partial: bool
    checks: WikiChecks | None


class WikiChange(wire.Answer, record=difference.Change):
    """`lines` of a unified difference, for a page that changed; `isCut` if there are more."""


class WikiDifference(wire.Answer):
    """Pages that differ, by path; `same` is the number of others."""

    changes: list[WikiChange]
    same: int


class WikiPassage(wire.Answer, record=Passage):
    """A section of a page, as Markdown with citations of files and lines."""


class WikiCodePassage(wire.Answer, record=CodePassage):
    """The lines `first` to `last` of a file at the run's commit, where the function or type `name`
    begins; secrets are replaced by REDACTED. `url` shows them: at the repository's host, or a
    page of this installation."""


class WikiCitation(wire.Answer, record=answering.Citation):
    """Lines of code, such as `src/app.py:3-9`, and their address."""


class WikiSentence(wire.Answer, record=answering.Said):
    """A sentence that a model wrote; `passages` are the indexes of those that it rests on, from
    0."""

    citations: list[WikiCitation]


class WikiAnswer(wire.Answer, record=answering.Answered):
    """The answer of the operator's model, from the passages only. Each sentence passed the
    checks of names and numbers and an attempt to refute it; `dropped` counts those that did
    not. `fault` is the reason for no answer, null if there is one."""

    sentences: list[WikiSentence]
    fault: str | None


class WikiPassages(wire.Answer):
    """The passages that answer a question, best first, at most one a page, and those of `code`,
    which only a run at a commit that was fetched here has. `answer` is null if it was not
    requested, there is no model, or no passage was found."""

    question: str
    passages: list[WikiPassage]
    code: list[WikiCodePassage]
    answer: WikiAnswer | None


@routes.post("/repositories/{repo_id}/generate", status_code=202)
def generate_wiki(
    services: Opened, repo_id: wire.Identifier, caller: callers.Manager, _: Reader
) -> WikiRun:
    """Generate the wiki of a registered repository at its newest commit: a run that a job
    completes. If a run already waits, the answer is that one. From then on every new commit
    makes a run."""
    db = services.db
    repository = repos.get(db, caller.org_id, RepoId(repo_id))
    run = runs.ask(db, caller.org_id, repository, by=caller)
    return run_for(services, caller, run)


@routes.get("/runs/{wikiRunId}")
def get_wiki_run_details(services: Opened, caller: Reader, wiki_run_id: RunId) -> WikiRunDetails:
    """A run with its state, step and counts."""
    run, _ = service.get(services.db, caller, wiki_run_id)
    return _details(services, caller, run)


@routes.post("/runs/{wikiRunId}/cancel", responses=problems(409))
def cancel_wiki_run(services: Opened, caller: Reader, wiki_run_id: RunId) -> WikiRun:
    """Cancel a pending or running run. Its partial result is not kept.

    409 (`job_ended`) for a run that has ended, `job_changed` if it changed at the same moment.
    """
    run = runs.cancel(services.db, caller, wiki_run_id)
    return run_for(services, caller, run)


@routes.get("/runs/{wikiRunId}/difference/{other}")
def compare_wiki_runs(
    db: Db,
    caller: Reader,
    wiki_run_id: RunId,
    other: Annotated[str, Path(pattern=wire.ID)],
) -> WikiDifference:
    """What changed from the run `other` to this one: pages, and their lines."""
    return WikiDifference.of(difference.between(db, caller, other, wiki_run_id))


@routes.get("/runs/{wikiRunId}/ask")
def ask_wiki_run(
    services: Opened,
    caller: Reader,
    wiki_run_id: RunId,
    q: Annotated[str, Query(max_length=QUESTION_MAX)],
    limit: Annotated[int, Query(ge=1, le=PASSAGES_MAX)] = 5,
    answer: bool = False,
) -> WikiPassages:
    """The passages of a wiki that answer a question in words, each with its page, and up to
    three functions or types of the code. With `answer=true` the operator's model answers from
    them, if there is one.
    """
    settings = services.settings
    passages = asking.passages(services.db, caller, wiki_run_id, q, limit)
    lines = code.passages(services.db, settings, caller, wiki_run_id, q)
    answered = answering.answer(settings, q, passages, lines) if answer else None
    return WikiPassages.of(
        question=q,
        answer=answered and WikiAnswer.of(answered, fault=answered.fault or None),
        passages=passages,
        code=lines,
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
def read_wiki_file(
    db: Db,
    response: Response,
    caller: Reader,
    wiki_run_id: RunId,
    name: Annotated[str, Path(max_length=PATH_BYTES_MAX, examples=["llms.txt"])],
) -> Response:
    """A wiki as files for programs: `llms.txt` lists its pages, `llms-full.txt` has all of them,
    `PATH.md` is one. Errors are JSON.
    """
    text = files.text(db, caller, wiki_run_id, name)
    return Response(text, media_type=f"{MARKDOWN}; charset=utf-8", headers=response.headers)


def _details(services: Opened, caller: Caller, run: Run) -> WikiRunDetails:
    details = service.details(services.db, caller, run.run_id)
    standing = runs.standings(services.db, caller.org_id, [run])[run.run_id]
    return WikiRunDetails.of(
        run=run_for(services, caller, run),
        job_id=run.job_id,
        step=standing.step,
        stats={} if details is None else details.stats,
        is_partial=details is not None and details.is_partial,
        checks=details,
    )
