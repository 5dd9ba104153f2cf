"""The facts of a file while it is read; what follows from its steps is worked out once, at the end.

For providers whose jobs are images and shell commands, which is nearly all of them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Protocol

import msgspec
from msgspec.structs import replace

from stationmaster.pipelines import commands, pinning, triggers
from stationmaster.pipelines import secrets as secret_names
from stationmaster.pipelines.agents import inputs
from stationmaster.pipelines.agents import recognition as agents
from stationmaster.pipelines.model import (
    READ,
    Command,
    EventKind,
    Facts,
    Image,
    Include,
    Job,
    Kind,
    Parse,
    Pin,
    Place,
    Schedule,
    Step,
    Trigger,
    Use,
    distinct,
    line,
    of_fault,
)
from stationmaster.pipelines.providers import yaml_parts
from stationmaster.repos.yaml_nodes import Fault, Node

LIST_MAX = 100
JOBS_MAX = 500
_STEPS_MAX = 5_000
_COMMANDS_MAX = 500
_SCRIPT_MAX = 6 * 2**20
"""Characters of all scripts together: aliases may repeat one without end."""


class Paths(Protocol):
    """The paths of a commit, which `in` looks up."""

    def __contains__(self, path: str, /) -> bool: ...


class Draft:
    """Collects. Texts are given as they stand in the file; `beside` are the paths of the commit."""

    def __init__(self, path: str, known: agents.Commands) -> None:
        self.path = path
        self.beside: Paths = frozenset[str]()
        self.kind: Kind = "pipeline"
        self.name: str | None = None
        self.server_schedules = False
        self.jobs_unknown = False
        self.oidc = False
        self.concurrency: str | None = None
        self.caching: list[str] = []
        self.artifacts: list[str] = []
        self.jobs: list[Job] = []
        self.steps: list[Step] = []
        self.triggers: list[Trigger] = []
        self.schedules: list[Schedule] = []
        self.uses: list[Use] = []
        self.images: list[Image] = []
        self.includes: list[Include] = []
        self._parse: Parse = READ
        self._secrets: dict[tuple[str | None, str], None] = {}
        self._known = known
        self._script_left = _SCRIPT_MAX

    def job(self, job: Job, *, lists_image: bool = True, image_at: Place | None = None) -> None:
        """Its image is listed too, unless it is another's that it only shares. `image_at` is where
        that is written, if not where the job begins."""
        if len(self.jobs) >= JOBS_MAX:
            self.partial(f"it has more than {JOBS_MAX} jobs")
            return
        self.jobs.append(job)
        if job.image is not None and lists_image:
            self.image(job.image, job.id, image_at or job.place)

    def step(self, step: Step, image_at: Place | None = None) -> None:
        """Its image is listed too. A step whose script is written in another file is in that."""
        if len(self.steps) >= _STEPS_MAX:
            self.partial(f"it has more than {_STEPS_MAX} steps")
            return
        self._script_left -= len(step.script or "")
        if self._script_left < 0:
            self.partial("its scripts are too long to read all of them")
            step = replace(step, script=None, script_at=None)
        script_path = None if step.script_at is None else step.script_at.path
        if step.script_at is not None and script_path not in (None, step.path):
            step = replace(step, path=script_path, place=step.script_at)
        found = self._known.agents(step.script or "")
        self.steps.append(replace(step, agents=found) if found else step)
        if step.image is not None:
            self.image(step.image, step.job, image_at or step.place)

    def image(
        self, reference: str, job: str | None, place: Place | None, pin: Pin | None = None
    ) -> None:
        """Add an image, unless its reference is ''; `pin` follows from that by default."""
        if reference:
            known = pin or pinning.of_image(reference)
            self.images.append(Image(line(reference), known, job, place))

    def secret(self, name: str, job: str | None = None) -> None:
        """Of the whole file, or of one job."""
        if name:
            self._secrets[job, line(name)] = None

    def trigger(
        self, event: str, place: Place | None = None, kind: EventKind | None = None
    ) -> None:
        """Add an event without filters, unless it is listed or the list is full."""
        known = {trigger.event for trigger in self.triggers}
        if event and line(event) not in known and len(known) < LIST_MAX:
            self.triggers.append(Trigger(line(event), kind or triggers.kind(event), place=place))

    def schedule(self, cron: str, timezone: str | None = None, branch: str | None = None) -> None:
        """Add a schedule, unless `cron` is '' or the list is full; it is in UTC by default."""
        zone = None if timezone in (None, "", "UTC", "Etc/UTC") else line(timezone or "")
        if cron and len(self.schedules) < LIST_MAX:
            self.schedules.append(Schedule(line(cron), zone, branch))

    def partial(self, reason: str, place: Place | None = None) -> None:
        """Of several reasons, the first is told."""
        at = place or Place(0, 0)
        self.fault(Fault(reason, at.line or None, at.column or None))

    def fault(self, fault: Fault | None) -> None:
        """Mark the file as read in part; of several faults the first is kept."""
        if fault is not None and self._parse is READ:
            self._parse = of_fault("partial", fault)

    def add_trigger(self, trigger: Trigger) -> None:
        """One with its filters; the same again adds nothing."""
        alike = [msgspec.structs.replace(each, place=None) for each in self.triggers]
        if len(alike) < LIST_MAX and msgspec.structs.replace(trigger, place=None) not in alike:
            self.triggers.append(trigger)

    def use(self, use: Use) -> None:
        """Add a reusable part; dropped where there are too many."""
        if len(self.uses) < _STEPS_MAX:
            self.uses.append(use)

    def shell_secrets(self, defined: Container[str] = ()) -> None:
        """Notes what scripts read of their environment as secrets, as far as names tell, where the
        file itself does not set it."""
        for step in self.steps:
            texts = (step.script or "", *step.env.values(), *step.inputs.values())
            for text in texts:
                for name in secret_names.variables(text):
                    if name not in defined and name not in step.env:
                        self.secret(name, step.job)

    def scripted(self, step: Step, script: Node | None, image_at: Place | None = None) -> None:
        """A step, once for each part of its script that stands together in the file."""
        parts = yaml_parts.scripts(script)
        for part in parts:
            self.step(replace(step, script=part.text, script_at=part.at), image_at)
        if not parts:
            self.step(step, image_at)

    def facts(self) -> Facts:
        """The facts of the file, with what its steps say of jobs, commands and agents."""
        by_job: dict[str, list[Step]] = {}
        for step in self.steps:
            by_job.setdefault(step.job, []).append(step)
        secrets: dict[str | None, list[str]] = {}
        for job, name in self._secrets:
            secrets.setdefault(job, []).append(name)
        found = list(dict.fromkeys(agent for step in self.steps for agent in step.agents))
        return Facts(
            kind=self.kind,
            name=self.name,
            triggers=self.triggers,
            schedules=self.schedules,
            server_schedules=self.server_schedules,
            jobs=[
                _whole(job, by_job.get(job.id, []), secrets.get(job.id, [])) for job in self.jobs
            ],
            jobs_unknown=self.jobs_unknown,
            steps=self.steps,
            uses=self.uses,
            images=list(dict.fromkeys(self.images)),
            includes=self.includes,
            secrets=list(dict.fromkeys(name for _, name in self._secrets)),
            oidc=self.oidc,
            concurrency=self.concurrency,
            caching=distinct(self.caching, LIST_MAX),
            artifacts=distinct(self.artifacts, LIST_MAX),
            commands=list(_commands(self.steps)),
            agents=found,
            template=inputs.template(self.path, self.name, found, None),
            parse=self._parse,
        )


def _whole(job: Job, steps: list[Step], secrets: list[str]) -> Job:
    """A job with what its steps say of it."""
    found = dict.fromkeys(agent for step in steps for agent in step.agents)
    return msgspec.structs.replace(
        job,
        agents=list(found),
        secrets=list(dict.fromkeys([*job.secrets, *secrets]))[:LIST_MAX],
        step_count=job.step_count or len({(step.place, step.name, step.uses) for step in steps}),
    )


def _commands(steps: list[Step]) -> Iterator[Command]:
    count = 0
    for step in steps:
        for each in commands.of_script(step.script or ""):
            at = step.script_at
            place = None if at is None else Place(at.line + each.line, at.column, at.path)
            yield Command(each.kind, each.text, step.job, place)
            count += 1
            if count >= _COMMANDS_MAX:
                return
