"""Functions within a function: the name of one, or the call that it is an argument of.

Both are read from the line that opens it; other ones are left out. And whether one that is written
before handlers refuses requests, and under which conditions something is put there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.receivers import without_arguments
from stationmaster.reading.code.languages.source import (
    Source,
    child,
    end_of,
    line_of,
    one_line,
    outward,
)

_NEXT = re.compile(r"\b[nN]ext\b")
_REFUSING = re.compile(
    r"\.Abort|\b40[13]\b|\b(?:Status)?(?:Unauthorized|Forbidden)\b|HTTPError\b|\.[rR]edirect\("
)
_ORIGIN = re.compile(r"(?i)[\"'.]origin\b")
_PERSON = re.compile(
    r"(?i)account|admin|auth|cookie|credential|\bip\b|jwt|key|log_?in|member|owner|passw|permi|role"
    r"|secret|session|signature|token|user"
)
"""The page that a request comes from, and who sends it or with which right."""
_MODIFIERS = (
    r"(?:(?:async|export|private|protected|public|internal|override|suspend|inline|static|final) )"
)
_DECLARED = re.compile(
    rf"\s*(?:{_MODIFIERS}{{0,4}}+(?:def|fun|fn|func|function)\b\*? (\w{{1,80}})\s?[(<]"
    rf"|{_MODIFIERS}{{1,4}}+[\w<>\[\]]{{1,80}} (\w{{1,80}})\([^;]*+$)"
)
_ARROW = (
    r"(?:\basync )?(?:\([^()]*+\)|(?<![\w$])[\w$]++)(?: ?: ?[^=(){}]{1,60})?\s?=>\s?\{?$"
    r"|(?:\basync )?\bfunction\b[^{}]{0,300}+\{$"
)
_TRAILING = r"\s?\{(?:\s[^{}]*+(?:(?<=->)|(?<=\bin)))?$"
_OPENED: Mapping[str, re.Pattern[str]] = {
    "C#": re.compile(_ARROW),
    "Go": re.compile(r"\bfunc\(.{0,300}\{$"),
    "Java": re.compile(r"(?:\([^()]*+\)|(?<!\w)\w++)\s?->\s?\{?$"),
    "JavaScript": re.compile(_ARROW),
    "Kotlin": re.compile(_TRAILING),
    "PHP": re.compile(_ARROW),
    "Ruby": re.compile(r"\s(?:\bdo(?: ?\|[^|]*+\|)?|\{ ?\|[^|]*+\|)$"),
    "Rust": re.compile(r"(?:\bmove )?\|[^|]*+\|(?: ?-> ?[^{]{1,60})? ?\{$|\basync (?:move )?\{$"),
    "Swift": re.compile(_TRAILING),
    "TSX": re.compile(_ARROW),
    "TypeScript": re.compile(_ARROW),
}
"""How a line ends that opens one without a name, by language."""
_ENDING_CALLS = ("Kotlin", "Swift")
_NAMED = re.compile(
    r"(?:(?:const|let|var|val|auto|mut|export|final|local) ){0,3}+[$@]?([\w.]{1,80}+)"
    r"(?:\s?:\s?[^=(){}]{1,80}+)?\s?(?::?=|:)$"
)
_TAKING = re.compile(r"^(?:return |await |(?:(?:const|let|val|var) )?[\w.$@]{1,80} :?= ){1,3}")
"""What takes the value of a call."""
GIVEN_MAX = 60
"""Letters of a call that is shown with its arguments."""
_CALLEE = re.compile(r"[\w$@?!.:>()-]{1,120}$")
_WORD = re.compile(r"(?<!\w)[A-Za-z_]\w*+$")
_BLOCKS = frozenset({
    "actor", "case", "class", "defer", "deinit", "do", "enum", "extension", "finally", "get()",
    "init", "interface", "object", "protocol", "set(value)", "struct", "try", "unsafe",
})  # fmt: skip
"""What blocks of other kinds begin with in languages whose functions end a call."""


_ASKED_MAX = 80


class Closure(NamedTuple):
    """A function with a `name`, or one that is `given` to the call in `name`; one that is returned
    has none."""

    kind: Literal["within", "given", "returned"]
    name: str = ""


def closure(text: str, language: str) -> Closure | None:
    """The function within another one that a line opens."""
    declared = _DECLARED.match(text)
    if declared and (name := declared[1] or declared[2]):
        return Closure("within", name)
    form = _OPENED.get(language)
    opened = form.search(text.rstrip()) if form else None
    if opened is None:
        return None
    before = text[: opened.start()].strip()
    if before in ("go", "defer"):
        return Closure("within", f"{before} func()")
    if before == "return":
        return Closure("returned")
    if named := _NAMED.fullmatch(before):
        return Closure("within", named[1])
    callee = _CALLEE.search(without_arguments(before))
    name = callee[0].removesuffix("(").removesuffix("()").strip(".:") if callee else ""
    last = _WORD.search(name)
    is_type = language in _ENDING_CALLS and last is not None and last[0][:1].isupper()
    if last is None or is_type or not _BLOCKS.isdisjoint((last[0], before)):
        return None
    shown = _TAKING.sub("", before)
    is_open = shown.count("(") > shown.count(")")
    shown = f"{shown.rstrip(',( ')})" if is_open and shown[-1:] != "(" else shown.rstrip("(")
    return Closure(
        "given", (shown if len(shown) <= GIVEN_MAX else name).removeprefix("->").strip(".")
    )


def lines_of(node: Node) -> str:
    """The lines of a node: `7-12`, or `7` for a single one."""
    first, last = line_of(node), end_of(node)
    return f"{first}-{last}" if last > first else str(first)


def is_refusing(text: str) -> bool:
    """Does a function that is written before handlers refuse some requests, and hand others on?
    One that only asks which page a request comes from decides nothing of who sends it."""
    if not (_NEXT.search(text) and _REFUSING.search(text)):
        return False
    asked = _REFUSING.sub("", text)
    return not _ORIGIN.search(asked) or _PERSON.search(asked) is not None


def asked_around(source: Source, node: Node, *ends: str, start: int = 0) -> str:
    """The conditions of a place up to a node of one of these types, without those around `start`,
    where its router is made."""
    conditions: list[str] = []
    for around, inner in outward(node, *ends):
        if around.start_byte < start:
            break
        word, test = "if", child(around, "condition")
        if around.type == "binary_expression":
            is_then = inner == child(around, "right") and source.part(around, "operator") == "&&"
            test = child(around, "left")
        elif around.type == "expression_case":
            word, test, is_then = "in case", child(around, "value"), True
        else:
            is_then = inner == child(around, "consequence")
            word = "if" if is_then else "unless"
        if test and (is_then or inner == child(around, "alternative")):
            conditions.append(f"{word} {one_line(source.text(test), _ASKED_MAX)}")
    return " and ".join(reversed(conditions))
