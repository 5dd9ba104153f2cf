"""Chapter Resources, Error body: every failure has it, whatever went wrong."""

from __future__ import annotations

from http import HTTPStatus

import httpx
import pytest

from tests.conformance import faults
from tests.conformance.faults import Faults

STATUSES = {
    "analytics: no dates": 400,
    "analytics: no credential": 401,
    "analytics: unknown address": 404,
    "analytics: wrong method": 405,
    "analytics: too many": 429,
    "analytics: broken": 500,
    "no JSON": 400,
    "no credential": 401,
    "unknown address": 404,
    "wrong method": 405,
    "too large": 413,
    "wrong media type": 415,
    "too many": 429,
    "broken": 500,
    "full": 503,
}
each_fault = pytest.mark.parametrize("fault", STATUSES)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Faults:
    return faults.provoked(tmp_path_factory.mktemp("faults"))


@each_fault
def test_status_is_the_http_status_code(answers: Faults, fault: str) -> None:
    assert answers[fault].status_code == STATUSES[fault]
    assert answers[fault].json()["status"] == STATUSES[fault]


@each_fault
def test_title_is_the_http_status_title(answers: Faults, fault: str) -> None:
    title = HTTPStatus(STATUSES[fault]).phrase.replace("Request Entity", "Content")

    assert answers[fault].json()["title"] == title


@each_fault
def test_detail_is_a_sentence_for_a_person(answers: Faults, fault: str) -> None:
    detail = answers[fault].json()["detail"]

    assert detail.endswith(".")
    assert " " in detail


@each_fault
def test_metadata_is_an_object_with_a_code_for_programs_as_decided(
    answers: Faults, fault: str
) -> None:
    assert answers[fault].json()["metadata"]["code"].replace("_", "a").isalnum()


@each_fault
def test_the_analytics_error_body_and_no_other_has_a_request_id(
    answers: Faults, fault: str
) -> None:
    members = {"detail", "status", "title", "metadata"}
    if fault.startswith("analytics"):
        members.add("requestId")

    assert set(answers[fault].json()) == members


@each_fault
def test_an_error_body_is_json_and_not_problem_json_as_decided(answers: Faults, fault: str) -> None:
    assert answers[fault].headers["content-type"] == "application/json"


@each_fault
def test_every_answer_names_its_request_in_a_header_as_decided(answers: Faults, fault: str) -> None:
    answer = answers[fault]

    assert answer.headers["x-request-id"].startswith("req_")
    if fault.startswith("analytics"):
        assert answer.json()["requestId"] == answer.headers["x-request-id"]


@each_fault
def test_fields_of_a_refusal_say_what_to_do_next_as_decided(answers: Faults, fault: str) -> None:
    answer = answers[fault]
    wanted = {401: "www-authenticate", 405: "allow", 429: "retry-after", 503: "retry-after"}

    for status, field in wanted.items():
        assert (field in answer.headers) == (wanted.get(answer.status_code) == field), status
    _says_when(answer)


def _says_when(answer: httpx.Response) -> None:
    if answer.status_code == 429:
        assert answer.json()["metadata"]["retry_after_seconds"] == int(
            answer.headers["retry-after"]
        )
        assert answer.json()["metadata"]["code"] == "rate_limited"


@pytest.mark.parametrize("fault", ["analytics: broken", "broken"])
def test_an_internal_error_tells_nothing_of_its_cause_as_decided(
    answers: Faults, fault: str
) -> None:
    assert "api_keys" not in answers[fault].text
    assert answers[fault].json()["metadata"] == {"code": "internal_error"}
