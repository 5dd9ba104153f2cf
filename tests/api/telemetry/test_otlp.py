"""Where OTLP may be posted to: the addresses of the standard, and those that agents really use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import httpx
import pytest

from stationmaster.ids import OrgId
from stationmaster.ingest import otlp, otlp_protobuf
from tests.ingest.otlp_bodies import JSON, PROTOBUF, a_model_call, logs_json, logs_protobuf
from tests.support import recordings
from tests.support.builders import a_key, a_member, an_organization
from tests.support.servers import Server, running_server, settings_for

SIGNALS = ("logs", "metrics", "traces")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(settings_for(tmp_path_factory.mktemp("otlp"), "sqlite")) as server:
        yield server


@pytest.fixture
def org(server: Server) -> OrgId:
    return an_organization(server.services.db)


@pytest.fixture
def sender(server: Server, org: OrgId) -> Iterator[httpx.Client]:
    db = server.services.db
    with server.client(a_key(db, org, a_member(db, org, "ada@example.com"))) as client:
        yield client


def stored(server: Server, org: OrgId) -> Counter[tuple[str, str, str]]:
    """Records by product, source and what became of them."""
    server.services.mover.drain()
    counts = Counter[tuple[str, str, str]]()
    rows = server.services.db.rows(
        "SELECT product, source, outcome, count FROM intake_counts WHERE org_id = ?", org
    )
    for product, source, outcome, count in rows:
        counts[str(product), str(source), str(outcome)] += count
    return counts


@pytest.mark.parametrize("name", recordings.VERSIONS)
def test_all_that_a_version_sent_arrives_when_posted_where_it_posted_it(
    server: Server, org: OrgId, sender: httpx.Client, name: str
) -> None:
    told = Counter[tuple[str, str, str]]()
    for body in recordings.bodies(name):
        decoded = otlp.decode(
            body.signal,  # type: ignore[arg-type] - the index has signals alone
            body.content_type,
            body.content_encoding or None,
            body.data,
            received_ms=1,
            body_max=2**24,
        )
        told += Counter(decoded.drops)
        told.update((event.product, event.source, "kept") for event in decoded.events)
        headers = {"content-type": body.content_type, "content-encoding": body.content_encoding}
        answer = sender.post(body.path, content=body.data, headers=headers)
        assert answer.status_code == 200
        assert answer.content == otlp_protobuf.success(body.content_type == JSON, decoded)

    assert stored(server, org) == told


@pytest.mark.parametrize("path", ["/", *(f"/v1/{given}/v1/logs" for given in SIGNALS)])
@pytest.mark.parametrize(
    ("media", "body"),
    [(JSON, logs_json(a_model_call())), (PROTOBUF, logs_protobuf(a_model_call()))],
)
def test_logs_are_taken_at_the_root_and_below_an_endpoint_of_one_signal(
    server: Server, org: OrgId, sender: httpx.Client, path: str, media: str, body: bytes
) -> None:
    answer = sender.post(path, content=body, headers={"content-type": media})

    assert (answer.status_code, answer.headers["content-type"]) == (200, media)
    assert stored(server, org) == {("claude-code", "otlp_logs", "kept"): 1}


@pytest.mark.parametrize("path", ["/", "/v1/traces/v1/logs"])
def test_these_addresses_refuse_as_the_standard_ones_do(
    server: Server, sender: httpx.Client, path: str
) -> None:
    refused = a_model_call(input_tokens=-5)
    partial = sender.post(path, content=logs_json(refused), headers={"content-type": JSON})
    assert partial.json()["partialSuccess"]["rejectedLogRecords"] == "1"
    with server.client() as nobody:
        answer = nobody.post(path, json={"resourceLogs": []})
    assert (answer.status_code, answer.json()["code"]) == (401, 16)
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert sender.post(path, content=b"[", headers={"content-type": JSON}).json()["code"] == 3
    assert sender.post(path, content="text").status_code == 415


def test_the_root_says_where_to_send_what_it_cannot_tell(sender: httpx.Client) -> None:
    answer = sender.post("/", json={"events": []})

    assert answer.status_code == 400
    assert "send it to /v1/logs, /v1/metrics or /v1/traces" in answer.json()["message"]


def test_the_root_stays_a_page_for_browsers(sender: httpx.Client) -> None:
    assert sender.get("/").status_code == 303
    refused = sender.put("/")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD, POST")
