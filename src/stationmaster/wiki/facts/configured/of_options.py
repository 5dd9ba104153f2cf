"""What variables mean that are read where an option of a command line is declared, as its default:
`flags.Int("port", env("PORT"), "Where it listens")`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from stationmaster.reading.code.model import Option
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.model import Facts, query

_LINES_MAX = 8
"""Of the declaration of an option."""


def meaning(facts: Facts, path: str, line: int) -> str:
    """The help of the option that is being declared at a line, with its name; '' for none."""
    declared = _declared(facts).get(path, {})
    for start in range(line, max(0, line - _LINES_MAX), -1):
        if option := declared.get(start):
            is_within = start == line or _is_open(lines_of(facts, path)[start - 1 : line - 1])
            help_ = option.help.rstrip(".")
            return f"{help_}. Option {option.names[-1]}." if is_within and help_ else ""
    return ""


@query
def _declared(facts: Facts) -> Mapping[str, Mapping[int, Option]]:
    """The options by file and line; of one line that has several, none."""
    lines: dict[str, list[Option]] = defaultdict(list)
    for file in interfaces(facts):
        for command in file.commands:
            lines[file.path] += [it for it in command.options if not it.path]
    declared = {}
    for path, options in lines.items():
        ordered = sorted(set(options), key=lambda it: (it.line, it.names))
        doubled = {one.line for one, other in pairwise(ordered) if one.line == other.line}
        declared[path] = {it.line: it for it in ordered if it.line not in doubled}
    return declared


def _is_open(lines: Sequence[str]) -> bool:
    """Is a bracket of some lines not closed at their end?"""
    text = "".join(lines)
    return text.count("(") > text.count(")")
