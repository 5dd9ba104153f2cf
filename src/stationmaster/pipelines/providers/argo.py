"""Argo Workflows and Argo Events.

Tasks and steps of a workflow are its jobs, or its templates where nothing calls them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.pipelines.model import Job, Use, line
from stationmaster.pipelines.providers import kubernetes
from stationmaster.pipelines.providers.described import Described
from stationmaster.pipelines.providers.draft import LIST_MAX, Draft
from stationmaster.pipelines.providers.yaml_parts import labels, minutes, place, said, words
from stationmaster.repos.yaml_nodes import Node, get, items, members, text, texts

_API = "argoproj.io"
_RUN = ("Workflow", "CronWorkflow", "Sensor", "EventSource")
_TEMPLATES = ("WorkflowTemplate", "ClusterWorkflowTemplate")
_LEAVES = ("container", "script", "containerSet", "resource", "http", "suspend", "data", "plugin")
_DEPENDS = re.compile(r"[A-Za-z0-9][\w-]{0,100}(?=[\s.&|()!]|$)")


def describe(draft: Draft, roots: list[Node]) -> bool:
    objects = [each for each in roots if kubernetes.is_of(each, _API, *_RUN, *_TEMPLATES)]
    if not objects:
        return False
    draft.name = kubernetes.name(objects[0])
    if all(text(get(each, "kind")) in _TEMPLATES for each in objects):
        draft.kind = "reusable"
    for each in objects:
        _object(draft, each)
        kubernetes.secrets(draft, each)
    return True


def _object(draft: Draft, root: Node) -> None:
    kind, spec = text(get(root, "kind")), get(root, "spec")
    if kind == "CronWorkflow":
        draft.trigger("schedule", place(root))
        for cron in (*texts(get(spec, "schedule")), *texts(get(spec, "schedules"))):
            draft.schedule(cron, text(get(spec, "timezone")))
        draft.concurrency = said(get(spec, "concurrencyPolicy"))
        _workflow(draft, get(spec, "workflowSpec"))
    elif kind == "Sensor":
        for each in items(get(spec, "dependencies"))[:LIST_MAX]:
            draft.trigger(text(get(each, "eventName")) or "event", place(each), "external")
        for each in items(get(spec, "triggers")):
            source = get(each, "template", "argoWorkflow", "source", "resource")
            _workflow(draft, get(source, "spec"))
    elif kind == "EventSource":
        draft.kind = "fragment"
        for key, source in members(spec).items():
            if members(source) and key not in ("template", "service", "eventBusName"):
                draft.trigger(key, place(source), "schedule" if key == "calendar" else "external")
        for each in members(get(spec, "calendar")).values():
            draft.schedule(text(get(each, "schedule")) or "", text(get(each, "timezone")))
    else:
        _workflow(draft, spec)


def _workflow(draft: Draft, spec: Node | None) -> None:
    limit = minutes(text(get(spec, "activeDeadlineSeconds")))
    templates = {name: each for each in items(get(spec, "templates"))
                 if (name := text(get(each, "name"))) is not None}  # fmt: skip
    called: set[str] = set()
    for template in templates.values():
        for task in _tasks(template):
            called.add(_task(draft, task, templates, limit))
    for name, template in templates.items():
        if name not in called and any(get(template, key) is not None for key in _LEAVES):
            _job(draft, line(name), template, template, limit)
    if (reference := get(spec, "workflowTemplateRef")) is not None:
        draft.jobs_unknown = True
        _use(draft, reference, None)


def _tasks(template: Node) -> Iterator[Node]:
    yield from items(get(template, "dag", "tasks"))
    for group in items(get(template, "steps")):
        yield from items(group) or [group]


def _task(draft: Draft, task: Node, templates: dict[str, Node], limit: int | None) -> str:
    """The name of the template that a task calls; its containers are the task's."""
    name = text(get(task, "template")) or ""
    job = said(get(task, "name")) or "task"
    reference = get(task, "templateRef")
    _job(draft, job, task, templates.get(name) or get(task, "inline"), limit)
    if reference is not None:
        _use(draft, reference, job)
    return name


def _job(draft: Draft, job: str, node: Node, template: Node | None, limit: int | None) -> None:
    needs = words(get(node, "dependencies"))
    if not needs:
        needs = [line(each) for each in _DEPENDS.findall(text(get(node, "depends")) or "")]
    draft.job(
        Job(
            id=job,
            needs=[each for each in needs if each not in ("Succeeded", "Failed", "Skipped")],
            runs_on=labels(get(template, "nodeSelector")),
            agents=[],
            uses=said(get(node, "templateRef", "name")),
            timeout_minutes=minutes(text(get(template, "activeDeadlineSeconds"))) or limit,
            condition=said(get(node, "when")),
            place=place(node),
        )
    )
    for key in ("container", "script"):
        if (each := get(template, key)) is not None:
            kubernetes.container(draft, job, each)
    for each in items(get(template, "containerSet", "containers")):
        kubernetes.container(draft, job, each)


def _use(draft: Draft, reference: Node, job: str | None) -> None:
    """What a cluster has under a name is of its own administrators."""
    name = said(get(reference, "name"))
    if name is not None:
        draft.use(Use(name, "dynamic", True, None, job, place(reference)))


ARGO = Described(
    NAME="argo-workflows",
    path=re.compile(r"(?s)(?!(?:.*/)?\.(?!argo)).*(?:argo|workflow|sensor).*"),
    describe=describe,
    sign=re.compile(rb"^apiVersion:\s{0,9}[\"']?argoproj\.io/", re.M),
)
PROVIDERS = (ARGO,)
