"""Names that stand alone as an argument, a default or a named value: functions among them are given
away, and run without being called there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.reading.code.model import FileFacts, Given

GIVEN_MAX = 10_000
"""Of a file, and as many that are set."""
# All expressions that are searched for begin with signs, and look back at what stands before them:
# so they are several times as fast as those that begin with `\b` or with a look back.
_NAME = r"\s*(?:&\s*)?((?:[\w$@]+(?:\?\.|\.|::|->))*[A-Za-z_]\w*)(?:::class)?\s*(?=[,)\]])"
_FIRST = re.compile(_NAME)
_GIVEN = re.compile(rf"[(,=:](?<!::)(?!:){_NAME}")
_ALONE = re.compile(r"\s*((?:\w{1,80}\.){0,5}[A-Za-z_]\w{0,80}),")
"""A line of a list, where it is no name that is imported."""
_IMPORTED = re.compile(r"\s*(?:from|import|use|using|export)\b[^)}]*[({]\s*$")
_CLOSED = re.compile(r"[)}]")
_TEXT = re.compile(
    r"\"(?:[^\"\\\n]|\\.){0,200}\"|'(?:[^'\\\n]|\\.){0,200}'"
    r"|//(?<![\w&]//).*|#(?<![\w&]#)\s.*"
)
"""Texts and comments of one line."""
_SET = re.compile(r"([A-Za-z_](?<!\w[A-Za-z_])\w*)\s*(?::=|=(?![=>]))")
_DECLARED = re.compile(
    r"(?:let(?<!\wlet)|const(?<!\wconst)|va[lr](?<!\wva[lr])|for(?<!\wfor)|mut(?<!\wmut))"
    r"\s+\(?([A-Za-z_]\w*)"
)
_SIGNS = re.compile(r"\?\.|::|->")
_NEVER = frozenset({"self", "this", "None", "True", "False", "null", "nil", "true", "false"})


def add(facts: FileFacts, text: str) -> None:
    """Note what each line gives away, and where such a name is set to something else."""
    lines = text.split("\n")
    facts.given = tuple(_bounded(_given(lines)))
    heads = {each.head for each in facts.given}
    facts.variables = tuple(_bounded(each for each in _set(lines) if each.name in heads))


def _bounded(names: Iterator[Given]) -> Iterator[Given]:
    return (each for each, _ in zip(names, range(GIVEN_MAX), strict=False))


def _given(lines: Sequence[str]) -> Iterator[Given]:
    is_import = False
    for number, line in enumerate(lines, 1):
        begins_import = line.rstrip().endswith(("(", "{")) and _IMPORTED.match(line) is not None
        is_import = begins_import or (is_import and not _CLOSED.search(line))
        alone = _ALONE.fullmatch(line) if not is_import and line.endswith(",") else None
        if alone and alone[1] not in _NEVER:
            yield Given(alone[1], number)
        if not (_has_values(line) and _has_values(bare := _TEXT.sub('""', line))):
            continue
        first = _FIRST.match(bare)
        others = _GIVEN.finditer(bare, first.end() if first else 0)
        for match in (first, *others) if first else others:
            name = _SIGNS.sub(".", match[1]).lstrip("$")
            if name not in _NEVER:
                yield Given(name, number)


def _has_values(line: str) -> bool:
    return "(" in line or "," in line


def _set(lines: Sequence[str]) -> Iterator[Given]:
    for number, line in enumerate(lines, 1):
        for match in _SET.finditer(line) if "=" in line else ():
            yield Given(match[1], number)
        for match in _DECLARED.finditer(line):
            yield Given(match[1], number)
