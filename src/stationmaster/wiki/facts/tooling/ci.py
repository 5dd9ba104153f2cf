"""What continuous integration does: workflows, their jobs, what starts them, what they release."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from stationmaster.catalogue.repositories.versions import versions
from stationmaster.pipelines.model import Command, EventKind, Found, Job, Step
from stationmaster.repos import yaml_nodes
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling import ci_commands
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.secrets import is_secret_name
from stationmaster.wiki.text.inline import Place

COMMANDS_MAX = 40
JOBS_MAX = 200
RECIPES_MAX = 2
STAGES_MAX = 40
_INPUT_MAX = 80
_PREPARES = re.compile(r"^\./|/setup-|/cache\b|artifact|harden-runner")
_HERE_DOCUMENT = re.compile(
    r"(<<-?[ \t]?['\"]?(\w{1,30})['\"]?[^\n]{0,400})\n"
    r"(?:[^\n]{0,2000}\n){0,200}?[ \t]{0,40}\2[ \t]*(?=\n|$)"
)
_FILLED_IN = re.compile(r"(?:\s(?:at|for|in|on|using|with|\())?\s?\$\{\{")
"""What begins a name that is known only when a pipeline runs."""
_CONTINUED = re.compile(r"\\\n")
_OF_RUNNER = re.compile(
    r"CI|DEBIAN_FRONTEND|\w{0,40}COLOR\w{0,40}|(?:ACTIONS|CARGO|CODECOV|COVERALLS|GH|GITHUB|GITLAB|NPM|PIP|UV"
    r"|RUNNER|SCCACHE|CACHE)_\w+"
)
"""Variables that only matter where a pipeline runs."""
_PLAIN = re.compile(r"[\w./:@,-]{1,60}")
"""A value that is shown."""
_ADJUSTS = frozenset({"include", "exclude"})
_PRINTS = re.compile(r"(?:echo|set|printf) ")


class Workflow(msgspec.Struct, frozen=True):
    """`events` are what starts it, with their filters as written; `jobs` how many it has, `kinds`
    what its commands are for, most of all first."""

    path: str
    name: str
    provider: str
    events: tuple[str, ...]
    schedules: tuple[str, ...]
    jobs: int
    kinds: tuple[str, ...]


class Task(msgspec.Struct, frozen=True):
    """A job of a workflow; `does` are the kinds of its commands, `steps` the names of its steps, or
    what they use."""

    id: str
    name: str
    needs: tuple[str, ...]
    runs_on: tuple[str, ...]
    does: tuple[str, ...]
    uses: str
    condition: str
    steps: tuple[str, ...]
    place: Place


class Run(msgspec.Struct, frozen=True):
    """A command line of a job; `condition` is that of its step."""

    workflow: str
    job: str
    text: str
    place: Place
    condition: str = ""


class Stage(msgspec.Struct, frozen=True):
    """A step of a job: its name and what it uses, the lines of its script, the names of its
    variables, what it asks of the part that it uses, and the condition of the step."""

    title: str
    uses: str
    lines: tuple[str, ...]
    variables: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...]
    condition: str
    place: Place


class Recipe(msgspec.Struct, frozen=True):
    """All that a job does in order; `services` run during it, by their names in the file. `matrix`
    are names and the values for every combination of which it runs, as far as the file lists them;
    `is_adjusted`: it adds some to these, or leaves some out."""

    job: str
    services: tuple[str, ...]
    stages: tuple[Stage, ...]
    place: Place
    matrix: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_adjusted: bool = False


@query
def recipes(facts: Facts, kind: str) -> tuple[Recipe, ...]:
    """Those of the jobs that run most commands of a kind, but for jobs that release."""
    counted: list[tuple[int, Found, Job]] = []
    for workflow in facts.pipelines.workflows:
        commands = workflow.facts.commands
        releasing = {command.job for command in commands if command.kind in ("publish", "deploy")}
        named = [
            command.job
            for command in ci_commands.commands(facts, workflow, kind)
            if (command.kind != kind or purposes.of_text(command.text, ()) == kind)
            and command.job not in releasing
        ]
        jobs = [job for job in workflow.facts.jobs if job.id in named]
        counted += [(named.count(job.id), workflow, job) for job in jobs]
    counted.sort(key=lambda item: -item[0])
    made = [_recipe(facts, workflow, job) for _, workflow, job in counted[: 4 * RECIPES_MAX]]
    # A workflow that others call is listed in each of its callers, too.
    by_stages = {recipe.stages: recipe for recipe in reversed(made)}
    return tuple(recipe for recipe in made if recipe is by_stages[recipe.stages])[:RECIPES_MAX]


def _recipe(facts: Facts, workflow: Found, job: Job) -> Recipe:
    steps = [step for step in workflow.facts.steps if step.job == job.id]
    stages = [
        Stage(
            step.name or "",
            step.action,
            _lines(step),
            tuple(step.env),
            tuple(filter(_is_shown, step.inputs.items())),
            step.condition or "",
            Place(step.path, step.place.line),
        )
        for step in steps[:STAGES_MAX]
        if not step.is_checkout and not ci_commands.SERVES_RUNNER.search(step.action)
    ]
    place = Place(*workflow.at(job.place))
    # The steps of an action of the repository itself replace the step that calls it.
    kept = tuple(it for it in stages if it.lines or (it.uses and not it.uses.startswith(".")))
    matrix = yaml_nodes.members(
        yaml_nodes.get(facts.tree.yaml(place.path), "jobs", job.id, "strategy", "matrix")
    )
    values = [
        (name, tuple(filter(None, map(yaml_nodes.text, yaml_nodes.items(node)))))
        for name, node in matrix.items()
        if name not in _ADJUSTS
    ]
    listed = tuple((name, row) for name, row in values if row)
    is_adjusted = not _ADJUSTS.isdisjoint(matrix)
    services = tuple(job.services)
    return Recipe(job.id, services, kept, place, listed, is_adjusted)


def _is_shown(row: tuple[str, str]) -> bool:
    """Is an input of a step short and no secret?"""
    name, value = row
    is_other = is_secret_name(name) or ("${{" in value and "matrix." not in value)
    return len(value) <= _INPUT_MAX and "\n" not in value and not is_other


def _lines(step: Step) -> tuple[str, ...]:
    """The commands of a script, those over several lines as one, without the texts in it."""
    script = _CONTINUED.sub(" ", _HERE_DOCUMENT.sub(r"\1", step.text))
    lines = (" ".join(it.split()) for it in script.split("\n"))
    return tuple(filter(_is_informative, lines))


def _is_informative(line: str) -> bool:
    return bool(line) and not line.startswith("#") and not _PRINTS.match(line)


@query
def workflows(facts: Facts) -> tuple[Workflow, ...]:
    """By path."""
    return tuple(_workflow(facts, workflow) for workflow in facts.pipelines.workflows)


@query
def jobs(facts: Facts, path: str) -> tuple[Task, ...]:
    """Of one workflow, in the order of its file."""
    matching = (workflow for workflow in facts.pipelines.workflows if workflow.path == path)
    return tuple(
        _task(facts, workflow, job)
        for workflow in matching
        for job in workflow.facts.jobs[:JOBS_MAX]
    )


@query
def runs(facts: Facts, kind: str) -> tuple[Run, ...]:
    """Commands of a kind that pipelines run, without repetitions in a job."""
    seen: dict[tuple[str, str, str], Run] = {}
    for workflow in facts.pipelines.workflows:
        for command in ci_commands.commands(facts, workflow, kind):
            run = _run(workflow, command)
            seen.setdefault((run.workflow, run.job, run.text), run)
    return tuple(seen.values())[:COMMANDS_MAX]


def _run(workflow: Found, command: Command) -> Run:
    place = Place(*workflow.at(command.place))
    step = ci_commands.step_of(workflow, command)
    condition = (step.condition if step else None) or ""
    return Run(workflow.path, command.job, command.text, place, condition)


@query
def services(facts: Facts, kind: str) -> tuple[tuple[str, Place], ...]:
    """Databases and the like that pipelines start for commands of a kind, by name, with the first
    job that does: as far as their images, or their names in a file, are known."""
    places: dict[str, Place] = {}
    for workflow in facts.pipelines.workflows:
        working = {command.job for command in ci_commands.commands(facts, workflow, kind)}
        for job in workflow.facts.jobs:
            for image in job.services if job.id in working else ():
                named = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
                if title := versions().images.get(named):
                    places.setdefault(title, Place(*workflow.at(job.place)))
    return tuple(sorted(places.items()))


@query
def variables(facts: Facts, kind: str) -> tuple[tuple[tuple[str, ...], Run], ...]:
    """Variables that pipelines set for commands of a kind, with values that are plain and no
    secrets, each time with the first command for which they set these."""
    first: dict[tuple[str, ...], tuple[tuple[str, ...], Run]] = {}
    for workflow in facts.pipelines.workflows:
        for command in ci_commands.commands(facts, workflow, kind):
            step = ci_commands.step_of(workflow, command)
            own = step.env if step else {}
            names = tuple(it for it in own if not _OF_RUNNER.fullmatch(it))
            if names and names not in first:
                plain = {it for it in names if _PLAIN.fullmatch(own[it]) and not is_secret_name(it)}
                shown = tuple(f"{it}={own[it]}" if it in plain else it for it in names)
                first[names] = shown, _run(workflow, command)
    return tuple(first.values())


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
    return tuple(
        workflow.path for workflow in facts.pipelines.workflows if _releases(facts, workflow)
    )


def _releases(facts: Facts, workflow: Found) -> bool:
    kinds = {it.partition(" ")[0] for it in ci_commands.kinds(facts, workflow)}
    starts: set[EventKind] = {trigger.kind for trigger in workflow.facts.triggers}
    return bool(kinds & {"publish", "deploy"} or starts & {"tag", "release", "deployment"})


def _workflow(facts: Facts, workflow: Found) -> Workflow:
    own = workflow.facts
    return Workflow(
        workflow.path, own.name or workflow.path.rpartition("/")[2],
        workflow.provider,
        tuple(dict.fromkeys(_events(workflow))),
        tuple(dict.fromkeys(schedule.cron for schedule in own.schedules if schedule.cron)),
        len(own.jobs), ci_commands.kinds(facts, workflow),
    )  # fmt: skip


def _events(workflow: Found) -> Iterator[str]:
    for trigger in workflow.facts.triggers:
        filters = [*trigger.branches[:4], *(f"tag {tag}" for tag in trigger.tags[:4])]
        yield f"{trigger.event} ({', '.join(filters)})" if filters else trigger.event


def _task(facts: Facts, workflow: Found, job: Job) -> Task:
    steps = [
        it
        for it in workflow.facts.steps
        if it.job == job.id and it.path == workflow.path and not it.is_checkout
    ]
    working = [it for it in steps if not _PREPARES.search(it.action)] or steps
    named = [it.name for it in working if it.name and not _FILLED_IN.search(it.name)]
    titles = dict.fromkeys(
        named or (it.action or it.text.strip().partition("\n")[0] for it in working)
    )
    return Task(
        job.id, _FILLED_IN.split(job.name or job.id)[0].strip() or job.id, tuple(job.needs),
        tuple(job.runs_on), ci_commands.kinds(facts, workflow, job.id), job.uses or "",
        job.condition or "", tuple(titles), Place(*workflow.at(job.place)),
    )  # fmt: skip
