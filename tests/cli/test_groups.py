"""The program's help names every command in full, and loads none of them."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest
import typer

from stationmaster import cli
from stationmaster.cli.app import app
from stationmaster.cli.groups import SECTIONS, App, Commands
from stationmaster.cli.repositories import readiness_stored
from tests.support.commands import command

TREE: Any = typer.main.get_command(app)
GROUPS = [name for name, entry in TREE.commands.items() if hasattr(entry, "commands")]


def words(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def loaded_by(*arguments: str) -> list[str]:
    """The modules in a new process after one command of the program."""
    script = (
        "import sys; from stationmaster import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "print('\\n' + ' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize("arguments", ["--version", "--help", "unknown"])
def test_what_runs_no_command_loads_none_and_none_of_their_libraries(arguments: str) -> None:
    modules = loaded_by(arguments)

    ours = {name for name in modules if name.startswith("stationmaster.")}
    assert ours == {
        *("stationmaster.cli", "stationmaster.cli.app", "stationmaster.cli.exits"),
        *("stationmaster.cli.groups", "stationmaster.errors"),
    }
    assert not {"httpx", "msgspec", "rich", "fastapi", "sqlalchemy"} & set(modules)


def test_a_command_loads_no_other_command() -> None:
    modules = loaded_by("hooks", "--help")

    entries = {e.module for section in SECTIONS.values() for e in section.values()}
    assert {name for name in entries if f"stationmaster.cli.{name}" in modules} == {
        "telemetry.hooks"
    }


def test_every_group_of_every_module_is_in_the_table() -> None:
    groups = {
        id(value): f"{module.name}: {name}"
        for module in pkgutil.walk_packages(cli.__path__, f"{cli.__name__}.")
        for name, value in vars(import_module(module.name)).items()
        if isinstance(value, App)
    }
    entries = {name: e for section in SECTIONS.values() for name, e in section.items()}
    listed = [
        vars(import_module(f"stationmaster.cli.{entry.module}"))[name.replace("-", "_")]
        for name, entry in entries.items()
    ]
    within = [
        info.typer_instance
        for app in listed
        if isinstance(app, App)
        for info in app.registered_groups
    ]
    # Those of stored reports are commands of the group `readiness`.
    groups.pop(id(readiness_stored.commands))

    reached = {id(app) for app in (*listed, *within)}
    assert [place for group, place in groups.items() if group not in reached] == []


@pytest.mark.parametrize("name", Commands())
def test_the_line_of_the_table_begins_the_help_of_the_command(name: str) -> None:
    [entry] = [section[name] for section in SECTIONS.values() if name in section]

    assert words(TREE.commands[name].help.partition("\n\n")[0]) == entry.help


@pytest.mark.parametrize("columns", ["80", "100", "160"])
def test_the_help_names_every_command_in_full(columns: str) -> None:
    page = words(command("--help", env={"COLUMNS": columns}).stdout.decode())

    for title, entries in SECTIONS.items():
        assert f" {title}: " in page
        assert [name for name, entry in entries.items() if f"{name} {entry.help}" not in page] == []


@pytest.mark.parametrize("name", GROUPS)
def test_the_help_of_a_group_names_its_commands_in_full(name: str) -> None:
    page = words(command(name, "--help", env={"COLUMNS": "80"}).stdout.decode())

    lines = [
        f"{child} {words(entry.help.partition(chr(10) * 2)[0])}"
        for child, entry in TREE.commands[name].commands.items()
    ]
    assert [line for line in lines if line not in page] == []


def test_a_mistyped_command_gets_a_suggestion() -> None:
    done = command("coverag")

    assert done.code == 2
    assert "Did you mean 'coverage'?" in done.stderr
