"""The only place through which reports show people.

Storage names everybody. `judged` refuses a question that may not be asked, and `veil` renames what
a day's slices are of, so that rows, their order, pages, entity tags and exports are made of the
names that are shown, by the code that makes them of the true ones.

In the grouped modes nothing is shown of fewer than `minimum` people of one day, and nothing that
can be computed from any answers is: `breakdowns` has the rule and its proof. A question is about
one part of the organization at most (some teams, agents or repositories), because parts of parts
are decided for none but breakdowns.

A report with tables of its own takes the same steps: `judged`, then for each day by itself `veil`
the slices, choose some by what they are called now, leave the day out if `is_withheld`, and give
each table that it breaks down (all its rows) to `breakdowns.shown`, before anything is added up.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable

import msgspec

from stationmaster.access import privacy
from stationmaster.access.model import PrivacyMode, is_program
from stationmaster.aggregate.slices import Slices
from stationmaster.analytics.days import breakdowns
from stationmaster.analytics.model import Question
from stationmaster.db.engine import Database
from stationmaster.errors import Forbidden
from stationmaster.report_names import DIMENSIONS, Dimension

_BROKEN_DOWN: dict[str, tuple[str, ...]] = {
    "tokens": ("tokens",),
    "tools": ("tools", "names", "levels"),
    "activity": (),
    "productivity": ("file_changes",),
    "users": ("tokens", "levels", "file_changes"),
}
"""The tables of slices that a report breaks down."""


def judged(db: Database, question: Question, mode: PrivacyMode | None = None) -> Question:
    """The question with how people are shown; `mode` where the caller has it already.

    Raises Forbidden (`privacy_mode`) for one about single people where no person is shown alone,
    for the report of users where there is no such thing, and for parts of parts.
    """
    policy = privacy.NAMED if mode == "named" else privacy.of(db, question.org)
    if policy.is_grouped:
        _check(question, policy)
    if not policy.is_named:
        _check_facts(question, policy)
    return msgspec.structs.replace(question, policy=policy)


def _check(question: Question, policy: privacy.Policy) -> None:
    dimensions = {question.group_by, *(name for name, _ in question.only)}
    if "user" in dimensions:
        raise _refused("neither grouped nor filtered by user", policy)
    if question.report == "users":
        if policy.mode == "off":
            raise _refused("not shown by user", policy)
        dimensions.add("team")
    both = [part for part in breakdowns.PARTS if part in dimensions]
    if len(both) > 1:
        raise _refused(
            f"not shown by {' and '.join(both)} together, because fewer than {policy.minimum} "
            "people could be distinguished; choose one of them",
            policy,
        )


def _check_facts(question: Question, policy: privacy.Policy) -> None:
    """Refuse what would distinguish people by facts: few of them use a tool or a model, a branch
    may be named after its author, and who works at which hour is known."""
    names = {name for name in (question.group_by, *dict(question.only_facts)) if name}
    if question.is_insight:
        for name in sorted(names - {*DIMENSIONS}):
            if policy.is_grouped or name in ("branch", "hour"):
                raise _refused(f"neither grouped nor filtered by {name}", policy)


def _refused(how: str, policy: privacy.Policy) -> Forbidden:
    return Forbidden(
        f"Reports of this organization are {how}: its privacy mode is {policy.mode}.",
        code="privacy_mode",
    )


def veil(day: Slices, question: Question, tables: Collection[str] | None = None) -> Slices:
    """All slices of a day under the names by which a question may choose some of them.

    Of the tables that its report breaks down, all or only `tables` are.
    """
    policy = question.policy or privacy.NAMED
    if policy.is_grouped:
        day = breakdowns.by_parts(day, policy.minimum)
        for table in broken_down_by(question) if tables is None else tables:
            day = breakdowns.broken_down(day, table, part_of(question), policy.minimum)
    if policy.mode == "pseudonymous":
        if not question.parts.isdisjoint(breakdowns.PARTS):
            day = breakdowns.by_parts(day, policy.minimum)
        day = _renamed(day, [policy.pseudonym(user) for user in day.column("user_id")])
    return day


def broken_down_by(question: Question) -> tuple[str, ...]:
    """The tables of slices that `veil` breaks down for a question."""
    policy = question.policy or privacy.NAMED
    return _BROKEN_DOWN.get(question.report, ()) if policy.is_grouped else ()


def naming(question: Question) -> Hashable | None:
    """Equal for questions that `veil` shows a day the same for; None where it changes nothing."""
    policy = question.policy or privacy.NAMED
    if policy.is_named:
        return None
    has_parts = not question.parts.isdisjoint(breakdowns.PARTS)
    return policy, part_of(question), has_parts


def part_of(question: Question) -> Dimension | None:
    """The one part that a question of a grouped mode is about; None for the whole."""
    parts = question.parts | ({"team"} if question.report == "users" else set())
    return next((part for part in breakdowns.PARTS if part in parts), None)


def may_withhold(question: Question) -> bool:
    """Is the question about some teams, agents or repositories, which may be a few people?"""
    policy = question.policy or privacy.NAMED
    return not policy.is_named and any(name != "user" for name, _ in question.only)


def is_withheld(chosen: Slices, question: Question) -> bool:
    """Do some teams, agents and repositories of a day rest on too few people to be shown?"""
    policy = question.policy or privacy.NAMED
    if not may_withhold(question):
        return False
    users = chosen["slices"]["user_id"].unique().to_pylist()
    return sum(not is_program(user) for user in users) < policy.minimum


def veil_chosen(chosen: Slices, question: Question) -> Slices:
    """The chosen slices under the names of people that the rows show."""
    policy = question.policy or privacy.NAMED
    if not policy.is_grouped or not question.shows_people:
        return chosen
    if policy.mode == "team-only" and part_of(question) in (None, "team"):
        shown = {breakdowns.REST: breakdowns.REST, breakdowns.NOT_SHOWN: breakdowns.NOT_SHOWN}
        return _renamed(chosen, [shown.get(t, f"team:{t}") for t in chosen.column("team")])
    return _renamed(chosen, [breakdowns.NOT_SHOWN for _ in chosen.column("team")])


def by_team(question: Question) -> Question | None:
    """The question whose slices are a token row's teams; None for a row that shows none."""
    policy = question.policy or privacy.NAMED
    if policy.mode != "team-only" or question.name != "tokens" or part_of(question) is not None:
        return None
    return msgspec.structs.replace(question, report="users")


def minimum(question: Question) -> int:
    """The fewest users of which a count is shown: see `documents.shown_count`."""
    policy = question.policy or privacy.NAMED
    return policy.minimum if policy.is_grouped else 0


def _renamed(day: Slices, users: list[str]) -> Slices:
    no_emails: list[str | None] = [None] * len(users)
    return day.with_column("user_id", users).with_column("email", no_emails)
