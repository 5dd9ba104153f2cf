"""What a model wrote, sentence by sentence: said by the facts, plain, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from stationmaster.wiki import secrets
from stationmaster.wiki.prose.model import Answer, Bundle, Sentence

LENGTH_MIN, LENGTH_MAX = 12, 320
RUN_MAX = 12
"""Words in a row that may not stand in the facts already."""
BANNED = frozenset({
    "robust", "seamless", "seamlessly", "powerful", "elegant", "comprehensive", "leverage",
    "leverages", "cutting-edge", "state-of-the-art", "modern", "simple", "simply", "easy", "easily",
    "effortless", "effortlessly", "efficient", "efficiently", "flexible", "scalable", "intuitive",
    "sophisticated", "rich", "crucial", "essential", "vital", "delve", "best", "excellent", "great",
    "beautiful", "clean", "well-structured", "well-designed", "innovative",
    "blazing", "lightweight",
    "obviously", "clearly", "ensures", "ensuring", "streamlines", "empowers",
})  # fmt: skip
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
_DEPENDS = re.compile(
    r"\b(?P<passive>(?:is|are) (?:used|called|imported|required|extended|wrapped|invoked"
    r"|needed) by)"
    r"|\b(?:depends? (?:up)?on|imports?|uses?|calls?|requires?|needs?|relies on|rely on|builds? on"
    r"|extends?|wraps?|invokes?|delegates? to|consumes?|includes?|references?|talks? to"
    r"|connects? to|communicates? with|feeds?|is (?:built|based) on)\b",
    re.I,
)
_TICKED = re.compile(r"`([^`]{1,200})`")
_WORD = re.compile(r"[A-Za-z_@$][\w@$./:-]*|--?[A-Za-z][\w-]*")
_PIECE = re.compile(r"[./:]+")
_CODELIKE = re.compile(r"[/_@$:]|[A-Za-z0-9]\.[A-Za-z0-9]|[a-z0-9][A-Z]|^-|^[A-Z0-9]{2,}$")
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_FIGURES = {
    word: str(number)
    for number, word in enumerate(
        (
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ),
        2,
    )
} | {"dozen": "12", "twenty": "20", "hundred": "100", "thousand": "1000", "million": "1000000"}
_COMMON = frozenset({
    "API", "HTTP", "HTTPS", "CLI", "CI", "URL", "JSON", "YAML", "SQL", "HTML", "CSS", "UI", "ID",
    "REST", "TCP", "IP", "OS", "README", "A", "I",
})  # fmt: skip
"""Acronyms that any description may use."""
_OPENERS = frozenset({
    "a", "an", "the", "it", "its", "this", "that", "these", "those", "each", "every", "all", "most",
    "some", "many", "both", "other", "others", "one", "two", "three", "four", "five", "in", "of",
    "at", "for", "on", "from", "with", "within", "under", "beside", "below", "above", "inside",
    "together", "there", "they", "their", "files", "modules", "tests", "code", "work", "requests",
    "everything", "what", "when", "while", "after", "before", "during", "through", "by", "to", "as",
    "no", "none", "nothing", "only", "here",
})  # fmt: skip
"""Words that a sentence may begin with, beside those of the facts."""
_FUNCTION = frozenset({
    "the", "a", "an", "of", "and", "to", "is", "are", "in", "for", "with", "by", "from", "as", "on",
    "that", "it", "its", "has",
})  # fmt: skip


class Checked(NamedTuple):
    """Sentences that hold, and how many were dropped for which reason."""

    sentences: tuple[Sentence, ...]
    dropped: Counter[str]

    @property
    def is_enough(self) -> bool:
        """A place with fewer than half of its sentences left keeps what it says without a model."""
        return bool(self.sentences) and 2 * len(self.sentences) >= (
            len(self.sentences) + self.dropped.total()
        )


def check(answer: Answer, bundle: Bundle, most: int) -> Checked:
    """Of at most `most` sentences those that every check lets pass."""
    known = _Known(bundle)
    good: list[Sentence] = []
    dropped: Counter[str] = Counter()
    for sentence in answer.sentences:
        fault = "too many sentences" if len(good) >= most else known.fault(sentence)
        if fault is None:
            good.append(sentence)
        else:
            dropped[fault] += 1
    return Checked(tuple(good), dropped)


class _Known:
    """What the facts of a bundle allow to say."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._facts = {fact.id: fact for fact in bundle.facts}

    def fault(self, sentence: Sentence) -> str | None:
        """Why a sentence is dropped; None for one that holds."""
        text = sentence.text.strip()
        if not LENGTH_MIN <= len(text) <= LENGTH_MAX:
            return "length"
        if not sentence.cites or not set(sentence.cites) <= self._facts.keys():
            return "no valid cite"
        if _MARKUP.search(text):
            return "markup or address"
        if _ORDER.search(text) or text.endswith("?"):
            return "instruction to the reader"
        if _PERSON.search(text):
            return "person"
        if BANNED & set(re.findall(r"[a-z][a-z-]+", text.lower())):
            return "banned word"
        if not _is_english(text):
            return "language"
        if not self._is_known(text):
            return "unknown name"
        if not self._is_counted(text, sentence.cites):
            return "unknown number"
        if not self._is_linked(text):
            return "unknown dependency"
        if any(run in self._runs for run in _runs(text)):
            return "copied"
        return "secret" if secrets.find(text) else None

    def _is_known(self, text: str) -> bool:
        for ticked in _TICKED.finditer(text):
            if not self._is_name(ticked[1].strip().removesuffix("()")):
                return False
        for word in _WORD.finditer(_TICKED.sub(lambda ticked: " " * len(ticked[0]), text)):
            bare = word[0].rstrip("./:-")
            if _CODELIKE.search(bare):
                is_known = bare in self._names or bare in _COMMON
            elif word.start() == 0:
                is_known = bare.lower() in _OPENERS or bare.lower() in self._words
            else:  # A proper name: of a tool, of a protocol, of a person.
                is_known = not bare[:1].isupper() or bare.lower() in self._words
            if not is_known:
                return False
        return True

    def _is_name(self, code: str) -> bool:
        whole = re.compile(rf"(?<!\w){re.escape(code)}(?!\w)")
        return code in self._names or any(map(whole.search, (f.text for f in self._bundle.facts)))

    def _is_counted(self, text: str, cites: Sequence[str]) -> bool:
        cited = " ".join(self._facts[cite].text for cite in cites)
        known = {_figure(each) for each in _NUMBER.findall(cited)}
        known |= {
            _FIGURES[word] for word in re.findall(r"[a-z]+", cited.lower()) if word in _FIGURES
        }
        bare = _TICKED.sub(" ", text)
        told = {_figure(each) for each in _NUMBER.findall(bare)}
        told |= {_FIGURES[word] for word in re.findall(r"[a-z]+", bare.lower()) if word in _FIGURES}
        return told <= known

    def _is_linked(self, text: str) -> bool:
        """Is every dependency that is stated between modules one that was measured?"""
        bare = text.replace("`", " ")
        words = ((match.start(), match[0].rstrip("./:-")) for match in _WORD.finditer(bare))
        names = [(at, word) for at, word in words if word in self._modules]
        verbs = list(_DEPENDS.finditer(bare))
        ends = [*(verb.start() for verb in verbs[1:]), len(bare)]
        for verb, end in zip(verbs, ends, strict=False):
            others = [
                name
                for at, name in names
                # The name right before the next verb is what that one is about.
                if verb.end() <= at < end
                and (end == len(bare) or bare[at + len(name) : end].strip())
            ]
            before = [name for at, name in names if at < verb.start()]
            subject = before[-1] if before else self._bundle.page
            for other in others:
                pair = (other, subject) if verb["passive"] else (subject, other)
                if other != subject and pair not in self._edges:
                    return False
        return True

    @cached_property
    def _edges(self) -> frozenset[tuple[str, str]]:
        pairs = (each.text.partition(" → ") for each in self._bundle.facts if each.kind == "edge")
        return frozenset((start, end) for start, _, end in pairs)

    @cached_property
    def _modules(self) -> frozenset[str]:
        return frozenset(name for pair in self._edges for name in pair) | {*self._bundle.modules}

    @cached_property
    def _names(self) -> frozenset[str]:
        """Words of the facts, and the pieces that paths and dotted names are made of."""
        names: set[str] = set()
        for text in (self._bundle.page, *(fact.text for fact in self._bundle.facts)):
            for match in _WORD.finditer(text):
                word = match[0].rstrip("./:-")
                names |= {word, *_PIECE.split(word)}
                steps = word.split("/")
                names |= {"/".join(steps[:count]) for count in range(1, min(len(steps), 20))}
        return frozenset(names - {""})

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self._names)

    @cached_property
    def _runs(self) -> frozenset[tuple[str, ...]]:
        return frozenset(run for fact in self._bundle.facts for run in _runs(fact.text))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return (tuple(words[at : at + RUN_MAX]) for at in range(len(words) - RUN_MAX + 1))


def _figure(text: str) -> str:
    return text.replace(",", "").rstrip(".")


def _is_english(text: str) -> bool:
    letters = [each for each in text if each.isalpha()]
    return (
        10 * sum(letter.isascii() for letter in letters) >= 9 * len(letters)
        and not _FUNCTION.isdisjoint(re.findall(r"[a-z]+", text.lower()))
        and not any(not each.isprintable() for each in text)
    )
