"""Jenkins: pipelines in Groovy, declarative and scripted.

Many a file is one call of a step that a shared library on the server has: what that runs is
unknown, and what its literal arguments say about platforms is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from itertools import pairwise

from stationmaster.pipelines import pinning
from stationmaster.pipelines.agents import recognition as agents
from stationmaster.pipelines.model import EventKind, Facts, Include, Job, Place, Use, distinct, line
from stationmaster.pipelines.providers.brackets import (
    SIZE_MAX,
    Call,
    Code,
    Group,
    Item,
    Mark,
    Text,
    Word,
    arguments_of,
    calls,
    groups,
    literals,
    within,
)
from stationmaster.pipelines.providers.draft import LIST_MAX, Draft
from stationmaster.pipelines.providers.jenkins.stages import Stages
from stationmaster.repos.files import Files

_PIPELINE_WORDS = frozenset({"pipeline", "node", "stage", "podTemplate"})
_SCHEDULES = frozenset({"cron", "parameterizedCron"})
_EVENTS: dict[str, EventKind] = {
    "cron": "schedule",
    "parameterizedCron": "schedule",
    "pollSCM": "push",
    "upstream": "workflow_chain",
    "githubPush": "push",
    "bitbucketPush": "push",
    "gitlab": "push",
    "GenericTrigger": "external",
    "genericTrigger": "external",
    "issueCommentTrigger": "comment",
    "pullRequestReview": "comment",
    "githubPullRequests": "pull_request",
    "ghprb": "pull_request",
}
_CRON = re.compile(r"@\w{4,8}|(?:[-\w*/,()]{1,60}\s{1,9}){4}[-\w*/,()]{1,60}")
_ZONE = re.compile(r"TZ=([\w/+-]{1,60})")
_CONTROL = frozenset({"", "if", "try", "catch", "finally", "timestamps", "ansiColor", "retry"})
_PLATFORMS = frozenset({"platform", "platforms"})
_JDKS = frozenset({"jdk", "jdks", "jdkVersion", "jdkVersions"})
_STEPS = frozenset(
    {"ansiColor", "build", "catchError", "checkout", "dir", "echo", "error", "if", "input", "lock"}
    | {"library", "libraries", "load", "options", "parallel", "parameters", "print", "println"}
    | {"properties", "retry", "script", "sleep", "switch", "timeout", "timestamps", "triggers"}
    | {"try", "catch", "finally", "while", "for", "withCredentials", "withEnv", "wrap", "else"}
    | {"cron", "sh", "bat", "Library", "Field", "NonCPS", "tools", "environment", "unstable", "_"}
)
"""What stands outside stages and comes from no library of one's own."""


class Reader:
    """Reads the pipelines of one commit."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._commands = agents.Commands()

    def read(self, path: str) -> Facts | None:
        """Raises Fault."""
        code = Code(self._files.content(path, SIZE_MAX))
        is_step = path.startswith("vars/")
        if not _says_pipeline(code.items, path, is_step):
            return None
        draft = Draft(path, self._commands)
        draft.kind = "reusable" if is_step else "pipeline"
        draft.name = line(path.rpartition("/")[2].removesuffix(".groovy")) if is_step else None
        draft.fault(code.fault)
        Stages(code, draft).read()
        for call in within(code.items):
            self._call(call, code, draft)
        if not any(each.name in _PIPELINE_WORDS for each in within(code.items)):
            _library_steps(code, draft)
        return draft.facts()

    def _call(self, call: Call, code: Code, draft: Draft) -> None:
        """What counts wherever it stands."""
        place = code.place(call.at)
        if call.name in ("triggers", "pipelineTriggers"):
            for inner in (each for part in call.parts() for each in within(part)):
                _trigger(inner, code, draft)
        elif call.name in ("Library", "library", "libraries"):
            for part in (*call.arguments, call.named.get("identifier", [])):
                draft.uses += [_library(literal, place) for literal in literals(part)]
        elif call.name in ("archiveArtifacts", "stash"):
            told = call.literal("artifacts") or call.literal("includes") or call.literal("name")
            draft.artifacts.append(told or "")
        elif call.name == "disableConcurrentBuilds":
            draft.concurrency = call.name
        elif call.name == "load" and (named := call.literal()):
            draft.includes.append(
                Include("load", line(named), named in self._files, "local", place)
            )


def _says_pipeline(items: list[Item], path: str, is_step: bool) -> bool:
    """Is there any code, and in files of any name a pipeline?"""
    if is_step:
        return any(call.name in _PIPELINE_WORDS for call in within(items))
    if path.endswith(".groovy") and "enkinsfile" not in path:
        return any(call.name in _PIPELINE_WORDS or call.name == "Library" for call in calls(items))
    return any(not isinstance(item, Mark) for item in items)


def _trigger(call: Call, code: Code, draft: Draft) -> None:
    kind = _EVENTS.get(call.name)
    if kind is None:
        return
    draft.trigger(call.name, code.place(call.at), kind)
    if call.name not in _SCHEDULES:
        return
    for each in (literal for part in call.parts() for literal in literals(part)):
        zone = _ZONE.search(each.value)
        for row in each.value.splitlines():
            if _CRON.fullmatch(cron := row.partition("%")[0].strip()):
                draft.schedule(cron, None if zone is None else zone[1])


def _library(named: Text, place: Place) -> Use:
    """A library is of the server's own administrators. Without a version it is on its branch."""
    version = named.value.partition("@")[2]
    pin = "dynamic" if not named.is_plain else pinning.of_ref(version) if version else "branch"
    return Use(
        reference=line(named.value),
        pin=pin,
        first_party=True,
        version=line(version) or None,
        place=place,
    )


def _library_steps(code: Code, draft: Draft) -> None:
    """What is called where neither a stage nor a node is, and is not defined there either."""
    own = {
        after.text
        for word, after in pairwise(code.items)
        if isinstance(word, Word) and isinstance(after, Word)
    }
    own |= _STEPS
    for call in _statements(code.items):
        first = call.name.partition(".")[0]
        if call.is_assignment or not first or first in own or first[0].isupper():
            continue
        place = code.place(call.at)
        name = line(call.name)
        own.add(first)
        platforms = list(_platforms(call, code))
        told = ", ".join(" ".join(filter(None, platform)) for platform in platforms)
        draft.jobs_unknown = True
        draft.uses.append(
            Use(reference=name, pin="branch", first_party=True, job=name, place=place)
        )
        draft.job(
            Job(
                id=name,
                needs=[],
                runs_on=distinct([platform[0] for platform in platforms], LIST_MAX),
                agents=[],
                name=line(told) or None,
                uses=name,
                parallel=len(platforms) or None,
                place=place,
            )
        )


def _statements(items: list[Item]) -> Iterator[Call]:
    """The calls of a file, and of what its conditions and attempts hold."""
    left = [items]
    while left:
        for call in calls(left.pop()):
            if call.name in _CONTROL and call.body is not None:
                left.append(call.body.items)
            else:
                yield call


def _platforms(call: Call, code: Code) -> Iterator[tuple[str, str]]:
    """Platforms with their JDK, as literals anywhere in the file give them."""
    rows = [arguments_of(group.items)[1] for group in groups(code.items) if group.bracket == "["]
    pairs = [(_one(row, _PLATFORMS), _one(row, _JDKS)) for row in rows if _PLATFORMS & row.keys()]
    if not pairs:
        jdks = _several(call, _JDKS) or [""]
        pairs = [(platform, jdk) for platform in _several(call, _PLATFORMS) for jdk in jdks]
    for platform, jdk in pairs[:LIST_MAX]:
        if platform:
            yield platform, f"JDK {jdk}" if jdk else ""


def _one(row: Mapping[str, list[Item]], names: Set[str]) -> str:
    return next((value for name in names & row.keys() for value in _values(row[name])), "")


def _several(call: Call, names: Set[str]) -> list[str]:
    return [value for name in names & call.named.keys() for value in _values(call.named[name])]


def _values(items: list[Item]) -> list[str]:
    """Literals, in a list or not; numbers too."""
    flat = items[0].items if items and isinstance(items[0], Group) else items
    found = [
        each.value if isinstance(each, Text) else each.text
        for each in flat
        if isinstance(each, Text) or (isinstance(each, Word) and each.text.isdecimal())
    ]
    return found[:LIST_MAX]
