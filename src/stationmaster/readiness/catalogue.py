"""The criteria that reports may speak of: where each counts. An evaluator adds how it is judged.

Identifiers, levels, pillars and scopes are those of the published readiness model and of reports
that its users published; titles are ours. The last row of a pillar may be a criterion that only a
run can judge (`*_runnable`, `vcs_cli_tools`): it counts like any other where a report has it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

Level = Literal[1, 2, 3, 4, 5]
Scope = Literal["repository", "application"]
Pillar = Literal[
    "Style & Validation",
    "Build System",
    "Testing",
    "Documentation",
    "Development Environment",
    "Debugging & Observability",
    "Security",
    "Task Discovery",
    "Product & Experimentation",
]

LEVELS: dict[Level, str] = {
    1: "Functional",
    2: "Documented",
    3: "Standardized",
    4: "Optimized",
    5: "Autonomous",
}
PILLARS: tuple[Pillar, ...] = get_args(Pillar)


class Entry(NamedTuple):
    """One criterion; judged once per repository, or once per application of it."""

    title: str
    level: Level
    pillar: Pillar
    scope: Scope


def _of(pillar: Pillar, *rows: tuple[str, str, Level, Scope]) -> dict[str, Entry]:
    return {name: Entry(title, level, pillar, scope) for name, title, level, scope in rows}


CATALOGUE: dict[str, Entry] = {
    **_of(
        "Style & Validation",
        ("lint_config", "Linter configured", 1, "application"),
        ("formatter", "Formatter configured", 1, "application"),
        ("type_check", "Type checker", 1, "application"),
        ("strict_typing", "Strict typing mode", 2, "application"),
        ("pre_commit_hooks", "Commit-time checks", 2, "application"),
        ("naming_consistency", "Naming rules enforced or written", 3, "application"),
        ("dead_code_detection", "Dead code detection", 3, "application"),
        ("duplicate_code_detection", "Duplicate code detection", 3, "application"),
        ("large_file_detection", "Large file guard", 3, "repository"),
        ("tech_debt_tracking", "Debt markers tracked", 3, "repository"),
        ("unused_dependencies_detection", "Unused dependency detection", 3, "application"),
        ("code_modularization", "Module boundaries enforced", 4, "application"),
        ("cyclomatic_complexity", "Complexity limit", 4, "application"),
        ("n_plus_one_detection", "N+1 query detection", 4, "application"),
        ("heavy_dependency_detection", "Bundle weight watch", 4, "application"),
    ),
    **_of(
        "Build System",
        ("build_cmd_doc", "Build command documented", 2, "repository"),
        ("deps_pinned", "Dependencies pinned", 2, "repository"),
        ("ci_config", "CI runs on changes", 2, "repository"),
        ("automated_pr_review", "Automated review comments", 2, "repository"),
        ("monorepo_tooling", "Workspace tooling", 2, "repository"),
        ("runtime_version_pinned", "Toolchain version pinned", 2, "repository"),
        ("single_command_setup", "One-command setup", 3, "repository"),
        ("release_automation", "Automated release or deploy", 3, "repository"),
        ("release_notes_automation", "Automated release notes", 3, "repository"),
        ("version_drift_detection", "Version drift detection", 3, "repository"),
        ("agentic_development", "Agents already take part", 3, "repository"),
        ("fast_ci_feedback", "CI under ten minutes", 4, "repository"),
        ("build_performance_tracking", "Build caching or timing", 4, "repository"),
        ("deployment_frequency", "Regular deployments", 4, "repository"),
        ("progressive_rollout", "Progressive rollout", 4, "repository"),
        ("rollback_automation", "Rollback path", 4, "repository"),
    ),
    **_of(
        "Testing",
        ("unit_tests_exist", "Unit tests exist", 1, "application"),
        ("unit_tests_runnable", "Tests have a command", 2, "application"),
        ("test_coverage_thresholds", "Coverage gate", 2, "application"),
        ("interactive_qa_exists", "Run-and-try path documented", 2, "application"),
        ("integration_tests_exist", "Integration or end-to-end tests", 3, "application"),
        ("test_naming_conventions", "Test discovery rules", 3, "application"),
        ("test_isolation", "Isolated or parallel tests", 4, "application"),
        ("test_performance_tracking", "Test timing recorded", 4, "application"),
        ("flaky_test_detection", "Flaky test handling", 4, "application"),
        ("interactive_qa_runnable", "Run-and-try path works", 3, "application"),
    ),
    **_of(
        "Documentation",
        ("readme", "README with substance", 1, "repository"),
        ("license", "Licence file", 1, "repository"),
        ("agents_md", "Agent instructions", 2, "repository"),
        ("contributing_guide", "Contribution guide", 2, "repository"),
        ("automated_doc_generation", "Generated documentation", 2, "repository"),
        ("documentation_freshness", "Docs kept up to date", 3, "repository"),
        ("skills", "Agent skills", 3, "repository"),
        ("service_flow_documented", "Architecture described", 3, "repository"),
        ("api_schema_docs", "API schema", 3, "application"),
        ("agents_md_validation", "Agent instructions verified", 4, "repository"),
    ),
    **_of(
        "Development Environment",
        ("env_template", "Environment template", 1, "repository"),
        ("devcontainer", "Dev container", 2, "repository"),
        ("local_services_setup", "Local services", 2, "repository"),
        ("database_schema", "Data schema tracked", 2, "application"),
        ("vcs_cli_tools", "Forge client signed in", 2, "repository"),
        ("devcontainer_runnable", "Dev container builds", 3, "repository"),
    ),
    **_of(
        "Debugging & Observability",
        ("structured_logging", "Structured logging", 2, "application"),
        ("error_tracking_contextualized", "Error tracking", 2, "application"),
        ("runbooks_documented", "Runbooks", 2, "repository"),
        ("distributed_tracing", "Tracing or request ids", 3, "application"),
        ("metrics_collection", "Metrics", 3, "application"),
        ("health_checks", "Health checks", 3, "application"),
        ("alerting_configured", "Alert rules", 3, "application"),
        ("log_scrubbing", "Log redaction", 3, "application"),
        ("code_quality_metrics", "Quality metrics tracked", 4, "application"),
        ("deployment_observability", "Deploy visibility", 4, "application"),
        ("circuit_breakers", "Resilience for outgoing calls", 4, "application"),
        ("profiling_instrumentation", "Profiling", 4, "application"),
    ),
    **_of(
        "Security",
        ("gitignore_comprehensive", ".gitignore covers the junk", 1, "repository"),
        ("branch_protection", "Default branch protected", 2, "repository"),
        ("codeowners", "Code owners", 2, "repository"),
        ("automated_security_review", "Security analysis in CI", 2, "repository"),
        ("dependency_update_automation", "Dependency updates", 2, "repository"),
        ("secrets_management", "Secrets handled properly", 2, "repository"),
        ("security_policy", "Security policy", 2, "repository"),
        ("secret_scanning", "Secret scanning", 3, "repository"),
        ("min_release_age", "Dependency cool-down", 3, "repository"),
        ("ci_workflow_security", "Hardened pipelines", 3, "repository"),
        ("pii_handling", "Personal data handling", 3, "application"),
        ("dast_scanning", "Dynamic security tests", 4, "application"),
        ("privacy_compliance", "Privacy compliance", 4, "repository"),
    ),
    **_of(
        "Task Discovery",
        ("issue_templates", "Issue templates", 2, "repository"),
        ("pr_templates", "Change request template", 2, "repository"),
        ("issue_labeling_system", "Label system", 2, "repository"),
        ("backlog_health", "Backlog health", 4, "repository"),
    ),
    **_of(
        "Product & Experimentation",
        ("product_analytics_instrumentation", "Product analytics", 3, "application"),
        ("feature_flag_infrastructure", "Feature flags", 4, "repository"),
        ("dead_feature_flag_detection", "Stale flag clean-up", 4, "repository"),
        ("error_to_insight_pipeline", "Errors become work items", 5, "application"),
        ("agent_ci_automation", "Agents run in CI", 5, "repository"),
        ("automated_issue_triage", "Automated triage", 5, "repository"),
        ("experiment_infrastructure", "Experiment platform", 5, "application"),
    ),
}
