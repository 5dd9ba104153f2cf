"""For every criterion of these pillars: what counts, and what must not."""

from __future__ import annotations

import random
import string

import pytest

from stationmaster.readiness.hosting import Hosting
from tests.readiness.criteria.judging import LIBRARY, SERVICE, judged
from tests.support.trees import Content, facts_of

PROSE = "Look at the queue, stop the workers, start them again, then tell everybody. " * 4
CI = ".github/workflows/ci.yml"
HASH = "0123456789abcdef0123456789abcdef01234567"


def service(**dependencies: str) -> dict[str, Content]:
    """A service in Node that imports these packages."""
    asked = "".join(f', "{name}": "{version}"' for name, version in dependencies.items())
    imports = "".join(f'const a{at} = require("{n}");\n' for at, n in enumerate(dependencies))
    return {
        "package.json": f'{{"name": "shop", "dependencies": {{"express": "4.0.0"{asked}}}}}',
        "server.js": f'const express = require("express");\n{imports}express().listen(80);\n',
    }


def workflow(steps: str, on: str = "[push]", permissions: str = "{}") -> dict[str, Content]:
    return {
        CI: f"on: {on}\npermissions: {permissions}\njobs:\n  a:\n    runs-on: ubuntu-latest\n"
        f"    steps:\n{steps}"
    }


def token() -> str:
    """Random letters in the form of a credential."""
    letters = random.Random(7).choices(string.ascii_letters + string.digits, k=36)
    return "ghp" + "_" + "".join(letters)


MIGRATION = {"migrations/001_init.sql": "CREATE TABLE a (b int);"}
COMMENT = {
    "server.js": '// require("pino"): TODO use OpenTelemetry\nrequire("express")().listen(1)'
}
GITIGNORE = "node_modules/\ndist/\n.env\n.idea/\n"
POD = "kind: Deployment\nmetadata:\n  name: shop\nspec:\n  containers:\n  - image: shop:1\n"
TEMPLATE = "## What\n\n## How was it tested?\n\n- [ ] tests\n"
LABEL = "      - run: gh issue edit 1 --add-label bug\n"
DEPENDABOT = "version: 2\nupdates:\n- package-ecosystem: {}\n  directory: /\n"

CASES: list[tuple[str, str, dict[str, Content], str]] = [
    ("env_template", "", {**SERVICE, ".env.example": "A=\n"}, "pass"),
    ("env_template", "undocumented", {**SERVICE, "a.js": "x = process.env.SHOP_KEY\n"}, "fail"),
    ("env_template", "of a library", LIBRARY, "skipped"),
    ("env_template", "on a page",
     {**SERVICE, "a.js": "x = process.env.SHOP_KEY\n", "README.md": "Set `SHOP_KEY`."}, "pass"),
    ("devcontainer", "", {".devcontainer/devcontainer.json": '{"image": "a"} // b'}, "pass"),
    ("devcontainer", "empty", {".devcontainer/devcontainer.json": "{}"}, "fail"),
    ("local_services_setup", "",
     {**service(pg="8"), "compose.yml": "services:\n  db:\n    image: postgres:16\n"}, "pass"),
    ("local_services_setup", "of the application alone",
     {**service(pg="8"), "compose.yml": "services:\n  web:\n    build: .\n"}, "fail"),
    ("local_services_setup", "not needed", SERVICE, "skipped"),
    ("database_schema", "", {**service(pg="8"), **MIGRATION}, "pass"),
    ("database_schema", "in fixtures",
     {**service(pg="8"), "tests/fixtures/schema.sql": "CREATE TABLE a;"}, "fail"),
    ("structured_logging", "", service(pino="9"), "pass"),
    ("structured_logging", "in a comment", {**SERVICE, **COMMENT}, "fail"),
    ("structured_logging", "of another language",
     {"pyproject.toml": '[project]\nname="a"\ndependencies=["flask"]\n',
      "app.py": "from logging import getLogger\nfrom flask import Flask\n"}, "fail"),
    ("error_tracking_contextualized", "", service(**{"@sentry/node": "8"}), "pass"),
    ("error_tracking_contextualized", "never imported",
     {**SERVICE, "package.json": '{"name":"s","dependencies":{"express":"4","@sentry/node":"8"}}'},
     "fail"),
    ("runbooks_documented", "", {**SERVICE, "docs/runbooks/queue.md": PROSE}, "pass"),
    ("runbooks_documented", "of Ansible",
     {**SERVICE, "playbooks/README.md": PROSE, "playbooks/site.yml": "- hosts: all"}, "fail"),
    ("distributed_tracing", "", service(**{"@opentelemetry/sdk-node": "1"}), "pass"),
    ("distributed_tracing", "in a comment", {**SERVICE, **COMMENT}, "fail"),
    ("metrics_collection", "", service(**{"prom-client": "15"}), "pass"),
    ("metrics_collection", "", SERVICE, "fail"),
    ("health_checks", "by a route", {**SERVICE, "a.js": 'app.get("/healthz", ok)\n'}, "pass"),
    ("health_checks", "by a probe",
     {**SERVICE, "k8s/shop.yaml": POD + "    livenessProbe: {}\n"}, "pass"),
    ("health_checks", "by a longer name", {**SERVICE, "a.js": 'app.get("/upvoted", f)\n'}, "fail"),
    ("alerting_configured", "",
     {**SERVICE, "ops/alerts.yml": "groups:\n- rules:\n  - alert: Down\n"}, "pass"),
    ("alerting_configured", "for people", {**SERVICE, "ops/alerts.yml": "mail: a\n"}, "fail"),
    ("log_scrubbing", "", {**SERVICE, "a.js": 'pino({ redact: ["password"] })\n'}, "pass"),
    ("log_scrubbing", "", SERVICE, "fail"),
    ("code_quality_metrics", "",
     {**SERVICE, **workflow(f"      - uses: codecov/codecov-action@{HASH}\n")}, "pass"),
    ("code_quality_metrics", "", {**SERVICE, **workflow("      - run: make cov\n")}, "fail"),
    ("deployment_observability", "",
     {**SERVICE, "grafana/shop-dashboard.json": '{"panels": []}'}, "pass"),
    ("deployment_observability", "", SERVICE, "fail"),
    ("circuit_breakers", "", service(opossum="8"), "pass"),
    ("circuit_breakers", "without them", service(axios="1"), "fail"),
    ("circuit_breakers", "without calls", SERVICE, "skipped"),
    ("profiling_instrumentation", "", service(**{"@pyroscope/nodejs": "1"}), "pass"),
    ("profiling_instrumentation", "", SERVICE, "fail"),
    ("gitignore_comprehensive", "", {**SERVICE, ".gitignore": GITIGNORE}, "pass"),
    ("gitignore_comprehensive", "without dependencies", {**SERVICE, ".gitignore": ".idea"}, "fail"),
    ("gitignore_comprehensive", "with tracked junk",
     {**SERVICE, ".gitignore": GITIGNORE, "a/.DS_Store": "x"}, "fail"),
    ("codeowners", "", {".github/CODEOWNERS": "# who\n* @shop/team\n"}, "pass"),
    ("codeowners", "of comments", {".github/CODEOWNERS": "# * @shop/team\n"}, "fail"),
    ("codeowners", "where nobody looks", {".github/workflows/CODEOWNERS": "* @a\n"}, "fail"),
    ("automated_security_review", "",
     {**SERVICE, **workflow(f"      - uses: github/codeql-action/analyze@{HASH}\n")}, "pass"),
    ("automated_security_review", "in the README", {**SERVICE, "README.md": "CodeQL"},
     "not_evaluated"),
    ("dependency_update_automation", "",
     {**SERVICE, ".github/dependabot.yml": DEPENDABOT.format("npm")}, "pass"),
    ("dependency_update_automation", "of another ecosystem",
     {**SERVICE, ".github/dependabot.yml": DEPENDABOT.format("cargo")}, "fail"),
    ("secrets_management", "",
     {**SERVICE,
         **workflow("      - run: deploy\n        env:\n          A: ${{ secrets.KEY }}\n")},
     "pass"),
    ("secrets_management", "in the code", {**SERVICE, "a.js": f'const a = "{token()}"\n'}, "fail"),
    ("secrets_management", "of tests", {**SERVICE, "test/a.js": f'const a = "{token()}"\n'},
     "skipped"),
    ("security_policy", "", {"SECURITY.md": "Write to security@shop.example."}, "pass"),
    ("security_policy", "without a word", {"SECURITY.md": "# Safe\n"}, "fail"),
    ("secret_scanning", "", {".gitleaks.toml": "title = 'a'"}, "pass"),
    ("secret_scanning", "that ignores", {".gitleaksignore": "a"}, "not_evaluated"),
    ("min_release_age", "of pnpm",
     {**SERVICE, **service(pg="8"), "pnpm-workspace.yaml": "minimumReleaseAge: 1440\n"}, "pass"),
    ("min_release_age", "of nothing",
     {**service(pg="8"), "renovate.json": '{"minimumReleaseAge": "0 days"}'}, "fail"),
    ("min_release_age", "of a rule",
     {**service(pg="8"),
      "renovate.json5": '{packageRules: [{minimumReleaseAge: "3 days"}], // a\n}'}, "pass"),
    ("ci_workflow_security", "",
     workflow(f"      - uses: actions/checkout@{HASH}\n      - uses: ./local\n"), "pass"),
    ("ci_workflow_security", "by a tag", workflow("      - uses: actions/checkout@v4\n"), "fail"),
    ("ci_workflow_security", "by a local action", {
        **workflow("      - uses: ./local\n"),
        "local/action.yml": "runs: {using: composite, steps: [{uses: acme/tool@main}]}\n",
     }, "fail"),
    ("ci_workflow_security", "by an action that nothing calls", {
        **workflow(f"      - uses: actions/checkout@{HASH}\n"),
        "local/action.yml": "runs: {using: composite, steps: [{uses: acme/tool@main}]}\n",
     }, "fail"),
    ("ci_workflow_security", "", {"a.py": ""}, "skipped"),
    ("pii_handling", "", {**SERVICE, "a.js": "function maskEmail(a) {}\n"}, "pass"),
    ("pii_handling", "unseen", {**SERVICE, "models/user.js": "x = 1\n"}, "not_evaluated"),
    ("pii_handling", "of none", SERVICE, "skipped"),
    ("dast_scanning", "",
     {**SERVICE, **workflow(f"      - uses: zaproxy/action-baseline@{HASH}\n")}, "pass"),
    ("dast_scanning", "", SERVICE, "fail"),
    ("privacy_compliance", "",
     {**SERVICE, "pages/privacy.html": "a", "jobs/delete_account.js": "x"}, "pass"),
    ("privacy_compliance", "of one signal",
     {**SERVICE, "models/user.js": "x", "pages/privacy.html": "a"}, "fail"),
    ("issue_templates", "", {".github/ISSUE_TEMPLATE/bug.yml": "name: Bug\n"}, "pass"),
    ("issue_templates", "of settings", {".github/ISSUE_TEMPLATE/config.yml": "a: b\n"}, "fail"),
    ("pr_templates", "", {".github/Pull_Request_Template.md": TEMPLATE}, "pass"),
    ("pr_templates", "that asks nothing", {".github/pull_request_template.md": "Hi"}, "fail"),
    ("issue_labeling_system", "", {".github/labels.yml": "- name: kind/bug\n"}, "pass"),
    ("issue_labeling_system", "of one default",
     {".github/ISSUE_TEMPLATE/bug.md": "---\nlabels: bug\n---\nWhat?\n"}, "fail"),
    ("product_analytics_instrumentation", "", service(**{"posthog-node": "4"}), "pass"),
    ("product_analytics_instrumentation", "", SERVICE, "fail"),
    ("feature_flag_infrastructure", "", service(**{"unleash-client": "6"}), "pass"),
    ("feature_flag_infrastructure", "of the compiler",
     {**SERVICE, "Cargo.toml": '[features]\nfast = []\n'}, "fail"),
    ("dead_feature_flag_detection", "",
     {**SERVICE, ".launchdarkly/coderefs.yaml": "a: b"}, "pass"),
    ("dead_feature_flag_detection", "", SERVICE, "fail"),
    ("error_to_insight_pipeline", "",
     {**SERVICE, **workflow("      - if: failure()\n        run: gh issue create -t a\n")}, "pass"),
    ("error_to_insight_pipeline", "of releases",
     {**SERVICE, **workflow("      - run: gh issue create -t release\n")}, "fail"),
    ("agent_ci_automation", "",
     workflow(f"      - uses: anthropics/claude-code-action@{HASH}\n",
              "{schedule: [{cron: '0 0 * * 1'}]}", "{contents: write, pull-requests: write}"),
     "pass"),
    ("agent_ci_automation", "that reviews alone",
     workflow(f"      - uses: coderabbitai/ai-pr-reviewer@{HASH}\n", "[pull_request]"), "fail"),
    ("automated_issue_triage", "", workflow(LABEL, "{issues: {types: [opened]}}"), "pass"),
    ("automated_issue_triage", "that closes what is stale",
     workflow(f"      - uses: actions/stale@{HASH}\n", "{issues: {types: [opened]}}"), "fail"),
    ("experiment_infrastructure", "", service(**{"@growthbook/growthbook": "1"}), "pass"),
    ("experiment_infrastructure", "of models", service(wandb="1"), "fail"),
    ("editor_config", "", {".editorconfig": "root = true\n[*]\n"}, "pass"),
    ("editor_config", "", {"a/.editorconfig": "root = true\n"}, "fail"),
    ("targeted_test_command", "",
     {**SERVICE, "README.md": "```sh\nnpx jest src/cart.test.js\n```\n"}, "pass"),
    ("targeted_test_command", "of all", {**SERVICE, "README.md": "```sh\nnpm test\n```\n"}, "fail"),
    ("agent_instructions_scoped", "of one application", SERVICE, "skipped"),
    ("agent_instructions_consistent", "",
     {"AGENTS.md": PROSE, "CLAUDE.md": ("120000", "AGENTS.md")}, "pass"),
    ("agent_instructions_consistent", "that differ",
     {"AGENTS.md": "one\ntwo\nthree\n", "CLAUDE.md": "four\nfive\nsix\n"}, "fail"),
    ("agent_guardrails", "",
     {".claude/settings.json": '{"permissions": {"deny": ["Bash(rm:*)"]}}'}, "pass"),
    ("agent_guardrails", "empty", {".claude/settings.json": "{}"}, "fail"),
    ("mcp_config", "",
     {".mcp.json": '{"mcpServers": {"a": {"command": "npx", "args": ["-y", "b@1.2.3"]}}}'}, "pass"),
    ("mcp_config", "of any version",
     {".mcp.json": '{"mcpServers": {"a": {"command": "npx", "args": ["-y", "b"]}}}'}, "fail"),
    ("architecture_decisions", "", {f"docs/adr/{at}-a.md": "a" for at in range(3)}, "pass"),
    ("architecture_decisions", "of one", {"docs/adr/1-a.md": "a"}, "fail"),
    ("commit_conventions", "", {"commitlint.config.js": "a"}, "pass"),
    ("commit_conventions", "unseen", {"a.py": ""}, "not_evaluated"),
    ("changelog", "", {"CHANGELOG.md": "# 1.0"}, "pass"),
    ("changelog", "", {"a.py": ""}, "fail"),
    ("sbom_provenance", "", workflow(f"      - uses: actions/attest@{HASH}\n"), "pass"),
    ("sbom_provenance", "", workflow("      - run: make\n"), "fail"),
    ("fuzz_or_property_tests", "", service(**{"fast-check": "3"}), "pass"),
    ("fuzz_or_property_tests", "", SERVICE, "fail"),
    ("container_image", "",
     {**SERVICE, "Dockerfile": f"FROM node@sha256:{HASH}{HASH[:24]}\nUSER node\n"}, "pass"),
    ("container_image", "as root", {**SERVICE, "Dockerfile": "FROM node:22\n"}, "fail"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "files", "state"),
    [pytest.param(n, f, s, id=f"{n} {what or s}") for n, what, f, s in CASES],
)
def test_a_commit_is_judged_by_its_evidence(
    name: str, files: dict[str, Content], state: str
) -> None:
    evaluation = judged(name, facts_of(files))

    assert evaluation.state == state, evaluation.rationale
    assert evaluation.rationale


def test_a_credential_is_told_by_its_kind_and_place_alone() -> None:
    evaluation = judged("secrets_management", facts_of({**SERVICE, "a.js": f'a = "{token()}"\n'}))

    assert "token of GitHub" in evaluation.rationale
    assert "a.js:1" in evaluation.rationale
    assert token() not in evaluation.rationale


@pytest.mark.parametrize(
    ("name", "hosting", "state"),
    [
        ("branch_protection", None, "not_evaluated"),
        ("branch_protection", Hosting(is_protected=True), "pass"),
        ("branch_protection", Hosting(is_protected=False), "fail"),
        ("backlog_health", None, "not_evaluated"),
        ("backlog_health", Hosting(open_issues=0), "skipped"),
        (
            "backlog_health",
            Hosting(open_issues=9, triaged_share=0.7, untouched_days_median=30.0),
            "pass",
        ),
        (
            "backlog_health",
            Hosting(open_issues=9, triaged_share=0.69, untouched_days_median=30.0),
            "fail",
        ),
        ("automated_security_review", Hosting(code_scanning=True), "pass"),
        ("automated_security_review", Hosting(code_scanning=False), "fail"),
        ("secret_scanning", Hosting(secret_scanning=True), "pass"),
        ("security_policy", Hosting(inherited=frozenset({"SECURITY.md"})), "pass"),
        ("issue_templates", Hosting(has_issues=False), "skipped"),
        ("issue_labeling_system", Hosting(label_names=("kind/a", "area/b", "bug")), "pass"),
        ("issue_labeling_system", Hosting(label_names=("bug", "question", "mine")), "fail"),
    ],
)
def test_what_only_the_hosting_service_knows_is_asked_of_it(
    name: str, hosting: Hosting | None, state: str
) -> None:
    assert judged(name, facts_of(LIBRARY, hosting=hosting)).state == state
