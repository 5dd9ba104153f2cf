"""A reader for the many services whose YAML is a map or a list of jobs, by the names of keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import Job, Step, Use, line
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import (
    minutes,
    place,
    place_if,
    said,
    variables,
    words,
)
from stationmaster.repos.yaml_nodes import Mapping, Node, Scalar, get, items, members, text

_NUMBER = re.compile(r"\d{1,6}")


@dataclass(frozen=True)
class Shape:
    """Keys, with dots between those of nested mappings.

    `jobs` leads to them; in a list, `id` is the key of a job's own name. Without `steps` a job is
    its own only step. `scripts` are tried in order; `uses` is what else a step may run. With
    `in_minutes` a limit without a unit is of minutes, not of seconds.
    """

    jobs: str
    id: str = "name"
    name: str = ""
    needs: str = ""
    runs_on: str = ""
    image: str = ""
    timeout: str = ""
    in_minutes: bool = True
    stage: str = ""
    condition: str = ""
    secrets: str = ""
    steps: str = ""
    scripts: tuple[str, ...] = ("run", "script", "commands", "command")
    uses: str = ""
    env: str = "environment"


def read(draft: Draft, root: Node, shape: Shape) -> bool:
    """Adds the jobs of a file; says no where it has none."""
    found = False
    for name, job in _entries(at(root, shape.jobs), shape.id):
        found = True
        add(draft, line(name), job, shape)
    return found


def at(node: Node | None, keys: str) -> Node | None:
    return get(node, *keys.split(".")) if keys else None


def add(draft: Draft, job: str, node: Node, shape: Shape) -> None:
    image = get(at(node, shape.image), "name") or at(node, shape.image)
    draft.job(
        Job(
            id=job,
            needs=_names(at(node, shape.needs)),
            runs_on=words(at(node, shape.runs_on)),
            agents=[],
            name=said(at(node, shape.name)),
            stage=said(at(node, shape.stage)),
            image=said(image),
            timeout_minutes=_minutes(text(at(node, shape.timeout)), shape.in_minutes),
            condition=said(at(node, shape.condition)),
            place=place(node),
        ),
        image_at=place_if(image),
    )
    for secret in _names(at(node, shape.secrets)):
        draft.secret(secret, job)
    if shape.steps:
        steps = at(node, shape.steps)
        for step in items(steps) or list(members(steps).values()):
            _step(draft, job, step, shape)
    elif _script(node, shape) is not None or at(node, shape.uses) is not None:
        _step(draft, job, node, shape)


def _step(draft: Draft, job: str, node: Node, shape: Shape) -> None:
    script, name = _script(node, shape), said(get(node, "name"))
    if script is None and isinstance(node, Mapping) and len(node.members) == 1:
        # The name of the step is the key of its script.
        ((name, script),) = node.members.items()
        script = script if isinstance(script, Scalar) else _script(script, shape)
    used = said(at(node, shape.uses))
    if used is not None:
        pin, version = pinning.of_use(used.replace(" ", "@"))
        draft.use(Use(used, pin, False, version, job, place_if(at(node, shape.uses))))
    step = Step(
        job=job,
        path=draft.path,
        place=place(node),
        name=None if name is None else line(name),
        uses=used,
        env=variables(at(node, shape.env)),
        image=text(get(node, "image")) if shape.steps else None,
    )
    draft.scripted(step, script, place_if(get(node, "image")))


def _script(node: Node, shape: Shape) -> Node | None:
    if isinstance(node, Scalar):
        return node
    found = (at(node, key) for key in shape.scripts)
    return next((each for each in found if each is not None), None)


def _entries(node: Node | None, key: str) -> Iterator[tuple[str, Node]]:
    yield from members(node).items()
    for number, each in enumerate(items(node), 1):
        named = text(at(each, key))
        if named is None and isinstance(each, Mapping) and len(each.members) == 1:
            yield from each.members.items()
        else:
            yield named or f"job {number}", each


def _names(node: Node | None) -> list[str]:
    """Words, or names in mappings."""
    named = [said(get(each, key)) for each in items(node) for key in ("name", "source", "target")]
    return words(node) or [each for each in named if each] or [line(key) for key in members(node)]


def _minutes(limit: str | None, in_minutes: bool) -> int | None:
    is_bare = limit is not None and _NUMBER.fullmatch(limit) is not None
    return minutes(f"{limit}m" if is_bare and in_minutes else limit)
