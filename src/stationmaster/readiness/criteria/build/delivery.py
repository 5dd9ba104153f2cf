"""What pipelines do: check changes, review them, release, tell of releases, cache (table E26)."""

from __future__ import annotations

import re
from functools import lru_cache

from stationmaster.catalogue import ci
from stationmaster.catalogue.tools import uses
from stationmaster.pipelines import commands, idle
from stationmaster.pipelines.agents.recognition import REVIEWERS
from stationmaster.pipelines.gates import CHANGES, starts_on
from stationmaster.pipelines.model import CommandKind, EventKind, Found
from stationmaster.readiness.evidence import configs, shell, tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips, unknown
from stationmaster.reading.projects.model import Place

_RELEASES: frozenset[EventKind] = frozenset(
    {
        "tag",
        "release",
        "push",
        "workflow_chain",
        "schedule",
        "reusable_call",
        "deployment",
        "pull_request",
        "pull_request_target",
        "external",
        "api",
        "comment",
        "issue",
    }
)
_NAMED_CHECK = re.compile(
    r"(?i)(?:^|[/_.-])(?:ci|tests?|lint|build|check|verify|unit)(?:[/_.@-]|$)"
)
_NAMED_RELEASE = re.compile(
    r"(?i)/[\w.-]{0,60}(?:release|publish|deploy)[\w.-]{0,60}\.ya?ml(?:@|$)"
)
_DOCS = re.compile(
    r"(?i)\b(?:api[-_ ]?)?(?:docs?|documentation|gh-?pages|site|website|storybook)\b"
)
_REHEARSED = re.compile(
    r"^[\w./@:-]{1,80}(?: [\w./@:-]{1,60}){0,2} (?:check|verify|validate|lint|list|diff|status)"
    r"(?:[-:][\w-]{1,40})?(?: |$)"
)
_CHECKS = re.compile(r"(?i)(?:check|verify|validate|lint|e2e|smoke)")
"""How workflows are called that publish nothing but to try it."""
_SITES = ("gh-pages", "mkdocs gh-deploy", "mike deploy", "wrangler pages", "codecov")
"""Publishing pages of documentation is no release."""


def ci_config(facts: Facts) -> Verdict:
    """Passes where a pipeline that a push or pull request starts builds, lints or tests."""
    places: list[Place] = []
    for found in facts.pipelines.workflows:
        if not _is_started_by(found, CHANGES):
            continue
        place = _doing(facts, found, ("build", "lint", "test"))
        if place is not None:
            return passes("A pipeline checks every change", Place(found.path), place)
        places.append(Place(found.path))
    if facts.pipelines.closed:
        dead = facts.pipelines.closed
        why = ci.closed(dead[0].provider)
        return fails(
            f"The pipeline for changes does not run any more: {why}",
            *(Place(each.path) for each in dead),
        )
    if places:
        return fails("No pipeline that changes start builds, lints or tests", *places)
    others = tuple(Place(workflow.path) for workflow in facts.pipelines.workflows)
    return fails("No pipeline is started by a push or pull request", *others)


def _is_started_by(found: Found, kinds: frozenset[EventKind]) -> bool:
    if found.facts.kind not in ("pipeline", "generated"):
        return False
    return starts_on(found, kinds)


def _doing(facts: Facts, found: Found, kinds: tuple[CommandKind, ...]) -> Place | None:
    """Where a pipeline does work of such a kind: a command, an action, or what it calls."""
    off = idle.jobs(found.facts)
    for command in found.facts.commands:
        if command.kind in kinds and command.job not in off and not _is_nothing(command.text):
            return Place(*found.at(command.place))
    for step in found.facts.steps:
        if idle.is_off(found.facts, step):
            continue
        if step.script and _script_does(facts, step.script, kinds):
            return Place(step.path, step.place.line)
    purpose = "check" if "test" in kinds else "publish"
    for use in facts.uses:
        if use.workflow is found and tools.does(use.reference, purpose):
            return use.place
    for each in found.facts.uses:
        if tools.does(each.reference, purpose):
            return Place(*found.at(each.place))
    sign = _NAMED_CHECK if "test" in kinds else _NAMED_RELEASE
    for job in found.facts.jobs:
        if job.uses and "/" in job.uses and sign.search(job.uses):
            return Place(*found.at(job.place))
    return None


def _script_does(facts: Facts, script: str, kinds: tuple[CommandKind, ...]) -> bool:
    """Does it, or a script of the repository that it calls?"""
    for words in shell.simple(script):
        if not kinds_of(words).isdisjoint(kinds) and not _is_nothing(" ".join(words)):
            return True
        called = words[1] if words[0] in ("bash", "sh") and len(words) > 1 else words[0]
        path = called.removeprefix("./")
        if path not in facts.files:
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
    told = (commands.of_words(words[count:]) for count in range(min(4, len(words))))
    kinds = frozenset(kind for kind in told if kind is not None)
    return kinds - {"test"} if shell.leaves_tests_out(words) else kinds


def _is_nothing(command: str) -> bool:
    """Pages of documentation are no release, and neither is a rehearsal."""
    return (
        "--dry-run" in command
        or "--snapshot" in command
        or _REHEARSED.search(command) is not None
        or any(shell.says(words, site) for words in shell.simple(command) for site in _SITES)
    )


def release_automation(facts: Facts) -> Verdict:
    """Passes where a pipeline publishes or deploys; weakly where it is started manually."""
    manual: Place | None = None
    for found in facts.pipelines.workflows:
        if found.facts.kind not in ("pipeline", "generated", "reusable"):
            continue
        place = _doing(facts, found, ("publish", "deploy"))
        name = found.path.rpartition("/")[2]
        if place is None or _DOCS.search(f"{name} {found.facts.name or ''}"):
            continue
        if _CHECKS.match(name):
            continue
        if _is_started_by(found, _RELEASES) or found.facts.kind == "reusable":
            return passes("A pipeline publishes or deploys", Place(found.path), place)
        manual = manual or place
    if manual is not None:
        return passes("A pipeline publishes when it is started manually", manual, weak=True)
    near = [
        Place(path)
        for path in facts.tree.glob(
            ".goreleaser.y*ml",
            ".releaserc*",
            "release-please-config.json",
            ".changeset/config.json",
            "jreleaser.yml",
            "release-plz.toml",
        )
    ]
    return fails("No pipeline publishes or deploys on a tag, release or push", *near)


def automated_pr_review(facts: Facts) -> Verdict:
    """Passes where an agent or bot reviews changes; unknown where no hosting service was asked."""
    for workflow in facts.pipelines.workflows:
        is_review = workflow.facts.template == "code-review" or REVIEWERS & set(
            workflow.facts.agents
        )
        started = any(
            trigger.kind in ("pull_request", "pull_request_target", "comment")
            for trigger in workflow.facts.triggers
        )
        if is_review and started:
            return passes("An agent reviews changes", Place(workflow.path))
    if (shown := tools.of_repository(facts, "review")) is not None:
        return passes(f"{shown.name} comments on changes", *shown.places)
    if facts.hosting is not None and facts.hosting.review_bots is not None:
        if facts.hosting.review_bots:
            return passes(f"{facts.hosting.review_bots[0]} comments on changes")
        return fails("Neither a reviewer's configuration nor comments of one on recent changes")
    return unknown(
        "No reviewer is configured here; only the hosting service knows of installed ones"
    )


def build_performance_tracking(facts: Facts) -> Verdict:
    """Passes where builds keep a cache; skipped where changes start no pipeline."""
    main = [workflow for workflow in facts.pipelines.workflows if _is_started_by(workflow, CHANGES)]
    if not main:
        return skips("There is no pipeline that changes start")
    for found in main:
        if found.facts.caching:
            return passes("A cache is kept between builds", Place(found.path))
        for step in found.facts.steps:
            name = (step.uses or "").partition("@")[0].lower()
            inputs = {key.lower(): given for key, given in step.inputs.items()}
            if tools.does(name, "build-cache") or _caches(name, inputs):
                return passes(
                    "The pipeline caches what builds need", Place(step.path, step.place.line)
                )
    caches = (phrase for use in uses("build-cache") for phrase in use.commands)
    run = facts.run(None, *caches)
    if run is not None:
        return passes("Builds use a cache", run.command.place)
    for path, sign in _CACHE_SIGNS:
        for file in facts.tree.glob(path):
            if (place := configs.line_of(facts, file, sign)) is not None:
                return passes("The build keeps a cache", place)
    return fails(
        "No cache or timing in the pipelines that changes start",
        *(Place(each.path) for each in main[:3]),
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
    for key in (
        "cache",
        "bundler-cache",
        "cache-from",
        "cache-dependency-path",
        "enable-cache",
        "use-cache",
        "cache-to",
    ):
        if inputs.get(key, "false").strip().lower() not in ("", "false", "none"):
            return True
    return False
