"""What generated requests need beyond JSON, and what their answers are held to.

Read by the tests, and by `schemathesis run` where SCHEMATHESIS_HOOKS names this module.
"""

from __future__ import annotations

import schemathesis

from stationmaster.api.openapi import RULES


@schemathesis.serializer(
    *("application/x-protobuf", "application/x-ndjson", "application/zip"),
    "application/octet-stream",
)
def as_it_is(_context: object, value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.check
def no_fault_of_ours(
    _context: object, response: schemathesis.Response, _case: schemathesis.Case
) -> None:
    """What this version does not serve yet is no fault, where the description says so."""
    assert response.status_code < 500 or response.status_code == 501, response.text


@schemathesis.check
def valid_requests_are_not_bad(
    _context: object, response: schemathesis.Response, case: schemathesis.Case
) -> None:
    """A request that the description allows is refused by a rule that it lists, if at all.

    Of protobuf the description says nothing but that it is bytes.
    """
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code == 400 and case.media_type != "application/x-protobuf":
        metadata = response.json().get("metadata", {})
        reasons = {fault["reason"] for fault in metadata.get("errors", [])}
        assert metadata.get("code") in RULES or (reasons and reasons <= RULES.keys())


CHECKS = [
    no_fault_of_ours,
    valid_requests_are_not_bad,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
    schemathesis.checks.response_headers_conformance,
    schemathesis.checks.response_schema_conformance,
]
