"""The one door out for what the reports tell of people.

Storage names everybody. `judged` refuses a question that may not be asked, and `veil` renames the
owners of a day's slices, so that rows, their order, pages, entity tags and exports are made of the
names that are shown, by the code that makes them of the true ones.

In the grouped modes nothing is shown of fewer than `minimum` people of one day. Smaller groups
are one group, REST; where that is too small itself, the smallest others join it: the whole less
the groups that are shown is nobody's then.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

import msgspec

from stationmaster.access import privacy
from stationmaster.access.model import PrivacyMode
from stationmaster.access.privacy import NAMED, Policy
from stationmaster.aggregate.slices import UNKNOWN, Slices
from stationmaster.analytics.model import Question
from stationmaster.db.engine import Database
from stationmaster.errors import Forbidden
from stationmaster.rollups.rows import Dimension

REST = "rest"
"""What groups that are too small are called together."""
NOBODY = ""
"""Of a group that is not shown at all. No list has it."""
_POOLED: tuple[Dimension, ...] = ("agent", "repository", "team")


def judged(db: Database, question: Question, mode: PrivacyMode | None = None) -> Question:
    """The question, knowing how people are shown; `mode` where the caller came with it already.

    Raises Forbidden (`privacy_mode`) for one about single people where nobody is shown alone, and
    for the report of users where there is no such thing.
    """
    if mode == "named" or not (question.shows_people or question.is_sliced):
        return msgspec.structs.replace(question, policy=NAMED)
    policy = privacy.of(db, question.org)
    by_user = question.group_by == "user" or any(name == "user" for name, _ in question.only)
    if policy.is_grouped and by_user:
        raise _refused("neither grouped nor filtered by user", policy)
    if policy.mode == "off" and question.report == "users":
        raise _refused("not told by user", policy)
    return msgspec.structs.replace(question, policy=policy)


def _refused(how: str, policy: Policy) -> Forbidden:
    return Forbidden(
        f"Reports of this organization are {how}: its privacy mode is {policy.mode}.",
        code="privacy_mode",
    )


def veil(found: Slices, question: Question) -> Slices:
    """The slices of a day under the names by which a question may choose some of them."""
    policy = question.policy or NAMED
    if policy.mode == "pseudonymous":
        owners = [policy.pseudonym(user) for user in found.column("user_id")]
        nobody: list[str | None] = [None] * len(owners)
        return found.with_column("user_id", owners).with_column("email", nobody)
    if policy.is_grouped:
        for dimension in _POOLED:
            found = _pool(found, dimension, policy)
    return found


def is_withheld(found: Slices, question: Question) -> bool:
    """Do the chosen slices of a day rest on too few people to be told of?"""
    policy = question.policy or NAMED
    if not policy.is_grouped or not question.only:
        return False
    return len(set().union(*_people(found, "agent").values())) < policy.minimum


def veil_chosen(found: Slices, question: Question) -> Slices:
    """The chosen slices under the names that the rows show."""
    policy = question.policy or NAMED
    if not policy.is_grouped:
        return found
    if question.group_by in _POOLED:
        found = _pool(found, question.group_by, policy)
    if not question.shows_people:
        return found
    teams = _pool(found, "team", policy).column("team")
    shown = {REST: REST, NOBODY: NOBODY} if policy.mode == "team-only" else dict.fromkeys(teams, "")
    owners = [shown.get(team, f"team:{team}") for team in teams]
    nobody: list[str | None] = [None] * len(owners)
    return found.with_column("user_id", owners).with_column("email", nobody)


def pooled(people: Mapping[str, set[str]], minimum: int) -> dict[str, str]:
    """What each group is shown as: itself, REST, or NOBODY.

    Whose group nothing tells, UNKNOWN, always is part of the rest.
    """
    large = [name for name, found in people.items() if len(found) >= minimum and name != UNKNOWN]
    large.sort(key=lambda name: (len(people[name]), name), reverse=True)
    small = people.keys() - set(large)
    rest = set(chain.from_iterable(people[name] for name in small))
    while large and 0 < len(rest) < minimum:
        rest |= people[large.pop()]
    told = REST if len(rest) >= minimum else NOBODY
    return {name: name if name in large else told for name in people}


def _pool(found: Slices, dimension: Dimension, policy: Policy) -> Slices:
    """With groups for the values of a dimension, by the people of the chosen slices."""
    labels = pooled(_people(found, dimension), policy.minimum)
    names = [labels.get(name, NOBODY) for name in found.column(dimension)]
    return found.with_column(dimension, names)


def _people(found: Slices, dimension: Dimension) -> dict[str, set[str]]:
    """Who has a part in each value of a dimension, in the chosen slices; programs are nobody."""
    table = found["slices"]
    people: dict[str, set[str]] = {}
    for name, user in zip(table[dimension].to_pylist(), table["user_id"].to_pylist(), strict=True):
        mine = people.setdefault(name, set())
        if not user.startswith("svc_"):
            mine.add(user)
    return people
