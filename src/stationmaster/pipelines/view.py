"""A workflow as rules see it: its facts, and what follows from several of them together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

from stationmaster.pipelines import actors
from stationmaster.pipelines.actors import GITHUB_LIKE, Who
from stationmaster.pipelines.model import Facts, Found, Job, Place, Step, Trigger
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault

if TYPE_CHECKING:
    from stationmaster.pipelines.agents.steps import Running

BEGINNING = Place(1, 1)
ENVIRONMENT = "environment"
LINES_MAX = 100_000
CALLERS_MAX = 20
_SEARCHED_MAX = 2_000
"""Lines of one step in which a text is looked for."""
_BY_OPENNESS: Sequence[Who] = ("outsiders", "contributors", "members")
_ALL_THE_SAME = ("always()", "cancelled()", "failure()")
"""Conditions of jobs that run although one that they need did not."""


class Texts:
    """The lines of files, each read once."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._lines: dict[str, list[str]] = {}

    def lines(self, path: str) -> Sequence[str]:
        """Without their ends; none for a file that cannot be read."""
        if path not in self._lines:
            try:
                data = self._files.content(path)
            except Fault:
                data = b""
            self._lines[path] = data.decode(errors="replace").split("\n", LINES_MAX)[:LINES_MAX]
        return self._lines[path]


class View:
    """One workflow among all of its repository, which are by path in `views`."""

    def __init__(self, pipeline: Found, views: dict[str, View], texts: Texts) -> None:
        self.path = pipeline.path
        self.provider = pipeline.provider
        self.facts: Facts = pipeline.facts
        self.views = views
        self.running: list[Running] = []
        """The steps that run a coding agent, once they have been read."""
        self._asks_callers = False
        self._needs: dict[str, list[str]] = {}
        self._gates: dict[tuple[str, str | None], str | None] = {}
        self._texts = texts

    @cached_property
    def is_github(self) -> bool:
        """True for a workflow of GitHub, Gitea or Forgejo Actions."""
        return self.provider in GITHUB_LIKE

    @cached_property
    def callers(self) -> list[tuple[View, Step]]:
        """The workflows of the commit that call it, and where they do."""
        if not any(trigger.kind == "reusable_call" for trigger in self.facts.triggers):
            return []
        return [
            (other, step)
            for other in self.views.values()
            if other is not self
            for step in other.all_steps
            if step.is_local and (step.uses or "")[2:].split("@")[0] == self.path
        ][:CALLERS_MAX]

    @cached_property
    def triggers(self) -> list[Trigger]:
        """Its own, and those of the workflows of the commit that call it."""
        triggers = [trigger for trigger in self.facts.triggers if trigger.kind != "reusable_call"]
        for caller in dict.fromkeys(view for view, _ in self.callers):
            triggers += [
                trigger for trigger in caller.facts.triggers if trigger.kind != "reusable_call"
            ]
        return triggers

    @cached_property
    def is_called_from_elsewhere(self) -> bool:
        """Only other repositories call it, as far as can be seen."""
        return not self.triggers and bool(self.facts.triggers)

    @cached_property
    def who(self) -> Who:
        """Who can start it by any of its triggers: outsiders, contributors or members."""
        starters = [actors.of_trigger(self.provider, trigger) for trigger in self.triggers]
        return min(starters, key=_BY_OPENNESS.index, default="members")

    @cached_property
    def open_triggers(self) -> list[Trigger]:
        """Those by which outsiders start it with the repository's rights."""
        of_trigger = actors.of_trigger
        return [t for t in self.triggers if of_trigger(self.provider, t) == "outsiders"]

    @cached_property
    def jobs(self) -> dict[str, Job]:
        """Its jobs by id."""
        return {job.id: job for job in self.facts.jobs}

    @cached_property
    def all_steps(self) -> list[Step]:
        """Its own and those of local actions; a called workflow is a view of its own."""
        return [
            step
            for step in self.facts.steps
            if step.path == self.path or step.path not in self.views
        ]

    @cached_property
    def steps(self) -> dict[str, list[Step]]:
        """By job, in their order."""
        by_job: dict[str, list[Step]] = {}
        for step in self.all_steps:
            by_job.setdefault(step.job, []).append(step)
        return by_job

    def before(self, step: Step) -> list[Step]:
        """What its job does before a step; a step equal to it is not that one."""
        return list(takewhile(lambda other: other is not step, self.steps.get(step.job, [])))

    def behind(self, step: Step) -> list[Step]:
        """What its job does after a step."""
        return self.steps.get(step.job, [])[len(self.before(step)) + 1 :]

    @cached_property
    def checks(self) -> frozenset[str]:
        """Ids of the jobs and steps that check who the actor is."""
        ids: set[str] = set()
        for step in self.all_steps:
            texts = (step.name, step.uses, step.script, *step.inputs.values())
            if any(actors.looks_who(text) for text in texts if text):
                ids |= {step.job, step.id or step.job}
        for job in self.facts.jobs:
            if actors.looks_who(f"{job.id} {self.condition(job.id)}"):
                ids.add(job.id)
        return frozenset(checked.lower() for checked in ids)

    def condition(self, job: str) -> str:
        """Of a job, whole; empty where it has none."""
        record = self.jobs.get(job)
        return self.facts.conditions.get(job) or (record.condition if record else None) or ""

    def gate(self, job: str, step: Step | None = None) -> str | None:
        """The condition that keeps outsiders from a job or its step: its own, one of a job that it
        needs, or one of those that call it. None where there is none."""
        key = (job, None if step is None else step.condition)
        if key not in self._gates:
            written = map(self.condition, self._needed(job))
            conditions = [condition for condition in written if condition]
            if key[1] and key[1] not in conditions:
                conditions.append(key[1])
            self._gates[key] = actors.gate(conditions, self.open_triggers, self.checks)
        own = self._gates[key]
        own = own or self._refusal(job, step) or self._environment(job)
        if own is not None or not self.callers or self._asks_callers:
            return own
        self._asks_callers = True  # They may call one another in a circle.
        theirs = [
            "" if not view.open_triggers else view.gate(at.job, at) for view, at in self.callers
        ]
        self._asks_callers = False
        return None if None in theirs else next(filter(None, theirs), None)

    def _refusal(self, job: str, step: Step | None) -> str | None:
        """A step that fails for people without rights, before this one or in a job that is needed
        first."""
        if job in self._refusing:
            steps = self.steps[job]
            first = self._refusing[job]
            # The first of the two decides; a step equal to another is not that one.
            if step is not None and next(e for e in steps if e is first or e is step) is first:
                return None if step is first else self.name_of(first)
        needed = (other for other in self._needed(job) if other != job and other in self._refusing)
        name = next(needed, None)
        return None if name is None else f"needs {name}"

    @cached_property
    def _refusing(self) -> dict[str, Step]:
        """By job, the first step that fails for people without rights."""
        by_job: dict[str, Step] = {}
        for step in self.all_steps:
            if step.job not in by_job and actors.refuses(step):
                by_job[step.job] = step
        return by_job

    def _environment(self, job: str) -> str | None:
        """Some require a person's approval; only the server has which."""
        record = self.jobs.get(job)
        named = None if record is None else record.environment
        return None if named is None else f"{ENVIRONMENT} {named}"

    def is_open(self, job: str) -> bool:
        """Can outsiders start a job with the repository's rights?"""
        return bool(self.open_triggers) and self.gate(job) is None

    def permissions(self, job: str) -> dict[str, str] | None:
        """The permissions of a job's token; None where the repository's settings define them."""
        record = self.jobs.get(job)
        own = None if record is None else record.permissions
        return self.facts.permissions if own is None else own

    def lines(self, path: str | None = None) -> Sequence[str]:
        """The lines of a file of the commit, by default its own, without their ends."""
        return self._texts.lines(path or self.path)

    def locate(self, step: Step, text: str) -> Place:
        """The place of a step's text in its file, else where the step begins."""
        wanted = next((line.strip() for line in text.split("\n") if line.strip()), "")
        lines = self.lines(step.path)
        first = step.place.line - 1
        if step.script_at is not None and wanted in (step.script or ""):
            first = step.script_at.line - 1
        path = None if step.path == self.path else step.path
        for number in range(first, min(first + _SEARCHED_MAX, len(lines))):
            column = lines[number].find(wanted) if wanted else -1
            if column >= 0:
                return Place(number + 1, column + 1, path)
        return Place(step.place.line, step.place.column, path)

    @staticmethod
    def name_of(step: Step) -> str | None:
        """The name of a step, else its id, else what it uses; None without any."""
        return step.name or step.id or step.uses

    def _needed(self, job: str) -> list[str]:
        """A job and all that it needs: one of them that does not run keeps it from running, unless
        it is set to run anyway."""
        if job not in self._needs:
            needed = {job: None}
            left = [job]
            while left:
                other = left.pop()
                condition = self.condition(other)
                if other in self.jobs and not any(word in condition for word in _ALL_THE_SAME):
                    left += [need for need in self.jobs[other].needs if need not in needed]
                    needed |= dict.fromkeys(self.jobs[other].needs)
            self._needs[job] = list(needed)
        return self._needs[job]
