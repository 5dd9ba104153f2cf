"""What the project's own documents say of how it is extended."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.code import naming
from stationmaster.reading.projects.documents import Document
from stationmaster.reading.projects.paths import folder_of, is_below
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.subjects.documented import README
from stationmaster.wiki.facts.texts.documents import chosen, on_parts, tells_what_is, title_of
from stationmaster.wiki.facts.texts.passages import Passage, sections_of

GUIDES_MAX = 40
FIRST_MAX = 3
"""Sections of a document about extending that has none on how something is made."""
_LIKE = expressions("passages")
_PATH_PARTS = 2
"""The last of a path, which say what a document is about."""


class ExtensionGuide(msgspec.Struct, frozen=True):
    """A document. `begin` is what one about nothing else says first, `parts` are its sections on
    how something of a kind is made, or else those that follow.
    """

    title: str
    begin: Passage | None
    parts: tuple[Passage, ...]


@query
def extension_guides(facts: Facts) -> tuple[ExtensionGuide, ...]:
    """Those about extending with a section on how something is made first; then nearest to the root
    first."""
    ranked = [
        guide
        for document in chosen(facts)
        if not _LIKE["locale"].search(document.path)
        and tells_what_is(document)
        and _is_on_code(facts, document)
        for guide in _guide(document, is_on_part=document.path in on_parts(facts))
    ]
    ranked.sort(key=lambda guide: guide.begin is None or not any(map(_is_on_making, guide.parts)))
    return tuple(ranked[:GUIDES_MAX])


def _is_on_code(facts: Facts, document: Document) -> bool:
    """May a document be on the product's code? The README of a folder without any is on that."""
    folder = folder_of(document.path)
    is_apart = folder != "." and README.search(document.path) and folder not in naming.DOCUMENTS
    return not is_apart or any(
        is_below(path, folder) and facts.records[path].file_class == "source" for path in facts.code
    )


def _guide(document: Document, *, is_on_part: bool) -> Iterator[ExtensionGuide]:
    title = title_of(document)
    name = "/".join(document.path.rpartition(".")[0].split("/")[-_PATH_PARTS:])
    if any(map(_LIKE["not_extending"].search, (title, name))):
        return
    all_parts = list(sections_of(document))
    if all_parts and title == document.path.rpartition("/")[2]:
        title = all_parts[0].title
    is_titled = any(map(_LIKE["on_extending"].search, (title, name)))
    is_guide = bool(all_parts) and is_titled and not is_on_part
    begin = all_parts[0] if is_guide and not _is_on_making(all_parts[0]) else None
    parts = [part for part in all_parts if _is_on_making(part)]
    if is_guide and not parts:
        parts = all_parts[1 : 1 + FIRST_MAX]
    if begin or parts:
        yield ExtensionGuide(title, begin, tuple(parts))


def _is_on_making(part: Passage) -> bool:
    is_other = _LIKE["not_extending"].search(part.title) or _LIKE["others"].search(part.parent)
    return not is_other and _LIKE["extending"].search(part.title) is not None
