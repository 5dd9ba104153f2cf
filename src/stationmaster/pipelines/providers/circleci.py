"""CircleCI: `.circleci/config.yml`, and further files of the folder that it continues with.

Commands that the file defines are read out where steps call them; those of orbs are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue import ci
from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import Job, NoWorkflow, Pin, Step, Trigger, Use, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import JOBS_MAX, YamlDraft, mapping
from stationmaster.repos.yaml_nodes import Mapping, Node, get, items, members, text, texts

_MAIN = ".circleci/config.yml"
_LEVELS_MAX = 5
_STEPS_MAX = 2_000
_LIST_MAX = 500
_OIDC = "CIRCLE_OIDC_TOKEN"
_CHOICES = ("when", "unless")
_ORB = re.compile(r"(?P<name>[^@\s]{1,200})@(?P<version>\S{1,100})")


class File(YamlDraft):
    _used = 0

    def take(self, roots: list[Node]) -> bool:
        """Add orbs, jobs, triggers and secrets; without workflows a push starts it."""
        self.root = root = mapping(roots[0])
        facts, is_main = self.facts, self.path == _MAIN
        if not is_main and not members(root, "jobs") and get(root, "workflows") is None:
            raise NoWorkflow("it has neither jobs nor workflows of CircleCI")
        facts.kind = "pipeline" if is_main else "reusable"
        facts.server_schedules = is_main
        self._commands = dict(members(root, "commands"))
        self._executors = dict(members(root, "executors"))
        self._orbs: dict[str, Use] = {}
        for name, orb in members(root, "orbs").items():
            self._add_orb(name, orb)
        listed = members(root, "workflows").items()
        workflows = {name: workflow for name, workflow in listed if isinstance(workflow, Mapping)}
        facts.name = line(", ".join(workflows)) or None
        self._add_jobs([call for workflow in workflows.values() for call in _calls(workflow)])
        for flow in workflows.values():
            self._add_triggers(flow)
        if not is_main:
            facts.triggers = [Trigger("continuation", "reusable_call")]
        elif not workflows:
            self.add_trigger(Trigger("push", "push"))
        self.shell_secrets()
        facts.jobs_unknown |= text(root, "setup") == "true"
        facts.oidc |= any(_OIDC in (step.script or "") for step in facts.steps)
        if not facts.jobs:
            self.partial("it has no jobs")
        return True

    def _add_orb(self, name: str, orb: Node) -> None:
        if isinstance(orb, Mapping):  # It is defined in place.
            for key, named in (("commands", self._commands), ("executors", self._executors)):
                named |= {f"{name}/{inner}": node for inner, node in members(orb, key).items()}
            return
        reference = text(orb) or ""
        matched = _ORB.fullmatch(reference)
        version = None if matched is None else matched["version"]
        is_own = pinning.is_first_party("circleci", reference)
        at = parts.place(orb)
        self._orbs[name] = Use(line(reference), _orb_pin(version), is_own, version, place=at)
        self.use(self._orbs[name])

    def _add_jobs(self, calls: list[tuple[str, Node]]) -> None:
        """Every job that is declared, and those of orbs that workflows call."""
        declared = members(self.root, "jobs")
        called: dict[str, list[Node]] = {}
        for key, call in calls:
            called.setdefault(key, []).append(call)
        renamed = {name: key for key, call in calls if (name := text(call, "name")) is not None}
        for key in list(dict.fromkeys([*declared, *called]))[: JOBS_MAX + 1]:
            self._add_job(key, declared.get(key), called.get(key, []), renamed)

    def _add_job(
        self, key: str, job: Node | None, calls: list[Node], renamed: dict[str, str]
    ) -> None:
        id, executor = line(key), self._executor(job)
        needs = [need for call in calls for need in _required(get(call, "requires"))]
        names = [name for call in calls if (name := parts.one_line(call, "name")) is not None]
        is_approval = any(text(entry, "type") == "approval" for entry in (job, *calls))
        copies = sum(_copies(get(call, "matrix", "parameters")) for call in calls)
        for call in calls:
            self._add_continued(parts.variables(call) if isinstance(call, Mapping) else {}, call)
            for context in texts(call, "context"):
                self.secret(context, id)
        images = [node for item in items(executor, "docker") if (node := get(item, "image"))]
        for node in images[1:]:
            self.image(text(node) or "", id, parts.place(node))
        self._checked_out = f"{text(executor, 'working_directory') or '~/project'}/"
        self._environment = {
            name: value
            for node in (*items(executor, "docker")[:1], executor, job)
            for name, value in parts.variables(node, "environment").items()
        }
        count = self._add_steps(id, get(job, "steps"), 0)
        orb = None if job is not None else self._orb_of(key)
        self.job(
            Job(
                id=id,
                needs=list(dict.fromkeys(line(renamed.get(need, need)) for need in needs)),
                runs_on=_runs_on(executor),
                name=names[0] if len(names) == 1 else None,
                image=parts.one_line(images[0]) if images else None,
                services=[line(text(node) or "") for node in images[1:]],
                uses=None if orb is None else orb.reference,
                parallel=parts.product([copies, parts.number(job, "parallelism") or 1]),
                condition="approval" if is_approval else None,
                step_count=count,
                place=parts.place(job or calls[0]),
            ),
            image_at=parts.place_if(images[0]) if images else None,
        )

    def _executor(self, job: Node | None) -> Node | None:
        """What a job runs in: its own, or one that it names."""
        named = get(job, "executor")
        name = text(named) or text(named, "name")
        return job if name is None else self._executors.get(name) or named

    def _orb_of(self, called: str) -> Use | None:
        return self._orbs.get(called.partition("/")[0]) if "/" in called else None

    def _add_steps(self, job: str, steps: Node | None, level: int) -> int:
        """How many steps there are."""
        for step in items(steps):
            self._used += 1
            if self._used > _STEPS_MAX:
                self.partial("its commands call one another too often")
                break
            named = text(step)
            for name, contents in [(named, step)] if named else members(step).items():
                self._add_step(job, step, name, contents, level)
        return len(items(steps))

    def _add_step(self, job: str, step: Node, name: str, contents: Node, level: int) -> None:
        at = parts.place(step)
        if name in _CHOICES:
            self._add_steps(job, get(contents, "steps"), level)
        elif name == "run":
            one = Step(
                job,
                self.path,
                at,
                name=parts.one_line(contents, "name"),
                shell=parts.one_line(contents, "shell"),
                env=self._environment | parts.variables(contents, "environment"),
                condition=parts.one_line(contents, "when"),
                # Where it is checked out to is the root.
                folder=(text(contents, "working_directory") or "").removeprefix(self._checked_out),
            )
            self.scripted(one, contents if text(contents) is not None else get(contents, "command"))
        elif name in self._commands and level < _LEVELS_MAX:
            self._add_steps(job, get(self._commands[name], "steps"), level + 1)
        else:  # A step that is built in, or an orb's.
            orb = self._orb_of(name)
            inputs = parts.variables(contents) if isinstance(contents, Mapping) else {}
            if orb is not None:
                name = f"{orb.reference.partition('@')[0]}/{name.partition('/')[2]}"
            self.step(Step(job, self.path, at, uses=line(name), inputs=inputs))
            if name in ("save_cache", "restore_cache"):
                self.facts.caching += (
                    [inputs["key"]] if "key" in inputs else texts(contents, "keys")
                )
            elif name in ("store_artifacts", "persist_to_workspace"):
                self.facts.artifacts.append(inputs.get("path") or inputs.get("root") or "")
            self._add_continued(inputs, step)

    def _add_continued(self, inputs: dict[str, str], at: Node) -> None:
        """A file of the folder with which a job or a step continues."""
        for key in ci.words("circleci")["continued"]:
            path = inputs.get(key, "").removeprefix("./")
            if path and "<<" not in path:
                self.include("continuation", path, path in self.files, at=parts.place(at))

    def _add_triggers(self, workflow: Mapping) -> None:
        for trigger in items(workflow, "triggers"):
            schedule = get(trigger, "schedule")
            branches = _filtered(get(schedule, "filters"), "branches")
            branch = branches[0] if branches else None
            self.schedule(text(schedule, "cron") or "", branch=branch)
            at = parts.place(trigger)
            self.add_trigger(Trigger("schedule", "schedule", branches=branches, place=at))
        if get(workflow, "triggers") is not None:
            return
        at = parts.place(workflow)
        filters = [get(call, "filters") for _, call in _calls(workflow)]
        wanted = [_filtered(branch_filter, "branches") for branch_filter in filters]
        named = (
            list(dict.fromkeys(branch for branches in wanted for branch in branches))
            if all(wanted)
            else []
        )
        if named != ["!/.*/"]:  # So files limit a workflow to tags.
            self.add_trigger(Trigger("push", "push", branches=named[:_LIST_MAX], place=at))
        tags = list(
            dict.fromkeys(tag for tag_filter in filters for tag in _filtered(tag_filter, "tags"))
        )
        if tags:
            self.add_trigger(Trigger("tag", "tag", tags=tags[:_LIST_MAX], place=at))


def _filtered(filters: Node | None, key: str) -> list[str]:
    return parts.filtered(get(filters, key), only="only", never="ignore")


def _calls(workflow: Node) -> Iterator[tuple[str, Node]]:
    """The jobs that a workflow runs, each with its parameters."""
    for item in items(workflow, "jobs")[:_LIST_MAX]:
        if (name := text(item)) is not None:
            yield name, item
        yield from list(members(item).items())[:1]


def _required(node: Node | None) -> list[str]:
    """Names of jobs, which may be before the outcomes that are waited for."""
    return [name for item in items(node)[:_LIST_MAX] for name in texts(item) or members(item)]


def _copies(parameters: Node | None) -> int:
    """How often a call of a job runs it."""
    return parts.product(len(items(axis)) for axis in members(parameters).values()) or 1


def _runs_on(executor: Node | None) -> list[str]:
    machine, xcode = get(executor, "machine"), text(executor, "macos", "xcode")
    executors = [
        "machine" if text(machine) == "true" else text(machine),
        text(machine, "image"),
        "xcode:" + xcode if xcode else None,
        text(executor, "resource_class") or text(machine, "resource_class"),
        None if members(executor, "docker") else text(executor),
    ]
    return [line(label) for label in executors if label]


def _orb_pin(version: str | None) -> Pin:
    """A whole version of an orb cannot be changed any more."""
    if version is not None and version.startswith("dev:"):
        return "branch"
    pin = pinning.of_ref(version)
    return "hash" if pin == "exact" else pin
