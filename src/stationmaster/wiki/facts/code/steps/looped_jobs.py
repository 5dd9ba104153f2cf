"""Jobs of Ruby that a program lists in a constant and runs one after the other: `JOBS = [SendJob]`,
`JOBS.each { |job| job.new.call }`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stationmaster.reading.code.model import Job, JobKind
from stationmaster.wiki.facts.code.comments import lines_of, numbered, symbol_of
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.interfaces.schedules import classes
from stationmaster.wiki.facts.model import Facts, Spot, query

_LIST = re.compile(
    r"(?m)^[ \t]*([A-Z][A-Z0-9_]{1,60})[ \t]*=[ \t]*"
    r"\[((?:\s*+(?:::)?[A-Z][\w:]*+\s*+,?+){1,100}+)\s*+\]"
)
_NAME = re.compile(r"[A-Z][\w:]*")
_RUNS = ("call", "perform", "run", "execute")
_AT_ONCE = re.compile(rf"\b\w{{1,60}}\.new(?:\([^()\n]{{0,200}}\))?\.({'|'.join(_RUNS)})\b")
_HELD = re.compile(r"\b(\w{1,60}) = \w{1,60}\.new\b")
_LASTS = re.compile(r"\bloop (?:do|\{)|\bwhile\b|\bThread\.new\b")
_PLANNED = re.compile(r"next_run|next_time|schedule|interval|every|cron|run_(?:at|every)")
_WORD = re.compile(r"(?:return )?([\w.\"' *,:]{1,80})")


class Looped(NamedTuple):
    """A job, the file of its class and that of the method that does the work."""

    path: str
    job: Job
    where: str


@query
def looped(facts: Facts) -> tuple[Looped, ...]:
    """By the file and the place of the lists; none that is read as a job otherwise."""
    found: dict[Spot, Looped] = {}
    for path in facts.code:
        if path.endswith(".rb") and facts.records[path].file_class == "source":
            for spot, run in _listed(facts, path):
                if spot not in found and (made := _made(facts, spot, run)):
                    found[spot] = made
    return tuple(found.values())


def _listed(facts: Facts, path: str) -> Iterator[tuple[Spot, str]]:
    """The classes of the lists that a file runs for as long as it lasts, with the method that it
    calls on each."""
    text = facts.tree.text(path)
    for line, match in numbered(_LIST, text) if _LASTS.search(text) else ():
        if not re.search(rf"\b{match[1]}\.each\b", text) or not (run := _run(text)):
            continue
        around = (it for it in facts.code[path].symbols if it.line <= line <= it.end)
        within = max((it.container for it in around if it.name == match[1]), key=len, default="")
        for name in _NAME.findall(match[2]):
            if spot := _class(facts, within, name):
                yield spot, run


def _class(facts: Facts, within: str, name: str) -> Spot | None:
    """The class that a name means within a module, as Ruby looks it up: from the inside out."""
    steps = within.split(".") if within else []
    for depth in range(len(steps), -1, -1):
        if end := classes(facts).get("::".join((*steps[:depth], name.removeprefix("::")))):
            return Spot(end[0], end[1].qualified)
    return None


def _run(text: str) -> str:
    """The method that is called on an object that has just been made, '' for none."""
    if at_once := _AT_ONCE.search(text):
        return at_once[1]
    for held in _HELD.findall(text):
        if called := re.search(rf"\b{held}\.({'|'.join(_RUNS)})\b", text):
            return called[1]
    return ""


def _made(facts: Facts, spot: Spot, run: str) -> Looped | None:
    symbol = symbol_of(facts, *spot)
    if symbol is None or any(it.name == symbol.name for it in facts.code[spot.path].jobs):
        return None
    places = [*types(facts).around((spot.path, symbol.qualified))]
    methods = ((where, f"{name}.{run}") for where, name in places)
    method = next((it for it in methods if symbol_of(facts, *it)), None)
    if method is None:
        return None
    trigger = next(filter(None, (_planned(facts, *it) for it in places)), "")
    kind: JobKind = "schedule" if trigger else "queue"
    return Looped(spot.path, Job(symbol.name, kind, symbol.line, trigger, method[1]), method[0])


def _planned(facts: Facts, path: str, holder: str) -> str:
    """When a class says that it runs: what a method of it for that says, else how this is called;
    '' without one."""
    for symbol in facts.code[path].symbols:
        if symbol.container == holder and _PLANNED.match(symbol.name):
            lines = [it.strip() for it in lines_of(facts, path)[symbol.line : symbol.end - 1]]
            words = _WORD.fullmatch(lines[0]) if len(lines) == 1 else None
            return words[1].strip("\"'") if words else symbol.name
    return ""
