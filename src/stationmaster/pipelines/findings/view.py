"""A workflow as rules look at it: its facts, and what follows from several of them together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from stationmaster.pipelines import actors
from stationmaster.pipelines.actors import GITHUB_LIKE, Who
from stationmaster.pipelines.model import Facts, Found, Job, Place, Step, Trigger
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault

BEGINNING = Place(1, 1)
LINES_MAX = 100_000
_SEARCHED_MAX = 2_000
"""Lines of one step in which a text is looked for."""


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
    """One workflow among all of its repository."""

    def __init__(self, found: Found, others: Sequence[Found], texts: Texts) -> None:
        self.path = found.path
        self.provider = found.provider
        self.facts: Facts = found.facts
        self.others = others
        self._texts = texts

    @cached_property
    def is_github(self) -> bool:
        return self.provider in GITHUB_LIKE

    @cached_property
    def triggers(self) -> list[Trigger]:
        """Its own, and those of the workflows of the commit that call it."""
        own = [each for each in self.facts.triggers if each.kind != "reusable_call"]
        if len(own) == len(self.facts.triggers):
            return own
        for other in self.others:
            if any(_is_call(job.uses, self.path) for job in other.facts.jobs):
                own += [each for each in other.facts.triggers if each.kind != "reusable_call"]
        return own

    @cached_property
    def is_called_from_elsewhere(self) -> bool:
        """Only other repositories call it, as far as can be seen."""
        return not self.triggers and bool(self.facts.triggers)

    @cached_property
    def who(self) -> Who:
        return actors.who(self.provider, self.triggers)

    @cached_property
    def open_triggers(self) -> list[Trigger]:
        """Those by which outsiders start it with the repository's rights."""
        return actors.open_triggers(self.provider, self.triggers)

    @cached_property
    def jobs(self) -> dict[str, Job]:
        return {job.id: job for job in self.facts.jobs}

    @cached_property
    def steps(self) -> dict[str, list[Step]]:
        """By job, in their order."""
        found: dict[str, list[Step]] = {}
        for step in self.facts.steps:
            found.setdefault(step.job, []).append(step)
        return found

    @cached_property
    def checks(self) -> frozenset[str]:
        """Ids of the jobs and steps that look who somebody is."""
        found: set[str] = set()
        for step in self.facts.steps:
            # A test of the contributor's own code is none of who they are.
            texts = (step.name, step.uses, step.script, *step.inputs.values())
            if any(actors.looks_who(text) for text in texts if text):
                found |= {step.job, step.id or step.job}
        for job in self.facts.jobs:
            if actors.looks_who(f"{job.id} {job.uses or ''} {job.condition or ''}"):
                found.add(job.id)
        return frozenset(found)

    def gate(self, job: str, step: Step | None = None) -> str | None:
        """The condition that keeps outsiders from a job or its step, its own or that of a job that
        it needs; None where there is none."""
        conditions = [each for each in self._conditions(job) if each]
        if step is not None and step.condition:
            conditions.append(step.condition)
        return actors.gate(conditions, self.open_triggers, self.checks)

    def is_open(self, job: str, step: Step | None = None) -> bool:
        """Can outsiders start it with the repository's rights?"""
        return bool(self.open_triggers) and self.gate(job, step) is None

    def permissions(self, job: str) -> dict[str, str] | None:
        """What a job's token may; None where the repository's settings say it."""
        known = self.jobs.get(job)
        own = None if known is None else known.permissions
        return self.facts.permissions if own is None else own

    @cached_property
    def permissions_at(self) -> Place:
        """Where the workflow's own permissions stand."""
        lines = self.lines()
        at = (n for n, text in enumerate(lines, 1) if text.startswith("permissions:"))
        return Place(next(at, 1), 1)

    def lines(self, path: str | None = None) -> Sequence[str]:
        return self._texts.lines(path or self.path)

    def locate(self, step: Step, text: str) -> Place:
        """Where a text of a step stands in its file, else where the step begins."""
        wanted = next((each.strip() for each in text.split("\n") if each.strip()), "")
        lines = self.lines(step.path)
        first = step.place.line - 1
        for number in range(first, min(first + _SEARCHED_MAX, len(lines))):
            column = lines[number].find(wanted) if wanted else -1
            if column >= 0:
                return Place(number + 1, column + 1)
        return step.place

    def place_of(self, job: str | None) -> Place:
        known = self.jobs.get(job or "")
        return (None if known is None else known.place) or BEGINNING

    @staticmethod
    def name_of(step: Step) -> str | None:
        return step.name or step.id or step.uses

    def _conditions(self, job: str) -> list[str]:
        """Of a job and of all that it needs: one of them that does not run keeps it from running,
        unless it says that it runs all the same."""
        found: list[str] = []
        left, seen = [job], {job}
        while left:
            known = self.jobs.get(left.pop())
            if known is None:
                continue
            found.append(known.condition or "")
            if "always()" in (known.condition or "") or "cancelled()" in (known.condition or ""):
                continue
            for need in known.needs:
                if need not in seen:
                    seen.add(need)
                    left.append(need)
        return found


def _is_call(uses: str | None, path: str) -> bool:
    return uses is not None and uses.lstrip("$.").lstrip("/").partition("@")[0] == path
