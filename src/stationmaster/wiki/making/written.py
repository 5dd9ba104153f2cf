"""A page that was written, as it is stored and remembered."""

from __future__ import annotations

import msgspec

from stationmaster.wiki.text.inline import Place


class Masked(msgspec.Struct, frozen=True):
    """A secret that was on a page: its kind, and what is cited next to it, if anything is."""

    kind: str
    beside: Place | None


class Written(msgspec.Struct, frozen=True):
    """`body` begins with the page's title; citations are not yet addresses. `further` are the pages
    with what does not fit on this one."""

    key: str
    title: str
    description: str
    body: str
    sources: tuple[str, ...]
    masked: tuple[Masked, ...] = ()
    further: tuple[Written, ...] = ()
    has_failed: bool = False

    def pages(self) -> tuple[Written, ...]:
        """This page and its further ones, as separate pages."""
        return (msgspec.structs.replace(self, further=()), *self.further)
