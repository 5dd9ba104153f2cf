"""The documentation cannot go stale: settings, commands, dependencies and links are compared."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest
import typer

from stationmaster.cli.app import app
from stationmaster.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DECISIONS = sorted(
    set((ROOT / "docs" / "decisions").glob("*.md")) - {ROOT / "docs" / "decisions" / "README.md"}
)


def test_every_setting_has_a_row_in_the_operations_guide() -> None:
    page = (ROOT / "docs" / "operate.md").read_text()

    missing = [
        name
        for field in msgspec.structs.fields(Settings)
        if f"`{(name := PREFIX + field.name.upper())}`" not in page
    ]

    assert missing == []


def test_every_command_is_in_the_command_reference() -> None:
    page = (ROOT / "docs" / "cli.md").read_text()
    commands = _commands(typer.main.get_command(app), "stationmaster")

    assert [command for command in commands if f"`{command}" not in page] == []


def _commands(command: object, name: str) -> list[str]:
    children = getattr(command, "commands", None)
    if not children:
        return [name]
    return [leaf for child, sub in children.items() for leaf in _commands(sub, f"{name} {child}")]


def test_every_dependency_has_its_reason_in_the_architecture() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text().partition("## Dependencies")[2]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [
        *project["project"]["dependencies"],
        *(d for extra in project["project"]["optional-dependencies"].values() for d in extra),
        *project["dependency-groups"]["dev"],
    ]
    names = [re.match(r"[A-Za-z0-9._-]+", line)[0] for line in wanted]  # type: ignore[index]  # every line begins with a name

    assert [name for name in names if name not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", page.read_text())

    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_every_decision_has_its_date_its_alternative_and_what_would_change_it(page: Path) -> None:
    for decision in page.read_text().split("\n## ")[1:]:
        title, _, text = decision.partition("\n")

        assert re.search(r"^Decided 20\d\d-\d\d-\d\d\.", text, re.MULTILINE), title
        assert "- **Alternative**: " in text, title
        assert "- **Would change our mind**: " in text, title


def test_the_list_of_decisions_counts_those_of_every_page() -> None:
    listed = dict(
        re.findall(
            r"\]\(([a-z-]+\.md)\): (\d+)$",
            (ROOT / "docs" / "decisions" / "README.md").read_text(),
            re.MULTILINE,
        )
    )

    assert listed == {page.name: str(page.read_text().count("\n## ")) for page in DECISIONS}


def test_every_source_that_a_docstring_names_is_in_the_repository() -> None:
    named = {
        (str(file.relative_to(ROOT)), page)
        for file in (ROOT / "src").rglob("*.py")
        for page in re.findall(r"Source: (docs/[\w/-]+\.md)", file.read_text())
    }

    assert named
    assert {(file, page) for file, page in named if not (ROOT / page).exists()} == set()


INSTALLED = [
    file
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "deploy/**/*",
        "src/**/*.py",
        "src/**/*.html",
        "examples/*",
    )
    for file in sorted(ROOT.glob(pattern))
    if file.is_file() and file.suffix != ".pyc"
]
BY_NAME = re.compile(
    r"(?:pip3?|pipx|uv|uvx)[^\n|;&`]*?\s(?:install|run|add)\s[^\n|;&`]*?(?<![\w./-])"
    r"stationmaster(?:\[[\w,]+\])?(?=['\"`\s]|$)(?!'?\"? @)"
)
"""A command that installs the package by its name, which anybody may register at an index."""


@pytest.mark.parametrize(
    ("line", "is_by_name"),
    [
        ("pip install stationmaster", True),
        ("pip install -q 'stationmaster[server,spark]'", True),
        ("uv tool install stationmaster", True),
        ('pipx install "stationmaster[server]"', True),
        ("pip install 'stationmaster[server] @ file:///tmp/stationmaster-0.1.0.whl'", False),
        ("pip install './stationmaster[server]'", False),
        ('uv tool install "$URL/install/stationmaster-0.1.0-py3-none-any.whl"', False),
        ("/opt/stationmaster/bin/pip install '.[server]'", False),
    ],
)
def test_installing_by_name_is_recognised(line: str, is_by_name: bool) -> None:
    assert (BY_NAME.search(line) is not None) == is_by_name


def test_nothing_tells_people_to_install_a_name_that_anybody_could_register() -> None:
    lines = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for file in INSTALLED
        for line in file.read_text(errors="replace").splitlines()
        if BY_NAME.search(line)
    ]

    assert lines == []
