"""What to do next: which criteria open the next level, in the order of their worth.

The same report gives the same advice, wherever it comes from: the order is total and depends on
nothing but ids and numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple
from urllib.parse import urlsplit

from stationmaster.readiness import changes
from stationmaster.readiness.catalogue import CATALOGUE
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.levels import OPENS_NEXT, standing
from stationmaster.readiness.model import LEVELS, Content, Evaluation, Level, Scope, scores_of

FIXES_MAX = 3
"""Those that are shown first; a plan has all that the next level needs."""
_WORTH: Mapping[str, int] = {
    **dict.fromkeys(
        (
            "ci_config",
            "unit_tests_exist",
            "unit_tests_runnable",
            "readme",
            "lint_config",
            "formatter",
            "type_check",
            "deps_pinned",
            "agents_md",
            "build_cmd_doc",
            "security_policy",
            "automated_security_review",
            "dependency_update_automation",
            "secrets_management",
            "secret_scanning",
            "ci_workflow_security",
            "branch_protection",
            "test_coverage_thresholds",
            "integration_tests_exist",
            "gitignore_comprehensive",
            "log_scrubbing",
            "health_checks",
            "release_automation",
            "license",
            "pii_handling",
            "rollback_automation",
            "flaky_test_detection",
            "fast_ci_feedback",
        ),
        0,
    ),
    **dict.fromkeys(
        (
            "issue_labeling_system",
            "issue_templates",
            "pr_templates",
            "vcs_cli_tools",
            "tech_debt_tracking",
            "naming_consistency",
            "large_file_detection",
            "release_notes_automation",
            "duplicate_code_detection",
            "automated_doc_generation",
            "product_analytics_instrumentation",
            "backlog_health",
            "agentic_development",
            "heavy_dependency_detection",
            "build_performance_tracking",
            "deployment_frequency",
            "experiment_infrastructure",
            "dead_feature_flag_detection",
            "privacy_compliance",
        ),
        2,
    ),
}
"""0: it guards the product or every change; 2: it orders work around it; 1: all between."""
_ORDER = {name: number for number, name in enumerate(CATALOGUE)}


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
    return [_fix(content, each) for each in _ranked(content)[:FIXES_MAX]]


def plan(content: Content) -> Plan:
    """The next level, how many criteria must newly pass to open it, and the fixes that suffice."""
    now = standing(scores_of(content.report)).level
    following = next((level for level in LEVELS if level == now + 1), None)
    candidates = [each for each in _ranked(content) if CATALOGUE[each].level == now]
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
        for name, each in content.report.items()
        if name in CATALOGUE and each.numerator is not None and each.numerator < each.denominator
    ]

    def rank(name: str) -> tuple[object, ...]:
        criterion = CATALOGUE[name]
        return (
            criterion.level < now,
            criterion.level,
            _WORTH.get(name, 1),
            criterion.scope == "application",
            -_missing(content.report[name]),
            _ORDER[name],
        )

    return sorted(failing, key=rank)


def _missing(each: Evaluation) -> Fraction:
    """The share of applications that fail."""
    return 1 - Fraction(each.numerator or 0) / Fraction(each.denominator)


def _gap(report: Mapping[str, Evaluation], level: Level) -> Fraction | None:
    """How many passes a level's criteria lack to open the next one; None where none was judged."""
    judged = [
        each
        for name, each in report.items()
        if name in CATALOGUE and CATALOGUE[name].level == level and each.numerator is not None
    ]
    if not judged:
        return None
    return OPENS_NEXT * len(judged) - sum(1 - _missing(each) for each in judged)


def _sufficient(names: Sequence[str], gains: Mapping[str, Fraction], gap: Fraction) -> list[str]:
    """The first names that close a gap together, without those that are not needed for it."""
    chosen: list[str] = []
    for name in names:
        if sum(gains[each] for each in chosen) >= gap:
            break
        chosen.append(name)
    spare = sum(gains[each] for each in chosen) - gap
    for name in reversed(chosen[:]):
        if gains[name] <= spare:
            chosen.remove(name)
            spare -= gains[name]
    return chosen


def _fix(content: Content, name: str) -> Fix:
    criterion, each = CATALOGUE[name], content.report[name]
    now = standing(scores_of(content.report)).level
    passing = Evaluation(each.denominator, each.denominator, "", "pass")
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
        rationale=each.rationale,
        remedy=criterion.remedy,
        opens=then if then > now else None,
        scope=criterion.scope,
        applications=applications,
        ecosystems=ecosystems,
        files=changes.files(name, ecosystems, host),
    )


def failing_applications(content: Content, criterion: Criterion) -> list[str]:
    """The applications that fail a criterion, as far as the report tells; [] of a repository's."""
    if criterion.scope == "repository":
        return []
    found = (content.evidence or {}).get(criterion.id)
    if found is not None:
        return sorted(e.application for e in found if e.state == "fail" and e.application)
    each = content.report[criterion.id]
    concerned = applications_for(content, criterion)
    is_all = each.numerator == 0 and each.denominator == len(concerned)
    return sorted(concerned) if is_all else []


def applications_for(content: Content, criterion: Criterion) -> list[str]:
    """The applications of a kind that a criterion counts for."""
    return [
        path
        for path, app in content.apps.items()
        if criterion.kinds is None or criterion.kinds & set(app.kinds)
    ]
