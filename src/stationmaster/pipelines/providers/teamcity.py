"""TeamCity: build configurations in Kotlin or XML. Rules: CI scan reference, section 2.

A file with build configurations is a workflow, one with templates alone a template. Kotlin is read
as brackets and literals: what a function or a loop makes is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stationmaster.pipelines import agents
from stationmaster.pipelines.model import (
    EventKind,
    Facts,
    Job,
    Place,
    Step,
    Trigger,
    distinct,
    line,
)
from stationmaster.pipelines.providers import teamcity_xml
from stationmaster.pipelines.providers.brackets import (
    SIZE_MAX,
    Call,
    Code,
    Group,
    Item,
    Mark,
    Word,
    calls,
    groups,
    literals,
    within,
)
from stationmaster.pipelines.providers.draft import LIST_MAX, Draft
from stationmaster.repos.files import Files

NAME = "teamcity"
_FILE = re.compile(r"\.teamcity/(?:.*/)?[^/]+\.(?:kts?|xml)")

_BUILD = re.compile(r"\w{0,200}Build(?:Type)?")
_EVENTS: dict[str, EventKind] = {
    "vcs": "push", "schedule": "schedule", "finishBuildTrigger": "workflow_chain",
    "mavenSnapshot": "workflow_chain", "perforceShelve": "push", "retryBuild": "other",
}  # fmt: skip
_SCRIPTS = {
    "script": ("scriptContent", ""), "nodeJS": ("shellScript", ""), "gradle": ("tasks", "gradle "),
    "maven": ("goals", "mvn "), "ant": ("targets", "ant "), "python": ("command", ""),
    "dotnetTest": ("projects", "dotnet test "), "dotnetBuild": ("projects", "dotnet build "),
    "dotnetPublish": ("projects", "dotnet publish "), "rake": ("tasks", "rake "),
    "powerShell": ("scriptContent", ""), "sbt": ("commands", "sbt "), "npm": ("commands", "npm "),
}  # fmt: skip
"""By runner: the setting that says what runs, and the program before it."""
_REQUIREMENTS = frozenset(
    {"equals", "contains", "startsWith", "endsWith", "matches", "exists", "doesNotEqual"}
    | {"noLessThan", "moreThan", "doesNotContain", "notExists"}
)
_CRON = ("minutes", "hours", "dayOfMonth", "month", "dayOfWeek")
_STORED = "credentialsJSON:"


class _Build(NamedTuple):
    """A build configuration or a template, with what stands in its brackets."""

    id: str
    is_template: bool
    parts: list[Item]
    at: int


def is_workflow(path: str) -> bool:
    return path.startswith(".teamcity/") and _FILE.fullmatch(path) is not None


class Reader:
    """Reads the configurations of one commit."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._commands = agents.Commands()

    def read(self, path: str) -> Facts | None:
        """Raises Fault."""
        draft = Draft(path, self._commands)
        data = self._files.content(path, SIZE_MAX)
        if path.endswith(".xml"):
            return draft.facts() if teamcity_xml.describe(draft, data) else None
        code = Code(data)
        builds = list(_builds(code))
        if not builds:
            return None
        draft.fault(code.fault)
        if all(build.is_template for build in builds):
            draft.kind = "template"
        for build in builds:
            _Configuration(code, draft, build).read()
        return draft.facts()


def _builds(code: Code) -> Iterator[_Build]:
    """`object X : BuildType({ … })`, `buildType { … }`, `val x = BuildType { … }`."""
    for items in (code.items, *(group.items for group in groups(code.items))):
        for at, item in enumerate(items):
            if not isinstance(item, Word):
                continue
            if item.text in ("object", "class"):
                yield from _declared(items, at)
            elif item.text in ("buildType", "BuildType") and isinstance(
                body := _item(items, at + 1), Group
            ):
                before = _item(items, at - 1) if at else None
                is_declared = isinstance(before, Mark) and before.text == ":"
                inner = _body([body])
                if inner is not None and not is_declared:
                    named = _assigned(inner, "id") or _assigned(inner, "name") or item.text
                    yield _Build(named, False, inner, item.at)


def _declared(items: list[Item], at: int) -> Iterator[_Build]:
    """A class is the form of others, of which each is an object of its own."""
    keyword, name = items[at], _item(items, at + 1)
    after = at + 2
    if isinstance(_item(items, after), Group):
        after += 1
    colon, kind = _item(items, after), _item(items, after + 1)
    is_typed = isinstance(colon, Mark) and colon.text == ":" and isinstance(kind, Word)
    if not isinstance(name, Word) or not isinstance(kind, Word) or not is_typed:
        return
    is_template = kind.text == "Template" or (isinstance(keyword, Word) and keyword.text == "class")
    if kind.text == "Template" or _BUILD.fullmatch(kind.text):
        parts = _body([each for each in items[after + 2 : after + 4] if isinstance(each, Group)])
        yield _Build(name.text, is_template, parts or [], name.at)


def _item(items: list[Item], at: int) -> Item | None:
    return items[at] if 0 <= at < len(items) else None


def _body(found: list[Group]) -> list[Item] | None:
    """What stands in the braces, which may be the last argument, or hold an `init`."""
    for group in reversed(found):
        if group.bracket == "{":
            init = next((call.body for call in calls(group.items) if call.name == "init"), None)
            return group.items if init is None else init.items
        inner = [each for each in group.items if isinstance(each, Group) and each.bracket == "{"]
        if inner:
            return inner[-1].items
    return None


def _assigned(items: list[Item], name: str) -> str | None:
    for call in calls(items):
        if call.name == name and call.is_assignment:
            return call.literal()
    return None


class _Configuration:
    """Reads one of them."""

    def __init__(self, code: Code, draft: Draft, build: _Build) -> None:
        self._code = code
        self._draft = draft
        self._build = build
        self._id = line(build.id)
        self._blocks = {call.name: call for call in calls(build.parts) if call.body is not None}

    def read(self) -> None:
        failures = self._within("failureConditions")
        limit = next((each for each in failures if each.name == "executionTimeoutMin"), None)
        needs = [
            _named(each.arguments[0])
            for each in self._within("dependencies")
            if each.name in ("snapshot", "dependency", "artifacts") and each.arguments
        ]
        if not self._build.is_template or self._draft.kind == "template":
            self._draft.job(
                Job(
                    id=self._id,
                    name=line(_assigned(self._build.parts, "name") or "") or None,
                    needs=distinct(needs, LIST_MAX),
                    runs_on=distinct(list(self._requirements()), LIST_MAX),
                    agents=[],
                    timeout_minutes=None if limit is None else _number(limit),
                    place=self._code.place(self._build.at),
                )
            )
        self._steps()
        self._triggers()
        self._secrets()
        self._draft.artifacts += (_assigned(self._build.parts, "artifactRules") or "").split("\n")
        for call in calls(self._build.parts):
            if call.name == "maxRunningBuilds" and call.is_assignment:
                self._draft.concurrency = f"maxRunningBuilds {_number(call) or ''}".strip()

    def _within(self, name: str) -> list[Call]:
        block = self._blocks.get(name)
        return [] if block is None or block.body is None else list(within(block.body.items))

    def _calls(self, name: str) -> list[Call]:
        block = self._blocks.get(name)
        return [] if block is None or block.body is None else list(calls(block.body.items))

    def _requirements(self) -> Iterator[str]:
        for call in self._within("requirements"):
            value = call.literal(index=1)
            if call.name in _REQUIREMENTS and (value is not None or "xists" in call.name):
                yield " ".join(filter(None, (call.literal(), call.name, value)))

    def _steps(self) -> None:
        for call in self._calls("steps"):
            if call.body is None:
                continue
            settings = {each.name: each for each in within(call.body.items) if each.is_assignment}
            key, program = _SCRIPTS.get(call.name, ("", ""))
            said = settings.get(key)
            script = None if said is None else said.literal()
            place = self._code.place(call.at)
            self._draft.step(
                Step(
                    job=self._id,
                    path=self._draft.path,
                    place=place,
                    name=line(_value(settings, "name") or call.name),
                    script=None if script is None else program + script,
                    script_at=None if said is None else self._at(said),
                    image=_value(settings, "dockerImage"),
                ),
                self._at(settings["dockerImage"]) if "dockerImage" in settings else None,
            )

    def _at(self, call: Call) -> Place:
        first = call.arguments[0][0]
        return self._code.place(first.at)

    def _triggers(self) -> None:
        for call in self._calls("triggers"):
            kind = _EVENTS.get(call.name)
            if kind is None:
                continue
            settings = {
                each.name: each
                for part in call.parts()
                for each in within(part)
                if each.is_assignment
            }
            filters = (_value(settings, "branchFilter") or "").split()
            branches = [
                each.replace("-:", "!", 1) if each.startswith("-:") else each.removeprefix("+:")
                for each in filters
            ]
            place = self._code.place(call.at)
            self._draft.add_trigger(
                Trigger(call.name, kind, branches=distinct(branches, LIST_MAX), place=place)
            )
            if call.name == "schedule":
                self._draft.schedule(_cron(call), _value(settings, "timezone"))
        for call in self._calls("features"):
            if call.name == "pullRequests":
                self._draft.trigger(call.name, self._code.place(call.at), "pull_request")
            elif call.name in ("buildCache", "feature") and call.body is not None:
                self._draft.caching.append(_assigned(call.body.items, "name") or "")

    def _secrets(self) -> None:
        for call in self._within("params"):
            value = call.literal(index=1) or ""
            if call.name == "password" or value.startswith(_STORED):
                self._draft.secret((call.literal() or "").removeprefix("env."), self._id)
        for call in self._within("features"):
            if call.name == "teamcitySshKey":
                self._draft.secret(call.literal() or "", self._id)


def _named(items: list[Item]) -> str:
    """Of an object, also by its id: `Build`, `Folder.Build`, `RelativeId("Build")`."""
    quoted = next(literals(items), None)
    first = items[0]
    word = first.text.rpartition(".")[2] if isinstance(first, Word) else ""
    return word if quoted is None else quoted.value


def _value(settings: dict[str, Call], name: str) -> str | None:
    call = settings.get(name)
    return None if call is None else call.literal()


def _number(call: Call) -> int | None:
    first = call.arguments[0][0] if call.arguments and call.arguments[0] else None
    digits = first.text if isinstance(first, Word) else ""
    return int(digits) if digits.isdecimal() and len(digits) < 7 else None


def _cron(trigger: Call) -> str:
    """Of a policy `cron { … }`, `daily { … }` or `weekly { … }`, as far as it is literal."""
    for policy in (each for part in trigger.parts() for each in within(part)):
        if policy.name not in ("cron", "daily", "weekly") or policy.body is None:
            continue
        said = {each.name: each for each in calls(policy.body.items) if each.is_assignment}
        if policy.name == "cron":
            return " ".join(_value(said, name) or "*" for name in _CRON)
        minute, hour = (_number(said[key]) if key in said else 0 for key in ("minute", "hour"))
        day = "*" if policy.name == "daily" else _day(said.get("dayOfWeek"))
        return f"{minute} {hour} * * {day}"
    return ""


def _day(call: Call | None) -> str:
    named = call.arguments[0][0] if call is not None and call.arguments else None
    return named.text.rpartition(".")[2][:3] if isinstance(named, Word) else "Sun"
