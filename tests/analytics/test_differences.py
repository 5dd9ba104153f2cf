"""A made organization whose every sum names its people, asked everything: no answer, and no sum or
difference of two, is a few people's.

Each of 23 people uses 2^k input tokens, so the bits of a figure are its people.
"""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import combinations, product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stationmaster import clock, days
from stationmaster.access import privacy as policies
from stationmaster.access.model import Caller, PrivacyMode
from stationmaster.aggregate.day import roll_up
from stationmaster.analytics import reports
from stationmaster.analytics.formats import export
from stationmaster.analytics.model import DayRange, Question
from stationmaster.analytics.privacy import judged
from stationmaster.analytics.spending import costs, what_if
from stationmaster.db.engine import Database
from stationmaster.errors import Forbidden
from stationmaster.events.model import Event, Kind
from stationmaster.ids import OrgId
from stationmaster.pricing.credits import rates
from stationmaster.report_names import GROUPING, REPORTS, Dimension, Report
from stationmaster.settings import Settings
from tests.aggregate.lakes import DAY, NOON, event, land, settings
from tests.support.builders import a_caller, a_member, an_organization
from tests.support.databases import sqlite_url

PEOPLE = 23
MINIMUM = 5
NEXT = DAY + timedelta(days=1)
TEAMS = ["Red"] * 9 + ["Blue"] * 7 + ["Tiny"] * 2 + [None] * 5
_PARTS: dict[Dimension, tuple[str, ...]] = {
    "agent": ("codex", "claude-code", "droid", "rest", "unknown"),
    "repository": ("host/o/r0", "host/o/r1", "host/o/r2", "rest", "unknown"),
    "team": ("Red", "Blue", "Tiny", "rest", "unknown"),
}
_RANGE = DayRange(DAY, NEXT)


def user(number: int) -> str:
    return f"human_{number:02}"


def _events(day: date) -> list[Event]:
    """What each person did, with figures of 2^k. Person 5 alone uses what has house in its name."""
    found = []
    for n in range(PEOPLE):
        if day == NEXT and n % 4 == 3:
            continue
        common: dict[str, Any] = {
            "user_id": user(n),
            "user_source": "email",
            "user_email": f"person{n:02}@example.com",
            "root_session_id": f"session-{n}-{day}",
            "ts": NOON + (day - DAY).days * days.MS_PER_DAY,
            "team": TEAMS[n],
            "product": "droid" if n == 20 else "codex" if n % 3 == 0 else "claude-code",
            "repo": f"host/o/r{n // 2 % 2}" if n < 17 else "host/o/r2" if n < 19 else None,
            "autonomy": "auto-high" if n == 5 else "manual",
        }
        name = "house" if n == 5 else "odd" if n % 2 else "even"
        model = {"house": "house-x", "odd": "claude-opus-4-5", "even": "claude-sonnet-4-5"}[name]
        found.append(event("model_call", model=model, input_tokens=2**n, **common))
        server = {"mcp_server": name, "tool_kind": "mcp"} if n % 5 == 0 else {}
        uses: list[tuple[Kind, dict[str, Any]]] = [
            ("tool_call", {"tool": f"{name}_tool", **server}),
            ("skill", {"skill": f"{name}-skill"}),
            ("slash_command", {"slash_command": f"/{name}"}),
            ("hook", {"hook_event": "Stop", "hook_matcher": name, "hook_command": name}),
            ("file_change", {"file_op": "edited", "file_ext": name, "language": name.title()}),
        ]
        found += [event(kind, **(common | {"count": 2**n} | more)) for kind, more in uses]
    return found


@dataclass
class Org:
    db: Database
    config: Settings
    org: OrgId
    boss: Caller

    def answers(self, report: Report) -> Iterator[tuple[Question, list[dict[str, Any]]]]:
        """Every question of a report that is answered, with its rows."""
        filters = [(), *_filters()]
        groups = [None, *_PARTS, GROUPING.get(report)] if report != "users" else [None]
        for only, group_by in product(filters, dict.fromkeys(groups)):
            question = Question(self.org, report, _RANGE, group_by, 100, only=only)
            with suppress(Forbidden):
                found = reports.find(self.db, judged(self.db, question))
                body = b"".join(reports.envelope(self.db, found))
                yield question, msgspec.json.decode(body)["data"]

    def costs(self) -> Iterator[list[dict[str, Any]]]:
        card = rates.card()
        for group_by in (None, "model", "team", "agent", "repository"):
            found = costs.find(self.db, card, self.org, _RANGE, group_by)  # type: ignore[arg-type] # A grouping.
            yield msgspec.json.decode(b"".join(found.parts()))["data"]
            assert [each for each in found.meta.unknown_models if each.model_id == "rest"] == []


def _filters() -> Iterator[tuple[tuple[Dimension, tuple[str, ...]], ...]]:
    """One value of one part, two of them, and one of each of two parts."""
    single = [(part, (value,)) for part, values in _PARTS.items() for value in values]
    yield from (((part, value),) for part, value in single)
    for part, values in _PARTS.items():
        yield ((part, tuple(sorted(values[:2]))),)
        yield ((part, tuple(sorted((values[0], "rest")))),)
    yield from ((one, other) for one, other in combinations(single, 2) if one[0] != other[0])


_SECRET = (b"house", b"human_", b"@example.com", b"Tiny", b"droid")
"""What names people, or is of one or two alone."""
_SCALARS = {
    "input_tokens": "tokens",
    "tool_calls": "tools",
    "invocations": "tools",
    "skills_invocations": "skills",
    "skill_calls": "skills",
    "slash_commands_invocations": "commands",
    "slash_commands": "commands",
    "hooks_invocations": "hooks",
    "hooks": "hooks",
    "files_edited": "files",
}
_COUNTS = {
    "skills_by_name": "skills",
    "slash_commands_by_name": "commands",
    "hooks_by_event": "hooks",
    "by_extension": "files",
    "by_language": "files",
}


def _figures(rows: list[dict[str, Any]]) -> Iterator[tuple[tuple[str, str], int]]:
    """What is shown of a day and a measure; the bits of a figure are people."""
    for row in rows:
        for name, value in _members(row, ""):
            if value:
                yield (row["date"], name), value


def _members(row: dict[str, Any], of: str) -> Iterator[tuple[str, int]]:
    for name, value in row.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for member in value:
                yield from _members(member, name)
        elif name in _SCALARS:
            yield _SCALARS[name], value
        elif name == "count":
            yield _COUNTS[of], value


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Org]:
    folder = tmp_path_factory.mktemp("made")
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))
    shutil.copyfile(sqlite_template, folder / "state.sqlite3")
    config, db = settings(folder), Database.open(sqlite_url(folder / "state.sqlite3"))
    org = an_organization(db)
    boss = a_caller(db, org, a_member(db, org, "boss@example.com", "owner"))
    for day in (DAY, NEXT):
        land(db, config, org, [_events(day)], day)
        roll_up(db, config, org, day)
    yield Org(db, config, org, boss)
    db.close()


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


@pytest.mark.parametrize("mode", ["team-only", "off"])
def test_no_figure_and_no_sum_or_difference_of_figures_is_a_few_peoples(
    made: Org, mode: PrivacyMode
) -> None:
    policies.put(made.db, made.org, mode, MINIMUM, by=made.boss)
    figures: dict[tuple[str, str], set[int]] = {}
    answers = [rows for report in REPORTS for _, rows in made.answers(report)]
    for rows in [*answers, *made.costs()]:
        out = msgspec.json.encode(rows)
        assert [word for word in _SECRET if word in out] == []
        for measure, value in _figures(rows):
            figures.setdefault(measure, set()).add(value)

    assert len(figures) == 12
    for found in figures.values():
        people = found | {one | other for one, other in combinations(found, 2) if not one & other}
        assert {value.bit_count() for value in people} <= {*range(MINIMUM, PEOPLE + 1)}
        differences = {(one ^ other).bit_count() for one, other in product(people, found)}
        assert differences <= {0, *range(MINIMUM, PEOPLE + 1)}


def _keys(made: Org, report: Report, group_by: str) -> set[str]:
    return {
        row["group_key"]
        for question, rows in made.answers(report)
        if question.group_by == group_by and not question.only
        for row in rows
    }


def test_what_enough_people_have_beside_enough_others_keeps_its_name(made: Org) -> None:
    policies.put(made.db, made.org, "team-only", MINIMUM, by=made.boss)

    assert _keys(made, "tokens", "team") == {"Red", "Blue", "rest"}
    assert _keys(made, "tokens", "agent") == {"claude-code", "rest"}
    assert _keys(made, "tokens", "model") == {"claude-sonnet-4-5", "rest"}
    assert _keys(made, "tools", "tool_name") == {"even_tool", "rest"}


def test_teams_add_up_to_their_day_in_every_form(made: Org) -> None:
    policies.put(made.db, made.org, "team-only", MINIMUM, by=made.boss)
    question = judged(made.db, Question(made.org, "tokens", DayRange(DAY, DAY)))
    documents = [*reports.documents(made.db, reports.find(made.db, question))]
    [row] = map(msgspec.json.decode, documents)
    written = b"".join(export.to_csv("tokens", documents)).decode()

    assert row["input_tokens"] == 2**PEOPLE - 1
    for members in (row["by_model"], row["by_user"]):
        assert sum(each["billable_tokens"] for each in members) == row["billable_tokens"]
    for team in row["by_user"]:
        models = [each["billable_tokens"] for each in team["by_model"]]
        assert sum(models) == team["billable_tokens"]
    lines = [*csv.DictReader(io.StringIO(written))]
    assert {line["user_id"] for line in lines} == {"team:Red", "team:Blue", "rest"}
    assert sum(int(line["input_tokens"]) for line in lines) == row["input_tokens"]


def test_another_rate_card_names_no_model_of_a_few_people(made: Org) -> None:
    policies.put(made.db, made.org, "off", MINIMUM, by=made.boss)
    card = rates.card()

    found = what_if.compare(made.db, made.config, card, card, made.org, DayRange(DAY, DAY))

    assert {row.model_id for row in found.data} == _keys(made, "tokens", "model")
    assert b"house" not in msgspec.json.encode(found)
    now = sum(row.billable_tokens_now for row in found.data)
    assert found.meta.totals.billable_tokens_now == now


@pytest.mark.parametrize("report", REPORTS)
def test_parts_of_parts_are_refused_with_a_reason(made: Org, report: Report) -> None:
    policies.put(made.db, made.org, "team-only", MINIMUM, by=made.boss)
    both: Any = (("agent", ("codex",)), ("repository", ("host/o/r0",)))

    with pytest.raises(Forbidden, match="fewer than 5 people could be distinguished") as refused:
        judged(made.db, Question(made.org, report, _RANGE, only=both))

    assert refused.value.code == "privacy_mode"
    in_teams = Question(made.org, report, _RANGE, None if report == "users" else "team")
    assert judged(made.db, in_teams)
    with pytest.raises(Forbidden):
        judged(made.db, msgspec.structs.replace(in_teams, only=both[:1]))


def test_pseudonyms_are_not_listed_by_parts_of_few_people(made: Org) -> None:
    policies.put(made.db, made.org, "pseudonymous", MINIMUM, by=made.boss)
    listed = {}
    for question, rows in made.answers("users"):
        out = msgspec.json.encode(rows)
        assert [word for word in (b"human_", b"@example.com") if word in out] == []
        for row in rows:
            listed.setdefault((question.only, row["date"]), set()).add(row["user_id"])

    assert all(len(users) >= MINIMUM for users in listed.values())
    red, tiny = ((("team", (team,)),) for team in ("Red", "Tiny"))
    assert {len(users) for key, users in listed.items() if key[0] == red} == {7, 9}
    assert [key for key in listed if key[0] == tiny] == []
