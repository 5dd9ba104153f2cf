"""What a wiki says of small repositories of eleven frameworks is all that is true, and no more."""

from __future__ import annotations

from textwrap import dedent

import pytest

from stationmaster.wiki.facts.code.work import commands, jobs
from stationmaster.wiki.facts.data.entities import stored
from stationmaster.wiki.facts.interfaces.routes import endpoints
from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.tooling.dependencies import packages
from tests.wiki.commits import facts_of
from tests.wiki.truth.trees import TREES

KINDS = {
    "routes": lambda facts: [
        f"{method} {each.route}" for each in endpoints(facts) for method in each.methods
    ],
    "settings": lambda facts: [f"{each.kind} {each.name}" for each in settings(facts)],
    "commands": lambda facts: [" ".join(each.words) for each in commands(facts)],
    "entities": lambda facts: [each.name for each in stored(facts)],
    "dependencies": lambda facts: [f"{each.name} {each.scope}" for each in packages(facts)],
}
"""What is compared, as texts."""


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("kind", KINDS)
def test_facts_of_a_repository_are_those_that_were_written_down(name: str, kind: str) -> None:
    truth = TREES[name]
    facts = facts_of({path: dedent(text).lstrip("\n") for path, text in truth.files.items()})
    expected = getattr(truth, kind)
    assert sorted(KINDS[kind](facts)) == sorted(expected)


def test_handlers_that_their_sender_waits_for_are_no_work_in_the_background() -> None:
    truth = TREES["aspnet"]
    facts = facts_of({path: dedent(text).lstrip("\n") for path, text in truth.files.items()})
    assert jobs(facts) == ()
