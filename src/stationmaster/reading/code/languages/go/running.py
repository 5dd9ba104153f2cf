"""What a program of Go does by itself and stores, and what tests it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.go import entities
from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.go.tickers import schedules
from stationmaster.reading.code.languages.source import line_of, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Entry, Fact, Job, Test, TestKind

_CRONS = code.words("go.jobs.crons")
_LAMBDA = "github.com/aws/aws-lambda-go/lambda"
_TESTS = code.table("go.tests.functions", tuple[tuple[str, str, TestKind], ...])


def read(file: File) -> Iterator[Fact]:
    """The jobs, handlers, tables and tests of a file."""
    matches = file.matches("running")
    yield from schedules(file, matches)
    cron = next((_CRONS[each] for each in file.packages.values() if each in _CRONS), "")
    for call in file.called:
        yield from _called(file, call, cron)
    yield from entities.read(file, matches)
    if "testing" in file.packages.values():
        yield from _tests(file, matches)


def _called(file: File, call: Called, cron: str) -> Iterator[Fact]:
    package, name, scope = file.packages.get(call.on, ""), call.name, call.caller
    if not call.on or not (package or cron):
        return
    line, given = line_of(call.node), call.given.at
    first = file.literal(given[0]) if given else None
    is_added = cron == "cron" and name in ("AddFunc", "AddJob")
    if is_added and given and given[0].type == "identifier" and scope:
        yield Job(scope, "schedule", line, "", scope, cron, is_abstract=True)
    elif is_added and first:
        handler = one_line(file.text(given[-1]), 80)
        handler = handler if handler.replace(".", "").isidentifier() else scope
        yield Job(handler or first, "schedule", line, first, handler, "cron")
    elif cron == "gocron" and name == "Cron" and first:
        yield Job(scope or first, "schedule", line, first, scope, "gocron")
    elif package == _LAMBDA and name.startswith("Start") and given:
        handler = one_line(file.text(given[0]), 80)
        yield Entry(handler, "handler", line, handler)


def _tests(file: File, matches: list[dict[str, list[Node]]]) -> Iterator[Test]:
    for match in matches:
        if "function" in match:
            name = file.text(match["function"][0])
            text = file.text(match["parameters"][0]).rstrip(") ")
            for start, type_, kind in _TESTS:
                rest = name.removeprefix(start)
                if rest != name and not rest[:1].islower() and text.endswith(type_):
                    yield Test(name, line_of(match["whole"][0]), kind)
