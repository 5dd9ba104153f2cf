"""Handlers of JavaScript that something ends before they do what depends on the request: a function
that is put around one, one that it calls first, or an answer of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.model import Symbol
from stationmaster.reading.code.signatures import arguments, parameters_apart
from stationmaster.wiki.facts.code.comments import asked_at, lines_of, symbol_of
from stationmaster.wiki.facts.guarding.guards import Guard, declared, forbidden, named, refusal
from stationmaster.wiki.facts.model import Facts, Spot, query

_MADE = r"(?:(?!\breturn\b|\bif\b)[^;]){0,300}?"
"""The inside of a call over lines."""
_FIRST = re.compile(
    r"^[ \t]+(?:(?:const|let) (?P<held>\w{1,80}) = (?:await )?(?P<asked>\w{1,80})\([^;]{0,200}?\);?"
    r"\s+if \(!(?P=held)\) (?:return;?$|\{\s{1,40}return;?\s{1,40}\})"
    r"|(?:const|let) \{[^{}\n]{0,200}\} = (?:await )?(?P<made>\w{1,80})"
    rf"(?P<given>\({_MADE}\));?\s+if \((?P<member>\w{{1,80}})\) (?:\{{\s{{1,40}})?"
    r"return (?P=member)\b[^;\n]{0,40};?(?:\s{1,40}\})?$"
    r"|if \((?P<condition>[^\n]{1,100})\) (?:\{\s{1,40})?return (?:"
    rf"(?:[^;\n]{{0,200}}?|(?:Next)?Response\.json\({_MADE})\b(?P<code>40[13])\b.*"
    r"|(?P<answer>\w{1,80})\([^;\n]{0,200}\);?(?:\s{1,40}\})?$))",
    re.MULTILINE,
)
"""What ends a handler that another function has answered for, with an answer that one has made, or
that answers 401 or 403."""
_PARTING = re.compile(r"^\s*(?:if|switch|return|for|while|try)\b|\bmethod\b", re.MULTILINE)
"""What tells some requests from others."""
_CHOOSING = re.compile(r"\b(?:if|switch|case)\b|\s\?\s")
_CODE = re.compile(r"\b40[13]\b")
_CALLED = re.compile(r"\b(\w{1,80})\(")
_AROUND = (
    r"^export const {0}\b[^=\n]{{0,80}}= (\w{{1,80}})\((?!\))"
    r"|^export default (\w{{1,80}})\((?:(?:async )?function )?{0}\b"
)
"""A function that is given a handler, and exported in its place."""
_RETURNED = re.compile(rf"\breturn\b({_MADE}(?:;|$|\b(?=return\b|if\b)))", re.MULTILINE)


@query
def stopping(facts: Facts, path: str, handler: Symbol) -> tuple[Guard, ...]:
    """The functions that answer 401 or 403 in the place of a handler, and the conditions under
    which it does so itself."""
    text = _body(facts, path, handler)
    found, at = [*_around(facts, path, handler)], 0
    for match in _FIRST.finditer(text):
        if _PARTING.search(text, at, match.start()):
            break
        at = match.end()
        code = match["code"] or (match["answer"] and _answer(facts, path, match["answer"]))
        if match["condition"] and not code:
            break
        if code and "method" not in match["condition"]:
            found.append(refusal(code, f"if {match['condition']}"))
        for guard in named(facts, path, filter(None, (match["asked"],)), handler.line):
            symbol = symbol_of(facts, *guard.spot) if guard.spot else None
            if guard.spot and symbol and forbidden().search(_body(facts, guard.spot.path, symbol)):
                found.append(guard)
        if match["made"]:
            made = _making(facts, path, match["made"], match["given"], match["member"])
            if made is None:
                break
            found.append(made)
    return tuple(found)


def _making(facts: Facts, path: str, name: str, given: str, member: str) -> Guard | None:
    """The function that makes an answer of 401 or 403, where no condition for it depends on
    what it is given but the request, or on what would have to be given."""
    spot, names, body = _function(facts, path, name)
    if spot is None or not re.search(rf"\breturn \{{[^{{}}]*\b{member}\b", body):
        return None
    at, line = len(arguments(given)), 0
    for number, text in enumerate(body.split("\n")):
        _, sign, made = text.partition(f"{member} = ")
        line = number if sign and _is_answer(facts, spot.path, made) else line
    symbol = symbol_of(facts, *spot)
    conditions = (
        asked_at(facts, spot.path, spot.name, symbol.line + line) if symbol and line else ()
    )
    asked = " ".join(text for it in conditions for text in it.texts)
    is_open = any(re.search(rf"\b{it}\b", asked) for it in names[1:at])
    is_open |= any(re.search(rf"(?<!!)\b{it}\b", asked) for it in names[at:])
    is_certain = asked and not is_open and all(it.word == "in" for it in conditions)
    return Guard(name, spot) if is_certain else None


def _around(facts: Facts, path: str, handler: Symbol) -> Iterator[Guard]:
    """The function around a handler, if that answers 401 or 403 before it calls what it is given,
    whatever else it is given."""
    text = f"{lines_of(facts, path)[handler.line - 1]}\n{facts.tree.text(path)}"
    match = re.search(_AROUND.format(re.escape(handler.name)), text, re.MULTILINE)
    name = (match[1] or match[2]) if match else ""
    spot, names, body = _function(facts, path, name)
    before, sign, _ = body.partition(f"{names[0]}(" if names else "\0")
    asked = [line for line in before.split("\n") if "if (" in line]
    is_open = any(re.search(rf"\b{it}\b", line) for it in names[1:] for line in asked)
    returned = _RETURNED.findall(before) if spot and sign and asked and not is_open else ()
    if spot and any(_is_answer(facts, spot.path, it) for it in returned):
        yield Guard(name, spot)


def _function(facts: Facts, path: str, name: str) -> tuple[Spot | None, list[str], str]:
    """Where a function is that a file calls so, with the names of its parameters and its text."""
    spot = declared(facts, path, name) if name else None
    symbol = symbol_of(facts, *spot) if spot else None
    if spot is None or symbol is None:
        return None, [], ""
    names = [words[0] for words in parameters_apart(symbol.signature) if words]
    return spot, names, _body(facts, spot.path, symbol)


def _is_answer(facts: Facts, path: str, text: str) -> bool:
    """Does an expression answer 401 or 403, by itself or by a function that always does?"""
    names = _CALLED.findall(text)
    return bool(_CODE.search(text)) or any(_answer(facts, path, name) for name in names)


def _answer(facts: Facts, path: str, name: str) -> str:
    """Which of 401 and 403 a function answers in any case; '' for neither."""
    text = _function(facts, path, name)[2]
    code = _CODE.search(text)
    return code[0] if code and not _CHOOSING.search(text) else ""


def _body(facts: Facts, path: str, symbol: Symbol) -> str:
    return "\n".join(lines_of(facts, path)[symbol.line - 1 : symbol.end])
