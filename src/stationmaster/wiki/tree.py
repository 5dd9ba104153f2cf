"""The page tree of a run: sections are the folders of its paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stationmaster.wiki.model import Node, Page

_INITIALS = frozenset({"api", "cli", "ci", "http", "sdk", "ui"})


def grow(pages: Iterable[Page]) -> list[Node]:
    """The tree's first level; siblings by order, then by path.

    A section without a page of its own is placed where its first page is, under its folder's name.
    """
    nodes: dict[str, Node] = {}
    roots: list[Node] = []
    for page in sorted(pages, key=lambda page: (page.order, page.path)):
        node = _node(page.path, nodes, roots, page.order)
        node.page_id, node.title, node.order = page.page_id, page.title, page.order
    _sort(roots)
    return roots


def in_order(pages: Iterable[Page]) -> list[Page]:
    """The pages as a reader meets them from top to bottom."""
    by_id = {page.page_id: page for page in pages}
    return [by_id[page_id] for page_id in _page_ids(grow(by_id.values()))]


def _node(path: str, nodes: dict[str, Node], roots: list[Node], order: int) -> Node:
    """The node at a path, made with the sections above it where they are missing."""
    if (node := nodes.get(path)) is not None:
        return node
    above, _, name = path.rpartition("/")
    made = nodes[path] = Node(None, title_of(name), path, order, [])
    siblings = _node(above, nodes, roots, order).children if above else roots
    siblings.append(made)
    return made


def title_of(folder: str) -> str:
    """What a section without a page of its own is called."""
    words = folder.replace("-", " ").replace("_", " ").strip() or folder
    return words.upper() if words.lower() in _INITIALS else words[:1].upper() + words[1:]


def _sort(nodes: list[Node]) -> None:
    nodes.sort(key=lambda node: (node.order, node.path))
    for node in nodes:
        _sort(node.children)


def _page_ids(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        if node.page_id is not None:
            yield node.page_id
        yield from _page_ids(node.children)
