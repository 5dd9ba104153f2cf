"""Which file a fix adds or changes, by criterion and ecosystem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_ALL = ""
_JVM = ("maven", "gradle", "scala")


def _by(**files: str) -> Mapping[str, str]:
    """Files by ecosystem; `jvm` stands for Maven, Gradle and Scala."""
    found = {name: path for name, path in files.items() if name != "jvm"}
    return {**dict.fromkeys(_JVM, files.get("jvm", "")), **found}


_BUILDS = _by(
    npm="package.json", deno="deno.json", python="pyproject.toml", go="Makefile", rust="Cargo.toml",
    maven="pom.xml", gradle="build.gradle.kts", scala="build.sbt", dotnet="Directory.Build.props",
    ruby="Rakefile", php="composer.json", swift="Package.swift", cpp="CMakeLists.txt",
    elixir="mix.exs", dart="pubspec.yaml",
)  # fmt: skip
_LINTERS = _by(
    npm="eslint.config.js", deno="deno.json", python="pyproject.toml ([tool.ruff])",
    go=".golangci.yml", rust="Cargo.toml ([lints])", maven="pom.xml (Error Prone)",
    gradle="build.gradle.kts (detekt or Error Prone)", scala=".scalafix.conf",
    dotnet=".editorconfig", ruby=".rubocop.yml", php="phpcs.xml.dist", swift=".swiftlint.yml",
    cpp=".clang-tidy", elixir=".credo.exs", dart="analysis_options.yaml", terraform=".tflint.hcl",
)  # fmt: skip
_FILES: Mapping[str, Mapping[str, str]] = {
    "lint_config": _LINTERS,
    "naming_consistency": _LINTERS,
    "cyclomatic_complexity": _LINTERS,
    "tech_debt_tracking": _LINTERS,
    "formatter": _by(
        npm=".prettierrc", python="pyproject.toml ([tool.ruff.format])", rust="rustfmt.toml",
        jvm="the build file (Spotless)", dotnet=".editorconfig", ruby=".rubocop.yml",
        php=".php-cs-fixer.dist.php", swift=".swift-format", cpp=".clang-format",
        elixir=".formatter.exs",
    ),
    "type_check": _by(npm="tsconfig.json", python="pyproject.toml ([tool.mypy])",
                      ruby="sorbet/config", php="phpstan.neon", elixir="mix.exs (dialyxir)"),
    "strict_typing": _by(npm="tsconfig.json", python="pyproject.toml ([tool.mypy] strict = true)",
                         ruby="sorbet/config", php="phpstan.neon", dotnet="Directory.Build.props"),
    "unit_tests_exist": _by(
        npm="src/<name>.test.ts", python="tests/test_<name>.py", go="<name>_test.go",
        rust="src/<name>.rs (mod tests)", jvm="src/test/java/…Test.java",
        dotnet="tests/<Name>.Tests/", ruby="spec/<name>_spec.rb", php="tests/<Name>Test.php",
        swift="Tests/", cpp="tests/", elixir="test/<name>_test.exs", dart="test/<name>_test.dart",
    ),
    "unit_tests_runnable": _BUILDS,
    "test_coverage_thresholds": _by(
        npm="the configuration of vitest or jest",
        python="pyproject.toml ([tool.coverage.report] fail_under)", go=".testcoverage.yml",
        rust="the CI workflow (cargo llvm-cov --fail-under-lines)",
        jvm="the build file (JaCoCo)", ruby="spec/spec_helper.rb (minimum_coverage)",
        php="composer.json (a script with --min)", dotnet="Directory.Build.props (Threshold)",
        elixir="mix.exs (test_coverage threshold)",
    ),
    "deps_pinned": _by(npm="package-lock.json", python="uv.lock", go="go.sum", rust="Cargo.lock",
                       gradle="gradle.lockfile", dotnet="packages.lock.json", ruby="Gemfile.lock",
                       php="composer.lock", swift="Package.resolved", elixir="mix.lock",
                       dart="pubspec.lock", terraform=".terraform.lock.hcl"),
    "runtime_version_pinned": _by(
        npm=".nvmrc", python=".python-version", go="go.mod (toolchain)", rust="rust-toolchain.toml",
        jvm=".tool-versions", dotnet="global.json", ruby=".ruby-version", php="composer.json",
        swift=".swift-version", elixir=".tool-versions",
    ),
    "dead_code_detection": _by(npm="knip.json", python="pyproject.toml (vulture)",
                               go=".golangci.yml (unused)", ruby="Gemfile (debride)"),
    "unused_dependencies_detection": _by(
        npm="knip.json", python="pyproject.toml (deptry)", go="the CI workflow (go mod tidy -diff)",
        rust="the CI workflow (cargo machete)", maven="pom.xml (dependency:analyze)",
        gradle="build.gradle.kts (dependency-analysis)",
    ),
    **{
        name: {_ALL: path}
        for name, path in {
            "readme": "README.md", "license": "LICENSE", "env_template": ".env.example",
            "gitignore_comprehensive": ".gitignore", "pre_commit_hooks": ".pre-commit-config.yaml",
            "build_cmd_doc": "README.md", "ci_config": "{ci}", "automated_pr_review": "{review}",
            "monorepo_tooling": "the manifest at the root", "interactive_qa_exists": "README.md",
            "agents_md": "AGENTS.md", "contributing_guide": "CONTRIBUTING.md",
            "automated_doc_generation": "{ci}", "devcontainer": ".devcontainer/devcontainer.json",
            "local_services_setup": "compose.yaml", "database_schema": "migrations/",
            "vcs_cli_tools": ".devcontainer/devcontainer.json",
            "runbooks_documented": "docs/runbooks/",
            "structured_logging": "where the logger is set up",
            "error_tracking_contextualized": "where the application starts",
            "branch_protection": "the settings of the repository at its host",
            "codeowners": "{owners}", "automated_security_review": "{security}",
            "dependency_update_automation": "{updates}", "min_release_age": "{updates}",
            "secrets_management": "the CI workflow and the code with the values",
            "security_policy": "SECURITY.md", "issue_templates": "{issues}",
            "pr_templates": "{changes}", "issue_labeling_system": "{labels}",
            "large_file_detection": ".pre-commit-config.yaml", "single_command_setup": "Makefile",
            "duplicate_code_detection": ".jscpd.json", "release_automation": "{release}",
            "release_notes_automation": "{notes}", "secret_scanning": ".pre-commit-config.yaml",
            "ci_workflow_security": "{workflows}", "skills": ".claude/skills/<task>/SKILL.md",
            "documentation_freshness": "docs/", "service_flow_documented": "docs/architecture.md",
            "api_schema_docs": "openapi.yaml", "health_checks": "the routes of the service",
            "log_scrubbing": "where the logger is set up", "integration_tests_exist": "tests/e2e/",
            "agents_md_validation": "{ci}", "agent_ci_automation": "{agent}",
            "automated_issue_triage": "{triage}", "code_quality_metrics": "{ci}",
            "fast_ci_feedback": "{ci}", "build_performance_tracking": "{ci}",
            "test_performance_tracking": "{ci}", "alerting_configured": "alerts/",
        }.items()
    },
}  # fmt: skip
_GITHUB = {
    "ci": ".github/workflows/ci.yml", "review": ".github/workflows/review.yml",
    "owners": ".github/CODEOWNERS", "security": ".github/workflows/codeql.yml",
    "updates": ".github/dependabot.yml", "issues": ".github/ISSUE_TEMPLATE/bug.yml",
    "changes": ".github/pull_request_template.md", "labels": ".github/labels.yml",
    "release": ".github/workflows/release.yml", "notes": ".github/release.yml",
    "workflows": ".github/workflows/", "agent": ".github/workflows/agent.yml",
    "triage": ".github/workflows/triage.yml",
}  # fmt: skip
_GITLAB = {
    **dict.fromkeys(_GITHUB, ".gitlab-ci.yml"), "owners": "CODEOWNERS", "updates": "renovate.json",
    "issues": ".gitlab/issue_templates/bug.md", "labels": ".gitlab/labels.yml",
    "changes": ".gitlab/merge_request_templates/default.md",
}  # fmt: skip


def files(criterion: str, ecosystems: Iterable[str], host: str) -> list[str]:
    """What to add or change, one for each ecosystem that differs; [] where it depends too much on
    the repository. `host` is the name of the hosting service in its address."""
    known = _FILES.get(criterion, {})
    names = _GITLAB if "gitlab" in host else _GITHUB
    wanted = [known[_ALL]] if _ALL in known else [known.get(each, "") for each in ecosystems]
    return [path.format(**names) for path in dict.fromkeys(wanted) if path]
