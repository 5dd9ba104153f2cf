"""Settings stand in files of strangers: whatever stands in them, a report is made."""

from __future__ import annotations

import pytest

from stationmaster.readiness.judging.evaluate import evaluate
from tests.support.trees import facts_of

TOML = (
    "repos = 7\n", "repos = [7]\n", "repos = [{hooks = 7}]\n", "repos = [{hooks = [7]}]\n",
    "pre-commit = 7\n", "[pre-commit]\ncommands = 7\n", "[pre-commit.commands]\na = 7\n",
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "content"),
    [(path, content) for path in ("prek.toml", "lefthook.toml") for content in TOML],
)
def test_a_value_of_another_kind_configures_no_hook(path: str, content: str) -> None:
    judgements = evaluate(facts_of({path: content, "a.py": "x = 1\n"}))

    assert judgements["pre_commit_hooks"].evaluation.state == "fail"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("renovate.json", '{"extends": 7}'),
        ("ruff.toml", "extend-select = 7\nignore = 7\n[lint]\nextend-ignore = 7\n"),
        ("Cargo.toml", "package = 7\n"),
        ("Cargo.toml", "[package]\nmetadata = 7\n"),
        ("pyproject.toml", "[tool.tox.env_run_base]\ncommands = 7\n"),
    ],
)
def test_a_setting_of_another_kind_makes_no_report_fail(path: str, content: str) -> None:
    assert (
        evaluate(facts_of({path: content, "a.py": "x = 1\n"}))["license"].evaluation.state == "fail"
    )
