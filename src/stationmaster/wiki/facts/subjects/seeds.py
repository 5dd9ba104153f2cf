"""Subjects that a page may explain: what the settings ask for, what the program is about by what it
does, what its documents are about, and the types that do most."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from stationmaster.catalogue.repositories.english import english
from stationmaster.catalogue.repositories.languages import languages
from stationmaster.reading.projects.documents import is_agent_file
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.names import users_of
from stationmaster.wiki.facts.code.ranks import BUCKETS, importance
from stationmaster.wiki.facts.code.symbols import is_sample, methods_of
from stationmaster.wiki.facts.code.vocabulary import Vocabulary, kind_of, stems_of
from stationmaster.wiki.facts.model import Facts, Spot
from stationmaster.wiki.facts.subjects.topics import naming, sections_on, topics, written
from stationmaster.wiki.facts.texts.guides import EXPLAINING_MAX, contents, explaining
from stationmaster.wiki.facts.texts.passages import Passage, is_about_code, passages

ASKED_MAX = 40
PASSAGES_MAX = 3
METHODS_MIN, LINES_MIN = 3, 30
"""Of a type that gets a page of its own."""
FEW_DOCUMENTS, SECTIONS_MIN = 6, 15
"""Beside fewer documents, or with so many sections, a README is the documentation."""
WORDS_MAX = 5
"""Of a title that names a subject."""
README = re.compile(r"(?i)(?:^|/)readme[^/]*$")
SIGNS = re.compile(r"[(){}\[\]=_:/?`\"“”…]|\w\.\w|--|\.\.|[a-z][A-Z]")
_DOING = re.compile(
    rf"(?i)(?:(?:{'|'.join(english().doing)})(?:,| and| or)? ){{1,3}}"
    r"(?:up |with )?(?:the |a |an |your |our )?(?:default |custom )?"
)
"""What a heading says that is done with its subject."""
_AROUND = re.compile(
    r"^(?:The|An?|Advanced|Basic) (?=\w)|(?<=\w) (?:APIs?|[Oo]verview|[Ss]upport|[Rr]eference)$"
)
_TYPE = re.compile(r"(?:[A-Z][a-z]{2,20}){2,4}")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Between the words of a heading that is the name of a type."""
_ASKING = re.compile(r"(?i)(?:what|why|when|how|where|who|let's)\b")
_WORD_SHARE_MAX = 0.45
_GENERIC = frozenset(stems_of(" ".join(english().generic)))
"""Stems that name no subject by themselves."""


class Seed(msgspec.Struct, frozen=True):
    """A title, the stems to look for, and sections that are about it. `bonus` is what its place
    among the documents counts beside its symbols; `place` is that among the sections that explain,
    then in the table of contents, None for what is in neither; `paths` are files named after it."""

    title: str
    stems: tuple[str, ...]
    passages: tuple[Passage, ...] = ()
    bonus: int = 0
    asked: str = ""
    place: int | None = None
    paths: tuple[str, ...] = ()

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
                -len({*rare} & {*stems_of(passage.title)}),
                passage.path,
                passage.line,
            ),
        )
        fitting = [passage for passage in ranked if {*rare} & {*stems_of(passage.title)}]
        yield Seed(page.title, tuple(rare), tuple(fitting[:PASSAGES_MAX]), asked=page.purpose)


def titled(words: str) -> str:
    """A heading without its number and without what is done, with a capital letter, in words:
    `Timeouts` of `Setting and disabling timeouts`, `Static Files` of `StaticFiles`."""
    bare = re.sub(r"^\s*(?:\d{1,3}(?:\.\d{1,3})*[.)]?|[-–—:])\s+", "", words).strip(" :.-")
    bare = _DOING.sub("", bare) or bare
    bare = " ".join(_HUMPS.split(bare)) if _TYPE.fullmatch(bare) else _AROUND.sub("", bare)
    return bare[:1].upper() + bare[1:]


def without_own_name(facts: Facts, title: str) -> str:
    """A heading without the repository's own name before it."""
    first, others = [*re.split(r"[ -]", title, maxsplit=1), ""][:2]
    return others if others and first.lower() == facts.commit.name.lower() else title


def documented(facts: Facts, vocabulary: Vocabulary) -> Iterator[Seed]:
    """Documents by their titles; chapters of those whose title is no subject, and of all where
    there are few."""
    own = frozenset(stems_of(facts.commit.name))
    places = contents(facts)
    by_path: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages(facts):
        by_path[passage.path].append(passage)
    for sections in by_path.values():
        title = sections[0].chapter or sections[0].parent or sections[0].title
        is_whole = _is_subject(title) and not README.search(sections[0].path)
        depth = sections[0].path.count("/")
        if is_whole:
            stems = _telling(title, vocabulary, own)
            if not own.issuperset(stems_of(title)):
                yield Seed(
                    titled(title),
                    tuple(stems),
                    tuple(_best(sections, vocabulary)),
                    10 + len(sections) - 4 * depth,
                    place=EXPLAINING_MAX + places[sections[0].path]
                    if sections[0].path in places
                    else None,
                )
        elif (
            len(by_path) < FEW_DOCUMENTS
            or len(sections) >= SECTIONS_MIN
            or not README.search(sections[0].path)
        ):
            for section in sections:
                stems = _telling(section.title, vocabulary, own)
                if stems and _is_subject(section.title):
                    yield Seed(titled(section.title), tuple(stems), (section,), -depth)


def explained(facts: Facts, documented: Iterable[Seed], vocabulary: Vocabulary) -> Iterator[Seed]:
    """Parts of the product by the headings of sections that tell how it works, each with the
    document on it."""
    own = frozenset(stems_of(facts.commit.name))
    by_stems = {seed.stems: seed.passages for seed in documented}
    for place, section in enumerate(explaining(facts)):
        bare = without_own_name(facts, section.title)
        stems = tuple(_telling(bare, vocabulary, own))
        if stems and _is_subject(bare) and not is_agent_file(section.path):
            sections = dict.fromkeys((section, *by_stems.get(stems, ())))
            yield Seed(titled(bare), stems, tuple(sections)[:PASSAGES_MAX], place=place)


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
    is_of_words = len(bare.split()) <= WORDS_MAX and not SIGNS.search(bare)
    is_of_words = is_of_words and not _ASKING.match(bare)
    # A page for those who use a language tells of their code, not of the repository's.
    return is_about_code(bare) and is_of_words and bare not in languages().libraries


def _telling(title: str, vocabulary: Vocabulary, own: frozenset[str]) -> list[str]:
    """The words of a title that names of the code have, too, and not everywhere."""
    return [
        stem
        for stem in stems_of(title)
        if stem not in own
        and stem not in _GENERIC
        and 0
        < vocabulary.files.get(vocabulary.known(stem), 0)
        <= max(4, _WORD_SHARE_MAX * vocabulary.size)
    ]


def central(facts: Facts, vocabulary: Vocabulary) -> list[tuple[Seed, Spot]]:
    """The types that do most, and on which most rests; in JavaScript also what makes objects."""
    ranked = []
    sections: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages(facts):
        for name in {passage.title, *passage.names}:
            sections[name].append(passage)
    places = {(it.name, folder_of(spot.path)) for spot, it, _ in vocabulary.symbols
              if not it.container and kind_of(it) == "type"}  # fmt: skip
    folders = Counter(name for name, _ in places)
    for spot, symbol, _ in vocabulary.symbols:
        if symbol.container or kind_of(symbol) not in ("type", "function"):
            continue
        if not symbol.is_public or folders[symbol.name] > 1 or is_sample(spot):
            continue  # What is named alike elsewhere is something else there.
        methods = methods_of(facts, spot.path, spot.name)
        lines = sum(symbol.end - symbol.line for _, symbol in methods)
        if len(methods) >= METHODS_MIN and lines >= LINES_MIN:
            users = users_of(facts, spot.path).get(spot.name, 0)
            score = math.log1p(lines) + 2 * math.log1p(users) + len(sections[symbol.name][:3])
            ranked.append(
                (-round(score * importance(facts, spot.path) / BUCKETS, 6), spot.name, spot.path)
            )
    return [
        (Seed(_in_words(facts, name), stems_of(name), tuple(sections[name][:1])), Spot(path, name))
        for _, name, path in sorted(ranked)
    ]


def of_topics(facts: Facts, documented: Iterable[Seed], vocabulary: Vocabulary) -> Iterator[Seed]:
    """What the program is about by what it does, each with the document on it, then sections
    that have its words; `bonus` is 0 for what is of its code alone."""
    by_title = {stems_of(seed.title): seed.passages for seed in documented}
    for title, stems, is_told in topics(facts, vocabulary):
        sections = dict.fromkeys((*by_title.get(stems, ()), *sections_on(facts, title)))
        yield Seed(title, stems, tuple(sections)[:PASSAGES_MAX], int(is_told))


def _in_words(facts: Facts, name: str) -> str:
    """The name of a type as words, without that of the product before it."""
    own = re.match(re.escape(facts.commit.name), name, re.IGNORECASE)
    words = naming(name[own.end() :] if own else name)
    # Letters that stand for words are no words: `OkLCh`, `RGBA`.
    is_of_letters = name.isupper() or any(len(word) == 1 for word in words)
    return name if is_of_letters else written(words) or name
