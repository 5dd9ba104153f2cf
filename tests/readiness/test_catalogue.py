from __future__ import annotations

from collections import Counter

from stationmaster.readiness.catalogue import CORE, CRITERIA
from stationmaster.readiness.criteria.judging import JUDGES
from stationmaster.readiness.model import LEVELS, PILLARS
from tests.readiness.page import PAGE, page

RUN_ONLY = {"vcs_cli_tools", "devcontainer_runnable", "interactive_qa_runnable"}


def test_the_catalogue_has_the_criteria_of_the_reference() -> None:
    core = [entry for name, entry in CORE.items() if name not in RUN_ONLY]

    assert Counter(entry.level for entry in core) == {1: 8, 2: 29, 3: 27, 4: 22, 5: 4}
    assert Counter(entry.scope for entry in core) == {"repository": 50, "application": 40}
    assert set(CORE) > RUN_ONLY


def test_every_level_and_pillar_has_criteria_and_every_criterion_a_title() -> None:
    assert {entry.level for entry in CORE.values()} == set(LEVELS)
    assert {entry.pillar for entry in CORE.values()} == set(PILLARS)
    titles = [entry.title for entry in CORE.values()]
    assert len(set(titles)) == len(titles)


def test_every_criterion_says_what_it_looks_for_and_what_to_do() -> None:
    silent = [e.id for e in CRITERIA.values() if not (e.looks_for.strip() and e.remedy.strip())]

    assert silent == []


def test_every_criterion_is_judged_but_for_those_that_only_a_run_can_tell() -> None:
    not_judged = {name for name, criterion in CRITERIA.items() if not JUDGES.can_judge(criterion)}

    assert not_judged == RUN_ONLY


def test_the_page_of_all_criteria_is_the_catalogue() -> None:
    assert PAGE.read_text() == page(), "python -m tests.readiness.page writes it anew"
