from __future__ import annotations

import dataclasses

import pytest

from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.criteria.judging import Judges
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.facts import Facts, OfApp, Verdict, fails, passes, skips, unknown
from stationmaster.readiness.judging.evaluate import RATIONALE_MAX, evaluate
from stationmaster.readiness.model import Evaluation
from stationmaster.reading.projects.model import AgentPolicy, App, Kind, Place, Project
from tests.support.trees import facts_of


def an_app(path: str, *kinds: Kind) -> App:
    return App(path, path, "", frozenset(kinds or ("library",)), (), {})


def facts(*apps: App) -> Facts:
    project = Project(apps, (), (), {}, (), (), AgentPolicy("unknown"))
    return dataclasses.replace(facts_of({"README.md": "x"}), project=project)


def a_criterion(**members: object) -> Criterion:
    row = {
        "id": "tidy", "title": "Tidy", "level": 1, "pillar": "Testing", "scope": "application",
        "looks_for": "x", "remedy": "x", **members,
    }  # fmt: skip
    return Criterion(**row)  # type: ignore[arg-type]  # A row of a table.


def of_app(**judges: OfApp) -> Judges:
    return Judges(judges, {})


def judged(criterion: Criterion, judges: Judges, *apps: App) -> Evaluation:
    commit = facts(*(apps or (an_app("."),)))
    return evaluate(commit, [criterion], judges)[criterion.id].evaluation


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (passes("It is there", Place("a", 3)), Evaluation(1, 1, "It is there (a:3).", "pass")),
        (
            passes("A range", Place("a"), weak=True),
            Evaluation(1, 1, "Weak: A range (a).", "pass"),
        ),
        (fails("No such file"), Evaluation(0, 1, "No such file.", "fail")),
        (skips("It has no tests"), Evaluation(None, 1, "It has no tests.", "skipped")),
        (unknown("A token"), Evaluation(None, 1, "A token.", "not_evaluated")),
    ],
)
def test_a_verdict_is_told_with_its_evidence(verdict: Verdict, expected: Evaluation) -> None:
    of_repository = judged(a_criterion(scope="repository"), Judges({}, {"tidy": lambda _: verdict}))

    assert of_repository == judged(a_criterion(), of_app(tidy=lambda *_: verdict)) == expected


def test_applications_are_counted_and_those_that_fail_are_named_first() -> None:
    def judge(_: Facts, app: App) -> Verdict:
        if app.path == "c":
            return skips("Nothing to judge")
        return passes("There is one", Place(f"{app.path}/x")) if app.path < "c" else fails("None")

    evaluation = judged(a_criterion(), of_app(tidy=judge), *map(an_app, "abcdefghij"))

    assert (evaluation.numerator, evaluation.denominator, evaluation.state) == (2, 9, "partial")
    assert evaluation.rationale == "d, e, f, g, h and 2 more: None. There is one (a/x, b/x)."


def test_a_criterion_for_other_kinds_is_skipped() -> None:
    criterion = a_criterion(kinds=frozenset({"service"}))
    judges = of_app(tidy=lambda *_: passes("yes"))

    alone = judged(criterion, judges)
    among = judged(criterion, judges, an_app("lib"), an_app("svc", "service", "cli"))

    assert (alone.state, among.numerator, among.denominator) == ("skipped", 1, 1)
    assert "service" in alone.rationale


def test_what_a_criterion_requires_must_be_there_at_least_in_part() -> None:
    first, none = a_criterion(id="type_check"), a_criterion(id="devcontainer")
    after = a_criterion(requires="type_check")
    late = a_criterion(requires="devcontainer", id="late")
    judges = of_app(
        type_check=lambda _, app: passes("y") if app.path == "a" else fails("n"),
        devcontainer=lambda *_: fails("n"),
        tidy=lambda *_: passes("y"),
        late=lambda *_: passes("y"),
    )

    judgements = evaluate(facts(an_app("a"), an_app("b")), [first, none, after, late], judges)

    tidy, then = judgements["tidy"].evaluation, judgements["late"].evaluation
    assert (tidy.state, then.state) == ("pass", "skipped")
    assert then.rationale == f"It needs “{CRITERIA['devcontainer'].title}”, which failed."


def test_the_reason_names_a_required_criterion_by_its_title_and_says_what_became_of_it() -> None:
    criteria = [
        a_criterion(id="type_check", kinds=frozenset({"service"})),
        a_criterion(requires="type_check"),
    ]

    judgements = evaluate(facts(an_app("a")), criteria, of_app(tidy=lambda *_: passes("y")))

    expected = f"It needs “{CRITERIA['type_check'].title}”, which does not apply here."
    assert judgements["tidy"].evaluation.rationale == expected
    only_a_run = [a_criterion(id="type_check"), a_criterion(requires="type_check")]
    judgements = evaluate(facts(an_app("a")), only_a_run, of_app(tidy=lambda *_: passes("y")))
    assert "which was not evaluated" in judgements["tidy"].evaluation.rationale


def test_what_only_a_run_can_tell_is_not_evaluated() -> None:
    assert judged(a_criterion(), of_app()).state == "not_evaluated"


@pytest.mark.attack
def test_hostile_paths_stay_on_one_line_of_bounded_length() -> None:
    path = "a\n\x1b[31m" + "x" * 5000
    evaluation = judged(a_criterion(), of_app(tidy=lambda *_: passes("It is there", Place(path))))

    assert evaluation.rationale.isprintable()
    assert len(evaluation.rationale) <= RATIONALE_MAX


def test_numbers_are_those_of_all_applications() -> None:
    def judge(_: Facts, app: App) -> Verdict:
        return passes(
            "Test files: {}", Place(f"{app.path}/x"), counts=(2 if app.path == "a" else 5,)
        )

    evaluation = judged(a_criterion(), of_app(tidy=judge), an_app("a"), an_app("b"))

    assert evaluation.rationale == "Test files: 7 (a/x, b/x)."
