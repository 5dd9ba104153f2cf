import pytest

from stationmaster.wiki.facts.tooling import configs
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of


@pytest.mark.parametrize(
    ("kind", "path", "content", "tool", "line"),
    [
        ("test", "web/vitest.config.ts", "", "Vitest", None),
        ("test", "pyproject.toml", "[project]\n[tool.pytest.ini_options]\n", "pytest", 2),
        ("test", ".coveragerc", "", "coverage.py", None),
        ("lint", ".eslintrc.json", "{}", "ESLint", None),
        ("lint", "eslint.config.mjs", "", "ESLint", None),
        ("lint", "setup.cfg", "[metadata]\nname=x\n[flake8]\n", "Flake8", 3),
        ("lint", "package.json", '{"name": "x",\n"prettier": {}}', "Prettier", 2),
        ("lint", "build.gradle", "plugins {}\n// spotless {\nspotless {\n}\n", "Spotless", 3),
        ("lint", "Gemfile", "group :test do\n  gem 'brakeman'\nend\n", "Brakeman", 2),
        ("lint", ".erb_lint.yml", "", "ERB Lint", None),
        ("lint", "Cargo.toml", "[workspace]\n[workspace.lints.clippy]\n", "Clippy", 2),
    ],
)
def test_a_tool_is_set_up_by_a_file_of_its_own_or_a_section_of_a_manifest(
    kind: str, path: str, content: str, tool: str, line: int | None
) -> None:
    assert configs.tools(facts_of({path: content}), kind) == ((tool, Place(path, line)),)


def test_the_file_nearest_to_the_root_sets_a_tool_up_and_fixtures_set_up_nothing() -> None:
    contents = dict.fromkeys(
        ("a/ruff.toml", "ruff.toml", "tests/fixtures/mypy.ini", "ruff.toml.txt"), ""
    )
    assert configs.tools(facts_of(contents), "lint") == (("Ruff", Place("ruff.toml")),)
