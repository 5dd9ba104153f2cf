"""What annotations, attributes and base types of frameworks make of a file: routes and jobs. A
framework is a row of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from stationmaster.catalogue import code
from stationmaster.catalogue.table import Row
from stationmaster.reading.code.languages.annotations import head_of, joined
from stationmaster.reading.code.languages.unit import Called, Noted, Unit, last_of
from stationmaster.reading.code.model import Job, JobKind, Made, Maker, Route, Wiring

_OWN_MAX, _WRITTEN_MAX = 12, 200
"""Annotations of one route that may stand for guards, and letters of the arguments of one."""
_ASKED = code.ordered("jvm.routes.asked")
Annotations = dict[str, tuple[JobKind, str, tuple[str, ...]]]
"""What annotations make of what they mark: kind and framework of the job, and the packages that
prove an annotation."""


class Base(Row, frozen=True):
    """A base type that makes a class a job, believed where it is imported from `packages`, if there
    are some. `run` is the method that does the work, `moment` when it does, where no type argument
    says that."""

    kind: JobKind
    framework: str
    packages: tuple[str, ...] = ()
    run: str = ""
    moment: str = ""


class Framework(Row, frozen=True):
    """The annotations of `packages` that make a route of a method: those that are all spelled as
    `verbs`, and `several`, which are given the HTTP methods.

    They are believed where the file imports them, and where it imports anything of `packages` or
    the class extends one of `bases`, if there are some, or one of the project's that ends in
    `ending`. A class must have one of the annotations `holders`, if there are some, or one that is
    of none of `libraries`, if there are some, and may stand for a holder; and none of `others`. The
    first of its annotations `above` has a prefix, the method's annotation `beside` the path where
    the route's own has none; `path` are the arguments that say them. `guards` let only some callers
    pass; those of a method are asked beside those of its class if it `adds_guards`. What it
    `can_compose` are annotations of the project's own that have its annotations and stand for them.
    """

    name: str
    packages: tuple[str, ...]
    path: tuple[int | str, ...]
    verbs: str = ""
    several: frozenset[str] = frozenset()
    bases: tuple[str, ...] = ()
    ending: str = ""
    holders: frozenset[str] = frozenset()
    libraries: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()
    above: tuple[str, ...] = ()
    beside: str = ""
    guards: tuple[str, ...] = ()
    adds_guards: bool = False
    can_compose: bool = False

    @property
    def annotations(self) -> frozenset[str]:
        """All that the framework knows itself."""
        return frozenset({*self.methods, *self.holders, *self.above, *self.guards})

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
    note: Called
    notes: Mapping[str, Called]
    above: Mapping[str, Called]
    has_prefix: bool


def routes(unit: Unit, frameworks: Mapping[str, Framework]) -> Iterator[Route]:
    """The routes of a file."""
    for row in frameworks.values():
        for answer in answers(unit, row):
            named = guards(row, answer.notes)
            if row.adds_guards:
                own = guards(row, answer.each.notes)
                named = tuple(dict.fromkeys((*guards(row, answer.above), *own)))
            guard, *further = named or ("",)
            path, name = joined(answer.prefix, answer.path), answer.each.qualified
            place = (answer.method, path, answer.note.line, name, "")
            yield Route(*place, guard, row.name, tuple(further))


def guards(row: Framework, notes: Mapping[str, Called]) -> tuple[str, ...]:
    """The annotations that let only some callers pass, as written; then, where there may be some
    that stand for others, the project's own as `@Own`."""
    own = [name for name in notes if row.can_compose and name not in row.annotations]
    asking = [name for name in own if _asks(notes[name])]
    named = [f"{name}{notes[name].written}" for name in (*row.guards, *asking) if name in notes]
    return (*named, *(f"@{name}{_short(notes[name])}" for name in own[:_OWN_MAX]))


def _short(note: Called) -> str:
    """The arguments of an annotation as written, unless they are a whole document."""
    return note.written if len(note.written) <= _WRITTEN_MAX else ""


def _asks(note: Called) -> bool:
    """Does an annotation of any package say who may call, as `@Access(role = ADMIN)` does?"""
    values = [note.written_at(key) for key in _ASKED if note.given.get(key) is not None]
    return bool(values) and "false" not in values


def composed(unit: Unit, frameworks: Mapping[str, Framework]) -> Wiring:
    """What annotations of the project's own stand for: routes and guards; and the methods of a file
    that have one which may stand for a route."""
    declared = [each for each in unit.noted if _is_annotation(unit, each)]
    makers, standing, made = [], [], []
    for row in frameworks.values():
        if not row.can_compose:
            continue
        for each in declared:
            if named := guards(row, each.notes):
                standing.append((each.name, named))
            for name, method in row.methods.items():
                note = each.notes.get(name)
                if note is not None and unit.proof.of(note.name, row.packages):
                    method = method or ",".join(note.words("method"))
                    makers.append(
                        Maker(each.name, row.name, ("path",), "{path}", method, "{handler}")
                    )
        made += [*_made(unit, row)]
    return Wiring(makers=tuple(makers), made=tuple(made), middleware=tuple(standing))


def _is_annotation(unit: Unit, each: Noted) -> bool:
    return each.node.type == "annotation_type_declaration" or (
        each.kind == "class" and "annotation" in head_of(unit, each.node).words
    )


def _made(unit: Unit, row: Framework) -> Iterator[Made]:
    """The methods of what answers that have none of the framework's annotations for a route."""
    classes = {each.qualified: each for each in unit.noted if each.kind == "class"}
    for each in unit.noted:
        holder = classes.get(each.holder) if each.kind == "method" else None
        above = holder.notes if holder else {}
        is_proven = any(
            name in above and unit.proof.of(above[name].name, row.packages)
            for name in (*row.holders, *row.above)
        )
        if not is_proven or row.holders.isdisjoint(above) or row.methods.keys() & each.notes:
            continue
        first = next((above[name] for name in row.above if name in above), None)
        prefix = first.value(*row.path) if first else ""
        named = guards(row, {**above, **each.notes})
        for name, note in each.notes.items():
            for path in note.texts(*row.path) or [""]:
                words = {"path": joined(prefix, path), "handler": each.qualified}
                yield Made("", name, note.line, words, row.name, named)


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
        if row.holders.isdisjoint(above) and not _is_held(unit, row, holder):
            continue
        notes = {**above, **each.notes}
        first = next((above[name] for name in row.above if name in above), None)
        beside = each.notes.get(row.beside)
        own = [*filter(None, note.texts(*row.path))] or (beside.texts(*row.path) if beside else [])
        named = [methods[name]] if methods[name] else note.texts("methods") or note.words("method")
        for prefix in (first.texts(*row.path) if first else []) or [""]:
            for path in own or [""]:
                for method in named or ["ANY"]:
                    place = (method.upper(), prefix, path, each, note)
                    yield Answer(*place, notes, above, first is not None)


def _is_held(unit: Unit, row: Framework, holder: Noted | None) -> bool:
    """Does a class without a holder's annotation answer?"""
    if not row.holders or holder is None or holder.kind != "class":
        return not row.holders
    of_libraries = (
        name in row.libraries or unit.proof.of(note.name, row.libraries)
        for name, note in holder.notes.items()
    )
    return bool(row.libraries) and not all(of_libraries)


def _marked(
    unit: Unit, row: Framework, methods: Mapping[str, str]
) -> Iterator[tuple[Noted, Called, str]]:
    if not row.bases:
        yield from unit.marked(dict.fromkeys(methods, row.packages))
        return
    is_imported = unit.proof.any_of(row.packages)
    derived = {symbol.qualified for symbol, _ in unit.classes(*row.bases)}
    if row.ending:
        derived |= {it.qualified for it in unit.symbols if any(map(row.is_below, it.bases))}
    for each in unit.noted:
        for name in each.notes if is_imported or each.holder in derived else ():
            if name in methods:
                yield each, each.notes[name], name


def _answers_itself(unit: Unit, holder: Noted) -> bool:
    """Is a class itself what answers, and none of its methods but the one by which it is called?"""
    return not any(
        symbol.container == holder.qualified and symbol.name != "__invoke" and symbol.marks
        for symbol in unit.symbols
    )


def jobs(
    unit: Unit,
    rows: Annotations,
    triggers: tuple[int | str, ...],
    moments: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Job]:
    """The jobs that annotations make; the first of the arguments `triggers` says when they run, or
    else `moments` by annotation."""
    for each, note, name in unit.marked({name: row[2] for name, row in rows.items()}):
        if each.kind in ("method", "function", "class"):
            kind, framework, _ = rows[name]
            trigger = _trigger(note, triggers) or moments.get(name, "")
            yield Job(each.name, kind, note.line, trigger, each.qualified, framework)


def _trigger(note: Called, keys: tuple[int | str, ...]) -> str:
    """The schedule, topics or events: of a number, what it counts, in milliseconds if nothing else
    is said."""
    for key in keys:
        if note.given.get(key) is None:
            continue
        given = (key,) if isinstance(key, str) else range(len(note.given.at))
        words = ", ".join(word for at in given for word in note.texts(at) or note.words(at))
        if isinstance(key, str) and key.startswith("fixed"):
            unit = next(iter(note.words("timeUnit")), "milliseconds").lower()
            return f"{key.removesuffix('String')}: {words.replace('_', '')} {unit}"
        return words
    return ""


def jobs_by_base(unit: Unit, rows: Mapping[str, Base]) -> Iterator[Job]:
    """The jobs that classes are by what they extend or implement: `IConsumer<Order>`."""
    names = {symbol.qualified for symbol in unit.symbols}
    for symbol, base in unit.classes(*rows):
        row = rows[last_of(base)]
        is_proven = not row.packages or unit.proof.of(base.partition("<")[0], row.packages)
        if symbol.kind == "class" and is_proven:
            given = base.partition("<")[2].partition(",")[0].rstrip("> ").rpartition(".")[2]
            run = f"{symbol.qualified}.{row.run}"
            is_abstract = "abstract" in symbol.signature.split()
            is_run = run in names or (row.run and is_abstract)
            handler = run if is_run else symbol.qualified
            moment = given or row.moment
            yield Job(
                symbol.name, row.kind, symbol.line, moment, handler, row.framework, is_abstract
            )
