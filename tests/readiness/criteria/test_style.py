from __future__ import annotations

import pytest

from tests.readiness.criteria.judging import LIBRARY, SERVICE, judged
from tests.support.trees import Content, facts_of

PACKAGE = '{"name": "a", "version": "1.0.0", "main": "a.ts"'
TS: dict[str, Content] = {"package.json": PACKAGE + "}", "src/a.ts": "export const a = 1\n"}
GO: dict[str, Content] = {
    "go.mod": "module example.com/a\n\ngo 1.24\n\nrequire example.com/b v1.0.0\n",
    "a.go": "package a\n",
}
RUST: dict[str, Content] = {
    "Cargo.toml": '[package]\nname = "a"\nversion = "1.0.0"\n',
    "src/lib.rs": "pub fn a() {}\n",
}
POM = "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId>{}</project>"
JAVA: dict[str, Content] = {
    "pom.xml": POM.format("<artifactId>p</artifactId><packaging>pom</packaging>"
                          "<modules><module>a</module></modules>"
                          "<build><pluginManagement><plugins><plugin>"
                          "<artifactId>maven-compiler-plugin</artifactId><configuration>"
                          "<compilerArgs><arg>-Xplugin:ErrorProne</arg></compilerArgs>"
                          "</configuration></plugin></plugins></pluginManagement></build>"),
    "a/pom.xml": POM.format("<parent><groupId>g</groupId><artifactId>p</artifactId></parent>"
                            "<artifactId>a</artifactId>"),
    "a/src/main/java/A.java": "class A {}\n",
}  # fmt: skip
NET: dict[str, Content] = {
    "a/a.csproj": '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>'
    "<TargetFramework>net9.0</TargetFramework></PropertyGroup></Project>",
    "a/A.cs": "class A {}\n",
}
RUBY: dict[str, Content] = {"a.gemspec": "Gem::Specification.new", "lib/a.rb": "# typed: false\n"}
PHP: dict[str, Content] = {"composer.json": '{"name": "a/a"}', "src/A.php": "<?php\n"}


def ts(rest: str = "", **files: str) -> dict[str, Content]:
    return {**TS, "package.json": f"{PACKAGE}{rest}}}", **files}


def config(path: str, content: str, of: dict[str, Content]) -> dict[str, Content]:
    return {**of, path: content}


def ci(run: str, of: dict[str, Content]) -> dict[str, Content]:
    steps = f"on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: {run}\n"
    return {**of, ".github/workflows/ci.yml": steps}


CASES: list[tuple[str, str, dict[str, Content], str]] = [
    ("lint_config", "as ESLint with its dependency",
     ts(', "devDependencies": {"eslint": "9"}', **{"eslint.config.js": "export default []"}),
     "pass"),
    ("lint_config", "as TSLint, which is obsolete", config("tslint.json", "{}", TS), "fail"),
    ("lint_config", "as Biome that is turned off",
     config("biome.json", '{"linter": {"enabled": false}}', TS), "fail"),
    ("lint_config", "as EditorConfig of spaces alone",
     config(".editorconfig", "[*.cs]\nindent_size = 4\n", NET), "fail"),
    ("lint_config", "as severities of .NET",
     config(".editorconfig", "[*.cs]\ndotnet_diagnostic.CA1000.severity = warning\n", NET), "pass"),
    ("lint_config", "as silenced severities of .NET",
     config(".editorconfig", "[*.cs]\ndotnet_diagnostic.CA1000.severity = none\n", NET), "fail"),
    ("lint_config", "as Error Prone in the parent of a module", JAVA, "pass"),
    ("lint_config", "as Clippy in CI alone", ci("cargo clippy --all", RUST), "pass"),
    ("lint_config", "as Clippy that is only installed",
     ci("rustup component add clippy", RUST), "fail"),
    ("lint_config", "as Clippy that is only spoken of", ci("echo cargo clippy", RUST), "fail"),
    ("lint_config", "as [lints] of the workspace that the crate takes",
     {**RUST, "Cargo.toml": '[package]\nname="a"\n[lints]\nworkspace=true\n'
      '[workspace]\n[workspace.lints.clippy]\nall="warn"\n'}, "pass"),
    ("lint_config", "as [lints] of the workspace that the crate does not take",
     {**RUST, "Cargo.toml": '[package]\nname="a"\n[workspace]\n'
      '[workspace.lints.clippy]\nall="warn"\n'}, "fail"),
    ("lint_config", "for another language alone", config(".rubocop.yml", "{}", LIBRARY), "fail"),
    ("lint_config", "of documents", {"README.md": "# x\n"}, "skipped"),
    ("formatter", "as EditorConfig alone", config(".editorconfig", "root = true\n", TS), "fail"),
    ("formatter", "as oxfmt",
     ts(', "scripts": {"format": "oxfmt"}', **{".oxfmtrc.json": "{}"}), "pass"),
    ("formatter", "of a toolchain that brings it", GO, "pass"),
    ("formatter", "as a hook of Ruff", config(".pre-commit-config.yaml",
     "repos: [{repo: r, rev: v, hooks: [{id: ruff-format}]}]\n", LIBRARY), "pass"),
    ("type_check", "by the compiler", GO, "pass"),
    ("type_check", "by a tsconfig that nothing runs", config("tsconfig.json", "{}", TS), "fail"),
    ("type_check", "by tsc in a script",
     ts(', "scripts": {"build": "tsc -p ."}', **{"tsconfig.json": "{}"}), "pass"),
    ("type_check", "by a comment of Sorbet without Sorbet", RUBY, "fail"),
    ("strict_typing", "by the compiler's default since 6",
     ts(', "scripts": {"b": "tsc"}, "devDependencies": {"typescript": "~6.0.2"}',
        **{"tsconfig.json": "{}"}), "pass"),
    ("strict_typing", "by the compiler's default before 6",
     ts(', "scripts": {"b": "tsc"}, "devDependencies": {"typescript": "^5.9.0"}',
        **{"tsconfig.json": "{}"}), "fail"),
    ("strict_typing", "that a base sets",
     ts(', "scripts": {"b": "tsc"}',
        **{"tsconfig.json": '{"extends": "./base"} // ok',
           "base.json": '{"compilerOptions": {"strict": true}}'}), "pass"),
    ("strict_typing", "that the child takes back",
     ts(', "scripts": {"b": "tsc"}, "devDependencies": {"typescript": "6"}',
        **{"tsconfig.json": '{"extends": "./base.json", "compilerOptions": {"strict": false}}',
           "base.json": '{"compilerOptions": {"strict": true}}'}), "fail"),
    ("strict_typing", "by bases that name each other",
     ts(', "scripts": {"b": "tsc"}', **{"tsconfig.json": '{"extends": "./tsconfig.json"}'}),
     "fail"),
    ("strict_typing", "of mypy", config("mypy.ini", "[mypy]\nstrict = True\n", LIBRARY), "pass"),
    ("strict_typing", "of mypy for one module alone",
     config("mypy.ini", "[mypy]\n[mypy-a]\nstrict = True\n", LIBRARY), "fail"),
    ("strict_typing", "of C# without Nullable", NET, "fail"),
    ("strict_typing", "of C# for all projects",
     config("Directory.Build.props",
            "<Project><PropertyGroup><Nullable>enable</Nullable></PropertyGroup></Project>", NET),
     "pass"),
    ("strict_typing", "of PHPStan",
     config("phpstan.neon", "parameters:\n    level: 8\n", PHP), "pass"),
    ("strict_typing", "of PHPStan at a low level",
     config("phpstan.neon", "parameters:\n    level: 5\n", PHP), "fail"),
    ("pre_commit_hooks", "in package.json",
     ts(', "simple-git-hooks": {"pre-commit": "npx lint-staged"}, '
        '"lint-staged": {"*.ts": "eslint"}'), "pass"),
    ("pre_commit_hooks", "of lint-staged without a runner",
     ts(', "lint-staged": {"*.ts": "eslint"}'), "fail"),
    ("pre_commit_hooks", "of an empty Husky", config(".husky/pre-commit", "#!/bin/sh\n", TS),
     "fail"),
    ("pre_commit_hooks", "for another language",
     config(".pre-commit-config.yaml", "repos: [{repo: r, hooks: [{id: ruff}]}]\n", GO), "fail"),
    ("pre_commit_hooks", "of Lefthook",
     config("lefthook.yml", "pre-commit:\n  jobs:\n    - run: go vet ./...\n", GO), "pass"),
    ("naming_consistency", "by Ruff's group", config("ruff.toml",
     '[lint]\nselect = ["E", "N"]\n', LIBRARY), "pass"),
    ("naming_consistency", "by groups of other letters",
     config("ruff.toml", '[lint]\nselect = ["E", "NPY"]\n', LIBRARY), "fail"),
    ("naming_consistency", "in writing",
     config("CONTRIBUTING.md", "# Style\n\n## Naming\nUse words.\n", LIBRARY), "pass"),
    ("dead_code_detection", "by golangci-lint's standard set",
     config(".golangci.yml", "version: '2'\n", GO), "pass"),
    ("dead_code_detection", "that golangci-lint is told to leave out",
     config(".golangci.yml", "linters: {disable: [unused]}\n", GO), "fail"),
    ("dead_code_detection", "of imports alone",
     config("ruff.toml", '[lint]\nselect = ["F"]\n', LIBRARY), "fail"),
    ("duplicate_code_detection", "that is disabled among all",
     config(".golangci.yml", "linters: {default: all, disable: [dupl]}\n", GO), "fail"),
    ("duplicate_code_detection", "among all",
     config(".golangci.yml", "linters: {default: all}\n", GO), "pass"),
    ("cyclomatic_complexity", "by ESLint's code, switched off in a comment",
     config("eslint.config.js", "// complexity: 'error'\nexport default []", TS), "fail"),
    ("cyclomatic_complexity", "by ESLint's code",
     config("eslint.config.js", "export default [{rules: {complexity: ['warn', 9]}}]", TS), "pass"),
    ("cyclomatic_complexity", "by ESLint, turned off",
     config("eslint.config.js", "export default [{rules: {complexity: 'off'}}]", TS), "fail"),
    ("cyclomatic_complexity", "by Ruff, ignored",
     config("ruff.toml", '[lint]\nselect = ["C"]\nignore = ["C901"]\n', LIBRARY), "fail"),
    ("cyclomatic_complexity", "by RuboCop's defaults", config(".rubocop.yml", "{}", RUBY), "pass"),
    ("cyclomatic_complexity", "by RuboCop without its department",
     config(".rubocop.yml", "Metrics: {Enabled: false}\n", RUBY), "fail"),
    ("large_file_detection", "by Git LFS",
     config(".gitattributes", "*.bin filter=lfs diff=lfs\n", GO), "pass"),
    ("large_file_detection", "by attributes of line ends",
     config(".gitattributes", "* text=auto eol=lf\n", GO), "fail"),
    ("tech_debt_tracking", "by Ruff", config("ruff.toml", '[lint]\nselect = ["TD"]\n', LIBRARY),
     "pass"),
    ("tech_debt_tracking", "by a list", config("TODO.md", "# x\n", LIBRARY), "fail"),
    ("unused_dependencies_detection", "of nothing", RUST, "skipped"),
    ("unused_dependencies_detection", "by a tidy module that is compared",
     ci('"go mod tidy && git diff --exit-code"', GO), "pass"),
    ("unused_dependencies_detection", "by a tidy module that nobody compares",
     ci("go mod tidy", GO), "fail"),
    ("code_modularization", "of a small library", LIBRARY, "skipped"),
    ("code_modularization", "by contracts",
     {**{f"src/trains/m{number}.py": "x = 1\n" for number in range(30)},
      "pyproject.toml": '[project]\nname = "trains"\n[tool.importlinter]\n'
      '[[tool.importlinter.contracts]]\nname = "a"\n'}, "pass"),
    ("code_modularization", "without contracts",
     {**{f"src/trains/m{number}.py": "x = 1\n" for number in range(30)},
      "pyproject.toml": '[project]\nname = "trains"\n[tool.importlinter]\nroot = "a"\n'}, "fail"),
    ("n_plus_one_detection", "without a mapper", SERVICE, "skipped"),
    ("n_plus_one_detection", "of a library", LIBRARY, "skipped"),
    ("heavy_dependency_detection", "of a library", LIBRARY, "skipped"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "case", "contents", "state"), CASES, ids=[f"{case[0]} {case[1]}" for case in CASES]
)
def test_style(name: str, case: str, contents: dict[str, Content], state: str) -> None:
    evaluation = judged(name, facts_of(contents))

    assert evaluation.state == state, evaluation.rationale


def test_a_configuration_that_nothing_runs_passes_weakly() -> None:
    evaluation = judged("lint_config", facts_of(config(".golangci.yml", "version: '2'\n", GO)))

    assert evaluation.rationale == (
        "Weak: golangci-lint is configured, but nothing runs it (.golangci.yml)."
    )


def test_an_application_that_a_tool_does_not_cover_is_named() -> None:
    contents = config("web/.prettierrc", "{}", {
        **{f"web/{path}": content for path, content in TS.items()},
        **{f"other/{path}": content for path, content in LIBRARY.items()},
    })  # fmt: skip

    evaluation = judged("formatter", facts_of(contents))

    assert (evaluation.numerator, evaluation.denominator) == (1, 2)
    assert evaluation.rationale.startswith("other: No formatter for Python is configured or run.")
