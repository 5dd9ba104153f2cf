"""Programs of the repository beside what the commands to run start: processes of a Procfile,
services that a compose file builds, programs that manifests declare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Literal, NamedTuple

from stationmaster.reading.projects.paths import is_example
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling import deploys, tasks
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.facts.tooling.named import steps
from stationmaster.wiki.facts.tooling.programs.declared import programs
from stationmaster.wiki.text.inline import Place

_SEVERAL = 2


class Beside(NamedTuple):
    """What one file names, each with the command that starts it, '' where it states none."""

    kind: Literal["processes", "services", "program"]
    place: Place
    named: tuple[tuple[str, str], ...]


@query
def beside(facts: Facts) -> tuple[Beside, ...]:
    """Those that no command to run starts as a whole."""
    texts = list(_run(facts))
    groups = []
    if not any(purposes.does(it, "processes") for it in texts):
        groups += _processes(facts)[:1]
    if not any(purposes.does(it, "compose_up") for it in texts):
        groups += _services(facts)[:1]
    return tuple(groups or _programs(facts, texts))


def _run(facts: Facts) -> Iterator[str]:
    """What the commands to run consist of, with the lines of the scripts that they are."""
    for task in tasks.tasks(facts, "run"):
        texts = task.text, task.runs, *(it.text for it in steps(facts, task.place.path, task.name))
        for text in texts:
            yield text
            script = text.removeprefix("./")
            yield from facts.tree.text(script).split("\n") if script in facts.records else ()


def _processes(facts: Facts) -> list[Beside]:
    """Those of Procfiles that name several programs, nearest to the root first."""
    by_path: dict[str, dict[str, str]] = defaultdict(dict)
    for name, text, place in deploys.processes(facts):
        if not any(is_example(word.removeprefix("./")) for word in text.split()):
            by_path[place.path][name] = text
    rows = sorted(by_path.items(), key=lambda it: (it[0].count("/"), len(it[0]), it[0]))
    return [
        Beside("processes", Place(path), tuple(named.items()))
        for path, named in rows
        if len({*map(purposes.program, named.values())}) >= _SEVERAL
    ]


def _services(facts: Facts) -> list[Beside]:
    """Those of compose files at the root that build several of the repository itself."""
    return [
        Beside("services", Place(path), tuple((it.name, "") for it in services if it.build))
        for path, services in deploys.services(facts)
        if "/" not in path and sum(bool(it.build) for it in services) >= _SEVERAL
    ]


def _programs(facts: Facts, texts: list[str]) -> list[Beside]:
    """Declared programs that no command names, but for the one that these start."""
    words = {word.rpartition("/")[2] for text in texts for word in text.split()}
    every = programs(facts)
    others = [it for it in every if it.name not in words]
    if len(others) == len(every):  # The first is called like the repository.
        others = others[1:] if every[:1] and every[0].name == facts.commit.name else []
    return [Beside("program", it.place, ((it.name, ""),)) for it in others]
