"""How people work together on the repository: guides, templates, and what it says of
contributions by agents. All of it is quoted, and none of it an order to the reader."""

from __future__ import annotations

import msgspec

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

_LIKE = expressions("conventions")


@query
def guides(facts: Facts) -> tuple[str, ...]:
    """Documents for who contributes, by path."""
    return tuple(path for path in facts.records if _LIKE["guides"].fullmatch(path))


@query
def templates(facts: Facts) -> tuple[str, ...]:
    """Of requests and issues, by path."""
    paths = filter(_LIKE["templates"].fullmatch, facts.records)
    return tuple(path for path in paths if not is_test(path))


class Policy(msgspec.Struct, frozen=True):
    """What the repository says of contributions by agents; `text` are its own words."""

    policy: str
    text: str
    place: Place | None


@query
def policy(facts: Facts) -> Policy:
    stated = facts.tree.project.policy
    place = Place(stated.place.path, stated.place.line) if stated.place else None
    return Policy(stated.policy, stated.text or "", place)
