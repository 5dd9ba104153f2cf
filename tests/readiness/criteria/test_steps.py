"""What single steps of rows look at."""

from __future__ import annotations

import pytest

from stationmaster.readiness.criteria import steps
from stationmaster.readiness.criterion import Step
from stationmaster.readiness.hosting import Hosting
from tests.readiness.criteria.judging import LIBRARY, SERVICE
from tests.support.trees import Content, facts_of

PAGES: dict[str, Content] = {
    **LIBRARY,
    "docs/deep/guide.md": "# A guide\n\n" + "word " * 100,
    "guide.md": "short\n",
    "tests/guide.md": "needle\n",
    ".pre-commit-config.yaml": "repos:\n  - hooks:\n      - id: go-mod-tidy-repo\n",
    "settings.yml": "labels: []\nbranches:\n  - main\n",
    "package.json": '{"workspaces": {"catalog": {"a": "1"}}, "empty": {}}',
}


@pytest.mark.parametrize(
    ("step", "places"),
    [
        (Step(reason="x", files=("**/guide.md",), all=True),
         ["docs/deep/guide.md", "guide.md", "tests/guide.md"]),
        (Step(reason="x", files=("**/guide.md",), nearest=True), ["guide.md"]),
        (Step(reason="x", files=("**/guide.md",), characters=300), ["docs/deep/guide.md"]),
        (Step(reason="x", files=("**/guide.md",), pattern="needle"), ["tests/guide.md:1"]),
        (
            Step(reason="x", files=("**/guide.md",), pattern="needle", whole=True),
            ["tests/guide.md"],
        ),
        (Step(reason="x", files=("**/guide.md",), but_not="^docs/|^guide"), ["tests/guide.md"]),
        (Step(reason="x", files=("settings.yml",), keys=("branches",)), ["settings.yml"]),
        (Step(reason="x", files=("package.json",), keys=("workspaces.catalog",)), ["package.json"]),
        (Step(reason="x", hooks=("go-mod-tidy*",)), [".pre-commit-config.yaml:3"]),
    ],
)  # fmt: skip
def test_a_step_cites_what_it_shows(step: Step, places: list[str]) -> None:
    verdict = steps.look(step, facts_of(PAGES), None)

    assert verdict is not None
    assert list(map(str, verdict.evidence)) == places


@pytest.mark.parametrize(
    "step",
    [
        Step(reason="x", files=("guide.md",), at_least=2),
        Step(reason="x", files=("settings.yml",), keys=("labels",)),
        Step(reason="x", files=("package.json",), keys=("empty", "missing")),
        Step(reason="x", hosting="code_scanning"),
        Step(reason="x", inherits="SECURITY"),
        Step(without="code"),
    ],
)
def test_a_step_that_shows_nothing_decides_nothing(step: Step) -> None:
    assert steps.look(step, facts_of(PAGES), None) is None


def test_what_the_hosting_service_did_not_say_is_unknown() -> None:
    step = Step(reason="Nobody knows", then="unknown", unreported="code_scanning")
    facts = facts_of(SERVICE, hosting=Hosting(code_scanning=False))

    verdict = steps.look(step, facts_of(SERVICE), None)
    assert verdict is not None
    assert verdict.outcome == "not_evaluated"
    assert steps.look(step, facts, None) is None


def test_a_condition_that_does_not_hold_skips() -> None:
    verdict = steps.look(Step(without="several applications"), facts_of(LIBRARY), None)

    assert verdict is not None
    assert (verdict.outcome, verdict.reason) == ("skipped", "There is one application")
