"""TeamCity: build configurations in Kotlin or XML.

A file with build configurations is a workflow, one with templates alone a template. Kotlin is read
as brackets and literals; classes, their instances and functions are followed, loops are not.
"""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.pipelines.agents import recognition as agents
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
from stationmaster.pipelines.providers.brackets import (
    SIZE_MAX,
    Call,
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
from stationmaster.pipelines.providers.teamcity import xml as teamcity_xml
from stationmaster.pipelines.providers.teamcity.kotlin import (
    Instance,
    Layer,
    Settings,
    Source,
    body,
    item_at,
)
from stationmaster.repos.files import Files

_EVENTS: dict[str, EventKind] = {
    "vcs": "push",
    "schedule": "schedule",
    "finishBuildTrigger": "workflow_chain",
    "mavenSnapshot": "workflow_chain",
    "perforceShelve": "push",
    "retryBuild": "other",
}
_SCRIPTS = {
    "script": ("scriptContent", ""),
    "nodeJS": ("shellScript", ""),
    "gradle": ("tasks", "gradle "),
    "maven": ("goals", "mvn "),
    "ant": ("targets", "ant "),
    "python": ("command", ""),
    "dotnetTest": ("projects", "dotnet test "),
    "dotnetBuild": ("projects", "dotnet build "),
    "dotnetPublish": ("projects", "dotnet publish "),
    "rake": ("tasks", "rake "),
    "powerShell": ("scriptContent", ""),
    "sbt": ("commands", "sbt "),
    "npm": ("commands", "npm "),
}
"""By runner: the setting that says what runs, and the program before it."""
_REQUIREMENTS = frozenset(
    {"equals", "contains", "startsWith", "endsWith", "matches", "exists", "doesNotEqual"}
    | {"noLessThan", "moreThan", "doesNotContain", "notExists"}
)
_CRON = ("minutes", "hours", "dayOfMonth", "month", "dayOfWeek")
_STORED = "credentialsJSON:"
_LIMIT = "executionTimeoutMin"


class Reader:
    """Reads the configurations of one commit."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._commands = agents.Commands()
        self._settings = Settings(files)

    def read(self, path: str) -> Facts | None:
        """Raises Fault."""
        draft = Draft(path, self._commands)
        if path.endswith(".xml"):
            data = self._files.content(path, SIZE_MAX)
            return draft.facts() if teamcity_xml.describe(draft, data) else None
        source = self._settings.of(path)
        builds = [*self._settings.instances(source), *_written(source)]
        if not builds:
            return None
        draft.fault(source.code.fault)
        if all(build.is_template for build in builds):
            draft.kind = "template"
        for build in builds:
            _Configuration(draft, self._settings, build).read()
        if self._settings.is_cut:
            draft.partial("classes and functions multiply to more than may be read")
        names = [job.name or job.id for job in draft.jobs]
        draft.name = line(", ".join(dict.fromkeys(names))) or None
        return draft.facts()


def _written(source: Source) -> Iterator[Instance]:
    """`buildType { … }`, `val x = BuildType { … }`."""
    items_of = (source.code.items, *(group.items for group in groups(source.code.items)))
    for items in items_of:
        for at, item in enumerate(items):
            if not isinstance(item, Word) or item.text not in ("buildType", "BuildType"):
                continue
            inside, before = item_at(items, at + 1), item_at(items, at - 1) if at else None
            is_declared = isinstance(before, Mark) and before.text == ":"
            if isinstance(inside, Group) and not is_declared:
                found = body([inside])
                if found is not None:
                    yield Instance("", item.at, source, (Layer(source, found),))


class _Configuration:
    """Reads one build configuration or template: what its classes set, those of bases first."""

    def __init__(self, draft: Draft, settings: Settings, build: Instance) -> None:
        self._draft = draft
        self._settings = settings
        self._build = build
        self._calls = [
            each for layer in build.layers for each in settings.expanded(layer, layer.items)
        ]
        name = self._assigned("name")
        id = self._assigned("id")
        is_known = id is not None and "$" not in id
        self._name = line(name or "") or None
        self._id = line(build.name or (id if is_known else None) or name or "buildType")

    def read(self) -> None:
        """Add the job, steps, triggers, secrets and artifacts of the configuration to the draft."""
        limits = [each for each in self._within("failureConditions") if each[1].name == _LIMIT]
        needs = [
            _named(call.arguments[0])
            for _, call in self._within("dependencies")
            if call.name in ("snapshot", "dependency", "artifacts") and call.arguments
        ]
        if not self._build.is_template or self._draft.kind == "template":
            self._draft.job(
                Job(
                    id=self._id,
                    name=self._name,
                    needs=distinct(needs, LIST_MAX),
                    runs_on=distinct(list(self._requirements()), LIST_MAX),
                    agents=[],
                    timeout_minutes=_number(limits[-1][1]) if limits else None,
                    place=self._build.source.place(self._build.at),
                )
            )
        self._steps()
        self._triggers()
        self._features()
        self._secrets()
        self._draft.artifacts += (self._assigned("artifactRules") or "").split("\n")
        for _, call in self._calls:
            if call.name == "maxRunningBuilds" and call.is_assignment:
                self._draft.concurrency = f"maxRunningBuilds {_number(call) or ''}".strip()

    def _assigned(self, name: str) -> str | None:
        """The text that a setting is last set to, by `name = "…"` or `name("…")`."""
        found = None
        for layer, call in self._calls:
            if call.name == name and (call.is_assignment or name == "id"):
                found = layer.filled(call.literal()) or found
        return found

    def _block(self, name: str) -> Iterator[tuple[Layer, Call]]:
        """The calls in the blocks of this name, with what functions of the settings do."""
        for layer, call in self._calls:
            if call.name == name and call.body is not None:
                yield from self._settings.expanded(layer, call.body.items)

    def _within(self, name: str) -> Iterator[tuple[Layer, Call]]:
        """The calls in the blocks of this name, at any depth."""
        for layer, call in self._block(name):
            yield layer, call
            for part in call.parts():
                yield from ((layer, inner) for inner in within(part))

    def _requirements(self) -> Iterator[str]:
        for _, call in self._within("requirements"):
            value = call.literal(index=1)
            if call.name in _REQUIREMENTS and (value is not None or "xists" in call.name):
                yield " ".join(filter(None, (call.literal(), call.name, value)))

    def _steps(self) -> None:
        for layer, call in self._block("steps"):
            if call.body is None:
                continue
            settings = {each.name: each for each in within(call.body.items) if each.is_assignment}
            key, program = _SCRIPTS.get(call.name, ("", ""))
            setting = settings.get(key)
            script = None if setting is None else layer.filled(setting.literal())
            image = settings.get("dockerImage")
            self._draft.step(
                Step(
                    job=self._id,
                    path=layer.source.path,
                    place=layer.source.place(call.at),
                    name=line(layer.filled(_value(settings, "name")) or call.name),
                    script=None if script is None else program + script,
                    script_at=None if setting is None else _at(layer, setting),
                    image=layer.filled(_value(settings, "dockerImage")),
                ),
                None if image is None else _at(layer, image),
            )

    def _triggers(self) -> None:
        for layer, call in self._block("triggers"):
            kind = _EVENTS.get(call.name)
            if kind is None:
                continue
            settings = {
                each.name: each
                for part in call.parts()
                for each in within(part)
                if each.is_assignment
            }
            if _is_off(layer, settings.get("enabled")):
                continue
            filters = (layer.filled(_value(settings, "branchFilter")) or "").split()
            branches = [
                filter_.replace("-:", "!", 1)
                if filter_.startswith("-:")
                else filter_.removeprefix("+:")
                for filter_ in filters
            ]
            place = layer.source.place(call.at)
            self._draft.add_trigger(
                Trigger(call.name, kind, branches=distinct(branches, LIST_MAX), place=place)
            )
            if call.name == "schedule":
                self._draft.schedule(_cron(layer, call), _value(settings, "timezone"))

    def _features(self) -> None:
        for layer, call in self._block("features"):
            if call.name == "pullRequests":
                self._draft.trigger(call.name, layer.source.place(call.at), "pull_request")
            elif call.name in ("buildCache", "feature") and call.body is not None:
                named = (each for each in calls(call.body.items) if each.name == "name")
                self._draft.caching += [each.literal() or "" for each in named][:1]

    def _secrets(self) -> None:
        for _, call in self._within("params"):
            value = call.literal(index=1) or ""
            if call.name == "password" or value.startswith(_STORED):
                self._draft.secret((call.literal() or "").removeprefix("env."), self._id)
        for _, call in self._within("features"):
            if call.name == "teamcitySshKey":
                self._draft.secret(call.literal() or "", self._id)


def _at(layer: Layer, setting: Call) -> Place:
    given = setting.arguments[0] if setting.arguments else []
    return layer.source.place(given[0].at if given else setting.at)


def _is_off(layer: Layer, setting: Call | None) -> bool:
    """Is a setting `false`, by itself or by what a function was given?"""
    if setting is None or not setting.arguments or len(setting.arguments[0]) != 1:
        return False
    word = setting.arguments[0][0]
    return isinstance(word, Word) and layer.values.get(word.text, word.text) == "false"


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


def _cron(layer: Layer, trigger: Call) -> str:
    """Of a policy `cron { … }`, `daily { … }` or `weekly { … }`, as far as it is literal."""
    for policy in (each for part in trigger.parts() for each in within(part)):
        if policy.name not in ("cron", "daily", "weekly") or policy.body is None:
            continue
        said = {call.name: call for call in calls(policy.body.items) if call.is_assignment}
        if policy.name == "cron":
            return " ".join(layer.filled(_value(said, name)) or "*" for name in _CRON)
        minute, hour = (_time(layer, said.get(key)) for key in ("minute", "hour"))
        day = "*" if policy.name == "daily" else _day(said.get("dayOfWeek"))
        return f"{minute} {hour} * * {day}"
    return ""


def _time(layer: Layer, setting: Call | None) -> str:
    """A number, or a parameter that is one; 0 where nothing is set, `?` for what is not known."""
    if setting is None:
        return "0"
    word = setting.arguments[0][0] if setting.arguments and setting.arguments[0] else None
    text = layer.values.get(word.text, word.text) if isinstance(word, Word) else ""
    return text if text.isdecimal() and len(text) < 3 else "?"


def _day(call: Call | None) -> str:
    named = call.arguments[0][0] if call is not None and call.arguments else None
    return named.text.rpartition(".")[2][:3] if isinstance(named, Word) else "Sun"
