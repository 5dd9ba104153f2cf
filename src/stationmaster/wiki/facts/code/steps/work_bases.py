"""Base classes of the repository whose work, in those that extend them, runs in the background."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from stationmaster.catalogue import code
from stationmaster.reading.code.model import Call, Job, JobKind, Symbol
from stationmaster.wiki.facts.code.comments import block_of, lines_of, only_statement, symbol_of
from stationmaster.wiki.facts.code.imported import files_of
from stationmaster.wiki.facts.code.names import called, targets, types
from stationmaster.wiki.facts.code.steps.own_queues import ITSELF, PUTS, TAKES, is_queue
from stationmaster.wiki.facts.model import Facts, Spot, query

_GIVEN = re.compile(
    r"[({\s]*(?:name: ?)?(?:cls\b|self\.(?:__class__|class)\b|this\.constructor\b|static::class)"
)
"""How a call is given the class that makes it."""
_GIVEN_MAX, _LINES_MAX = 3, 100
"""Lines of a call up to what it is given, and of what runs in the background."""
_TABLE = re.compile(r"\b(?:Record|Map)<[^<>]*, ?typeof (\w+)>")
_TAKEN = re.compile(
    r"\b(\w{1,60}) = (?P<table>\w{1,60})\[[\w.]{1,99}\];(?:(?!\1 =)[\s\S]){0,2000}?"
    r"\b(?P<object>\w{1,60}) = new \1\("
)
"""`const Handler = handlers[name]; const handler = new Handler()`."""
_RAISES = re.compile(r"(?:raise|throw)\b")
_LIBRARIES = code.table("python.jobs.queues", dict[str, str])
_LIBRARIES |= code.table("ecmascript.jobs.queues", dict[str, str])


@query
def bases_of_jobs(facts: Facts) -> Mapping[Spot, Job]:
    """The abstract classes of the repository whose work runs in the background, with the job that
    those which extend one do."""
    put = {base: job for base, (job, _) in put_bases(facts).items()}
    return dict(_begun(facts)) | dict(_taken(facts)) | put


def _begun(facts: Facts) -> Iterator[tuple[Spot, Job]]:
    """The classes that begin a thread in which they call a method that others are to write."""
    for path, file in facts.code.items():
        for call in file.calls if facts.records[path].file_class == "source" else ():
            holder = call.caller.rpartition(".")[0]
            is_thread = call.name == "Thread" or (call.of, call.name) == ("Thread", "new")
            if not is_thread or not types(facts).below((path, holder)):
                continue
            text = _block(facts, path, call.line)
            for method in _open_methods(facts, Spot(path, holder)):
                form = rf"(?m)(?:^\s*(?:self\.)?|target=self\.){method}\b(?!\s*[=.])"
                if re.search(form, text):
                    yield _job(facts, Spot(path, holder), method)


def _taken(facts: Facts) -> Iterator[tuple[Spot, Job]]:
    """The base classes of a table of classes of which what runs a queue makes an object, with the
    method that it calls."""
    for path, file in facts.code.items():
        for call in file.calls if facts.records[path].file_class == "source" else ():
            if not (is_queue(call.of) and TAKES.fullmatch(call.name)):
                continue
            text = _block(facts, path, call.line)
            for match in _TAKEN.finditer(text):
                base = _base_of(facts, path, match["table"])
                for method in _open_methods(facts, base) if base else ():
                    if base and f"{match['object']}.{method}(" in text:
                        whole = facts.tree.text(path)
                        listed = re.search(rf"\b{match[1]}\.(\w+)\.includes\(", whole)
                        yield _job(facts, base, method, listed[1] if listed else "")


def _block(facts: Facts, path: str, line: int) -> str:
    """A statement with its block."""
    first, last = block_of(facts, path, line)
    return "\n".join(lines_of(facts, path)[first - 1 : min(last, line + _LINES_MAX)])


def _base_of(facts: Facts, path: str, table: str) -> Spot | None:
    """The class of which all classes in a table are, as its declaration says."""
    ends, name = files_of(facts)[path].bound.get(table, ((), ""))
    end = called(facts, path, Call(table, 0))
    if end is None and name == "default" and len(ends) == 1:
        end = Spot(ends[0], facts.code[ends[0]].default)
    symbol = symbol_of(facts, *end) if end else None
    lines = lines_of(facts, end.path)[symbol.line - 1 : symbol.end] if end and symbol else ()
    match = _TABLE.search("\n".join(lines))
    return called(facts, end.path, Call(match[1], 0)) if end and match else None


def _open_methods(facts: Facts, base: Spot) -> list[str]:
    """The methods of a class that those which extend it are to write."""
    own = (it for it in facts.code[base.path].symbols if it.container == base.name)
    return [
        it.name for it in own
        if it.kind == "method"
        and (is_abstract(it) or _RAISES.match(only_statement(facts, base.path, it.qualified)))
    ]  # fmt: skip


def _job(facts: Facts, base: Spot, method: str, listed: str = "") -> tuple[Spot, Job]:
    """The job of a base class; for the events of a list that is called so where its classes are
    chosen by one."""
    symbol = symbol_of(facts, *base)
    name, line = (symbol.name, symbol.line) if symbol else (base.name, 0)
    kind: JobKind = "event" if listed else "worker"
    trigger = f"{{${listed}}}" if listed else ""
    return base, Job(name, kind, line, trigger, f"{base.name}.{method}", "", True)


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
