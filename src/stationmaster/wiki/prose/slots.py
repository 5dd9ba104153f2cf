"""The places that a model may fill, by the kind of page that has them."""

from __future__ import annotations

from typing import NamedTuple

import msgspec


class Slot(msgspec.Struct, frozen=True):
    """A paragraph of a page: the sentences that stand there without a model."""

    name: str
    sentences: tuple[str, ...]


class Kind(NamedTuple):
    """`asks` is what a model is told to write, in at most `most` sentences."""

    name: str
    asks: str
    most: int = 3


SUMMARY = "summary"
"""The paragraph below a page's title; what it is called depends on the page."""
_SUMMARIES: tuple[tuple[str, Kind], ...] = (
    ("concepts/", Kind("concept", "what the concept is and how the code brings it about", 4)),
    ("modules/", Kind("module-purpose", "what the module is for and what it offers to others")),
    ("architecture", Kind("architecture-overview", "what the parts are and how they work together",
                          6)),
    ("index", Kind("overview", "what the repository is, and what it is made of", 4)),
)  # fmt: skip
_PAGE = Kind("page-summary", "what a reader learns from the page")
_NAMED = {kind.name: kind for _, kind in _SUMMARIES}
LAST = ("architecture", "index")
"""Pages about the whole, written from what was accepted about its parts."""


def kind_of(key: str, slot: str) -> Kind:
    """What a slot of a page asks for."""
    if slot != SUMMARY:
        return _NAMED.get(slot, _PAGE)
    return next((kind for start, kind in _SUMMARIES if key.startswith(start)), _PAGE)
