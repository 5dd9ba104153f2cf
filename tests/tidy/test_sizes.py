"""Files stay under 400 lines, functions under 50: one subject each, on one screen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("src", "benchmarks", "examples")
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 50


def _sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from (p for p in (ROOT / folder).rglob("*.py") if "/." not in str(p))


def test_no_source_file_is_longer_than_400_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in _sources(*CODE, "tests")
        if (lines := len(path.read_text().splitlines())) > FILE_LINES_MAX
    }

    assert long == {}


def test_no_function_is_longer_than_50_lines() -> None:
    long = {
        f"{path.relative_to(ROOT)}:{node.name}": lines
        for path in _sources(*CODE)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > FUNCTION_LINES_MAX
    }

    assert long == {}


def test_every_room_says_what_it_knows() -> None:
    rooms = sorted((ROOT / "src" / "stationmaster").glob("**/__init__.py"))

    silent = [
        str(room.relative_to(ROOT))
        for room in rooms
        if not ast.get_docstring(ast.parse(room.read_text()))
    ]

    assert silent == []
