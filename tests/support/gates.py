"""Answers of `GET …/limits/effective` and what the background writes of them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec

from stationmaster.client.hooks import gate_file

DAY_MS = 86_400_000


def a_budget(**members: Any) -> dict[str, Any]:
    """Five dollars of a person's month, all used, after which work is refused."""
    return {
        "id": "bud_1",
        "scope": {"kind": "user", "id": "user_1", "name": "ada@example.com"},
        "amount": 5 * 10**12,
        "currency": "usd",
        "period": {"start": "2026-11-01", "end": "2026-11-30", "reset": now_ms() + DAY_MS},
        "spent": 5_020_000_000_000,
        "held": 0,
        "remaining": 0,
        "share": 1.004,
        "state": "over",
        "atEnd": "refuse",
        "models": [],
        "whenUnreachable": "allow",
        "forecast": None,
        "worstOvershoot": None,
        "overshootNote": None,
        "binds": True,
        **members,
    }


def an_answer(*budgets: dict[str, Any]) -> dict[str, Any]:
    return {
        "asOf": now_ms(),
        "principal": {"kind": "user", "id": "user_1", "email": "ada@example.com", "name": "Ada"},
        "budgets": list(budgets),
        "binding": None,
        "rungs": [],
    }


def stored(client_dir: Path, *budgets: dict[str, Any]) -> Path:
    """What the background process leaves of an answer that has just come."""
    client_dir.mkdir(parents=True, exist_ok=True)
    effective = msgspec.convert(an_answer(*budgets), gate_file.GateAnswer)
    gate_file.store(client_dir, "https://stationmaster.example.com", effective)
    return client_dir / "gate"


def now_ms() -> int:
    return time.time_ns() // 1_000_000
