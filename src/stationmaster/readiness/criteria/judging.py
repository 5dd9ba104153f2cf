"""Judging by a row and, where it cannot say all, by the function of the same id."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from stationmaster.readiness.criteria import (
    checkers,
    delivery,
    documentation,
    documented,
    environment,
    extras,
    observability,
    pins,
    product,
    releases,
    security,
    steps,
    style,
    tasks,
    testing,
    updates,
    vaults,
)
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.facts import Facts, OfApp, OfRepository, Verdict, fails
from stationmaster.reading.projects.model import App, Place


class Judges(NamedTuple):
    """Functions by the ids of criteria, those of applications and those of the repository."""

    of_app: Mapping[str, OfApp]
    of_repository: Mapping[str, OfRepository]

    def can_judge(self, criterion: Criterion) -> bool:
        """Whether a commit can tell; False where only a run can."""
        judges = self.of_app if criterion.scope == "application" else self.of_repository
        return bool(criterion.evidence or criterion.missing or criterion.id in judges)

    def app(self, criterion: Criterion, facts: Facts, app: App) -> Verdict:
        """The verdict on one application."""
        judge = self.of_app.get(criterion.id)
        return _by_row(criterion, facts, app, lambda: judge(facts, app) if judge else None)

    def repository(self, criterion: Criterion, facts: Facts) -> Verdict:
        """The verdict on the repository."""
        judge = self.of_repository.get(criterion.id)
        return _by_row(criterion, facts, None, lambda: judge(facts) if judge else None)


def _by_row(
    criterion: Criterion, facts: Facts, app: App | None, ask: Callable[[], Verdict | None]
) -> Verdict:
    """The first verdict of a condition, of steps and of a function, which `ask` asks."""
    if criterion.only_with and (lacks := steps.condition(criterion.only_with, facts, app)):
        return lacks
    for step in criterion.evidence:
        verdict = ask() if step.code else steps.look(step, facts, app)
        if verdict is not None:
            return verdict
    is_asked = any(step.code for step in criterion.evidence)
    return (None if is_asked else ask()) or _missing(criterion, facts)


def _missing(criterion: Criterion, facts: Facts) -> Verdict:
    near = facts.tree.glob(*criterion.near, any_case=True)[:1]
    unseen = f"; {criterion.unseen}" if criterion.unseen and facts.hosting is None else ""
    return fails(criterion.missing + unseen, *map(Place, near))


JUDGES = Judges(
    {
        "lint_config": style.lint_config,
        "formatter": style.formatter,
        "type_check": checkers.type_check,
        "strict_typing": checkers.strict_typing,
        "pre_commit_hooks": style.pre_commit_hooks,
        "naming_consistency": style.naming_consistency,
        "n_plus_one_detection": style.n_plus_one_detection,
        "heavy_dependency_detection": style.heavy_dependency_detection,
        "unit_tests_exist": testing.unit_tests_exist,
        "unit_tests_runnable": testing.unit_tests_runnable,
        "test_coverage_thresholds": testing.test_coverage_thresholds,
        "interactive_qa_exists": documented.interactive_qa_exists,
        "integration_tests_exist": testing.integration_tests_exist,
        "test_naming_conventions": testing.test_naming_conventions,
        "test_isolation": testing.test_isolation,
        "test_performance_tracking": testing.performance_tracking,
        "flaky_test_detection": testing.flaky_test_detection,
        "api_schema_docs": documentation.api_schema,
        "database_schema": environment.database_schema,
        "error_tracking_contextualized": observability.error_tracking,
        "health_checks": observability.health_checks,
        "alerting_configured": observability.alerting,
        "log_scrubbing": observability.log_scrubbing,
        "deployment_observability": observability.deployment_observability,
        "pii_handling": security.pii_handling,
        "error_to_insight_pipeline": product.error_to_insight,
        "targeted_test_command": extras.one_test,
        "agent_instructions_scoped": extras.scoped,
        "container_image": extras.image,
    },
    {
        "large_file_detection": style.large_file_detection,
        "build_cmd_doc": documented.build_cmd_doc,
        "deps_pinned": pins.deps_pinned,
        "ci_config": delivery.ci_config,
        "automated_pr_review": delivery.automated_pr_review,
        "monorepo_tooling": pins.monorepo_tooling,
        "runtime_version_pinned": pins.runtime_version_pinned,
        "single_command_setup": documented.single_command_setup,
        "release_automation": delivery.release_automation,
        "release_notes_automation": releases.release_notes_automation,
        "version_drift_detection": pins.version_drift_detection,
        "agentic_development": releases.agentic_development,
        "fast_ci_feedback": releases.fast_ci_feedback,
        "build_performance_tracking": delivery.build_performance_tracking,
        "deployment_frequency": releases.deployment_frequency,
        "progressive_rollout": releases.progressive_rollout,
        "rollback_automation": releases.rollback_automation,
        "readme": documentation.readme,
        "license": documentation.licence,
        "agents_md": documentation.instructions,
        "automated_doc_generation": documentation.doc_generation,
        "documentation_freshness": documentation.freshness,
        "skills": documentation.skills,
        "env_template": environment.env_template,
        "local_services_setup": environment.local_services,
        "runbooks_documented": observability.runbooks,
        "gitignore_comprehensive": security.gitignore,
        "branch_protection": security.branch_protection,
        "codeowners": security.codeowners,
        "dependency_update_automation": updates.dependency_updates,
        "secrets_management": vaults.secrets_management,
        "min_release_age": updates.min_release_age,
        "ci_workflow_security": vaults.ci_security,
        "privacy_compliance": security.privacy_compliance,
        "pr_templates": tasks.change_templates,
        "issue_labeling_system": tasks.labels,
        "backlog_health": tasks.backlog,
        "feature_flag_infrastructure": product.feature_flags,
        "agent_ci_automation": product.agent_ci,
        "automated_issue_triage": product.issue_triage,
        "agent_instructions_consistent": extras.consistent,
        "agent_guardrails": extras.guards,
        "mcp_config": extras.mcp,
        "architecture_decisions": extras.decisions,
        "commit_conventions": extras.conventions,
        "changelog": extras.changelog,
    },
)
