"""The page of the figures of the source tree has those that are counted, and what has reached its
goal keeps it."""

from __future__ import annotations

import ast

import pytest

from tests.tidy.figures import PACKAGE, ROOT, SPEECH, assigned, figures

PAGE = ROOT / "docs" / "decisions" / "size.md"


@pytest.fixture(scope="module")
def counted() -> dict[str, str]:
    return figures()


def test_the_page_has_every_figure_that_is_counted(counted: dict[str, str]) -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")][1:]

    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == list(counted)


def test_rooms_are_few_and_not_crowded() -> None:
    rooms = list(PACKAGE.glob("*/__init__.py"))
    folders = [path for path in PACKAGE.rglob("*") if path.is_dir()]

    assert len(rooms) <= 26
    assert [path for path in folders if len(list(path.glob("*.py"))) > 20] == []


def test_public_functions_and_classes_say_what_they_are(counted: dict[str, str]) -> None:
    share = counted["Public functions and classes with a docstring"]

    assert int(share.removesuffix("%")) >= 90


def test_modules_import_at_their_top(counted: dict[str, str]) -> None:
    assert float(counted["Imports inside functions, for 1,000 lines"]) <= 0.5


def test_modules_import_few_others(counted: dict[str, str]) -> None:
    assert int(counted["Own modules that a module imports, 90th percentile"]) <= 8


def test_few_places_suppress_the_format(counted: dict[str, str]) -> None:
    assert int(counted["Suppressed formats (`fmt: skip`, `fmt: off`)"]) <= 200


def test_names_say_what_a_value_is(counted: dict[str, str]) -> None:
    share = counted["Assigned names such as `each` and `found`"]

    assert float(share.removesuffix("%")) <= 2.0


def test_no_name_is_a_word_of_speech() -> None:
    # Readers of code, and of its facts for the wiki, still have such names; the columns of coverage
    # are stored.
    facts = (
        "code",
        "configured",
        "extending",
        "guarding",
        "interfaces",
        "material",
        "parting",
        "subjects",
    )
    pages = ("architecture", "extension_points", "index", "interfaces/", "modules")
    left = (
        "reading",
        "lake/rollups/coverage.py",
        *(f"wiki/facts/{name}" for name in facts),
        *(f"wiki/pages/{name}" for name in pages),
    )
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}

    assert {
        name: vague
        for name, path in paths.items()
        if not name.startswith(left)
        and (vague := SPEECH & {*assigned(ast.parse(path.read_text()))})
    } == {}
