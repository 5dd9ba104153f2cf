"""Jobs, tests and entries of Java and Kotlin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import annotated
from stationmaster.reading.code.languages.annotated import Annotations, Base
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Entry, EntryKind, Job, Test

_JOBS = code.table("jvm.jobs.annotations", Annotations)
_BASES = code.table("jvm.jobs.bases", dict[str, Base])
_TRIGGERS = code.table("jvm.jobs.triggers", tuple[str | int, ...])
_MOMENTS = code.table("jvm.jobs.moments", dict[str, str])
_HANDLERS = code.table("jvm.jobs.handlers", dict[str, str])
_TESTS = code.table("jvm.tests.annotations", dict[str, tuple[str, ...]])
_KOTEST = ("io.kotest",)
_SPECS = code.ordered("jvm.tests.specs")
_CASES = code.names("jvm.tests.cases")
_SERVERS = {"embeddedServer": ("io.ktor.server",)}
_TAKEN = re.compile(r"\((?:final |@\w+ )*(?:\w+: )?([A-Z][\w.]*)")
"""The type of the first parameter of a method."""
CALLS = frozenset({*_CASES, *_SERVERS})


def jobs(unit: Unit) -> Iterator[Job]:
    """The scheduled methods, listeners and consumers, by annotation; then the jobs of Quartz."""
    handlers = _handlers(unit)
    heads = {symbol.qualified: symbol.signature for symbol in unit.symbols}
    for job in annotated.jobs(unit, _JOBS, _TRIGGERS, _MOMENTS):
        taken = _TAKEN.search(heads.get(job.handler, "")) if job.kind == "event" else None
        yield replace(
            job,
            handler=handlers.get(job.handler, job.handler),
            trigger=job.trigger or (taken[1] if taken else ""),
        )
    yield from annotated.jobs_by_base(unit, _BASES)


def _handlers(unit: Unit) -> dict[str, str]:
    """The only method that handles what comes to a class which is a consumer, by the class."""
    handlers = {}
    for holder in unit.noted:
        marks = {mark for name, mark in _HANDLERS.items() if name in holder.notes}
        methods = [
            it.qualified
            for it in unit.noted
            if marks and it.holder == holder.qualified and it.notes.keys() & marks
        ]
        if len(methods) == 1:
            handlers[holder.qualified] = methods[0]
    return handlers


def tests(unit: Unit) -> Iterator[Test]:
    """The tests of JUnit, TestNG and Kotest."""
    for noted, note, _ in unit.marked(_TESTS):
        if noted.kind in ("method", "function", "property"):
            yield Test(noted.name, note.line)
    if unit.proof.any_of(_KOTEST) and next(unit.classes(*_SPECS), None):
        for call in unit.called:
            if call.name in _CASES and (name := call.value(0)):
                yield Test(name, call.line)


def entries(unit: Unit) -> Iterator[Entry]:
    """The Spring Boot and Quarkus applications, and the `main` functions."""
    apps = unit.marked(
        {
            "SpringBootApplication": ("org.springframework.boot",),
            "QuarkusMain": ("io.quarkus.runtime.annotations",),
        }
    )
    started = {noted.qualified: noted for noted, _, _ in apps}
    for name, noted in started.items():
        symbol = next((s for s in unit.symbols if s.qualified == name), None)
        yield Entry(noted.name, "server", symbol.line if symbol else 1, name)
    servers = {
        call.caller: call
        for call in unit.called
        if call.name in _SERVERS and unit.proof.of(call.name, _SERVERS[call.name])
    }
    for symbol in unit.symbols:
        is_main = symbol.name == "main" and (
            "static" in symbol.signature.split() or symbol.kind == "function"
        )
        if is_main and symbol.container not in started:
            kind: EntryKind = "server" if symbol.qualified in servers else "main"
            name = symbol.container.rpartition(".")[2] or "main"
            yield Entry(name, kind, symbol.line, symbol.qualified)
