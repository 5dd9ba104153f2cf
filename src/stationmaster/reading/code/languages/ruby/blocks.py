"""Commands that blocks make, as those of Mercenary and commander: `p.command(:add) do |c|`, with
what is said of `c` in the block, and the functions that are given it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.items import Called, Unit
from stationmaster.reading.code.languages.ruby.web import given, words
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.model import CliCommand, Option

_MEANING = code.table("ruby.programs.meaning", str)
_OPTIONS = code.names("ruby.programs.options")
_MAKING = code.names("ruby.programs.making")
CALLS = _MAKING | _OPTIONS | {_MEANING}
_GIVEN = re.compile(r"\w\s?\(\s{0,9}(\w+)\s{0,9}\)\s*$")
_HANDED = re.compile(r"(?m)^[ \t]*(?:\w+\.)?(\w+)[( ][ \t]*(\w+)[ \t]*\)?$")


def read(unit: Unit) -> Iterator[CliCommand]:
    """The commands of a file that say what they are for, and functions that add options to one."""
    inner: set[int] = set()
    for call in unit.called:
        block = call.node.child_by_field_name("block") if call.name in _MAKING else None
        names = block.child_by_field_name("parameters") if block is not None else None
        if block is None or names is None:
            continue
        parameter = unit.source.text(names).strip("|{ ")
        own = [
            it
            for it in unit.called
            if it.of == parameter and block.start_byte < it.node.start_byte < block.end_byte
        ]
        meaning = next((it for it in own if it.name == _MEANING), None)
        name = given(unit.source, call).word(0)
        if meaning is None or not name or not parameter.isidentifier():
            continue
        inner.update(it.node.start_byte for it in own)
        help_ = one_line(given(unit.source, meaning).word(0))
        handed = _HANDED.findall(unit.source.text(block))
        parts = (function for function, argument in handed if argument == parameter)
        is_program = bool(call.of) and call.of[0].isupper()
        yield CliCommand(
            () if is_program else (name,),
            call.line,
            help_,
            "",
            tuple(_options(unit, own)),
            program=name if is_program else "",
            parts=tuple(dict.fromkeys(parts)),
        )
    yield from _parts(unit, inner)


def _parts(unit: Unit, inner: set[int]) -> Iterator[CliCommand]:
    """Methods that add options to what they are given."""
    for symbol in unit.facts.symbols:
        match = _GIVEN.search(symbol.signature)
        own = [
            it
            for it in unit.called
            if match
            and it.of == match[1]
            and it.caller == symbol.qualified
            and it.node.start_byte not in inner
        ]
        if options := tuple(_options(unit, own)):
            yield CliCommand(
                (), symbol.line, options=options, holder=symbol.qualified, is_part=True
            )


def _options(unit: Unit, calls: Sequence[Called]) -> Iterator[Option]:
    """`c.option "port", "-P", "--port PORT", Integer, "Where it listens"`"""
    for call in calls:
        texts = [it for node in given(unit.source, call).at for it in words(unit.source, node)]
        names = tuple(it.split()[0].split("=")[0] for it in texts if it.startswith("-"))
        if call.name in _OPTIONS and names:
            meaning = texts[-1] if not texts[-1].startswith("-") else ""
            yield Option(names, call.line, one_line(meaning))
