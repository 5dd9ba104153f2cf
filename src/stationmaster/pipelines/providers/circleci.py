"""CircleCI: `.circleci/config.yml`, and further files of the folder that it continues with.

Commands that the file defines are read out where
steps call them; those of orbs are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import (
    Include,
    Job,
    NoWorkflow,
    Pin,
    Step,
    Trigger,
    Use,
    line,
)
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import JOBS_MAX, Draft
from stationmaster.pipelines.providers.yaml_reader import YamlReader, mapping
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Mapping, Node, get, items, members, text, texts

_MAIN = ".circleci/config.yml"
_LEVELS_MAX = 5
_STEPS_MAX = 2_000
_LIST_MAX = 500
_OIDC = "CIRCLE_OIDC_TOKEN"
_CONTINUED = ("configuration_path", "config-path", "config_path")
_CHOICES = ("when", "unless")
_ORB = re.compile(r"(?P<name>[^@\s]{1,200})@(?P<version>\S{1,100})")


class Reader(YamlReader):
    """Reads the configurations of one commit."""

    def _take(self, draft: Draft, roots: list[Node]) -> bool:
        root = mapping(roots[0])
        is_main = draft.path == _MAIN
        if not is_main and not members(get(root, "jobs")) and get(root, "workflows") is None:
            raise NoWorkflow("it has neither jobs nor workflows of CircleCI")
        draft.kind = "pipeline" if is_main else "reusable"
        draft.server_schedules = is_main
        _Configuration(self._files, draft, root).read()
        if not is_main:
            draft.triggers.clear()
            draft.add_trigger(Trigger("continuation", "reusable_call"))
        if not draft.jobs:
            draft.partial("it has no jobs")
        return True


class _Configuration:
    """One file while its parts are put together."""

    def __init__(self, files: Files, draft: Draft, root: Mapping) -> None:
        self._files = files
        self._draft = draft
        self._root = root
        self._commands = dict(members(get(root, "commands")))
        self._executors = dict(members(get(root, "executors")))
        self._orbs: dict[str, Use] = {}
        self._used = 0

    def read(self) -> None:
        """Add orbs, jobs, triggers and secrets to the draft; without workflows a push starts it."""
        for name, orb in members(get(self._root, "orbs")).items():
            self._add_orb(name, orb)
        workflows = {
            name: each
            for name, each in members(get(self._root, "workflows")).items()
            if isinstance(each, Mapping)
        }
        self._draft.name = line(", ".join(workflows)) or None
        calls = [call for workflow in workflows.values() for call in _calls(workflow)]
        self._add_jobs(calls)
        for each in workflows.values():
            self._add_triggers(each)
        if not workflows:
            self._draft.add_trigger(Trigger("push", "push"))
        self._draft.shell_secrets()
        if text(get(self._root, "setup")) == "true":
            self._draft.jobs_unknown = True
        if any(_OIDC in (step.script or "") for step in self._draft.steps):
            self._draft.oidc = True

    def _add_orb(self, name: str, orb: Node) -> None:
        if isinstance(orb, Mapping):  # It is defined in place.
            for key, known in (("commands", self._commands), ("executors", self._executors)):
                known |= {f"{name}/{inner}": node for inner, node in members(get(orb, key)).items()}
            return
        reference = text(orb) or ""
        matched = _ORB.fullmatch(reference)
        version = None if matched is None else matched["version"]
        use = Use(
            line(reference),
            _orb_pin(version),
            pinning.is_first_party("circleci", reference),
            version=version,
            place=parts.place(orb),
        )
        self._orbs[name] = use
        self._draft.use(use)

    def _add_jobs(self, calls: list[tuple[str, Node]]) -> None:
        """Every job that is declared, and those of orbs that workflows call."""
        declared = members(get(self._root, "jobs"))
        called: dict[str, list[Node]] = {}
        for key, call in calls:
            called.setdefault(key, []).append(call)
        renamed = {
            name: key for key, call in calls if (name := text(get(call, "name"))) is not None
        }
        for key in list(dict.fromkeys([*declared, *called]))[: JOBS_MAX + 1]:
            self._add_job(key, declared.get(key), called.get(key, []), renamed)

    def _add_job(
        self, key: str, job: Node | None, calls: list[Node], renamed: dict[str, str]
    ) -> None:
        id = line(key)
        needs = [need for call in calls for need in _required(get(call, "requires"))]
        names = [name for call in calls if (name := parts.said(get(call, "name"))) is not None]
        executor = self._executor(job)
        is_approval = any(text(get(each, "type")) == "approval" for each in (job, *calls))
        copies = sum(_copies(get(call, "matrix", "parameters")) for call in calls)
        for call in calls:
            self._add_continued(parts.variables(call) if isinstance(call, Mapping) else {}, call)
            for context in texts(get(call, "context")):
                self._draft.secret(context, id)
        images = [node for item in items(get(executor, "docker")) if (node := get(item, "image"))]
        for node in images[1:]:
            self._draft.image(text(node) or "", id, parts.place(node))
        count = self._add_steps(id, get(job, "steps"), 0)
        orb = None if job is not None else self._orb_of(key)
        self._draft.job(
            Job(
                id=id,
                needs=list(dict.fromkeys(line(renamed.get(need, need)) for need in needs)),
                runs_on=_runs_on(executor),
                agents=[],
                name=names[0] if len(names) == 1 else None,
                image=parts.said(images[0]) if images else None,
                services=[line(text(node) or "") for node in images[1:]],
                uses=None if orb is None else orb.reference,
                parallel=parts.product([copies, parts.number(get(job, "parallelism")) or 1]),
                condition="approval" if is_approval else None,
                step_count=count,
                place=parts.place(job or calls[0]),
            ),
            image_at=parts.place_if(images[0]) if images else None,
        )

    def _executor(self, job: Node | None) -> Node | None:
        """What a job runs in: its own, or one that it names."""
        named = get(job, "executor")
        name = text(named) or text(get(named, "name"))
        if name is None:
            return job
        return self._executors.get(name) or named

    def _orb_of(self, called: str) -> Use | None:
        return self._orbs.get(called.partition("/")[0]) if "/" in called else None

    def _add_steps(self, job: str, steps: Node | None, level: int) -> int:
        """How many steps stand there."""
        found = items(steps)
        for step in found:
            self._used += 1
            if self._used > _STEPS_MAX:
                self._draft.partial("its commands call one another too often")
                return len(found)
            named = text(step)
            for name, given in [(named, step)] if named else members(step).items():
                self._add_step(job, step, name, given, level)
        return len(found)

    def _add_step(self, job: str, step: Node, name: str, given: Node, level: int) -> None:
        draft = self._draft
        if name in _CHOICES:
            self._add_steps(job, get(given, "steps"), level)
        elif name == "run":
            draft.scripted(
                Step(
                    job,
                    draft.path,
                    parts.place(step),
                    name=parts.said(get(given, "name")),
                    shell=parts.said(get(given, "shell")),
                    env=parts.variables(get(given, "environment")),
                    condition=parts.said(get(given, "when")),
                ),
                given if text(given) is not None else get(given, "command"),
            )
        elif name in self._commands and level < _LEVELS_MAX:
            self._add_steps(job, get(self._commands[name], "steps"), level + 1)
        else:
            self._add_call(job, step, name, given)

    def _add_call(self, job: str, step: Node, name: str, given: Node) -> None:
        """A step that is built in, or an orb's."""
        draft = self._draft
        orb = self._orb_of(name)
        inputs = parts.variables(given) if isinstance(given, Mapping) else {}
        uses = (
            name if orb is None else f"{orb.reference.partition('@')[0]}/{name.partition('/')[2]}"
        )
        draft.step(Step(job, draft.path, parts.place(step), uses=line(uses), inputs=inputs))
        if name in ("save_cache", "restore_cache"):
            draft.caching += [inputs["key"]] if "key" in inputs else texts(get(given, "keys"))
        elif name in ("store_artifacts", "persist_to_workspace"):
            draft.artifacts.append(inputs.get("path") or inputs.get("root") or "")
        self._add_continued(inputs, step)

    def _add_continued(self, inputs: dict[str, str], at: Node) -> None:
        """A file of the folder that a job or a step goes on with."""
        for key in _CONTINUED:
            path = inputs.get(key, "").removeprefix("./")
            if path and "<<" not in path:
                self._draft.includes.append(
                    Include("continuation", line(path), path in self._files, place=parts.place(at))
                )

    def _add_triggers(self, workflow: Mapping) -> None:
        draft = self._draft
        for trigger in items(get(workflow, "triggers")):
            schedule = get(trigger, "schedule")
            branches = parts.filtered(
                get(schedule, "filters", "branches"), only="only", never="ignore"
            )
            branch = branches[0] if branches else None
            draft.schedule(text(get(schedule, "cron")) or "", branch=branch)
            draft.add_trigger(
                Trigger("schedule", "schedule", branches=branches, place=parts.place(trigger))
            )
        if get(workflow, "triggers") is not None:
            return
        at = parts.place(workflow)
        filters = [get(call, "filters") for _, call in _calls(workflow)]
        wanted = [
            parts.filtered(get(filter_, "branches"), only="only", never="ignore")
            for filter_ in filters
        ]
        is_open = not wanted or any(not each for each in wanted)
        named = [] if is_open else list(dict.fromkeys(each for some in wanted for each in some))
        if named != ["!/.*/"]:  # So files say that a workflow is for tags alone.
            draft.add_trigger(Trigger("push", "push", branches=named[:_LIST_MAX], place=at))
        tags = [
            parts.filtered(get(filter_, "tags"), only="only", never="ignore") for filter_ in filters
        ]
        if any(tags):
            tagged = list(dict.fromkeys(each for some in tags for each in some))
            draft.add_trigger(Trigger("tag", "tag", tags=tagged[:_LIST_MAX], place=at))


def _calls(workflow: Node) -> Iterator[tuple[str, Node]]:
    """The jobs that a workflow runs, each with what it is given."""
    for item in items(get(workflow, "jobs"))[:_LIST_MAX]:
        if (name := text(item)) is not None:
            yield name, item
        yield from list(members(item).items())[:1]


def _required(node: Node | None) -> list[str]:
    """Names of jobs, which may stand before the outcomes that are waited for."""
    found: list[str] = []
    for item in items(node)[:_LIST_MAX]:
        found += texts(item) or members(item)
    return found


def _copies(parameters: Node | None) -> int:
    """How often a call of a job runs it."""
    return parts.product(len(items(axis)) for axis in members(parameters).values()) or 1


def _runs_on(executor: Node | None) -> list[str]:
    machine = get(executor, "machine")
    told = [
        "machine" if text(machine) == "true" else text(machine),
        text(get(machine, "image")),
        "xcode:" + xcode if (xcode := text(get(executor, "macos", "xcode"))) else None,
        text(get(executor, "resource_class")) or text(get(machine, "resource_class")),
        None if members(get(executor, "docker")) or not text(executor) else text(executor),
    ]
    return [line(each) for each in told if each]


def _orb_pin(version: str | None) -> Pin:
    """A whole version of an orb cannot be changed any more."""
    if version is not None and version.startswith("dev:"):
        return "branch"
    pin = pinning.of_ref(version)
    return "hash" if pin == "exact" else pin
