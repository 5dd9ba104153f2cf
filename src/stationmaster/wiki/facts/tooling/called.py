"""What the commands to begin with need: programs, dependencies that builds bring, services."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.versions import versions
from stationmaster.catalogue.repositories.work import work
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling import deploys, prerequisites, tasks
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.facts.tooling.named import Task
from stationmaster.wiki.facts.tooling.programs.declared import programs
from stationmaster.wiki.text.inline import Place

_NEXT = re.compile(r"&&|\|\||[;|]")
_SUBCOMMAND = re.compile(r"cargo [a-z][a-z-]{0,40}")
_VERSION = re.compile(r"\d[\d.]{0,20}")
_USED_MAX = 3
_APART = ("use", "image")
"""Purposes that are not needed to begin."""


class Called(msgspec.Struct, frozen=True):
    """A tool, and the first command that calls it, at `place`; the `versions` that pipelines and
    images of the root work with, where nothing asks for one."""

    tool: str
    command: str
    place: Place
    versions: tuple[tuple[str, Place], ...] = ()


@query
def tools(facts: Facts) -> tuple[Called, ...]:
    """Those without a known version, in the order of the work."""
    named = {need.tool.partition(" (")[0] for need in prerequisites.needs(facts)}
    own = {program.name for program in programs(facts)}
    by_tool: dict[str, Called] = {}
    for purpose in tasks.PURPOSES:
        if purpose not in _APART:
            for task in tasks.to_begin(tasks.tasks(facts, purpose)):
                for program in _programs(task):
                    tool = versions().programs.get(program, "")
                    if tool and tool not in named and program not in own:
                        by_tool.setdefault(tool, Called(tool, task.text, task.place))
    return tuple(replace(it, versions=_used(facts).get(it.tool, ())) for it in by_tool.values())


@query
def _used(facts: Facts) -> Mapping[str, tuple[tuple[str, Place], ...]]:
    """The versions of tools in pipelines and in images of the root, the first of each."""
    used: dict[str, dict[str, Place]] = defaultdict(dict)
    for need in prerequisites.in_workflows(facts):
        used[need.tool].setdefault(need.version, need.places[0])
    for image in deploys.images(facts):
        for base in image.bases if "/" not in image.place.path else ():
            name, _, tag = base.rpartition("/")[2].partition(":")
            tool, version = versions().bases.get(name), _VERSION.match(tag)
            if tool and version:
                used[tool].setdefault(version[0], image.place)
    return {tool: tuple(places.items())[:_USED_MAX] for tool, places in used.items()}


def _programs(task: Task) -> Iterator[str]:
    for part in (task.text, *_NEXT.split(task.runs)):
        program = purposes.program(part)
        yield program
        # Cargo starts what others add to it as words of its own.
        if program == "cargo" and (word := _SUBCOMMAND.match(part.strip())):
            yield word[0]


@query
def fetchers(facts: Facts) -> tuple[tuple[str, Place], ...]:
    """Build tools at the root that bring what the product depends on, with their manifests, except
    for languages for which there is a command to install."""
    installing = [task for task in tasks.tasks(facts, "install") if task.folder == "."]
    handled = frozenset[str]().union(*(purposes.languages(task.text) for task in installing))
    manifests: dict[str, Place] = {}
    for program, title in work().fetches.items():
        path = next((name for name in work().needs[program] if name in facts.records), None)
        if path is not None and handled.isdisjoint(purposes.languages(program)):
            manifests.setdefault(title, Place(path))
    return tuple(manifests.items())


@query
def services(facts: Facts) -> tuple[tuple[str, tuple[Place, ...]], ...]:
    """Databases and the like that compose files start from images, by name, with the places."""
    places: dict[str, dict[str, Place]] = {}
    for path, started in deploys.services(facts):
        for service in started:
            image = service.image.partition("@")[0].rpartition("/")[2].partition(":")[0]
            if title := versions().images.get(image):
                places.setdefault(title, {}).setdefault(path, service.place)
    return tuple((title, tuple(places[title].values())) for title in sorted(places))


@query
def examples(facts: Facts) -> tuple[str, ...]:
    """Example files of settings that are to be copied, such as `.env.example`."""
    has_folder = facts.tree.project.products.has_folder
    copied = (
        path
        for path in facts.records
        if expressions("written_tasks")["example"].fullmatch(path.rpartition("/")[2])
    )
    return tuple(path for path in copied if has_folder(folder_of(path)))
