"""GET /api/v1/analytics/{tokens,tools,activity,productivity,users}."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from functools import partial
from typing import IO, NamedTuple, cast

from starlette.concurrency import iterate_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from stationmaster.access.model import Caller
from stationmaster.analytics import person_ids, queries, reports
from stationmaster.analytics.formats import export
from stationmaster.analytics.model import FACT_COLUMNS, AnswerDocuments, Question
from stationmaster.api import blocking, callers, wire
from stationmaster.api.edge import Route
from stationmaster.api.services import Services, services_of
from stationmaster.api.v1.description import insight, operation, own_usage
from stationmaster.report_names import DIMENSIONS, INSIGHTS, REPORTS, Insight, Report

PREFIX = "/api/v1/analytics/"
INSIGHTS_PREFIX = "/api/platform/v1/analytics/"
OWN = "/api/platform/v1/me/usage"
FILTERS = (*DIMENSIONS, *FACT_COLUMNS)
"""The parameters of which every value counts, where a report knows them."""
_FILE_CHUNK = 256 * 1024


class _Asked(NamedTuple):
    """A question with its answer; None where documents have to be made first."""

    caller: Caller
    headers: dict[str, str]
    question: Question
    form: export.Format
    found: AnswerDocuments | None


async def answer(report: Report | Insight, request: Request, *, is_own: bool = False) -> Response:
    """One report for the caller's organization, in the form that `Accept` prefers; with `is_own`
    of the caller alone, whatever the role and the privacy mode."""
    services = services_of(request)
    ask = partial(_ask, services, report, request, is_own=is_own)
    asked = await callers.read_as(request, ask)
    caller, headers, question, form, report_answer = asked
    if report_answer is None:
        await blocking.work(services.freshness.ensure_asked, question)
        # Slices are folded, which takes longer than a read.
        report_answer = await (
            blocking.few(services.folding, reports.find, services.db, question)
            if question.is_sliced
            else blocking.read(services.db, reports.find, services.db, question)
        )
    tag = reports.etag(report_answer, form)
    headers["ETag"] = tag
    headers["Cache-Control"] = "private, no-cache"
    headers["Vary"] = "Authorization, Accept"
    headers["X-Stationmaster-Revision"] = str(report_answer.revision)
    if wire.matches(wire.header(request, b"if-none-match"), tag):
        services.analytics_limit.give_back(caller.key_id, caller.org_id)
        return Response(status_code=304, headers=headers)
    if form != "json":
        headers |= _export_headers(report_answer, form)
    return await _render(services, report_answer, form, headers)


def _ask(
    services: Services,
    report: Report | Insight,
    request: Request,
    caller: Caller,
    *,
    is_own: bool,
) -> _Asked:
    """All that is done before the answer is rendered; it may run in a thread."""
    callers.require_figures(caller, is_own=is_own)
    headers = services.analytics_limit.take(caller.key_id, caller.org_id)
    services.last_use.note(caller)
    parameters = wire.query(request)
    wanted = {name: wire.values(request, name) for name in FILTERS if name in parameters}
    if is_own:
        wanted["user"] = list(person_ids.of(services.db, caller.org_id, caller.principal_id))
    db, org, mode = services.db, caller.org_id, caller.privacy
    question = queries.asked(
        db, services.settings, org, report, parameters, wanted, mode, is_own=is_own
    )
    form = export.negotiate(wire.header(request, b"accept"))
    is_current = not question.is_sliced and services.freshness.is_current(
        question.org, question.range
    )
    report_answer = reports.find(services.db, question) if is_current else None
    return _Asked(caller, headers, question, form, report_answer)


async def _render(
    services: Services, report_answer: AnswerDocuments, form: export.Format, headers: dict[str, str]
) -> Response:
    if form == "parquet":
        file = _file_chunks(await blocking.work(_parquet, services, report_answer))
        return StreamingResponse(file, headers=headers, media_type=export.MEDIA[form])
    chunks = _chunks(services, report_answer, form)
    if reports.is_large(report_answer):
        is_kept = report_answer.bodies is not None and form == "json"
        parts = wire.in_turn(chunks) if is_kept else chunks
        return StreamingResponse(parts, headers=headers, media_type=export.MEDIA[form])
    return Response(b"".join(chunks), headers=headers, media_type=export.MEDIA[form])


def _chunks(
    services: Services, report_answer: AnswerDocuments, form: export.Format
) -> Iterator[bytes]:
    if form == "csv":
        return export.to_csv(
            report_answer.question.name, reports.documents(services.db, report_answer)
        )
    if form == "ndjson":
        return export.to_ndjson(reports.documents(services.db, report_answer))
    return reports.envelope(services.db, report_answer)


def _parquet(services: Services, report_answer: AnswerDocuments) -> IO[bytes]:
    """A Parquet file, in memory while it is small; its footer is last, so it must be whole."""
    scratch = services.settings.scratch_dir
    scratch.mkdir(parents=True, exist_ok=True)
    # It outlives this call: its sender closes it.
    file = cast(
        IO[bytes],
        tempfile.SpooledTemporaryFile(max_size=reports.WHOLE_BYTES_MAX, dir=str(scratch)),  # noqa: SIM115
    )
    try:
        rows = reports.documents(services.db, report_answer)
        export.to_parquet(report_answer.question.name, rows, file)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


async def _file_chunks(file: IO[bytes]) -> AsyncIterator[bytes]:
    with closing(file):
        async for chunk in iterate_in_threadpool(iter(partial(file.read, _FILE_CHUNK), b"")):
            yield chunk


def _export_headers(report_answer: AnswerDocuments, form: export.Format) -> dict[str, str]:
    """A file name, and where the next page of users starts: these forms have no `meta`."""
    days = report_answer.question.range
    name = f"{report_answer.question.name}_{days.first}_{days.last}.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if report_answer.next_cursor is not None:
        headers["X-Stationmaster-Next-Cursor"] = report_answer.next_cursor
    return headers


ROUTES = (
    *(
        Route("GET", PREFIX + report, partial(answer, report), operation(report))
        for report in REPORTS
    ),
    *(
        Route("GET", INSIGHTS_PREFIX + report, partial(answer, report), insight(report))
        for report in INSIGHTS
    ),
    Route("GET", OWN, partial(answer, "spend", is_own=True), own_usage()),
)
