"""Azure Pipelines: files of any name, recognized by their content.

Templates of the same commit are read where they are named; they are no workflows of their own.
"""

from __future__ import annotations

import re

from stationmaster.catalogue.ci_events import EventKind, of_system
from stationmaster.pipelines.model import Facts, NoWorkflow, Trigger, Use, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.azure.jobs import Jobs
from stationmaster.pipelines.providers.azure.yaml import (
    Templates,
    fields,
    has_tasks,
    looks_like_steps,
    pin_of,
)
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.repos.yaml_nodes import Mapping, Node, Sequence, get, items, members, text, texts

_NAMED = re.compile(
    r"(?i)(?:.*/)?(?:[^/]{0,100}azure[-_.]?(?:devops[-_.]?)?pipelines?[^/]{0,100}|\.?vsts[^/]{0,50})"
    r"\.ya?ml"
)
_STARTS = frozenset({"trigger", "pr", "schedules"})
_OF_PIPELINES = _STARTS | {"resources", "pool", "extends", "name"}
_LIST_MAX = 200


class File(Draft):
    """A file that may be a pipeline."""

    def read(self) -> Facts | None:
        """The content of a pipeline; None for another kind of file. Raises Fault, NoWorkflow."""
        templates = self.commit.shared(Templates)
        is_named = _NAMED.fullmatch(self.path) is not None
        document = templates.document(self.path, is_named=is_named)
        if document is None:
            return None
        root, fault = document
        if not _has_work(root):
            if is_named and fields(root):
                raise NoWorkflow("it has no steps, jobs or stages of Azure Pipelines")
            return None
        if _is_template(self.path, root, is_named, templates):
            raise NoWorkflow("it is a template: it runs within the pipelines that name it")
        self.fault(fault)
        _add_triggers(self, root)
        _add_resources(self, root)
        Jobs(self, templates, root).read()
        if not self.facts.jobs and not self.facts.jobs_unknown:
            self.partial("it has no jobs")
        return self.whole()

    def read_unnamed(self) -> Facts | None:
        """The content of a pipeline whose name shows nothing; None for another kind of file.

        Raises Fault, NoWorkflow for a template.
        """
        document = self.commit.shared(Templates).document(self.path, is_named=False)
        if document is None or not _has_work(document[0]) or not _is_own(document[0]):
            return None
        return self.read()


def _is_template(path: str, root: Mapping, is_named: bool, templates: Templates) -> bool:
    keys = fields(root)
    if keys.keys() & _STARTS:
        return False
    if isinstance(keys.get("parameters"), Mapping):
        return True  # As only templates have them.
    if path in templates.named:
        return True
    # Templates are in folders; a file at the root may leave everything to the defaults.
    return not is_named and "/" in path and not keys.keys() & _OF_PIPELINES


def _is_own(root: Mapping) -> bool:
    """Has it, apart from its steps, jobs or stages, what no other service has?"""
    by_key = fields(root)
    if any(key in by_key and _starts(by_key[key]) for key in ("trigger", "pr")):
        return True
    if "schedules" in by_key and any(get(item, "cron") for item in items(by_key["schedules"])):
        return True
    pool = by_key.get("pool")
    if any(get(pool, key) is not None for key in ("vmImage", "demands")):
        return True
    repositories = items(by_key.get("resources"), "repositories")
    return any(text(repository, "repository") for repository in repositories) or has_tasks(root)


def _starts(node: Node) -> bool:
    """Does it look like branches that start a pipeline, or like none?"""
    if isinstance(node, Mapping):
        return bool(node.members.keys() & {"branches", "paths", "tags", "batch", "autoCancel"})
    return (isinstance(node, Sequence) and bool(texts(node))) or text(node) == "none"


def _has_work(root: Mapping) -> bool:
    by_key = fields(root)
    if text(by_key.get("extends"), "template") is not None:
        return True
    return looks_like_steps(by_key.get("steps")) or any(
        any(key in fields(item) for item in items(by_key.get(name)) for key in keys)
        for name, keys in (
            ("jobs", ("job", "deployment", "template")),
            ("stages", ("stage", "template")),
        )
    )


def _add_triggers(draft: Draft, root: Mapping) -> None:
    """Without a word, every push and every pull request starts a pipeline."""
    by_key = fields(root)
    _add_trigger(draft, root, "trigger", "push", by_key.get("trigger"))
    _add_trigger(draft, root, "pr", "pull_request", by_key.get("pr"))
    for schedule in items(by_key.get("schedules"))[:_LIST_MAX]:
        branches = parts.filtered(get(schedule, "branches"))
        branch = branches[0] if branches else None
        draft.schedule(text(schedule, "cron") or "", branch=branch)
        at = parts.place(schedule)
        draft.add_trigger(Trigger("schedule", "schedule", branches=branches, place=at))
    resources = by_key.get("resources")
    for key, kind in of_system("azure-pipelines").items():
        for item in items(resources, key)[:_LIST_MAX]:
            trigger = get(item, "trigger")
            if key == "webhooks" or (trigger is not None and text(trigger) != "none"):
                branches = parts.filtered(get(trigger, "branches"))
                at = parts.place(item)
                draft.add_trigger(Trigger(key, kind, branches=branches, place=at))


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
    if kind == "push" and text(node, "batch") == "true":
        draft.facts.concurrency = "batch"


def _add_resources(draft: Draft, root: Mapping) -> None:
    """Other repositories whose templates it may take, and containers that jobs name."""
    by_key = fields(root)
    for item in items(by_key.get("resources"), "repositories")[:_LIST_MAX]:
        name = text(item, "name") or text(item, "repository")
        if name is not None:
            ref = text(item, "ref")
            reference = line(f"{name}@{ref}" if ref else name)
            draft.use(Use(reference, pin_of(item), False, version=ref, place=parts.place(item)))
    for container in items(by_key.get("resources"), "containers")[:_LIST_MAX]:
        if (image := text(container, "image")) is not None:
            draft.image(image, None, parts.place(members(container)["image"]))
    for variable in items(by_key.get("variables"))[:_LIST_MAX]:
        for group in texts(variable, "group"):
            draft.secret(group)
    lock = text(by_key.get("lockBehavior"))
    draft.facts.concurrency = draft.facts.concurrency or (
        None if lock is None else f"lock: {line(lock)}"
    )
