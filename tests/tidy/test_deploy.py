"""What is deployed says what exists: commands, options, settings, extras, folders; it is checked by
systemd's own reader where there is one. No engine that builds images runs here."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from configparser import ConfigParser
from pathlib import Path

import msgspec
import pytest
import typer

from stationmaster.cli.app import app
from stationmaster.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parents[2]
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
CONTAINERFILE = (ROOT / "deploy" / "Containerfile").read_text().replace("\\\n", " ")
SETTINGS = {PREFIX + field.name.upper() for field in msgspec.structs.fields(Settings)}


class Unit(ConfigParser):
    """A unit's sections; a repeated key keeps its last value."""

    def __init__(self, path: Path) -> None:
        super().__init__(strict=False, interpolation=None, delimiters=("=",))
        self.optionxform = str  # type: ignore[assignment,method-assign] # as configparser's page says
        self.read(path)


def parse(arguments: list[str]) -> None:
    """Raises for a command or an option that there is not."""
    command = typer.main.get_command(app)
    group = command.make_context("stationmaster", [*arguments], resilient_parsing=True)
    name, found, rest = command.resolve_command(group, [*arguments])  # type: ignore[attr-defined] # it is a group
    found.make_context(name, rest)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_starts_a_command_that_exists_with_settings_that_exist(unit: Path) -> None:
    service = Unit(unit)["Service"]
    program, *arguments = shlex.split(service["ExecStart"].replace("%i", "2"))

    assert Path(program).name == "stationmaster"
    parse(arguments)
    assert set(re.findall(r"STATIONMASTER_\w+(?==)", unit.read_text())) <= SETTINGS


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_waits_for_a_graceful_end(unit: Path) -> None:
    service = Unit(unit)["Service"]
    longest = Settings().shutdown_delay + 2 * Settings().shutdown_seconds

    assert int(service["TimeoutStopSec"]) > longest
    assert service["KillMode"] == "mixed"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_finds_no_fault_in_the_units() -> None:
    done = subprocess.run(
        ["systemd-analyze", "verify", *UNITS], capture_output=True, text=True, timeout=60
    )
    # The program is not installed where the units expect it.
    faults = [line for line in done.stderr.splitlines() if "is not executable" not in line]

    assert faults == []


def test_the_image_runs_a_command_that_exists_as_nobody_in_particular() -> None:
    [entry] = re.findall(r"^ENTRYPOINT (.*)$", CONTAINERFILE, re.MULTILINE)
    [command] = re.findall(r"^CMD (.*)$", CONTAINERFILE, re.MULTILINE)
    [user] = re.findall(r"^USER (.*)$", CONTAINERFILE, re.MULTILINE)

    assert json.loads(entry) == ["stationmaster"]
    parse(json.loads(command))
    assert int(user) > 0
    assert set(re.findall(r"STATIONMASTER_\w+(?==)", CONTAINERFILE)) <= SETTINGS


def test_the_image_is_made_of_what_is_here() -> None:
    sources = [
        source
        for line in re.findall(r"^COPY (?!--from)(.*)$", CONTAINERFILE, re.MULTILINE)
        for source in line.split()[:-1]
    ]
    [extras] = re.findall(r"'\.\[([\w,]+)\]'", CONTAINERFILE)
    offered = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert sources
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert set(extras.split(",")) <= set(offered["optional-dependencies"])
    assert (ROOT / offered["readme"]).name in sources
    # Whatever is told while an image is built stays in it.
    assert "ARG" not in re.findall(r"^\w+", CONTAINERFILE, re.MULTILINE)
