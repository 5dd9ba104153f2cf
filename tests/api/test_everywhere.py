"""What holds for every operation that the server describes, those still to come among them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from stationmaster import clock
from tests.spec import day
from tests.support.cast import Cast
from tests.support.described import description
from tests.support.servers import running_server, settings_for

pytestmark = pytest.mark.attack

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
BODY_MAX = 4096
OTLP = ("/", "/v1/metrics", "/v1/logs", "/v1/traces")
PAGES = {"/": {"GET"}}
"""Methods of pages at an address of the API, which its description leaves out."""


def described() -> dict[str, dict[str, Any]]:
    paths: dict[str, dict[str, Any]] = description()["paths"]
    return paths


def address(template: str) -> str:
    """A path of the template, of something that does not exist."""
    return re.sub(r"{[^}]+}", "x", template)


def methods_of(path: str) -> set[str]:
    """All methods of an address: several templates may have it."""
    found = {
        method.upper()
        for template, methods in described().items()
        if re.fullmatch(re.sub(r"{[^}]+}", "[^/]+", template), path)
        for method in methods
    } | PAGES.get(path, set())
    return found | {"HEAD"} if "GET" in found else found


def with_body() -> list[tuple[str, str]]:
    return [
        (method.upper(), path)
        for path, methods in described().items()
        for method, operation in methods.items()
        if "requestBody" in operation
    ]


def wrong_methods() -> list[tuple[str, str]]:
    return [
        (method, path)
        for path, methods in described().items()
        for method in METHODS
        if method.lower() not in methods and method not in PAGES.get(path, set())
    ]


each_path = pytest.mark.parametrize("path", described())


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("everywhere")
    settings = settings_for(folder, "sqlite", request_body_max=BODY_MAX)
    with running_server(settings) as server:
        cast = Cast(server.services.db, "ours")
        with server.client(cast.keys["owner"]) as opened:
            yield opened


def refusal(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The metadata of an error body in the standard shape."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    if not str(answer.request.url.path).startswith("/api/v1/analytics/"):
        assert set(body) == {"detail", "status", "title", "metadata"}
    assert (body["status"], body["metadata"]["code"]) == (status, code)
    assert answer.headers["x-request-id"].startswith("req_")
    metadata: dict[str, Any] = body["metadata"]
    return metadata


def refused_with_all_methods(answer: httpx.Response, path: str) -> None:
    refusal(answer, 405, "method_not_allowed")
    methods = methods_of(address(path))
    assert set(answer.headers["allow"].split(", ")) == methods
    for method in methods:
        assert re.search(rf"use .*\b{method}\b", answer.json()["detail"])


@pytest.mark.parametrize(("method", "path"), wrong_methods())
def test_a_method_that_an_address_does_not_have_is_405_and_allow_names_those_it_has(
    client: httpx.Client, method: str, path: str
) -> None:
    answer = client.request(method, address(path))

    if method in methods_of(address(path)):
        # Another template has this very address, and the method.
        assert answer.status_code != 405
    else:
        refused_with_all_methods(answer, path)


@each_path
@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "PROPFIND"])
def test_a_method_that_nothing_has_is_405(client: httpx.Client, method: str, path: str) -> None:
    refused_with_all_methods(client.request(method, address(path)), path)


@pytest.mark.parametrize(("method", "path"), with_body())
def test_a_body_over_the_limit_is_413(client: httpx.Client, method: str, path: str) -> None:
    media = list(described()[path][method.lower()]["requestBody"]["content"])[-1]
    body = json.dumps({"x": "x" * BODY_MAX}).encode()

    answer = client.request(method, address(path), content=body, headers={"Content-Type": media})

    assert answer.status_code == 413
    if path not in OTLP:
        assert refusal(answer, 413, "body_too_large")["size_max"] == BODY_MAX


@pytest.mark.parametrize(("method", "path"), with_body())
@pytest.mark.parametrize("media", ["text/plain", "application/xml", None], ids=str)
def test_a_body_of_another_media_type_is_415(
    client: httpx.Client, method: str, path: str, media: str | None
) -> None:
    headers = {} if media is None else {"Content-Type": media}

    answer = client.request(method, address(path), content=b"{}", headers=headers)

    assert answer.status_code == 415
    if path not in OTLP:
        refusal(answer, 415, "unsupported_media_type")


@each_path
def test_no_answer_lets_scripts_of_other_origins_read_it(client: httpx.Client, path: str) -> None:
    asked = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "GET"}
    for method in ("GET", "OPTIONS"):
        answer = client.request(method, address(path), headers=asked)
        assert [name for name in answer.headers if name.startswith("access-control")] == []


@each_path
def test_every_answer_has_the_fields_that_protect_browsers(client: httpx.Client, path: str) -> None:
    for method in METHODS:
        answer = client.request(method, address(path))
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def _limited() -> list[tuple[str, str]]:
    """The operations that describe a rate limit."""
    return [
        (method.upper(), path)
        for path, methods in described().items()
        for method, operation in methods.items()
        if "429" in operation["responses"] and operation["security"]
    ]


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client that has no request left."""
    one = dict.fromkeys(
        ("analytics_requests_per_minute", "requests_per_minute", "limit_writes_per_minute"), 1
    )
    folder = tmp_path_factory.mktemp("narrow")
    settings = settings_for(folder, "sqlite", legacy_rate_limit_fields=True, **one)
    with running_server(settings) as server:
        cast = Cast(server.services.db, "ours")
        with server.client(cast.keys["owner"]) as opened:
            opened.get("/api/v1/analytics/tokens")
            opened.get("/api/platform/v1/me")
            yield opened


@pytest.mark.parametrize(("method", "path"), _limited())
def test_a_request_above_the_limit_is_429_and_says_when_to_come_back(
    narrow: httpx.Client, method: str, path: str
) -> None:
    body = {}
    if "requestBody" in described()[path][method.lower()]:
        body = {"json": {}}
    for _ in range(2):
        answer = narrow.request(method, address(path), **body)  # type: ignore[arg-type]  # a body or none

    metadata = refusal(answer, 429, "rate_limited")
    assert 1 <= metadata["retry_after_seconds"] == int(answer.headers["retry-after"]) <= 60
    assert answer.headers["ratelimit-policy"] == '"key";q=1;w=60, "organization";q=1;w=60'
    assert answer.headers["ratelimit"].startswith('"key";r=0;t=')
    assert answer.headers["x-ratelimit-limit"] == "1"
    assert answer.headers["x-ratelimit-remaining"] == "0"
    assert 1 <= int(answer.headers["x-ratelimit-reset"]) <= 60


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client with two requests a minute."""
    folder = tmp_path_factory.mktemp("twice")
    with running_server(settings_for(folder, "sqlite", requests_per_minute=2)) as server:
        cast = Cast(server.services.db, "ours")
        with server.client(cast.keys["owner"]) as opened:
            yield opened


def test_an_answer_of_304_is_not_counted(twice: httpx.Client) -> None:
    clock.freeze(day.NOW)
    path = "/api/v0/automations/ci/scan"
    first = twice.get(path)
    tag = {"If-None-Match": first.headers["etag"]}

    free = [twice.get(path, headers=tag).status_code for _ in range(5)]
    rest = [twice.get(path).status_code for _ in range(2)]

    assert (first.status_code, free, rest) == (200, [304] * 5, [200, 429])
