"""What continuous integration does: workflows, their jobs, what starts them, what they release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from stationmaster.catalogue.repositories.versions import versions
from stationmaster.pipelines.model import CommandKind, EventKind, Found, Job
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling import purposes
from stationmaster.wiki.text.inline import Place

COMMANDS_MAX = 40
JOBS_MAX = 200


class Workflow(msgspec.Struct, frozen=True):
    """`events` are what starts it, with their filters as written; `jobs` how many it has, `kinds`
    what its commands are for, most of all first."""

    path: str
    name: str
    provider: str
    kind: str
    events: tuple[str, ...]
    schedules: tuple[str, ...]
    jobs: int
    kinds: tuple[str, ...]
    secrets: tuple[str, ...]
    is_read: bool


class Task(msgspec.Struct, frozen=True):
    """A job of a workflow; `does` are the kinds of its commands."""

    id: str
    name: str
    needs: tuple[str, ...]
    runs_on: tuple[str, ...]
    does: tuple[str, ...]
    environment: str
    uses: str
    place: Place


class Run(msgspec.Struct, frozen=True):
    """A command line of a job."""

    workflow: str
    job: str
    text: str
    place: Place


@query
def workflows(facts: Facts) -> tuple[Workflow, ...]:
    """By path."""
    return tuple(_workflow(workflow) for workflow in facts.pipelines.workflows)


@query
def jobs(facts: Facts, path: str) -> tuple[Task, ...]:
    """Of one workflow, in the order of its file."""
    matching = (workflow for workflow in facts.pipelines.workflows if workflow.path == path)
    return tuple(
        _task(workflow, job) for workflow in matching for job in workflow.facts.jobs[:JOBS_MAX]
    )


@query
def runs(facts: Facts, kind: str) -> tuple[Run, ...]:
    """Commands of a kind that pipelines run, each once a job."""
    seen: dict[tuple[str, str, str], Run] = {}
    for workflow in facts.pipelines.workflows:
        for command in workflow.facts.commands:
            if command.kind == kind and not purposes.is_verifying(command.text):
                place = Place(*workflow.at(command.place))
                run = Run(workflow.path, command.job, command.text, place)
                seen.setdefault((workflow.path, command.job, command.text), run)
    return tuple(seen.values())[:COMMANDS_MAX]


@query
def services(facts: Facts, kind: str) -> tuple[tuple[str, Place], ...]:
    """Databases and the like that pipelines start beside commands of a kind, by name, each with the
    first job that does: as far as their images, or what a file calls them, are known."""
    places: dict[str, Place] = {}
    for workflow in facts.pipelines.workflows:
        working = {command.job for command in workflow.facts.commands if command.kind == kind}
        for job in workflow.facts.jobs:
            for image in job.services if job.id in working else ():
                named = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
                if title := versions().images.get(named):
                    places.setdefault(title, Place(*workflow.at(job.place)))
    return tuple(sorted(places.items()))


@query
def secrets(facts: Facts) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Names of secrets that workflows read, and the workflows; by name."""
    paths_of: dict[str, dict[str, None]] = {}
    for workflow in facts.pipelines.workflows:
        for name in workflow.facts.secrets:
            if name.isidentifier():
                paths_of.setdefault(name, {})[workflow.path] = None
    return tuple((name, tuple(paths)) for name, paths in sorted(paths_of.items()))


@query
def releases(facts: Facts) -> tuple[str, ...]:
    """The paths of workflows that publish or deploy, or that a tag or a release starts."""
    return tuple(workflow.path for workflow in facts.pipelines.workflows if _releases(workflow))


def _releases(workflow: Found) -> bool:
    kinds = {command.kind for command in workflow.facts.commands}
    starts: set[EventKind] = {trigger.kind for trigger in workflow.facts.triggers}
    return bool(kinds & {"publish", "deploy"} or starts & {"tag", "release", "deployment"})


def _workflow(workflow: Found) -> Workflow:
    facts = workflow.facts
    return Workflow(
        workflow.path, facts.name or workflow.path.rpartition("/")[2],
        workflow.provider, facts.kind,
        tuple(dict.fromkeys(_events(workflow))),
        tuple(dict.fromkeys(schedule.cron for schedule in facts.schedules if schedule.cron)),
        len(facts.jobs), _kinds([command.kind for command in facts.commands]), tuple(facts.secrets),
        facts.parse.state != "error",
    )  # fmt: skip


def _events(workflow: Found) -> Iterator[str]:
    for trigger in workflow.facts.triggers:
        filters = [*trigger.branches[:4], *(f"tag {tag}" for tag in trigger.tags[:4])]
        yield f"{trigger.event} ({', '.join(filters)})" if filters else trigger.event


def _task(workflow: Found, job: Job) -> Task:
    kinds = _kinds([command.kind for command in workflow.facts.commands if command.job == job.id])
    return Task(
        job.id, job.name or job.id, tuple(job.needs), tuple(job.runs_on), kinds,
        job.environment or "", job.uses or "", Place(*workflow.at(job.place)),
    )  # fmt: skip


def _kinds(kinds: Sequence[CommandKind]) -> tuple[str, ...]:
    return tuple(kind for kind in _ORDER if kind in set(kinds))


_ORDER: tuple[CommandKind, ...] = ("build", "lint", "test", "scan", "publish", "deploy")
