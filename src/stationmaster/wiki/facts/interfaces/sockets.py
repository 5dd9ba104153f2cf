"""Events of sockets that functions of other files are given."""

from __future__ import annotations

from collections import defaultdict

from stationmaster.reading.code.languages.ecmascript.sockets import FRAMEWORK
from stationmaster.reading.code.model import Handed, Job
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import handler_of
from stationmaster.wiki.facts.model import Facts, query


@query
def socket_events(facts: Facts) -> tuple[tuple[str, Job], ...]:
    """By file and line: of functions that are given a socket where one connects, through others
    that hand it on."""
    events: dict[tuple[str, str], list[Job]] = defaultdict(list)
    calls: dict[tuple[str, str], list[Handed]] = defaultdict(list)
    waiting: list[tuple[str, str]] = []
    for file in interfaces(facts):
        for function, job in file.wiring.events:
            events[file.path, function].append(job)
        for handed in file.wiring.handed:
            calls[file.path, handed.owner].append(handed)
            if handed.owner == FRAMEWORK and (file.path, FRAMEWORK) not in waiting[-1:]:
                waiting.append((file.path, FRAMEWORK))
    reached = dict.fromkeys(waiting)
    for path, owner in waiting:
        for handed in calls[path, owner]:
            spot = handler_of(facts, path, handed.function, handed.line)
            place = (spot.path, spot.name) if spot else None
            if place is not None and place not in reached:
                reached[place] = None
                waiting.append(place)
    found = [(place[0], job) for place in reached for job in events.get(place, ())]
    return tuple(sorted(found, key=lambda each: (each[0], each[1].line)))
