"""Command lines that annotations declare: classes are commands, and their fields options. A library
is a row of `commands.annotated` in the catalogue of its language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec.structs import replace

from stationmaster.catalogue.table import Row
from stationmaster.reading.code.languages import meanings
from stationmaster.reading.code.languages.command_lines.options import dashed
from stationmaster.reading.code.languages.inflections import kebab
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.languages.unit import Called, Field, Unit
from stationmaster.reading.code.model import CliCommand, Option, Symbol

Keys = tuple[int | str, ...]
"""Arguments of an annotation, the first of which that is there counts."""
_LETTER = re.compile(r"'(.)'")
_SPLIT = re.compile(r"[ ,|]+")
_PLAIN = re.compile(r"-?[\w.]{1,80}|\"[^\"]*\"|'[^']*'")
_NOTHING = ("", "null", "none", "nil")


class Form(Row, frozen=True):
    """An annotation of an option, or with `is_place` of an argument. `names` and `short` are its
    names: several in one text or a list, with their signs unless they are `bare`; `own` says how a
    field is called: in small letters without any name, with hyphens without a long one, in capitals
    as an argument, whose names then all are."""

    names: Keys = ()
    short: Keys = ()
    help: Keys = ()
    default: Keys = ()
    is_place: bool = False
    bare: bool = False
    own: Literal["lower", "kebab", "place", ""] = ""


class Library(Row, frozen=True):
    """The annotations of fields by their names, and that of a class (`mark`), with what gives its
    name and meaning. A class without the mark is the `program`, a `part` that other code names, or
    not there."""

    packages: tuple[str, ...]
    options: Mapping[str, Form]
    mark: str = ""
    name: Keys = ()
    help: Keys = ()
    unmarked: Literal["program", "part", ""] = ""


def annotated(unit: Unit, libraries: Iterable[Library]) -> Iterator[CliCommand]:
    """The commands of the libraries that a file imports. A class with `main`, or that lists its
    subcommands, is the program; others are below it or below the command around them."""
    known = [it for it in libraries if not it.packages or unit.proof.any_of(it.packages)]
    declared = reversed(unit.nodes["declared"] if known else ())
    nodes = {unit.scopes.at(it.end_byte - 1): it for it in declared}
    notes = {it.qualified: it.notes for it in unit.noted} if known else {}
    mains = {symbol.container for symbol in unit.symbols if symbol.name == "main"}
    for library in known:
        words: dict[str, tuple[str, ...]] = {}
        for symbol in unit.symbols:
            node = nodes.get(symbol.qualified) if symbol.kind in ("class", "struct") else None
            fields = unit.fields(node) if node is not None else ()
            options = tuple(it for field in fields for it in options_of(field, library))
            note = notes.get(symbol.qualified, {}).get(library.mark)
            if note is None and options and library.unmarked:
                yield _unmarked(symbol, options, is_part=library.unmarked == "part")
            elif note is not None:
                name = next(
                    iter(note.texts(*library.name)), "" if library.unmarked else symbol.name
                )
                above = words.get(symbol.container, ())
                is_program = symbol.qualified in mains or note.given.get("subcommands") is not None
                own = (*above, name) if name and (above or not is_program) else ()
                words[symbol.qualified] = own
                help_ = one_line(" ".join(note.texts(*library.help)))
                yield CliCommand(own, note.line, help_, symbol.qualified, options)


def _unmarked(symbol: Symbol, options: tuple[Option, ...], *, is_part: bool) -> CliCommand:
    row = CliCommand((), symbol.line, handler=symbol.qualified, options=options)
    part = {"handler": "", "holder": symbol.qualified, "parts": symbol.bases, "is_part": True}
    return replace(row, **part) if is_part else row


def options_of(field: Field, library: Library) -> Iterator[Option]:
    """The option that a field is; none of one whose name is no text."""
    for mark, form in library.options.items():
        if (note := field.notes.get(mark)) is None:
            continue
        if (option := option_of(note, form, field.name, field.line)) is not None:
            yield option


def option_of(note: Called, form: Form, field: str, line: int) -> Option | None:
    """The option or argument that an annotation or a call declares; `field` is what else it may be
    called after."""
    texts = [text for keys in (form.short, form.names) for text in _texts(note, keys)]
    parts = [part for it in texts for part in _SPLIT.split(it) if part[:1] not in "<["]
    spelled = {"lower": field.lower(), "kebab": kebab(field)}.get(form.own, field.upper())
    if form.is_place or (form.own == "place" and not texts):
        name = "".join(texts[:1]).strip("<>[]") or spelled
        names: tuple[str, ...] = (name.upper() if form.own == "place" else name,)
    elif form.bare:
        keys = form.names if form.own == "kebab" else (*form.short, *form.names)
        is_own = bool(form.own) and note.given.get(*keys) is None
        names = dashed(*parts, f"--{spelled}" if is_own else "")
    else:
        names = tuple(parts)
    return Option(names, line, _help(note, form), _written(note, form)) if names else None


def _texts(note: Called, keys: Keys) -> list[str]:
    """The texts of an argument, also of one that is a single letter."""
    letter = _LETTER.fullmatch(note.written_at(*keys))
    return [letter[1]] if letter else [text for text in note.texts(*keys) if text]


def _help(note: Called, form: Form) -> str:
    if plain := one_line(" ".join(note.texts(*form.help))):
        return plain
    meaning = meanings.message(note.unit, note.given.get(*form.help))
    return "" if "…" in meaning else meaning


def _written(note: Called, form: Form) -> str | None:
    """The default of an option; None where it is nothing, or an expression."""
    written = note.written_at(*form.default)
    plain = written.strip("\"'") if _PLAIN.fullmatch(written) else ""
    return note.value(*form.default) or (plain if plain.lower() not in _NOTHING else "") or None
