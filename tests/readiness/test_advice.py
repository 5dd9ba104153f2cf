from __future__ import annotations

from stationmaster.readiness import advice
from stationmaster.readiness.catalogue import CATALOGUE
from stationmaster.readiness.model import Evaluation


def a_report(**changed: Evaluation) -> dict[str, Evaluation]:
    """Everything of levels 1 and 2 passes but for what is changed."""
    passing = {n: Evaluation(1, 1, "yes") for n, each in CATALOGUE.items() if each.level <= 2}
    return {**passing, **changed}


def test_the_level_that_is_not_reached_comes_first_and_one_change_before_many() -> None:
    level_1 = ["lint_config", "readme", "formatter"]
    missing = {name: Evaluation(0, 2, "no") for name in level_1}

    found = advice.fixes(a_report(**missing, codeowners=Evaluation(0, 1, "no")))

    assert [each.criterion for each in found] == ["readme", "lint_config", "formatter"]
    assert all(each.level == 1 for each in found)


def test_where_most_is_missing_comes_before_where_some_is() -> None:
    missing = {
        "lint_config": Evaluation(3, 4, "some"),
        "formatter": Evaluation(0, 4, "none"),
        "type_check": Evaluation(1, 4, "most"),
    }

    found = advice.fixes(a_report(**missing))

    assert [each.criterion for each in found] == ["formatter", "type_check", "lint_config"]


def test_a_fix_that_alone_opens_a_level_says_so() -> None:
    missing = {name: Evaluation(0, 1, "no") for name in ("readme", "license")}

    found = advice.fixes(a_report(**missing))

    assert [(each.criterion, each.opens) for each in found] == [("readme", 3), ("license", 3)]


def test_what_was_not_judged_needs_no_fix() -> None:
    assert advice.fixes(a_report(readme=Evaluation(None, 1, "?", "not_evaluated"))) == []
