"""Which rules of the linters of Python and JavaScript are on."""

from __future__ import annotations

import pytest

from stationmaster.readiness.evidence.rules import LINTERS
from tests.support.trees import Content, facts_of

TS: dict[str, Content] = {"package.json": '{"name": "a", "main": "a.js"}', "a.js": "1\n"}
PY: dict[str, Content] = {"pyproject.toml": '[project]\nname = "a"\n', "a.py": "a = 1\n"}
CI = ".github/workflows/ci.yml"


def runs(command: str) -> dict[str, Content]:
    steps = f"    steps:\n      - run: {command}\n"
    return {CI: f"on: push\njobs:\n  a:\n    runs-on: x\n{steps}"}


CASES: list[tuple[str, str, str, dict[str, Content], str | None]] = [
    (
        "biome",
        "complexity/noExcessiveCognitiveComplexity",
        "by its level",
        {
            **TS,
            "biome.json": '{"linter": {"rules": {"complexity": '
            '{"noExcessiveCognitiveComplexity": {"level": "warn"}}}}}',
        },
        "biome.json",
    ),
    (
        "biome",
        "complexity/noExcessiveCognitiveComplexity",
        "that is off",
        {
            **TS,
            "biome.json": '{"linter": {"rules": {"complexity": '
            '{"noExcessiveCognitiveComplexity": "off"}}}}',
        },
        None,
    ),
    (
        "oxlint",
        "no-cycle",
        "with the name of its plugin",
        {**TS, ".oxlintrc.json": '{"rules": {"import/no-cycle": ["error", {}]}}'},
        ".oxlintrc.json",
    ),
    (
        "oxlint",
        "no-cycle",
        "that is off",
        {**TS, ".oxlintrc.json": '{"rules": {"no-cycle": 0}}'},
        None,
    ),
    (
        "pylint",
        "fixme",
        "that runs",
        {**PY, ".pylintrc": "[MAIN]\n", **runs("pylint a")},
        ".pylintrc",
    ),
    (
        "pylint",
        "fixme",
        "that is disabled",
        {**PY, ".pylintrc": "[MAIN]\ndisable=fixme,\n    invalid-name\n", **runs("pylint a")},
        None,
    ),
    (
        "pylint",
        "fixme",
        "that is enabled again",
        {**PY, ".pylintrc": "[MAIN]\ndisable=all\nenable=fixme\n", **runs("pylint a")},
        ".pylintrc",
    ),
    ("pylint", "fixme", "that nothing runs", {**PY, ".pylintrc": "[MAIN]\n"}, None),
    (
        "ruff",
        "C901",
        "of a file that it extends",
        {**PY, "ruff.toml": 'extend = "base.toml"\n', "base.toml": '[lint]\nselect = ["C9"]\n'},
        "ruff.toml",
    ),
    (
        "ruff",
        "C901",
        "that is ignored",
        {**PY, "ruff.toml": '[lint]\nselect = ["ALL"]\nignore = ["C901"]\n'},
        None,
    ),
    (
        "eslint",
        "complexity",
        "in a shared configuration of the repository",
        {
            **TS,
            "eslint.config.js": "import own from 'eslint-config-own'\n",
            "own/package.json": '{"name": "eslint-config-own"}',
            "own/index.js": "export default {\n  rules: {complexity: ['error', 9]}}\n",
        },
        "own/index.js:2",
    ),
]


@pytest.mark.parametrize(
    ("linter", "rule", "files", "place"),
    [(linter, rule, files, place) for linter, rule, _, files, place in CASES],
    ids=[f"{linter} {rule} {how}" for linter, rule, how, _, _ in CASES],
)
def test_a_rule_is_on_where_its_configuration_or_a_default_says_so(
    linter: str, rule: str, files: dict[str, Content], place: str | None
) -> None:
    facts = facts_of(files)

    at = LINTERS[linter](facts, facts.project.apps[0], rule)

    assert (None if at is None else str(at)) == place
