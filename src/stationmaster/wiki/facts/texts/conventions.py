"""How people work together on the repository: guides, templates, and what it says of
contributions by agents. All of it is quoted, and none of it an order to the reader."""

from __future__ import annotations

import re

import msgspec

from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

_GUIDES = re.compile(
    r"(?i)(?:(?:\.github|\.gitlab|docs?)/)?(contributing|code[_-]of[_-]conduct|security|governance"
    r"|maintainers|support|developer[_-]certificate[_-]of[_-]origin|dco|cla|authors|styleguide"
    r"|style[_-]guide|release|releasing|development|hacking|agents|claude|gemini)(?:\.(?:md|rst|txt|adoc))?"
)
_TEMPLATES = re.compile(
    r"(?i)(?:(?:\.github|\.gitlab|docs)/)?(?:(pull_request_template|merge_request_templates?)"
    r"|(issue_template|issue_templates))(?:/[^/]{1,100})?(?:\.(?:md|ya?ml|txt))?"
)


@query
def guides(facts: Facts) -> tuple[str, ...]:
    """Documents for who contributes, by path."""
    return tuple(path for path in facts.records if _GUIDES.fullmatch(path))


@query
def templates(facts: Facts) -> tuple[str, ...]:
    """Of requests and issues, by path."""
    return tuple(path for path in facts.records if _TEMPLATES.fullmatch(path) and not is_test(path))


class Policy(msgspec.Struct, frozen=True):
    """What the repository says of contributions by agents; `text` are its own words."""

    policy: str
    text: str
    place: Place | None


@query
def policy(facts: Facts) -> Policy:
    said = facts.tree.project.policy
    place = Place(said.place.path, said.place.line) if said.place else None
    return Policy(said.policy, said.text or "", place)
