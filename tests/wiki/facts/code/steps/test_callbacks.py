"""Functions that are passed as values."""

from __future__ import annotations

from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of


def test_effects_of_redux_saga_run_the_function_that_they_are_given() -> None:
    saga = """\
import {{ call }} from '{}';
import {{ request }} from './request';

export function* create(list) {{
  const id = yield call(request, list);
  list.forEach(request);
  return id;
}}
"""
    facts = facts_of({
        "app/effects.js": saga.format("redux-saga/effects"),
        "app/others.js": saga.format("./call"),
        "app/request.js": "export function request(it) {\n  open(it);\n  return it;\n}\n",
    })  # fmt: skip

    def passed(path: str) -> list[bool]:
        return [step.is_passed for step in station_of(facts, Spot(path, "create")).steps]

    assert passed("app/effects.js") == [False]
    assert passed("app/others.js") == [True]
