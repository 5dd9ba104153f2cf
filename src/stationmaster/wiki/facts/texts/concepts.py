"""What there is to explain: the subjects of the project's own documents and the words that its
types share, each with the sections and symbols that belong to it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from stationmaster.wiki.facts.code.flows import Flow, walk
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.code.modules import module_of, slug
from stationmaster.wiki.facts.code.names import Spot
from stationmaster.wiki.facts.code.ranks import BUCKETS, importance
from stationmaster.wiki.facts.code.vocabulary import Hit, Vocabulary, kind_of, stems_of, vocabulary
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.passages import Passage, is_about_code, passages
from stationmaster.wiki.searching.words import of_question

FOLDER = "concepts"
CONCEPTS_MAX = 24
FEWEST, FILES_PER_CONCEPT = 6, 4
"""A repository has one concept for so many source files, and a few more."""
ASKED_MAX = 40
PASSAGES_MAX = 3
TYPES_MAX, FUNCTIONS_MAX = 4, 6
HITS_MIN = 2
FILES_MAX = 10
_SCORE_MIN = 1.2
"""Of the best symbol: less is a chance likeness of words."""
_NEAR = 0.4
"""Of the best score what another symbol must have."""
_SAME, _SAME_DOCUMENTED = 0.6, 0.8
"""Of its symbols what a concept may share with an earlier one."""
TOLD_BY = 5
"""Symbols by which two concepts are the same."""
_MODULES_MIN, _TYPES_MIN = 2, 3
FEW_DOCUMENTS = 6
WORDS_ENOUGH = 10
"""Documented concepts beside which words of the code need no pages."""
ENTRIES_MIN, ENTRY_MAX = 12, 6
"""A document of so many chapters of mostly so few lines is a list."""
WORDS_MAX = 5
"""Of a title that names a subject."""
_README = re.compile(r"(?i)(?:^|/)readme[^/]*$")
_SIGNS = re.compile(r"[(){}\[\]=_:/?`\"“”]|\w\.\w|--|[a-z][A-Z]")
_WORD_SHARE_MAX = 0.45
_STEPS_MIN = 3
_GENERIC = frozenset(
    stems_of(
        "abstract add advanced all and api app application arg args base basic build "
        "builder class code column command common completed component config configuration "
        "controller core create custom data default delete dependency detail dir domain dto "
        "entity error event exception execute extension extra factory file for from func "
        "function general get global handle handler helper how id impl index info init "
        "inner interface internal item kind lib line list main make manager method model "
        "module more name new not null number object option other own param parse parser path "
        "plain "
        "program project property provider query read ref remove repository request "
        "resource response result run service set shared simple source spec src standard "
        "start state stop stored string test that the this type update use using util "
        "utility value version view with work write your "
    )
)
"""Stems that name no subject by themselves."""


class Concept(msgspec.Struct, frozen=True):
    """`asked` is what the repository's settings say that the page is for, if they ask for it;
    symbols are the best first. `flow` are the certain calls of the one that calls most."""

    key: str
    title: str
    passages: tuple[Passage, ...]
    types: tuple[Spot, ...]
    functions: tuple[Spot, ...]
    flow: Flow | None
    files: tuple[str, ...]
    asked: str = ""


class _Seed(msgspec.Struct, frozen=True):
    """A title, the stems to look for, and sections that are about it. `bonus` is what its place
    among the documents counts beside its symbols."""

    title: str
    stems: tuple[str, ...]
    passages: tuple[Passage, ...] = ()
    bonus: int = 0
    asked: str = ""


@query
def concept_titles(facts: Facts) -> tuple[tuple[str, str], ...]:
    """Keys and titles of the concepts that have a page."""
    return tuple((each.key, each.title) for each in _concepts(facts).values())


@query
def concept(facts: Facts, key: str) -> Concept:
    return _concepts(facts)[key]


@query
def unanswered(facts: Facts) -> tuple[str, ...]:
    """Titles of pages that the settings ask for, and of which nothing is known."""
    titles = {title for _, title in concept_titles(facts)}
    return tuple(page.title for page in facts.steering.pages if page.title not in titles)


@query
def concepts_of(facts: Facts, path: str) -> tuple[str, ...]:
    """The keys of the concepts to which a file belongs."""
    return tuple(each.key for each in _concepts(facts).values() if path in each.files)


@query
def _concepts(facts: Facts) -> Mapping[str, Concept]:
    known = vocabulary(facts)
    concepts: dict[str, Concept] = {}
    for seed in _asked(facts):
        _add(facts, concepts, seed, known.find(seed.stems, _names(seed)))
    documented = _scored(_documented(facts, known), known)
    shared = _central(facts, _scored(_shared(facts, known, _MODULES_MIN), known))
    if len(documented) + len(shared) < FEWEST:
        shared = _central(facts, _scored(_shared(facts, known, 0), known))
    room = max(0, WORDS_ENOUGH - len(documented))
    most = min(CONCEPTS_MAX, FEWEST + known.size // FILES_PER_CONCEPT)
    taken: list[frozenset[Spot]] = []
    titles: set[tuple[str, ...]] = {
        tuple(sorted(stems_of(each.title))) for each in concepts.values()
    }
    for *_, seed, hits in sorted([*documented, *shared[:room]], key=lambda each: each[:2]):
        spots = frozenset(hit.spot for hit in hits[:TOLD_BY])
        stems = tuple(sorted(seed.stems))
        same = _SAME_DOCUMENTED if seed.passages else _SAME
        is_told = any(len(spots & other) > same * len(spots) for other in taken)
        if len(taken) >= most or stems in titles or is_told:
            continue
        titles.add(stems)
        taken.append(spots)
        _add(facts, concepts, seed, hits)
    return concepts


def _scored(
    seeds: Iterable[_Seed], known: Vocabulary
) -> list[tuple[float, str, _Seed, Sequence[Hit]]]:
    """Subjects to which enough of the code belongs, the strongest first."""
    found: list[tuple[float, str, _Seed, Sequence[Hit]]] = []
    for seed in seeds:
        hits = _near(known.find(seed.stems, _names(seed)))
        if len(hits) >= HITS_MIN and hits[0].score >= _SCORE_MIN:
            strength = sum(hit.score for hit in hits[:5])
            strength += min(seed.bonus, 20) + 2 * len(seed.passages)
            found.append((-round(strength, 6), seed.title, seed, hits))
    return sorted(found, key=lambda each: each[:2])


def _central(
    facts: Facts, scored: Sequence[tuple[float, str, _Seed, Sequence[Hit]]]
) -> list[tuple[float, str, _Seed, Sequence[Hit]]]:
    """Subjects of the code, those first whose files matter most to others."""
    weighed = []
    for strength, title, seed, hits in scored:
        best = [importance(facts, hit.spot.path) for hit in hits[:5]]
        weighed.append((round(strength * sum(best) / (BUCKETS * len(best)), 6), title, seed, hits))
    return sorted(weighed, key=lambda each: each[:2])


def _add(facts: Facts, found: dict[str, Concept], seed: _Seed, hits: Sequence[Hit]) -> None:
    key = f"{FOLDER}/{slug(seed.title)}"
    if key in found or not (hits or seed.passages):
        return
    types = [hit.spot for hit in hits if kind_of(hit.symbol) == "type"][:TYPES_MAX]
    others = [hit for hit in hits if kind_of(hit.symbol) != "type"]
    inside = {f"{each.path}:{each.name}" for each in types}
    apart = [
        each.spot for each in others
        if f"{each.spot.path}:{each.spot.name.rpartition('.')[0]}" not in inside
    ]  # fmt: skip
    files = dict.fromkeys(each.path for each in (*types, *apart))
    found[key] = Concept(
        key, seed.title, seed.passages[:PASSAGES_MAX], tuple(types), tuple(apart[:FUNCTIONS_MAX]),
        _flow(facts, [other.spot for other in others]), tuple(files)[:FILES_MAX], seed.asked,
    )  # fmt: skip


def _flow(facts: Facts, spots: Iterable[Spot]) -> Flow | None:
    """The longest of those that begin at the first functions of a concept."""
    walked = [walk(facts, spot.name, spot, 0) for spot in list(spots)[: 2 * FUNCTIONS_MAX]]
    best = max(walked, key=lambda each: len(each.steps), default=None)
    return best if best is not None and len(best.steps) >= _STEPS_MIN else None


def _near(hits: Sequence[Hit]) -> list[Hit]:
    """Those that come near the best."""
    return [hit for hit in hits if hit.score >= _NEAR * hits[0].score][:60]


def _names(seed: _Seed) -> list[str]:
    return [name for passage in seed.passages for name in passage.names]


def _documented(facts: Facts, known: Vocabulary) -> Iterator[_Seed]:
    """Documents by their titles; chapters of those whose title is no subject, and of all where
    there are few."""
    own = frozenset(stems_of(facts.commit.name))
    by_path: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages(facts):
        by_path[passage.path].append(passage)
    for found in by_path.values():
        title = found[0].chapter or found[0].title
        is_whole = _is_subject(title) and not _README.search(found[0].path)
        depth = found[0].path.count("/")
        if is_whole:
            stems = _telling(title, known, own) or _rarest(title, known)
            if own.issuperset(stems_of(title)):
                continue
            yield _Seed(_titled(title), tuple(stems), tuple(_best(found, known)),
                        10 + len(found) - 4 * depth)  # fmt: skip
        elif len(by_path) < FEW_DOCUMENTS or not _README.search(found[0].path):
            for each in _without_entries(found):
                stems = _telling(each.title, known, own) if _is_subject(each.title) else []
                if stems:
                    yield _Seed(_titled(each.title), tuple(stems), (each,), -depth)


def _without_entries(found: Sequence[Passage]) -> Sequence[Passage]:
    """Chapters of a document; of a glossary or a list of tags only those that explain."""
    long = [each for each in found if each.end - each.line > ENTRY_MAX]
    return long if len(found) >= ENTRIES_MIN and 2 * len(long) < len(found) else found


def _rarest(title: str, known: Vocabulary) -> list[str]:
    """Of a title of general words the one that fewest files have."""
    stems = [stem for term in of_question(title) for stem in stems_of(term.whole)]
    used = [known.known(stem) for stem in stems if known.known(stem) in known.files]
    return sorted(used, key=lambda stem: (known.files[stem], stem))[:1]


def _best(found: Sequence[Passage], known: Vocabulary) -> list[Passage]:
    """Of a document the beginning, and the sections that name most of the code."""
    counts = {each: sum(bool(known.meant(name)) for name in each.names) for each in found[1:]}
    most = sorted(counts, key=lambda each: (-counts[each], each.line))[: PASSAGES_MAX - 1]
    return [found[0], *sorted(most, key=lambda each: each.line)]


def _is_subject(title: str) -> bool:
    bare = _titled(title)
    return is_about_code(bare) and len(bare.split()) <= WORDS_MAX and not _SIGNS.search(bare)


def _telling(title: str, known: Vocabulary, own: frozenset[str]) -> list[str]:
    """The words of a title that names of the code have, too, and not everywhere."""
    return [
        stem for stem in stems_of(title)
        if stem not in own and stem not in _GENERIC
        and 0 < known.files.get(known.known(stem), 0) <= max(4, _WORD_SHARE_MAX * known.size)
    ]  # fmt: skip


def _shared(facts: Facts, known: Vocabulary, modules_min: int) -> Iterator[_Seed]:
    """Words that name files as well as types, in several modules; in a small repository also those
    of functions in one."""
    own = frozenset(stems_of(facts.commit.name))
    paths: dict[str, set[str]] = defaultdict(set)
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    named = {stem for path in facts.code for stem in stems_of(path.rpartition(".")[0])}
    for spot, symbol, _ in known.symbols:
        if symbol.container or (modules_min > 1 and kind_of(symbol) != "type"):
            continue
        for word in re.findall(r"[A-Z]?[a-z]{2,}", symbol.name):
            for stem in stems_of(word):
                paths[stem].add(spot.path)
                forms[stem][word.lower()] += 1
    sections: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages(facts):
        for stem in stems_of(passage.title):
            sections[stem].append(passage)
    for stem in sorted(paths.keys() & named):
        modules = {module_of(facts, path) for path in paths[stem]} - {""}
        told = forms[stem]
        if (
            len(modules) < modules_min or told.total() < _TYPES_MIN
            or not _telling(stem, known, own)
        ):  # fmt: skip
            continue
        title = min(told, key=lambda word: (-told[word], len(word), word))
        yield _Seed(_titled(title), (stem,), tuple(sections[stem][:PASSAGES_MAX]))


def _asked(facts: Facts) -> Iterator[_Seed]:
    """The pages that the repository's settings ask for."""
    for page in facts.steering.pages[:ASKED_MAX]:
        stems = stems_of(page.title) + stems_of(page.purpose)
        rare = [stem for stem in stems if stem not in _GENERIC]
        ranked = sorted(passages(facts), key=lambda each: (-len({*rare} & {*stems_of(each.title)}),
                                                           each.path, each.line))  # fmt: skip
        fitting = [each for each in ranked if {*rare} & {*stems_of(each.title)}]
        yield _Seed(page.title, tuple(rare), tuple(fitting[:PASSAGES_MAX]), asked=page.purpose)


def _titled(words: str) -> str:
    """A heading without its number, with a capital letter."""
    bare = re.sub(r"^\s*(?:\d{1,3}(?:\.\d{1,3})*[.)]?|[-–—:])\s+", "", words).strip(" :.-")
    return bare[:1].upper() + bare[1:]


def imports_among(facts: Facts, paths: Sequence[str]) -> list[tuple[str, str]]:
    """Which of some files import which others of them. For questions."""
    return [
        (link.start, link.end) for path in paths
        for link in all_links(facts).out.get(path, ()) if link.end in paths
    ]  # fmt: skip
