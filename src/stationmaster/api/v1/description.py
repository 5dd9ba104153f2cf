"""The OpenAPI operations of the five reports."""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster.analytics.formats.export import MEDIA
from stationmaster.analytics.insights.rows import GROUPED, PLAIN
from stationmaster.analytics.model import (
    CURSOR_LENGTH_MAX,
    FILTER_LENGTH_MAX,
    FILTER_VALUES_MAX,
    PERIODS,
    USERS_PER_PAGE,
    USERS_PER_PAGE_MAX,
)
from stationmaster.api import wire
from stationmaster.api.openapi import BEARER, RATE_LIMIT, problems, ref, response
from stationmaster.lake.rollups.rows import GROUP_ROWS, ROWS
from stationmaster.report_names import (
    DIMENSIONS,
    GROUPING,
    INSIGHT_FILTERS,
    INSIGHT_GROUPINGS,
    Dimension,
    Insight,
    Report,
)

Object = dict[str, Any]

_SUMMARY: dict[Report, str] = {
    "tokens": "Standard Credits and tokens by day",
    "tools": "Tool use and autonomy by day",
    "activity": "Active users, sessions and messages by day",
    "productivity": "Files and git activity by day",
    "users": "Every user's activity by day, in pages of users",
}
_INSIGHT_SUMMARY: dict[Insight, str] = {
    "edits": "Accepted and rejected edits, and lines changed",
    "tool-runs": "Failures, refusals and durations of tools",
    "errors": "Failed attempts to call models, by class",
    "cache": "How much of the input was read from caches",
    "spend": "Credits by session, commit, pull request and branch",
    "hook-runs": "Runs of hooks, and how often they succeed",
}
_OF_FACTS = "`meta.totals` has the figures of the whole range, `meta.missing_days` the stored "
"days that are not included yet, because a version without these figures counted them."
_MEANING: dict[Dimension, str] = {
    "agent": "Only activity of this agent, such as `claude-code`.",
    "repository": "Only activity in this repository, by `host/owner/name` or its address; "
    "`unknown` is activity without a repository.",
    "team": "Only activity of this team; `unknown` is activity without a team.",
    "user": "Only activity of this user, by id or e-mail address.",
}
_RULES = (
    "UTC days, both ends included. Data exists through yesterday; today or later is refused. "
    "Days before the first stored one have no row. Unknown parameters are ignored; of a repeated "
    "one the last counts, except for filters, which add up. If `Accept` has no supported format, "
    "the answer is JSON."
)


def operation(report: Report) -> Object:
    """The operation object of one report."""
    return {
        "operationId": f"analytics_{report}",
        "tags": ["Analytics"],
        "summary": _SUMMARY[report],
        "description": _RULES + " For owners and managers.",
        "security": BEARER,
        "parameters": [*_dates(), *_extra(report), _IF_NONE_MATCH],
        "responses": {
            "200": _ok(report),
            "304": _NOT_MODIFIED,
            **problems(400, 401, 403, 429, 500, 503, schema="AnalyticsProblem"),
        },
    }


_IF_NONE_MATCH: Object = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "Entity tags of earlier answers.",
    "schema": {"type": "string"},
}


def _query(name: str, meaning: str, schema: Object, **more: Any) -> Object:
    """A query parameter; `more` are further members that its description has."""
    return {"name": name, "in": "query", "description": meaning, "schema": schema, **more}


def _word(name: str, meaning: str, *words: str, **more: str) -> Object:
    """One that is one of some words; `more` are further members of its schema."""
    return _query(name, meaning, {"type": "string", "enum": [*words], **more})


def _filter(name: str, meaning: str) -> Object:
    value = {
        "type": "string",
        "minLength": 1,
        "maxLength": FILTER_LENGTH_MAX,
        "pattern": wire.ONE_LINE,
    }
    schema = {"type": "array", "maxItems": FILTER_VALUES_MAX, "items": value}
    text = f"{meaning} Repeated: any of them. An extension."
    return _query(name, text, schema, required=False, style="form", explode=True)


_FILTERS: list[Object] = [_filter(name, _MEANING[name]) for name in DIMENSIONS]


def _dates() -> list[Object]:
    day = {"type": "string", "format": "date"}
    return [
        _query(name, f"The {which} UTC day, YYYY-MM-DD.", day, required=True)
        for name, which in (("startDate", "first"), ("endDate", "last"))
    ]


def _extra(report: Report) -> list[Object]:
    if report == "users":
        size = {"minimum": 1, "maximum": USERS_PER_PAGE_MAX, "default": USERS_PER_PAGE}
        return [
            *_FILTERS,
            _query(
                "limit",
                "Users per page; a user's days are never split.",
                {"type": "integer", **size},
            ),
            _query(
                "cursor",
                "`meta.next_cursor` of the previous page: users after this id.",
                {"type": "string", "maxLength": CURSOR_LENGTH_MAX},
            ),
        ]
    own = [GROUPING[report]] if report in GROUPING else []
    meaning = (
        "One row per day and value, named by `group_key`. Those by agent, repository, team and "
        "user are an extension."
    )
    return [_word("group_by", meaning, *own, *DIMENSIONS), *_FILTERS]


def _headers() -> Object:
    return {
        **response("")["headers"],
        **RATE_LIMIT,
        "ETag": {
            "required": True,
            "description": "A strong entity tag of the answer.",
            "schema": {"type": "string"},
        },
        "X-Stationmaster-Revision": {
            "required": True,
            "description": "Grows when late data restates a day of the range.",
            "schema": {"type": "integer", "minimum": 0},
        },
    }


def insight(report: Insight) -> Object:
    """The operation object of a report on facts."""
    return {
        "operationId": f"analytics_{report.replace('-', '_')}",
        "tags": ["Analytics"],
        "summary": _INSIGHT_SUMMARY[report],
        "description": f"{_RULES} {_OF_FACTS} An extension, for owners and managers.",
        "security": BEARER,
        "parameters": [*_dates(), *_of_insight(report), _IF_NONE_MATCH],
        "responses": {
            "200": _answer(
                [ref(PLAIN[report].__name__), ref(GROUPED[report].__name__)], _meta(report)
            ),
            "304": _NOT_MODIFIED,
            **problems(400, 401, 403, 429, 500, 503),
        },
    }


def own_usage() -> Object:
    """The operation object of the caller's own spending."""
    of_all = insight("spend")
    return of_all | {
        "operationId": "get_my_usage",
        "summary": "What the caller used: credits, dollars, sessions, commits, pull requests.",
        "description": f"{_RULES} {_OF_FACTS} The report on the caller's own spending, for every "
        f"role and privacy mode; `user` is ignored.",
    }


def _of_insight(report: Insight) -> list[Object]:
    by = INSIGHT_GROUPINGS[report]
    start = "The period of a row; `date` is the first day of a week (Monday) or month."
    before = "Adds the totals of the same number of days before to `meta`."
    utc = "UTC days, regardless of the organization's time zone."
    return [
        _word("group_by", "One row per period and value, named by `group_key`.", *by),
        _word("period", start, *PERIODS, default="day"),
        _word("compare", before, "previous"),
        _word("time_zone", utc, "UTC"),
        *_FILTERS,
        *(_filter(name, f"Only this {name}.") for name in INSIGHT_FILTERS[report]),
    ]


def _meta(report: Insight) -> Object:
    rows = PLAIN[report]
    figures = msgspec.json.schema(rows)["$defs"][rows.__name__]["properties"]
    totals = _object({name: schema for name, schema in figures.items() if name != "date"})
    span = {name: {"type": "string", "format": "date"} for name in ("start_date", "end_date")}
    missing: Object = {"type": "array", "items": {"type": "string", "format": "date"}}
    shared = {"totals": totals, "missing_days": missing}
    meta = _object(
        {
            "org_id": {"type": "string"},
            **span,
            "period": {"type": "string", "enum": [*PERIODS]},
            "time_zone": {"type": "string"},
            **shared,
        }
    )
    meta["properties"]["previous"] = _object({**span, **shared})
    return meta


def _object(properties: Object) -> Object:
    """An object that has all of these members, and no others."""
    return {
        "type": "object",
        "required": [*properties],
        "additionalProperties": False,
        "properties": dict(properties),
    }


def _ok(report: Report) -> Object:
    schemas = [ROWS[report]]
    if report in GROUPING:
        schemas.append(ROWS[f"{report}_by_{GROUPING[report]}"])
    if report in GROUP_ROWS:
        schemas.append(GROUP_ROWS[report])
    rows = [ref(row.__name__) for row in schemas]
    answer = _answer(rows, ref("UsersMeta" if report == "users" else "RangeMeta"))
    if report == "users":
        answer["headers"]["X-Stationmaster-Next-Cursor"] = {
            "description": "`meta.next_cursor`, for the forms without `meta`.",
            "schema": {"type": "string"},
        }
    return answer


def _answer(rows: list[Object], meta: Object) -> Object:
    listed = {"type": "array", "items": rows[0] if len(rows) == 1 else {"anyOf": rows}}
    media = {name: value.partition(";")[0] for name, value in MEDIA.items()}
    return {
        # Other forms are no content here: generated clients would type the JSON as perhaps text.
        "description": "The rows. A large answer is sent in chunks, without a length. With "
        f"`Accept: {media['csv']}`, `{media['ndjson']}` or `{media['parquet']}` the same rows "
        f"are sent in that format.",
        "headers": _headers(),
        "content": {
            media["json"]: {"schema": _object({"data": listed, "meta": meta})},
        },
    }


_NOT_MODIFIED: Object = {
    "description": "Nothing changed since the entity tag; not counted as a request.",
    "headers": _headers(),
}
