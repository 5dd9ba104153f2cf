"""Tekton, and Pipelines as Code, which starts it from a repository: objects of Kubernetes.

A file may hold several objects; it is one workflow.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cached_property

from msgspec.structs import replace

from stationmaster.catalogue import ci_events
from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import Job, Kind, NoWorkflow, Pin, Step, Trigger, Use, line
from stationmaster.pipelines.providers.draft import LIST_MAX, YamlDraft
from stationmaster.pipelines.providers.yaml_parts import (
    minutes,
    one_line,
    place,
    place_if,
    several,
    words,
)
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault, Node, below, get, items, members, text, texts

_CODE = "pipelinesascode.tekton.dev/"
_RUNS = ".tekton/"
_FOLDER = re.compile(r"(?:^|/)\.?tekton/")
_FILES_MAX = 200
_NAMED = ("Pipeline", "Task", "ClusterTask")
"""What others refer to by name."""
_WORD = re.compile(r"[^\s\[\],\"']+")
_EVENT = re.compile(r"\bevent(?:_type)?\s{0,9}==\s{0,9}[\"'](\w{1,60})[\"']")
_BRANCH = re.compile(r"\btarget_branch\s{0,9}==\s{0,9}[\"']([^\"']{1,200})[\"']")
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("PipelineRun", "TriggerTemplate", "EventListener", "TaskRun"), "pipeline"),
    "Pipeline": "reusable",
    **dict.fromkeys(("Task", "ClusterTask", "StepAction"), "composite"),
}
"""What a file is, by the first of these that it holds."""
_NODES_MAX = 20_000
_SHELLS = frozenset({"sh", "bash", "ash", "dash", "zsh", "env"})
_SECRET_KEYS = ("secretKeyRef", "secretRef", "imagePullSecrets")


class _Tasks:
    """The tasks and pipelines of the folder `.tekton`, which a run there may name."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._read: dict[str, frozenset[str]] = {}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in the first _FILES_MAX files of the folder."""
        named = (path for path in self._files.paths() if path.startswith(_RUNS))
        paths = [path for path in named if path.endswith((".yml", ".yaml"))]
        return frozenset().union(*map(self.of, paths[:_FILES_MAX]))

    def of(self, path: str) -> frozenset[str]:
        """Those of one file; none for a file that cannot be read, whose own record states that."""
        if path not in self._read:
            try:
                roots = self._files.documents(path, merges=True).roots
            except Fault:
                roots = []
            names = (_object_name(root) for root in roots if _is_named(root))
            self._read[path] = frozenset(filter(None, names))
        return self._read[path]

    def noted(self, objects: list[Node]) -> Iterator[str]:
        """Those of the files that annotations of runs name, which may be in any folder."""
        for object_ in objects:
            for value in _notes(object_, _CODE).values():
                for path in _listed(value):
                    if path in self._files:
                        yield from self.of(path)


def _is_named(root: Node) -> bool:
    return _is_of(root, "tekton.dev", *_NAMED)


class File(YamlDraft):
    def take(self, roots: list[Node]) -> bool:
        """Add the content of Tekton's objects."""
        groups = ("tekton.dev", "triggers.tekton.dev")
        objects = [root for root in roots if any(_is_of(root, group) for group in groups)]
        kinds = {text(resource, "kind"): resource for resource in reversed(objects)}
        kind = next((kind for kind in _KINDS if kind in kinds), None)
        if kind is None:
            return False
        self.facts.kind, self.facts.name = _KINDS[kind], _object_name(kinds[kind])
        if not _is_ci(self.path, objects):
            reason = "it is a pipeline or task that the repository offers; nothing starts it"
            raise NoWorkflow(reason)
        self._own = {_object_name(resource) for resource in objects if _is_named(resource)}
        if self.path.startswith(_RUNS):
            tasks = self.commit.shared(_Tasks)
            self._own |= {*tasks.names, *tasks.noted(objects)}
        for resource in objects:
            self._add_object(resource)
            self._mounted_secrets(resource)
        return True

    def _add_object(self, root: Node) -> None:
        kind, spec = text(root, "kind"), get(root, "spec")
        if kind in ("PipelineRun", "TaskRun"):
            self._add_triggers(root)
            self._add_run(root, spec)
        elif kind == "Pipeline":
            self._add_tasks(spec, None)
        elif kind in ("Task", "ClusterTask"):
            self._add_steps(_object_name(root) or "task", root, items(spec, "steps"))
        elif kind == "StepAction" and spec is not None:
            name = _object_name(root) or "step"
            self._add_steps(name, None, [spec])
        elif kind == "TriggerTemplate":
            for item in items(spec, "resourcetemplates"):
                self._add_run(item, get(item, "spec"))
        elif kind == "EventListener":
            self.trigger("webhook", place(root), "external")

    def _add_run(self, root: Node, spec: Node | None) -> None:
        limit = minutes(text(spec, "timeouts", "pipeline") or text(spec, "timeout"))
        self._add_tasks(get(spec, "pipelineSpec"), limit)
        if (task := get(spec, "taskSpec")) is not None:
            self._add_steps(_object_name(root) or "task", root, items(task, "steps"))
        for reference in (get(spec, "pipelineRef"), get(spec, "taskRef")):
            if reference is not None:
                named, pin = self._reference(reference)
                self.facts.jobs_unknown |= pin != "local"
                self.include("pipeline", named, pin == "local", pin, place(reference))

    def _add_triggers(self, root: Node) -> None:
        """The content of annotations; one expression may be for all of them."""
        noted = _notes(root, _CODE)
        at = place_if(get(root, "metadata", "annotations"))
        expression = noted.get("on-cel-expression", "")[:2_000]
        events = _WORD.findall(noted.get("on-event", "")) or _EVENT.findall(expression)
        branches = _listed(noted.get("on-target-branch", "")) or _BRANCH.findall(expression)
        for event in dict.fromkeys(events):
            self.add_trigger(
                Trigger(
                    line(event),
                    ci_events.kind(event),
                    branches=[line(branch) for branch in branches],
                    paths=_listed(noted.get("on-path-change", "")),
                    types=_listed(noted.get("on-label", "")),
                    place=at,
                )
            )
        if noted.get("on-comment"):
            self.trigger("comment", at)
        if noted.get("cancel-in-progress") == "true":
            self.facts.concurrency = "cancel-in-progress"
        for key, value in noted.items():
            if key == "task" or key.startswith("task-") or key == "pipeline":
                for task_name in _listed(value):
                    self.use(Use(task_name, _named_pin(task_name), False))

    def _add_tasks(self, spec: Node | None, limit: int | None) -> None:
        for key in ("tasks", "finally"):
            for task in items(spec, key):
                self._add_task(task, key, limit)

    def _add_task(self, task: Node, stage: str, limit: int | None) -> None:
        job, used = one_line(task, "name") or "task", None
        if (reference := get(task, "taskRef")) is not None:
            used, pin = self._reference(reference)
            # What a cluster has installed under a name is of its own administrators.
            version = used.partition("@")[2] or None
            self.use(Use(line(used), pin, pin == "dynamic", version, job, place(reference)))
        self.job(
            Job(
                id=job,
                needs=words(task, "runAfter"),
                stage="finally" if stage == "finally" else None,
                uses=None if used is None else line(used),
                timeout_minutes=minutes(text(task, "timeout")) or limit,
                condition=_condition(get(task, "when")),
                place=place(task),
            )
        )
        for step in items(task, "taskSpec", "steps"):
            self._container(job, step)

    def _add_steps(self, job: str, root: Node | None, steps: list[Node]) -> None:
        self.job(Job(id=job, place=place_if(root)))
        for step in steps:
            self._container(job, step)

    def _reference(self, node: Node) -> tuple[str, Pin]:
        """A task or pipeline by name, by the image of its bundle, or by what a resolver is
        asked."""
        asked = dict(_asked(node))
        if (bundle := text(node, "bundle") or asked.get("bundle")) is not None:
            return bundle, pinning.of_image(bundle)
        if (url := asked.get("url")) is not None:
            ref = asked.get("revision")
            at = f"{url}/{asked.get('pathInRepo', '')}".rstrip("/")
            return (f"{at}@{ref}" if ref else at), pinning.of_ref(ref) if ref else "branch"
        if (version := asked.get("version")) is not None:
            return f"{asked.get('name', '')}@{version}", pinning.of_ref(version)
        named = text(node, "name") or asked.get("name") or "task"
        return named, "local" if named in self._own else "dynamic"

    def _mounted_secrets(self, root: Node) -> None:
        """Notes the secrets that anything below a node mounts or reads."""
        for node in below(root, _NODES_MAX):
            self.secret(text(node, "secretName") or "")
            for key in _SECRET_KEYS:
                for secret in (get(node, key), *items(node, key)):
                    self.secret(text(secret, "name") or "")

    def _container(self, job: str, node: Node) -> None:
        """Notes a container as a step: its script, else its command."""
        step = Step(
            job=job,
            path=self.path,
            place=place(node),
            name=one_line(node, "name"),
            image=text(node, "image"),
            env={
                line(key): text(item, "value") or ""
                for item in items(node, "env")
                if (key := text(item, "name")) is not None
            },
        )
        script = get(node, "script") or get(node, "source")
        image_at = place_if(get(node, "image"))
        command, arguments = get(node, "command"), get(node, "args")
        words = [*texts(command), *texts(arguments)]
        if text(script) is not None:
            self.scripted(step, script, image_at)
        elif words[:1] and words[0].rpartition("/")[2] in _SHELLS and len(words) > 1:
            # What a shell reads is the script.
            self.scripted(step, (several(arguments) or several(command))[-1], image_at)
        elif words:
            self.step(replace(step, script=shlex.join(words), script_at=step.place), image_at)
        else:
            self.step(step, image_at)


def _is_ci(path: str, objects: list[Node]) -> bool:
    """Is it in a folder for the repository's own pipelines, or does an event start it?"""
    return _FOLDER.search(path) is not None or any(
        text(object_, "kind") in ("EventListener", "TriggerTemplate") or _notes(object_, _CODE)
        for object_ in objects
    )


def _listed(value: str) -> list[str]:
    return [line(word) for word in _WORD.findall(value[:2_000])[:LIST_MAX]]


def _condition(when: Node | None) -> str | None:
    conditions = [
        text(item, "cel")
        or f"{text(item, 'input')} {text(item, 'operator')} {', '.join(texts(item, 'values'))}"
        for item in items(when)[:LIST_MAX]
    ]
    return line(" and ".join(conditions)) or None


def _asked(node: Node) -> Iterator[tuple[str, str]]:
    for item in items(node, "params") or items(node, "resource"):
        key, value = text(item, "name"), text(item, "value")
        if key is not None and value is not None:
            yield key, value


def _named_pin(reference: str) -> Pin:
    """Of what an annotation names: a file, an address, or `name:version` of the hub."""
    if "://" in reference:
        return "branch"
    if reference.endswith((".yaml", ".yml")):
        return "local"
    version = reference.partition(":")[2]
    return pinning.of_ref(version) if version else "floating"


def _object_name(root: Node | None) -> str | None:
    """Of an object; of a generated one its beginning."""
    generated = one_line(root, "metadata", "generateName") or ""
    return one_line(root, "metadata", "name") or generated.rstrip("-") or None


def _is_of(root: Node, group: str, *kinds: str) -> bool:
    """Is it an object of this API, and of one of these kinds?"""
    api = text(root, "apiVersion") or ""
    return api.startswith(f"{group}/") and (not kinds or text(root, "kind") in kinds)


def _notes(root: Node | None, prefix: str) -> dict[str, str]:
    """The annotations of an object that begin so, by what follows."""
    return {
        key.removeprefix(prefix): text(value) or ""
        for key, value in members(root, "metadata", "annotations").items()
        if key.startswith(prefix)
    }
