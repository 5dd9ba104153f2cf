"""Tasks that files of task runners name, and the lines on which they stand."""

from __future__ import annotations

import pytest

from tests.reading.projects.conftest import Make
from tests.support.repositories import Content

CASES: dict[str, tuple[dict[str, Content], list[tuple[str, str, str, str]]]] = {
    "composer.json": (
        {"composer.json": '{"scripts": {\n"test": ["@putenv A=1", "phpunit"],\n"lint": "phpcs"}}'},
        [
            ("test", "A=1 phpunit", ".", "composer.json:2"),
            ("lint", "phpcs", ".", "composer.json:3"),
        ],
    ),
    "deno.json": (
        {"deno.json": '{"tasks": {\n"dev": {"command": "deno run a.ts"}}}'},
        [("dev", "deno run a.ts", ".", "deno.json:2")],
    ),
    "a file of make that others include": (
        {"make/rules.mk": "lint:\n\tgolint ./...\n"},
        [("lint", "golint ./...", "make", "make/rules.mk:2")],
    ),
    "mise": (
        {"mise.toml": '[tasks]\nlint = "ruff check"\n[tasks.build]\nrun = ["a", "b"]\n'},
        [
            ("lint", "ruff check", ".", "mise.toml:2"),
            ("build", "a", ".", "mise.toml:3"),
            ("build", "b", ".", "mise.toml:3"),
        ],
    ),
    "aliases of Cargo": (
        {".cargo/config.toml": '[alias]\nxtask = "run -p xtask --"\nb = ["build", "--release"]\n'},
        [
            ("xtask", "cargo run -p xtask --", ".", ".cargo/config.toml:2"),
            ("b", "cargo build --release", ".", ".cargo/config.toml:3"),
        ],
    ),
    "a configuration that is not Cargo's": ({"app/config.toml": '[alias]\na = "b"\n'}, []),
    "Rake": (
        {
            "Rakefile": "# task :old\ntask :lint do\nend\n",
            "lib/tasks/db.rake": "task 'db:dump' do\n",
        },
        [
            ("lint", "rake lint", ".", "Rakefile:2"),
            ("db:dump", "rake db:dump", ".", "lib/tasks/db.rake:1"),
        ],
    ),
    "targets of Nx": (
        {
            "app/project.json": '{"targets": {\n"build": {"options": {"command": "vite build"}},\n'
            '"all": {"options": {"commands": ["a", "b"]}},\n"test": {}}}'
        },
        [
            ("build", "vite build", "app", "app/project.json:2"),
            ("all", "a && b", "app", "app/project.json:3"),
            ("test", "nx test", "app", "app/project.json:4"),
        ],
    ),
    "a Procfile": (
        {"Procfile": "web: gunicorn app\n# note: x\nworker: celery\n"},
        [("web", "gunicorn app", ".", "Procfile:1"), ("worker", "celery", ".", "Procfile:3")],
    ),
    "a dev container": (
        {
            ".devcontainer/devcontainer.json": '{\n"postCreateCommand": ["make", "setup"],\n'
            '"postStartCommand": {"a": "x", "b": "y"}}'
        },
        [
            ("postCreateCommand", "make setup", ".", ".devcontainer/devcontainer.json:2"),
            ("postStartCommand", "x", ".", ".devcontainer/devcontainer.json:3"),
            ("postStartCommand", "y", ".", ".devcontainer/devcontainer.json:3"),
        ],
    ),
    "a Taskfile that only needs others": (
        {"Taskfile.yml": "tasks:\n  all:\n    deps:\n      - lint\n      - task: test\n"},
        [("all", "task lint", ".", "Taskfile.yml:4"), ("all", "task test", ".", "Taskfile.yml:5")],
    ),
    "a Taskfile with blocks": (
        {"Taskfile.yml": "tasks:\n  a:\n    cmds:\n      - |\n        one\n        two\n"},
        [("a", "one", ".", "Taskfile.yml:5"), ("a", "two", ".", "Taskfile.yml:6")],
    ),
    "tox in a pyproject.toml": (
        {
            "pyproject.toml": "[tool.tox]\n[tool.tox.env_run_base]\ncommands = [\n"
            '["pytest", "-q"]]\n[tool.tox.env.lint]\ncommands = [["ruff", "check"]]\n'
        },
        [
            ("test", "pytest -q", ".", "pyproject.toml:4"),
            ("lint", "ruff check", ".", "pyproject.toml:6"),
        ],
    ),
    "tox in a file of its own": (
        {
            "tox.toml": '[env_run_base]\ncommands = [\n["pytest", "-q"]]\n'
            '[env.lint]\ncommands = [["ruff", "check"]]\n'
        },
        [("test", "pytest -q", ".", "tox.toml:3"), ("lint", "ruff check", ".", "tox.toml:5")],
    ),
    "a sequence of poe": (
        {"pyproject.toml": '[tool.poe.tasks]\nlint = "ruff check"\nall.sequence = ["lint"]\n'},
        [
            ("lint", "ruff check", ".", "pyproject.toml:2"),
            ("all", "poe lint", ".", "pyproject.toml:3"),
        ],
    ),
    "a script of poe with several lines": (
        {"pyproject.toml": '[tool.poe.tasks.build]\nshell = """\nmake man\nuv build\n"""\n'},
        [
            ("build", "make man", ".", "pyproject.toml:1"),
            ("build", "uv build", ".", "pyproject.toml:1"),
        ],
    ),
    "tox of old in a pyproject.toml": (
        {
            "pyproject.toml": '[tool.tox]\nlegacy_tox_ini = """\n[testenv:docs]\n'
            'commands =\n    - sphinx-build a\n"""\n'
        },
        [("docs", "sphinx-build a", ".", "pyproject.toml:5")],
    ),
    "tox in a setup.cfg": (
        {"setup.cfg": "[testenv]\ncommands = pytest\n"},
        [("test", "pytest", ".", "setup.cfg:2")],
    ),
    "a tox.ini that cannot be read": ({"tox.ini": "commands = x\n"}, []),
    "scripts of hatch": (
        {"pyproject.toml": '[tool.hatch.envs.lint.scripts]\nall = ["a", "b"]\n'},
        [("all", "a", ".", "pyproject.toml:2"), ("all", "b", ".", "pyproject.toml:2")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_task_has_a_command_for_every_line_that_it_runs(tree: Make, name: str) -> None:
    files, expected = CASES[name]

    commands = tree(files).project.commands

    assert [(one.name, one.text, one.folder, str(one.place)) for one in commands] == expected
