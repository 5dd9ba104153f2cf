"""Days as people type them, wherever a command takes a range; the clock stands at 2026-11-21."""

from __future__ import annotations

import pytest

from stationmaster.cli import ranges
from stationmaster.errors import BadRequest
from tests.support.commands import command, succeed


@pytest.mark.parametrize(
    ("options", "first", "last"),
    [
        ((), "2026-11-14", "2026-11-20"),
        (("--from", "yesterday"), "2026-11-20", "2026-11-20"),
        (("--from", "2026-11-03"), "2026-11-03", "2026-11-20"),
        (("--from", "30d"), "2026-10-22", "2026-11-20"),
        (("--from", "last-week"), "2026-11-09", "2026-11-15"),
        (("--from", "this-month"), "2026-11-01", "2026-11-20"),
        (("--from", "last-month"), "2026-10-01", "2026-10-31"),
        (("--from", "last-month", "--to", "yesterday"), "2026-10-01", "2026-11-20"),
        (("--from", "2026-09-05", "--to", "last-month"), "2026-09-05", "2026-10-31"),
        (("--to", "2026-11-03"), "2026-10-28", "2026-11-03"),
        (("--to", "last-month"), "2026-10-01", "2026-10-31"),
    ],
)
def test_a_range_is_named_by_dates_and_words(
    made: dict[str, str], options: tuple[str, ...], first: str, last: str
) -> None:
    for report in (("analytics", "activity"), ("costs",)):
        meta = succeed(*report, *options, "--data-dir", made["data"])["meta"]
        asked = meta.get("range") or meta
        assert [str(value) for value in asked.values() if value in (first, last)][-2:] == [
            first,
            last,
        ]


@pytest.mark.parametrize("arguments", [("analytics", "tokens"), ("costs",), ("rollup",)])
@pytest.mark.parametrize("text", ["today", "2026-11-21", "2027-01-01"])
def test_a_day_that_is_not_over_is_refused_with_when_it_will_be(
    made: dict[str, str], arguments: tuple[str, ...], text: str
) -> None:
    error = command(*arguments, "--from", text, "--data-dir", made["data"]).error

    assert error.startswith(f"--from {text}: ")
    assert "is not over yet, and reports have closed UTC days" in error


def test_the_option_that_was_typed_is_named(made: dict[str, str]) -> None:
    folder = ("--data-dir", made["data"])

    def error(*arguments: str) -> str:
        return command(*arguments, *folder).error

    assert error("analytics", "tokens", "--to", "2026-13-01").startswith("--to takes a date")
    assert error("costs", "--from", "2026-11-20", "--to", "2026-11-01").startswith(
        "--from 2026-11-20 is after --to 2026-11-01"
    )
    assert "startDate" not in error("analytics", "tokens", "--from", "2020-01-01")
    assert "startDate" not in error("costs", "--from", "2020-01-01")
    assert error("analytics", "users", "--limit", "0").startswith("--limit must be")
    assert error("coverage", "--days", "900").startswith("--days: ")
    assert error("costs", "rates", "--day", "x").startswith("--day takes a date")


def test_words_of_a_closed_list_are_suggested(made: dict[str, str]) -> None:
    def error(*arguments: str) -> str:
        return command(*arguments, "--data-dir", made["data"]).error

    assert error("analytics", "tokns").endswith("Did you mean tokens?")
    assert error("analytics", "tokens", "--group-by", "modell").endswith("Did you mean model?")
    assert error("costs", "--group-by", "users").endswith("Did you mean user?")
    assert error("analytics", "tokens", "--format", "jsn").endswith("Did you mean json?")


@pytest.mark.parametrize(
    ("arguments", "agent"),
    [
        (("agents", "setup", "claude", "--url", "http://127.0.0.1:1", "--key", "k"), "claude-code"),
        (("agents", "verify", "gemini", "--url", "http://127.0.0.1:1", "--key", "k"), "gemini-cli"),
        (("hooks", "install", "copilot"), "copilot-cli"),
        (("ingest", ".", "--agent", "codx"), "codex"),
    ],
)
def test_the_nearest_agent_is_suggested(arguments: tuple[str, ...], agent: str) -> None:
    assert command(*arguments).error.endswith(f"Did you mean {agent}?")


def test_days_of_zeros_say_that_today_is_not_in_them(made: dict[str, str]) -> None:
    for report in (("analytics", "tokens"), ("analytics", "users"), ("costs",)):
        said = command(*report, "--data-dir", made["data"]).stderr
        assert "here through 2026-11-20: today (2026-11-21) is included from 2026-11-22" in said
        assert "in 12 h 0 min." in said
    past = command("costs", "--from", "last-month", "--data-dir", made["data"]).stderr
    assert "today" not in past


def test_an_agent_that_there_is_not_is_said_to_be_none(made: dict[str, str]) -> None:
    done = command("analytics", "tokens", "--agent", "claude", "--data-dir", made["data"])

    assert "No agent is called 'claude'. Did you mean claude-code?" in done.stderr


@pytest.mark.parametrize("text", ["9999d", "99999999d", "-1d", "", " ", "0d", "last_week"])
def test_what_is_no_range_is_refused(text: str) -> None:
    if text == "9999d":
        assert ranges.closed(text, None).first.year < 2000
        return
    with pytest.raises(BadRequest, match="--from takes a date"):
        ranges.closed(text, None)
