"""What annotations, attributes and base types of frameworks make of a file: routes and jobs. A
framework is a row of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stationmaster.catalogue import code
from stationmaster.catalogue.table import Row
from stationmaster.reading.code.languages.items import Unit, last_of
from stationmaster.reading.code.languages.notes import Note, Noted, joined
from stationmaster.reading.code.model import Job, JobKind, Route

Annotations = dict[str, tuple[JobKind, str, tuple[str, ...]]]
"""What annotations make of what they mark: kind and framework of the job, and the packages that
prove an annotation."""


class Base(Row, frozen=True):
    """A base type that makes a class a job, believed where it is imported from `packages`, if there
    are some. `run` is the method that does the work."""

    kind: JobKind
    framework: str
    packages: tuple[str, ...] = ()
    run: str = ""


class Framework(Row, frozen=True):
    """The annotations of `packages` that make a route of a method: those that are all spelled as
    `verbs`, and `several`, which are given the HTTP methods.

    They are believed where the file imports them, and where it imports anything of `packages` or
    the class extends one of `bases`, if there are some, or one of the project's that ends in
    `ending`. A class must have one of the annotations
    `holders`, if there are some, and none of `others`. The first of its annotations `above` has a
    prefix, the method's annotation `beside` the path where the route's own has none; `path` are the
    arguments that say them. `guards` let only some callers pass.
    """

    name: str
    packages: tuple[str, ...]
    path: tuple[int | str, ...]
    verbs: str = ""
    several: frozenset[str] = frozenset()
    bases: tuple[str, ...] = ()
    ending: str = ""
    holders: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    above: tuple[str, ...] = ()
    beside: str = ""
    guards: tuple[str, ...] = ()

    def is_below(self, base: str) -> bool:
        """Is a class that is extended called as those are which answer requests?"""
        return base.partition("<")[0].endswith(self.ending)

    @property
    def methods(self) -> dict[str, str]:
        """HTTP's methods by annotation, '' for one that is given them."""
        return {
            **(code.methods(self.verbs) if self.verbs else {}),
            **dict.fromkeys(self.several, ""),
        }


class Answer(NamedTuple):
    """A method that answers below the `prefix` of its class; `notes` are the annotations of both,
    those of the method before those of the class."""

    method: str
    prefix: str
    path: str
    each: Noted
    note: Note
    notes: Mapping[str, Note]
    has_prefix: bool


def routes(unit: Unit, frameworks: Mapping[str, Framework]) -> Iterator[Route]:
    """The routes of a file."""
    for row in frameworks.values():
        for answer in answers(unit, row):
            guard = next((name for name in row.guards if name in answer.notes), "")
            path, name = joined(answer.prefix, answer.path), answer.each.qualified
            yield Route(
                answer.method, path, answer.note.line, name, guard=guard, framework=row.name
            )


def answers(unit: Unit, row: Framework) -> Iterator[Answer]:
    """What answers requests, once for each method and path."""
    classes = {each.qualified: each for each in unit.noted if each.kind in ("class", "interface")}
    methods = row.methods
    for each, note, name in _marked(unit, row, methods):
        holder = classes.get(each.holder) if each.kind == "method" else None
        above = holder.notes if holder else {}
        is_one = each.kind == "method" or (each.kind == "class" and _answers_itself(unit, each))
        if not is_one or not row.others.isdisjoint(above):
            continue
        if row.holders and row.holders.isdisjoint(above):
            continue
        notes = {**above, **each.notes}
        first = next((above[name] for name in row.above if name in above), None)
        beside = each.notes.get(row.beside)
        own = [*filter(None, note.texts(*row.path))] or (beside.texts(*row.path) if beside else [])
        named = [methods[name]] if methods[name] else note.texts("methods") or note.words("method")
        for prefix in (first.texts(*row.path) if first else []) or [""]:
            for path in own or [""]:
                for method in named or ["ANY"]:
                    yield Answer(method.upper(), prefix, path, each, note, notes, first is not None)


def _marked(
    unit: Unit, row: Framework, methods: Mapping[str, str]
) -> Iterator[tuple[Noted, Note, str]]:
    if not row.bases:
        yield from unit.marked(dict.fromkeys(methods, row.packages))
        return
    is_imported = unit.proof.any_of(row.packages)
    derived = {symbol.qualified for symbol, _ in unit.classes(*row.bases)}
    if row.ending:
        derived |= {it.qualified for it in unit.facts.symbols if any(map(row.is_below, it.bases))}
    for each in unit.noted:
        for name in each.notes if is_imported or each.holder in derived else ():
            if name in methods:
                yield each, each.notes[name], name


def _answers_itself(unit: Unit, holder: Noted) -> bool:
    """Is a class itself what answers, and none of its methods but the one by which it is called?"""
    return not any(
        symbol.container == holder.qualified and symbol.name != "__invoke" and symbol.marks
        for symbol in unit.facts.symbols
    )


def jobs(unit: Unit, rows: Annotations, triggers: tuple[int | str, ...]) -> Iterator[Job]:
    """The jobs that annotations make; the first of the arguments `triggers` says when they run."""
    for each, note, name in unit.marked({name: row[2] for name, row in rows.items()}):
        if each.kind in ("method", "function", "class"):
            kind, framework, _ = rows[name]
            trigger = _trigger(note, triggers)
            yield Job(each.name, kind, note.line, trigger, each.qualified, framework)


def _trigger(note: Note, keys: tuple[int | str, ...]) -> str:
    """The schedule, topics or events: of a number, what it counts, in milliseconds if nothing else
    is said."""
    for key in keys:
        if note.arguments.get(key) is None:
            continue
        given = (key,) if isinstance(key, str) else range(len(note.arguments.at))
        words = ", ".join(word for at in given for word in note.texts(at) or note.words(at))
        if isinstance(key, str) and key.startswith("fixed"):
            unit = next(iter(note.words("timeUnit")), "milliseconds").lower()
            return f"{key.removesuffix('String')}: {words.replace('_', '')} {unit}"
        return words
    return ""


def jobs_by_base(unit: Unit, rows: Mapping[str, Base]) -> Iterator[Job]:
    """The jobs that classes are by what they extend or implement: `IConsumer<Order>`."""
    names = {symbol.qualified for symbol in unit.facts.symbols}
    for symbol, base in unit.classes(*rows):
        row = rows[last_of(base)]
        is_proven = not row.packages or unit.proof.of(base.partition("<")[0], row.packages)
        if symbol.kind == "class" and is_proven:
            told = base.partition("<")[2].partition(",")[0].rstrip("> ").rpartition(".")[2]
            run = f"{symbol.qualified}.{row.run}"
            is_abstract = "abstract" in symbol.signature.split()
            is_run = run in names or (row.run and is_abstract)
            handler = run if is_run else symbol.qualified
            yield Job(symbol.name, row.kind, symbol.line, told, handler, row.framework, is_abstract)
