"""What a symbol is and does, as templates show it: its place, its comment, what it declares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.comments import comment, only_statement, symbol_of
from stationmaster.wiki.facts.code.names import Spot, users_of
from stationmaster.wiki.facts.code.symbols import methods_of
from stationmaster.wiki.facts.data.fields import fields
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.about import plain
from stationmaster.wiki.facts.texts.passages import passage_on, words_of
from stationmaster.wiki.text.inline import Md, Place, code, counted, joined, md
from stationmaster.wiki.text.page import Page, table
from stationmaster.wiki.text.quoting import quoted

METHODS_MAX = 14
"""Of a type that another page shows whole."""
_SIGNATURE_MAX = 110
FEW = 4
FIELDS_MAX = 40
"""Of a type that are listed."""
_GETS_OR_SETS = re.compile(r"(?:get|set|is|has)[A-Z_]")
_TAKES_NOTHING = re.compile(r"\b(?:get|is|has)[A-Z_]\w*\s*\(\s*(?:(?:&?self|this)\s*)?\)")
_FIELD = re.compile(r"(?:return\s+)?(?:&\s*)?(?:(?:\$?this|self|[a-z])(?:\.|->))?\w+;?")
_SETS_FIELD = re.compile(r"(?:\$?this|self|[a-z])(?:\.|->)\w+\s*=\s*\$?\w+;?")
"""What gives back a field, and what only keeps a value in one."""
_MODIFIER = re.compile(
    r"^(?:public|private|protected|internal|static|final|async|pub(?:\([a-z]+\))?|fn|func|fun|def"
    r"|export|default|function|override|virtual|abstract|const|unsafe) "
)
_ABSTRACT = re.compile(r"^(?:(?:public|protected|internal|private) ){0,2}abstract ")
_NOTHING_SAID = re.compile(r":$|\bdocumented (?:here|at|in)\b|^\W*https?://\S+$")
"""A sentence that ends where it would begin to tell, or leads elsewhere."""
_CONVERTING = re.compile(
    r"(?:\w+::){0,4}(?:(?:Try)?(?:From|Into)|As(?:Ref|Mut)|FromStr|Default|Display|Debug|Clone|Drop"
    r"|Deref(?:Mut)?|(?:Partial)?(?:Eq|Ord)|Hash|Error)\b"
)
"""Traits of Rust's own library that any type may have, and is not built on."""
_AFTER = re.compile(r":\s+#\s.*$")
"""A comment behind the head of a declaration."""


class Shown(NamedTuple):
    """A symbol for a template. `quote` is what the repository says of it, with the source; `table`
    are its methods, of which `left` more are not shown; `fields` what it holds."""

    name: str
    kind: str
    place: Md
    lines: int
    bases: Md
    users: int
    quote: Md
    table: Md
    accessors: Md
    left: int
    fields: Md


def shown(page: Page, facts: Facts, spot: Spot, most: int = 0) -> Shown | None:
    """None for a symbol that is gone; at most so many methods, those with a comment first."""
    symbol = symbol_of(facts, spot.path, spot.name)
    if symbol is None:
        return None
    own = methods_of(facts, spot.path, spot.name)
    public = [each for each in own if each[1].is_public] or list(own)
    is_long = len(public) > FEW
    accessors = [each for each in public if is_long and _is_accessor(facts, *each)]
    told = [each for each in public if each not in accessors]
    listed = sorted(told, key=lambda each: not each[1].doc)[:most] if most else told
    return Shown(
        symbol.qualified, symbol.kind, page.cite(Place(spot.path, symbol.line, symbol.end)),
        symbol.end - symbol.line + 1, joined([code(base, 60) for base in _bases(spot, symbol)]),
        users_of(facts, spot.path).get(symbol.qualified, 0), _words(page, facts, spot),
        _methods(page, spot, listed, symbol.kind), _named(accessors), len(told) - len(listed),
        _fields(page, facts, spot, symbol.kind),
    )  # fmt: skip


def _bases(spot: Spot, symbol: Symbol) -> list[str]:
    is_rust = spot.path.endswith(".rs") and symbol.kind != "trait"
    return [it for it in symbol.bases if not (is_rust and _CONVERTING.match(it))]


def meaning(doc: str) -> str:
    """The sentence of a comment, '' where it says nothing by itself."""
    words = plain(doc)
    return "" if _NOTHING_SAID.search(words) else words


def _words(page: Page, facts: Facts, spot: Spot) -> Md:
    """A symbol's comment, else the section of a document that is about it, as a quote."""
    said = comment(facts, spot.path, spot.name)
    if said is not None:
        words, place = said.words, said.place
    elif (found := passage_on(facts, spot.name)) is not None:
        words, place = words_of(facts, found), Place(found.path, found.line, found.end)
    else:
        return Md("")
    return page.sourced(quoted(words), place)


def _methods(page: Page, spot: Spot, listed: Sequence[tuple[str, Symbol]], kind: str) -> Md:
    ordered = sorted(listed, key=lambda each: (each[0] != spot.path, each[0], each[1].line))
    what = "Function" if kind == "function" else "Method"
    return table((what, "What it says", "Where"), [
        (_head(each), meaning(each.doc),
         page.cite(Place(path, each.line, each.end)))
        for path, each in ordered
    ])  # fmt: skip


def _fields(page: Page, facts: Facts, spot: Spot, kind: str) -> Md:
    """The fields of a type, or the variants of an enum."""
    listed = fields(facts, spot.path, spot.name)
    rows = [
        (
            code(each.name),
            code(each.type, 80),
            code(each.mark, 100),
            plain(each.words),
            page.cite(Place(spot.path, each.line)),
        )
        for each in listed[:FIELDS_MAX]
    ]
    what = "Variant" if kind == "enum" else "Field"
    fields_table = table((what, "Type", "Tag, attribute or default", "What it says", "Where"), rows)
    left = len(listed) - len(rows)
    return (
        Md(f"{fields_table}\n\n{counted(left, f'more {what.lower()}')} not listed.")
        if left
        else fields_table
    )


def _head(symbol: Symbol) -> Md:
    is_abstract = bool(_ABSTRACT.search(symbol.signature)) or any(
        mark.rpartition(".")[2].startswith("abstract") for mark in symbol.marks
    )
    return md("{} (abstract)" if is_abstract else "{}", code(signature(symbol, _SIGNATURE_MAX)))


def _is_accessor(facts: Facts, path: str, symbol: Symbol) -> bool:
    """Does a method take nothing and give back a field, or only keep a value in one?"""
    if symbol.doc or not _GETS_OR_SETS.match(symbol.name):
        return False
    body = only_statement(facts, path, symbol.qualified)
    takes_nothing = _TAKES_NOTHING.search(symbol.signature) is not None
    return (_FIELD if takes_nothing else _SETS_FIELD).fullmatch(body) is not None


def _named(symbols: Sequence[tuple[str, Symbol]]) -> Md:
    names = dict.fromkeys(symbol.name for _, symbol in symbols)
    return joined([code(name, 60) for name in names])


def signature(symbol: Symbol, most: int) -> str:
    """The head of a declaration without what every one begins with."""
    words = _AFTER.sub("", symbol.signature or symbol.name)
    while (bare := _MODIFIER.sub("", words)) != words:
        words = bare
    return words if len(words) <= most else words[: most - 1] + "…"
