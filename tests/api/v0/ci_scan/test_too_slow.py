"""A request waits for a scan for a limited time."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.api.v0.ci_scan.organization import WORKFLOW, Acme, names
from tests.support.git_servers import Handler, hang


@pytest.fixture(scope="module")
def server_fields(server_fields: dict[str, object]) -> dict[str, object]:
    return {**server_fields, "ci_scan_seconds": 5}


def test_a_repository_that_takes_too_long_is_left_for_the_next_request(acme: Acme) -> None:
    acme.serve("good", ci=WORKFLOW)
    acme.serve("slow", ci=WORKFLOW)
    acme.git.before[f"/{acme.mark}/slow"] = hang

    found = acme.scan()

    told = {each["repoUrl"].rpartition("/")[2]: each["status"] for each in found["repositories"]}
    assert found["truncated"] is True
    assert told == {"good": "scanned", "slow": "skipped"}
    assert names(found) == ["Build"]


def test_two_requests_at_once_fetch_a_repository_once(acme: Acme) -> None:
    acme.serve("shop", ci=WORKFLOW)
    seconds: list[dict[str, Any]] = []
    ended = threading.Event()

    def meanwhile(handler: Handler) -> None:
        seconds.append(acme.scan(forceRefresh="true"))
        handler.refuse(503)
        ended.set()

    acme.git.before[f"/{acme.mark}/shop"] = meanwhile
    first = acme.scan(forceRefresh="true")

    assert ended.wait(30)
    assert [found["truncated"] for found in (first, *seconds)] == [True, True]
    assert acme.requests() == 1
