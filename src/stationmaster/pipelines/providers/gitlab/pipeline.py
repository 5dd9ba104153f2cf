"""GitLab CI: the pipeline of `.gitlab-ci.yml`.

One pipeline is one workflow, whatever files it includes; a job that starts another pipeline of the
commit has the steps of that. Schedules are kept on the server. Components that a project offers to
others are in `templates`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from msgspec.structs import replace

from stationmaster.catalogue import ci
from stationmaster.pipelines.agents import options
from stationmaster.pipelines.model import Facts, Job, Step, Trigger, distinct, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.gitlab.config import Config, Fields, triggers
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import (
    Fault,
    Node,
    Scalar,
    Sequence,
    get,
    items,
    members,
    text,
    texts,
)

JOBS_MAX = 500
_MAIN = ".gitlab-ci.yml"
_LIST_MAX = 100
_SCRIPTS = ("before_script", "script", "after_script")
_SCRIPT_LINES_MAX = 100_000
_SCRIPT_LEVELS_MAX = 10
_CHILDREN_MAX = 2
"""How deep pipelines may start pipelines."""
_COPIES_MAX = 1_000_000
_REFERENCE_TAG = "!reference"
_OWN_TEMPLATES = "template"


class File(Draft):
    """A pipeline, or a component that a project offers to others."""

    def read(self) -> Facts | None:
        """The content of its files together; None when they have none. Raises Fault."""
        is_main = self.path == _MAIN
        if not is_main and not _is_component(self.files, self.path):
            return None
        config = Config(self.files, self.path)
        if config.is_empty:
            return None
        self.facts.name = parts.one_line(config.field("workflow", "name"))
        _Pipeline(self, config).read()
        self.facts.server_schedules = is_main
        if not is_main:
            self.facts.kind = "template"
            self.facts.triggers = [Trigger("component", "reusable_call")]
        return self.whole()


def _is_component(files: Files, path: str) -> bool:
    """Components begin with a document of their inputs."""
    try:
        roots = files.documents(path, merges=True).roots
    except Fault:
        return False  # Most files of such folders are none of CI's.
    return len(roots) > 1 and get(roots[0], "spec") is not None


class _Pipeline:
    """One pipeline while its jobs are put together."""

    def __init__(self, draft: Draft, config: Config, level: int = 0) -> None:
        self._files = draft.files
        self._draft = draft
        self._config = config
        self._level = level
        self._lines_left = _SCRIPT_LINES_MAX
        self._scripts: dict[int, list[parts.Script]] = {}
        self._variables = config.variables

    def read(self) -> None:
        """Add jobs, triggers, includes and secrets to the draft, and why it is read in part."""
        draft, config = self._draft, self._config
        names = self._names()
        for name in names[:JOBS_MAX]:
            self._add_job(name)
        draft.facts.triggers = triggers(config, names[:JOBS_MAX])
        draft.facts.includes[:0] = config.includes
        unresolved = [include for include in config.includes if not include.resolved]
        draft.facts.jobs_unknown = any(include.kind != _OWN_TEMPLATES for include in unresolved)
        draft.facts.concurrency = draft.facts.concurrency or self._cancelled()
        draft.shell_secrets(self._variables)
        draft.fault(config.faults[0] if config.faults else None)
        if unresolved:
            draft.partial("some of the files it includes are not in the commit")
        if len(names) > JOBS_MAX:
            draft.partial(f"it has more than {JOBS_MAX} jobs")
        if self._lines_left < 0:
            draft.partial("its scripts are too long to look for agents in all of them")
        if not names:
            draft.partial("it has no jobs")

    def _names(self) -> list[str]:
        return [name for name in self._config.names if _is_job(self._config, name)]

    def _add_job(self, name: str) -> None:
        draft, facts, fields = self._draft, self._draft.facts, self._config.job(name)
        id = line(name)
        image = _named(fields.get("image"))
        environment = fields.get("environment")
        draft.job(
            Job(
                id=id,
                needs=_needs(fields.get("needs")),
                runs_on=parts.words(fields.get("tags")),
                stage=line(text(fields.get("stage")) or "test"),
                image=parts.one_line(image),
                services=self._services(fields.get("services"), id),
                uses=_triggered(fields.get("trigger")),
                timeout_minutes=parts.minutes(text(fields.get("timeout"))),
                parallel=_parallel(fields.get("parallel")),
                condition=_condition(fields),
                environment=parts.one_line(environment) or parts.one_line(environment, "name"),
                place=self._config.place_of(name),
            ),
            lists_image=False,
        )
        if image is not None:
            draft.image(text(image) or "", id, parts.place(image))
        for variable in members(fields.get("secrets")):
            draft.secret(variable, id)
        facts.oidc |= bool(members(fields.get("id_tokens")))
        facts.concurrency = facts.concurrency or parts.one_line(fields.get("resource_group"))
        for cache in parts.several(fields.get("cache")):
            facts.caching += texts(cache, "paths") or texts(cache, "key")
        facts.artifacts += texts(fields.get("artifacts"), "paths")
        self.add_steps(id, name)
        self._add_child(id, fields.get("trigger"))

    def _services(self, services: Node | None, job: str) -> list[str]:
        named = [_named(item) for item in items(services)[:_LIST_MAX]]
        nodes = [node for node in named if node is not None]
        for node in nodes:
            self._draft.image(text(node) or "", job, parts.place(node))
        return [line(text(node) or "") for node in nodes]

    def add_steps(self, job: str, name: str) -> None:
        """The steps of a job of this configuration, for a job of the draft."""
        fields = self._config.job(name)
        at = self._config.place_of(name)
        own = parts.variables(fields.get("variables"))
        allowed = fields.get("allow_failure")
        step = Step(
            job,
            at.path or self._draft.path,
            at,
            env=self._variables | own if own else self._variables,
            ignores_errors=text(allowed) == "true" or bool(members(allowed)),
        )
        for key in _SCRIPTS:
            for script in self._script(fields.get(key)):
                self._draft.step(replace(step, name=key, script=script.text, script_at=script.at))
        for item in items(fields.get("run"))[:_LIST_MAX]:
            named = replace(
                step, name=parts.one_line(item, "name"), uses=parts.one_line(item, "step")
            )
            self._draft.scripted(named, get(item, "script"))

    def _script(self, node: Node | None) -> list[parts.Script]:
        """The connected lines of a script in a file; many jobs may share them."""
        if node is None:
            return []
        if id(node) not in self._scripts:
            lines: list[Node] = list(self._lines(node, 0))
            self._scripts[id(node)] = parts.scripts(Sequence(None, 1, 1, lines))
        return self._scripts[id(node)]

    def _lines(self, node: Node | None, level: int) -> Iterator[Scalar]:
        """The commands of a script: nested lists and references to other scripts read out."""
        self._lines_left -= 1
        if level > _SCRIPT_LEVELS_MAX or self._lines_left < 0 or node is None:
            return
        if isinstance(node, Scalar):
            if not node.is_null:
                yield node
        elif isinstance(node, Sequence) and node.tag == _REFERENCE_TAG:
            steps = texts(node)
            if len(steps) > 1:
                named = self._config.field(*steps)
                yield from self._lines(named, level + 1)
        elif isinstance(node, Sequence):
            for item in node.items:
                yield from self._lines(item, level + 1)

    def _add_child(self, job: str, trigger: Node | None) -> None:
        """A pipeline of the commit that a job starts: its steps are that job's."""
        for child in parts.several(get(trigger, "include"))[:_LIST_MAX]:
            location = text(child) or text(child, "local")
            if location is None or "://" in location:
                continue
            path = location.lstrip("/")
            is_known = path in self._files
            self._draft.include("child-pipeline", path, is_known, "local", parts.place(child))
            if is_known and self._level < _CHILDREN_MAX:
                self._add_steps_of(job, path)

    def _add_steps_of(self, job: str, path: str) -> None:
        try:
            config = Config(self._files, path)
        except Fault as fault:
            self._draft.partial(f"{path}: {fault.reason}")
            return
        child = _Pipeline(self._draft, config, self._level + 1)
        child._lines_left = self._lines_left
        for name in child._names()[:JOBS_MAX]:
            child.add_steps(job, name)
            child._add_child(job, config.job(name).get("trigger"))
        self._lines_left = child._lines_left

    def _cancelled(self) -> str | None:
        """Whether a newer pipeline stops this one, as the file states."""
        setting = parts.one_line(self._config.field("workflow", "auto_cancel", "on_new_commit"))
        names = self._names()[:JOBS_MAX]
        stops = any(text(self._config.job(name).get("interruptible")) == "true" for name in names)
        return setting or ("interruptible" if stops else None)


def _is_job(config: Config, name: str) -> bool:
    words = ci.words("gitlab-ci")
    if name.startswith(".") or name in words["reserved"]:
        return False
    return any(key in config.job(name) for key in words["makes_a_job"])


def _needs(node: Node | None) -> list[str]:
    named = [text(item) or text(item, "job") for item in items(node)[:_LIST_MAX]]
    return distinct([name for name in named if name is not None], _LIST_MAX)


def _named(node: Node | None) -> Node | None:
    """An image, alone or with how it is used."""
    image = node if text(node) is not None else get(node, "name")
    return image if text(image) else None


def _condition(fields: Fields) -> str | None:
    """That it waits for a person, or what its rules ask."""
    if text(fields.get("when")) not in (None, "on_success"):
        return parts.one_line(fields.get("when"))
    rules = items(fields.get("rules"))[:_LIST_MAX]
    asked = [text(rule, "if") for rule in rules if text(rule, "when") != "never"]
    return line(" || ".join(condition for condition in asked if condition)) or None


def _triggered(node: Node | None) -> str | None:
    """The pipeline that a job starts: another project's, or a file of this one."""
    inner = get(node, "include")
    first = items(inner)[0] if items(inner) else inner
    names = (text(node), text(node, "project"), text(first), text(first, "local"))
    name = next(filter(None, names), None)
    return None if name is None else line(options.without_user(name))


def _parallel(node: Node | None) -> int | None:
    """A number, or the size of a matrix of plain lists."""
    if text(node) is not None:
        return parts.number(node)
    rows = items(node, "matrix")[:_LIST_MAX]
    axes = [list(members(row).values())[:_LIST_MAX] for row in rows]
    total = sum(math.prod(len(texts(axis)) for axis in row) for row in axes)
    return total if 0 < total <= _COPIES_MAX else None
