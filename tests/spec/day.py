"""One organization's two working days, sent as events, and the rows they must come back as.

Tuesday 2026-11-17: Ada works in a terminal, Bob on the web, a program runs headless. Wednesday:
nobody. Thursday 2026-11-19: Ada goes on with the same session. The clock stands at Saturday.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec

from stationmaster import ids
from stationmaster.access.model import Member
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from tests.support.builders import a_key, a_member, a_service_account, an_event, an_organization

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
TUESDAY = int(datetime(2026, 11, 17, 10, tzinfo=UTC).timestamp() * 1000)
THURSDAY = TUESDAY + 2 * 86_400_000
SONNET, HAIKU = "claude-sonnet-4-5", "claude-haiku-4-5"


class Acme:
    """The organization: Ada owns it, Bob is seen in telemetry only, `nightly` is a program."""

    def __init__(self, db: Database) -> None:
        self.org: OrgId = an_organization(db)
        self.ada: Member = a_member(db, self.org, "ada@example.com", "owner")
        self.key = a_key(db, self.org, self.ada)
        self.nightly = a_service_account(db, self.org, "nightly")
        self.nightly_key = a_key(db, self.org, self.nightly)
        self.bob_id = ids.user_of_email(self.org, "bob@example.com")


def send(client: httpx.Client, events: list[Event]) -> None:
    """Deliver events; all of them must be taken."""
    answer = client.post(
        "/api/platform/v1/events",
        content=msgspec.json.encode(events),
        headers={"Content-Type": "application/json"},
    )
    assert answer.json() == {"accepted": len(events), "rejected": 0, "errors": []}


def tuesday() -> list[Event]:
    """What Ada and Bob did; sent with Ada's key."""
    return [*_ada(TUESDAY), *_bob(TUESDAY)]


def nightly(ts: int = TUESDAY) -> list[Event]:
    """What the program did; sent with its own key."""
    own: dict[str, Any] = {"ts": ts, "session_id": "s3", "client": "non-interactive-cli"}
    return [
        an_event(kind="user_message", **own),
        _call(HAIKU, 100, 10, 0, 0, own),
        an_event(kind="tool_call", tool="Bash", autonomy="auto-high", **own),
    ]


def thursday() -> list[Event]:
    """Ada asks once more in Tuesday's session."""
    own: dict[str, Any] = {"ts": THURSDAY, "session_id": "s1", "client": "terminal-ui"}
    own["user_email"] = "ada@example.com"
    return [an_event(kind="user_message", **own), _call(SONNET, 10, 0, 0, 0, own)]


def _call(
    model: str, fresh: int, output: int, read: int, written: int, own: dict[str, Any]
) -> Event:
    return an_event(
        kind="model_call",
        model=model,
        model_tier="thinking" if model == SONNET else "standard",
        input_tokens=fresh,
        output_tokens=output,
        cache_read_tokens=read,
        cache_write_tokens=written,
        **own,
    )


def _ada(ts: int) -> list[Event]:
    own: dict[str, Any] = {"ts": ts, "session_id": "s1", "client": "terminal-ui"}
    own["user_email"] = "ada@example.com"
    tools = ["Read", "Read", "Read", "Edit", "Write"]
    return [
        an_event(kind="session_start", **own),
        *(an_event(kind="user_message", **own) for _ in range(2)),
        # 1.2 x (1000 + 200 + 30 + 500 / 10) = 1536; 1.2 x (7 + 5) = 14.4, so 14.
        _call(SONNET, 1000, 200, 500, 30, own),
        _call(SONNET, 7, 5, 0, 0, own),
        *(an_event(kind="tool_call", tool=tool, autonomy="auto-high", **own) for tool in tools),
        an_event(
            kind="tool_call",
            tool="mcp__tracker__find",
            tool_kind="mcp",
            mcp_server="tracker",
            mcp_tool="find",
            autonomy="manual",
            **own,
        ),
        an_event(kind="tool_call", tool="Bash", decision="reject", autonomy="manual", **own),
        an_event(kind="skill", skill="release-notes", **own),
        *(an_event(kind="slash_command", slash_command="/review", **own) for _ in range(2)),
        an_event(
            kind="hook", hook_event="PreToolUse", hook_matcher="Bash", hook_command="lint", **own
        ),
        an_event(kind="hook", hook_event="Stop", hook_command="notify", **own),
        an_event(kind="file_change", file_op="created", file_ext="py", language="Python", **own),
        an_event(kind="file_change", file_op="edited", file_ext="ts", language="TypeScript", **own),
        an_event(kind="file_change", file_op="edited", file_ext="ts", language="TypeScript", **own),
        an_event(kind="git_commit", commit_sha="a" * 40, **own),
        an_event(kind="git_pull_request", pr_url="https://git.example/acme/pull/1", **own),
    ]


def _bob(ts: int) -> list[Event]:
    own: dict[str, Any] = {"ts": ts, "session_id": "s2", "client": "web"}
    own["user_email"] = "Bob@Example.com"
    return [
        an_event(kind="user_message", **own),
        _call(HAIKU, 300, 20, 0, 0, own),  # 0.4 x 320 = 128.
        an_event(kind="tool_call", tool="Read", autonomy="spec", **own),
    ]
