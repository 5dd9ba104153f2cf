"""The words of a question as code may have them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from typing import NamedTuple

from stationmaster.catalogue.repositories.english import english
from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.wiki.searching import words

OTHER = 0.5
"""What another word for one of the question counts."""
Shares = Mapping[int, float]
"""How well words of the question match, by their place in it: 1, or OTHER for another word."""
_MANNER = expressions("questions")["manner_words"]


class Word(NamedTuple):
    """A word of a question: how words begin that are the same (`forms`), and `others` for it."""

    whole: str
    forms: tuple[str, ...]
    others: tuple[str, ...]


class Wanted:
    """The `words` of a question, compared with texts of code."""

    def __init__(self, question: str) -> None:
        terms = words.of_question(question)
        named = [term for term in terms if not _MANNER.fullmatch(term.whole)]
        self.words = [_word(term) for term in named or terms]
        self._known: dict[str, Shares] = {}

    def within(self, text: str) -> Shares:
        """The words of the question that are among those of a text."""
        return best_of(map(self._shares, words.of_text(text)))

    def named(self, name: str) -> Shares:
        """`within` for a name, which also has words in short: `dup` for `duplicate`."""
        parts = [part for part in words.of_text(name) if words.is_prefix(part)]
        short = {
            at: OTHER for at, word in enumerate(self.words) if word.whole.startswith(tuple(parts))
        }
        return {**short, **self.within(name)}

    def _shares(self, word: str) -> Shares:
        if word not in self._known:
            self._known[word] = {
                at: 1.0 if is_same else OTHER
                for at, one in enumerate(self.words)
                if (is_same := _begins(word, one.forms)) or _begins(word, one.others)
            }
        return self._known[word]


def best_of(parts: Iterable[Shares]) -> Shares:
    """The best share of each word of a question in several parts of a text."""
    best: dict[int, float] = {}
    for shares in parts:
        for at, share in shares.items():
            best[at] = max(share, best.get(at, 0.0))
    return best


def _word(term: words.Term) -> Word:
    base = _base(term.whole)
    others = {*term.others, *_ALIKE.get(base, ())}
    return Word(term.whole, tuple({term.whole: None, base: None}), tuple(sorted(others)))


def _base(word: str) -> str:
    """The beginning of a word's forms: `remov` of `removed`, `save` of `saved`."""
    return words.stem(word) or (word[:-1] if word.endswith("ed") else word)


def _begins(word: str, forms: tuple[str, ...]) -> bool:
    return word.startswith(forms) and any(
        word.startswith(form) if words.is_prefix(form) else word == form for form in forms
    )


def _alike() -> Mapping[str, Set[str]]:
    alike: dict[str, set[str]] = defaultdict(set)
    for group in english().acting:
        bases = {_base(word) for word in group.split()}
        for base in bases:
            alike[base] |= bases - {base}
    return alike


_ALIKE = _alike()
