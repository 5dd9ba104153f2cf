"""Where boxes and arrows of a diagram stand."""

from __future__ import annotations

from itertools import pairwise

import pytest

from stationmaster.web.diagrams import layers


def test_boxes_stand_apart_and_within_the_drawing() -> None:
    ends = [(f"n{a}", f"n{b}") for a in range(12) for b in range(a + 1, 12, 3)]
    plan = layers.plan(
        {f"n{number}": (70 + 9 * number, 40 + 15 * (number % 4)) for number in range(12)}, ends
    )
    spots = list(plan.spots.values())

    for at, one in enumerate(spots):
        assert one.x - one.width / 2 >= 0
        assert one.x + one.width / 2 <= plan.width
        assert one.y - one.height / 2 >= 0
        assert one.y + one.height / 2 <= plan.height
        for other in spots[at + 1 :]:
            assert (
                abs(one.x - other.x) >= (one.width + other.width) / 2
                or abs(one.y - other.y) >= (one.height + other.height) / 2
            )


@pytest.mark.parametrize("arrows", [[("a", "a")], [("a", "b"), ("b", "a")],
                                    [("a", "b"), ("b", "c"), ("c", "a"), ("b", "b")]])  # fmt: skip
def test_circles_end(arrows: list[tuple[str, str]]) -> None:
    plan = layers.plan(dict.fromkeys("abc", (40, 40)), arrows)

    assert plan.ways.keys() == {arrow for arrow in arrows if arrow[0] != arrow[1]}


@pytest.mark.parametrize("is_wide", [True, False])
def test_an_arrow_over_a_layer_passes_between_its_boxes(is_wide: bool) -> None:
    size = (40.0, 300.0) if is_wide else (300.0, 40.0)
    sizes = {"a": (40.0, 40.0), "b": size, "c": (40.0, 40.0)}
    plan = layers.plan(sizes, [("a", "b"), ("b", "c"), ("a", "c")])
    spot = plan.spots["b"]

    for (x, y), (to_x, to_y) in pairwise(plan.ways["a", "c"]):
        is_beside = min(x, to_x) >= spot.x + spot.width / 2 or max(x, to_x) <= (
            spot.x - spot.width / 2
        )
        is_above = min(y, to_y) >= spot.y + spot.height / 2 or max(y, to_y) <= (
            spot.y - spot.height / 2
        )
        assert is_beside or is_above
