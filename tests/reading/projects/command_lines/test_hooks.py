"""Hooks of git by the files of their managers."""

from __future__ import annotations

import pytest

from tests.reading.projects.conftest import Make

CASES = {
    ".pre-commit-config.yaml": (
        "repos:\n- hooks:\n  - id: ruff\n    args: [--fix]\n  - {id: own, entry: make lint}\n",
        ["pre-commit pre-commit [ruff] ruff --fix", "pre-commit pre-commit [own] make lint"],
    ),
    "prek.toml": (
        '[[repos]]\nhooks = [{id = "ruff", args = ["--fix"]}]\n',
        ["prek pre-commit [ruff] ruff --fix"],
    ),
    ".husky/pre-push": ("#!/bin/sh\nset -e\nmake test\n", ["Husky pre-push [] make test"]),
    "lefthook.toml": (
        '[pre-commit.commands.lint]\nrun = "make lint"\n',
        ["Lefthook pre-commit [] make lint"],
    ),
    "lefthook.yml": (
        "pre-push:\n  jobs:\n  - group: {jobs: [{group: {jobs: [{run: make test}]}}]}\n",
        ["Lefthook pre-push [] make test"],
    ),
    "package.json": (
        '{"husky": {"hooks": {"pre-push": "npm test"}}}',
        ["Husky pre-push [] npm test"],
    ),
    ".lintstagedrc": ('{"*.py": ["ruff check"]}', ["lint-staged lint-staged [] ruff check"]),
    "lint-staged.config.mjs": (
        "export default { '*.ts': ['eslint --fix'] }\n",
        ["lint-staged lint-staged [] eslint --fix"],
    ),
}
CASES[".husky/pre-commit"] = (
    'if [ -z "$(which eslint)" ]; then\n  echo "Installing"\n  ./npmw install\nfi\n'
    "NAME=$(git branch)\ncase $NAME in\n  main) exit 1 ;;\nesac\n"
    "if ! make lint; then\n  exit 1\nfi\nmake if do test\n",
    [f"Husky pre-commit [] {it}" for it in ("./npmw install", "make lint", "make if do test")],
)


@pytest.mark.parametrize("path", CASES)
def test_a_hook_has_its_manager_its_event_and_what_runs(tree: Make, path: str) -> None:
    content, expected = CASES[path]
    assert [
        f"{hook.manager} {hook.event} [{hook.id}] {hook.command}"
        for hook in tree({path: content}).project.hooks
    ] == expected


def test_scripts_of_a_folder_are_run_where_a_command_names_it_to_git(tree: Make) -> None:
    contents = {"tools/hooks/pre-commit": "make lint\n", ".githooks/pre-commit": "make test\n"}
    setup = {"Makefile": "setup:\n\tgit config core.hooksPath tools/hooks\n"}

    assert [(h.manager, h.text) for h in tree(contents).project.hooks] == [("", "make test")]
    assert [(h.manager, h.text) for h in tree(contents | setup).project.hooks] == [
        ("", "make test"),
        ("git", "make lint"),
    ]
