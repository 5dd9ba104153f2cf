"""What a symbol is and does, as templates show it: its place, its comment, what it declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.catalogue import lists
from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.comments import comment, symbol_of
from stationmaster.wiki.facts.code.steps.twins import conditions_of, twins
from stationmaster.wiki.facts.code.symbols import TYPES, maker_of, methods_of, types_called
from stationmaster.wiki.facts.data.fields import fields
from stationmaster.wiki.facts.model import Facts, Spot
from stationmaster.wiki.facts.texts.about import plain
from stationmaster.wiki.facts.texts.meanings import (
    bases,
    is_deprecated,
    kind_of,
    meaning,
    says,
)
from stationmaster.wiki.facts.texts.passages import passage_on, words_of
from stationmaster.wiki.text.inline import Md, Place, among, code, joined, md
from stationmaster.wiki.text.page import Page, table
from stationmaster.wiki.text.quoting import quoted

METHODS_MAX = 14
"""Of a type that another page shows whole."""
_SIGNATURE_MAX, _HEAD_MAX = 110, 60
"""Letters of a method in a table, and of one without a comment."""
FIELDS_MAX, OTHERS_MAX = 40, 30
"""Of a type that are listed, and methods without a comment that are named."""
TWINS_MAX, _CONDITION_MAX = 6, 120
_MODIFIER = re.compile(
    r"^(?:public|private|protected|internal|static|final|async|pub(?:\([a-z]+\))?|fn|func|fun|def"
    r"|export(?! \()|default|function|override|virtual|abstract|const|unsafe) "
)
_SELF = "(self)"
_ABSTRACT = re.compile(r"^(?:(?:public|protected|internal|private) ){0,2}abstract ")
_CONVERTING = re.compile(
    r"(?:\w+::){0,4}(?:(?:Try)?(?:From|Into)|As(?:Ref|Mut)|FromStr|Default|Display|Debug|Clone|Drop"
    r"|Deref(?:Mut)?|(?:Partial)?(?:Eq|Ord)|Hash|Error)\b"
)
"""Traits of Rust's own library that any type may have, which are not listed as bases."""
_ASIDE = re.compile(r"__(?!call__|init__|construct$|invoke$)\w+")
"""Names that a language gives what most types have."""
_USUAL = lists.words("every-type-method")
_LAST = re.compile(r"[.:\\]+")
_BRACKET = re.compile(r"([(\[]) | ?,? ([)\]])")
"""Spaces, and a comma after the last item, of a list over several lines."""
_RECEIVER = re.compile(r"^(?:func )?\([^()]{1,200}\) ?(?=\w)")
"""What a method of Go is of."""
_AFTER = re.compile(r":\s+#\s.*$")
"""A comment behind the head of a declaration."""


class Shown(NamedTuple):
    """A symbol for a template. `quote` is the repository's text on it, with the source; `table` are
    its methods that have a comment, `others` those beside them without one; `fields` its fields."""

    name: str
    kind: str
    place: Md
    bases: Md
    quote: Md
    table: Md
    others: Md
    fields: Md
    compiled: Md


def shown(page: Page, facts: Facts, spot: Spot, most: int = 0) -> Shown | None:
    """None for a symbol that is gone or of which there is only its name; at most so many methods
    with a comment."""
    symbol = symbol_of(facts, spot.path, spot.name)
    if symbol is None:
        return None
    own = methods_of(facts, spot.path, spot.name)
    # What a subclass has to write is asked of it, public or not.
    public = [it for it in own if it[1].is_public or _is_abstract(it[1])] or list(own)
    described = [(*row, words) for row in public if (words := meaning(facts, row[1]))]
    # How an object is made adds nothing to what it can do.
    silent = [
        it for _, it in public if not (meaning(facts, it) or _is_common(spot.path, it, symbol))
    ]
    others = [*dict.fromkeys(_head(it, _HEAD_MAX) for it in silent)] if described else []
    parts = (
        _words(page, facts, spot),
        _methods(page, spot, described[:most] if most else described, symbol.kind),
        among(others[:OTHERS_MAX], len(others)),
        _fields(page, facts, spot, symbol.kind),
    )
    is_useful = parts[0] or parts[1] or parts[3] or symbol.kind not in TYPES
    place = page.cite(Place(spot.path, symbol.line, symbol.end))
    built_on = joined([*built(page, facts, spot, symbol)])
    head = symbol.qualified, kind_of(symbol), place, built_on
    return Shown(*head, *parts, compiled(page, facts, spot)) if is_useful else None


def compiled(page: Page, facts: Facts, spot: Spot) -> Md:
    """The condition under which a symbol is compiled, and what takes its place under others."""
    symbol = symbol_of(facts, spot.path, spot.name)
    stated = conditions_of(facts, spot.path).get(symbol.line, "") if symbol else ""
    if symbol is None or not stated:
        return Md("")
    others = joined([
        md("{} ({})", code(it.condition, _CONDITION_MAX), page.cite(it.place))
        for it in twins(facts, spot.path, spot.name, symbol.line)[:TWINS_MAX]
    ])  # fmt: skip
    rest = md("; there are others under {}", others) if others else ""
    return md("It is compiled only under {}{}.", code(stated, _CONDITION_MAX), rest)


def _is_common(path: str, method: Symbol, holder: Symbol) -> bool:
    """May any type have a method, such as one that makes its objects?"""
    is_usual = _ASIDE.fullmatch(method.name) is not None or method.name in _USUAL
    return is_usual or _makes(path, method, holder)


def _makes(path: str, method: Symbol, holder: Symbol) -> bool:
    is_new = method.name == "new" and not method.signature.startswith("def new")  # Not in Ruby.
    is_named_so = method.name in (holder.name, maker_of(path, holder.name))
    return method.kind == "constructor" or is_named_so or is_new


def built(page: Page, facts: Facts, spot: Spot, symbol: Symbol) -> Iterator[Md]:
    """What a type extends, with its place where others have the same name, too."""
    names = _bases(spot, symbol)
    places = bases(facts, spot.path, spot.name) if names else {}
    for name in names:
        place = places.get(_LAST.split(name.partition("<")[0])[-1])
        if place is None or types_called(facts, _LAST.split(name)[-1]) < 2:
            yield code(name, 60)
        else:
            yield md("{} ({})", code(name, 60), page.cite(Place(*place)))


def _bases(spot: Spot, symbol: Symbol) -> list[str]:
    is_rust = spot.path.endswith(".rs") and symbol.kind != "trait"
    return [it for it in symbol.bases if not (is_rust and _CONVERTING.match(it))]


def _words(page: Page, facts: Facts, spot: Spot) -> Md:
    """A symbol's comment, else the section of a document that is about it, as a quote."""
    commented, symbol = comment(facts, spot.path, spot.name), symbol_of(facts, spot.path, spot.name)
    if commented is not None and symbol and says(facts, symbol, commented.words):
        words, place = commented.words, commented.place
    elif (passage := passage_on(facts, spot.name)) is not None:
        words, place = words_of(facts, passage), Place(passage.path, passage.line, passage.end)
    else:
        return Md("")
    return page.sourced(quoted(words), place)


def _methods(page: Page, spot: Spot, listed: Sequence[tuple[str, Symbol, str]], kind: str) -> Md:
    ordered = sorted(listed, key=lambda item: (item[0] != spot.path, item[0], item[1].line))
    what = "Function" if kind == "function" else "Method"
    return table((what, "What it says", "Where"), [
        (_head(method), md("Deprecated. {}", words) if is_deprecated(method) else words,
         page.cite(Place(path, method.line, method.end)))
        for path, method, words in ordered
    ])  # fmt: skip


def _fields(page: Page, facts: Facts, spot: Spot, kind: str) -> Md:
    """The fields of a type, or the variants of an enum."""
    every = fields(facts, spot.path, spot.name)
    described = [it for it in every if it.type or it.mark or it.words]
    if all(it.mark.strip("= '\"") == it.name and not (it.type or it.words) for it in described):
        described = []  # Their names say all.
    rows = [
        (
            code(field.name),
            code(field.type, 80),
            code(field.mark, 100),
            plain(field.words),
            page.cite(Place(spot.path, field.line)),
        )
        for field in described[:FIELDS_MAX]
    ]
    is_constant = any(it.is_constant for it in every)
    what = "Variant" if kind == "enum" else "Constant" if is_constant else "Field"
    head = (what, "Type", "Tag, attribute or default", "What it says", "Where")
    shown = {it.name for it in described[:FIELDS_MAX]}
    named = [code(it.name, 60) for it in every if it.name not in shown]
    others = among(named[:OTHERS_MAX], len(named))
    words = f"Its {'other ' if rows else ''}{what.lower()}s are {others}." if named else ""
    return joined([it for it in (table(head, rows), Md(words)) if it], "\n\n")


def _head(symbol: Symbol, most: int = _SIGNATURE_MAX) -> Md:
    words = signature(symbol, most)
    if symbol.kind == "property" and _SELF in words:  # In Python, it is read without a call.
        return md("{} (property)", code(words.replace(_SELF, "", 1)))
    return md("{} (abstract)" if _is_abstract(symbol) else "{}", code(words))


def _is_abstract(symbol: Symbol) -> bool:
    marks = (mark.rpartition(".")[2] for mark in symbol.marks)
    return bool(_ABSTRACT.search(symbol.signature)) or any(
        it.startswith("abstract") for it in marks
    )


def signature(symbol: Symbol, most: int) -> str:
    """The head of a declaration without what every one begins with."""
    words = _RECEIVER.sub("", _AFTER.sub("", symbol.signature or symbol.name))
    words = _BRACKET.sub(r"\1\2", words)
    while (bare := _MODIFIER.sub("", words)) != words:
        words = bare
    if len(words) > most and "(" in words[: most - 3]:
        return f"{words.partition('(')[0]}(…)"
    return words if len(words) <= most else words[: most - 1] + "…"
