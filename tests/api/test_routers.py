"""Ordinary routers beside the route table: the same callers, error bodies, headers, description."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from fastapi import HTTPException
from pydantic import BaseModel

from stationmaster.api import callers, routing
from stationmaster.errors import Conflict
from tests.support.servers import Server, running_server, settings_for

PATH = "/api/platform/v1/projects/p1/notes"
router = routing.router("/api/platform/v1/projects", "Projects")


class Note(BaseModel):
    text: str
    stars: int = 0


class Stored(BaseModel):
    project: str
    by: str
    text: str


@router.post("/{project}/notes", status_code=201)
async def add_note(project: str, note: Note, caller: callers.Member) -> Stored:
    """Add a note."""
    if note.text == "taken":
        raise Conflict("There is such a note.")
    if note.text == "teapot":
        raise HTTPException(418, "No coffee here.")
    if note.text == "broken":
        raise RuntimeError("hunter2")
    return Stored(project=project, by=caller.principal_id, text=note.text)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("routers")
    fields = {"request_body_max": 4096, "requests_per_minute": 1000}
    with running_server(settings_for(folder, "sqlite", **fields)) as running:
        running.app.include_router(router)
        del running.app.openapi  # type: ignore[method-assign]  # It has a route of its own.
        yield running


def test_a_route_with_a_path_parameter_and_a_body_knows_its_caller(client: httpx.Client) -> None:
    me = client.get("/api/platform/v1/me").json()

    answer = client.post(PATH, json={"text": "hello"})

    assert answer.status_code == 201
    assert answer.json() == {"project": "p1", "by": me["principal_id"], "text": "hello"}
    assert answer.headers["x-request-id"].startswith("req_")
    assert answer.headers["ratelimit"].startswith(('"key";r=998', '"key";r=999'))


def test_a_body_that_does_not_fit_is_400_and_names_every_fault(client: httpx.Client) -> None:
    answer = client.post(PATH, json={"stars": "many"})

    assert answer.status_code == 400
    assert answer.json() == {
        "detail": "text: Field required.",
        "status": 400,
        "title": "Bad Request",
        "metadata": {
            "code": "bad_request",
            "errors": [
                {"field": "text", "reason": "Field required"},
                {
                    "field": "stars",
                    "reason": "Input should be a valid integer, "
                    "unable to parse string as an integer",
                },
            ],
        },
    }
    assert answer.headers["x-request-id"].startswith("req_")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{not json", 400, "malformed_body"),
        (b'{"text": "taken"}', 409, "conflict"),
        (b'{"text": "teapot"}', 418, "http_418"),
        (b'{"text": "broken"}', 500, "internal_error"),
        (b'{"text": "' + b"x" * 5000 + b'"}', 413, "body_too_large"),
    ],
)
def test_whatever_goes_wrong_has_our_body(
    client: httpx.Client, body: bytes, status: int, code: str
) -> None:
    answer = client.post(PATH, content=body, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (status, code)
    assert answer.json()["status"] == status
    assert "hunter2" not in answer.text
    assert answer.headers["x-request-id"].startswith("req_")


def test_a_fault_is_logged_with_the_form_of_the_address_and_not_with_what_fills_it(
    client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    answer = client.post(PATH.replace("p1", "one-time-link"), json={"text": "broken"})

    assert answer.status_code == 500
    [record] = [each for each in caplog.records if each.name == "stationmaster.api"]
    assert record.getMessage() == (
        f"{answer.headers['x-request-id']} POST /api/platform/v1/projects/{{project}}/notes failed"
    )


def test_a_missing_credential_an_unknown_path_and_a_wrong_method_are_told_apart(
    server: Server, client: httpx.Client
) -> None:
    with server.client() as stranger:
        refused = stranger.post(PATH, json={"text": "hello"})
    unknown = client.get("/api/platform/v1/projects")
    wrong = client.delete(PATH)

    assert (refused.status_code, refused.headers["www-authenticate"]) == (
        401,
        'Bearer realm="stationmaster"',
    )
    assert (unknown.status_code, unknown.json()["metadata"]["code"]) == (404, "unknown_route")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")


def test_a_credential_is_asked_for_before_a_body_is_read(server: Server) -> None:
    with server.client() as stranger:
        broken = stranger.post(
            PATH, content=b"{not json", headers={"Content-Type": "application/json"}
        )
        strange = stranger.post(PATH, content=b"hello", headers={"Content-Type": "text/plain"})

    assert (broken.status_code, strange.status_code) == (401, 401)


@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_of_another_media_type_is_415(client: httpx.Client, media: str) -> None:
    answer = client.post(PATH, content=b'{"text": "hello"}', headers={"Content-Type": media})

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (
        415,
        "unsupported_media_type",
    )


def test_the_charset_of_a_json_body_is_no_other_media_type(client: httpx.Client) -> None:
    answer = client.post(
        PATH,
        content=b'{"text": "hello"}',
        headers={"Content-Type": "application/json; charset=utf-8"},
    )

    assert answer.status_code == 201


def test_every_answer_tells_browsers_to_run_nothing_of_it(client: httpx.Client) -> None:
    for answer in (client.get("/healthz"), client.post(PATH, json={"text": "hello"})):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_caller_cannot_be_named_by_a_header(server: Server) -> None:
    with server.client() as stranger:
        answer = stranger.post(PATH, json={"text": "hello"}, headers={callers.CALLER: "owner"})

    assert answer.status_code == 401


def test_the_description_has_the_route_with_our_errors(client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()
    operation = described["paths"]["/api/platform/v1/projects/{project}/notes"]["post"]

    assert sorted(operation["responses"]) == [
        "201", "400", "401", "403", "404", "413", "414", "415", "429", "431", "500", "503",
    ]  # fmt: skip
    problem = {"$ref": "#/components/schemas/Problem"}
    assert operation["responses"]["400"]["content"]["application/json"]["schema"] == problem
    assert "X-Request-Id" in operation["responses"]["201"]["headers"]
    assert operation["security"] == [{"bearer": []}]
    assert "HTTPValidationError" not in described["components"]["schemas"]
    assert "Note" in described["components"]["schemas"]
