"""Tekton, and Pipelines as Code, which starts it from a repository.

A file may hold several objects; it is one workflow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from stationmaster.pipelines import pinning, triggers
from stationmaster.pipelines.model import Include, Job, Kind, NoWorkflow, Pin, Trigger, Use, line
from stationmaster.pipelines.providers import kubernetes
from stationmaster.pipelines.providers.draft import LIST_MAX, Draft
from stationmaster.pipelines.providers.yaml_parts import minutes, place, said, words
from stationmaster.pipelines.providers.yaml_reader import YamlReader
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault, Node, get, items, members, text, texts

_CODE = "pipelinesascode.tekton.dev/"
_RUNS = ".tekton/"
_FOLDER = re.compile(r"(?:^|/)\.?tekton/")
_FILES_MAX = 200
_NAMED = ("Pipeline", "Task", "ClusterTask")
"""What others refer to by name."""
_WORD = re.compile(r"[^\s\[\],\"']+")
_EVENT = re.compile(r"\bevent(?:_type)?\s{0,9}==\s{0,9}[\"'](\w{1,60})[\"']")
_BRANCH = re.compile(r"\btarget_branch\s{0,9}==\s{0,9}[\"']([^\"']{1,200})[\"']")
_KINDS: tuple[tuple[str, Kind], ...] = (
    ("PipelineRun", "pipeline"),
    ("TriggerTemplate", "pipeline"),
    ("EventListener", "pipeline"),
    ("TaskRun", "pipeline"),
    ("Pipeline", "reusable"),
    ("Task", "composite"),
    ("ClusterTask", "composite"),
    ("StepAction", "composite"),
)
"""What a file is, by the first of these that it holds."""


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
        """Those of one file; none for a file that cannot be read, whose own record says that."""
        if path not in self._read:
            try:
                roots = self._files.documents(path, merges=True).roots
            except Fault:
                roots = []
            names = (kubernetes.name(root) for root in roots if _is_named(root))
            self._read[path] = frozenset(name for name in names if name is not None)
        return self._read[path]

    def noted(self, objects: list[Node]) -> Iterator[str]:
        """Those of the files that annotations of runs name, which may be in any folder."""
        for object_ in objects:
            for key, node in members(get(object_, "metadata", "annotations")).items():
                if key.startswith(_CODE):
                    paths = _listed(text(node) or "")
                    yield from (
                        name for path in paths if path in self._files for name in self.of(path)
                    )


def _is_named(root: Node) -> bool:
    return kubernetes.is_of(root, "tekton.dev", *_NAMED)


class Reader(YamlReader):
    """Reads the pipelines of one commit; those that a repository only offers are no workflows."""

    def __init__(self, files: Files) -> None:
        super().__init__(files)
        self._tasks = _Tasks(files)

    def _take(self, draft: Draft, roots: list[Node]) -> bool:
        return _describe(draft, roots, self._tasks)


def _describe(draft: Draft, roots: list[Node], tasks: _Tasks) -> bool:
    objects = [
        root
        for root in roots
        if kubernetes.is_of(root, "tekton.dev") or kubernetes.is_of(root, "triggers.tekton.dev")
    ]
    for kind, means in _KINDS:
        if first := next(
            (object_ for object_ in objects if text(get(object_, "kind")) == kind), None
        ):
            draft.kind, draft.name = means, kubernetes.name(first)
            break
    else:
        return False
    if not _is_ci(draft.path, objects):
        raise NoWorkflow("it is a pipeline or task that the repository offers; nothing starts it")
    own = {kubernetes.name(object_) for object_ in objects if _is_named(object_)}
    if draft.path.startswith(_RUNS):
        own |= {*tasks.names, *tasks.noted(objects)}
    for each in objects:
        _object(draft, each, own)
        kubernetes.secrets(draft, each)
    return True


def _is_ci(path: str, objects: list[Node]) -> bool:
    """Is it in a folder for the repository's own pipelines, or does an event start it?"""
    if _FOLDER.search(path):
        return True
    return any(
        text(get(object_, "kind")) in ("EventListener", "TriggerTemplate")
        or any(key.startswith(_CODE) for key in members(get(object_, "metadata", "annotations")))
        for object_ in objects
    )


def _object(draft: Draft, root: Node, own: set[str | None]) -> None:
    kind = text(get(root, "kind"))
    spec = get(root, "spec")
    if kind in ("PipelineRun", "TaskRun"):
        _triggers(draft, get(root, "metadata", "annotations"))
        _run(draft, root, spec, own)
    elif kind == "Pipeline":
        _tasks(draft, spec, None, own)
    elif kind in ("Task", "ClusterTask"):
        _steps(draft, kubernetes.name(root) or "task", root, spec)
    elif kind == "StepAction" and spec is not None:
        draft.job(Job(id=kubernetes.name(root) or "step", needs=[], runs_on=[], agents=[]))
        kubernetes.container(draft, kubernetes.name(root) or "step", spec)
    elif kind == "TriggerTemplate":
        for item in items(get(spec, "resourcetemplates")):
            _run(draft, item, get(item, "spec"), own)
    elif kind == "EventListener":
        draft.trigger("webhook", place(root), "external")


def _run(draft: Draft, root: Node, spec: Node | None, own: set[str | None]) -> None:
    limit = minutes(text(get(spec, "timeouts", "pipeline")) or text(get(spec, "timeout")))
    _tasks(draft, get(spec, "pipelineSpec"), limit, own)
    if (task := get(spec, "taskSpec")) is not None:
        _steps(draft, kubernetes.name(root) or "task", root, task)
    for reference in (get(spec, "pipelineRef"), get(spec, "taskRef")):
        if reference is not None:
            named, pin = _reference(reference, own)
            draft.jobs_unknown |= pin != "local"
            draft.includes.append(
                Include("pipeline", line(named), pin == "local", pin, place(reference))
            )


def _triggers(draft: Draft, notes: Node | None) -> None:
    """What annotations say; one expression may stand for all of them."""
    noted = {
        key.removeprefix(_CODE): text(each) or ""
        for key, each in members(notes).items()
        if key.startswith(_CODE)
    }
    expression = noted.get("on-cel-expression", "")[:2_000]
    events = _WORD.findall(noted.get("on-event", "")) or _EVENT.findall(expression)
    branches = _listed(noted.get("on-target-branch", "")) or _BRANCH.findall(expression)
    for event in dict.fromkeys(events):
        draft.add_trigger(
            Trigger(
                line(event),
                triggers.kind(event),
                branches=[line(branch) for branch in branches],
                paths=_listed(noted.get("on-path-change", "")),
                types=_listed(noted.get("on-label", "")),
                place=None if notes is None else place(notes),
            )
        )
    if noted.get("on-comment"):
        draft.trigger("comment", None if notes is None else place(notes))
    if noted.get("cancel-in-progress") == "true":
        draft.concurrency = "cancel-in-progress"
    for key, value in noted.items():
        if key == "task" or key.startswith("task-") or key == "pipeline":
            for each in _listed(value):
                draft.use(Use(each, _named_pin(each), False, place=None))


def _listed(value: str) -> list[str]:
    return [line(each) for each in _WORD.findall(value[:2_000])[:LIST_MAX]]


def _tasks(draft: Draft, spec: Node | None, limit: int | None, own: set[str | None]) -> None:
    for key in ("tasks", "finally"):
        for task in items(get(spec, key)):
            _task(draft, task, key, limit, own)


def _task(draft: Draft, task: Node, stage: str, limit: int | None, own: set[str | None]) -> None:
    job = said(get(task, "name")) or "task"
    reference = get(task, "taskRef")
    used = None
    if reference is not None:
        used, pin = _reference(reference, own)
        # What a cluster has installed under a name is of its own administrators.
        is_installed = pin == "dynamic"
        version = used.partition("@")[2] or None
        draft.use(Use(line(used), pin, is_installed, version, job, place(reference)))
    draft.job(
        Job(
            id=job,
            needs=words(get(task, "runAfter")),
            runs_on=[],
            agents=[],
            stage="finally" if stage == "finally" else None,
            uses=None if used is None else line(used),
            timeout_minutes=minutes(text(get(task, "timeout"))) or limit,
            condition=_condition(get(task, "when")),
            place=place(task),
        )
    )
    for step in items(get(task, "taskSpec", "steps")):
        kubernetes.container(draft, job, step)


def _steps(draft: Draft, job: str, root: Node, spec: Node | None) -> None:
    draft.job(Job(id=job, needs=[], runs_on=[], agents=[], place=place(root)))
    for step in items(get(spec, "steps")):
        kubernetes.container(draft, job, step)


def _condition(when: Node | None) -> str | None:
    told = [
        text(get(each, "cel"))
        or f"{text(get(each, 'input'))} {text(get(each, 'operator'))} "
        f"{', '.join(texts(get(each, 'values')))}"
        for each in items(when)[:LIST_MAX]
    ]
    return line(" and ".join(told)) or None


def _reference(node: Node, own: set[str | None]) -> tuple[str, Pin]:
    """A task or pipeline by name, by the image of its bundle, or by what a resolver is asked."""
    if (bundle := text(get(node, "bundle"))) is not None:
        return bundle, pinning.of_image(bundle)
    asked = dict(_asked(node))
    if (bundle := asked.get("bundle")) is not None:
        return bundle, pinning.of_image(bundle)
    if (url := asked.get("url")) is not None:
        ref = asked.get("revision")
        at = f"{url}/{asked.get('pathInRepo', '')}".rstrip("/")
        return (f"{at}@{ref}" if ref else at), pinning.of_ref(ref) if ref else "branch"
    if (version := asked.get("version")) is not None:
        return f"{asked.get('name', '')}@{version}", pinning.of_ref(version)
    named = text(get(node, "name")) or asked.get("name") or "task"
    return named, "local" if named in own else "dynamic"


def _asked(node: Node) -> Iterator[tuple[str, str]]:
    for item in items(get(node, "params")) or items(get(node, "resource")):
        key, value = text(get(item, "name")), text(get(item, "value"))
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
