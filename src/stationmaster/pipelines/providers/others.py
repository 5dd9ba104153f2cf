"""Smaller services, each a row of keys."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from stationmaster.pipelines import pinning, triggers
from stationmaster.pipelines.model import EventKind, Job, Step, Use, line
from stationmaster.pipelines.providers.described import Described, exec_form
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.shapes import Shape, add, read
from stationmaster.pipelines.providers.yaml_parts import place, place_if, said, several, words
from stationmaster.repos.yaml_nodes import Mapping, Node, get, items, members, text, texts

_SOURCEHUT = Shape(jobs="tasks", scripts=())
_PACKIT = Shape(jobs="jobs", id="job", runs_on="targets", name="identifier")
_SCREWDRIVER = Shape(jobs="jobs", image="image", steps="steps", secrets="secrets")
_VELA = Shape(jobs="steps", image="image", needs="needs", secrets="secrets", stage="stage")
_CLOUDBEES = Shape(
    jobs="jobs", needs="needs", image="container", steps="steps", uses="uses", env="env",
    timeout="timeout-minutes", condition="if",
)  # fmt: skip
_NX = Shape(
    jobs="launch-templates", runs_on="resource-class", image="image", steps="init-steps",
    uses="uses", env="env",
)  # fmt: skip
_RWX = Shape(
    jobs="tasks", id="key", needs="use", uses="call", condition="if", timeout="timeout",
    runs_on="agent", env="env",
)  # fmt: skip
_ONEDEV = Shape(
    jobs="jobs", needs="jobDependencies", timeout="timeout", in_minutes=False, steps="steps",
    scripts=("interpreter.commands", "commands"), condition="condition",
)  # fmt: skip
_EVERGREEN = Shape(
    jobs="tasks", needs="depends_on", timeout="exec_timeout_secs", in_minutes=False,
    steps="commands", scripts=("params.script", "params.shell"), env="params.env",
)  # fmt: skip
_SCRUTINIZER = Shape(jobs="build.nodes", image="environment.docker", scripts=("tests.override",))
_WERCKER = Shape(jobs="", steps="steps", scripts=("code",), image="box")
_BAMBOO_EVENTS: dict[str, EventKind] = {
    "cron": "schedule",
    "polling": "push",
    "remote": "push",
    "bitbucket-server-trigger": "push",
}
_ONEDEV_EVENTS: tuple[tuple[str, EventKind], ...] = (
    ("Schedule", "schedule"),
    ("PullRequest", "pull_request"),
    ("Tag", "tag"),
    ("Branch", "push"),
    ("Dependency", "workflow_chain"),
)
_GOCD_JOB = Shape(jobs="jobs", runs_on="resources", timeout="timeout", scripts=())


def sourcehut(draft: Draft, roots: list[Node]) -> bool:
    root = roots[0]
    image = said(get(root, "image"))
    if not read(draft, root, _SOURCEHUT) or image is None:
        return False
    # An image here is a machine of the service, of which there are no others to pin.
    machine = [image, *words(get(root, "arch"))]
    draft.jobs = [replace(job, runs_on=machine) for job in draft.jobs]
    draft.trigger("push")
    for secret in texts(get(root, "secrets")):
        draft.secret(secret)
    draft.artifacts += texts(get(root, "artifacts"))
    return True


def packit(draft: Draft, roots: list[Node]) -> bool:
    """Several jobs may be of one kind: builds for a change, for a release."""
    draft.name = said(get(roots[0], "upstream_package_name"))
    for job in items(get(roots[0], "jobs")):
        for event in (text(get(job, "trigger")) or "")[:200].split("|"):
            draft.trigger(event.strip(), place(job))
    return read(draft, roots[0], _PACKIT)


def screwdriver(draft: Draft, roots: list[Node]) -> bool:
    """What begins with `~` in what a job requires is an event, or any one of several jobs."""
    shared = members(get(roots[0], "shared"))
    for name, job in members(get(roots[0], "jobs")).items():
        whole = Mapping(None, job.line, job.column, shared | members(job))
        requires = words(get(whole, "requires"))
        events = [each[1:] for each in requires if each.startswith("~")]
        add(draft, line(name), whole, _SCREWDRIVER)
        if (template := said(get(whole, "template"))) is not None:
            pin, version = pinning.of_use(template)
            draft.use(Use(template, pin, False, version, line(name), place(job)))
        if draft.jobs:
            needs = [each for each in requires if not each.startswith("~")]
            draft.jobs[-1] = replace(draft.jobs[-1], needs=needs)
        for event in events:
            if triggers.kind(event.partition(":")[0]) != "other":
                draft.trigger(event, place(job), triggers.kind(event.partition(":")[0]))
        cron = text(get(whole, "annotations", "screwdriver.cd/buildPeriodically"))
        draft.schedule(cron or "")
    return bool(draft.jobs)


def vela(draft: Draft, roots: list[Node]) -> bool:
    root = roots[0]
    draft.server_schedules = True
    stages = members(get(root, "stages"))
    for name, stage in stages.items():
        draft.job(
            Job(id=line(name), needs=words(get(stage, "needs")), runs_on=[], agents=[],
                place=place(stage))
        )  # fmt: skip
        for step in items(get(stage, "steps")):
            _vela_step(draft, line(name), step)
    for step in items(get(root, "steps")):
        add(draft, said(get(step, "name")) or "step", step, _VELA)
        _vela_events(draft, step)
    for secret in items(get(root, "secrets")):
        draft.secret(text(get(secret, "name")) or "")
    draft.jobs_unknown = get(root, "templates") is not None
    return bool(draft.jobs) or draft.jobs_unknown


def _vela_step(draft: Draft, job: str, node: Node) -> None:
    step = Step(job=job, path=draft.path, place=place(node), name=said(get(node, "name")),
                image=text(get(node, "image")))  # fmt: skip
    draft.scripted(step, get(node, "commands"), place_if(get(node, "image")))
    _vela_events(draft, node)


def _vela_events(draft: Draft, step: Node) -> None:
    rules = get(step, "ruleset")
    for each in (*texts(get(rules, "event")), *texts(get(rules, "if", "event"))):
        # An event may name its kinds, such as `pull_request:opened`.
        draft.trigger(each, place(step), triggers.kind(each.partition(":")[0]))


def cloudbees(draft: Draft, roots: list[Node]) -> bool:
    draft.name = said(get(roots[0], "name"))
    _on(draft, get(roots[0], "on"))
    for each in items(get(roots[0], "on", "schedule")):
        draft.schedule(text(get(each, "cron")) or "")
    return read(draft, roots[0], _CLOUDBEES)


def rwx(draft: Draft, roots: list[Node]) -> bool:
    on = get(roots[0], "on")
    for name, service in members(on).items():
        if name in ("github", "gitlab", "bitbucket"):
            _on(draft, service)
        else:
            draft.trigger(name, place(service))
    for each in several(get(on, "cron")):
        draft.schedule(text(get(each, "schedule")) or text(get(each, "cron")) or "")
    return read(draft, roots[0], _RWX)


def _on(draft: Draft, node: Node | None) -> None:
    for event in (*members(node), *texts(node)):
        draft.trigger(event, None if node is None else place(node))


def nx(draft: Draft, roots: list[Node]) -> bool:
    """Machines that another CI has its tasks run on."""
    draft.kind = "template"
    return read(draft, roots[0], _NX)


def onedev(draft: Draft, roots: list[Node]) -> bool:
    for job in items(get(roots[0], "jobs")):
        for each in items(get(job, "triggers")):
            named = text(get(each, "type")) or ""
            kind: EventKind = next((k for word, k in _ONEDEV_EVENTS if word in named), "other")
            draft.trigger(named, place(each), kind)
            draft.schedule(text(get(each, "cronExpression")) or "")
    return read(draft, roots[0], _ONEDEV)


def evergreen(draft: Draft, roots: list[Node]) -> bool:
    """Tasks; the machines are those of the variants that run them."""
    draft.server_schedules = True
    draft.concurrency = said(get(roots[0], "max_concurrency"))
    machines: dict[str, list[str]] = {}
    for variant in items(get(roots[0], "buildvariants")):
        for task in items(get(variant, "tasks")):
            name = said(get(task, "name")) or said(task) or ""
            machines.setdefault(name, []).extend(words(get(variant, "run_on")))
    found = read(draft, roots[0], _EVERGREEN)
    draft.jobs = [
        replace(job, runs_on=list(dict.fromkeys(machines.get(job.id, [])))) for job in draft.jobs
    ]
    draft.jobs_unknown = get(roots[0], "include") is not None
    return found or draft.jobs_unknown


def scrutinizer(draft: Draft, roots: list[Node]) -> bool:
    if not read(draft, roots[0], _SCRUTINIZER) and get(roots[0], "build") is not None:
        add(draft, "build", roots[0], _SCRUTINIZER)
    return get(roots[0], "build") is not None or get(roots[0], "checks") is not None


def wercker(draft: Draft, roots: list[Node]) -> bool:
    for name, pipeline in members(roots[0]).items():
        if items(get(pipeline, "steps")):
            add(draft, line(name), pipeline, _WERCKER)
    box = get(roots[0], "box", "id") or get(roots[0], "box")
    if box is not None:
        draft.image(said(box) or "", None, place(box))
    return bool(draft.jobs)


def gocd(draft: Draft, roots: list[Node]) -> bool:
    for name, pipeline in members(get(roots[0], "pipelines")).items():
        draft.name = draft.name or line(name)
        draft.schedule(text(get(pipeline, "timer", "spec")) or "")
        for key in members(get(pipeline, "secure_variables")):
            draft.secret(key)
        for stage in items(get(pipeline, "stages")):
            for title, node in members(stage).items():
                _gocd_stage(draft, line(title), node)
    draft.jobs_unknown |= any(
        get(each, "template") is not None for each in members(get(roots[0], "pipelines")).values()
    )
    return bool(draft.jobs) or draft.jobs_unknown


def _gocd_stage(draft: Draft, stage: str, node: Node) -> None:
    """A stage without jobs is its only one."""
    for name, job in (members(get(node, "jobs")) or {stage: node}).items():
        add(draft, line(name), job, _GOCD_JOB)
        for task in items(get(job, "tasks")):
            step = Step(job=line(name), path=draft.path, place=place(task))
            command = get(task, "exec")
            if command is not None:
                exec_form(draft, step, get(command, "command"), get(command, "arguments"))
            elif (script := get(task, "script")) is not None:
                draft.scripted(step, script)


def bamboo(draft: Draft, roots: list[Node]) -> bool:
    """The stages of a plan name its jobs, which stand beside them."""
    root = roots[0]
    draft.name = said(get(root, "plan", "name"))
    for stage in items(get(root, "stages")):
        for title, node in members(stage).items():
            for name in words(get(node, "jobs")) or words(node):
                _bamboo_job(draft, name, line(title), get(root, name))
    for each in items(get(root, "triggers")):
        named = next(iter(members(each)), text(each) or "")
        draft.trigger(named, place(each), _BAMBOO_EVENTS.get(named, "other"))
        cron = get(each, "cron")
        draft.schedule(text(cron) or text(get(cron, "expression")) or "")
    return get(root, "plan") is not None or get(root, "deployment") is not None


def _bamboo_job(draft: Draft, name: str, stage: str, job: Node | None) -> None:
    image = get(job, "docker", "image") or get(job, "docker")
    if job is None:
        return
    draft.job(
        Job(id=name, needs=[], runs_on=words(get(job, "requirements")), agents=[], stage=stage,
            image=said(image), place=place(job)),
        image_at=place_if(image),
    )  # fmt: skip
    for task in items(get(job, "tasks")):
        script = get(task, "script")
        if script is not None:
            step = Step(job=name, path=draft.path, place=place(task))
            draft.scripted(step, get(script, "scripts") or script)


def lgtm(draft: Draft, roots: list[Node]) -> bool:
    """The server read code, and this only helped it."""
    draft.jobs_unknown = True
    return bool(members(roots[0]))


def _row(name: str, path: str, describe: Callable[[Draft, list[Node]], bool]) -> Described:
    return Described(NAME=name, path=re.compile(path), describe=describe)


PROVIDERS = (
    _row("sourcehut", r"\.build\.ya?ml|\.builds/[^/]+", sourcehut),
    _row("packit", r"\.?packit\.ya?ml", packit),
    _row("screwdriver", r"screwdriver\.ya?ml", screwdriver),
    _row("vela", r"\.vela\.ya?ml", vela),
    _row("wercker", r"wercker\.ya?ml", wercker),
    _row("scrutinizer", r"\.scrutinizer\.ya?ml", scrutinizer),
    _row("gocd", r"(?:.*/)?[^/]+\.gocd\.ya?ml", gocd),
    _row("bamboo", r"bamboo-specs/[^/]+", bamboo),
    _row("cloudbees", r"\.cloudbees/workflows/[^/]+", cloudbees),
    _row("nx-cloud", r"\.nx/workflows/[^/]+", nx),
    _row("evergreen", r"\.?evergreen\.ya?ml|\.?evergreen/(?:config|evergreen)\.ya?ml", evergreen),
    _row("rwx", r"\.(?:rwx|mint)/[^/]+", rwx),
    _row("onedev", r"\.onedev-buildspec\.ya?ml", onedev),
    _row("lgtm", r"\.?lgtm\.ya?ml", lgtm),
)
