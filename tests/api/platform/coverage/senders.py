"""What coverage says, by name, and times before now."""

from __future__ import annotations

from typing import Any

import httpx

from stationmaster import days
from tests.spec import day

COVERAGE = "/api/platform/v1/coverage"


NOW_MS = int(day.NOW.timestamp() * 1000)


def covered(client: httpx.Client, **params: object) -> dict[str, Any]:
    answer = client.get(COVERAGE, params={"limit": 100, **params})  # type: ignore[arg-type]
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def by_name(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["email"] or each["name"] or each["id"]: each for each in found["people"]}


def ago(count: int) -> int:
    return NOW_MS - count * days.MS_PER_DAY


def otlp_logs(service: str, name: str) -> dict[str, Any]:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
    record = {"body": {"stringValue": name}, "attributes": []}
    logs = {
        "resource": resource,
        "scopeLogs": [{"scope": {"name": service}, "logRecords": [record]}],
    }
    return {"resourceLogs": [logs]}
