"""What subjects are called: names and headings as words, and as the project's documents write
them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.english import english
from stationmaster.reading.code.languages.inflections import singular
from stationmaster.wiki.facts.code.vocabulary import parts_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.passages import passages, words_of
from stationmaster.wiki.searching import words

Key = tuple[str, ...]
"""The words of a name in the singular, without those that mean nothing by themselves."""
SIGNS = re.compile(r"[(){}\[\]=_:/?`\"“”…]|\w\.\w|--|\.\.|[a-z][A-Z]")
_ROLES, _VERBS = lists.words("role"), lists.words("file-verb")
_GENERAL = (
    _ROLES
    | lists.words("no-idea")
    | lists.words("no-subject")
    | {*map(singular, (*english().generic, *english().qualifying, *english().vague))}
)
_DOING = re.compile(
    rf"(?i)(?:(?:{'|'.join(english().doing)})(?:,| and| or)? ){{1,3}}"
    r"(?:up |with )?(?:the |a |an |your |our )?(?:default |custom )?"
)
"""What a heading says that is done with its subject."""
_AROUND = re.compile(
    r"^(?:The|An?|Advanced|Basic) (?=\w)|(?<=\w) (?:APIs?|[Oo]verview|[Ss]upport|[Rr]eference)$"
)
_NUMBER = re.compile(r"^\s*(?:\d{1,3}(?:\.\d{1,3})*[.)]?|[-–—:])\s+")
_TYPE = re.compile(r"(?:[A-Z][a-z]{2,20}){2,4}")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Between the words of a heading that is the name of a type."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{1,30}")
_KNOWN = {it.lower(): it for it in (*english().acronyms, *english().products) if len(it) > 1}


@lru_cache(50_000)
def words_in(name: str) -> Key:
    """The words of a name, in the singular; letters by themselves are none."""
    return tuple(singular(it) for it in forms_in(name) if len(it) > 1 and not it.isdigit())


@lru_cache(50_000)
def key_of(name: str) -> Key:
    """The words of a name without what is done with its subject, and what part of it something is;
    all of them where nothing is left."""
    every = words_in(name)
    verbs = next((at for at, it in enumerate(every) if it not in _VERBS), 0)
    return tuple(it for it in every[verbs:] if it not in _ROLES) or every


def own_key(facts: Facts, name: str) -> Key:
    """That without the name of the product before it."""
    return without(facts.commit.name, name)


@lru_cache(100_000)
def without(product: str, name: str) -> Key:
    """The words of a name that mean something, without those of a product before them."""
    own, key = "".join(words_in(product)), key_of(name)
    ends = (count for count in range(1, len(key)) if "".join(key[:count]) == own)
    return key[next(ends, 0) :]


def is_general(key: Key) -> bool:
    """May any program have what is called so?"""
    return _GENERAL.issuperset(key)


def begins_with(name: Key, key: Key) -> bool:
    """Is a name that of a subject, or of a part of it, as `RecipeBookEntry` of `RecipeBook`?"""
    whole, start = "".join(name), "".join(key)
    ends = {len("".join(name[:count])) for count in range(1, len(name) + 1)}
    return whole.startswith(start) and len(start) in ends


def forms_in(name: str) -> tuple[str, ...]:
    """The words of a name as it has them."""
    return tuple(part for run in words.runs(name) for part in parts_of(run[0]))


def bare(name: str) -> str:
    """The name of a type without the namespaces that it is in."""
    return name.rpartition(".")[2]


def titled(heading: str) -> str:
    """A heading without its number and without what is done, with a capital letter, in words:
    `Timeouts` of `Setting and disabling timeouts`, `Static Files` of `StaticFiles`."""
    bare = _NUMBER.sub("", heading).strip(" :.-")
    bare = _DOING.sub("", bare) or bare
    bare = " ".join(_HUMPS.split(bare)) if _TYPE.fullmatch(bare) else _AROUND.sub("", bare)
    return bare[:1].upper() + bare[1:]


def without_own_name(facts: Facts, title: str) -> str:
    """A heading without the repository's own name before it."""
    first, others = [*re.split(r"[ -]", title, maxsplit=1), ""][:2]
    return others if others and first.lower() == facts.commit.name.lower() else title


def written(facts: Facts, some: Iterable[str]) -> str:
    """Words as a title: the first with a capital letter, others as documents write them."""
    spelled = _spelled(facts)
    title = " ".join(
        spelled.get(word, _KNOWN.get(word, word if len(word) > 1 else word.upper()))
        for word in some
    )
    return title[:1].upper() + title[1:]


@query
def _spelled(facts: Facts) -> Mapping[str, str]:
    """How documents mostly write words that have more capital letters than their first."""
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for passage in passages(facts):
        for word in _WORD.findall(words_of(facts, passage)):
            forms[word.lower()][word] += 1
    usual = {word: max(some, key=lambda it: (some[it], it)) for word, some in forms.items()}
    return {word: it for word, it in usual.items() if it[1:] != it[1:].lower()}
