from __future__ import annotations

from stationmaster.readiness.difference import CriterionChange, between
from stationmaster.readiness.model import Content, Evaluation

NONE = Evaluation(None, 1, "not known", "not_evaluated")


def a_report(edition: int = 1, **report: Evaluation) -> Content:
    return Content(
        repo_url="https://git.example/acme/shop", apps={}, report=report, criteria_version=edition
    )


def test_changes_are_better_worse_or_of_another_kind() -> None:
    half, same, all_of_them = Evaluation(1, 2, "a"), Evaluation(2, 4, "b"), Evaluation(3, 3, "c")
    before = a_report(readme=half, license=all_of_them, lint_config=half, formatter=half)
    after = a_report(readme=all_of_them, license=half, lint_config=same, formatter=NONE, zeal=half)

    difference = between(before, after)

    assert difference.better == [CriterionChange("readme", half, all_of_them)]
    assert difference.worse == [CriterionChange("license", all_of_them, half)]
    assert difference.other == [
        CriterionChange("formatter", half, NONE),
        CriterionChange("zeal", None, half),
    ]
    assert not difference.other_criteria


def test_another_edition_of_the_criteria_is_not_taken_for_a_change_of_the_repository() -> None:
    difference = between(a_report(1), a_report(2, readme=Evaluation(1, 1, "x")))

    assert difference.other_criteria
    assert (difference.level_before, difference.level_after) == (1, 2)
