"""What jobs do: their own steps, and in their place those of local actions and called workflows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from stationmaster.pipelines.agents import recognition as agents
from stationmaster.pipelines.model import Step
from stationmaster.pipelines.providers.actions import inner, traits
from stationmaster.pipelines.providers.actions.sources import (
    Source,
    Sources,
    at,
    is_true,
    local_path,
    values,
)
from stationmaster.repos.yaml_nodes import Node, get, items, members, text

LEVELS_MAX = 10
"""How deep workflows may call workflows, and actions use actions."""
STEPS_MAX = 100_000
"""Of all workflows of a commit, each counted for every job that comes to it."""
OF_ONE_MAX = 5_000
"""Of one job or action."""


class _Scope(msgspec.Struct, frozen=True):
    """What a step has from around it."""

    job: str
    env: Mapping[str, str]
    shell: str | None = None
    image: str | None = None
    ignores_errors: bool = False
    folders: tuple[str, ...] = ()


_NOWHERE = _Scope("", {})


class Steps:
    """Of one commit. `is_cut`: since it was set back there were more than may be told."""

    def __init__(self, sources: Sources) -> None:
        self.is_cut = False
        self._sources = sources
        self._commands = agents.Commands()
        self._called: dict[tuple[str, tuple[str, ...]], tuple[Step, ...]] = {}
        self._left = STEPS_MAX

    def of_job(self, source: Source, key: str, job: Node, level: int = 0) -> list[Step]:
        """The steps of a job in their order. A call of a workflow is a step as well, and what it
        calls in this commit follows it."""
        outer = values(get(source.root, "env"))
        own = values(get(job, "env"))
        container = get(job, "container")
        shells = [get(each, "defaults", "run", "shell") for each in (job, source.root)]
        scope = _Scope(
            key,
            outer | own if own else outer,
            next(filter(None, map(text, shells)), None),
            text(container) or text(get(container, "image")),
            is_true(get(job, "continue-on-error")),
            inner.folders(job),
        )
        nodes = [job] if get(job, "uses") is not None else items(get(job, "steps"))
        return self._taken(self._all(source, nodes, scope, level))

    def _all(self, source: Source, nodes: list[Node], scope: _Scope, level: int) -> Iterator[Step]:
        for node in nodes:
            step = self._step(source, node, scope)
            yield step
            path = local_path(step.uses or "")
            if path is not None:
                for each in self._of_call(path, scope.folders, level):
                    yield _adopted(each, step, scope)

    def _step(self, source: Source, node: Node, scope: _Scope) -> Step:
        named = get(node, "uses")
        reference = text(named)
        given = traits.script_input(reference or "")
        script = get(node, "run") if given is None else get(node, "with", given)
        command = text(script)
        env = values(get(node, "env"))
        found: tuple[str, ...] = ()
        if command is not None:
            found = self._commands.agents(command)
        elif (agent := agents.of_action(reference or "")) is not None:
            found = (agent,)
        return Step(
            job=scope.job,
            path=source.path,
            place=at(node),
            name=text(get(node, "name")),
            uses=reference,
            script=command,
            script_at=None if script is None or command is None else source.script_at(script),
            shell=text(get(node, "shell")) or (scope.shell if command is not None else None),
            env={**scope.env, **env} if env else scope.env,
            inputs=values(get(node, "with")),
            condition=text(get(node, "if")),
            image=scope.image,
            ignores_errors=scope.ignores_errors or is_true(get(node, "continue-on-error")),
            agents=found,
            id=text(get(node, "id")),
            uses_at=None if named is None else at(named),
        )

    def _of_call(self, path: str, folders: tuple[str, ...], level: int) -> tuple[Step, ...]:
        """The steps of a local action's folder or a local workflow's file."""
        file = self._sources.file_of(path, folders)
        if level >= LEVELS_MAX or file is None:
            return ()
        key = (file, folders)
        if key not in self._called:
            self._called[key] = ()  # A call that comes back to itself adds nothing.
            source = self._sources.called(file)
            if source is not None:
                self._called[key] = tuple(self.of_file(source, folders, level + 1))
        return self._called[key]

    def of_file(self, source: Source, folders: tuple[str, ...] = (), level: int = 0) -> list[Step]:
        """Of an action or a workflow that is called; an action that is a container has one step."""
        scope = replace(_NOWHERE, folders=folders)
        inner_steps = items(get(source.root, "runs", "steps"))
        found = self._taken(self._all(source, inner_steps, scope, level))
        image = get(source.root, "runs", "image")
        if image is not None and (text(image) or "").startswith("docker://"):
            found.append(Step("", source.path, at(image), uses=text(image), uses_at=at(image)))
        for key, job in members(get(source.root, "jobs")).items():
            found += self.of_job(source, key, job, level)
        return found[:OF_ONE_MAX]

    def _taken(self, steps: Iterator[Step]) -> list[Step]:
        found: list[Step] = []
        for step in steps:
            if self._left <= 0 or len(found) >= OF_ONE_MAX:
                self.is_cut = True
                break
            self._left -= 1
            found.append(step)
        return found


def _adopted(step: Step, caller: Step, scope: _Scope) -> Step:
    """A step of what a caller uses, as one of the caller's job.

    Steps of an action have the environment of the step that uses it; a called workflow begins anew.
    """
    is_action = step.job == ""
    return replace(
        step,
        job=scope.job,
        env={**caller.env, **step.env} if is_action else step.env,
        image=scope.image if is_action else step.image,
        ignores_errors=step.ignores_errors or caller.ignores_errors,
    )
