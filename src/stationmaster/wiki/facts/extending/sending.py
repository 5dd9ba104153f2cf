"""Which functions send the events that handlers wait for, and what is put on queues."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.stations import callers_of, station_of
from stationmaster.wiki.facts.code.steps.own_queues import runners
from stationmaster.wiki.facts.model import Facts, Spot, query

_LINES_MAX = 4
"""Of a call up to what it is given first."""
_SENDING = frozenset(
    {"event", "broadcast", "dispatch", "emit", "emitAsync", "fire", "publish",
     "publishEvent", "Publish", "PublishAsync", "send", "send_robust", "asend", "trigger"}
)  # fmt: skip
_GIVEN = re.compile(
    r"\s*(?:new\s+)?(?:\\?(?:\w{1,100}(?:\\|\.|::)){0,9}(?P<made>\w{1,100})\s*[({]"
    r"|[\"'](?P<text>[\w.:/-]{1,100})[\"'])"
)
_LAST = re.compile(r"[.\\:]")


def senders_of(facts: Facts, trigger: str) -> Sequence[tuple[Spot, int]]:
    """The functions that send an event that is called so, or so at the end of a dotted name, with
    the lines of their calls."""
    sent = senders(facts)
    return sent.get(trigger) or sent.get(_LAST.split(trigger)[-1], ())


@query
def senders(facts: Facts) -> Mapping[str, tuple[tuple[Spot, int], ...]]:
    """The functions that send events, by the names of these: `event(new Paid($order))`,
    `paid.send(sender)`, `emit("paid")`; with the lines of the calls."""
    sent: dict[str, dict[tuple[Spot, int], None]] = defaultdict(dict)
    for path, said in facts.code.items():
        for call in said.calls if facts.records[path].file_class == "source" else ():
            for name in _names(facts, path, call) if call.name in _SENDING else ():
                sent[name][Spot(path, call.caller), call.line] = None
    return {name: tuple(places) for name, places in sent.items()}


def _names(facts: Facts, path: str, call: Call) -> Iterator[str]:
    lines = lines_of(facts, path)[call.line - 1 : call.line - 1 + _LINES_MAX]
    argument = _GIVEN.match(" ".join(lines).partition(f"{call.name}(")[2])
    if argument and (argument["text"] or argument["made"][:1].isupper()):
        yield argument["text"] or argument["made"]
    if call.of and (name := _LAST.split(call.of)[-1]).isidentifier():
        yield name


def queued_by(facts: Facts, spot: Spot) -> Iterator[tuple[Spot, int]]:
    """The functions that put one on a queue or pass it on, with the lines, and do not just call it
    or give it to what runs a queue."""
    running = {Spot(it.path, it.holder) for it in runners(facts)}
    for caller, line in callers_of(facts, *spot):
        steps = (
            it for it in station_of(facts, caller).steps if it.line == line and spot in it.ends
        )
        if any(it.is_later or it.does or (it.is_passed and caller not in running) for it in steps):
            yield caller, line
