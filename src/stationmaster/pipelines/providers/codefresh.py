"""Codefresh: `codefresh.yml` and `.codefresh/*.yml`; a pipeline is steps in containers.

Triggers and schedules are kept on the server, unless the pipeline was exported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import Job, NoWorkflow, Step, Trigger, Use, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.mapping_reader import MappingReader
from stationmaster.pipelines.secrets import variables
from stationmaster.pipelines.triggers import kind
from stationmaster.repos.yaml_nodes import Mapping, Node, get, items, members, text, texts

NAME = "codefresh"
_FILE = re.compile(
    r"[^/]{0,100}codefresh[^/]{0,100}\.ya?ml|\.?codefresh/(?:[^/]{1,100}/){0,3}[^/]{1,200}\.ya?ml"
)
_BUILT_IN = frozenset(
    {"freestyle", "build", "push", "git-clone", "composition", "launch-composition", "deploy"}
    | {"approval", "pending-approval", "integration-test", "push-tag", "parallel", "helm"}
)
_STEPS_MAX = 1_000
_LEVELS_MAX = 4
_VARIABLE = re.compile(r"\$\{\{\s{0,9}(\w{1,100})\s{0,9}\}\}")


def is_workflow(path: str) -> bool:
    return _FILE.fullmatch(path) is not None


class Reader(MappingReader):
    """Reads the pipelines of one commit."""

    def _take(self, root: Mapping, draft: Draft) -> None:
        spec = get(root, "spec") if text(get(root, "kind")) == "pipeline" else root
        if not isinstance(get(spec, "steps"), Mapping):
            raise NoWorkflow("it has no steps of Codefresh")
        draft.name = parts.said(get(root, "metadata", "name"))
        draft.server_schedules = True
        _read(draft, spec)


def _read(draft: Draft, spec: Node | None) -> None:
    id = draft.name or line(draft.path.rpartition("/")[2].rpartition(".")[0])
    draft.job(
        Job(
            id=id, needs=[], runs_on=parts.words(get(spec, "runtimeEnvironment", "name")), agents=[]
        )
    )
    for name, step in _steps(get(spec, "steps"), 0):
        _add_step(draft, id, name, step)
    for trigger in items(get(spec, "triggers")):
        for event in texts(get(trigger, "events")):
            word = event.partition(".")[0]
            branches = parts.words(get(trigger, "branchRegex"))
            draft.add_trigger(
                Trigger(line(event), kind(word), branches=branches, place=parts.place(trigger))
            )
    for context in texts(get(spec, "contexts")):
        draft.secret(context, id)
    draft.concurrency = parts.said(get(spec, "concurrency"))


def _steps(steps: Node | None, level: int) -> Iterator[tuple[str, Node]]:
    """The steps that do something; those that hold others are read out."""
    for name, step in list(members(steps).items())[:_STEPS_MAX]:
        inner = get(step, "steps")
        if isinstance(inner, Mapping) and level < _LEVELS_MAX:
            yield from _steps(inner, level + 1)
        else:
            yield name, step


def _add_step(draft: Draft, job: str, name: str, step: Node) -> None:
    type_ = text(get(step, "type")) or "freestyle"
    image = text(get(step, "image"))
    at = parts.place(step)
    if type_.partition(":")[0] not in _BUILT_IN:
        version = pinning.image_version(type_)
        draft.use(
            Use(
                line(type_),
                pinning.of_ref(version) if version else "branch",
                "/" not in type_ or pinning.is_first_party(NAME, type_),
                version=version,
                job=job,
                place=parts.place_if(get(step, "type")) or at,
            )
        )
    given = parts.variables(step) | parts.variables(get(step, "arguments"))
    draft.scripted(
        Step(
            job, draft.path, at,
            name=parts.said(get(step, "title")) or line(name),
            uses=None if type_ == "freestyle" else line(type_),
            env=parts.variables(get(step, "environment")),
            inputs=given,
            condition=_condition(get(step, "when")),
            image=image if type_ == "freestyle" else None,
            ignores_errors=text(get(step, "fail_fast")) == "false",
        ),
        get(step, "commands") or get(step, "cmd"),
        parts.place_if(get(step, "image")),
    )  # fmt: skip
    for scalar in parts.scalars(step):
        for variable in _VARIABLE.findall(scalar.text[:10_000]):
            if variables(f"${variable}"):
                draft.secret(variable, job)


def _condition(when: Node | None) -> str | None:
    told = [f"{key}: {', '.join(parts.words(get(when, key, 'only')))}" for key in members(when)]
    return line("; ".join(told)) or None
