"""Harness and its open edition: pipelines in `.harness`.

Triggers and schedules are kept on the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import Job, NoWorkflow, Step, Use, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import JOBS_MAX, Draft
from stationmaster.pipelines.providers.mapping_reader import MappingReader
from stationmaster.repos.yaml_nodes import Mapping, Node, get, items, members, text

NAME = "harness"
_FILE = re.compile(r"\.harness/(?:[^/]{1,100}/){0,6}[^/]{1,200}\.ya?ml")
_KINDS = (
    "trigger", "inputSet", "overlayInputSet", "template", "connector", "environment", "service",
    "infrastructureDefinition", "secret", "policy", "freeze", "serviceOverrides", "overrides",
)  # fmt: skip
_SECRET = re.compile(r"<\+secrets\.getValue\(\s{0,9}[\"']([\w./-]{1,200})[\"']\s{0,9}\)")
_SECRET_OPEN = re.compile(r"\$\{\{\s{0,9}secrets\.(?:get\(\s{0,9}[\"'])?([\w./-]{1,200})")
_STEPS_MAX = 1_000
_LEVELS_MAX = 8
_STEP_KEYS = ("step", "stepGroup", "parallel")
_SCRIPTS = ("command", "script", "run")


def is_workflow(path: str) -> bool:
    return _FILE.fullmatch(path) is not None


class Reader(MappingReader):
    """Reads the pipelines of one commit."""

    def _take(self, root: Mapping, draft: Draft) -> None:
        is_open = text(get(root, "kind")) == "pipeline"
        pipeline = get(root, "spec") if is_open else get(root, "pipeline") or root
        if get(pipeline, "stages") is None and get(pipeline, "template") is None:
            kind = next((each for each in _KINDS if each in root.members), None)
            raise NoWorkflow(f"it is no pipeline of Harness, but its {kind or 'settings'}")
        named = root if is_open else pipeline
        draft.name = parts.said(get(named, "name")) or parts.said(get(named, "identifier"))
        draft.server_schedules = True
        _Pipeline(draft).read(pipeline)
        if not draft.jobs and not draft.jobs_unknown:
            draft.partial("it has no stages")


class _Pipeline:
    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._left = _STEPS_MAX

    def read(self, pipeline: Node | None) -> None:
        self._take_template(pipeline, None, holds_jobs=True)
        stages = _flat(get(pipeline, "stages"), ("stage", "parallel"), 0)
        for stage in islice(stages, JOBS_MAX + 1):
            self._add_stage(stage)
        for scalar in parts.scalars(pipeline):
            for pattern in (_SECRET, _SECRET_OPEN):
                for name in pattern.findall(scalar.text[:20_000]):
                    self._draft.secret(name)

    def _add_stage(self, stage: Node) -> None:
        draft = self._draft
        name = parts.said(get(stage, "name"))
        id = parts.said(get(stage, "identifier")) or name or f"stage {len(draft.jobs) + 1}"
        spec = get(stage, "spec") or stage
        platform = get(spec, "platform")
        runs_on = [
            parts.said(get(stage, "type")),
            parts.said(get(platform, "os")),
            parts.said(get(platform, "arch")),
            parts.said(get(spec, "infrastructure", "type")),
            parts.said(get(spec, "runtime", "type")) or parts.said(get(spec, "runtime")),
        ]
        draft.job(
            Job(
                id=id,
                needs=[],
                runs_on=[each for each in runs_on if each],
                agents=[],
                name=name,
                timeout_minutes=parts.minutes(text(get(stage, "timeout"))),
                condition=parts.said(get(stage, "when", "condition") or get(stage, "if")),
                environment=parts.said(get(spec, "environment", "environmentRef")),
                place=parts.place(stage),
            )
        )
        self._take_template(stage, id, holds_jobs=True)
        execution = get(spec, "execution") or spec
        for key in ("steps", "rollbackSteps"):
            for step in _flat(get(execution, key), _STEP_KEYS, 0):
                self._add_step(id, step)
        if text(get(spec, "caching", "enabled")) == "true" or get(stage, "cache") is not None:
            draft.caching.append("stage cache")

    def _add_step(self, job: str, step: Node) -> None:
        self._left -= 1
        if self._left < 0:
            return
        self._take_template(step, job, holds_jobs=False)
        draft = self._draft
        spec = get(step, "spec") or get(step, "run") or step
        script = next((node for key in _SCRIPTS if (node := get(spec, key)) is not None), None)
        if script is None or isinstance(script, Mapping):
            script = get(spec, "source", "spec", "script") or get(script, "script")
        container = get(spec, "container")
        image = get(spec, "image") or get(container, "image") or container
        kind = parts.said(get(step, "type"))
        draft.scripted(
            Step(
                job, draft.path, parts.place(step),
                name=parts.said(get(step, "name")) or parts.said(get(step, "identifier")),
                uses=kind if script is None else None,
                env=parts.variables(get(spec, "envVariables") or get(spec, "envs")),
                image=text(image),
                condition=parts.said(get(step, "when", "condition")),
            ),
            script,
            parts.place_if(image),
        )  # fmt: skip

    def _take_template(self, owner: Node | None, job: str | None, *, holds_jobs: bool) -> None:
        template = get(owner, "template")
        reference = parts.said(get(template, "templateRef")) or parts.said(get(template, "uses"))
        if template is None or reference is None:
            return
        version = text(get(template, "versionLabel"))
        pin = pinning.of_ref(version) if version else "branch"
        self._draft.jobs_unknown = self._draft.jobs_unknown or holds_jobs
        self._draft.use(
            Use(line(reference), pin, False, version=version, job=job, place=parts.place(template))
        )


def _flat(node: Node | None, keys: tuple[str, ...], level: int) -> Iterator[Node]:
    """The stages or steps of a list, those that run side by side and those of groups read out."""
    for each in items(node):
        inner = next((found for key in keys if (found := get(each, key)) is not None), None)
        if inner is None:
            yield each
        elif level < _LEVELS_MAX and items(inner):
            yield from _flat(inner, keys, level + 1)
        elif level < _LEVELS_MAX and items(get(inner, "steps")) and "spec" not in members(inner):
            yield from _flat(get(inner, "steps"), keys, level + 1)
        else:
            yield inner
