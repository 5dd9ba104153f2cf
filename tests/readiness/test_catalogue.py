from __future__ import annotations

from collections import Counter

from stationmaster.readiness.catalogue import CATALOGUE
from stationmaster.readiness.model import LEVELS, PILLARS

RUN_ONLY = {"vcs_cli_tools", "devcontainer_runnable", "interactive_qa_runnable"}


def test_the_catalogue_has_the_criteria_of_the_reference() -> None:
    core = [entry for name, entry in CATALOGUE.items() if name not in RUN_ONLY]

    assert Counter(entry.level for entry in core) == {1: 8, 2: 29, 3: 27, 4: 22, 5: 4}
    assert Counter(entry.scope for entry in core) == {"repository": 50, "application": 40}
    assert set(CATALOGUE) > RUN_ONLY


def test_every_level_and_pillar_has_criteria_and_every_criterion_a_title() -> None:
    assert {entry.level for entry in CATALOGUE.values()} == set(LEVELS)
    assert {entry.pillar for entry in CATALOGUE.values()} == set(PILLARS)
    titles = [entry.title for entry in CATALOGUE.values()]
    assert len(set(titles)) == len(titles)
