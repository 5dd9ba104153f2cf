"""The table of tools."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from stationmaster.catalogue import tools
from stationmaster.catalogue.tools import Evidence
from stationmaster.readiness.evidence import rules

USES = [
    use for purpose in sorted({p for t in tools.tools().values() for p in t.uses})
    for use in tools.uses(purpose)
]  # fmt: skip


def test_every_use_has_evidence_and_every_list_in_a_row_is_one_of_different_texts() -> None:
    bare = Evidence()
    silent, doubled = [], []
    for use in USES:
        lists = {name: getattr(use, name) for name in Evidence.__struct_fields__}
        if all(lists[name] == getattr(bare, name) for name in lists if name != "languages"):
            silent.append(f"{use.tool} for {use.purpose}")
        doubled += [
            f"{use.tool} for {use.purpose}: {name}"
            for name, value in lists.items()
            if isinstance(value, tuple) and len(set(value)) < len(value)
        ]

    assert silent == []
    assert doubled == []


def test_names_are_of_one_tool_each_but_for_languages_that_call_theirs_the_same() -> None:
    names = Counter(tool.name for tool in tools.tools().values())
    shared = {name for name, count in names.items() if count > 1}

    assert shared <= {"Standard", "parallel tests", "retries"}


def test_names_of_readers_are_those_of_readers() -> None:
    assert {use.reader for use in USES if use.reader} == set(rules.READERS)
    assert {use.tool for use in USES if use.rules} == set(rules.LINTERS)


def test_patterns_of_lines_compile_and_actions_are_written_in_lower_case() -> None:
    for use in USES:
        for line in use.lines:
            assert line.files or line.gradle or line.keys
            re.compile(line.pattern)
        assert [name for name in use.actions if name != name.lower()] == []


def test_an_unknown_purpose_is_an_error() -> None:
    with pytest.raises(KeyError):
        tools.uses("whistling")


def test_what_a_use_does_not_say_itself_is_what_the_uses_of_its_tool_share() -> None:
    ruff = next(use for use in tools.uses("format") if use.tool == "ruff")

    assert ruff.name == "Ruff"
    assert ruff.languages == ("Python",)
    assert "ruff format" in ruff.commands
