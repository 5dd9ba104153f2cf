"""Every place that a verdict cites is there, is the product's, and shows what the reason says."""

from __future__ import annotations

import pytest

from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.facts import passes
from stationmaster.readiness.judging.evaluate import Judgement, evaluate
from stationmaster.readiness.model import Evaluation
from stationmaster.reading.projects.model import Place
from tests.readiness.criteria import test_evidence, test_pillars
from tests.readiness.rereading import faults, unproved
from tests.support.trees import Content, facts_of

CASES = [
    pytest.param(files, id=f"{number}-{name}")
    for number, (name, _, files, *_) in enumerate((*test_evidence.CASES, *test_pillars.CASES))
]


@pytest.mark.parametrize("files", CASES)
def test_places_are_there_and_say_what_the_reason_says(files: dict[str, Content]) -> None:
    facts = facts_of(files)
    judged = evaluate(facts, CRITERIA.values())

    for name, judgement in judged.items():
        assert list(faults(facts, CRITERIA[name], judgement)) == []
        assert list(unproved(facts, CRITERIA[name], judgement)) == []


def test_a_place_that_does_not_say_so_would_be_noticed() -> None:
    facts = facts_of({"package.json": "{}\n", "a.js": "1\n", "testdata/a.js": "1\n"})
    criterion = CRITERIA["lint_config"]

    def seen(path: str, line: int) -> list[str]:
        verdict = passes("ESLint is used", Place(path, line))
        judgement = Judgement(Evaluation(1, 1, "", "pass"), [(".", verdict)])
        return [*faults(facts, criterion, judgement), *unproved(facts, criterion, judgement)]

    assert "there is no such file" in seen("gone.js", 1)[0]
    assert "no file of the product: fixture" in seen("testdata/a.js", 1)[0]
    assert "there is no such line" in seen("package.json", 9)[0]
    assert "ESLint is used" in seen("package.json", 1)[0]
