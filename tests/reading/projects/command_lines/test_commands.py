"""The command lines that a repository knows, where they stand, and what people call them."""

from __future__ import annotations

import pytest

from tests.reading.projects.conftest import Make
from tests.support.repositories import Content

WORKFLOW = """\
on: push
jobs:
  check:
    runs-on: x
    steps:
      - run: |
          # prepare
          cd web
          npm ci \\
            --silent
"""

CASES: dict[str, tuple[dict[str, Content], list[tuple[str, str, str, str, str]]]] = {
    "package.json": (
        {"a/package.json": '{\n"scripts": {\n"test": "vitest"}}'},
        [("test", "vitest", "script", "a", "a/package.json:3")],
    ),
    "Makefile": (
        {"Makefile": "X := 1\n.PHONY: test\ntest: deps\n\t@go test ./... \\\n\t  -v\n\t$(MAKE) x\n"
         "all: test\n"},
        [("test", "go test ./... -v", "task", ".", "Makefile:4"),
         ("test", "make x", "task", ".", "Makefile:6"),
         ("all", "", "task", ".", "Makefile:7")],
    ),
    "justfile": (
        {"justfile": "build target='x':\n    set -euxo pipefail\n    clear\n    cargo build\n"},
        [("build", "cargo build", "task", ".", "justfile:4")],
    ),
    "Taskfile": (
        {"Taskfile.yml": "tasks:\n  lint:\n    cmds:\n    - revive ./...\n    - cmd: vet\n"},
        [("lint", "revive ./...", "task", ".", "Taskfile.yml:4"),
         ("lint", "vet", "task", ".", "Taskfile.yml:5")],
    ),
    "tox": (
        {"tox.ini": "[testenv]\ncommands =\n    pytest\n[testenv:lint]\ncommands = ruff check\n"},
        [("test", "pytest", "task", ".", "tox.ini:3"),
         ("lint", "ruff check", "task", ".", "tox.ini:5")],
    ),
    "nox": (
        {"noxfile.py": "@nox.session\ndef tests(session):\n    session.run('pytest', '-q')\n"},
        [("tests", "", "task", ".", "noxfile.py:2"),
         ("tests", "pytest -q", "task", ".", "noxfile.py:3")],
    ),
    "tasks of pyproject.toml": (
        {"pyproject.toml": "[tool.poe.tasks]\ntest = 'pytest'\n[tool.hatch.envs.x.scripts]\n"
         "cov = ['a', 'b']\n"},
        [("test", "pytest", "task", ".", "pyproject.toml:2"),
         ("cov", "a", "task", ".", "pyproject.toml:4"),
         ("cov", "b", "task", ".", "pyproject.toml:4")],
    ),
    "a workflow": (
        {".github/workflows/a.yml": WORKFLOW, "web/x": ""},
        [("check", "cd web", "ci", "web", ".github/workflows/a.yml:8"),
         ("check", "npm ci --silent", "ci", "web", ".github/workflows/a.yml:9")],
    ),
    "pre-commit": (
        {".pre-commit-config.yaml": "repos:\n- hooks:\n  - id: ruff\n    args: [--fix]\n"},
        [("ruff", "ruff --fix", "hook", ".", ".pre-commit-config.yaml:3")],
    ),
    "husky": (
        {".husky/pre-commit": "#!/bin/sh\nnpx lint-staged\n", ".husky/_/husky.sh": "echo\n"},
        [("pre-commit", "npx lint-staged", "hook", ".", ".husky/pre-commit:2")],
    ),
    "lefthook": (
        {"lefthook.yml": "pre-commit:\n  commands:\n    a:\n      run: eslint\n  jobs:\n"
         "    - run: tsc\n"},
        [("pre-commit", "eslint", "hook", ".", "lefthook.yml:4"),
         ("pre-commit", "tsc", "hook", ".", "lefthook.yml:6")],
    ),
    "simple-git-hooks and lint-staged": (
        {"package.json": '{"simple-git-hooks": {"pre-commit": "x"},\n"lint-staged": {"*": ["y"]}}'},
        [("pre-commit", "x", "hook", ".", "package.json:1"),
         ("lint-staged", "y", "hook", ".", "package.json:2")],
    ),
    "a container": (
        {"Dockerfile": "FROM x\nRUN --mount=type=cache make\nCMD [\"./a\", \"-b\"]\n"},
        [("run", "make", "container", ".", "Dockerfile:2"),
         ("cmd", "./a -b", "container", ".", "Dockerfile:3")],
    ),
    "Markdown": (
        {"README.md": "Run `make test` or `Thing`.\n\n```console\n$ npm ci\nadded 3\n```\n"
         "```js\nnpm()\n```\n```\nsome output\ngo build ./...\n```\n"},
        [("npm", "npm ci", "document", ".", "README.md:4"),
         ("go", "go build ./...", "document", ".", "README.md:12"),
         ("make", "make test", "document", ".", "README.md:1")],
    ),
    "reStructuredText": (
        {"CONTRIBUTING.rst": ".. code-block:: sh\n\n   tox -e py\n\nThen::\n\n  $ make\n"},
        [("tox", "tox -e py", "document", ".", "CONTRIBUTING.rst:3"),
         ("make", "make", "document", ".", "CONTRIBUTING.rst:7")],
    ),
    "AsciiDoc": (
        {"README.adoc": "= T\n\n[source,bash]\n----\nmvn verify\n----\n"},
        [("mvn", "mvn verify", "document", ".", "README.adoc:5")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_command_is_known_with_its_name_its_folder_and_its_line(tree: Make, name: str) -> None:
    contents, expected = CASES[name]
    commands = tree(contents).project.commands
    assert [
        (command.name, command.text, command.source, command.folder, str(command.place))
        for command in commands
    ] == expected


def folders(tree: Make, text: str) -> dict[str, str]:
    """The folders of commands in a document of a package, by their programs."""
    made = tree({"web/package.json": "{}", "web/README.md": text})
    commands = made.project.commands
    return {each.name: each.folder for each in commands if each.source == "document"}


@pytest.mark.parametrize(
    "said",
    [
        "Run from the repo root:", "Run these *from the root of the repository*:",
        "In the project's root, type", "Go to the root directory and run",
    ],
)  # fmt: skip
def test_commands_of_a_document_run_in_the_root_where_it_says_so(tree: Make, said: str) -> None:
    text = f"```sh\nnpm ci\n```\n\n{said}\n\n```sh\nmake all\n```\n\n```sh\nyarn build\n```\n"
    assert folders(tree, text) == {"npm": "web", "make": ".", "yarn": "web"}


def test_what_a_command_prints_is_no_command(tree: Make) -> None:
    text = "```sh\nmake all\nTill(TM) Runtime (build 17)\ntill build\n```\n"
    assert [it.text for it in tree({"README.md": text}).project.commands] == [
        "make all", "till build",
    ]  # fmt: skip


def test_what_is_said_below_another_heading_or_of_something_else_says_no_folder(
    tree: Make,
) -> None:
    text = "In the repo root.\n\n# Next\n\n```sh\nmake all\n```\nThe root of a tree:\n\n`npm ci`\n"
    assert folders(tree, text) == {"make": "web", "npm": "web"}


def test_a_document_may_say_it_once_for_all_commands(tree: Make) -> None:
    text = "Run all the examples below from the root of the repo.\n\n# A\n\n```sh\nmake all\n```\n"
    assert folders(tree, text + "Or `npm ci`.\n") == {"make": ".", "npm": "."}


@pytest.mark.parametrize(
    ("said", "folder"),
    [
        ("1. Navigate to `cmd/shop`\n2. Type `go build -v`\n", "cmd/shop"),
        ("Type `go build -v` inside the `cmd/shop` directory.\n", "cmd/shop"),
        ("In the `cmd/shop`-folder:\n\n```sh\ngo build -v\n```\n", "cmd/shop"),
        ("```sh\n# cmd/shop/\n\ngo build -v\n```\n", "cmd/shop"),
        ("Type `go build -v` inside the `cmd/other` directory.\n", "."),
        ("1. Navigate to `cmd/shop`\n\n# Tests\n\n`go build -v`\n", "."),
    ],
)
def test_commands_of_a_document_run_in_the_folder_that_it_names(
    tree: Make, said: str, folder: str
) -> None:
    made = tree({"cmd/shop/main.go": "package main\n", "CONTRIBUTING.md": said})
    (command,) = made.project.commands
    assert command.folder == folder


def test_all_commands_of_a_section_run_in_the_folder_that_it_says_of_them_all(tree: Make) -> None:
    text = (
        "# Web\n\nAll commands are typed in the `web` directory.\n\n```sh\nnpm ci\n```\n"
        "\n```sh\nyarn build\n```\n\n# Rest\n\n```sh\nmake all\n```\n"
    )
    made = tree({"web/index.js": "", "CONTRIBUTING.md": text})
    assert {each.name: each.folder for each in made.project.commands} == {
        "npm": "web",
        "yarn": "web",
        "make": ".",
    }


def test_a_document_among_others_tells_of_the_whole_repository_and_a_readme_of_its_folder(
    tree: Make,
) -> None:
    documents = {
        "docs/requirements.txt": "sphinx\n",
        "docs/contributing.rst": "::\n\n   tox -e py\n",
        "docs/README.md": "`make html`\n",
    }
    made = tree(documents).project.commands
    assert {each.name: each.folder for each in made if each.source == "document"} == {
        "tox": ".",
        "make": "docs",
    }
