"""Bodies of errors, and what a client may know of an unexpected one."""

from __future__ import annotations

import json
import logging

import pytest

from stationmaster.api import errors
from stationmaster.errors import (
    Forbidden,
    NotImplementedYet,
    OperatorError,
    RateLimited,
    StationmasterError,
    Unavailable,
)

ANALYTICS = "/api/v1/analytics/tokens"


def body(fault: StationmasterError, path: str) -> dict[str, object]:
    value: dict[str, object] = json.loads(errors.answer(fault, path, "req_a").body)
    return value


def test_only_analytics_bodies_carry_the_request_id() -> None:
    assert body(Forbidden("No."), ANALYTICS) == {
        "detail": "No.",
        "status": 403,
        "title": "Forbidden",
        "requestId": "req_a",
        "metadata": {"code": "insufficient_role"},
    }
    assert body(Forbidden("No."), "/api/platform/v1/me") == {
        "detail": "No.",
        "status": 403,
        "title": "Forbidden",
        "metadata": {"code": "insufficient_role"},
    }


@pytest.mark.parametrize(
    "fault", [RuntimeError("password=hunter2"), OperatorError("hunter2 is broken."), KeyError()]
)
def test_an_unexpected_fault_is_logged_with_the_request_id_and_not_told(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        recognized = errors.recognized(fault, "GET", ANALYTICS, "req_a")

    assert (recognized.status, recognized.code) == (500, "internal_error")
    assert "hunter2" not in json.dumps(body(recognized, ANALYTICS))
    assert "req_a" in caplog.text


def test_what_this_version_does_not_serve_is_no_warning_to_the_operator(
    caplog: pytest.LogCaptureFixture,
) -> None:
    recognized = errors.recognized(NotImplementedYet("Not yet."), "POST", ANALYTICS, "req_a")

    assert recognized.status == 501
    assert caplog.text == ""


def test_refusals_that_pass_say_when_to_come_back() -> None:
    assert errors.headers(RateLimited("Slow.", retry_after_s=7)) == {"Retry-After": "7"}
    assert errors.headers(Unavailable("Full.", retry_after_s=9)) == {"Retry-After": "9"}
