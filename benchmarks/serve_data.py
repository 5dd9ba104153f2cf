"""The database that the serve measurement reads: finished documents, put where rollups keep them.

`org_small` has a year of every plain report, in the sizes of a team of twenty. `org_large` has
100,000 users over 90 days, each active on 12 of them (1.2 million documents), and a year of token
reports that list 2,000 users each (about 0.5 MB a day).
"""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, timedelta

from stationmaster.access import service
from stationmaster.cli import folder
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.rollups.store import digest
from stationmaster.settings import Settings

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
LAST = date(2026, 11, 20)
USERS = 100_000
USER_DAYS = 90
ACTIVE_DAYS = 12
YEAR_DAYS = 366
LISTED_USERS = 2_000
_USERS_AT_ONCE = 10_000
_REPORT = """INSERT INTO report_documents (org_id, report, day, revision, digest, body)
VALUES (?, ?, ?, 1, ?, ?)"""
_DAY = """INSERT INTO lake_days (org_id, day, landed, rolled, rolled_at, cost_ms)
VALUES (?, ?, 1, 1, 0, 50)"""
_USER = "INSERT INTO user_documents (org_id, user_id, day, digest, body) VALUES (?, ?, ?, ?, ?)"
_ACTIVE = "INSERT INTO active_users (org_id, day, user_id, is_counted) VALUES (?, ?, ?, ?)"
_MODELS = ("claude-sonnet-4-5", "gpt-5-codex", "claude-haiku-4-5")


def user_id(number: int) -> str:
    return f"user_{number:016d}"


def build(settings: Settings, names: tuple[str, ...] = ("small", "large")) -> dict[str, str]:
    """Fill a fresh installation; the key of each organization's owner."""
    folder.make(settings)
    db = Database.open(settings.state_url)
    db.migrate()
    keys = {}
    rnd = random.Random(7)
    for name in names:
        org = service.create_organization(db, name)
        owner = service.add_member(db, org, f"owner@{name}.example", "owner")
        keys[name] = service.create_key(db, org, owner, name="bench")[1].reveal()
        listed = LISTED_USERS if name == "large" else 20
        _insert_reports(db, org, rnd, listed)
        if name == "large":
            _insert_users(db, org, rnd)
    db.close()
    return keys


def _days(count: int) -> list[date]:
    return [LAST - timedelta(days=n) for n in reversed(range(count))]


def _insert_reports(db: Database, org: OrgId, rnd: random.Random, listed: int) -> None:
    for day in map(date.isoformat, _days(YEAR_DAYS)):
        bodies = {
            "activity": _activity(day, rnd),
            "tools": _tools(day, rnd),
            "tokens": _tokens(day, rnd, listed),
        }
        db.write(
            _REPORT,
            [(org, name, day, digest(body), body) for name, body in bodies.items()],
        )
        db.write(_DAY, [(org, day)])


def _insert_users(db: Database, org: OrgId, rnd: random.Random) -> None:
    days = [day.isoformat() for day in _days(USER_DAYS)]
    models = [_user("USER", "DAY", rnd) for _ in range(1000)]
    for first in range(0, USERS, _USERS_AT_ONCE):
        rows = []
        for number in range(first, min(USERS, first + _USERS_AT_ONCE)):
            user = user_id(number)
            for day in sorted(rnd.sample(days, ACTIVE_DAYS)):
                body = rnd.choice(models).replace(b"USER", user.encode())
                body = body.replace(b"DAY", day.encode())
                rows.append((org, user, day, digest(body), body))
        db.write(_USER, rows)
        db.write(
            _ACTIVE,
            [(org, day, user, True) for org, user, day, _, _ in rows],
        )


def _encode(row: dict[str, object]) -> bytes:
    return json.dumps(row, separators=(",", ":")).encode()


def _activity(day: str, rnd: random.Random) -> bytes:
    users = rnd.randrange(10, 20)
    return _encode(
        {
            "date": day,
            "daily_active_users": users,
            "weekly_active_users": users + 2,
            "monthly_active_users": users + 4,
            "daily_active_users_by_client": {
                "terminal-ui": users,
                "web": 2,
                "non-interactive-cli": 3,
            },
            "sessions": rnd.randrange(40, 90),
            "messages": rnd.randrange(900, 2000),
            "user_messages": rnd.randrange(200, 400),
        }
    )


def _tools(day: str, rnd: random.Random) -> bytes:
    counts = sorted((rnd.randrange(2, 4000) for _ in range(25)), reverse=True)
    return _encode(
        {
            "date": day,
            "tool_calls": sum(counts),
            "by_tool": [{"tool": f"Tool{n:02d}", "invocations": c} for n, c in enumerate(counts)],
            "mcp_users_with_mcp": 7,
            "mcp_by_server": [{"server": "tracker", "invocations": 120}],
            "hooks_invocations": 50,
            "hooks_by_event": [],
            "autonomy_ratio_avg": 5.1234,
        }
    )


def _model(name: str, rnd: random.Random) -> dict[str, object]:
    return {
        "model_id": name,
        "model_tier": "standard",
        "billable_tokens": rnd.randrange(10**7),
        "input_tokens": rnd.randrange(10**6),
        "output_tokens": rnd.randrange(10**6),
        "cache_read_tokens": rnd.randrange(10**8),
        "cache_write_tokens": rnd.randrange(10**6),
    }


def _tokens(day: str, rnd: random.Random, listed: int) -> bytes:
    return _encode(
        {
            "date": day,
            "billable_tokens": rnd.randrange(10**9),
            "by_model": [_model(name, rnd) for name in _MODELS],
            "by_user": [
                {
                    "user_id": user_id(n),
                    "user_email": f"person{n}@example.com",
                    "billable_tokens": rnd.randrange(10**7),
                    "by_model": [_model(_MODELS[0], rnd)],
                }
                for n in range(listed)
            ],
        }
    )


def _user(user: str, day: str, rnd: random.Random) -> bytes:
    messages = rnd.randrange(5, 300)
    return _encode(
        {
            "user_id": user,
            "user_email": f"{user}@example.com",
            "date": day,
            "tool_calls": rnd.randrange(500),
            "billable_tokens": rnd.randrange(10**7),
            "primary_model": _MODELS[0],
            "primary_model_tier": "standard",
            "files_created": 1,
            "files_edited": rnd.randrange(40),
            "git_commits": 2,
            "git_prs_created": 0,
            "mcp_calls": 3,
            "skill_calls": 0,
            "slash_commands": 4,
            "hooks": 0,
            "sessions": 3,
            "messages": messages,
            "user_messages": messages // 4,
            "assistant_messages": messages - messages // 4,
            "autonomy_ratio": 4.25,
            "delegation_level": "auto-low",
            "languages": ["Python", "TypeScript"],
        }
    )
