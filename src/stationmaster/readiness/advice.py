"""What to do next: which criteria open the next level, in the order of their worth, and which files
their fixes add or change.

The same report gives the same advice, from every source: the order is total and depends on
nothing but ids and numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from stationmaster.catalogue.table import read
from stationmaster.readiness.catalogue import CORE, CRITERIA
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.levels import OPENS_NEXT, standing
from stationmaster.readiness.model import LEVELS, Content, Evaluation, Level, Scope, scores_of

FIXES_MAX = 3
"""Those that are shown first; a plan has all that the next level needs."""
_ORDER = {name: number for number, name in enumerate(CORE)}


class Fix(NamedTuple):
    """A criterion that fails, why, and what would correct it.

    `opens` is the level that this fix alone would open, None where it takes more. `applications`
    are those that fail; `ecosystems` theirs; `files` what to add or change.
    """

    criterion: str
    title: str
    level: Level
    rationale: str
    remedy: str
    opens: Level | None
    scope: Scope
    applications: list[str]
    ecosystems: list[str]
    files: list[str]


class Plan(NamedTuple):
    """What the next level takes; `level` is None at the highest.

    `passes` is the least number of criteria that must newly pass, `steps` the most worthwhile
    choice that suffices. `steps` is empty where no fix can open it, as nothing of the present
    level could be judged.
    """

    level: Level | None
    passes: int
    steps: list[Fix]


def fixes(content: Content) -> list[Fix]:
    """At most FIXES_MAX, the most worthwhile first."""
    return [_fix(content, name) for name in _ranked(content)[:FIXES_MAX]]


def plan(content: Content) -> Plan:
    """The next level, how many criteria must newly pass to open it, and the fixes that suffice."""
    now = standing(scores_of(content.report)).level
    following = next((level for level in LEVELS if level == now + 1), None)
    candidates = [name for name in _ranked(content) if CORE[name].level == now]
    gap = _gap(content.report, now)
    if following is None or not candidates or gap is None:
        return Plan(following, 0, [])
    gains = {name: _missing(content.report[name]) for name in candidates}
    chosen = _sufficient(candidates, gains, gap)
    largest = _sufficient(sorted(candidates, key=lambda n: -gains[n]), gains, gap)
    return Plan(following, min(len(largest), len(chosen)), [_fix(content, n) for n in chosen])


def _ranked(content: Content) -> list[str]:
    """The failing criteria of the catalogue: those of the level that is not reached first, of
    these by worth, one change before one for each application, where most is missing first."""
    now = standing(scores_of(content.report)).level
    failing = [
        name
        for name, evaluation in content.report.items()
        if name in CORE
        and evaluation.numerator is not None
        and evaluation.numerator < evaluation.denominator
    ]

    def rank(name: str) -> tuple[object, ...]:
        criterion = CORE[name]
        return (
            criterion.level < now,
            criterion.level,
            criterion.worth,
            criterion.scope == "application",
            -_missing(content.report[name]),
            _ORDER[name],
        )

    return sorted(failing, key=rank)


def _missing(evaluation: Evaluation) -> Fraction:
    """The share of applications that fail."""
    return 1 - Fraction(evaluation.numerator or 0) / Fraction(evaluation.denominator)


def _gap(report: Mapping[str, Evaluation], level: Level) -> Fraction | None:
    """How many passes a level's criteria lack to open the next one; None where none was judged."""
    judged = [
        evaluation
        for name, evaluation in report.items()
        if name in CORE and CORE[name].level == level and evaluation.numerator is not None
    ]
    if not judged:
        return None
    return OPENS_NEXT * len(judged) - sum(1 - _missing(evaluation) for evaluation in judged)


def _sufficient(names: Sequence[str], gains: Mapping[str, Fraction], gap: Fraction) -> list[str]:
    """The first names that close a gap together, without those that are not needed for it."""
    chosen: list[str] = []
    for name in names:
        if sum(gains[name] for name in chosen) >= gap:
            break
        chosen.append(name)
    spare = sum(gains[name] for name in chosen) - gap
    for name in reversed(chosen[:]):
        if gains[name] <= spare:
            chosen.remove(name)
            spare -= gains[name]
    return chosen


def _fix(content: Content, name: str) -> Fix:
    criterion, evaluation = CORE[name], content.report[name]
    now = standing(scores_of(content.report)).level
    passing = Evaluation(evaluation.denominator, evaluation.denominator, "", "pass")
    then = standing(scores_of({**content.report, name: passing})).level
    applications = failing_applications(content, criterion)
    concerned = applications if criterion.scope == "application" else list(content.apps)
    ecosystems = sorted(
        {e for path in concerned if path in content.apps for e in content.apps[path].ecosystems}
    )
    host = urlsplit(content.repo_url).hostname or ""
    return Fix(
        criterion=name,
        title=criterion.title,
        level=criterion.level,
        rationale=evaluation.rationale,
        remedy=criterion.remedy,
        opens=then if then > now else None,
        scope=criterion.scope,
        applications=applications,
        ecosystems=ecosystems,
        files=changed_files(name, ecosystems, host),
    )


def failing_applications(content: Content, criterion: Criterion) -> list[str]:
    """The applications that fail a criterion, as far as the report shows; [] of a repository's."""
    if criterion.scope == "repository":
        return []
    findings = (content.evidence or {}).get(criterion.id)
    if findings is not None:
        return sorted(e.application for e in findings if e.state == "fail" and e.application)
    evaluation = content.report[criterion.id]
    concerned = applications_for(content, criterion)
    is_all = evaluation.numerator == 0 and evaluation.denominator == len(concerned)
    return sorted(concerned) if is_all else []


def applications_for(content: Content, criterion: Criterion) -> list[str]:
    """The applications of a kind that a criterion counts for."""
    return [
        path
        for path, app in content.apps.items()
        if criterion.kinds is None or criterion.kinds & set(app.kinds)
    ]


_JVM = frozenset({"maven", "gradle", "scala"})


def changed_files(criterion: str, ecosystems: Iterable[str], host: str) -> list[str]:
    """What to add or change, one for each ecosystem that differs; [] where it depends too much on
    the repository. `host` is the name of the hosting service in its address."""
    change = CRITERIA[criterion].change
    if isinstance(change, str) and change in CRITERIA:
        change = CRITERIA[change].change
    names = _hosted_files()["gitlab" if "gitlab" in host else "github"]
    if isinstance(change, str):
        paths = [change]
    else:
        jvm = change.get("jvm", "")
        paths = [
            change.get(ecosystem, jvm if ecosystem in _JVM else "") for ecosystem in ecosystems
        ]
    return [path.format(**names) for path in dict.fromkeys(paths) if path]


@cache
def _hosted_files() -> dict[str, dict[str, str]]:
    return read("changes", dict[str, dict[str, str]], Path(__file__).parent)
