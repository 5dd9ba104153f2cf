"""Lists of names by what they are for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import stationmaster
from stationmaster.catalogue import lists, table
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.evidence import signs

KINDS = {
    kind: table.read(kind, dict[str, tuple[str, ...]])
    for kind in ("packages", "files", "words", "phrases")
}
PATTERNS = table.read("patterns", dict[str, str])


def asked() -> set[tuple[str, ast.expr]]:
    """What the code asks of `lists`: a function by name, and a purpose."""
    return {
        (node.func.attr, argument)
        for path in Path(stationmaster.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) == "lists"
        for argument in node.args
    }


def test_every_list_is_asked_for_and_every_one_that_is_asked_for_is_there() -> None:
    there = {(kind, purpose) for kind, rows in KINDS.items() for purpose in rows}
    there |= {("pattern", purpose) for purpose in PATTERNS}
    named, ends = set(), set()
    for kind, purpose in asked():
        if isinstance(purpose, ast.Constant):
            named.add((kind, str(purpose.value)))
        elif isinstance(purpose, ast.JoinedStr) and isinstance(purpose.values[-1], ast.Constant):
            ends.add((kind, str(purpose.values[-1].value)))
    named |= {
        (kind, name)
        for kind, name in there
        if any(kind == of and name.endswith(end) for of, end in ends)
    }
    named |= {("words", name) for name in signs.GROUPS.values()}
    steps = [step for criterion in CRITERIA.values() for step in criterion.evidence]
    named |= {("files", step.files_of) for step in steps if step.files_of}
    named |= {("words", step.fences) for step in steps if step.fences}
    patterns = {(s.named, s.text_of, s.headings, s.command_text) for s in steps}
    named |= {("pattern", name) for names in patterns for name in names if name}

    assert named == there


def test_no_list_is_empty_or_has_a_name_twice() -> None:
    for kind, rows in KINDS.items():
        for purpose, names in rows.items():
            assert names, f"{kind}: {purpose}"
            assert len(set(names)) == len(names), f"{kind}: {purpose}"


def test_patterns_compile_and_a_break_of_a_line_is_no_part_of_them() -> None:
    for purpose, text in PATTERNS.items():
        assert "\n" not in lists.pattern(purpose).pattern
        assert lists.pattern(purpose).pattern in "".join(map(str.strip, text.splitlines()))


def test_packages_are_in_lower_case() -> None:
    assert [name for name in lists.packages("database", "mapper") if name != name.lower()] == []


def test_an_unknown_purpose_is_an_error() -> None:
    with pytest.raises(KeyError):
        lists.files("whistling")
