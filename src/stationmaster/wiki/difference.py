"""What changed from one run of a wiki to another."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Literal, NamedTuple

from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.wiki import service, store
from stationmaster.wiki.model import Page

LINES_MAX = 2_000
"""Of one page's difference; and of pages whose lines are compared at all."""

Kind = Literal["added", "removed", "changed"]


class Change(NamedTuple):
    """A page that differs. `lines` is a unified difference without its head; of a page that is
    added or removed there is none. `is_cut` says that it goes on."""

    kind: Kind
    path: str
    title: str
    lines: tuple[str, ...] = ()
    is_cut: bool = False


class Difference(NamedTuple):
    """Pages by path; `same` is how many did not change."""

    changes: tuple[Change, ...]
    same: int


def between(db: Database, caller: Caller, before: str, after: str) -> Difference:
    """From one run to another one that the caller sees, of the same repository or not.

    Raises NotFound.
    """
    for each in (before, after):
        service.get(db, caller, each)
    with db.reading() as connection:
        old = {page.path: page for page in store.pages(connection, caller.org_id, before)}
        new = {page.path: page for page in store.pages(connection, caller.org_id, after)}

        def body(page: Page) -> list[str]:
            return store.body(connection, caller.org_id, page.digest).decode().splitlines()

        def changes() -> Iterator[Change]:
            for path in sorted(old.keys() | new.keys()):
                if path not in old:
                    yield Change("added", path, new[path].title)
                elif path not in new:
                    yield Change("removed", path, old[path].title)
                elif old[path].digest != new[path].digest:
                    yield _changed(new[path], body(old[path]), body(new[path]))

        found = tuple(changes())
    return Difference(found, len(old.keys() | new.keys()) - len(found))


def _changed(page: Page, before: list[str], after: list[str]) -> Change:
    if max(len(before), len(after)) > LINES_MAX:
        return Change("changed", page.path, page.title, is_cut=True)
    lines = list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
    return Change(
        "changed", page.path, page.title, tuple(lines[:LINES_MAX]), len(lines) > LINES_MAX
    )
