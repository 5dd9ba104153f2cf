"""What the demo's organization has beside telemetry, asked of the server as anybody would."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import httpx

from demo_data.people import OWNER, PEOPLE

NAME = "Demo: Example Shop"
CREDITS_MIN = 1_000_000
_PERIOD_DAYS = 19
"""How long the month of credits has lasted when the demo begins, so that caps have been used."""
_NEAR, _OVER = 1.06, 0.88
"""Two caps of what was used: just above it, and below."""
_MACHINES = (
    ("build-linux", "ci", ["shop-api", "shop-web"]),
    ("build-large", "ci", ["shop-api", "shop-web", "reports"]),
    ("nightly-review", "ci", ["deploy"]),
)


def reset_day(today: date) -> int:
    """The day of the month on which the demo's credits start at 0: STATIONMASTER_CREDIT_RESET_DAY
    is at most 28."""
    return min((today - timedelta(days=_PERIOD_DAYS)).day, 28)


def member_lines() -> str:
    """The people as `stationmaster members import` reads them."""
    lines = [f"{one.email},{one.role},{one.team}" for one in PEOPLE]
    return "\n".join(["email,role,team", *lines, ""])


def set_up(http: httpx.Client) -> None:
    """Caps, a program with machines of its own, and a sender that nobody knows. Once a demo."""
    _set_caps(http)
    _register_computers(http)
    _send_from_an_unknown_agent(http)


def _set_caps(http: httpx.Client) -> None:
    base = "/api/v0/organization/usage/limits"
    _put(http, f"{base}/global", {"globalLimit": 400 * CREDITS_MIN})
    answer = http.get("/api/platform/v1/limits", params={"limit": 100}).raise_for_status()
    used = {row["email"]: row["used"] or 0 for row in answer.json()["principals"]}
    most = sorted((one.email for one in PEOPLE), key=lambda email: used.get(email, 0))[-7:]
    shares = dict(zip(most, (3.0, 2.0, 1.5, _NEAR, 1.3, _OVER, _NEAR), strict=True))
    caps = [
        {"email": email, "limit": max(CREDITS_MIN, int(used.get(email, 0) * share) // 1000 * 1000)}
        for email, share in shares.items()
    ]
    _put(http, f"{base}/users", {"users": caps})


def _register_computers(http: httpx.Client) -> None:
    secret = {"key": "REGISTRY_TOKEN", "value": "of the demo"}
    path = "/api/v0/organization/computer-secrets"
    http.patch(path, json={"upsert": [secret]}).raise_for_status()
    user = OWNER.partition("@")[0]
    _register(http, ((f"{user}-workstation", user, ["deploy"]),))
    path = "/api/platform/v1/service-accounts"
    accounts = http.get(path).raise_for_status().json()["serviceAccounts"]
    account = next((one for one in accounts if one["name"] == "ci"), None)
    account = account or _post(http, path, {"name": "ci", "role": "member"})
    made = _post(
        http,
        "/api/platform/v1/keys",
        {
            "name": "build machines",
            "scope": "full",
            "serviceAccountId": account["serviceAccountId"],
        },
    )
    headers = {"authorization": f"Bearer {made['apiKey']}"}
    with httpx.Client(base_url=http.base_url, headers=headers, timeout=60) as program:
        _register(program, _MACHINES)


def _register(http: httpx.Client, machines: Sequence[tuple[str, str, list[str]]]) -> None:
    path = "/api/v0/computers"
    known = {one["name"] for one in http.get(path).raise_for_status().json()["computers"]}
    for name, user, folders in machines:
        if name not in known:
            made = _post(http, path, {"name": name, "remoteUser": user})
            places = [f"/srv/{name}" for name in folders]
            change = {"hostname": f"{name}.example.com", "clonedRepoDirectories": places}
            http.patch(f"{path}/{made['id']}", json=change).raise_for_status()


def _send_from_an_unknown_agent(http: httpx.Client) -> None:
    """Coverage shows what was dropped and why."""
    record = {"body": {"stringValue": "inhouse.turn"}, "timeUnixNano": "0"}
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "in-house-agent"}}]}
    logs = [{"resource": resource, "scopeLogs": [{"logRecords": [record] * 12}]}]
    _post(http, "/v1/logs", {"resourceLogs": logs})


def _put(http: httpx.Client, path: str, body: Any) -> None:
    http.put(path, json=body).raise_for_status()


def _post(http: httpx.Client, path: str, body: Any) -> dict[str, Any]:
    answer: dict[str, Any] = http.post(path, json=body).raise_for_status().json()
    return answer
