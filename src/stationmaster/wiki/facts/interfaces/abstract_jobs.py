"""Jobs that a class or a function stands for: who extends or calls it has the job."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from stationmaster.reading.code.model import Call, Job, Symbol
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import handler_of
from stationmaster.wiki.facts.configured.literals import arguments
from stationmaster.wiki.facts.model import Facts, Spot, query

DEPTH_MAX = 4
"""Levels of abstract classes that extend each other."""
_BESIDE = re.compile(r"^\s*go |\.Go\(")
"""How a line of Go begins what lasts."""
_LAST = re.compile(r"\.|\\\\|::")


def made_of(facts: Facts, path: str, job: Job) -> Iterator[tuple[str, Job]]:
    """The concrete jobs of an abstract one: of the classes that extend it, or of the calls of a
    function of Go, which set its schedule or start what lasts."""
    if not path.endswith(".go"):
        yield from _extending(facts, path, job)
        return
    calls = _calls_of_go(facts, Spot(path, job.handler))
    if job.trigger:
        texts = (lines_of(facts, user)[call.line - 1] for user, call in calls)
        yield from (
            [(path, replace(job, is_abstract=False))] if any(map(_BESIDE.search, texts)) else ()
        )
        return
    for user, call in calls:
        lines = lines_of(facts, user)[call.line - 1 : call.line + 1]
        values = arguments("\n".join(lines).partition(f"{call.name}(")[2], 0)
        if values and values[0][0] in '"`':
            is_named = values[-1].replace(".", "").isidentifier()
            handler = values[-1] if is_named else call.caller
            made = replace(job, name=handler, trigger=values[0][1:-1], handler=handler)
            yield user, replace(made, line=call.line)


def _calls_of_go(facts: Facts, spot: Spot) -> Iterator[tuple[str, Call]]:
    """The calls of a function of Go, each with its file."""
    name = spot.name.rpartition(".")[2]
    for user, code in facts.code.items():
        for call in code.calls if user.endswith(".go") else ():
            words = f"{call.of}.{name}" if call.of else name
            if call.name == name and handler_of(facts, user, words, call.line) == spot:
                yield user, call


def _extending(
    facts: Facts, above: str, job: Job, depth: int = DEPTH_MAX
) -> Iterator[tuple[str, Job]]:
    """The job of an abstract class of the file `above`, once for each class that extends it, with
    the method that does the work: its own or an inherited one."""
    method = job.handler.rpartition(job.name)[2]
    for path, symbol in _by_base(facts).get(job.name, ()) if depth else ():
        names = [(path, symbol.qualified + method), (above, job.handler), (path, symbol.qualified)]
        where, handler = next(place for place in names if symbol_of(facts, *place))
        made = replace(job, name=symbol.name, line=symbol.line, handler=handler)
        if "abstract" in symbol.signature.split():
            yield from _extending(facts, where, made, depth - 1)
        else:
            yield path, made


@query
def _by_base(facts: Facts) -> Mapping[str, list[tuple[str, Symbol]]]:
    """Classes of source files by the last word of each base."""
    classes: dict[str, list[tuple[str, Symbol]]] = defaultdict(list)
    for path, code in facts.code.items():
        for symbol in code.symbols if facts.records[path].file_class == "source" else ():
            for base in symbol.bases if symbol.kind == "class" else ():
                classes[_LAST.split(base.partition("<")[0])[-1]].append((path, symbol))
    return classes
