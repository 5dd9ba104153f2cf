"""Zuul: jobs that projects run in pipelines of a server."""

from __future__ import annotations

import re

from stationmaster.pipelines.model import EventKind, Include, Job, Pin, line
from stationmaster.pipelines.providers.described import Described
from stationmaster.pipelines.providers.draft import LIST_MAX, Draft
from stationmaster.pipelines.providers.yaml_parts import minutes, place, said, several, words
from stationmaster.repos.yaml_nodes import Mapping, Node, get, items, members, text

_PIPELINES: tuple[tuple[str, EventKind], ...] = (
    ("periodic", "schedule"),
    ("gate", "merge_queue"),
    ("check", "pull_request"),
    ("experimental", "comment"),
    ("pre-release", "tag"),
    ("release", "tag"),
    ("tag", "tag"),
    ("post", "push"),
    ("promote", "push"),
    ("deploy", "push"),
)
"""The event behind a pipeline, by what its name holds; servers name them, nearly all like this."""
_PLAYBOOKS = ("pre-run", "run", "post-run")
_NO_PIPELINES = frozenset({"name", "vars", "templates", "queue", "merge-mode", "default-branch"})


def describe(draft: Draft, roots: list[Node]) -> bool:
    """What a project runs; a file that only defines jobs is a fragment of others."""
    entries = [
        (kind, value)
        for entry in items(roots[0])
        for kind, value in members(entry).items()
        if isinstance(value, Mapping)
    ]
    if not entries:
        return False
    defined: dict[str, Node] = {name: value for kind, value in entries
               if kind == "job" and (name := text(get(value, "name"))) is not None}  # fmt: skip
    projects = [value for kind, value in entries if kind in ("project", "project-template")]
    own = {text(get(value, "name")) for kind, value in entries if kind == "project-template"}
    draft.name = next(
        (said(get(value, "name")) for kind, value in entries if kind == "project"), None
    )
    for project in projects:
        _project(draft, project, defined, own)
    if not projects:
        draft.kind = "fragment"
        for name, job in defined.items():
            draft.job(_job(name, job, job, None))
    for name, job in defined.items():
        _definition(draft, line(name), job)
    for kind, value in entries:
        if kind == "secret":
            draft.secret(text(get(value, "name")) or "")
    return True


def _project(draft: Draft, project: Node, defined: dict[str, Node], own: set[str | None]) -> None:
    for template in words(get(project, "templates")):
        is_own = template in own
        draft.jobs_unknown |= not is_own
        pin: Pin = "local" if is_own else "branch"
        draft.includes.append(Include("template", template, is_own, pin, place(project)))
    for pipeline, node in members(project).items():
        jobs = several(get(node, "jobs"))
        if pipeline in _NO_PIPELINES or not jobs:
            continue
        kind: EventKind = next((k for word, k in _PIPELINES if word in pipeline), "other")
        draft.trigger(pipeline, place(node), kind)
        draft.server_schedules |= kind == "schedule"
        for entry in jobs:
            name, run = next(iter(members(entry).items()), (text(entry) or "", entry))
            draft.job(_job(name, run, defined.get(name), pipeline))


def _job(name: str, entry: Node, definition: Node | None, pipeline: str | None) -> Job:
    needs = [
        said(get(each, "name")) or said(each)
        for each in several(get(entry, "dependencies") or get(definition, "dependencies"))
    ]
    nodes = get(definition, "nodeset")
    labels = [label for each in items(get(nodes, "nodes")) for label in words(get(each, "label"))]
    return Job(
        id=line(name),
        needs=[each for each in needs if each][:LIST_MAX],
        runs_on=labels or words(nodes),
        agents=[],
        stage=None if pipeline is None else line(pipeline),
        uses=said(get(definition, "parent")),
        timeout_minutes=minutes(text(get(definition, "timeout"))),
        place=place(entry),
    )


def _definition(draft: Draft, name: str, job: Node) -> None:
    """Playbooks of the repository, and secrets."""
    for key in _PLAYBOOKS:
        for each in several(get(job, key)):
            path = text(get(each, "name")) or text(each)
            if path is not None:
                is_here = path in draft.beside
                draft.includes.append(
                    Include("playbook", line(path), is_here, "local", place(each))
                )
    for secret in several(get(job, "secrets")):
        draft.secret(text(get(secret, "secret")) or text(get(secret, "name")) or text(secret) or "",
                     name)  # fmt: skip


PROVIDERS = (
    Described(
        NAME="zuul",
        path=re.compile(r"\.?zuul\.yaml|\.?zuul\.d/.*"),
        describe=describe,
        ends=(".yaml", ".yml"),
    ),
)
