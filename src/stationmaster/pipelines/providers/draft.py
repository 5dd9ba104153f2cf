"""The facts of a file while it is read; what follows from its steps is worked out once, at the end.

For systems whose jobs are images and shell commands, which is nearly all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from itertools import chain, islice
from typing import Any, TypeVar

from msgspec.structs import replace

from stationmaster.catalogue import ci_events
from stationmaster.pipelines import commands, pinning, secrets as secret_names
from stationmaster.pipelines.agents import options, recognition as agents
from stationmaster.pipelines.model import (
    READ,
    Command,
    EventKind,
    Facts,
    Image,
    Include,
    Job,
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
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault, Mapping, Node

LIST_MAX = 100
JOBS_MAX = 500
_INCLUDES_MAX = 200
_STEPS_MAX = 5_000
_COMMANDS_MAX = 500
_SCRIPT_MAX = 6 * 2**20
"""Characters of all scripts together: aliases may repeat one without end."""
T = TypeVar("T")


class Commit:
    """The files of a commit, and what readers make of several of them together."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self._made: dict[Callable[[Files], Any], Any] = {}

    def shared(self, make: Callable[[Files], T]) -> T:
        """What `make` makes of the files, once."""
        if make not in self._made:
            self._made[make] = make(self.files)
        made: T = self._made[make]
        return made


class Draft:
    """Collects the content of the file at `path`; texts are passed as they are in it."""

    def __init__(self, path: str, commit: Commit, system: str = "") -> None:
        self.path = path
        self.system = system
        self.commit = commit
        self.files = commit.files
        self.facts = Facts()
        self._secrets: dict[tuple[str | None, str], None] = {}
        self._script_left = _SCRIPT_MAX

    def job(self, job: Job, *, lists_image: bool = True, image_at: Place | None = None) -> None:
        """Its image is listed too, unless it is another's that it only shares. `image_at` is where
        that is written, if not where the job begins."""
        if len(self.facts.jobs) >= JOBS_MAX:
            self.partial(f"it has more than {JOBS_MAX} jobs")
            return
        self.facts.jobs.append(job)
        if job.image is not None and lists_image:
            self.image(job.image, job.id, image_at or job.place)

    def step(self, step: Step, image_at: Place | None = None) -> None:
        """Its image is listed too. A step whose script is written in another file is in that."""
        if len(self.facts.steps) >= _STEPS_MAX:
            self.partial(f"it has more than {_STEPS_MAX} steps")
            return
        self._script_left -= len(step.script or "")
        if self._script_left < 0:
            self.partial("its scripts are too long to read all of them")
            step = replace(step, script=None, script_at=None)
        script_path = None if step.script_at is None else step.script_at.path
        if step.script_at is not None and script_path not in (None, step.path):
            step = replace(step, path=script_path, place=step.script_at)
        started = agents.of_script(step.script or "")
        self.facts.steps.append(replace(step, agents=started) if started else step)
        if step.image is not None:
            self.image(step.image, step.job, image_at or step.place)

    def scripted(self, step: Step, script: Node | None, image_at: Place | None = None) -> None:
        """A step, once for each connected part of its script in the file."""
        scripts = parts.scripts(script)
        for part in scripts:
            self.step(replace(step, script=part.text, script_at=part.at), image_at)
        if not scripts:
            self.step(step, image_at)

    def image(
        self, reference: str, job: str | None, place: Place | None, pin: Pin | None = None
    ) -> None:
        """Add an image, unless its reference is ''; `pin` follows from that by default."""
        if reference:
            pin = pin or pinning.of_image(reference)
            self.facts.images.append(Image(line(reference), pin, job, place))

    def secret(self, name: str, job: str | None = None) -> None:
        """Of the whole file, or of one job."""
        if name:
            self._secrets[job, line(name)] = None

    def trigger(
        self, event: str, place: Place | None = None, kind: EventKind | None = None
    ) -> None:
        """Add an event without filters, unless it is listed or the list is full."""
        listed = {trigger.event for trigger in self.facts.triggers}
        if event and line(event) not in listed and len(listed) < LIST_MAX:
            kind = kind or ci_events.kind(event)
            self.facts.triggers.append(Trigger(line(event), kind, place=place))

    def add_trigger(self, trigger: Trigger) -> None:
        """One with its filters; the same again adds nothing."""
        equal = [replace(other, place=None) for other in self.facts.triggers]
        if len(equal) < LIST_MAX and replace(trigger, place=None) not in equal:
            self.facts.triggers.append(trigger)

    def schedule(self, cron: str, timezone: str | None = None, branch: str | None = None) -> None:
        """Add a schedule, unless `cron` is '' or the list is full; it is in UTC by default."""
        zone = None if timezone in (None, "", "UTC", "Etc/UTC") else line(timezone or "")
        if cron and len(self.facts.schedules) < LIST_MAX:
            self.facts.schedules.append(Schedule(line(cron), zone, branch))

    def include(
        self,
        kind: str,
        location: str,
        is_resolved: bool,
        pin: Pin | None = None,
        at: Place | None = None,
    ) -> None:
        """Add an included file once, unless the list is full; the jobs that one of another place
        adds are not known."""
        include = Include(kind, line(location), is_resolved, pin, at)
        if include not in self.facts.includes and len(self.facts.includes) < _INCLUDES_MAX:
            self.facts.includes.append(include)

    def use(self, use: Use) -> None:
        """Add a reusable part; dropped where there are too many."""
        if len(self.facts.uses) < _STEPS_MAX:
            self.facts.uses.append(use)

    def partial(self, reason: str) -> None:
        """Of several reasons, the first is reported."""
        self.fault(Fault(reason))

    def fault(self, fault: Fault | None) -> None:
        """Mark the file as read in part; of several faults the first is kept."""
        if fault is not None and self.facts.parse is READ:
            self.facts.parse = of_fault("partial", fault)

    def shell_secrets(self, defined: Container[str] = ()) -> None:
        """Notes what scripts read of their environment as secrets, as far as names show, where the
        file itself does not set it."""
        for step in self.facts.steps:
            texts = (step.script or "", *step.env.values(), *step.inputs.values())
            for text in texts:
                for name in secret_names.variables(text):
                    if name not in defined and name not in step.env:
                        self.secret(name, step.job)

    def whole(self) -> Facts:
        """The facts of the file, with what its steps show of jobs, commands and agents."""
        facts = self.facts
        by_job: dict[str, list[Step]] = {}
        for step in facts.steps:
            by_job.setdefault(step.job, []).append(step)
        secrets: dict[str | None, list[str]] = {}
        for job_id, name in self._secrets:
            secrets.setdefault(job_id, []).append(name)
        started = list(dict.fromkeys(agent for step in facts.steps for agent in step.agents))
        listed = chain.from_iterable(map(commands_of, facts.steps))
        return replace(
            facts,
            jobs=[
                _whole(job, by_job.get(job.id, []), secrets.get(job.id, [])) for job in facts.jobs
            ],
            images=list(dict.fromkeys(facts.images)),
            secrets=list(dict.fromkeys(name for _, name in self._secrets)),
            caching=distinct(facts.caching, LIST_MAX),
            artifacts=distinct(facts.artifacts, LIST_MAX),
            commands=list(islice(listed, _COMMANDS_MAX)),
            agents=started,
            template=options.template(self.path, facts.name, started, None),
        )


class YamlDraft(Draft):
    """Reads a file of YAML; what a format makes of its documents is `take`."""

    splices = False
    """Whether a merge may take a list of mappings."""

    def read(self) -> Facts | None:
        """The content of the file; None when it has none. Raises Fault, NoWorkflow."""
        documents = self.files.documents(self.path, merges=True, splices=self.splices)
        if not documents.roots:
            return None
        self.fault(documents.faults[0] if documents.faults else None)
        return self.whole() if self.take(documents.roots) else None

    def take(self, roots: list[Node]) -> bool:
        """Collect the content of the documents; False where they are of another kind.

        Raises Fault, NoWorkflow.
        """
        raise NotImplementedError


def mapping(root: Node) -> Mapping:
    """The root as a mapping. Raises Fault for another one."""
    if not isinstance(root, Mapping):
        raise Fault("it is not a mapping", root.line, root.column)
    return root


def _whole(job: Job, steps: list[Step], secrets: list[str]) -> Job:
    """A job with what its steps show of it."""
    return replace(
        job,
        agents=list(dict.fromkeys(agent for step in steps for agent in step.agents)),
        secrets=list(dict.fromkeys([*job.secrets, *secrets]))[:LIST_MAX],
        step_count=job.step_count or len({(step.place, step.name, step.uses) for step in steps}),
    )


def commands_of(step: Step) -> Iterator[Command]:
    """What the script of a step does, in its order."""
    at = step.script_at or step.place
    script = "\n".join(" && ".join(step.chosen(it)) for it in step.filled.split("\n"))
    for command in commands.of_script(script):
        place = Place(at.line + command.line, at.column, at.path)
        yield Command(command.kind, command.text, line(step.job), place)
