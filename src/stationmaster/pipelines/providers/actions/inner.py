"""Actions of the repository itself: where they are, and what they use in turn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.pipelines import expressions, pinning
from stationmaster.pipelines.model import Image, Step, Use, line
from stationmaster.repos.yaml_nodes import Node, get, items, text

_DOCKER = "docker://"
_WORKFLOW = re.compile(r"\.(?:github|gitea|forgejo)/workflows/[^/]+")
_ACTION = re.compile(r"(?:.*/)?action\.ya?ml")
_CHECKOUT = "actions/checkout@"


def is_action(path: str) -> bool:
    """May a file of this path be an action, as far as names tell?"""
    return _ACTION.fullmatch(path) is not None and _WORKFLOW.fullmatch(path) is None


def folders(job: Node) -> tuple[str, ...]:
    """The folders of the work folder into which a job checks the repository itself out."""
    found = []
    for step in items(get(job, "steps")):
        given = get(step, "with")
        if not (text(get(step, "uses")) or "").startswith(_CHECKOUT):
            continue
        repository = text(get(given, "repository")) or ""
        path = (text(get(given, "path")) or "").removeprefix("./").strip("/")
        if path and expressions.is_own_repository(repository):
            found.append(path)
    return tuple(dict.fromkeys(found))


def uses(steps: Sequence[Step], path: str, provider: str) -> Iterator[Use]:
    """What the actions that a workflow at `path` calls use, with places in the actions' files."""
    for step in _inner(steps, path):
        reference = step.uses or ""
        if not reference.startswith(_DOCKER):
            pin, version = pinning.of_use(reference)
            own = pin == "local" or pinning.is_first_party(provider, reference)
            told = None if version is None else line(version)
            yield Use(line(reference), pin, own, told, line(step.job), step.uses_at)


def images(steps: Sequence[Step], path: str) -> Iterator[Image]:
    """The `docker://` images that actions called by a workflow at `path` use."""
    for step in _inner(steps, path):
        reference = step.uses or ""
        if reference.startswith(_DOCKER):
            image = reference.removeprefix(_DOCKER)
            yield Image(line(image), pinning.of_image(image), line(step.job), step.uses_at)


def _inner(steps: Sequence[Step], path: str) -> Iterator[Step]:
    """Steps of actions. Those of called workflows are told with those workflows."""
    known = set()
    for step in steps:
        if step.uses is None or step.path == path or _WORKFLOW.fullmatch(step.path):
            continue
        if (key := (step.path, step.uses_at, step.uses)) not in known:
            known.add(key)
            yield step
