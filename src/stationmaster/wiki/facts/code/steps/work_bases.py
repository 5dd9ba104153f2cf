"""Base classes of the repository whose work, in those that extend them, runs in the background."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stationmaster.catalogue import code
from stationmaster.reading.code.model import Call, Job, Symbol
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import targets, types
from stationmaster.wiki.facts.code.steps.own_queues import ITSELF, PUTS
from stationmaster.wiki.facts.model import Facts, Spot, query

_GIVEN = re.compile(
    r"[({\s]*(?:name: ?)?(?:cls\b|self\.(?:__class__|class)\b|this\.constructor\b|static::class)"
)
"""How a call is given the class that makes it."""
_GIVEN_MAX = 3
"""Lines of a call up to what it is given."""
_LIBRARIES = code.table("python.jobs.queues", dict[str, str])
_LIBRARIES |= code.table("ecmascript.jobs.queues", dict[str, str])


@query
def put_bases(facts: Facts) -> Mapping[Spot, tuple[Job, frozenset[str]]]:
    """The abstract classes of the repository that put themselves on a queue of a library, with the
    job that those which extend one do, and the names of the methods that put it there."""
    bases: dict[Spot, tuple[Job, frozenset[str]]] = {}
    for path, file in facts.code.items():
        for call in file.calls if facts.records[path].file_class == "source" else ():
            holder, _, put = call.caller.rpartition(".")
            if not PUTS.fullmatch(call.name) or not types(facts).below((path, holder)):
                continue
            lines = lines_of(facts, path)[call.line - 1 : call.line + _GIVEN_MAX]
            given = " ".join(lines).partition(f"{call.name}(")[2]
            own = [it for it in file.symbols if it.container == holder]
            work = [it.name for it in own if it.kind == "method" and is_abstract(it)]
            symbol = symbol_of(facts, path, holder)
            is_given = symbol and len(work) == 1 and _GIVEN.match(given)
            framework = _library(facts, path, call) if is_given else ""
            if symbol and framework:
                again = {it.caller.rpartition(".")[2] for it in file.calls
                         if it.name == put and ITSELF.match(it.of)}  # fmt: skip
                names = frozenset({put, *filter(PUTS.fullmatch, again)})
                handler = f"{holder}.{work[0]}"
                job = Job(symbol.name, "queue", symbol.line, "", handler, framework, True)
                bases[Spot(path, holder)] = job, names
    return bases


def _library(facts: Facts, path: str, call: Call) -> str:
    """The library of queues that the file of a call, or of what it calls, imports."""
    paths = (path, *(end.path for end in targets(facts, path, call)))
    names = (re.split(r"[./:]", it.name)[0] for file in paths for it in facts.code[file].imports)
    return next((_LIBRARIES[name] for name in names if name in _LIBRARIES), "")


def is_abstract(symbol: Symbol) -> bool:
    return "abstract" in symbol.signature.split() or "abstractmethod" in symbol.marks
