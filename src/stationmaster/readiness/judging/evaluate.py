"""Judges a commit by every criterion, and makes the report of it.

Deterministic: the same facts give the same words. Source: docs/reference/applications.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from stationmaster.pipelines.model import line
from stationmaster.readiness.catalogue import CORE, CRITERIA
from stationmaster.readiness.criteria.judging import JUDGES, Judges
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.facts import Facts, Verdict, skips, unknown
from stationmaster.readiness.model import Evaluation, State
from stationmaster.reading.projects.model import App, Place

APPS_NAMED = 5
EVIDENCE_SHOWN = 3
RATIONALE_MAX = 500
_NOT_MET: Mapping[State | None, str] = {
    "fail": "It needs “{}”, which failed",
    "skipped": "It needs “{}”, which does not apply here",
    "not_evaluated": "It needs “{}”, which was not evaluated",
}
"""What is said of a criterion whose required one has this state."""


class Judgement(NamedTuple):
    """A criterion's evaluation, and the verdicts that it sums up: on applications by their paths,
    or on the repository (None)."""

    evaluation: Evaluation
    verdicts: Sequence[tuple[str | None, Verdict]]


def evaluate(
    facts: Facts,
    criteria: Iterable[Criterion] = tuple(CORE.values()),
    judges: Judges = JUDGES,
) -> dict[str, Judgement]:
    """Every criterion's judgement, by id in the order of the catalogue."""
    judgements: dict[str, Judgement] = {}
    for criterion in criteria:
        required = judgements.get(criterion.requires or "")
        judgements[criterion.id] = _judgement(criterion, facts, required, judges)
    return judgements


def _judgement(
    criterion: Criterion, facts: Facts, required: Judgement | None, judges: Judges
) -> Judgement:
    if reason := _NOT_MET.get(None if required is None else required.evaluation.state):
        return _same(skips(reason.format(CRITERIA[criterion.requires or ""].title)))
    kinds = criterion.kinds
    apps = [app for app in facts.project.apps if kinds is None or kinds & app.kinds]
    if not apps:
        return _same(_of_other_kinds(criterion))
    if not judges.can_judge(criterion):
        return _same(unknown("It can be evaluated only by a run"))
    if criterion.scope == "repository":
        return _same(judges.repository(criterion, facts))
    judged = [(app, judges.app(criterion, facts, app)) for app in apps]
    by_path = dict.fromkeys((app.path for app in facts.project.apps), _of_other_kinds(criterion))
    by_path.update((app.path, verdict) for app, verdict in judged)
    return Judgement(_of_apps(judged), list(by_path.items()))


def _same(verdict: Verdict) -> Judgement:
    """Of a criterion that is judged once."""
    return Judgement(_of_repository(verdict), [(None, verdict)])


def _of_other_kinds(criterion: Criterion) -> Verdict:
    kinds = ", ".join(sorted(criterion.kinds or ()))
    return skips(f"It applies only to these kinds of application: {kinds}")


def _of_repository(verdict: Verdict) -> Evaluation:
    if verdict.outcome in ("skipped", "not_evaluated"):
        return _unjudged(verdict.outcome, _sentence(verdict))
    passed = verdict.outcome == "pass"
    return Evaluation(int(passed), 1, _sentence(verdict), verdict.outcome)


def _of_apps(verdicts: Sequence[tuple[App, Verdict]]) -> Evaluation:
    judged = [(app, verdict) for app, verdict in verdicts if verdict.outcome in ("pass", "fail")]
    if not judged:
        # An unknown result means more than one that does not apply to another application.
        undecided = [verdict for _, verdict in verdicts]
        first = next(
            (verdict for verdict in undecided if verdict.outcome == "not_evaluated"), undecided[0]
        )
        state: State = "skipped" if first.outcome == "skipped" else "not_evaluated"
        return _unjudged(state, _sentence(first))
    passing = [(app, verdict) for app, verdict in judged if verdict.outcome == "pass"]
    failing = [(app, verdict) for app, verdict in judged if verdict.outcome == "fail"]
    state = "pass" if not failing else "partial" if passing else "fail"
    return Evaluation(len(passing), len(judged), _rationale(passing, failing), state)


def _rationale(
    passing: Sequence[tuple[App, Verdict]], failing: Sequence[tuple[App, Verdict]]
) -> str:
    """First what is missing where, then what there is."""
    parts = []
    if failing:
        parts.append(_of_some(failing, named=bool(passing) or len(failing) > 1))
    if passing:
        parts.append(_of_some(passing, named=False))
    return line(" ".join(parts), RATIONALE_MAX)


def _of_some(some: Sequence[tuple[App, Verdict]], *, named: bool) -> str:
    """One verdict for all those of the same reason; the applications are named."""
    reason = some[0][1].reason
    equal = [verdict for _, verdict in some if verdict.reason == reason]
    evidence = tuple(dict.fromkeys(place for verdict in equal for place in verdict.evidence))
    weak = any(verdict.is_weak for verdict in equal)
    counts = tuple(map(sum, zip(*(verdict.counts for verdict in equal), strict=True)))
    text = _sentence(Verdict(some[0][1].outcome, reason, evidence, weak, counts))
    return f"{_names([app for app, _ in some])}: {text}" if named else text


def _names(apps: Sequence[App]) -> str:
    names = ", ".join(app.path for app in apps[:APPS_NAMED])
    more = len(apps) - APPS_NAMED
    return f"{names} and {more} more" if more > 0 else names


def _sentence(verdict: Verdict) -> str:
    weak = "Weak: " if verdict.is_weak else ""
    return line(f"{weak}{verdict.sentence}{_places(verdict.evidence)}.", RATIONALE_MAX)


def _places(evidence: Sequence[Place]) -> str:
    if not evidence:
        return ""
    more = len(evidence) - EVIDENCE_SHOWN
    text = ", ".join(map(str, evidence[:EVIDENCE_SHOWN]))
    return f" ({text}{f' and {more} more' if more > 0 else ''})"


def _unjudged(state: State, why: str) -> Evaluation:
    return Evaluation(None, 1, why, state)
