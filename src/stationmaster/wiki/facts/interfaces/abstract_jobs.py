"""Jobs that a class or a function stands for: who extends or calls it has the job."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from stationmaster.reading.code.model import Call, Job, Symbol
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import handler_of
from stationmaster.wiki.facts.configured.literals import arguments, literal, told_default
from stationmaster.wiki.facts.model import Facts, Spot, query

DEPTH_MAX = 4
"""Levels of abstract classes that extend each other."""
_BESIDE = re.compile(
    r"(?m)(?:^\s*go |\.Go\(|(?:\bgo |\.Go\()func\b[^\n]*\{\n(?:[^\n}]*\n)?)[^\n]*\Z"
)
"""How lines of Go up to a call begin what lasts."""
_HOLE = re.compile(r"\{\$(\d+):(\w+)\}")
_CALLED = re.compile(r"(?:^(?!func\b)|\{\s*)(?:\w+\.)*(\w+)(?:\(|$)")
_CALL_LINES = 6
_LAST = re.compile(r"\.|\\\\|::")


def made_of(facts: Facts, path: str, job: Job) -> Iterator[tuple[str, Job]]:
    """Yield a job, or the concrete ones of an abstract one: of the classes that extend it, or of the calls of a
    function of Go, which set its schedule or start what lasts."""
    if not job.is_abstract and "{$" not in job.name + job.trigger:
        yield path, job
        return
    if not path.endswith(".go"):
        yield from _extending(facts, path, job)
        return
    calls = _calls_of_go(facts, Spot(path, job.handler))
    if job.trigger:
        calls = (it for it in calls if not job.is_abstract or _is_beside(facts, *it))
        made = [_filled(facts, job, *it) for it in calls]
        made += [_unfilled(job)] if not (made or job.is_abstract) else []
        yield from ((path, it) for it in dict.fromkeys(made))
        return
    for user, call in calls:
        values = _given(facts, user, call)
        if values and values[0][0] in '"`':
            is_named = values[-1].replace(".", "").isidentifier()
            handler = values[-1] if is_named else call.caller
            made = replace(job, name=handler, trigger=values[0][1:-1], handler=handler)
            yield user, replace(made, line=call.line)


def _is_beside(facts: Facts, user: str, call: Call) -> bool:
    lines = lines_of(facts, user)[max(call.line - 3, 0) : call.line]
    return _BESIDE.search("\n".join(lines)) is not None


def _given(facts: Facts, user: str, call: Call) -> tuple[str, ...]:
    lines = lines_of(facts, user)[call.line - 1 : call.line + _CALL_LINES]
    return arguments("\n".join(lines).partition(f"{call.name}(")[2], 0)


def _filled(facts: Facts, job: Job, user: str, call: Call) -> Job:
    """A job with what a call gives for the parameters that its interval and its work are."""
    values = _given(facts, user, call) if "{$" in job.name + job.trigger else ()

    def interval(hole: re.Match[str]) -> str:
        text = values[int(hole[1])] if int(hole[1]) < len(values) else hole[2]
        value = literal(text) or told_default(facts, user, f"{{${text}}}") or ""
        return text if value.startswith("{$") else value

    hole, name = _HOLE.fullmatch(job.name), job.name
    if hole is not None:
        done = _CALLED.search(values[int(hole[1])]) if int(hole[1]) < len(values) else None
        name = done[1] if done else job.handler
    trigger = _HOLE.sub(interval, job.trigger)
    return replace(job, name=name, trigger=trigger, is_abstract=False)


def _unfilled(job: Job) -> Job:
    """A job that nothing calls: it is named after the function that does it."""
    name = job.handler if _HOLE.fullmatch(job.name) else job.name
    return replace(job, name=name, trigger=_HOLE.sub(r"\2", job.trigger))


def _calls_of_go(facts: Facts, spot: Spot) -> Iterator[tuple[str, Call]]:
    """The calls of a function of Go, each with its file."""
    name = spot.name.rpartition(".")[2]
    for user, code in facts.code.items():
        is_product = user.endswith(".go") and facts.records[user].file_class == "source"
        for call in code.calls if is_product else ():
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
