"""The form of what a model wrote, sentence by sentence: plain, cited, and without names, numbers,
addresses and orders that nothing it read has. Whether it is true is for `refuting`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from stationmaster.catalogue.repositories.english import english
from stationmaster.wiki import secrets
from stationmaster.wiki.prose.model import CITED_MAX, Answer, Lines, Sentence, ids_of

LENGTH_MIN, LENGTH_MAX = 12, 400
TITLE_MAX = 80
_PERSON = re.compile(r"\b(?:I|we|our|ours|us|my|me|you|your|yours|please|let's)\b", re.I)
_MARKUP = re.compile(
    r"://|\bwww\.|\bmailto:|[\w.+-]@[\w-]|[\[\]<>|]|`{2}|^\s{0,3}(?:[#>]|[-*+]\s|\d{1,3}[.)]\s)"
    r"|\*\*|__|!\[|\\|\b(?:javascript|data):|&[a-z#]\w{1,10};|[\r\n\t]",
    re.I,
)
_ORDER = re.compile(
    r"(?:^|[;:.]\s{1,3}|\bthen\s{1,3})(?:run|execute|install|type|paste|download|curl|wget|sudo"
    r"|open|visit|click|copy|ignore|disregard|forget|contact|send|email|enter|disable|delete|remove|set"
    r"|use|add|make sure|note that|see|follow|subscribe|upload|post|print|reply|answer|say)\b"
    r"|\b(?:must|should|needs? to|ha(?:s|ve) to)\s{1,3}(?:be\s{1,3})?(?:run|execute|install"
    r"|download|paste|cop[iy]|ignore|disregard|visit|open|delete)",
    re.I,
)
_TICKED = re.compile(r"`([^`]{1,200})`")
_WORD = re.compile(r"[A-Za-z_@$][\w@$./:-]*|--?[A-Za-z][\w-]*")
_PIECE = re.compile(r"[./:]+")
_CODELIKE = re.compile(r"[_@$:]|[A-Za-z0-9][./][A-Za-z0-9]|[a-z0-9][A-Z]|^-|^[A-Z0-9]{2,}$")
_EITHER = re.compile(r"[a-z]+/[a-z]+")
"""Such as and/or: two words, and no path."""
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")


class Checked(NamedTuple):
    """Sentences that passed, and how many were dropped for which reason."""

    sentences: tuple[Sentence, ...]
    dropped: Counter[str]


def check(answer: Answer, lines: Lines, subject: str, most: int) -> Checked:
    """Of at most `most` sentences about a subject those whose form is right."""
    checker = _Allowed(lines, subject)
    good: list[Sentence] = []
    dropped: Counter[str] = Counter()
    for sentence in answer.sentences:
        fault = "too many sentences" if len(good) >= most else checker.fault(sentence)
        if fault is None:
            good.append(sentence)
        else:
            dropped[fault] += 1
    return Checked(tuple(good), dropped)


def is_title(words: str) -> bool:
    """May a page have this heading?"""
    return (
        2 < len(words) <= TITLE_MAX and words.isprintable() and words == words.strip()
        and not (_MARKUP.search(words) or _PERSON.search(words) or _ORDER.search(words))
        and re.search("[A-Za-z]", words) is not None and _is_latin(words)
        and not secrets.find(words)
    )  # fmt: skip


class _Allowed:
    """What lines allow a sentence to state."""

    def __init__(self, lines: Lines, subject: str) -> None:
        self._lines = lines
        self._texts = [subject, *lines.values()]

    def fault(self, sentence: Sentence) -> str | None:
        """Why a sentence is dropped; None for one that is kept."""
        text = sentence.text.strip()
        if not LENGTH_MIN <= len(text) <= LENGTH_MAX:
            return "length"
        texts = self._cited(sentence.cites)
        if not any(map(str.strip, texts)):
            return "no valid cite"
        if _MARKUP.search(_TICKED.sub(" ", text)) or _MARKUP.search(_unticked(text)):
            return "markup or address"
        if _ORDER.search(text) or text.endswith("?"):
            return "instruction to the reader"
        if _PERSON.search(_TICKED.sub(" ", text)):
            return "person"
        if not _is_english(text):
            return "language"
        if not self._is_known_name(text):
            return "unknown name"
        if not _is_counted(text, texts):
            return "unknown number"
        return "secret" if secrets.find(text) else None

    def _cited(self, cites: Sequence[str]) -> list[str]:
        """The lines that a sentence rests on; none where it cites too many, or what is not."""
        by_id: dict[str, str] = {}
        for cite in cites[:CITED_MAX]:
            some = {
                line_id: self._lines[line_id] for line_id in ids_of(cite) if line_id in self._lines
            }
            if not some:
                return []
            by_id |= some
        return [] if max(len(by_id), len(cites)) > CITED_MAX else list(by_id.values())

    def _is_known_name(self, text: str) -> bool:
        for ticked in _TICKED.finditer(text):
            if not self._is_name(ticked[1].strip().removesuffix("()")):
                return False
        for word in _WORD.finditer(_TICKED.sub(lambda ticked: " " * len(ticked[0]), text)):
            bare = word[0].rstrip("./:-")
            if _CODELIKE.search(bare) and not _EITHER.fullmatch(bare):
                names = self._names | english().acronyms
                is_named = bare in names or bare.lower() in self._words
            else:  # A proper name: of a tool, of a protocol, of a person.
                is_named = (
                    word.start() == 0 or not bare[:1].isupper()
                    or not {bare.lower(), bare.lower().removesuffix("s")}.isdisjoint(self._words)
                )  # fmt: skip
            if not is_named:
                return False
        return True

    def _is_name(self, code: str) -> bool:
        whole = re.compile(rf"(?<!\w){re.escape(code)}(?!\w)")
        return code in self._names or any(map(whole.search, self._texts))

    @cached_property
    def _names(self) -> frozenset[str]:
        """Words of the lines, and the pieces that paths and dotted names are made of."""
        names: set[str] = set()
        for text in self._texts:
            for match in _WORD.finditer(text):
                word = match[0].rstrip("./:-")
                names |= {word, *_PIECE.split(word)}
                steps = word.split("/")
                names |= {"/".join(steps[:count]) for count in range(1, min(len(steps), 20))}
        return frozenset(names - {""})

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self._names)


def _unticked(text: str) -> str:
    """No code in a sentence may contain an address either."""
    return " ".join(match[1] for match in _TICKED.finditer(text) if "://" in match[1])


def _is_counted(text: str, cited: Sequence[str]) -> bool:
    figures = {_figure(number) for line in cited for number in _NUMBER.findall(line)}
    return {_figure(number) for number in _NUMBER.findall(_TICKED.sub(" ", text))} <= figures


def _figure(text: str) -> str:
    return text.replace(",", "").rstrip(".")


def _is_latin(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return 10 * sum(letter.isascii() for letter in letters) >= 9 * len(letters)


def _is_english(text: str) -> bool:
    return (
        _is_latin(text)
        and not english().function.isdisjoint(re.findall(r"[a-z]+", text.lower()))
        and not any(not letter.isprintable() for letter in text)
    )
