"""A page that was written, as it is stored and remembered."""

from __future__ import annotations

import msgspec


class Written(msgspec.Struct, frozen=True):
    """`body` begins with the page's title; citations are not yet addresses. `further` are the pages
    with what does not fit on this one."""

    key: str
    title: str
    description: str
    body: str
    further: tuple[Written, ...] = ()
    has_failed: bool = False

    def pages(self) -> tuple[Written, ...]:
        """This page and its further ones, as separate pages."""
        return (msgspec.structs.replace(self, further=()), *self.further)
