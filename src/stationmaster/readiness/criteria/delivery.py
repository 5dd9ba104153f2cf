"""What pipelines do: check changes, review them, release, announce releases, cache (table E26)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import get_args

from stationmaster.agents.cards.traces import reviewers
from stationmaster.catalogue import ci, lists
from stationmaster.catalogue.tools import uses
from stationmaster.pipelines import commands, gates, idle
from stationmaster.pipelines.model import CommandKind, EventKind, Found
from stationmaster.readiness.evidence import configs, shell, tools
from stationmaster.readiness.facts import Facts, Verdict, fails, passes, skips, unknown
from stationmaster.reading.projects.model import Place

_RELEASES = frozenset[EventKind](get_args(EventKind)) - {"manual", "merge_queue", "other"}
_CHECKS = re.compile(r"(?i)(?:check|verify|validate|lint|e2e|smoke)")
"""How workflows are called that publish nothing but to try it."""
_SITES = ("gh-pages", "mkdocs gh-deploy", "mike deploy", "wrangler pages", "codecov")
"""Publishing pages of documentation is no release."""


def ci_config(facts: Facts) -> Verdict:
    """Passes where a pipeline that a push or pull request starts builds, lints or tests."""
    places: list[Place] = []
    for workflow in facts.pipelines.workflows:
        if not _is_started_by(workflow, gates.CHANGES):
            continue
        place = _doing(facts, workflow, ("build", "lint", "test"))
        if place is not None:
            return passes("A pipeline checks every change", workflow.path, place)
        places.append(Place(workflow.path))
    if facts.pipelines.closed:
        dead = facts.pipelines.closed
        why = ci.closed(dead[0].provider)
        return fails(
            f"The pipeline for changes no longer runs: {why}", *(workflow.path for workflow in dead)
        )
    if places:
        return fails("No pipeline that runs on changes builds, lints or tests", *places)
    others = tuple(Place(workflow.path) for workflow in facts.pipelines.workflows)
    return fails("No pipeline is started by a push or pull request", *others)


def _is_started_by(workflow: Found, kinds: frozenset[EventKind]) -> bool:
    if workflow.facts.kind not in ("pipeline", "generated"):
        return False
    return gates.starts_on(workflow, kinds)


def _doing(facts: Facts, workflow: Found, kinds: tuple[CommandKind, ...]) -> Place | None:
    """Where a pipeline does work of such a kind: a command, an action, or what it calls."""
    off = idle.jobs(workflow.facts)
    for command in workflow.facts.commands:
        if command.kind in kinds and command.job not in off and not _is_nothing(command.text):
            return Place(*workflow.at(command.place))
    for step in workflow.facts.steps:
        if idle.is_off(workflow.facts, step):
            continue
        if step.script and _script_does(facts, step.script, kinds):
            return Place(step.path, step.place.line)
    purpose = "check" if "test" in kinds else "publish"
    for use in facts.uses:
        if use.workflow is workflow and tools.does(use.reference, purpose):
            return use.place
    for own_use in workflow.facts.uses:
        if tools.does(own_use.reference, purpose):
            return Place(*workflow.at(own_use.place))
    sign = lists.pattern("check-workflow") if "test" in kinds else lists.pattern("release-workflow")
    for job in workflow.facts.jobs:
        if job.uses and "/" in job.uses and sign.search(job.uses):
            return Place(*workflow.at(job.place))
    return None


def _script_does(facts: Facts, script: str, kinds: tuple[CommandKind, ...]) -> bool:
    """Does it, or a script of the repository that it calls?"""
    for words in shell.simple(script):
        if not kinds_of(words).isdisjoint(kinds) and not _is_nothing(" ".join(words)):
            return True
        if (path := facts.script(words, ".")) is None:
            continue
        lines = commands.of_script(facts.tree.text(path))
        named = commands.of_task(path.rpartition("/")[2])
        if named in kinds or any(
            line.kind in kinds and not _is_nothing(line.text) for line in lines
        ):
            return True
    return False


@lru_cache(maxsize=16384)
def kinds_of(words: shell.Words) -> frozenset[CommandKind]:
    """What a command is for, behind up to three words of a runner that is not known as such."""
    if words[0] in ("echo", "printf") or shell.fetches(words) or shell.is_condition(words):
        return frozenset()
    readings = (commands.of_words(words[count:]) for count in range(min(4, len(words))))
    kinds = frozenset(kind for kind in readings if kind is not None)
    return kinds - {"test"} if shell.leaves_tests_out(words) else kinds


def _is_nothing(command: str) -> bool:
    """Pages of documentation are no release, and neither is a rehearsal."""
    return (
        "--dry-run" in command
        or "--snapshot" in command
        or lists.pattern("rehearsal").search(command) is not None
        or any(shell.matches(words, site) for words in shell.simple(command) for site in _SITES)
    )


def release_automation(facts: Facts) -> Verdict:
    """Passes where a pipeline publishes or deploys; weakly where it is started manually."""
    manual: Place | None = None
    for workflow in facts.pipelines.workflows:
        if workflow.facts.kind not in ("pipeline", "generated", "reusable"):
            continue
        place = _doing(facts, workflow, ("publish", "deploy"))
        name = workflow.path.rpartition("/")[2]
        if place is None or lists.pattern("site-name").search(
            f"{name} {workflow.facts.name or ''}"
        ):
            continue
        if _CHECKS.match(name):
            continue
        if _is_started_by(workflow, _RELEASES) or workflow.facts.kind == "reusable":
            return passes("A pipeline publishes or deploys", workflow.path, place)
        manual = manual or place
    if manual is not None:
        return passes("A pipeline publishes when it is started manually", manual, weak=True)
    near = map(Place, facts.tree.glob(*lists.files("release-tool")))
    return fails("No pipeline publishes or deploys on a tag, release or push", *near)


def automated_pr_review(facts: Facts) -> Verdict:
    """Passes where an agent or bot reviews changes; unknown where no hosting service was asked."""
    for workflow in facts.pipelines.workflows:
        is_review = workflow.facts.template == "code-review" or reviewers() & set(
            workflow.facts.agents
        )
        started = any(
            trigger.kind in ("pull_request", "pull_request_target", "comment")
            for trigger in workflow.facts.triggers
        )
        if is_review and started:
            return passes("An agent reviews changes", workflow.path)
    if (shown := tools.of_repository(facts, "review")) is not None:
        return passes(f"{shown.name} comments on changes", *shown.places)
    if facts.hosting is not None and facts.hosting.review_bots is not None:
        if facts.hosting.review_bots:
            return passes(f"{facts.hosting.review_bots[0]} comments on changes")
        return fails("No configuration of a reviewer, and no comments by one on recent changes")
    return unknown("No reviewer is configured here; only the hosting service knows installed ones")


def build_performance_tracking(facts: Facts) -> Verdict:
    """Passes where builds keep a cache; skipped where changes start no pipeline."""
    main = [
        workflow
        for workflow in facts.pipelines.workflows
        if _is_started_by(workflow, gates.CHANGES)
    ]
    if not main:
        return skips("No pipeline runs on changes")
    for workflow in main:
        if workflow.facts.caching:
            return passes("A cache is kept between builds", workflow.path)
        for step in workflow.facts.steps:
            name = (step.uses or "").partition("@")[0].lower()
            inputs = {key.lower(): value for key, value in step.inputs.items()}
            if tools.does(name, "build-cache") or _caches(name, inputs):
                return passes("The pipeline caches dependencies or build output", step)
    caches = (phrase for use in uses("build-cache") for phrase in use.commands)
    run = facts.run(None, *caches)
    if run is not None:
        return passes("Builds use a cache", run.command.place)
    for path, sign in _CACHE_SIGNS:
        for file in facts.tree.glob(path):
            if (place := configs.line_of(facts, file, sign)) is not None:
                return passes("The build keeps a cache", place)
    return fails(
        "No cache or timing in the pipelines that run on changes",
        *(workflow.path for workflow in main[:3]),
    )


_CACHE_SIGNS = (
    ("gradle.properties", r"(?m)^[ \t]*org\.gradle\.caching[ \t]*=[ \t]*true"),
    ("nx.json", r"nxCloudId|nxCloudAccessToken|\"cache\"\s*:\s*true|tasksRunnerOptions"),
    ("turbo.json", r"\"(?:remoteCache|tasks|pipeline)\""),
    (".bazelrc", r"--(?:remote_cache|disk_cache)"),
    ("settings.gradle*", r"develocity|gradleEnterprise|buildCache"),
    (".mvn/extensions.xml", r"develocity|maven-build-cache-extension|gradle-enterprise"),
)


def _caches(name: str, inputs: dict[str, str]) -> bool:
    if name.endswith("setup-go"):
        return inputs.get("cache", "true") != "false"
    values = (inputs.get(key, "false") for key in lists.words("cache-input"))
    return any(value.strip().lower() not in ("", "false", "none") for value in values)
