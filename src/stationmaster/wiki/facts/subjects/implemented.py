"""Subjects that files and folders of the product are named after, with documents on them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from functools import partial
from typing import NamedTuple

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.english import english
from stationmaster.reading.code.languages.inflections import singular
from stationmaster.wiki.facts.code.ranks import BUCKETS, importance
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.code.vocabulary import Vocabulary, stems_of, vocabulary
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.subjects.seeds import (
    PASSAGES_MAX,
    SIGNS,
    Seed,
    titled,
    without_own_name,
)
from stationmaster.wiki.facts.subjects.topics import Key, naming, written
from stationmaster.wiki.facts.texts.passages import Passage, is_about_code, passages

LINES_MIN, ALONE_MIN, FEW = 60, 120, 3
"""Of the files of a subject, and of one that no heading is about."""
WORDS_MAX, HEADING_WORDS_MAX = 2, 3
"""Of the name of a file or folder, and of a heading, that may be a title."""
SIBLINGS_MAX = 24
"""Files and folders of one folder beyond which they are all of one kind, which is the subject."""
SHARE_MAX = 0.45
"""Of the lines of the product what is no subject of it, but the product."""
_HEADING_WORTH, _TYPE_WORTH, _ALIKE_WORTH = 0.5, 0.3, 0.5
"""What it counts that headings and a type are called so, and that a file is one of many alike."""
_SIDE = lists.words("side-folder")
_NO_SUBJECT, _VERBS = lists.words("no-subject"), lists.words("file-verb")
_GENERIC = frozenset(stems_of(" ".join(english().generic)))
_AROUND = frozenset(stems_of(" ".join((*english().generic, *english().qualifying))))


class _Named(NamedTuple):
    """Files, with their lines, by the words of their names or of their folders'; `forms` are these
    as they are written, `folders` those that are named so."""

    paths: dict[str, int]
    forms: Counter[tuple[str, ...]]
    folders: set[str]

    @property
    def is_folder(self) -> bool:
        return bool(self.folders)


def implemented(facts: Facts, words: Vocabulary) -> list[Seed]:
    """The strongest first; `bonus` is 0 for what no heading is about."""
    lines = {
        path: facts.heads[path].lines
        for path in dict.fromkeys(spot.path for spot, _, _ in words.symbols)
        if _SIDE.isdisjoint(path.split("/")[:-1])
    }
    alike = members(facts)
    headings = _headings(facts)
    types = {stems_of(it.name) for _, it, _ in words.symbols if it.kind in TYPES}
    called: dict[str, set[str]] = defaultdict(set)
    for spot, symbol, _ in words.symbols:
        called[spot.path].update(stems_of(symbol.name))
    most = max(SHARE_MAX * sum(lines.values()), LINES_MIN)
    ranked: list[tuple[float, Key, Seed]] = []
    for key, named in _named(facts, lines).items():
        size = sum(named.paths.values())
        sections = headings.get(frozenset(key), ())
        has_type = key in types
        is_shared = named.is_folder or {*key} <= {it for path in named.paths for it in called[path]}
        is_told = bool(sections) or (is_shared and size >= ALONE_MIN)
        # A word such as `parser` may be any program's: others must call something so, too.
        if _GENERIC.issuperset(key):
            is_told &= bool(sections) or has_type or (named.is_folder and len(named.paths) >= FEW)
        if is_told and LINES_MIN <= size <= most:
            score = math.log1p(
                sum(
                    count * importance(facts, path) / BUCKETS for path, count in named.paths.items()
                )
            )
            score *= 1 + _HEADING_WORTH * math.log1p(len(sections)) + _TYPE_WORTH * has_type
            score *= _ALIKE_WORTH if key in alike else 1
            ranked.append((-round(score, 6), key, _seed(facts, key, named, sections)))
    return [seed for _, _, seed in sorted(ranked, key=lambda row: row[:2])]


@query
def members(facts: Facts) -> Set[Key]:
    """What files and folders are called that are of one kind with all beside them, as plugins."""
    beside: dict[str, set[str]] = defaultdict(set)
    for path in dict.fromkeys(spot.path for spot, _, _ in vocabulary(facts).symbols):
        steps = path.split("/")
        for at, step in enumerate(steps):
            beside["/".join(steps[:at])].add(step.partition(".")[0])
    return {
        stems_of(name) for names in beside.values() if len(names) > SIBLINGS_MAX for name in names
    }


def _seed(facts: Facts, key: Key, named: _Named, sections: tuple[Passage, ...]) -> Seed:
    forms = max(named.forms, key=lambda it: (named.forms[it], it))
    title = _title(facts, key, sections) or written(forms)
    paths = sorted(named.paths, key=lambda it: (-importance(facts, it), it))
    return Seed(title, key, sections[:PASSAGES_MAX], len(sections), paths=tuple(paths))


def _named(facts: Facts, lines: Mapping[str, int]) -> Mapping[Key, _Named]:
    """Files by the words that they or their folders are named after."""
    named: dict[Key, _Named] = defaultdict(lambda: _Named({}, Counter(), set()))
    own = "".join(stems_of(facts.commit.name))
    for path, count in lines.items():
        *folders, file = path.split("/")
        for name in dict.fromkeys((*folders, file.partition(".")[0])):
            forms = tuple(it for it in naming(name) if singular(it) not in _NO_SUBJECT)
            forms = forms[1:] if forms and forms[0] in _VERBS else forms
            key = tuple(stem for form in forms for stem in stems_of(form))
            if 0 < len(key) <= WORDS_MAX and "".join(key) != own:
                named[key].paths[path] = count
                named[key].forms[forms] += 1
                if name in folders:
                    named[key].folders.add(name)
    return named


def _headings(facts: Facts) -> Mapping[frozenset[str], tuple[Passage, ...]]:
    """Sections by the words of their headings, in the order of documents; also without those that
    say nothing by themselves, as `mode` of `Download mode`."""
    found: dict[frozenset[str], dict[Passage, None]] = defaultdict(dict)
    for passage in (it for it in passages(facts) if is_about_code(it.title)):
        stems = frozenset(stems_of(titled(without_own_name(facts, passage.title))))
        for key in {stems, stems - _AROUND, stems - _GENERIC}:
            found[key][passage] = None

    def order(key: frozenset[str], passage: Passage) -> tuple[int, int]:
        return len({*stems_of(passage.title)} - key), _depth(passage)

    return {key: tuple(sorted(some, key=partial(order, key))) for key, some in found.items() if key}


def _depth(passage: Passage) -> int:
    """0 for a document as a whole, 1 for its chapters."""
    return 0 if not passage.parent else 1 if passage.parent == passage.chapter else 2


def _title(facts: Facts, key: Key, sections: Iterable[Passage]) -> str:
    """The words of the first heading that is a chapter's, '' where none is short and plain."""
    for passage in sections:
        title = titled(without_own_name(facts, passage.title))
        is_of_it = len({*stems_of(title)} - {*key}) <= 1 and not SIGNS.search(title)
        if is_of_it and _depth(passage) < 2 and len(title.split()) <= HEADING_WORDS_MAX:
            return written(title.split())
    return ""
