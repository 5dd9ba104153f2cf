"""Jobs that a class, a function or a queue stands for: who extends, calls or is given it has the
job."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from stationmaster.reading.code.model import Call, Job, Symbol
from stationmaster.reading.code.signatures import arguments_from
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import called, handler_of, types
from stationmaster.wiki.facts.code.steps.looped_jobs import looped
from stationmaster.wiki.facts.code.steps.made_workers import running
from stationmaster.wiki.facts.code.steps.own_queues import runners
from stationmaster.wiki.facts.code.steps.work_bases import (
    bases_of_jobs,
    is_abstract,
    put_bases,
)
from stationmaster.wiki.facts.configured.literals import default_value, literal
from stationmaster.wiki.facts.model import Facts, Spot, query

DEPTH_MAX = 4
"""Levels of abstract classes that extend each other."""
_BESIDE = re.compile(
    r"(?m)(?:^[ \t]*go |\.Go\("
    r"|(?:\bgo |\.Go\()func\b[^\n]{0,200}\{\n(?:[^\n}]{0,200}\n)?)[^\n]{0,200}\Z"
)
"""How lines of Go up to a call begin what lasts."""
_FIELD = re.compile(r"every (\w{1,60}(?:\.\w{1,60}){0,4})\.(\w{1,60})")
_TIME = re.compile(r"(?:\d{1,9} ?\* ?)?time\.[A-Z]\w{1,20}(?: ?\* ?\d{1,9})?")
_NAMED = re.compile(r"every ([A-Za-z_]\w{0,99}(?:\.\w{1,99})?)")
_REMARK = re.compile(r"(?m)(?:^|[ \t])//[^\n]*")
_LETTERS_MAX = 20_000
_HOLE = re.compile(r"\{\$(\d+):(\w+)\}")
_CONSTANT = re.compile(r"\{\$([A-Za-z_][\w.]*)\}")
"""The name of a constant in an interval of Java and Kotlin."""
_CALLED = re.compile(r"(?:^(?!func\b)|\{\s*)(?:\w+\.)*(\w+)(?:\(|$)")
_LAST = re.compile(r"\.|\\|::")
_EVENTS = re.compile(r"\{\$([A-Za-z_]\w*)\}")
"""The name of the list in which a class has the events that it handles."""
_TEXT = re.compile(r"[\"']([^\"']+)[\"']")
_CALL_LINES, _LIST_LINES = 6, 60
_TIMES = re.compile(r"\s*@\w+\(((?:cron|every|interval|schedule)\s*=[^()]+)\)$")
_QUEUES = frozenset({"queue_as", "sidekiq_options"})
"""What a class of Ruby chooses its queue by."""


class Placed(NamedTuple):
    """A job, the file that has it and the one that has its handler."""

    path: str
    job: Job
    where: str


@query
def jobs_of(facts: Facts) -> Mapping[str, tuple[Placed, ...]]:
    """The jobs of the repository by file, those of abstract ones made concrete."""
    jobs: dict[str, list[Placed]] = defaultdict(list)
    bases = ((base.path, job) for base, job in bases_of_jobs(facts).items())
    for path, job in (*((it.path, job) for it in interfaces(facts) for job in it.jobs), *bases):
        for made in (_of_go if path.endswith(".go") else _made)(facts, path, job):
            if (run := running(facts, made.path, made.job)) is not None:
                jobs[made.path].append(made._replace(job=run))
    for it in runners(facts):
        handler, holder = it.handler.name, it.holder.rpartition(".")[0]
        job = Job(holder or handler, "queue", it.line, it.queue.name, handler)
        jobs[it.path].append(Placed(it.path, job, it.handler.path))
    for path, job, where in looped(facts):
        jobs[path].append(Placed(path, job, where))
    return {path: tuple(_joined(made)) for path, made in sorted(jobs.items())}


def _joined(jobs: Iterable[Placed]) -> Iterable[Placed]:
    """The jobs of a file, with all schedules of a function of Go that does several as one."""
    rows: dict[tuple[str, ...], Placed] = {}
    for number, made in enumerate(jobs):
        job = made.job
        is_of_go = job.kind == "schedule" and made.path.endswith(".go")
        key = (job.name, job.handler, made.where) if is_of_go else (str(number),)
        first = rows.setdefault(key, made)
        if first is not made and job.trigger not in first.job.trigger.split(", "):
            trigger = f"{first.job.trigger}, {job.trigger}"
            rows[key] = first._replace(job=replace(first.job, trigger=trigger))
    return rows.values()


def _made(facts: Facts, path: str, job: Job) -> Iterator[Placed]:
    """The job of a class, and those of the classes that extend it."""
    holder = job.handler.rpartition(".")[0]
    name = holder if holder.rpartition(".")[2] == job.name else job.handler
    extending = [*_extending(facts, Spot(path, name), Placed(path, job, path))]
    symbol = symbol_of(facts, path, name)
    if not job.is_abstract:
        yield Placed(path, _of_jvm(facts, path, job), path)
    elif symbol and not (extending or is_abstract(symbol) or symbol_of(facts, path, job.handler)):
        yield Placed(path, replace(job, is_abstract=False, handler=name), path)
    yield from extending


def _of_jvm(facts: Facts, path: str, job: Job) -> Job:
    """A job with the values of constants of Java and Kotlin that its interval has."""
    if not path.endswith((".java", ".kt")):
        return job
    words = _CONSTANT.sub(lambda hole: _constant(facts, path, hole[1]), job.trigger)
    return replace(job, trigger=words)


def _constant(facts: Facts, path: str, name: str) -> str:
    """The value of a constant, its name where the value is not certain."""
    value = default_value(facts, path, f"{{${name}}}")
    return name if value is None or value.startswith("{$") else value


def _of_go(facts: Facts, path: str, job: Job) -> Iterator[Placed]:
    """A job, or those of the calls of a function of Go, which set the schedule or start what
    lasts."""
    job = replace(job, trigger=_of_field(facts, path, job.handler, job.trigger))
    if named := _NAMED.fullmatch(job.trigger):
        job = replace(job, trigger=f"every {_constant(facts, path, named[1])}")
    if not job.is_abstract and "{$" not in job.name + job.trigger:
        yield Placed(path, job, path)
        return
    calls = _calls_of_go(facts, Spot(path, job.handler))
    if job.trigger:
        calls = (it for it in calls if not job.is_abstract or _is_beside(facts, *it))
        filled = [_filled(facts, job, *it) for it in calls]
        filled += [_unfilled(job)] if not (filled or job.is_abstract) else []
        yield from (Placed(path, it, path) for it in dict.fromkeys(filled))
        return
    for user, call in calls:
        values = _given(facts, user, call)
        if values and values[0][0] in '"`':
            is_named = values[-1].replace(".", "").isidentifier()
            handler = values[-1] if is_named else call.caller
            made = replace(job, name=handler, trigger=values[0][1:-1], handler=handler)
            yield Placed(user, replace(made, line=call.line), user)


def _of_field(facts: Facts, path: str, caller: str, trigger: str) -> str:
    """A schedule with the only time that the program gives the field which is its interval in a
    function; as it is for others."""
    field = _FIELD.fullmatch(trigger)
    struct = types(facts).type_of(path, caller, field[1]) if field else None
    if field is None or struct is None:
        return trigger
    made = re.compile(rf"(?<![\w.])(?:\w{{1,60}}\.)?{re.escape(struct[1])}\{{")
    changed = re.compile(rf"\.{field[2]}\s*=(?!=)")
    given = set[str]()
    for user in facts.code:
        is_product = user.endswith(".go") and facts.records[user].file_class == "source"
        text = _REMARK.sub("", facts.tree.text(user)) if is_product else ""
        given |= {""} if changed.search(text) else set()
        for begun in made.finditer(text):
            of, _, name = begun[0].removesuffix("{").rpartition(".")
            if called(facts, user, Call(name, 0, of)) == struct:
                rows = (it.partition(":") for it in arguments_from(text, begun.end(), _LETTERS_MAX))
                given |= {" ".join(it.split()) for key, _, it in rows if key == field[2]}
    value = given.pop() if len(given) == 1 else ""
    return f"every {value}" if _TIME.fullmatch(value) else trigger


def _is_beside(facts: Facts, user: str, call: Call) -> bool:
    lines = lines_of(facts, user)[max(call.line - 3, 0) : call.line]
    return _BESIDE.search("\n".join(lines)) is not None


def _given(facts: Facts, user: str, call: Call) -> tuple[str, ...]:
    lines = lines_of(facts, user)[call.line - 1 : call.line + _CALL_LINES]
    return arguments_from("\n".join(lines).partition(f"{call.name}(")[2], 0)


def _filled(facts: Facts, job: Job, user: str, call: Call) -> Job:
    """A job with what a call gives for the parameters that its interval and its work are."""
    values = _given(facts, user, call) if "{$" in job.name + job.trigger else ()

    def interval(hole: re.Match[str]) -> str:
        text = values[int(hole[1])] if int(hole[1]) < len(values) else hole[2]
        return literal(text) or _constant(facts, user, text)

    hole, name = _HOLE.fullmatch(job.name), job.name
    if hole is not None:
        done = _CALLED.search(values[int(hole[1])]) if int(hole[1]) < len(values) else None
        name = done[1] if done else job.handler
    trigger = _of_field(facts, user, call.caller, _HOLE.sub(interval, job.trigger))
    return replace(job, name=name, trigger=trigger, is_abstract=False)


def _unfilled(job: Job) -> Job:
    """A job that nothing calls: it is named after the function that does it."""
    name = job.handler if _HOLE.fullmatch(job.name) else job.name
    return replace(job, name=name, trigger=_HOLE.sub(r"\2", job.trigger))


def _calls_of_go(facts: Facts, spot: Spot) -> Iterator[tuple[str, Call]]:
    """The calls of a function of Go, each with its file."""
    name = spot.name.rpartition(".")[2]
    for user, file in facts.code.items():
        is_product = user.endswith(".go") and facts.records[user].file_class == "source"
        for call in file.calls if is_product else ():
            words = f"{call.of}.{name}" if call.of else name
            if call.name == name and handler_of(facts, user, words, call.line) == spot:
                yield user, call


def _extending(facts: Facts, base: Spot, above: Placed, depth: int = DEPTH_MAX) -> Iterator[Placed]:
    """The job of the class `base`, once for each class that extends it and is not read as a job
    itself, with the method that does the work: its own or an inherited one."""
    method = above.job.handler.rpartition(".")[2]
    method = "" if method == base.name.rpartition(".")[2] else f".{method}"
    for path, symbol in _below(facts, base) if depth else ():
        names = [(path, symbol.qualified + method), (above.where, above.job.handler)]
        names += [(path, symbol.qualified)]
        where, handler = next(place for place in names if symbol_of(facts, *place))
        last, words = _LAST.split(base.name)[-1], symbol.qualified.split(".")
        name = ".".join(words[-2:]) if symbol.name == last else symbol.name
        row = {"name": name, "line": symbol.line, "handler": handler, "is_abstract": False}
        made = Placed(path, _listed(facts, path, symbol, replace(above.job, **row)), where)
        own = symbol_of(facts, where, handler)
        if own and not (is_abstract(symbol) or is_abstract(own)):
            yield made._replace(job=_timed(facts, path, symbol, made.job))
        yield from _extending(facts, Spot(path, symbol.qualified), made, depth - 1)


def _listed(facts: Facts, path: str, symbol: Symbol, job: Job) -> Job:
    """A job for events, behind the name of the list of them with those of its class, if any."""
    events = _EVENTS.match(job.trigger)
    if events is None:
        return job
    text = "\n".join(lines_of(facts, path)[symbol.line - 1 : symbol.end][:_LIST_LINES])
    form = rf"\bstatic {events[1]}\b[^=\n]{{0,99}}=\s{{0,9}}\[([^\]]{{0,9999}})\]"
    listed = re.search(form, text)
    names = _TEXT.findall(listed[1]) if listed and "..." not in listed[1] else []
    return replace(job, trigger=f"{events[0]}{', '.join(names)}") if listed else job


def _timed(facts: Facts, path: str, symbol: Symbol, job: Job) -> Job:
    """A job with the schedule that is noted above its class, or without the queue that this names
    otherwise."""
    job = replace(job, trigger=_EVENTS.sub("", job.trigger))
    times = _TIMES.match(lines_of(facts, path)[max(0, symbol.line - 2)])
    if times:
        return replace(job, kind="schedule", trigger=times[1])
    calls = (it.name for it in facts.code[path].calls if it.caller == symbol.qualified)
    return job if _QUEUES.isdisjoint(calls) else replace(job, trigger="")


def _below(facts: Facts, base: Spot) -> Iterator[tuple[str, Symbol]]:
    """The classes that extend one and are not read as jobs themselves."""
    for path, name in types(facts).below(base):
        symbol = symbol_of(facts, path, name)
        is_read = symbol and any(it.name == symbol.name for it in facts.code[path].jobs)
        if symbol and symbol.kind == "class" and not is_read:
            yield path, symbol


@query
def putting(facts: Facts) -> Mapping[Spot, str]:
    """The methods that put a job of the repository's own kind on a queue, and what then runs."""
    methods: dict[Spot, str] = {}
    for base, (job, names) in put_bases(facts).items():
        made = _extending(facts, base, Placed(base.path, job, base.path))
        below = (Spot(it.where, it.job.handler.rpartition(".")[0]) for it in made)
        for holder in (base, *below):
            for name in names:
                methods[Spot(holder.path, f"{holder.name}.{name}")] = job.handler.rpartition(".")[2]
    return methods


@query
def put_names(facts: Facts) -> frozenset[str]:
    """The names of the methods that put a job of the repository's own kind on a queue."""
    return frozenset(name for _, names in put_bases(facts).values() for name in names)
