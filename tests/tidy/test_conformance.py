"""The conformance table names tests that exist, and every conformance test."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
PAGE = (ROOT / "docs" / "conformance.md").read_text()
NAMED = set(re.findall(r"`([\w/]+\.py::[\w:]+)`", PAGE))
ROW = re.compile(r"^\| (?!statement|---)(.+?) \| (.+?) \|$", re.M)


def _tests(file: Path) -> set[str]:
    """The tests of a file as `folder/file.py::name`, those of classes as `…::Class::name`."""
    own = f"{file.relative_to(TESTS)}::"
    found = set()
    for node in ast.parse(file.read_text()).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{own}{node.name}::" if isinstance(node, ast.ClassDef) else own
        found |= {
            prefix + test.name
            for test in inside
            if isinstance(test, ast.FunctionDef) and test.name.startswith("test_")
        }
    return found


def test_every_test_in_the_table_exists() -> None:
    files = {TESTS / name.partition("::")[0] for name in NAMED}
    existing = {test for file in files if file.exists() for test in _tests(file)}

    assert sorted(NAMED - existing) == []


def test_every_conformance_test_is_in_the_table() -> None:
    tests = {test for file in (TESTS / "conformance").glob("test_*.py") for test in _tests(file)}

    assert sorted(tests - NAMED) == []


def test_no_statement_is_in_a_chapter_twice() -> None:
    for chapter in PAGE.split("\n## ")[1:]:
        statements = [statement for statement, _ in ROW.findall(chapter)]
        assert len(statements) == len(set(statements)), chapter.splitlines()[0]
