"""Wiki runs: upload, list, read, search, export."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Path, Query, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.requests import Request

from stationmaster.access.model import Caller
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, router, takes_uploads
from stationmaster.api.services import services_of
from stationmaster.api.v0.wiki_bodies import (
    Deleted,
    PrivacyChange,
    UploadAccess,
    WikiPage,
    WikiRun,
    WikiRuns,
    WikiRunWithPages,
    WikiSearch,
    WikiUpload,
    run_of,
)
from stationmaster.children import limits
from stationmaster.children.calling import call
from stationmaster.errors import Forbidden, Unavailable
from stationmaster.repos import addresses
from stationmaster.wiki import service
from stationmaster.wiki.checks import commit
from stationmaster.wiki.making import runs
from stationmaster.wiki.model import RESULTS_MAX, PrivacyLevel, Run, Upload
from stationmaster.wiki.searching import asking
from stationmaster.wiki.transfer import layout, preparing, uploads
from stationmaster.wiki.transfer.archives import MEDIA_TYPE

routes = router("/api/v0/wiki", "Wiki")

_JSON = "application/json"
_HISTORY = b"/api/v0/wiki/history/"
_ENCODED = re.compile(r"%(?:2f|3a)", re.IGNORECASE)
_MERGED = re.compile(r"^([A-Za-z+]+):/+")
QUESTION_MAX = 500
UPLOAD_WAIT_S = 20.0
"""How long an upload waits for others that are being checked."""
T = TypeVar("T")


async def _enabled(request: Request, caller: callers.Member) -> Caller:
    if not services_of(request).settings.wiki_enabled:
        raise Forbidden("The wiki is switched off here.", code="wiki_disabled")
    return caller


Reader = Annotated[Caller, Depends(_enabled)]
"""A member, while the wiki is switched on."""
RunId = Annotated[str, Path(alias="wikiRunId", pattern=wire.ID)]
Address = Query(alias="repoUrl", max_length=addresses.LENGTH_MAX)


def _runs(services: Opened, caller: Caller, wiki_runs: Sequence[Run]) -> list[WikiRun]:
    standings = runs.standings(services.db, caller.org_id, wiki_runs)
    spelled = services.settings.vendor_spellings
    return [
        run_of(run, caller, standings[run.run_id], with_vendor_spellings=spelled)
        for run in wiki_runs
    ]


def run_for(services: Opened, caller: Caller, run: Run) -> WikiRun:
    """A run as a caller sees it."""
    return _runs(services, caller, [run])[0]


@routes.get("", response_model=WikiRuns)
@blocking.reads
def list_wiki_runs(services: Opened, response: Response, caller: Reader) -> Response:
    """The newest run of each repository, newest first."""
    newest = service.newest(services.db, caller)
    return wire.body_answer(
        WikiRuns(wiki_runs=_runs(services, caller, newest)),
        response,
        exclude_unset=True,
    )


@routes.post(
    "",
    status_code=201,
    response_model_exclude_unset=True,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                _JSON: {"schema": WikiUpload.description()},
                MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}},
            },
        }
    },
)
@takes_uploads
async def create_wiki_run(
    services: Opened,
    request: Request,
    caller: Reader,
    repo_url: Annotated[str | None, Address] = None,
    commit_hash: Annotated[
        str | None, Query(alias="commitHash", max_length=uploads.COMMIT_MAX)
    ] = None,
    branch: Annotated[str | None, Query(max_length=uploads.WORD_MAX)] = None,
    has_local_changes: Annotated[bool | None, Query(alias="hasLocalChanges")] = None,
    has_non_remote_commits: Annotated[bool | None, Query(alias="hasNonRemoteCommits")] = None,
    privacy_level: Annotated[PrivacyLevel, Query(alias="privacyLevel")] = "organization",
) -> WikiRun:
    """Create a run from uploaded pages, all of them or none.

    The body is JSON, or a zip archive in the layout of the export. Query parameters apply only
    to an archive, and override its `wiki.json`.
    """
    body = await request.body()
    if wire.media_type(request) == _JSON:
        upload = await blocking.work(_of_json, body)
    else:
        fields: dict[str, Any] = {
            "repo_url": repo_url,
            "commit_hash": commit_hash,
            "branch": branch,
            "has_local_changes": has_local_changes,
            "has_non_remote_commits": has_non_remote_commits,
        }
        read = partial(_apart, services, caller, layout.read, body, fields, privacy_level)
        upload = await blocking.work(read)
    run = await blocking.work(_create, services, caller, upload)
    return await blocking.read(services.db, run_for, services, caller, run)


def _create(services: Opened, caller: Caller, upload: Upload) -> Run:
    db = services.db
    source = commit.source_of(db, services.settings, caller.org_id, upload.origin)
    prepared = _apart(services, caller, preparing.prepared, upload, source, {})
    return service.create(db, caller, upload, prepared)


def _apart(services: Opened, caller: Caller, function: Callable[..., T], *arguments: Any) -> T:
    """What a child process makes of an upload. Raises Unavailable while too many others wait."""
    with services.uploads.of(caller.org_id, UPLOAD_WAIT_S) as is_mine:
        if not is_mine:
            raise Unavailable("Other uploads are being checked; try again.", code="uploads_busy")
        return call(limits.of(services.settings), function, *arguments)


def _of_json(body: bytes) -> Upload:
    try:
        return WikiUpload.model_validate_json(body).upload()
    except ValidationError as fault:
        faults = [{**error, "loc": ("body", *error["loc"])} for error in fault.errors()]
        raise RequestValidationError(faults) from fault


@routes.get("/upload-access")
async def get_upload_access(
    caller: Reader,  # noqa: ARG001 - that there is one is the answer
    repo_url: Annotated[str, Address],
) -> UploadAccess:
    """Check whether the caller may upload a wiki of this repository; 403 if not."""
    addresses.normalise(repo_url)
    return UploadAccess(allowed=True)


@routes.get(
    "/history/{repoUrl:path}",
    operation_id="GetListWikiRunHistoryForARepository",
    response_model=WikiRuns,
)
@blocking.reads
def list_history(
    services: Opened,
    request: Request,
    response: Response,
    caller: Reader,
    repo_url: Annotated[str, Path(alias="repoUrl", max_length=addresses.LENGTH_MAX)],
    limit: Annotated[int, Query(ge=1, le=wire.PAGE_MAX)] = wire.PAGE_MAX,
    cursor: Annotated[str | None, Query(pattern=wire.ID)] = None,
) -> Response:
    """The runs of a repository, newest first; an empty list if there is no wiki. The address is
    percent-encoded in one segment, or the unencoded rest of the path."""
    db, address = services.db, _address(request, repo_url)
    listed = service.history(db, caller, address, limit=limit + 1, before=cursor)
    page, pagination = wire.paged(listed, limit, lambda run: run.run_id)
    shown = _runs(services, caller, page)
    return wire.body_answer(
        WikiRuns(wiki_runs=shown, pagination=pagination), response, exclude_unset=True
    )


def _address(request: Request, decoded: str) -> str:
    """The repository's address of a request, decoded once where it was sent encoded.

    An address that was sent plain must not be decoded: its own escapes belong to it. Servers on the
    way may make one slash of the two after its scheme.
    """
    raw: bytes = request.scope.get("raw_path") or b""
    rest = raw.partition(_HISTORY)[2].decode("latin-1")
    is_as_it_was = "/" in rest and not _ENCODED.search(rest)
    text = rest if is_as_it_was else decoded
    return _MERGED.sub(r"\1://", text)


@routes.get("/{wikiRunId}", response_model=WikiRunWithPages)
@blocking.reads
def get_wiki_run(
    services: Opened, response: Response, caller: Reader, wiki_run_id: RunId
) -> Response:
    """One run and its page tree."""
    run, nodes = service.get(services.db, caller, wiki_run_id)
    shown = run_for(services, caller, run)
    body = shown.model_dump(by_alias=True, exclude_unset=True)
    return wire.JsonResponse({**body, "pageTree": nodes}, headers=response.headers)


@routes.get("/{wikiRunId}/pages/{pageId}", response_model=WikiPage)
@blocking.reads
def get_wiki_page(
    db: Db,
    response: Response,
    caller: Reader,
    wiki_run_id: RunId,
    page_id: Annotated[str, Path(alias="pageId", pattern=wire.ID)],
) -> Response:
    """One page of a run, as Markdown; for a section without a page, an index of its pages."""
    page, content = service.page(db, caller, wiki_run_id, page_id)
    shown = WikiPage.of(page, content=content)
    return wire.body_answer(shown, response, exclude_unset=True)


@routes.get("/{wikiRunId}/search", response_model=WikiSearch)
def search_wiki_run(
    db: Db,
    response: Response,
    caller: Reader,
    wiki_run_id: RunId,
    q: Annotated[str, Query(max_length=QUESTION_MAX)],
    limit: Annotated[int, Query(ge=1, le=RESULTS_MAX)] = 10,
) -> Response:
    """The pages of a run with words of `q`, best match first.

    A word also finds its other forms and, from three letters on, longer words that begin with it.
    Punctuation, operators and words such as "how" and "the" are ignored. `matchCount` is the
    number of
    the page's sections with at least one of the words.
    """
    results = asking.find(db, caller, wiki_run_id, q, limit)
    return wire.body_answer(WikiSearch.of(results=results), response, exclude_unset=True)


@routes.post("/{wikiRunId}/privacy", response_model_exclude_unset=True)
def set_wiki_privacy(
    services: Opened, caller: Reader, wiki_run_id: RunId, change: PrivacyChange
) -> WikiRun:
    """Make a run visible to its creator only, or to the organization."""
    run = service.set_privacy(services.db, caller, wiki_run_id, change.privacy_level)
    return run_for(services, caller, run)


@routes.delete("/{wikiRunId}")
def delete_wiki_run(db: Db, caller: Reader, wiki_run_id: RunId) -> Deleted:
    """Delete a run permanently, with pages and images that no other run uses."""
    service.remove(db, caller, wiki_run_id)
    return Deleted(deleted=True)


@routes.get(
    "/{wikiRunId}/export",
    response_class=Response,
    responses={
        200: {
            "description": "The run as a zip archive.",
            "content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
        },
        **problems(409),
    },
)
def export_wiki_run(db: Db, response: Response, caller: Reader, wiki_run_id: RunId) -> Response:
    """A run as a zip archive; the same run always gives the same bytes. Errors are JSON.

    409 (`run_not_completed`) for a run that is not completed.
    """
    name, content = service.export(db, caller, wiki_run_id)
    headers = {**response.headers, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=MEDIA_TYPE, headers=headers)
