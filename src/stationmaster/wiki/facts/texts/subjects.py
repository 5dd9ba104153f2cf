"""Subjects that a page may explain: what the settings ask for, what the project's own documents are
about, the types that do most, and words that many names share."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

import msgspec

from stationmaster.catalogue.repositories.english import english
from stationmaster.catalogue.repositories.languages import languages
from stationmaster.wiki.facts.code.names import Spot, users_of
from stationmaster.wiki.facts.code.ranks import BUCKETS, importance
from stationmaster.wiki.facts.code.symbols import methods_of
from stationmaster.wiki.facts.code.vocabulary import Hit, Vocabulary, kind_of, stems_of
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.passages import Passage, is_about_code, passages
from stationmaster.wiki.searching.words import of_question

ASKED_MAX = 40
PASSAGES_MAX = 3
NAMES_MIN = 3
"""Names, of code or of READMEs of parts, that share the word of a subject."""
METHODS_MIN, LINES_MIN = 3, 30
"""Of a type that gets a page of its own."""
FEW_DOCUMENTS = 6
ENTRIES_MIN, ENTRY_MAX = 12, 6
"""A document of so many chapters of mostly so few lines is a list."""
ALIKE_MIN, ALIKE_SHARE = 4, 0.6
"""Sections below one heading whose titles begin alike, and the share of them that has a word."""
SAME_WORDS_MIN = 2
"""Words that a section and the code share beside those of the title."""
WORDS_MAX = 5
"""Of a title that names a subject."""
_README = re.compile(r"(?i)(?:^|/)readme[^/]*$")
_SIGNS = re.compile(r"[(){}\[\]=_:/?`\"“”…]|\w\.\w|--|\.\.|[a-z][A-Z]")
_ARTICLES = frozenset({"a", "an", "the"})
_JOINING = frozenset({"using", "with", "for", "by", "via", "in", "on", "to", "from", "of", "and"})
_WORD_SHARE_MAX = 0.45
_GENERIC = frozenset(stems_of(" ".join(english().generic)))
"""Stems that name no subject by themselves."""


class Seed(msgspec.Struct, frozen=True):
    """A title, the stems to look for, and sections that are about it. `bonus` is what its place
    among the documents counts beside its symbols."""

    title: str
    stems: tuple[str, ...]
    passages: tuple[Passage, ...] = ()
    bonus: int = 0
    asked: str = ""

    @property
    def names(self) -> list[str]:
        """Of the code, as its sections write them."""
        return [name for passage in self.passages for name in passage.names]


def asked(facts: Facts) -> Iterator[Seed]:
    """The pages that the repository's settings ask for."""
    for page in facts.steering.pages[:ASKED_MAX]:
        stems = stems_of(page.title) + stems_of(page.purpose)
        rare = [stem for stem in stems if stem not in _GENERIC]
        ranked = sorted(
            passages(facts),
            key=lambda passage: (
                -len({*rare} & {*stems_of(passage.title)}), passage.path, passage.line
            ),
        )  # fmt: skip
        fitting = [passage for passage in ranked if {*rare} & {*stems_of(passage.title)}]
        yield Seed(page.title, tuple(rare), tuple(fitting[:PASSAGES_MAX]), asked=page.purpose)


def titled(words: str) -> str:
    """A heading without its number, with a capital letter."""
    bare = re.sub(r"^\s*(?:\d{1,3}(?:\.\d{1,3})*[.)]?|[-–—:])\s+", "", words).strip(" :.-")
    return bare[:1].upper() + bare[1:]


def documented(facts: Facts, vocabulary: Vocabulary) -> Iterator[Seed]:
    """Documents by their titles; chapters of those whose title is no subject, and of all where
    there are few."""
    own = frozenset(stems_of(facts.commit.name))
    by_path: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages(facts):
        by_path[passage.path].append(passage)
    for sections in by_path.values():
        title = sections[0].chapter or sections[0].title
        is_whole = _is_subject(title) and not _README.search(sections[0].path)
        depth = sections[0].path.count("/")
        if is_whole:
            stems = _telling(title, vocabulary, own) or _rarest(title, vocabulary)
            if own.issuperset(stems_of(title)):
                continue
            yield Seed(titled(title), tuple(stems), tuple(_best(sections, vocabulary)),
                        10 + len(sections) - 4 * depth)  # fmt: skip
        elif len(by_path) < FEW_DOCUMENTS or not _README.search(sections[0].path):
            for chapter in _chapters(_without_entries(sections)):
                stems = (
                    _telling(chapter.title, vocabulary, own) if _is_subject(chapter.title) else []
                )
                if stems:
                    yield Seed(titled(chapter.title), tuple(stems), chapter.passages, -depth)
    yield from _of_kinds(by_path, vocabulary, own)


def _of_kinds(
    by_path: Mapping[str, Sequence[Passage]], vocabulary: Vocabulary, own: frozenset[str]
) -> Iterator[Seed]:
    """What parts of one kind have in common, such as the converters of a library: the word that the
    titles of several READMEs share."""
    beginnings: dict[str, list[Passage]] = defaultdict(list)
    words: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted(by_path, key=lambda path: (path.count("/"), path)):
        title = by_path[path][0].chapter or by_path[path][0].title
        if "/" in path and _README.search(path) and _is_subject(title):
            for word in title.split():
                for stem in _telling(word, vocabulary, own):
                    beginnings[stem].append(by_path[path][0])
                    words[stem][titled(word)] += 1
    for stem, some in sorted(beginnings.items()):
        if len(some) >= NAMES_MIN:
            yield Seed(words[stem].most_common(1)[0][0], (stem,), tuple(some), 10)


class _Chapter(NamedTuple):
    title: str
    passages: tuple[Passage, ...]


def _chapters(sections: Sequence[Passage]) -> Iterator[_Chapter]:
    """Sections of a document, of which those below one heading that are called alike, such as
    `Configuring Slack alerts` and `Configuring Teams alerts`, are one: the heading's where that has
    words of its own, else what their titles share."""
    alike: dict[tuple[str, str], list[Passage]] = defaultdict(list)
    for section in sections:
        if " " in section.title:
            alike[section.parent, section.title.split()[0].lower()].append(section)
    merged: dict[Passage, tuple[Passage, ...]] = {}
    for (parent, _), group in alike.items():
        if len(group) >= ALIKE_MIN:
            head = [section for section in sections if section.title == parent][:1]
            most = _frequent(group)
            parts = group if head else [section for section in group if most <= _words(section)]
            merged |= dict.fromkeys(parts, (*head, *parts))
    for section in sections:
        kin = next((kin for kin in merged.values() if kin[0] == section), ())
        if kin:
            title = (
                _shared(alike[section.parent, section.title.split()[0].lower()])
                if section in merged
                else section.title
            )
            yield _Chapter(title, kin[:PASSAGES_MAX])
        elif section not in merged:
            yield _Chapter(section.title, (section,))


def _frequent(group: Sequence[Passage]) -> set[str]:
    """The words that most titles of a group have."""
    counts = Counter(word for section in group for word in _words(section))
    return {word for word, count in counts.items() if count >= ALIKE_SHARE * len(group)}


def _shared(group: Sequence[Passage]) -> str:
    """These words as a title has them, with the article of the one that has them side by side."""
    most = _frequent(group)
    full = [section for section in group if most <= _words(section)] or group[:1]
    titles = [_kept(section.title.split(), most) for section in full]
    longest = max(titles, key=len)
    return " ".join(longest)


def _kept(words: Sequence[str], most: Set[str]) -> list[str]:
    return [
        word
        for word, following in zip(words, [*words[1:], ""], strict=True)
        if word in most or (word in _ARTICLES and following in most)
    ]


def _words(section: Passage) -> set[str]:
    return {*section.title.split()} - _ARTICLES - _JOINING


def _without_entries(sections: Sequence[Passage]) -> Sequence[Passage]:
    """Chapters of a document; of a glossary or a list of tags only those that explain."""
    long = [passage for passage in sections if passage.end - passage.line > ENTRY_MAX]
    return long if len(sections) >= ENTRIES_MIN and 2 * len(long) < len(sections) else sections


def _rarest(title: str, vocabulary: Vocabulary) -> list[str]:
    """Of a title of general words the one that fewest files have."""
    stems = [stem for term in of_question(title) for stem in stems_of(term.whole)]
    used = [vocabulary.known(stem) for stem in stems if vocabulary.known(stem) in vocabulary.files]
    return sorted(used, key=lambda stem: (vocabulary.files[stem], stem))[:1]


def _best(sections: Sequence[Passage], vocabulary: Vocabulary) -> list[Passage]:
    """Of a document the beginning, and the sections that name most of the code."""
    counts = {
        passage: sum(bool(vocabulary.meant(name)) for name in passage.names)
        for passage in sections[1:]
    }
    most = sorted(counts, key=lambda passage: (-counts[passage], passage.line))[: PASSAGES_MAX - 1]
    return [sections[0], *sorted(most, key=lambda passage: passage.line)]


def _is_subject(title: str) -> bool:
    bare = titled(title)
    is_of_words = len(bare.split()) <= WORDS_MAX and not _SIGNS.search(bare)
    # A page for those who use a language tells of their code, not of the repository's.
    return is_about_code(bare) and is_of_words and bare not in languages().libraries


def _telling(title: str, vocabulary: Vocabulary, own: frozenset[str]) -> list[str]:
    """The words of a title that names of the code have, too, and not everywhere."""
    return [
        stem for stem in stems_of(title)
        if stem not in own and stem not in _GENERIC
        and 0 < vocabulary.files.get(vocabulary.known(stem), 0)
        <= max(4, _WORD_SHARE_MAX * vocabulary.size)
    ]  # fmt: skip


def is_about(facts: Facts, vocabulary: Vocabulary, seed: Seed, hits: Sequence[Hit]) -> bool:
    """Whether code belongs to a subject, and does not only share one word of several with its
    title, as a class of tags does with `Docker tags`: a name has two of the words, or the sections
    name code or speak of what the code does in the words of its methods."""
    words = {vocabulary.known(stem) for stem in stems_of(seed.title) if stem not in _GENERIC}
    if len(words) < 2 or any(map(vocabulary.meant, seed.names)):
        return True
    names = [hit.symbol.name for hit in hits]
    by_place = [stems_of(f"{hit.spot.path.partition('.')[0]} {hit.spot.name}") for hit in hits]
    if any(len(words.intersection(map(vocabulary.known, stems))) > 1 for stems in by_place):
        return True
    for hit in hits:
        names += [symbol.name for _, symbol in methods_of(facts, hit.spot.path, hit.spot.name)]
    of_code = {stem for name in names for stem in stems_of(name)} - words - _GENERIC
    of_text: set[str] = set()
    for passage in seed.passages[:PASSAGES_MAX]:
        lines = facts.tree.text(passage.path).split("\n")[passage.line : passage.end]
        of_text.update(stem for line in lines for stem in stems_of(line))
    return len(of_code & of_text) >= SAME_WORDS_MIN


def central(facts: Facts, vocabulary: Vocabulary) -> list[tuple[Seed, Spot]]:
    """The types that do most, and on which most rests; in JavaScript also what makes objects."""
    ranked = []
    sections: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages(facts):
        for name in {passage.title, *passage.names}:
            sections[name].append(passage)
    for spot, symbol, _ in vocabulary.symbols:
        if symbol.container or kind_of(symbol) not in ("type", "function"):
            continue
        methods = methods_of(facts, spot.path, spot.name)
        lines = sum(symbol.end - symbol.line for _, symbol in methods)
        if len(methods) >= METHODS_MIN and lines >= LINES_MIN:
            users = users_of(facts, spot.path).get(spot.name, 0)
            score = math.log1p(lines) + 2 * math.log1p(users) + len(sections[symbol.name][:3])
            ranked.append((-round(score * importance(facts, spot.path) / BUCKETS, 6), spot.name,
                          spot.path))  # fmt: skip
    return [
        (Seed(name, stems_of(name), tuple(sections[name][:1])), Spot(path, name))
        for _, name, path in sorted(ranked)
    ]


def shared(facts: Facts, vocabulary: Vocabulary) -> Iterator[Seed]:
    """Words that names of files share with at least three types or functions."""
    own = frozenset(stems_of(facts.commit.name))
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for _, symbol, _ in vocabulary.symbols:
        for word in () if symbol.container else re.findall(r"[A-Z]?[a-z]{2,}", symbol.name):
            for stem in stems_of(word):
                forms[stem][word.lower()] += 1
    sections: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages(facts):
        for stem in stems_of(passage.title):
            sections[stem].append(passage)
    of_files = {stem for path in facts.code for stem in stems_of(path.rpartition(".")[0])}
    for stem in sorted(forms.keys() & of_files):
        words = forms[stem]
        if words.total() >= NAMES_MIN and _telling(stem, vocabulary, own):
            title = min(words, key=lambda word: (-words[word], len(word), word))
            yield Seed(titled(title), (stem,), tuple(sections[stem][:PASSAGES_MAX]))
