"""Declarations that several packages belong together, and the folders of their members."""

from __future__ import annotations

import pytest

from tests.reading.projects.conftest import Make
from tests.support.repositories import Content


def packages(*folders: str) -> dict[str, Content]:
    """A package of npm in each of these folders."""
    return {f"{folder}/package.json": f'{{"name": "{folder}"}}' for folder in folders}


def modules(*folders: str) -> dict[str, Content]:
    """A module of Go in each of these folders."""
    return {f"{folder}/go.mod": f"module example.com/{folder}\n" for folder in folders}


PROJECT = '<Project Sdk="Microsoft.NET.Sdk"></Project>'
CASES: dict[str, tuple[dict[str, Content], list[tuple[str, str, tuple[str, ...]]]]] = {
    "npm": (
        {
            **packages("packages/a", "packages/b", "tools/c"),
            "package.json": '{"workspaces": ["packages/*", "!packages/b"]}',
        },
        [("npm", "package.json", ("packages/a",))],
    ),
    "npm in a table": (
        {**packages("packages/a"), "package.json": '{"workspaces": {"packages": ["packages/*"]}}'},
        [("npm", "package.json", ("packages/a",))],
    ),
    "pnpm": (
        {**packages("apps/a", "b"), "pnpm-workspace.yaml": "packages:\n  - apps/*\n  - b\n"},
        [("pnpm", "pnpm-workspace.yaml", ("apps/a", "b"))],
    ),
    "Lerna": (
        {**packages("modules/a"), "lerna.json": '{"packages": ["modules/*"]}'},
        [("lerna", "lerna.json", ("modules/a",))],
    ),
    "Rush": (
        {
            **packages("apps/a", "b"),
            "rush.json": '{/* all */ "projects": [{"projectFolder": "apps/a"}, {}]}',
        },
        [("rush", "rush.json", ("apps/a",))],
    ),
    "Nx": (
        {**packages("apps/a", "apps/b"), "nx.json": "{}", "apps/a/project.json": "{}"},
        [("nx", "nx.json", ("apps/a",))],
    ),
    "moon by patterns": (
        {**packages("apps/a", "b"), ".moon/workspace.yml": "projects: ['apps/*']\n"},
        [("moon", ".moon/workspace.yml", ("apps/a",))],
    ),
    "moon by names": (
        {
            **packages("apps/a", "b", "c"),
            ".moon/workspace.yml": "projects:\n  one: b\n  sources:\n    two: c\n",
        },
        [("moon", ".moon/workspace.yml", ("b", "c"))],
    ),
    "Melos": (
        {
            "melos.yaml": "name: a\npackages:\n  - packages/**\n",
            "packages/a/pubspec.yaml": "name: a\n",
        },
        [("melos", "melos.yaml", ("packages/a",))],
    ),
    "go.work": (
        {
            **modules("a", "b", "c"),
            "go.work": "go 1.24\n\nuse (\n\t./a // first\n\t./b\n)\nuse ./x\n",
        },
        [("go", "go.work", ("a", "b"))],
    ),
    "Cargo with a package at its root": (
        {
            "Cargo.toml": '[package]\nname = "r"\n[workspace]\nmembers = ["crates/*"]\n'
            'exclude = ["crates/b"]\n',
            "crates/a/Cargo.toml": '[package]\nname = "a"\n',
            "crates/b/Cargo.toml": '[package]\nname = "b"\n',
        },
        [("cargo", "Cargo.toml", (".", "crates/a"))],
    ),
    "uv": (
        {
            "pyproject.toml": '[tool.uv.workspace]\nmembers = ["libs/*"]\n',
            "libs/a/pyproject.toml": '[project]\nname = "a"\n',
        },
        [("uv", "pyproject.toml", ("libs/a",))],
    ),
    "Maven": (
        {
            "pom.xml": "<project><artifactId>p</artifactId><modules><module>a</module>"
            "<module>x</module></modules></project>",
            "a/pom.xml": "<project><artifactId>a</artifactId></project>",
        },
        [("maven", "pom.xml", ("a",))],
    ),
    "Gradle": (
        {
            "settings.gradle.kts": 'include(":app", ":libs:core")\n'
            'project(":app").projectDir = file("applications/app")\n'
        },
        [("gradle", "settings.gradle.kts", ("applications/app", "libs/core"))],
    ),
    "a solution": (
        {
            "a.sln": 'Project("{A}") = "a", "src\\a\\a.csproj", "{B}"\nEndProject\n',
            "src/a/a.csproj": PROJECT,
            "src/b/b.csproj": PROJECT,
        },
        [("solution", "a.sln", ("src/a",))],
    ),
    "a solution in XML": (
        {
            "a.slnx": '<Solution><Project Path="src/b/b.csproj" /></Solution>',
            "src/a/a.csproj": PROJECT,
            "src/b/b.csproj": PROJECT,
        },
        [("solution", "a.slnx", ("src/b",))],
    ),
    "an umbrella of Elixir": (
        {
            "mix.exs": 'defmodule U do\n  def project, do: [apps_path: "apps"]\nend\n',
            "apps/a/mix.exs": "defmodule A do\n  def project, do: [app: :a]\nend\n",
        },
        [("mix", "mix.exs", ("apps/a",))],
    ),
    "of no members": (
        {**packages("a"), "package.json": '{"workspaces": ["packages/*"]}'},
        [],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_workspace_has_the_folders_that_it_declares_and_that_are_there(
    tree: Make, name: str
) -> None:
    files, expected = CASES[name]

    workspaces = tree(files).project.workspaces

    assert [(one.tool, one.place.path, one.members) for one in workspaces] == expected
