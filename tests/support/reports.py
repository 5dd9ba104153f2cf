"""What an installation answers, asked through its own commands."""

from __future__ import annotations

from typing import Any

from tests.support.commands import succeed


def rows(data: str, report: str, day: str, *more: str) -> list[dict[str, Any]]:
    """The rows of one day, after everything that is due was rolled up."""
    succeed("rollup", "--data-dir", data)
    days = ("--from", day, "--to", day)
    return list(succeed("analytics", report, "--data-dir", data, *days, *more)["data"])


def totals(data: str, day: str, *more: str) -> dict[str, int]:
    """Tokens, sessions and messages of one day; empty when nothing is stored."""
    tokens, activity = rows(data, "tokens", day, *more), rows(data, "activity", day, *more)
    if not tokens:
        return {}
    return {
        "input_tokens": tokens[0]["input_tokens"],
        "output_tokens": tokens[0]["output_tokens"],
        "sessions": activity[0]["sessions"],
        "user_messages": activity[0]["user_messages"],
    }
