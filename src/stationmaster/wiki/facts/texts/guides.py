"""The documents that explain the product, in the order of their own tables of contents, and the
sections among them that explain how it works."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.documents import is_agent_file
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.modules import slug
from stationmaster.wiki.facts.code.vocabulary import vocabulary
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.documents import (
    behind_matter,
    chosen,
    documents_by_path,
    named_by,
    tells_what_is,
    title_of,
)
from stationmaster.wiki.facts.texts.passages import (
    Passage,
    is_on_others,
    own_sections,
    passages,
    sections_of,
)

_LIKE = expressions("guides")
FOLDER = "documents"
GUIDES_MAX = 100
LISTS_MAX = 40
"""Tables of contents that are read."""
LETTERS_MIN = 400
"""Of the sections of a document that has a page."""
SHORT_MIN = 12
"""Letters of a section that a page of its document has."""
EXPLAINING_MAX = 24
STEPS_MIN, NAMES_MIN = 3, 2
"""Numbered steps, and names of the code in them, of a section that explains how something works."""
_ENTRY = re.compile(r"[\w./-]{2,200}")
_WEIGHT = re.compile(
    r"^(?:weight|nav_order|sidebar_position|position|order|sort_rank)[ \t]*[:=][ \t]*(\d{1,6})"
    r"[ \t]*$",
    re.MULTILINE,
)
_WEIGHT_WITHIN = 2_000
"""Letters within which the fields at the beginning of a page are."""
STEP = re.compile(r"^ {0,3}(?:\d{1,2}[.)]|#\.)\s+\S", re.MULTILINE)
_OF_DOCUMENT, _OF_FOLDER, _OF_HEADING = 4, 2, 3
"""What counts the name of a document, its folder or a heading that is one of explanations."""


class Guide(msgspec.Struct, frozen=True):
    """A document with a page of its own, `key`; `aside` are sections on something else."""

    key: str
    path: str
    title: str
    sections: tuple[Passage, ...]
    aside: tuple[Passage, ...] = ()


@query
def guides(facts: Facts) -> tuple[Guide, ...]:
    """In the order of the documentation's tables of contents, then nearest to the root first."""
    by_path: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages(facts):
        if not _LIKE["aside"].search(passage.title):
            by_path[passage.path].append(passage)
    for passage in explaining(facts):
        if passage not in by_path[passage.path]:
            by_path[passage.path].append(passage)
    places, titles = _places(facts), {it.path: title_of(it) for it in chosen(facts)}
    explained = {
        path: sections
        for path, sections in by_path.items()
        if not _LIKE["aside"].search(titles[path])
        and sum(_letters(facts, it) for it in sections) >= LETTERS_MIN
    }
    paths = sorted(explained, key=lambda it: (places.get(it, len(places)), it.count("/"), it))
    by_key: dict[str, Guide] = {}
    for path in paths[:GUIDES_MAX]:
        key = f"{FOLDER}/{slug(path.rpartition('.')[0] or path)}"
        parts: tuple[list[Passage], list[Passage]] = [], []
        for it in sections_of(documents_by_path(facts)[path], is_short=True, least=SHORT_MIN):
            is_aside = _LIKE["aside"].search(it.title) is not None or is_on_others(it)
            parts[is_aside and it not in explained[path]].append(it)
        by_key.setdefault(key, Guide(key, path, titles[path], *map(tuple, parts)))
    return tuple(by_key.values())


@query
def guide(facts: Facts, key: str) -> Guide:
    return next(it for it in guides(facts) if it.key == key)


@query
def guide_of(facts: Facts, path: str) -> str:
    """The key of the page of a document, '' for one without."""
    return next((it.key for it in guides(facts) if it.path == path), "")


@query
def contents(facts: Facts) -> Mapping[str, int]:
    """The places of documents in the tables of contents of the documentation, by their paths."""
    return _places(facts)


@query
def explaining(facts: Facts) -> tuple[Passage, ...]:
    """Sections that explain how the product works, by the names of their documents, by their
    headings or by their steps, which name code; the clearest first, in the order of a document."""
    ranked: dict[str, list[tuple[int, Passage]]] = defaultdict(list)
    for document in chosen(facts):
        path = document.path
        if _LIKE["left_out"].search(path) or not tells_what_is(document):
            continue
        titles = (title_of(document), named_by(path))
        for passage in own_sections(facts, path):
            if score := _clearness(facts, titles, passage):
                ranked[path].append((score, passage))
    places = _places(facts)

    def order(path: str) -> tuple[int, int, int, str]:
        best = max(score for score, _ in ranked[path])
        return -best, places.get(path, len(places)), path.count("/"), path

    sections = [passage for path in sorted(ranked, key=order) for _, passage in ranked[path]]
    return tuple(sections[:EXPLAINING_MAX])


def _clearness(facts: Facts, titles: Sequence[str], passage: Passage) -> int:
    """How clearly a section of a document with these titles explains how something works; 0 for one
    that does not."""
    path = passage.path
    is_aside = any(map(_LIKE["aside"].search, (passage.title, *titles)))
    if is_aside or _LIKE["work"].search(passage.title):
        return 0
    folder, _, name = path.rpartition("/")
    is_agents = is_agent_file(path) or name.lower().startswith("readme")
    is_of_document = not is_agents and any(map(_LIKE["explaining"].search, titles))
    named = sum(bool(vocabulary(facts).meant(name)) for name in passage.names)
    # Far from the root a heading by itself may be about something else, such as a used service;
    # so may one that asks, as `How does a header work?`.
    is_near = folder.count("/") < 1 and not passage.title.endswith("?")
    least = NAMES_MIN if passage.title.endswith("?") else 1
    is_titled = _LIKE["explaining"].search(passage.title) and (named >= least or is_near)
    score = (_OF_HEADING if is_titled else 0) + (_OF_DOCUMENT if is_of_document else 0)
    # Instructions for agents on the code apply to everyone who changes it.
    score += named if is_agent_file(path) and named >= NAMES_MIN else 0
    score += _OF_FOLDER if score and _LIKE["explaining_folder"].search(folder) else 0
    text = "\n".join(lines_of(facts, path)[passage.line : passage.end])
    # Steps of a document for contributors are those of their work.
    is_on_work = any(map(_LIKE["work"].search, titles))
    if len(STEP.findall(text)) >= STEPS_MIN and (score or (named >= NAMES_MIN and not is_on_work)):
        score += 1 + min(named, 4)
    return score


def _letters(facts: Facts, passage: Passage) -> int:
    return sum(map(len, lines_of(facts, passage.path)[passage.line : passage.end]))


def _places(facts: Facts) -> Mapping[str, int]:
    """By the paths that lists of contents name, in their order."""
    by_name: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    for document in chosen(facts):
        steps = _steps(document.path.rpartition(".")[0] or document.path)
        if steps:
            by_name[steps[-1]].append((steps, document.path))
    lists = sorted(
        (it for it in facts.records if _LIKE["contents"].search(it)),
        key=lambda it: (it.count("/"), it),
    )
    places: dict[str, int] = {}
    for path in lists[:LISTS_MAX]:
        text = facts.tree.text(path)
        text = _of_trees(text) if path.endswith(".rst") else text
        for entry in _ENTRY.findall(text):
            if (target := _document(by_name, entry)) and target != path:
                places.setdefault(target, len(places))
    return places or _weighed(facts)


def _weighed(facts: Facts) -> Mapping[str, int]:
    """The places that pages of a site have by numbers before their text, folder by folder."""
    weighed = []
    for document in chosen(facts):
        text = document.text
        if match := _WEIGHT.search(text[: _WEIGHT_WITHIN if behind_matter(text) else 0]):
            weighed.append((document.path.rpartition("/")[0], int(match[1]), document.path))
    return {path: place for place, (*_, path) in enumerate(sorted(weighed))}


def _of_trees(text: str) -> str:
    """The entries in the tables of contents of a document of reStructuredText."""
    return "\n".join(match[0] for match in _LIKE["tree"].finditer(text))


def _document(by_name: Mapping[str, Sequence[tuple[tuple[str, ...], str]]], entry: str) -> str:
    """The one document that an entry names."""
    wanted = _steps(entry.removesuffix(".md").removesuffix(".mdx").removesuffix(".rst"))
    if not wanted or ("/" not in entry and "." not in entry and len(entry) < 4):
        return ""
    fitting = [path for steps, path in by_name.get(wanted[-1], ()) if _ends_with(steps, wanted)]
    return fitting[0] if len(fitting) == 1 else ""


def _ends_with(steps: Sequence[str], wanted: Sequence[str]) -> bool:
    count = min(len(steps), len(wanted))
    return tuple(steps[-count:]) == tuple(wanted[-count:])


def _steps(path: str) -> tuple[str, ...]:
    """The words of a path without the mark of a folder's own page."""
    steps = [
        it.lower().replace("_", "-").strip("-")
        for it in path.split("/")
        if it not in ("", ".", "..")
    ]
    if len(steps) > 1 and steps[-1] in ("index", "readme"):
        steps.pop()
    return tuple(steps)
