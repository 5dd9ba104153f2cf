from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st

from stationmaster.wiki import tree
from stationmaster.wiki.model import Node, Page


def a_page(path: str, order: int = 0, is_index: bool = False) -> Page:
    return Page(f"id of {path}", path, path.title(), order, is_index, b"")


def drawn(nodes: list[Node]) -> list[Any]:
    return [[node.title, node.page_id is not None, drawn(node.children)] for node in nodes]


def test_folders_are_sections_and_an_index_is_the_page_of_its_section() -> None:
    pages = [a_page("a/b"), a_page("a", is_index=True), a_page("other-things/x"), a_page("z", -1)]

    assert drawn(tree.grow(pages)) == [
        ["Z", True, []],
        ["A", True, [["A/B", True, []]]],
        ["Other things", False, [["Other-Things/X", True, []]]],
    ]


def test_siblings_stand_by_order_then_by_path() -> None:
    pages = [a_page("c", 1), a_page("b", 2), a_page("a", 2)]

    assert [node.path for node in tree.grow(pages)] == ["c", "a", "b"]


def test_a_section_without_a_page_stands_where_its_first_page_does() -> None:
    pages = [a_page("b", 2), a_page("s/late", 9), a_page("s/early", 1)]

    found = tree.grow(pages)

    assert [(node.path, node.order, node.page_id) for node in found] == [
        ("s", 1, None),
        ("b", 2, "id of b"),
    ]


def test_pages_in_order_are_those_of_the_tree_from_top_to_bottom() -> None:
    pages = [a_page("b", 3), a_page("a/y", 2), a_page("a/x", 1), a_page("a", 2, is_index=True)]

    assert [page.path for page in tree.in_order(pages)] == ["a", "a/x", "a/y", "b"]


paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)


@given(st.dictionaries(paths, st.integers(0, 5)))
def test_numbering_pages_in_order_keeps_their_order(orders: dict[str, int]) -> None:
    pages = [a_page(path, order) for path, order in orders.items()]
    ordered = [page.path for page in tree.in_order(pages)]

    again = [a_page(path, place) for place, path in enumerate(ordered)]

    assert sorted(ordered) == sorted(orders)
    assert [page.path for page in tree.in_order(again)] == ordered
    assert drawn(tree.grow(again)) == drawn(tree.grow(pages))


def test_sections_without_a_page_are_called_by_their_folders() -> None:
    pages = [a_page("api/http", 0), a_page("how-to/set_up/now", 1)]

    assert [node.title for node in tree.grow(pages)] == ["API", "How to"]
