"""Cirrus CI, whose service closed on 2026-06-01: `.cirrus.yml`.

A key may stand in a file several times, as `task` does.
Starlark is a program, of which only its presence is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.pipelines import agents
from stationmaster.pipelines.model import Facts, Job, Step, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import JOBS_MAX, Draft
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault, Mapping, Node, get, items, members, text, texts

NAME = "cirrus-ci"
_FILE = re.compile(r"\.cirrus\.(?:ya?ml|star)")
_TASK = re.compile(r"(?:(?P<name>.{1,200})_)?(?P<kind>task|docker_builder|pipe)")
_CONTAINERS = ("container", "arm_container", "windows_container", "docker_builder")
_INSTANCE = re.compile(r"(?:\w{1,50}_)?(?:instance|container|worker)|docker_builder")
_IMAGES = ("image", "image_family", "image_name", "image_project", "dockerfile", "labels")
_DOCKERFILE = "dockerfile"
"""How the files end that an image is built from, here and not elsewhere."""
_ENCRYPTED = "ENCRYPTED["
_LEVELS_MAX = 4


def is_workflow(path: str) -> bool:
    return _FILE.fullmatch(path) is not None


class Reader:
    """Reads the configuration of one commit."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._commands = agents.Commands()

    def read(self, path: str) -> Facts | None:
        """What the file says; None when it says nothing. Raises Fault."""
        draft = Draft(path, self._commands)
        draft.server_schedules = True
        if path.endswith(".star"):
            draft.jobs_unknown = True
            draft.partial("it is a program: what it makes is not known without running it")
            return draft.facts()
        documents = self._files.documents(path, merges=True, repeats=True)
        if not documents.roots:
            return None
        root = documents.roots[0]
        if not isinstance(root, Mapping):
            raise Fault("a configuration is a mapping of tasks", root.line, root.column)
        draft.fault(documents.faults[0] if documents.faults else None)
        for key, task in sorted(
            [*root.earlier, *root.members.items()], key=lambda each: each[1].line
        ):
            matched = _TASK.fullmatch(key)
            if matched is not None:
                for one in parts.several(task)[: JOBS_MAX + 1]:
                    _add_task(draft, root, matched["name"], matched["kind"], one)
        for event in ("push", "pull_request", "tag"):
            draft.trigger(event)
        if not draft.jobs:
            draft.partial("it has no tasks")
        return draft.facts()


def _add_task(draft: Draft, root: Mapping, key: str | None, kind: str, task: Node) -> None:
    name = parts.said(get(task, "name")) or parts.said(get(task, "alias"))
    id = line(key or name or f"{kind} {len(draft.jobs) + 1}")
    runner, image = _runner(task, root)
    env = _environment(root) | _environment(task)
    manual = text(get(task, "trigger_type")) == "manual"
    draft.job(
        Job(
            id=id,
            needs=parts.words(get(task, "depends_on")),
            runs_on=runner,
            agents=[],
            name=name,
            image=parts.said(image),
            timeout_minutes=_minutes(text(get(task, "timeout_in"))),
            parallel=parts.product(_matrices(task, 0)),
            condition="manual" if manual else parts.said(get(task, "only_if") or get(task, "skip")),
            place=parts.place(task),
        ),
        image_at=parts.place_if(image),
        lists_image=not (parts.said(image) or "").lower().endswith(_DOCKERFILE),
    )
    for variable, value in env.items():
        if value.startswith(_ENCRYPTED):
            draft.secret(variable, id)
    for each in items(get(task, "matrix")):
        for variable, value in _environment(each).items():
            if value.startswith(_ENCRYPTED):
                draft.secret(variable, id)
    step = Step(
        id, draft.path, parts.place(task), env=env,
        ignores_errors=text(get(task, "allow_failures")) == "true",
    )  # fmt: skip
    pipe = [node for each in items(get(task, "steps")) for node in members(each).items()]
    for name, node in [*members(task).items(), *pipe]:
        _add_instruction(draft, step, name, node)


def _add_instruction(draft: Draft, step: Step, key: str, node: Node) -> None:
    stem, _, kind = key.rpartition("_")
    if kind == "script" or key == "script":
        one = Step(
            step.job, step.path, parts.place(node), name=line(stem) or None, env=step.env,
            ignores_errors=step.ignores_errors,
        )  # fmt: skip
        draft.scripted(one, node)
    elif kind == "cache":
        draft.caching += [*texts(get(node, "folder")), *texts(get(node, "folders"))] or [stem]
    elif kind == "artifacts":
        draft.artifacts += [*texts(get(node, "path")), *texts(get(node, "paths"))]
    elif key in ("always", "on_success", "on_failure", "on_timeout"):
        for inner, each in members(node).items():
            if not isinstance(each, Mapping) or inner.endswith(("_artifacts", "_cache")):
                _add_instruction(draft, step, inner, each)


def _runner(task: Node, root: Mapping) -> tuple[list[str], Node | None]:
    """The machines or labels of a task, or its container's image; the file's where it has none."""
    for owner in (task, root):
        found = [
            (key, node)
            for key, node in members(owner).items()
            if _INSTANCE.fullmatch(key) and not _TASK.fullmatch(key)
        ]
        for key, node in found:
            images = [each for name in _IMAGES for each in parts.several(get(node, name))]
            if key in _CONTAINERS:
                return [], images[0] if images else None
            named = [word for each in images for word in parts.words(each)]
            labels = parts.labels(get(node, "labels")) if get(node, "labels") else named
            return [key, *labels][: parts.LIST_MAX], None
    return [], None


def _environment(node: Node | None) -> dict[str, str]:
    return parts.variables(get(node, "env")) | parts.variables(get(node, "environment"))


def _matrices(node: Node | None, level: int) -> Iterator[int]:
    """The sizes of all matrices of a task, wherever they stand in it."""
    for key, each in members(node).items():
        if key == "matrix":
            yield len(items(each)) or sum(len(items(axis)) for axis in members(each).values())
        elif level < _LEVELS_MAX:
            yield from _matrices(each, level + 1)


def _minutes(timeout: str | None) -> int | None:
    """Such as `90m`; a number alone is of minutes."""
    return parts.minutes(f"{timeout}m" if timeout and timeout.isdigit() else timeout)
