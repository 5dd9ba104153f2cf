"""Readiness reports, under the two published paths."""

from __future__ import annotations

from typing import Annotated, Literal, Self
from uuid import UUID

import msgspec
from fastapi import Query
from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError
from starlette.responses import Response

from stationmaster.api import callers, wire
from stationmaster.api.openapi import Object, described, problems
from stationmaster.api.routing import Opened, router
from stationmaster.api.wire import json_answer
from stationmaster.errors import BadRequest
from stationmaster.readiness import model, service
from stationmaster.readiness.forms.answer import spelled
from stationmaster.repos.addresses import LENGTH_MAX

routes = router("/api/organization", "Readiness")

CRITERIA_MAX = 500
APPS_MAX = 500
KINDS_MAX = 20
_PLACES_MAX = 20
COUNT_MAX = 1_000_000
_MS_MAX = 253_402_300_799_999
"""The end of the year 9999, the last one that dates can express."""
_PRINTABLE = r"^[^\x00-\x08\x0b-\x1f\x7f]*$"


def _whole(number: float) -> int | float:
    """A count as people write it: 3, not 3.0."""
    return int(number) if number.is_integer() else number


def _effort(word: object) -> model.Effort:
    try:
        return model.effort_of(str(word))
    except BadRequest as fault:
        raise PydanticCustomError("effort", fault.detail.removesuffix(".")) from fault


Prose = Annotated[str, Field(min_length=1, max_length=4000, pattern=_PRINTABLE)]
Line = Annotated[str, Field(min_length=1, max_length=500, pattern=wire.ONE_LINE)]
Criterion = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$")]
Commit = Annotated[
    str, Field(pattern=r"^([0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})$"), AfterValidator(str.lower)
]
Count = Annotated[float, Field(strict=True, allow_inf_nan=False, le=COUNT_MAX)]
Kinds = Annotated[
    list[Line] | None, Field(max_length=KINDS_MAX), AfterValidator(lambda kinds: kinds or [])
]


class EvaluatedAppUpload(wire.Question):
    description: Annotated[str, Field(max_length=4000, pattern=_PRINTABLE)]
    kinds: Kinds = None
    ecosystems: Kinds = None


class PlaceUpload(wire.Question):
    path: Prose
    why: Prose
    line: Annotated[int | None, Field(ge=1, le=2**31)] = None
    excerpt: Prose | None = None


class FindingUpload(wire.Question):
    """The verdict on one application, or on the repository without `application`."""

    state: model.State
    reason: Prose
    application: Line | None = None
    is_weak: bool = False
    places: Annotated[list[PlaceUpload], Field(max_length=_PLACES_MAX, default_factory=list)]


Findings = Annotated[list[FindingUpload], Field(max_length=APPS_MAX)]


class EvaluationUpload(wire.Question):
    """How many of the evaluated sub-applications pass, and why. A null numerator means that it
    was not evaluated: it does not apply (`state` skipped), or the evidence is not available
    (`not_evaluated`, also without a state)."""

    numerator: Annotated[Count, Field(ge=0)] | None
    denominator: Annotated[Count, Field(ge=1)]
    rationale: Prose
    state: model.State | None = None

    @model_validator(mode="after")
    def _is_a_part(self) -> Self:
        self.numerator = None if self.numerator is None else _whole(self.numerator)
        self.denominator = _whole(self.denominator)
        if self.numerator is not None and self.numerator > self.denominator:
            raise PydanticCustomError("part", "numerator must not be above denominator")
        if self.state is not None and self.state != self._counted():
            raise PydanticCustomError("state", "state contradicts the numerator")
        return self

    def _counted(self) -> model.State | None:
        if self.numerator is None:
            return self.state if self.state in ("skipped", "not_evaluated") else None
        if self.numerator == self.denominator:
            return "pass"
        return "partial" if self.numerator else "fail"


class OverrideUpload(wire.Question):
    reason: Prose
    found: EvaluationUpload


class PolicyUpload(wire.Question):
    policy: Literal["forbidden", "restricted", "allowed", "unknown"]
    place: Line | None = None
    text: Line | None = None


class EvaluatingModelUpload(wire.Question):
    """Effort values of newer agents are stored as the nearest published one."""

    id: Line
    reasoning_effort: Annotated[
        model.Effort,
        BeforeValidator(_effort, str),
        Field(json_schema_extra={"enum": [*model.EFFORTS, *model.NEAREST]}),
    ]


class ReadinessReportUpload(wire.Question):
    """The result of an evaluator; unknown members may be null or left out.

    `droidVersion` is another name of `agentVersion`. With the client's own `reportId`, sending
    the same again changes nothing.
    """

    report_id: UUID | None = None
    repo_url: Annotated[
        str, Field(max_length=LENGTH_MAX, examples=["https://git.example/acme/shop"])
    ]
    apps: Annotated[dict[Line, EvaluatedAppUpload], Field(max_length=APPS_MAX), wire.LINES]
    report: Annotated[
        dict[Criterion, EvaluationUpload], Field(min_length=1, max_length=CRITERIA_MAX)
    ]
    commit_hash: Commit | None = None
    branch: Line | None = None
    has_local_changes: Annotated[bool, Field(strict=True)] | None = None
    has_non_remote_commits: Annotated[bool, Field(strict=True)] | None = None
    model_used: EvaluatingModelUpload | None = None
    agent_version: Line | None = None
    droid_version: Line | None = None
    criteria_version: Annotated[int, Field(strict=True, ge=1, le=COUNT_MAX), wire.WHOLE] | None = (
        None
    )
    as_of: Annotated[int, Field(strict=True, ge=0, le=_MS_MAX), wire.WHOLE] | None = None
    agent_policy: PolicyUpload | None = None
    overrides: Annotated[dict[Criterion, OverrideUpload], Field(max_length=CRITERIA_MAX)] | None = (
        None
    )

    evidence: Annotated[dict[Criterion, Findings], Field(max_length=CRITERIA_MAX)] | None = None

    @model_validator(mode="after")
    def _has_one_version(self) -> Self:
        if self.droid_version is not None and self.agent_version not in (None, self.droid_version):
            raise PydanticCustomError("version", "agentVersion and droidVersion differ")
        self.agent_version = self.agent_version or self.droid_version
        return self

    def content(self) -> model.Content:
        own = {"report_id", "droid_version"}
        members = self.model_dump(by_alias=True, exclude=own, exclude_unset=True)
        return msgspec.convert(members, model.Content)


_LISTED: dict[int | str, Object] = {
    200: {
        "headers": {
            "X-Stationmaster-Limit": {
                "description": "The maximum length of a list, if there are more.",
                "schema": {"type": "integer"},
            }
        },
        **described("ReadinessReports"),
    }
}
_STORED: dict[int | str, Object] = {
    200: {"description": "The same report was stored before.", **described("ReadinessReport")},
    201: described("ReadinessReport"),
    409: problems(409)["409"],
}


@routes.get(
    "/maturity-level-reports", operation_id="list_maturity_level_reports", responses=_LISTED
)
@routes.get("/agent-readiness-reports", responses=_LISTED)
def list_readiness_reports(
    services: Opened,
    response: Response,
    caller: callers.Member,
    repository: Annotated[str | None, Query(alias="repoId", max_length=LENGTH_MAX)] = None,
    limit: Annotated[int | None, Query(ge=1)] = None,
    start_after: Annotated[UUID | None, Query(alias="startAfter")] = None,
) -> Response:
    """Readiness reports, newest first.

    `repoId` is a repository's id or address; `startAfter` is the last report of the previous
    page. Without `limit` all reports, up to the installation's maximum.
    """
    most = services.settings.readiness_reports_max
    count = most + 1 if limit is None or limit > most else limit
    bodies = service.reports(
        services.db,
        caller.org_id,
        repository=repository,
        start_after=None if start_after is None else str(start_after),
        count=count,
    )
    if len(bodies) > most:
        response.headers["X-Stationmaster-Limit"] = str(most)
    with_vendors = services.settings.vendor_spellings
    shown = b",".join(spelled(body, with_vendors) for body in bodies[:most])
    return json_answer(b'{"reports":[' + shown + b"]}", response)


@routes.post(
    "/maturity-level-reports",
    operation_id="upload_maturity_level_report",
    status_code=201,
    responses=_STORED,
)
@routes.post("/agent-readiness-reports", status_code=201, responses=_STORED)
def upload_readiness_report(
    services: Opened, response: Response, body: ReadinessReportUpload, caller: callers.Member
) -> Response:
    """Store the report of an evaluator.

    201 with the report as stored. With a `reportId` that has been sent before: 200 if everything
    else is the same, 409 if not.
    """
    report_id = None if body.report_id is None else str(body.report_id)
    stored, is_new = service.upload(services.db, caller, body.content(), report_id)
    answer = spelled(stored, services.settings.vendor_spellings)
    return json_answer(answer, response, 201 if is_new else 200)
