"""Stages, jobs and steps of Azure Pipelines, with the templates of the commit read out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from stationmaster.catalogue import ci
from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import Job, Pin, Step, Use, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.azure.yaml import (
    Templates,
    entries,
    fields,
    looks_like_steps,
    pin_of,
    resolved,
)
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.repos.yaml_nodes import (
    Fault,
    Mapping,
    Node,
    Sequence,
    get,
    items,
    members,
    text,
    texts,
)

_LEVELS_MAX = 10
_VISITS_MAX = 3_000
_PARAMETERS_MAX = 2_000
_ONLY_JOB = "Job"
"""What the service calls the job of a file of steps alone."""
_WORDS = ci.words("azure-pipelines")
_TASK = re.compile(r"(?P<name>[^@\s]{1,150})@(?P<version>[\w.]{1,30})")


@dataclass(frozen=True)
class _Here:
    """What holds at a place of a file: which file, what encloses it, and how deep templates are."""

    path: str
    level: int = 0
    stage: str | None = None
    pool: Node | None = None
    parents: tuple[str, ...] = ()


class Jobs:
    """Adds what a pipeline runs to its draft."""

    def __init__(self, draft: Draft, templates: Templates, root: Mapping) -> None:
        self._draft = draft
        self._templates = templates
        self._root = root
        self._left = _VISITS_MAX
        self._containers = {
            name: image
            for item in items(fields(root).get("resources"), "containers")
            if (name := text(item, "container")) and (image := text(item, "image"))
        }

    def read(self) -> None:
        """Add jobs, steps and secrets to the draft, those of templates of the commit among them."""
        by_key = fields(self._root)
        here = _Here(self._draft.path, pool=by_key.get("pool"), parents=(self._draft.path,))
        for variable, _ in entries(by_key.get("variables")):
            if "template" in fields(variable):
                self._named(variable, here)
        self._add_contents(self._root, here)
        self._draft.shell_secrets(parts.variables(by_key.get("variables")))
        if self._left < 0:
            self._draft.partial("its templates name one another too often")

    def _add_contents(self, root: Node, here: _Here) -> None:
        """What a file or a template holds: stages, jobs, or the steps of a job."""
        by_key = fields(root)
        here = replace(here, pool=by_key.get("pool") or here.pool)
        if "extends" in by_key:
            self._take_template(by_key["extends"], here, None)
        self._add_stages(by_key.get("stages"), here)
        self._add_jobs(by_key.get("jobs"), here)
        if looks_like_steps(by_key.get("steps")):
            self._add_job(root, _ONLY_JOB, here)

    def _add_stages(self, stages: Node | None, here: _Here) -> None:
        self._check_computed(stages)
        for stage, is_made in entries(stages):
            by_key = self._visited(stage, is_made)
            if "template" in by_key:
                self._take_template(stage, here, None)
            else:
                name = parts.one_line(by_key.get("stage")) or parts.one_line(
                    by_key.get("displayName")
                )
                pool = by_key.get("pool") or here.pool
                self._add_jobs(by_key.get("jobs"), replace(here, stage=name, pool=pool))

    def _add_jobs(self, jobs: Node | None, here: _Here) -> None:
        self._check_computed(jobs)
        for job, is_made in entries(jobs):
            by_key = self._visited(job, is_made)
            if "template" in by_key:
                self._take_template(job, here, None)
            elif "job" in by_key or "deployment" in by_key:
                id = parts.one_line(by_key.get("job")) or parts.one_line(by_key.get("deployment"))
                self._add_job(job, id or f"job {len(self._draft.facts.jobs) + 1}", here)

    def _check_computed(self, node: Node | None) -> None:
        if text(node) is not None:
            self._draft.facts.jobs_unknown = True

    def _visited(self, node: Node, is_made: bool) -> dict[str, Node]:
        self._left -= 1
        if is_made:
            self._draft.facts.jobs_unknown = True
        return fields(node) if self._left >= 0 else {}

    def _add_job(self, job: Node, id: str, here: _Here) -> None:
        draft = self._draft
        by_key = fields(job)
        strategy = by_key.get("strategy")
        container = by_key.get("container")
        named = text(container) or text(container, "image")
        services = []
        for node in fields(by_key.get("services")).values():
            name = text(node) or text(node, "image") or ""
            services.append(line(self._containers.get(name, name)))
        environment = by_key.get("environment")
        draft.job(
            Job(
                id=id,
                needs=parts.words(by_key.get("dependsOn")),
                runs_on=_runs_on(by_key.get("pool") or here.pool, by_key),
                name=parts.one_line(by_key.get("displayName")),
                stage=here.stage,
                image=None if named is None else line(self._containers.get(named, named)),
                services=services,
                timeout_minutes=parts.number(by_key.get("timeoutInMinutes")),
                parallel=_copies(strategy),
                condition=parts.one_line(by_key.get("condition")),
                environment=parts.one_line(environment) or parts.one_line(environment, "name"),
                place=parts.place(job),
            ),
            image_at=parts.place_if(get(container, "image") or container),
        )
        for item in items(by_key.get("variables")):
            for group in texts(item, "group"):
                draft.secret(group, id)
        self._add_steps(by_key.get("steps"), id, here)
        for kind in ("runOnce", "rolling", "canary"):
            hooks = fields(get(strategy, kind))
            ends = fields(hooks.get("on"))
            for hook in (*(hooks.get(name) for name in _WORDS["hooks"]), *ends.values()):
                self._add_steps(fields(hook).get("steps"), id, here)

    def _add_steps(self, steps: Node | None, job: str, here: _Here) -> None:
        for step, _ in entries(steps):
            by_key = self._visited(step, False)
            if "template" in by_key:
                self._take_template(step, here, job)
            elif by_key:
                self._add_step(step, by_key, job, here)

    def _add_step(self, node: Node, by_key: dict[str, Node], job: str, here: _Here) -> None:
        shell = next((key for key in _WORDS["shells"] if key in by_key), None)
        task = text(by_key.get("task"))
        inputs = parts.variables(by_key.get("inputs"))
        script = None if shell is None else by_key[shell]
        if task is not None:
            task_inputs = fields(by_key.get("inputs"))
            script = next(
                (task_inputs[key] for key in _WORDS["scripts"] if key in task_inputs), None
            )
            self._add_task(task, inputs, by_key["task"], job)
        other = next((key for key in ("checkout", "download", "publish") if key in by_key), None)
        step = Step(
            job,
            here.path,
            parts.place(node),
            name=parts.one_line(by_key.get("displayName")) or parts.one_line(by_key.get("name")),
            uses=None if task is None and other is None else line(task or other or ""),
            shell=shell,
            env=parts.variables(by_key.get("env")),
            inputs=inputs if other is None else {other: text(by_key[other]) or ""},
            condition=parts.one_line(by_key.get("condition")),
            ignores_errors=text(by_key.get("continueOnError")) == "true",
            folder=text(by_key.get("workingDirectory")) or inputs.get("workingDirectory", ""),
        )
        if step.uses is not None or script is not None:
            self._draft.scripted(step, script)
        if other == "publish":
            self._draft.facts.artifacts.append(text(by_key[other]) or "")

    def _add_task(self, task: str, inputs: dict[str, str], node: Node, job: str) -> None:
        draft = self._draft
        match = _TASK.fullmatch(task)
        version = None if match is None else match["version"]
        name = task if match is None else match["name"]
        draft.use(
            Use(
                line(task),
                pinning.of_ref(version),
                "." not in name,  # The service's own have no publisher before them.
                version=version,
                job=job,
                place=parts.place(node),
            )
        )
        for key in _WORDS["connections"]:
            if inputs.get(key) and "$" not in inputs[key]:
                draft.secret(inputs[key], job)
        if name in ("Cache", "CacheBeta"):
            draft.facts.caching.append(inputs.get("key", ""))
        elif name.startswith("Publish") and "Artifact" in name:
            paths = (inputs.get(key) for key in ("targetPath", "PathtoPublish", "pathToPublish"))
            draft.facts.artifacts += [path for path in paths if path]

    def _take_template(self, node: Node, here: _Here, job: str | None) -> None:
        """Reads a template of the commit as if it were here; names one from elsewhere.

        `job` is the one that its steps belong to; None for stages and jobs.
        """
        path = self._named(node, here)
        document = self._document(path)
        self._add_given(fields(node).get("parameters"), job, here)
        if path is None or document is None:
            self._draft.facts.jobs_unknown = self._draft.facts.jobs_unknown or job is None
        elif path not in here.parents and here.level < _LEVELS_MAX and self._left > 0:
            inner = replace(here, path=path, level=here.level + 1, parents=(*here.parents, path))
            if job is not None and "steps" in fields(document):
                self._add_steps(fields(document)["steps"], job, inner)
            else:
                self._add_contents(document, inner)

    def _named(self, node: Node, here: _Here) -> str | None:
        """The path of the template that is named, if it is one of this repository."""
        location = text(fields(node).get("template")) or ""
        path = resolved(here.path, location)
        pin = None if path is not None else self._pin(location)
        is_resolved = self._document(path) is not None
        self._draft.include("template", path or location, is_resolved, pin, parts.place(node))
        return path

    def _document(self, path: str | None) -> Mapping | None:
        if path is None or path not in self._templates:
            return None
        try:
            document = self._templates.document(path)
        except Fault as fault:
            self._draft.partial(f"{path}: {fault.reason}")
            return None
        return None if document is None else document[0]

    def _pin(self, location: str) -> Pin:
        """That of the other repository, as far as it is known."""
        alias = location.partition("@")[2]
        for item in items(fields(self._root).get("resources"), "repositories"):
            if text(item, "repository") == alias:
                return pin_of(item)
        return "dynamic"

    def _add_given(self, parameters: Node | None, job: str | None, here: _Here) -> None:
        """Stages and jobs that a template receives, and steps: those belong to a job that it makes,
        whose name is unknown, and have the parameter's name."""
        waiting: list[tuple[str, Node]] = list(reversed(list(fields(parameters).items())))
        for _ in range(_PARAMETERS_MAX):
            if not waiting:
                return
            name, node = waiting.pop()
            if isinstance(node, Sequence) and _holds(node, "stage"):
                self._add_stages(node, here)
            elif isinstance(node, Sequence) and _holds(node, "job", "deployment"):
                self._add_jobs(node, here)
            elif isinstance(node, Sequence) and looks_like_steps(node):
                self._add_steps(node, job or line(name), here)
            elif isinstance(node, Sequence):
                waiting += [(name, entry) for entry, _ in reversed(list(entries(node)))]
            elif isinstance(node, Mapping):
                waiting += reversed(list(fields(node).items()))


def _holds(node: Node, *keys: str) -> bool:
    return any(key in fields(entry) for entry, _ in entries(node) for key in keys)


def _runs_on(pool: Node | None, job: dict[str, Node]) -> list[str]:
    by_key = fields(pool)
    labels = [text(pool), *(text(by_key.get(key)) for key in ("vmImage", "name", "image", "os"))]
    if text(job.get("pool")) == "server":
        return ["server"]
    demands = texts(by_key.get("demands"))
    return [line(label) for label in (*labels, *demands) if label][: parts.LIST_MAX]


def _copies(strategy: Node | None) -> int | None:
    matrix = members(strategy, "matrix")
    legs = 0 if any(key.startswith("${{") for key in matrix) else len(matrix)
    return parts.product([legs or 1, parts.number(strategy, "parallel") or 1])
