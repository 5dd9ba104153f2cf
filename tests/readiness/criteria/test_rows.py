"""Criteria as rows of data."""

from __future__ import annotations

import re

import msgspec
import pytest

from stationmaster.catalogue import tools
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.criteria import rows
from stationmaster.readiness.criteria.rows import CONDITIONS, Row
from stationmaster.readiness.evidence import signs

ROOMS = (
    "style", "build", "testing", "documentation", "environment", "observability", "security",
    "tasks", "product", "extras",
)  # fmt: skip
ROWS = {name: row for room in ROOMS for name, row in rows.rows(room).items()}
PURPOSES = {purpose for tool in tools.tools().values() for purpose in tool.uses}
SIGNS = {sign.name for kind in signs.signs().values() for sign in kind}


def test_every_row_is_a_criterion_and_steps_name_what_there_is() -> None:
    assert ROWS.keys() == CRITERIA.keys()
    for row in ROWS.values():
        assert row.only_with in ("", *CONDITIONS)
        for step in row.evidence:
            assert step.tools in ("", *PURPOSES)
            assert step.sign in ("", *SIGNS)
            assert step.says or step.tools
            re.compile(step.pattern)
            re.compile(step.objects)


def test_a_row_whose_fix_changes_what_that_of_another_does_names_one_with_files_of_its_own() -> (
    None
):
    for row in ROWS.values():
        if isinstance(row.change, str) and row.change in ROWS:
            assert not isinstance(ROWS[row.change].change, str)


def test_a_key_that_no_row_has_is_an_error() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"titel": "x"}, Row)


def test_a_function_without_a_row_is_an_error() -> None:
    with pytest.raises(ValueError, match="whistling"):
        rows.criteria("tasks", {}, {"whistling": lambda _: None})  # type: ignore[arg-type,return-value]
