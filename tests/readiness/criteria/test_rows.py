"""Criteria as rows of data."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules

import msgspec
import pytest

from stationmaster.catalogue import tools
from stationmaster.readiness import criteria
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.criteria.steps import CONDITIONS
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.evidence import signs
from stationmaster.readiness.hosting import Hosting

PURPOSES = {purpose for tool in tools.tools().values() for purpose in tool.uses}
SIGNS = {name for kind in signs.signs().values() for name, _ in kind}


def test_steps_name_what_there_is() -> None:
    for row in CRITERIA.values():
        assert row.only_with in ("", *CONDITIONS)
        for step in row.evidence:
            assert step.tools in ("", *PURPOSES)
            assert step.sign in ("", *SIGNS)
            assert step.reason or step.tools or step.without or step.code
            assert step.dependency in ("", *PURPOSES)
            assert step.without in ("", *CONDITIONS)
            assert {step.hosting, step.unreported} <= {"", *Hosting.__struct_fields__}
            for pattern in (step.pattern, step.objects, step.but_not):
                re.compile(pattern)


def test_a_row_whose_fix_changes_what_that_of_another_does_names_one_with_files_of_its_own() -> (
    None
):
    for row in CRITERIA.values():
        if isinstance(row.change, str) and row.change in CRITERIA:
            assert not isinstance(CRITERIA[row.change].change, str)


def test_a_key_that_no_row_has_is_an_error() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"titel": "x"}, Criterion)


def test_every_function_that_judges_is_that_of_a_row_and_takes_what_its_scope_has() -> None:
    takes = {"application": ["Facts", "App"], "repository": ["Facts"]}
    for module in iter_modules(criteria.__path__):
        members = vars(import_module(f"{criteria.__name__}.{module.name}"))
        for name, function in members.items():
            kinds = getattr(function, "__annotations__", {})
            taken = [kind for argument, kind in kinds.items() if argument != "return"]
            is_judge = taken in takes.values() and kinds["return"].startswith("Verdict")
            if is_judge and not name.startswith("_"):
                assert taken == takes[CRITERIA[name].scope]
