"""The help that programs print, as their code has it: lines of options with their meanings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

import msgspec

from stationmaster.wiki.facts.configured.go_structs import sources
from stationmaster.wiki.facts.extending.offered import public
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling.declared_programs import programs
from stationmaster.wiki.text.inline import Place

_OPTIONS_MIN = 4
"""Fewer may be an example."""
_APART_MAX = 6
"""Lines that may be between two options, for the meaning of the first one."""
_ABOVE_MAX = 12
"""Lines above the first option that may have the form of the command."""
_LINES_MAX, _TEXTS_MAX, _LENGTH_MAX = 150, 4, 200
_SHELLS = (".sh", ".bash", ".zsh", ".fish", ".ksh")
_QUOTES = "\"'`"
_OPTION = re.compile(
    r"-{1,2}[A-Za-z0-9?][\w.-]{0,60}(?:[ ,|/=\[<{][^\n]{0,80}?)?(?:[ ]{2,}|\t)\S[^\n]*"
)
"""An option with its meaning."""
_USAGE = re.compile(r"(?i)[^\w\n]{0,20}usage\b")
_END = re.compile(r"[\"'`]?\s{0,4}[)\]};]|\"\"\"|'''")


class Usage(msgspec.Struct, frozen=True):
    """A text of help at the lines of `place`, without the quotes of the code."""

    place: Place
    text: str


@query
def usages(facts: Facts) -> tuple[Usage, ...]:
    """Those of the product's code, at most four, by path, those of scripts last."""
    # What is next to a library, which has no program, only helps to build it.
    is_library = bool(public(facts)) and not programs(facts)
    paths = (it for it in facts.records if not is_library or "bin" in it.split("/")[:-1])
    scripts = (path for path in paths if _is_script(facts, path))
    every = (usage for path in chain(sources(facts), scripts) for usage in _of_file(facts, path))
    return tuple(islice(every, _TEXTS_MAX))


def _is_script(facts: Facts, path: str) -> bool:
    """Is a file a script of a shell, or one without an ending that names what runs it?"""
    record = facts.records[path]
    if path.endswith(_SHELLS):
        return record.file_class == "source"
    is_bare = record.file_class == "unknown" and "." not in path.rpartition("/")[2]
    return is_bare and facts.tree.text(path).startswith("#!")


def _of_file(facts: Facts, path: str) -> Iterator[Usage]:
    text = facts.tree.text(path)
    if text.count(" -") < _OPTIONS_MIN or "sage" not in text:
        return
    lines = text.split("\n")
    options = [at for at, line in enumerate(lines) if _OPTION.fullmatch(_bare(line).strip())]
    for first, last in _runs(options):
        start = next((at for at in _above(first) if _USAGE.match(_bare(lines[at]))), first)
        end = last
        while end + 1 < len(lines) and end - last < _APART_MAX and _goes_on(lines[end + 1]):
            end += 1
        shown = [_bare(line) for line in lines[start : end + 1][:_LINES_MAX]]
        yield Usage(Place(path, start + 1, start + len(shown)), "\n".join(shown).strip("\n"))


def _above(first: int) -> range:
    return range(max(0, first - _ABOVE_MAX), first)


def _runs(options: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and last lines of places with enough options close to each other."""
    start = 0
    for at in range(1, len(options) + 1):
        if at == len(options) or options[at] - options[at - 1] > _APART_MAX + 1:
            if at - start >= _OPTIONS_MIN:
                yield options[start], options[at - 1]
            start = at


def _goes_on(line: str) -> bool:
    bare = _bare(line)
    return bool(bare.strip()) and bare[:1].isspace() and not _END.match(line.strip())


def _bare(line: str) -> str:
    """A line of a text, without the quotes, commas and signs of code around it."""
    line = line.rstrip()[:_LENGTH_MAX]
    whole = line.strip().rstrip(",+\\").strip()
    if len(whole) > 1 and whole[0] in _QUOTES and whole[-1] == whole[0]:
        return whole[1:-1].removesuffix("\\n")
    return line
