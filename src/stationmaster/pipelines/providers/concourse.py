"""Concourse: pipelines of resources and jobs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.pipelines.model import EventKind, Include, Job, Pin, Step, Trigger, line
from stationmaster.pipelines.providers.described import Described, exec_form
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import (
    minutes,
    place,
    place_if,
    said,
    scalars,
    words,
)
from stationmaster.repos.yaml_nodes import Node, get, items, members, text

_STEPS_MAX = 2_000
_VARIABLE = re.compile(r"\(\(\s{0,9}(\w[\w./:-]{0,200})\s{0,9}\)\)")
_GROUPS = ("do", "in_parallel", "aggregate")
_HOOKS = ("try", "on_success", "on_failure", "on_error", "on_abort", "ensure")
_KINDS: tuple[tuple[re.Pattern[str], EventKind], ...] = (
    (re.compile("-(?:time|cron)-"), "schedule"),
    (re.compile("-(?:pull-request|prs?|merge-request)-"), "pull_request"),
    (re.compile("-release-"), "release"),
    (re.compile("-git-"), "push"),
)
"""The event behind a resource, by the words in its type."""


def describe(draft: Draft, roots: list[Node]) -> bool:
    root = roots[0]
    jobs = items(get(root, "jobs"))
    if not any(get(job, "plan") is not None for job in jobs):
        return False
    resources = {name: each for each in items(get(root, "resources"))
                 if (name := text(get(each, "name"))) is not None}  # fmt: skip
    for job in jobs:
        _job(draft, job, resources)
    for kind in items(get(root, "resource_types")):
        if text(get(kind, "type")) in ("registry-image", "docker-image"):
            at = place_if(get(kind, "source", "repository")) or place(kind)
            draft.image(_reference(get(kind, "source")) or "", None, at)
    for scalar in scalars(root):
        for name in _VARIABLE.findall(scalar.text[:100_000]):
            draft.secret(name)
    return True


def _job(draft: Draft, job: Node, resources: dict[str, Node]) -> None:
    name = said(get(job, "name")) or "job"
    needs: dict[str, None] = {}
    limit = None
    image: str | None = None
    for step in _flat(get(job, "plan")):
        limit = limit or minutes(text(get(step, "timeout")))
        needs |= dict.fromkeys(words(get(step, "passed")))
        if text(get(step, "get")) is not None and text(get(step, "trigger")) == "true":
            _trigger(draft, step, resources)
        if text(get(step, "task")) is not None:
            image = _task(draft, name, step) or image
        elif text(get(step, "set_pipeline")) is not None:
            _include(draft, "set_pipeline", get(step, "file"))
    draft.job(
        Job(
            id=name,
            needs=list(needs),
            runs_on=words(get(job, "tags")),
            agents=[],
            image=None if image is None else line(image),
            timeout_minutes=limit,
            place=place(job),
        ),
        lists_image=False,
    )
    if text(get(job, "serial")) == "true":
        draft.concurrency = draft.concurrency or "serial"


def _flat(plan: Node | None) -> Iterator[Node]:
    """All steps of a plan, those in groups and hooks too."""
    waiting = items(plan)[::-1]
    for _ in range(_STEPS_MAX):
        if not waiting:
            return
        step = waiting.pop()
        yield step
        inner = [get(step, key) for key in _HOOKS]
        for key in _GROUPS:
            group = get(step, key)
            inner += items(group) or items(get(group, "steps"))
        waiting += [each for each in reversed(inner) if each is not None]


def _trigger(draft: Draft, step: Node, resources: dict[str, Node]) -> None:
    name = text(get(step, "resource")) or text(get(step, "get")) or ""
    resource = resources.get(name)
    source = get(resource, "source")
    kind = f"-{text(get(resource, 'type')) or ''}-".lower()
    means: EventKind = next((means for word, means in _KINDS if word.search(kind)), "external")
    draft.add_trigger(
        Trigger(
            line(name),
            means,
            branches=words(get(source, "branch")) or words(get(source, "base_branch")),
            tags=words(get(source, "tag_filter")),
            paths=words(get(source, "paths")),
            place=place(step),
        )
    )
    if means == "schedule":
        interval = text(get(source, "interval"))
        cron = text(get(source, "expression")) or (f"@every {interval}" if interval else "")
        between = "-".join(filter(None, (text(get(source, key)) for key in ("start", "stop"))))
        draft.schedule(cron or between, text(get(source, "location")))


def _task(draft: Draft, job: str, step: Node) -> str | None:
    """The image that a task says itself."""
    config = get(step, "config")
    if config is None:
        _include(draft, "task", get(step, "file"))
    image = _reference(get(config, "image_resource", "source"))
    told = Step(
        job=job,
        path=draft.path,
        place=place(step),
        name=said(get(step, "task")),
        env={key: text(each) or "" for key, each in members(get(config, "params")).items()},
        image=image,
    )
    at = place_if(get(config, "image_resource", "source", "repository"))
    exec_form(draft, told, get(config, "run", "path"), get(config, "run", "args"), at)
    return image


def _reference(source: Node | None) -> str | None:
    name, tag = text(get(source, "repository")), text(get(source, "tag"))
    digest = text(get(source, "version", "digest"))
    if name is None:
        return None
    return f"{name}@{digest}" if digest else f"{name}:{tag}" if tag else name


def _include(draft: Draft, kind: str, file: Node | None) -> None:
    """A file in an input, which is named first; inputs are often the repository itself."""
    location = text(file)
    if location is not None and file is not None:
        inside = location.partition("/")[2]
        is_here = inside in draft.beside
        draft.jobs_unknown |= kind == "set_pipeline" and not is_here
        pin: Pin = "local" if is_here else "branch"
        draft.includes.append(Include(kind, line(location), is_here, pin, place(file)))


CONCOURSE = Described(
    NAME="concourse",
    path=re.compile(
        r"(?s)\A(?!(?:.*/)?\.(?!ci/|concourse)|.*azure).*(?:\bci/|concourse|pipeline).*"
    ),
    describe=describe,
    sign=re.compile(rb"^\s{0,20}(?:-\s{1,9})?plan:", re.M),
)
PROVIDERS = (CONCOURSE,)
