"""What a program is about, judged by what it does: words that the names of its routes, commands,
jobs, tables, settings, files and symbols share, and what belongs to such words."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.english import english
from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.code.languages.inflections import singular
from stationmaster.wiki.facts.code.vocabulary import (
    Vocabulary,
    kind_of,
    parts_of,
    stem_of,
    stems_of,
    vocabulary,
)
from stationmaster.wiki.facts.code.work import Typed, Work, commands, jobs
from stationmaster.wiki.facts.data.entities import Stored, stored
from stationmaster.wiki.facts.interfaces.routes import Endpoint, endpoints
from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.setting import Configured
from stationmaster.wiki.facts.texts.passages import Passage, is_about_code, passages, words_of
from stationmaster.wiki.searching import words

TOPICS_MAX = 40
_OFFERED = {"routes": 2.0, "jobs": 2.5, "tables": 2.5, "commands": 1.5, "settings": 1.0}
_TRIGGERED = {"features": 2.5, "actions": 1.5}
_WORTH = {**_OFFERED, **_TRIGGERED, "symbols": 1.0, "files": 1.5, "sections": 1.5}
"""What it counts that names of a kind have a word."""
_FEW = 3
"""Sections, or symbols, that make a word a subject where little else has it."""
_WEAK_SHARE = 0.4
_SECTIONS_MIN = 3
"""Sections of settings with a key of the same word, which then tells them apart no more."""
_PAIR_SHARE, _WORD_SHARE_MAX = 0.75, 0.45
"""Of the names with a word those where it stands beside the same other one, as in `shopping list`:
then both are one subject. And of all files those that may have a word of a subject."""
_APART_SHARE = 0.3
"""Of the names that have two words as one how many others have them apart."""
_VARIABLE = re.compile(r"[{<:*\[$(@][^/]*")
_DONE = re.compile(r"(?:ed|ing)$")
"""The end of a form that says what is done, and names a subject less well than others."""
_NO_IDEAS = lists.words("no-idea")
_SECTION = re.compile(r"\[([\w.-]{1,80})\] (\S{1,80})")
"""A key of a file with sections."""
_QUALIFYING = frozenset(stems_of(" ".join(english().qualifying)))
_VAGUE = frozenset(stems_of(" ".join(english().vague)))
_GENERIC = frozenset(stems_of(" ".join(english().generic)))
_NO_SUBJECT = _GENERIC | {*stems_of(" ".join(english().qualifying))}
_ACTION = frozenset(stems_of("action cmd command"))
"""How names of types end that do what a user asks for."""
_FEATURES = expressions("introductions")["features"]
_ITEM = re.compile(r"^[ \t]*[-*+] +(.{3,300})", re.MULTILINE)
_AS_WRITTEN = {it.lower(): it for it in (*english().acronyms, *english().products) if len(it) > 1}
Beginning = Endpoint | Work | Typed
Key = tuple[str, ...]
"""The stem of a word, or of two that stand side by side."""


class Belongings(msgspec.Struct, frozen=True):
    """What has the words of a subject in its name; of routes those first whose path begins so, and
    those last that a command serves for itself."""

    routes: tuple[Endpoint, ...] = ()
    jobs: tuple[Work, ...] = ()
    commands: tuple[Typed, ...] = ()
    tables: tuple[Stored, ...] = ()
    settings: tuple[Configured, ...] = ()

    @property
    def beginnings(self) -> tuple[Beginning, ...]:
        """What something is done for: requests, jobs and commands."""
        return (*self.routes, *self.jobs, *self.commands)


def is_named_so(name: str, title: str) -> bool:
    """Has a name the words of a title, in whichever number, and besides none that tell anything?"""
    forms, wanted = _singulars(name), _singulars(title)
    return wanted <= forms and _GENERIC.issuperset(stems_of(" ".join(forms - wanted)))


def is_done_so(name: str, title: str) -> bool:
    """Has the name of a function the words of a title, and besides none but what is done or how?"""
    stems, wanted = {*stems_of(name)}, {*stems_of(title)}
    return bool(wanted) and wanted <= stems and stems - wanted <= (_GENERIC | _QUALIFYING)


def has_words(name: str, title: str) -> bool:
    """Has a name all words of a title, in whichever number?"""
    return _singulars(title) <= _singulars(name)


def is_called_after(facts: Facts, name: str, title: str, *, is_stored: bool) -> bool:
    """Does the word of a title stand in a setting's name as a section above its key, and not just
    as the key, as that of users in `DB_USER`? The outermost section may be a framework's, such as
    `server`, and not what is stored."""
    if written_in := _SECTION.fullmatch(name):
        name, is_stored = f"{written_in[1]}.{written_in[2]}", False
    sections, _, key = name.rpartition(".")
    wanted = stems_of(title)
    if len(wanted) != 1:
        return True
    if sections:
        return wanted[0] in stems_of(sections.partition(".")[2] if is_stored else sections)
    parts = (stems_of(part) or (part,) for part in key.split("_"))  # Stems leave out short words.
    every = [*itertools.chain.from_iterable(parts)]
    aside = {*_NO_SUBJECT, *stems_of(facts.commit.name)}
    return wanted[0] in every[:-1] or aside.issuperset(every[:-1])


def naming(name: str) -> list[str]:
    """The words of a name but those that many names have whatever they are about."""
    parts = itertools.chain.from_iterable(parts_of(run[0]) for run in words.runs(name))
    return [form for form in parts if singular(form) not in _NO_IDEAS]


def subject_of(title: str) -> Key:
    """What a title is about, the same for `Scan` and `Scanner`, and for `Token` and `ApiToken`."""
    stems = {*stems_of(title)}
    return tuple(sorted(stems - _NO_SUBJECT or stems - _GENERIC or stems))


def tells_nothing(title: str) -> bool:
    """Is a title one word that many types are called by, such as `Config`?"""
    stems = stems_of(title)
    return len(stems) == 1 and (_GENERIC | _VAGUE | _NO_SUBJECT).issuperset(stems)


def is_the_whole(title: str) -> bool:
    """Is a title what any program is, such as `App`?"""
    return _NO_SUBJECT.issuperset(stems_of(title))


def telling_of(name: str) -> Key:
    """The words of a name or title that tell something."""
    return tuple(stem for stem in stems_of(name) if stem not in _GENERIC)


def telling(title: str, stems: Key) -> Key:
    """The words of a title that tell something, if these are more than those that code has."""
    own = telling_of(title)
    return stems if set(stems).issuperset(own) else own


def belongings(facts: Facts, stems: Key) -> Belongings:
    """What has all of these words, or the two written as one. For questions."""

    def having(kind: str) -> list[int]:
        numbers = _by_stem(facts)[kind]
        every = [set(numbers.get(stem, ())) for stem in stems]
        return sorted(set.intersection(*every) | set(numbers.get("".join(stems), ())))

    def depth(route: str) -> tuple[int, bool]:
        steps = enumerate(route.strip("/").split("/"))
        own = {*stems, "".join(stems)}
        at = (at for at, step in steps if any(stem in own for stem, _ in _words(step)))
        return next(at, len(route)), "{" in route or ":" in route

    if not stems:
        return Belongings()
    routed = [endpoints(facts)[at] for at in having("routes")]
    return Belongings(
        tuple(sorted(routed, key=lambda it: (it.path in _of_commands(facts), *depth(it.route)))),
        tuple(jobs(facts)[at] for at in having("jobs")),
        tuple(commands(facts)[at] for at in having("commands")),
        tuple(stored(facts)[at] for at in having("tables")),
        tuple(settings(facts)[at] for at in having("settings")),
    )


@query
def _of_commands(facts: Facts) -> frozenset[str]:
    """Files of commands below a program: what they serve is there while such a command runs."""
    return frozenset(it.path for it in commands(facts) if it.words and not it.framework)


def topics(facts: Facts, names: Vocabulary) -> list[tuple[str, Key, bool]]:
    """Subjects by title and words, those first that users, other programs or readers of documents
    meet, which the last value says, then the strongest."""
    counts, forms, joined = _counted(facts)
    own = {*stems_of(facts.commit.name)}
    partners = _partners(counts)
    found: dict[Key, tuple[bool, float, str]] = {}
    for key in [key for key in counts if len(key) == 1 and key not in joined]:
        whole = partners.get(key, key)
        files = min(names.files.get(names.known(stem), 0) for stem in whole)
        is_rare = 0 < files <= max(4, _WORD_SHARE_MAX * names.size)
        strength = _strength(counts[whole])
        if is_rare and strength and not own.intersection(key) and not _NO_SUBJECT.issuperset(whole):
            usual = (_usual(forms[stem], is_alone=len(whole) == 1) for stem in whole)
            is_told = counts[whole]["sections"] >= _FEW or _is_offered(counts[whole])
            found[whole] = not is_told, -strength, written(usual)
    ranked = sorted(found, key=found.__getitem__)[:TOPICS_MAX]
    return [(found[key][2], key, not found[key][0]) for key in ranked]


def weight(facts: Facts, title: str) -> float:
    """How much of what the product offers, does and says has the words of a title; less of a word
    that is no subject by itself where nothing is stored under it."""
    counts, _, _ = _counted(facts)
    key = stems_of(title)
    own = counts.get(key) or min(
        (counts[it,] for it in key if (it,) in counts), key=_strength, default=Counter[str]()
    )
    is_weak = _GENERIC.issuperset(key) and not own["tables"]
    return _strength(own) * (_WEAK_SHARE if is_weak else 1)


def is_feature(facts: Facts, key: Key) -> bool:
    """Does the README name it among what the product can do?"""
    counts, _, _ = _counted(facts)
    return key in counts and counts[key]["features"] > 0


@query
def _counted(
    facts: Facts,
) -> tuple[Mapping[Key, Counter[str]], Mapping[str, Counter[str]], frozenset[Key]]:
    """How many names of each kind have a word or two, in which forms, and the words that are two.
    For other questions."""
    counts: dict[Key, Counter[str]] = defaultdict(Counter)
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, name in (*_offered(facts), *_triggered(facts), *_in_code(facts)):
        steps = [_words(step) for step in name.split("/")]
        for stem, form in itertools.chain.from_iterable(steps):
            forms[stem][form] += 1
        stems = [[stem for stem, _ in step] for step in steps]
        singles = {(stem,) for step in stems for stem in step}
        for key in singles.union(*(itertools.pairwise(step) for step in stems)):
            counts[key][kind] += 1
    return counts, forms, _written_as_one(counts)


def _usual(forms: Mapping[str, int], *, is_alone: bool) -> str:
    """The form of a word that a title has it in."""
    return min(forms, key=lambda it: (is_alone and bool(_DONE.search(it)), -forms[it], it))


def written(words: Iterable[str]) -> str:
    """Words as a title: the first with a capital letter, acronyms and products as they are
    written."""
    title = " ".join(_AS_WRITTEN.get(word, word) for word in words)
    return title[:1].upper() + title[1:]


def sections_on(facts: Facts, title: str) -> tuple[Passage, ...]:
    """Sections of documents that are about a subject: their headings have its words and fewer
    others that tell something, or as many if several are alike (`Slack alerts`, `Teams alerts`).
    Those with fewest others come first."""
    wanted, own = dict(_words(title)), {*stems_of(facts.commit.name)}
    begins = {stem: singular(form) for stem, form in wanted.items()}

    def others(forms: Mapping[str, str]) -> int | None:
        # `Data collected` is not about collections, while `Importing` is about imports.
        if not all(forms.get(stem, "").startswith(begins[stem]) for stem in begins):
            return None
        return len({*forms} - {*begins} - _NO_SUBJECT - own)

    coded = ((others(forms), it) for it, forms in _sections(facts))
    fitting = [(count, it) for count, it in coded if count is not None and count <= len(begins)]
    if sum(count == len(begins) for count, _ in fitting) < _FEW:
        fitting = [(count, it) for count, it in fitting if count < len(begins)]
    fitting.sort(key=lambda row: (row[0], row[1].path.count("/"), row[1].path, row[1].line))
    return tuple(it for _, it in fitting)


@query
def _sections(facts: Facts) -> list[tuple[Passage, Mapping[str, str]]]:
    """Those about code, with the words of their headings in the singular by their stems. For other
    questions."""
    about_code = (it for it in passages(facts) if is_about_code(it.title))
    return [(it, {stem: singular(form) for stem, form in _words(it.title)}) for it in about_code]


def _strength(counts: Mapping[str, int]) -> float:
    """Of a subject by how much of each kind it has; 0 for what is none: code must have it."""
    is_offered = _is_offered(counts)
    is_shared = counts["symbols"] >= _FEW and (counts["files"] or counts["sections"] >= _FEW)
    if counts["files"] + counts["symbols"] < 2 or not (is_offered or is_shared):
        return 0
    total = sum(_WORTH[kind] * math.log1p(count) for kind, count in counts.items())
    return round(total * sum(count > 0 for count in counts.values()), 6)


def _is_offered(counts: Mapping[str, int]) -> bool:
    """Is there more to a subject than a setting or two?"""
    is_run = counts["actions"] > 0 and counts["symbols"] > 1
    few = {"settings": _FEW}
    return is_run or any(counts[kind] >= few.get(kind, 1) for kind in (*_OFFERED, "features"))


def _written_as_one(counts: Mapping[Key, Counter[str]]) -> frozenset[Key]:
    """Words that are two that usually stand side by side, as `mealplan`; they count for both."""
    joined: set[Key] = set()
    for pair in [key for key in counts if len(key) == 2]:
        whole = ("".join(pair),)
        is_usual = whole in counts and counts[pair].total() > _APART_SHARE * counts[whole].total()
        if is_usual and whole not in joined:
            joined.add(whole)
            for key in (pair, pair[:1], pair[1:]):
                counts[key].update(counts[whole])
    return frozenset(joined)


def _partners(counts: Mapping[Key, Counter[str]]) -> Mapping[Key, Key]:
    """The pairs that words nearly always are a part of, by such words."""
    partners: dict[Key, Key] = {}
    for pair in [
        key for key in counts if len(key) == 2 and key[0] not in _GENERIC and key[1] not in _ACTION
    ]:
        for single in (pair[:1], pair[1:]):
            least = max(_FEW, _PAIR_SHARE * counts[single].total())
            if counts[pair].total() >= least and len(counts[pair]) > 1:
                partners[single] = pair
    return partners


def _offered(facts: Facts) -> Iterator[tuple[str, str]]:
    """Names of what users and other programs meet, by kind, in the order of each kind's list."""
    yield from (("routes", _VARIABLE.sub("", it.route)) for it in endpoints(facts))
    yield from (("jobs", f"{it.name} {it.runs.rpartition('.')[2]}") for it in jobs(facts))
    yield from (("commands", " ".join(it.words)) for it in commands(facts))
    yield from (("tables", it.model or it.name) for it in stored(facts))
    yield from (("settings", name) for name in _settings([it.name for it in settings(facts)]))


def _settings(names: Sequence[str]) -> Iterator[str]:
    """Names of settings without the words that keys of many sections have: a `token` below each
    of several services is about these."""
    sections: dict[str, set[str]] = defaultdict(set)
    for section, _, key in (name.rpartition(".") for name in names):
        for stem, _ in _words(key):
            sections[stem].add(section)
    for section, _, key in (name.rpartition(".") for name in names):
        own = (form for stem, form in _words(key) if len(sections[stem]) < _SECTIONS_MIN)
        yield " ".join((section, *own)) if section else key


def _triggered(facts: Facts) -> Iterator[tuple[str, str]]:
    """What users do: what the README lists as features, and types that are called commands."""
    for passage in passages(facts):
        if "/" not in passage.path and _FEATURES.match(passage.title):
            for words_ in _ITEM.findall(words_of(facts, passage)):
                yield "features", words_.replace("/", " ")
    for _, symbol, _ in vocabulary(facts).symbols:
        *own, last = stems_of(symbol.name) or ("",)
        if own and last in _ACTION and kind_of(symbol) == "type":
            yield "actions", symbol.name


def _in_code(facts: Facts) -> Iterator[tuple[str, str]]:
    symbols = vocabulary(facts).symbols
    for _, symbol, _ in symbols:
        if not symbol.container and kind_of(symbol) in ("type", "function"):
            yield "symbols", symbol.name
    paths = dict.fromkeys(spot.path for spot, _, _ in symbols)
    folders = dict.fromkeys(path.rpartition("/")[0].rpartition("/")[2] for path in paths)
    for name in (*folders, *(path.rpartition("/")[2].partition(".")[0] for path in paths)):
        yield "files", name
    yield from (("sections", it.title) for it, _ in _sections(facts))


@query
def _by_stem(facts: Facts) -> Mapping[str, Mapping[str, list[int]]]:
    """The numbers of what is offered, by kind and word. For other questions."""
    found: dict[str, dict[str, list[int]]] = {kind: defaultdict(list) for kind in _OFFERED}
    counts: Counter[str] = Counter()
    for kind, name in _offered(facts):
        for stem in dict.fromkeys(stem for stem, _ in _words(name)):
            found[kind][stem].append(counts[kind])
        counts[kind] += 1
    return found


@lru_cache(50_000)
def _words(name: str) -> tuple[tuple[str, str], ...]:
    """The words of a name by their stems, with the forms that it has them in."""
    parts = itertools.chain.from_iterable(parts_of(run[0]) for run in words.runs(name))
    return tuple((stem_of(it), it) for it in parts if len(it) > 2 and not it.isdigit())


@lru_cache(50_000)
def _singulars(name: str) -> frozenset[str]:
    """The words of a name in the singular."""
    return frozenset(singular(form) for _, form in _words(name))
