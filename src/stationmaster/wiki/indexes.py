"""Index pages of sections that have no page of their own.

They are a function of the page tree and never stored, so every run has them, whenever and by
whatever it was made. An export has only the pages that were written, and has the same indexes when
it is uploaded.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable
from urllib.parse import quote

from stationmaster import ids
from stationmaster.wiki.model import Node, Page
from stationmaster.wiki.text.inline import counted, text


def identify(nodes: Iterable[Node]) -> None:
    """Give every section without a page the id of its index."""
    for node in nodes:
        if node.page_id is None:
            node.page_id = ids.page_of_path(node.path)
        identify(node.children)


def page(nodes: Iterable[Node], page_id: str) -> tuple[Page, str] | None:
    """The index of a section of a stored tree and its Markdown; None where no section has the id.

    Its links are paths from the wiki's root, which mean the same wherever the page is shown.
    """
    for node in nodes:
        if node.page_id is None and ids.page_of_path(node.path) == page_id:
            made = Page(page_id, node.path, node.title, node.order, is_index=True, digest=b"")
            lines = "".join(map(_line, node.children))
            return made, f"# {text(node.title)}\n\n{lines}"
        below = page(node.children, page_id)
        if below is not None:
            return below
    return None


def paths(pages: Collection[str]) -> set[str]:
    """The paths of the sections that get an index, from the paths of all pages."""
    above: set[str] = set()
    for path in pages:
        while (path := posixpath.dirname(path)) and path not in above:
            above.add(path)
    return above.difference(pages)


def _line(node: Node) -> str:
    below = _count(node.children)
    more = f" ({counted(below, 'page')})" if below else ""
    return f"- [{text(node.title)}](/{quote(node.path)}){more}\n"


def _count(nodes: Iterable[Node]) -> int:
    """How many pages are in a part of the tree, indexes of sections among them."""
    return sum(1 + _count(node.children) for node in nodes)
