"""The OpenAPI 3.1 description, made from the route table and the row types.

Every status, header and body shape that an operation can answer is here; a test sends
generated requests at a running server and compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from stationmaster.analytics.insights.rows import GROUPED, PLAIN
from stationmaster.analytics.spending.costs import Costs
from stationmaster.analytics.spending.rate_lines import RateLines
from stationmaster.analytics.spending.what_if import WhatIf
from stationmaster.api.edge import Route
from stationmaster.api.telemetry.dry_run import DryRun
from stationmaster.lake.rollups.rows import ROWS
from stationmaster.pipelines.scanning.answer import CiScan
from stationmaster.readiness.forms.answer import ReadinessReport, ReadinessReports

Object = dict[str, Any]


class FieldFault(Struct, forbid_unknown_fields=True):
    """One refused parameter."""

    field: str
    reason: str


class ProblemMetadata(Struct):
    """`code` is a stable word for programs; further members depend on it."""

    code: str
    errors: list[FieldFault] | msgspec.UnsetType = msgspec.UNSET
    retry_after_seconds: int | msgspec.UnsetType = msgspec.UNSET


class Problem(Struct, forbid_unknown_fields=True):
    """An error. The request id is in the `X-Request-Id` header."""

    detail: str
    status: int
    title: str
    metadata: ProblemMetadata | msgspec.UnsetType = msgspec.UNSET


class AnalyticsProblem(Struct, forbid_unknown_fields=True):
    """An error of the analytics operations, which repeat the request id in the body."""

    detail: str
    status: int
    title: str
    requestId: str
    metadata: ProblemMetadata | msgspec.UnsetType = msgspec.UNSET


class RangeMeta(Struct):
    org_id: str
    start_date: str
    end_date: str


class UsersMeta(RangeMeta):
    has_more: bool
    next_cursor: str | None


class RefusedEvent(Struct):
    """`index` counts from 0 in the order of the request."""

    index: int
    error: str


class EventsOutcome(Struct):
    accepted: int
    rejected: int
    errors: list[RefusedEvent]


class EventsRefused(Struct, forbid_unknown_fields=True):
    """Nothing was accepted: an error that also lists the problem of each event."""

    detail: str
    status: int
    title: str
    metadata: ProblemMetadata
    accepted: Literal[0]
    rejected: int
    errors: list[RefusedEvent]


class Me(Struct):
    """The principal behind the credential, with its current role."""

    org_id: str
    principal_kind: Literal["human", "service"]
    principal_id: str
    email: str | None
    role: str
    key_id: str
    scope: Literal["full", "ingest"]


class Health(Struct):
    status: Literal["ok"]


class NotReady(Struct):
    status: Literal["unavailable"]
    reasons: list[str]


class OtlpStatus(Struct):
    """google.rpc.Status as OTLP/JSON."""

    code: int
    message: str


_SCHEMAS: list[type] = [
    Problem,
    AnalyticsProblem,
    RangeMeta,
    UsersMeta,
    EventsOutcome,
    EventsRefused,
    Me,
    Health,
    NotReady,
    OtlpStatus,
    DryRun,
    CiScan,
    ReadinessReport,
    ReadinessReports,
    Costs,
    RateLines,
    WhatIf,
    *ROWS.values(),
    *PLAIN.values(),
    *GROUPED.values(),
]

RULES: dict[str, str] = {
    "address_refused": "Alerts and identity providers have public addresses over https, unless "
    "the operator permits the host.",
    "bad_price_list": "A price list is the file of LiteLLM or the data of genai-prices.",
    "bad_rates": "A rate card is a complete TOML document.",
    "content_required": "A workflow is created from `changes.content`.",
    "date_not_available": "Reports exist through yesterday, UTC.",
    "invalid_asset": "An asset of a wiki is base64, and an image of the format of its extension.",
    "invalid_changes": "`yamlParams` has a line `name: value` for each input.",
    "invalid_credential": "User names and secrets are printable, and on one line.",
    "invalid_address": "Alerts are sent to an address such as https://host/path.",
    "invalid_archive": "A zip archive is complete.",
    "invalid_cursor": "A cursor is the unchanged value from the page before.",
    "invalid_destination": "A destination has a `url`, or `recipients` where its format is `mail`.",
    "invalid_directory": "A directory of a clone is an absolute path of at most 1024 printable "
    "characters.",
    "invalid_email": "An e-mail address is valid.",
    "invalid_expiry": "A key expires in the future.",
    "invalid_file_path": "A workflow is a file that a CI service reads.",
    "invalid_hostname": "A host name has printable characters.",
    "invalid_kind": "A destination does not choose the kind `test`.",
    "invalid_scope": "The scope of a budget is `organization`, `each-user`, or one of `user:`, "
    "`team:`, `service-account:`, `key:`, `repository:`, `agent:` and `model:` with a name.",
    "invalid_amount": "A budget in dollars is 0 or at least a cent, as text in dollars or as an "
    "integer of 10⁻¹² dollars; one in credits is whole, and a monthly one of a person, a service "
    "account or each user is at least 1,000,000. A requested or granted amount is more than 0.",
    "invalid_period": "Only the period `dates` has `startsOn` and `endsOn`, and needs both.",
    "invalid_models": "`models` is required with `atEnd` `allow-models`, and allowed only with it.",
    "invalid_reason": "A reason has 1 to 500 characters other than spaces.",
    "invalid_until": "A grant ends in the future, at most a year ahead.",
    "invalid_name": "A name has 1 to 100 characters without spaces around them, none of Unicode's "
    "category C.",
    "invalid_origin": "Branch, model and versions of a wiki consist of visible characters.",
    "invalid_page": "A page of a wiki is UTF-8 and starts with a heading of the first level.",
    "invalid_path": "A page's path has no empty segments.",
    "invalid_prompt": "A prompt is not blank, and has at most 60,000 bytes as JSON.",
    "invalid_provider": "An issuer is an https:// address; a provider's name has 1 to 40 of "
    "a-z, 0-9 and -; client and secret are printable without spaces; domains look like "
    "example.com.",
    "invalid_range": "The first day is not after the last.",
    "invalid_repository_url": "A repository's address has a host and a path.",
    "invalid_retention": "The number of days is at most the operator's.",
    "invalid_secret": "A secret's value has 1 to 32768 characters of text and no NUL.",
    "invalid_start_after": "`startAfter` is a stored report of this organization.",
    "invalid_time_zone": "A time zone is on the IANA list.",
    "invalid_user": "A `remoteUser` is the name of an account: letters, digits and _ . @ + -, "
    "beginning with a letter, a digit or _.",
    "mail_off": "Mail needs the mail server of the installation.",
    "missing_date": "A range has both days.",
    "missing_user": "A computer that is registered without a `source` names its `remoteUser`.",
    "numerator must not be above denominator": "Of a criterion in a report.",
    "state contradicts the numerator": "Of a criterion in a report.",
    "range_too_long": "A range has at most 366 days.",
    "secret_needed": "A new issuer or client of an identity provider needs its secret.",
    "too_many_directories": "A computer has at most 200 directories of clones.",
    "unknown_provider": "A provider is `byom` or `managed`.",
    "agentVersion and droidVersion differ": "One is the older name of the other.",
    "two_holders": "A key is of a service account or of a member, not of both.",
}
"""What JSON Schema cannot express of a request, or not readably, by the `metadata.code` of the 400,
or by the `reason` where the code is `bad_request`."""
REQUEST_ID: Object = {
    "X-Request-Id": {
        "description": "Identifies the request in the server's log: as sent, or a new one.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
    }
}
RETRY_AFTER: Object = {
    "Retry-After": {
        "description": "Seconds to wait.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    }
}
RATE_LIMIT: Object = {
    name: {"description": text, "schema": {"type": "string"}}
    for name, text in (
        ("RateLimit-Policy", "The limits in force, as a structured field."),
        ("RateLimit", "What is left of them, as a structured field."),
    )
}
CHALLENGE: Object = {
    "WWW-Authenticate": {"required": True, "schema": {"type": "string", "pattern": "^Bearer"}}
}
BEARER: list[Object] = [{"bearer": []}]
OPEN = "/api/platform/v1/auth/"
"""What is below needs no credential: it is where one is obtained."""


def ref(name: str) -> Object:
    """A reference to a named schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def described(name: str) -> Object:
    """What `responses` of a router has of an answer in JSON of a named schema."""
    return {"content": {"application/json": {"schema": ref(name)}}}


def response(description: str, *, headers: Object | None = None, **content: Object) -> Object:
    """A response; `content` maps `json` or `any` to a schema, other media go in by `media`."""
    answer: Object = {"description": description, "headers": {**REQUEST_ID, **(headers or {})}}
    if "json" in content:
        answer["content"] = {"application/json": {"schema": content["json"]}}
    return answer


def problems(*statuses: int, schema: str = "Problem") -> dict[int | str, Any]:
    """The error responses of an operation, by status."""
    by_status: dict[int, tuple[str, Object]] = {
        400: ("The request cannot succeed in this form; `metadata.code` names the rule.", {}),
        401: ("The credential is missing or not valid.", CHALLENGE),
        403: ("The credential does not permit this.", {}),
        404: ("Nothing with this name exists.", {}),
        409: ("An existing object, or its state, does not allow it.", {}),
        410: ("It no longer exists.", {}),
        413: ("The body is larger than allowed.", {}),
        414: ("The address is longer than allowed.", {}),
        415: ("The content type or encoding is not supported.", {}),
        431: ("The header fields are larger than allowed.", {}),
        429: ("Too many requests.", {**RETRY_AFTER, **RATE_LIMIT}),
        501: ("Not available in this installation.", {}),
        500: ("An internal error occurred.", {}),
        503: ("The server cannot answer now.", RETRY_AFTER),
    }
    return {
        str(status): response(by_status[status][0], headers=by_status[status][1], json=ref(schema))
        for status in statuses
    }


def _of_router(path: str, operation: Object) -> Object:
    """An operation of a router, with what all of them share: header, errors, credential."""
    answers = {
        status: {**described, "headers": {**REQUEST_ID, **described.get("headers", {})}}
        for status, described in operation["responses"].items()
        if status != "422"
    }
    statuses = [500, 503]
    if len(answers) < len(operation["responses"]):
        statuses += [400, 413]  # Where the framework would answer 422.
    security: Object = {"security": []}
    if "requestBody" in operation:
        statuses.append(415)
    is_open = operation.get("security") == [] or path.startswith(OPEN)
    if path.startswith("/api/") and not is_open:
        statuses += [401, 403, 404, 429]
        security = {"security": BEARER}
    if not any(status.startswith("2") for status in answers):
        # Generators and linters need one answer that represents all; of a redirect the others are.
        answers["default"] = response("Any other answer is an error.", json=ref("Problem"))
    return {
        **operation,
        **security,
        "responses": {**problems(*statuses), **answers},
    }


def _close(schema: Any) -> None:
    """Refuse names that no pattern allows, in every schema that lists patterns of names."""
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, dict | list):
            _close(value)
    if isinstance(schema, dict) and "patternProperties" in schema:
        schema.setdefault("additionalProperties", False)


def document(routes: Sequence[Route], framework: Object) -> Object:
    """The whole description: the route table, merged into what the framework knows of its own."""
    _, components = msgspec.json.schema_components(
        _SCHEMAS, ref_template="#/components/schemas/{name}"
    )
    paths: Object = {
        path: {method: _of_router(path, described) for method, described in operations.items()}
        for path, operations in framework.get("paths", {}).items()
    }
    for route in routes:
        if route.operation:
            operation = {"security": [], **route.operation}
            paths.setdefault(route.path, {})[route.method.lower()] = operation
    for operations in paths.values():
        for operation in operations.values():
            operation["responses"] = {**operation["responses"], **problems(414, 431)}
    schemas = {**framework.get("components", {}).get("schemas", {}), **components}
    _close(schemas)
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    rules = "\n".join(f"- `{code}`: {rule}" for code, rule in RULES.items())
    return {
        **framework,
        "openapi": "3.1.0",
        "info": {
            **framework["info"],
            "description": "Rules beyond the schemas, by the `metadata.code` of the 400, or by the "
            f"`reason` of a member:\n\n{rules}",
        },
        "servers": [{"url": "/", "description": "The server that answers this description."}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key or an access token: `Authorization: Bearer <key>`.",
                }
            },
        },
    }
