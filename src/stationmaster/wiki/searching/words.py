"""From text to the words that are searched for: the same on every database.

A word is a run of letters and digits, without case and accents. The parts of an identifier
(`parseHttpUrl`, `parse_http_url`) are words of their own, as the whole one is, and two runs with a
sign between them (`pub_sub`, `Pub/Sub`) are one, too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from stationmaster.catalogue.repositories.english import english
from stationmaster.catalogue.repositories.expressions import expressions

_LIKE = expressions("questions")

LENGTH_MAX = 64
"""Letters of a word that count; more of them are the same word."""
TERMS_MAX = 12
"""Words of a question that count."""
STEM_MIN = 4
"""Letters that a stem has at least; a shorter one would find unrelated words."""
PREFIX_MIN = 3
"""A shorter word of a question matches only whole words, a longer one also beginnings."""
_RUN = re.compile(r"[^\W_]+")
_JOINING = "_-/"
_PRODUCTS = "|".join(sorted(english().products, key=len, reverse=True))
_PART = re.compile(rf"(?:{_PRODUCTS})(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z0-9]+")


_OTHERS = {
    word: tuple(other for other in group.split() if other != word)
    for group in english().same
    for word in group.split()
}


class Term(NamedTuple):
    """One word of a question: it matches a `whole` word, a place where all its `parts` are, or, for
    less, a word that begins with its `stem`, which is empty for a word without one. `others` are
    synonyms.
    """

    whole: str
    parts: tuple[str, ...]
    stem: str = ""
    others: tuple[str, ...] = ()

    def matches(self, words: Sequence[str]) -> bool:
        """Does this term match one of the words of a text, or their parts?"""
        return (
            any(_begins(word, self.whole) for word in words)
            or (
                bool(self.parts)
                and all(any(_begins(word, part) for word in words) for part in self.parts)
            )
            or (bool(self.stem) and any(word.startswith(self.stem) for word in words))
        )


def of_text(text: str) -> Iterator[str]:
    """Every word of a text in order; an identifier's parts follow it, and two runs are followed by
    the word that they are together."""
    before, end = "", -2
    for run in _RUN.finditer(text):
        yield from of_run(run[0])
        if run.start() == end + 1 and text[end] in _JOINING:
            yield _fold(before + run[0])
        before, end = run[0], run.end()


@lru_cache(20_000)
def of_run(run: str) -> tuple[str, ...]:
    """One run of letters and digits as words: the whole, then its parts if it has several."""
    whole = _fold(run)
    if not whole:
        return ()
    return (whole, *(part for part in map(_fold, _parts(run)) if part))


def of_question(text: str) -> list[Term]:
    """The distinct terms of a search; signs, operators and, where there are others, words such as
    "how" and "the" are left out.
    """
    terms: dict[str, Term] = {}
    runs_of_text = _RUN.findall(text)
    for run, after in zip_longest(runs_of_text, runs_of_text[1:]):
        if words := of_run(run):
            same = (*others(words[0]), *_together(run, after or ""))
            terms.setdefault(words[0], Term(words[0], tuple(words[1:]), stem(words[0]), same))
    named = [term for word, term in terms.items() if not _LIKE["question_words"].fullmatch(word)]
    return (named or list(terms.values()))[:TERMS_MAX]


def _together(run: str, after: str) -> Iterator[str]:
    """`shutdown` of "shut down"."""
    is_asking = any(map(_LIKE["question_words"].fullmatch, (run.lower(), after.lower())))
    if len(run) > 1 < len(after) and run.islower() and not is_asking:
        yield _fold(run + after)


def others(word: str) -> tuple[str, ...]:
    """What is asked for by a word in other words: `route` for `endpoints`."""
    return (
        _OTHERS.get(word)
        or _OTHERS.get(word.removesuffix("s"))
        or _OTHERS.get(f"{word.removesuffix('ies')}y", ())
    )


def stem(word: str) -> str:
    """The beginning that a word's other forms share: `index` of `indexing`; empty without one."""
    if not (word.isascii() and word.isalpha()) or word.endswith("ss"):
        return ""
    for ending in english().endings:
        if (
            word.endswith(ending)
            and not word.endswith("ss")
            and len(word) - len(ending) >= STEM_MIN
        ):
            return word[: -len(ending)]
    return ""


def runs(text: str) -> Iterator[re.Match[str]]:
    """The places of the runs of letters and digits of a text."""
    return _RUN.finditer(text)


def is_prefix(word: str) -> bool:
    """Does this word of a question also find longer words?"""
    return len(word) >= PREFIX_MIN


def _begins(word: str, wanted: str) -> bool:
    return word.startswith(wanted) if is_prefix(wanted) else word == wanted


def _parts(run: str) -> list[str]:
    if not run.isascii() or run.isupper() or run[1:].islower():
        return []
    parts = _PART.findall(run)
    return parts if len(parts) > 1 else []


def _fold(run: str) -> str:
    if run.isascii():
        return run.lower()[:LENGTH_MAX]
    apart = unicodedata.normalize("NFKD", run.casefold())
    return "".join(c for c in apart if c.isalnum())[:LENGTH_MAX]
