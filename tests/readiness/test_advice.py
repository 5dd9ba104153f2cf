from __future__ import annotations

import msgspec
import pytest

from stationmaster.readiness import advice, model, service
from stationmaster.readiness.catalogue import CORE
from stationmaster.readiness.levels import level_of
from stationmaster.readiness.model import (
    App,
    ApplicationVerdict,
    Content,
    Evaluation,
    Report,
    scores_of,
)


def a_report(**changed: Evaluation) -> Content:
    """Everything of levels 1 and 2 passes but for what is changed."""
    passing = {n: Evaluation(1, 1, "yes") for n, criterion in CORE.items() if criterion.level <= 2}
    apps = {"web": App("", ["service"], ["npm"]), "jobs": App("", ["job"], ["python"])}
    return Content(
        repo_url="https://github.com/acme/shop", apps=apps, report={**passing, **changed}
    )


def failing(*names: str, of: int = 1) -> dict[str, Evaluation]:
    return {name: Evaluation(0, of, "no") for name in names}


def named(fixes: list[advice.Fix]) -> list[str]:
    return [fix.criterion for fix in fixes]


def test_the_level_that_is_not_reached_comes_first_and_one_change_before_many() -> None:
    missing = failing("lint_config", "readme", "formatter", of=2)

    fixes = advice.fixes(a_report(**missing, **failing("codeowners")))

    assert named(fixes) == ["readme", "lint_config", "formatter"]
    assert all(fix.level == 1 for fix in fixes)


def test_where_most_is_missing_comes_before_where_some_is() -> None:
    missing = {
        "lint_config": Evaluation(3, 4, "some"),
        "formatter": Evaluation(0, 4, "none"),
        "type_check": Evaluation(1, 4, "most"),
    }

    fixes = advice.fixes(a_report(**missing))

    assert named(fixes) == ["formatter", "type_check", "lint_config"]


def test_what_guards_the_product_comes_before_what_orders_work_around_it() -> None:
    missing = failing(
        "issue_labeling_system", "devcontainer", "issue_templates", "security_policy",
        "test_coverage_thresholds",
    )  # fmt: skip

    fixes = advice.fixes(a_report(**missing))

    assert named(fixes) == ["security_policy", "test_coverage_thresholds", "devcontainer"]


def test_advice_does_not_depend_on_the_order_of_a_report() -> None:
    made = a_report(**failing("devcontainer", "codeowners", "runbooks_documented", "pr_templates"))
    stored = msgspec.structs.replace(made, report=dict(sorted(made.report.items(), reverse=True)))

    assert advice.fixes(made) == advice.fixes(stored)
    assert advice.plan(made) == advice.plan(stored)


def test_a_fix_names_files_ecosystems_and_applications() -> None:
    made = a_report(lint_config=Evaluation(1, 2, "some"), **failing("dependency_update_automation"))
    made = msgspec.structs.replace(
        made,
        evidence={
            "lint_config": [
                ApplicationVerdict("pass", "yes", "web"),
                ApplicationVerdict("fail", "no", "jobs"),
            ]
        },
    )

    linter, updates = advice.fixes(made)[:2]

    assert (linter.applications, linter.ecosystems) == (["jobs"], ["python"])
    assert linter.files == ["pyproject.toml ([tool.ruff])"]
    assert updates.files == [".github/dependabot.yml"]
    assert (updates.applications, updates.ecosystems) == ([], ["npm", "python"])


@pytest.mark.parametrize("missing", [3, 4, 7, 8, 12])
def test_a_plan_has_as_many_passes_as_the_next_level_needs(missing: int) -> None:
    of_level = [name for name, criterion in CORE.items() if criterion.level == 2]
    made = a_report(**failing(*of_level[:missing]))
    now = level_of(scores_of(made.report))

    plan = advice.plan(made)
    corrected = {name: Evaluation(1, 1, "yes") for name in named(plan.steps)}
    least = dict(list(corrected.items())[:-1])

    if plan.steps:
        assert plan.level == now + 1
        assert len(plan.steps) == plan.passes
        assert level_of(scores_of({**made.report, **corrected})) == plan.level
        assert level_of(scores_of({**made.report, **least})) == now
    else:
        assert now == 3


def test_a_fix_that_alone_opens_a_level_says_so() -> None:
    missing = failing("readme", "license")

    fixes = advice.fixes(a_report(**missing))

    assert [(fix.criterion, fix.opens) for fix in fixes] == [("readme", 3), ("license", 3)]


def test_what_was_not_judged_needs_no_fix() -> None:
    assert advice.fixes(a_report(readme=Evaluation(None, 1, "?", "not_evaluated"))) == []


def test_evidence_that_does_not_fit_changes_no_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    made = a_report(lint_config=Evaluation(1, 2, "some"), formatter=Evaluation(0, 2, "none"))
    evidence = {
        "lint_config": [
            ApplicationVerdict("pass", "yes" * 500, "web"),
            ApplicationVerdict("fail", "no", "jobs"),
        ],
        "formatter": [
            ApplicationVerdict("fail", "no" * 500, "web"),
            ApplicationVerdict("fail", "no", "jobs"),
        ],
    }
    report = Report(
        report_id="0192f0c1-2d3e-7abc-8def-0123456789ab", created_at=1, repo_url=made.repo_url,
        apps=made.apps, report=made.report, evidence=evidence,
    )  # fmt: skip
    whole = service.encoded(report)

    monkeypatch.setattr(service, "REPORT_BYTES_MAX", len(whole) - 1)
    reduced = msgspec.json.decode(service.encoded(report), type=Report)

    assert len(whole) < model.REPORT_BYTES_MAX
    assert reduced.evidence == {"lint_config": [ApplicationVerdict("fail", "no", "jobs")]}
    assert advice.fixes(reduced) == advice.fixes(report)
