"""Places of a workflow, relative to its own file: only what is written elsewhere names its file.

Readers of YAML note the file of every node, so that whatever is put together from several files
still knows where each part is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from stationmaster.pipelines.model import (
    Command,
    Facts,
    Image,
    Include,
    Job,
    Place,
    Schedule,
    Step,
    Trigger,
    Use,
)

_T = TypeVar("_T", Trigger, Schedule, Job, Use, Image, Include, Command)


def relative(facts: Facts, path: str) -> Facts:
    """The facts of the workflow at `path`; a place names its file only where it is another one."""
    return replace(
        facts,
        triggers=_placed(facts.triggers, path),
        schedules=_placed(facts.schedules, path),
        jobs=_placed(facts.jobs, path),
        uses=_placed(facts.uses, path),
        images=_placed(facts.images, path),
        inner_uses=_placed(facts.inner_uses, path),
        inner_images=_placed(facts.inner_images, path),
        includes=_placed(facts.includes, path),
        commands=_placed(facts.commands, path),
        steps=[_step(step) for step in facts.steps],
    )


def _placed(things: Iterable[_T], path: str) -> list[_T]:
    return [
        msgspec.structs.replace(thing, place=_own(place))
        if (place := thing.place) is not None and place.path == path
        else thing
        for thing in things
    ]


def _own(place: Place) -> Place:
    return Place(place.line, place.column)


def _step(step: Step) -> Step:
    """Its file is known by its own `path`."""
    script_at = step.script_at
    if step.place.path is None and (script_at is None or script_at.path is None):
        return step
    return replace(
        step,
        place=_own(step.place),
        script_at=None if script_at is None else _own(script_at),
    )
