"""What runs by itself: workflows with their jobs, the way to a release, linters, hooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stationmaster.catalogue import ci as catalogue
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.tooling import ci, configs, tasks
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.tasks import first
from stationmaster.wiki.text.diagrams import Diagram, Edge, flowchart
from stationmaster.wiki.text.inline import Md, Place, among, code, joined, md, text
from stationmaster.wiki.text.page import Page

KEY = "ci-and-tooling"
TOOLS_MIN = 5
"""So many hooks and linters make a page where no workflow does."""
_PICTURES_MAX = 12
_DRAWN_MAX = 20
_NAMED_MAX = 6
_STEPS_MAX = 4
_CONDITION_MAX = 160


def plan(facts: Facts) -> Iterator[Planned]:
    tools = len(configs.hooks(facts)) + len(configs.tools(facts, "lint"))
    if ci.workflows(facts) or tools >= TOOLS_MIN:
        yield Planned(KEY, "CI and tooling", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    workflows = ci.workflows(facts)
    page.summary(*_summary(facts, workflows))
    _workflows(page, workflows)
    _jobs(page, facts, workflows)
    _releases(page, facts, workflows)
    _linters(page, facts)
    _hooks(page, facts)
    _secrets(page, facts)
    page.see("testing", "deployment", "contributing", "getting-started")


def _summary(facts: Facts, workflows: Sequence[ci.Workflow]) -> Iterator[Md]:
    systems = dict.fromkeys(catalogue.systems()[workflow.provider].title for workflow in workflows)
    if systems:
        yield md("Pipelines run on {}.", joined([text(it) for it in systems], last=" and "))
    linters = configs.tools(facts, "lint")
    if linters:
        names = [text(tool) for tool, _ in linters[:_NAMED_MAX]]
        names += [Md("others")] if len(linters) > _NAMED_MAX else []
        yield md("{} {} set up.", joined(names, last=" and "), "is" if len(names) == 1 else "are")


def _workflows(page: Page, workflows: Sequence[ci.Workflow]) -> None:
    page.section("Workflows")
    rows = [
        (text(workflow.name), _events(workflow), ", ".join(workflow.kinds),
         page.cite(Place(workflow.path)))
        for workflow in workflows
    ]  # fmt: skip
    page.table(("Workflow", "Starts on", "Does", "Source"), rows)


def _events(workflow: ci.Workflow) -> Md:
    schedules = [code(schedule) for schedule in workflow.schedules]
    return joined([*map(text, workflow.events), *schedules])


def _jobs(page: Page, facts: Facts, workflows: Sequence[ci.Workflow]) -> None:
    """Of workflows that have several: the ones with the most first."""
    chosen = sorted((it for it in workflows if it.jobs > 1), key=lambda it: (-it.jobs, it.path))
    page.section("Jobs")
    for number, workflow in enumerate(chosen):
        jobs = ci.jobs(facts, workflow.path)
        page.section(workflow.name, 3)
        if number < _PICTURES_MAX:
            page.diagram(_graph(workflow, jobs))
        rows = [
            (code(job.id), joined([code(it) for it in job.needs]),
             ", ".join(job.does) or job.uses or _stated(job),
             joined([code(label) for label in job.runs_on]),
             code(job.condition, _CONDITION_MAX), page.cite(job.place))
            for job in jobs
        ]  # fmt: skip
        page.table(("Job", "Needs", "Does", "Runs on", "Only if", "Source"), rows)


def _stated(job: ci.Task) -> Md:
    """How a job, or its steps, are called that do nothing of a known kind."""
    if job.name != job.id:
        return text(job.name)
    return among([text(it) for it in job.steps[:_STEPS_MAX]], len(job.steps))


def _graph(workflow: ci.Workflow, jobs: Sequence[ci.Task]) -> Diagram | None:
    ids = {job.id for job in jobs}
    edges = [Edge(need, job.id) for job in jobs for need in job.needs if need in ids]
    shown = {name for edge in edges for name in (edge.start, edge.end)}
    if len(shown) > _DRAWN_MAX:
        return None
    labels = {name: name for name in shown}
    return flowchart(
        f"The jobs of {workflow.name}; an arrow leads from a job to one that waits for it",
        labels,
        edges,
        direction="LR",
    )


def _releases(page: Page, facts: Facts, workflows: Sequence[ci.Workflow]) -> None:
    paths = set(ci.releases(facts))
    names = {workflow.path: workflow for workflow in workflows}
    runs = [*ci.runs(facts, "publish"), *ci.runs(facts, "deploy")]
    page.section("The way to a release")
    page.items([
        md("{} starts on {}: {}", text(names[path].name), _events(names[path]) or "a request",
           page.cite(Place(path)))
        for path in sorted(paths)
    ])  # fmt: skip
    rows = [
        (text(names[run.workflow].name), code(run.job), code(run.text),
         code(run.condition, _CONDITION_MAX), page.cite(run.place))
        for run in runs
    ]  # fmt: skip
    page.table(("Workflow", "Job", "Command", "Only if", "Source"), rows)


def _linters(page: Page, facts: Facts) -> None:
    rows = [(text(tool), page.cite(place)) for tool, place in configs.tools(facts, "lint")]
    checks = [*tasks.tasks(facts, "lint"), *tasks.tasks(facts, "format")]
    page.section("Checks and formatting")
    first(page, facts, checks, "Others:")
    page.table(("Tool", "Set up in"), rows)
    scans = {(run.text, run.place): run for run in reversed(ci.runs(facts, "scan"))}
    if scans:
        page.text("The pipeline scans for vulnerabilities with:")
        scanned = [
            (code(run.text), code(run.job), page.cite(run.place))
            for run in reversed(scans.values())
        ]
        page.table(("Command", "Job", "Source"), scanned)


def _hooks(page: Page, facts: Facts) -> None:
    intro = "These run before a commit or a push, for people who have set them up:"
    page.section("Hooks", intro=intro)
    rows = [
        (code(hook.name), code(hook.text), page.cite(hook.place)) for hook in configs.hooks(facts)
    ]
    page.table(("Hook", "Runs", "Source"), rows)


def _secrets(page: Page, facts: Facts) -> None:
    page.section("Secrets that workflows read")
    rows = [
        (code(name), joined([page.cite(Place(path)) for path in paths]))
        for name, paths in ci.secrets(facts)
    ]
    page.table(("Name", "Read in"), rows)
