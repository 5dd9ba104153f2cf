import pytest

from stationmaster.wiki.facts.code.ranks import by_importance, importance, page_rank, ranks
from tests.wiki.commits import facts_of


def test_who_is_pointed_at_ranks_above_who_points_and_all_ranks_make_one() -> None:
    found = page_rank([[(2, 1.0)], [(2, 1.0)], [(3, 1.0)], []])
    assert found[3] > found[2] > found[0] == found[1]
    assert sum(found) == pytest.approx(1, abs=1e-6)


def test_a_heavier_edge_hands_on_more() -> None:
    found = page_rank([[(1, 1.0), (2, 0.3)], [], []])
    assert found[1] > found[2]


def test_a_circle_shares_evenly_and_nothing_has_no_rank() -> None:
    assert page_rank([[(1, 1.0)], [(0, 1.0)]]) == [0.5, 0.5]
    assert page_rank([]) == []


def test_tests_do_not_vote() -> None:
    tests = {f"tests/test_{n}.py": "import shop.dull\n" for n in range(9)}
    facts = facts_of({
        "shop/__init__.py": "", "shop/core.py": "", "shop/dull.py": "",
        "shop/a.py": "import shop.core\n", "shop/b.py": "import shop.core\n", **tests,
    })  # fmt: skip
    assert ranks(facts)["shop/core.py"] > ranks(facts)["shop/dull.py"]
    assert by_importance(facts, ["shop/dull.py", "shop/core.py"]) == [
        "shop/core.py",
        "shop/dull.py",
    ]
    assert importance(facts, "shop/core.py") > importance(facts, "shop/b.py") > 0
    assert importance(facts, "tests/test_1.py") == 0
