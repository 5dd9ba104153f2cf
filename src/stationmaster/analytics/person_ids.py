"""Under which user ids the figures of a person are stored."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stationmaster import ids
from stationmaster.access import aliases
from stationmaster.analytics.model import FILTER_VALUES_MAX, Question
from stationmaster.db.engine import Database
from stationmaster.db.readers import marks
from stationmaster.ids import OrgId

_ACTIVE = "SELECT DISTINCT user_id FROM active_users WHERE org_id = ? AND user_id IN ({marks})"
_BATCH = 500


def of(db: Database, org: OrgId, user: str) -> tuple[str, ...]:
    """The id of the person that a user id is or belongs to, this id, and the person's other ids
    under which days are still stored; at most FILTER_VALUES_MAX.

    Figures of a merged person move to the person's own id when their days are counted again; days
    whose events are erased keep the id that they had.
    """
    person, *others = aliases.ids_of(db, org, user)
    active: set[str] = set()
    for start in range(0, len(others), _BATCH):
        batch = others[start : start + _BATCH]
        sql = _ACTIVE.format(marks=marks(batch))
        active.update(person_id for (person_id,) in db.rows(sql, org, *batch))
    return tuple(dict.fromkeys((person, user, *sorted(active))))[:FILTER_VALUES_MAX]


def widened(db: Database, question: Question) -> Question:
    """The question with all ids of the people whom its filter `user` names, by id or address."""
    only = tuple(
        (dimension, all_of(db, question.org, values) if dimension == "user" else values)
        for dimension, values in question.only
    )
    return msgspec.structs.replace(question, only=only)


def all_of(db: Database, org: OrgId, users: Sequence[str]) -> tuple[str, ...]:
    """Users by id or address, and all ids of the people that they are."""
    people = (ids.user_of(org, user) for user in users)
    return tuple(
        dict.fromkeys(
            (*users, *(person_id for person in people for person_id in of(db, org, person)))
        )
    )
