"""Azure Pipelines: files of any name, known by what stands in them.

Templates of the same commit are read where they are named; they are no workflows of their own.
"""

from __future__ import annotations

import re

from stationmaster.catalogue import ci
from stationmaster.pipelines import pinning
from stationmaster.pipelines.agents import recognition as agents
from stationmaster.pipelines.model import EventKind, Facts, NoWorkflow, Trigger, Use, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.azure.jobs import Jobs
from stationmaster.pipelines.providers.azure.yaml import (
    Templates,
    fields,
    has_tasks,
    looks_like_steps,
)
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Mapping, Node, Sequence, get, items, members, text, texts

_NAMED = re.compile(
    r"(?i)(?:.*/)?(?:[^/]{0,100}azure[-_.]?(?:devops[-_.]?)?pipelines?[^/]{0,100}|\.?vsts[^/]{0,50})"
    r"\.ya?ml"
)
_STARTS = frozenset({"trigger", "pr", "schedules"})
_OF_PIPELINES = _STARTS | {"resources", "pool", "extends", "name"}
_LIST_MAX = 200


class Reader:
    """Reads the pipelines of one commit."""

    def __init__(self, files: Files) -> None:
        self._commands = agents.Commands()
        self._templates = Templates(files)
        self._named: set[str] | None = None
        self._files = files

    def read(self, path: str) -> Facts | None:
        """What a pipeline says; None for another kind of file. Raises Fault, NoWorkflow."""
        is_named = _NAMED.fullmatch(path) is not None
        document = self._templates.document(path, is_named=is_named)
        if document is None:
            return None
        root, fault = document
        if not _has_work(root):
            if is_named and fields(root):
                raise NoWorkflow("it has no steps, jobs or stages of Azure Pipelines")
            return None
        if self._is_template(path, root, is_named):
            raise NoWorkflow("it is a template: it runs within the pipelines that name it")
        draft = Draft(path, self._commands)
        draft.fault(fault)
        _add_triggers(draft, root)
        _add_resources(draft, root)
        Jobs(draft, self._templates, root).read()
        if not draft.jobs and not draft.jobs_unknown:
            draft.partial("it has no jobs")
        return draft.facts()

    def read_unnamed(self, path: str) -> Facts | None:
        """What a pipeline says whose name says nothing; None for another kind of file.

        Raises NoWorkflow for a template.
        """
        document = self._templates.document(path, is_named=False)
        if document is None or not _has_work(document[0]) or not _is_own(document[0]):
            return None
        return self.read(path)

    def _is_template(self, path: str, root: Mapping, is_named: bool) -> bool:
        known = fields(root)
        if any(key in known for key in _STARTS):
            return False
        if isinstance(known.get("parameters"), Mapping):
            return True  # As only templates have them.
        if path in self._named_elsewhere():
            return True
        # Templates lie in folders; a file at the root may leave everything to the defaults.
        return not is_named and "/" in path and not known.keys() & _OF_PIPELINES

    def _named_elsewhere(self) -> set[str]:
        """The files of the commit that others name as their template."""
        if self._named is None:
            self._named = set()
            for path in self._files.paths():
                if ci.is_file("azure-pipelines", path):
                    self._named |= self._templates.named_by(path)
        return self._named


def _is_own(root: Mapping) -> bool:
    """Has it, beside its steps, jobs or stages, what no other service has?"""
    known = fields(root)
    if any(key in known and _starts(known[key]) for key in ("trigger", "pr")):
        return True
    if "schedules" in known and any(get(item, "cron") for item in items(known["schedules"])):
        return True
    pool = known.get("pool")
    if any(get(pool, key) is not None for key in ("vmImage", "demands")):
        return True
    repositories = items(get(known.get("resources"), "repositories"))
    return any(text(get(repository, "repository")) for repository in repositories) or has_tasks(
        root
    )


def _starts(node: Node) -> bool:
    """Does it look like branches that start a pipeline, or like none?"""
    if isinstance(node, Mapping):
        return bool(node.members.keys() & {"branches", "paths", "tags", "batch", "autoCancel"})
    return (isinstance(node, Sequence) and bool(texts(node))) or text(node) == "none"


def _has_work(root: Mapping) -> bool:
    known = fields(root)
    if text(get(known.get("extends"), "template")) is not None:
        return True
    return looks_like_steps(known.get("steps")) or any(
        any(key in fields(item) for item in items(known.get(name)) for key in keys)
        for name, keys in (
            ("jobs", ("job", "deployment", "template")),
            ("stages", ("stage", "template")),
        )
    )


def _add_triggers(draft: Draft, root: Mapping) -> None:
    """Without a word, every push and every pull request starts a pipeline."""
    known = fields(root)
    _add_trigger(draft, root, "trigger", "push", known.get("trigger"))
    _add_trigger(draft, root, "pr", "pull_request", known.get("pr"))
    for schedule in items(known.get("schedules"))[:_LIST_MAX]:
        branches = parts.filtered(get(schedule, "branches"))
        branch = branches[0] if branches else None
        draft.schedule(text(get(schedule, "cron")) or "", branch=branch)
        at = parts.place(schedule)
        draft.add_trigger(Trigger("schedule", "schedule", branches=branches, place=at))
    resources = known.get("resources")
    for key, kind in _RESOURCE_TRIGGERS.items():
        for item in items(get(resources, key))[:_LIST_MAX]:
            trigger = get(item, "trigger")
            if key == "webhooks" or (trigger is not None and text(trigger) != "none"):
                branches = parts.filtered(get(trigger, "branches"))
                at = parts.place(item)
                draft.add_trigger(Trigger(key, kind, branches=branches, place=at))


_RESOURCE_TRIGGERS: dict[str, EventKind] = {
    "pipelines": "workflow_chain",
    "repositories": "external",
    "containers": "external",
    "packages": "external",
    "webhooks": "external",
}


def _add_trigger(draft: Draft, root: Mapping, key: str, kind: EventKind, node: Node | None) -> None:
    if text(node) == "none":
        return
    at = parts.place_of(root, key)
    if isinstance(node, Sequence) or text(node) is not None:
        branches, paths, tags = parts.words(node), [], []
    else:
        branches, paths, tags = (
            parts.filtered(get(node, name)) for name in ("branches", "paths", "tags")
        )
    if branches or not tags:
        draft.add_trigger(Trigger(kind, kind, branches=branches, paths=paths, place=at))
    if tags and kind == "push":
        draft.add_trigger(Trigger("tag", "tag", tags=tags, place=at))
    if kind == "push" and text(get(node, "batch")) == "true":
        draft.concurrency = "batch"


def _add_resources(draft: Draft, root: Mapping) -> None:
    """Other repositories whose templates it may take, and containers that jobs name."""
    known = fields(root)
    for item in items(get(known.get("resources"), "repositories"))[:_LIST_MAX]:
        name = text(get(item, "name")) or text(get(item, "repository"))
        if name is not None:
            ref = text(get(item, "ref"))
            short = (ref or "").removeprefix("refs/heads/").removeprefix("refs/tags/")
            draft.use(
                Use(
                    line(f"{name}@{ref}" if ref else name),
                    pinning.of_ref(short) if short else "branch",
                    False,
                    version=ref,
                    place=parts.place(item),
                )
            )
    for each in items(get(known.get("resources"), "containers"))[:_LIST_MAX]:
        if (image := text(get(each, "image"))) is not None:
            draft.image(image, None, parts.place(members(each)["image"]))
    for each in items(known.get("variables"))[:_LIST_MAX]:
        for group in texts(get(each, "group")):
            draft.secret(group)
    lock = text(known.get("lockBehavior"))
    draft.concurrency = draft.concurrency or (None if lock is None else f"lock: {line(lock)}")
