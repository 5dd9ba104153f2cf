"""An organization with figures: three days of two people with two agents, in two repositories."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from stationmaster import clock, days
from stationmaster.events.model import Event
from tests.aggregate.lakes import event, rolled_up
from tests.support.builders import a_key, a_member
from tests.web.conftest import Office

ADA: dict[str, Any] = {"team": "Platform", "repo": "example.com/acme/app"}
BEN: dict[str, Any] = {"product": "codex", "team": "Data", "repo": "example.com/acme/web"}


def work(office: Office) -> str:
    """Have the organization work on the three days before today; the text of an owner's key."""
    db, settings = office.server.services.db, office.server.settings
    ada = a_member(db, office.org, "ada@example.com", "owner")
    ben = a_member(db, office.org, "ben@example.com", "member")
    for back in (3, 2, 1):
        day = clock.today() - timedelta(days=back)
        events = [*_ada(ada.user_id, day, back), *_ben(ben.user_id, day, back)]
        rolled_up(db, settings, office.org, events, day)
    return a_key(db, office.org, ada)


def _ada(user: str, day: date, back: int) -> Iterator[Event]:
    of = {**ADA, **_who(user, "ada@example.com", day)}
    yield event("user_message", **of)
    for _ in range(back):
        yield event(
            "model_call",
            model="claude-sonnet-4-5",
            input_tokens=1_000,
            output_tokens=500,
            cache_read_tokens=20_000,
            cache_write_tokens=800,
            **of,
        )
    edit: dict[str, Any] = {"tool": "edit", "tool_raw": "Edit", "language": "Python"}
    yield event("tool_call", success=True, duration_ms=20, decision="accept", **edit, **of)
    yield event("tool_call", tool_raw="Bash", success=False, duration_ms=900, **of)
    yield event("tool_call", tool_raw="mcp__linear__x", tool_kind="mcp", mcp_server="linear", **of)
    yield event("skill", skill="review", **of)
    yield event("slash_command", slash_command="/compact", **of)
    yield event("hook", hook_event="Stop", hook_command="lint.sh", **of)
    changed: dict[str, Any] = {"file_op": "edited", "language": "Python", "file_ext": ".py"}
    yield event("file_change", lines_added=7, lines_removed=2, **changed, **of)
    yield event("git_commit", **of)


def _ben(user: str, day: date, back: int) -> Iterator[Event]:
    of = {**BEN, **_who(user, "ben@example.com", day)}
    yield event("user_message", **of)
    yield event("model_call", model="gpt-5", input_tokens=3_000 * back, output_tokens=90, **of)
    yield event("model_call", model="acme-1", input_tokens=10, output_tokens=5, **of)
    yield event("model_error", error_class="rate_limited", error_status=429, **of)
    yield event("git_pull_request", pr_url="https://example.com/acme/web/pull/1", **of)


def _who(user: str, email: str, day: date) -> dict[str, Any]:
    return {
        "user_id": user,
        "user_email": email,
        "root_session_id": f"{email}-{day}",
        "ts": days.start_ms(day) + 9 * 3_600_000,
    }
