"""Names that are arguments, defaults or named values on their own: functions among them are passed
as values, and run without being called there. A nearer variable, parameter or part of a pattern
hides a function of its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.reading.code.explaining import indent
from stationmaster.reading.code.model import FileFacts, Given

GIVEN_MAX = 10_000
"""Of a file, and as many that are set."""
_PATTERN_LINES_MAX = 40
"""Of a pattern or a list of parameters of several lines."""
# All expressions that are searched for begin with signs and then look back: so they are several
# times as fast as those that begin with `\b` or with a look-behind.
_NAME = r"\s*(?:&\s*)?((?:::)?(?:[\w$@]+(?:\?\.|\.|::|->))*[A-Za-z_]\w*)(?:::class)?\s*(?=[,)\]])"
_FIRST = re.compile(_NAME)
_GIVEN = re.compile(rf"[(,=:](?<!::)(?!(?<=:):){_NAME}")
_ALONE = re.compile(r"\s*((?:\w{1,80}(?:\.|::)){0,5}[A-Za-z_]\w{0,80}),")
"""A line of a list, where it is no name that is imported."""
_IMPORTED = re.compile(r"\s*(?:(?:pub )?(?:from|import|use|using)\b[^)}]*|export )[({]\s*$")
_TEXT = re.compile(
    r"\"(?:[^\"\\\n]|\\.){0,200}\"|'(?:[^'\\\n]|\\.){0,200}'"
    r"|//(?<![\w&]//).*|#(?<![\w&]#)\s.*"
)
"""Texts and comments of one line."""
_SET = re.compile(r"([A-Za-z_](?<!\w[A-Za-z_])\w*)\s*(?::=|=(?![=>]))")
_KEYWORD = re.compile(r"[(,] ?(\w{1,80})=(?![=\s])|^\s+(\w{1,80})=(?![=\s])[^\n]{0,200},$")
_DECLARED = re.compile(
    r"(?:let(?<!\wlet)|const(?<!\wconst)|va[lr](?<!\wva[lr])|for(?<!\wfor)|mut(?<!\wmut)|as(?<!\was))"
    r"\s+\(?([A-Za-z_]\w*)"
)
_UNPACKED = re.compile(r"\b(?:let|const|var|val|for|foreach|lambda)\b(.{0,300})")
_LISTED = re.compile(r"\s*(\w+(?:, ?\w+)+) ?:?=(?!=)")
_TAKEN = re.compile(
    r"\b(?:func|function|def|fn|fun)\b[^()\n]{0,80}\(([^()\n]{0,400})|\|([^|\n]{1,200})\|"
)
_ARROW = re.compile(r"\(([^()\n]{0,200})\)[^()\n=]{0,80}=>|\b(\w+)\s*=>")
_BEFORE_ARROW = re.compile(r"([^=\n]{1,200})=>")
_PATTERN_END = re.compile(r"\s*[)\]}]{1,3}[^(=,\n]{0,80}(?:=>|=(?!=))")
"""Where a pattern or a list of parameters ends that began in an earlier line."""
_UNPACKED_END = re.compile(r"\b(?:in|of)\b|:=|=|:")
_WORD = re.compile(r"[A-Za-z_]\w*")
_SIGNS = re.compile(r"\?\.|::|->")
_NEVER = frozenset({"self", "this", "None", "True", "False", "null", "nil", "true", "false"})
_NEVER_BY_NAME = frozenset({"PHP", "Ruby"})
"""Languages in which the name of a function is no value: in Ruby it calls it."""
_BY_PATH = frozenset({"C", "C++", "Rust"})
"""Languages in which a name after `.` is a field unless it is called."""
_BY_SIGN = frozenset({"Java", "Kotlin"})
"""Languages in which functions are passed only by `::`."""


def add(facts: FileFacts, text: str, language: str) -> None:
    """Add the names that lines pass as values, and the lines that set such a name as a variable."""
    lines = text.split("\n")
    facts.given = tuple(_bounded(_passed(lines, language)))
    heads = {name.head for name in facts.given}
    bound = _bound(lines, language)
    facts.variables = tuple(_bounded(name for name in bound if name.name in heads))


def _bounded(names: Iterator[Given]) -> Iterator[Given]:
    return (name for name, _ in zip(names, range(GIVEN_MAX), strict=False))


def _passed(lines: Sequence[str], language: str) -> Iterator[Given]:
    open_ = 0
    """Brackets of an import of several lines."""
    for number, line in enumerate(lines, 1):
        begins_import = line.rstrip().endswith(("(", "{")) and _IMPORTED.match(line) is not None
        if begins_import or open_:
            open_ += sum(map(line.count, "({")) - sum(map(line.count, ")}"))
            continue
        alone = _ALONE.fullmatch(line) if line.endswith(",") else None
        if alone and _is_function(alone[1], language):
            yield _named(alone[1], number)
        if not (_has_values(line) and _has_values(bare := _TEXT.sub('""', line))):
            continue
        first = _FIRST.match(bare)
        others = _GIVEN.finditer(bare, first.end() if first else 0)
        for match in (first, *others) if first else others:
            if _is_function(match[1], language):
                yield _named(match[1], number)


def _named(words: str, line: int) -> Given:
    return Given(_SIGNS.sub(".", words).lstrip("$."), line)


def _is_function(words: str, language: str) -> bool:
    """May words on their own be the name of a function in a language?"""
    if words in _NEVER or language in _NEVER_BY_NAME:
        return False
    if language in _BY_SIGN:
        return "::" in words
    return language not in _BY_PATH or not ("." in words or "->" in words)


def _has_values(line: str) -> bool:
    return "(" in line or "," in line


def _bound(lines: Sequence[str], language: str) -> Iterator[Given]:
    """The names of variables, parameters and patterns that lines bind."""
    is_matching = language == "Rust"  # Patterns are before `=>`.
    for number, line in enumerate(lines, 1):
        keywords = _keywords(line) if "=" in line and language == "Python" else ()
        for match in _SET.finditer(line) if "=" in line else ():
            if match[1] not in keywords:
                yield Given(match[1], number)
        for match in _DECLARED.finditer(line):
            yield Given(match[1], number)
        for words in _patterns(line, is_matching=is_matching):
            yield from (Given(word, number) for word in _WORD.findall(words))
        if _PATTERN_END.match(line):
            yield from (Given(word, at) for at, words in _above(lines, number)
                        for word in _WORD.findall(words))  # fmt: skip


def _keywords(line: str) -> set[str]:
    """The names of arguments in a line of Python."""
    return {match[1] or match[2] for match in _KEYWORD.finditer(line)}


def _patterns(line: str, *, is_matching: bool) -> Iterator[str]:
    if (unpacked := _UNPACKED.search(line)) and _UNPACKED_END.search(line, unpacked.start(1)):
        yield _UNPACKED_END.split(unpacked[1], maxsplit=1)[0]
    if "," in line and (listed := _LISTED.match(line)):
        yield listed[1]
    if "|" in line or "(" in line:
        yield from (match[1] or match[2] or "" for match in _TAKEN.finditer(line))
    if "=>" in line and is_matching:
        yield from (match[1] for match in _BEFORE_ARROW.finditer(line))
    elif "=>" in line:
        yield from (match[1] or match[2] or "" for match in _ARROW.finditer(line))


def _above(lines: Sequence[str], number: int) -> Iterator[tuple[int, str]]:
    """The lines above one that are indented deeper, the nearest first."""
    own = indent(lines[number - 1])
    for at in range(number - 1, max(0, number - 1 - _PATTERN_LINES_MAX), -1):
        if lines[at - 1].strip() and indent(lines[at - 1]) <= own:
            return
        yield at, lines[at - 1]
