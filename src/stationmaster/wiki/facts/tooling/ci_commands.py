"""What commands of pipelines are for."""

from __future__ import annotations

import re

from stationmaster.pipelines.commands import of_task
from stationmaster.pipelines.model import Command, CommandKind, Found, Job, Step
from stationmaster.pipelines.providers.actions.traits import pushed
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.tooling import tests
from stationmaster.wiki.facts.tooling.kinds import purposes

_ORDER: tuple[CommandKind, ...] = ("build", "lint", "test", "scan", "publish", "deploy")
SERVES_RUNNER = re.compile(r"/cache\b|artifact|codecov|coveralls|harden-runner")
"""What actions do that only matter where a pipeline runs."""
_BUILDS_AND_TESTS = re.compile(
    r"(?:\./)?(?:mvnw? (?:[^\s&|;]{1,80} ){0,20}(?:package|verify|install|deploy)"
    r"|gradlew? (?:[^\s&|;]{1,80} ){0,20}build)(?=\s|$)"
)
_WITHOUT_TESTS = re.compile(r"-D(?:skipTests|maven\.test\.skip)(?!=false)| -x test")
_WHOLE = re.compile(r"(?:bundle exec )?(?:make|rake|just|task|invoke)")
"""What does all that a runner of tasks does where it is asked for none."""
_FOR_TESTS = re.compile(r"(?i)(?:[\w -]{0,60}[_ -])?tests?")
"""The id of a job."""
_RAKE = re.compile(r"(?:bundle exec )?(?:(?:\./)?bin/)?rake")
_BY_DEFAULT = re.compile(r"(?m)^[ \t]*+task[ (][ \t]*+:?default[ \t]*+(?:=>|:)[ \t]*+(.+)")
_TESTED_BY_DEFAULT = re.compile(
    r"(?m)^[ \t]*+gem[ \t]*+\(?[\"'](?:rspec-rails|minitest|rails)[\"']"
)
"""What makes tests the task that Rake runs without a name."""
_WHATEVER = re.compile(r"(?:\$\{\{ ?)?(?:!cancelled|always|success)\(\)(?: ?\}\})?")
"""Conditions that hold wherever the job comes so far."""


def commands(facts: Facts, workflow: Found, kind: str) -> list[Command]:
    """Those of a kind that verify nothing else; of a job that is called after tests and names none
    of these, what runs all."""
    every = workflow.facts.commands
    own = [
        it
        for it in every
        if kind in _does(facts, workflow, it) or (kind == "publish" and _is_pushed(workflow, it))
        if not purposes.does(it.text, "verifies")
    ]
    tested = {it.job for it in own}
    return own + [
        it
        for it in every
        if kind == "test" and it.job not in tested
        if _WHOLE.fullmatch(it.text) and _FOR_TESTS.fullmatch(it.job)
    ]


def kinds(facts: Facts, workflow: Found, job: str = "") -> tuple[str, ...]:
    """What a job does, or all jobs, with a mark where every step that does it, or its job, has a
    condition. Bringing dependencies is no build, and what sends a report of tests is none."""
    always, sometimes = set[str](), set[str]()
    apart = {it.id for it in workflow.facts.jobs if not job and _is_conditional(it)}
    for step in workflow.facts.steps:
        if job in ("", step.job) and (when := pushed(step)):
            is_open = "${{" in when or step.job in apart or _is_conditional(step)
            (sometimes if is_open else always).add("publish")
    for command in workflow.facts.commands:
        if job not in ("", command.job) or (
            command.kind == "build" and purposes.of_text(command.text, ()) == "install"
        ):
            continue
        if command.kind == "test" and SERVES_RUNNER.search(command.text):
            continue
        own: set[str] = {*_does(facts, workflow, command)}
        if _BUILDS_AND_TESTS.match(command.text):
            is_bare = _WITHOUT_TESTS.search(command.text) or tests.skips_all(facts, command.text)
            own |= {"build"} if is_bare else {"build", "test"}
        owner = step_of(workflow, command)
        is_open = command.job in apart or (owner is not None and _is_conditional(owner))
        (sometimes if is_open else always).update(own)
    return tuple(
        kind if kind in always else f"{kind} (under a condition)"
        for kind in _ORDER
        if kind in always | sometimes
    )


def _is_pushed(workflow: Found, command: Command) -> bool:
    """Is it an action that pushes what it builds, if only sometimes?"""
    step = step_of(workflow, command)
    return step is not None and bool(pushed(step))


def _does(facts: Facts, workflow: Found, command: Command) -> frozenset[CommandKind]:
    """What a command is for: of Rake without a task what its step is called after, else what the
    Rakefile or a framework has it do."""
    if not _RAKE.fullmatch(command.text):
        return frozenset({command.kind})
    step, stated = step_of(workflow, command), _BY_DEFAULT.search(facts.tree.text("Rakefile"))
    named = of_task(step.name, "test") if step and step.name else None
    words = re.findall(r"\w+", stated[1]) if stated else []
    if not stated and _TESTED_BY_DEFAULT.search(facts.tree.text("Gemfile")):
        words = ["test"]
    by_default = (kind for word in words if (kind := of_task(word, "test")))
    return frozenset({named} if named else by_default)


def step_of(workflow: Found, command: Command) -> Step | None:
    """The step of a workflow that has a command."""
    path, line = workflow.at(command.place)
    own = (
        it
        for it in reversed(workflow.facts.steps)
        if it.job == command.job and it.path == path and (it.place.line or 0) <= (line or 0)
    )
    return next(own, None)


def _is_conditional(it: Step | Job) -> bool:
    return bool(it.condition) and _WHATEVER.fullmatch(it.condition or "") is None
