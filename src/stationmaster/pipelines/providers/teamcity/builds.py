"""TeamCity: build configurations in Kotlin, or in XML as the server exports them.

A file with build configurations is a workflow, one with templates alone a template. Kotlin is read
as brackets and literals; classes, their instances and functions are followed, loops are not. In XML
entities are refused and nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat

from stationmaster.catalogue import ci
from stationmaster.catalogue.ci_events import of_system
from stationmaster.pipelines.model import Facts, Job, Place, Step, Trigger, distinct, line
from stationmaster.pipelines.providers.brackets import (
    SIZE_MAX,
    Call,
    Group,
    Item,
    Word,
    calls,
    is_mark,
    literals,
    within,
)
from stationmaster.pipelines.providers.draft import LIST_MAX, Draft
from stationmaster.pipelines.providers.teamcity.kotlin import (
    Instance,
    Layer,
    Settings,
    Source,
    body,
    item_at,
    words,
)
from stationmaster.repos.contents import Element, decoded, xml
from stationmaster.repos.yaml_nodes import Fault

_WORDS = ci.words("teamcity")
_RUNNERS = ci.words("teamcity-runners")
_STORED = "credentialsJSON:"
_LIMIT = "executionTimeoutMin"


class File(Draft):
    """A file of build configurations."""

    def read(self) -> Facts | None:
        """The content of its configurations; None for a file without any. Raises Fault."""
        if self.path.endswith(".xml"):
            data = self.files.content(self.path, SIZE_MAX)
            return self.whole() if describe(self, data) else None
        settings = self.commit.shared(Settings)
        source = settings.of(self.path)
        builds = [*settings.instances(source), *_written(source)]
        if not builds:
            return None
        self.fault(source.code.fault)
        if all(build.is_template for build in builds):
            self.facts.kind = "template"
        for build in builds:
            _Configuration(self, settings, build).read()
        if settings.is_cut:
            self.partial("classes and functions multiply to more than may be read")
        names = [job.name or job.id for job in self.facts.jobs]
        self.facts.name = line(", ".join(dict.fromkeys(names))) or None
        return self.whole()


def _written(source: Source) -> Iterator[Instance]:
    """`buildType { … }`, `val x = BuildType { … }`."""
    for word, items, at in words(source.code):
        inside = item_at(items, at + 1)
        is_base = is_mark(item_at(items, at - 1), ":")
        if word.text in ("buildType", "BuildType") and isinstance(inside, Group) and not is_base:
            settings = body([inside])
            if settings is not None:
                yield Instance("", word.at, source, (Layer(source, settings),))


class _Configuration:
    """Reads one build configuration or template: what its classes set, those of bases first."""

    def __init__(self, draft: Draft, settings: Settings, build: Instance) -> None:
        self._draft = draft
        self._settings = settings
        self._build = build
        self._calls = [
            call for layer in build.layers for call in settings.expanded(layer, layer.items)
        ]
        name = self._assigned("name")
        id = self._assigned("id")
        is_known = id is not None and "$" not in id
        self._name = line(name or "") or None
        self._id = line(build.name or (id if is_known else None) or name or "buildType")

    def read(self) -> None:
        """Add the job, steps, triggers, secrets and artifacts of the configuration to the draft."""
        limits = [limit for limit in self._within("failureConditions") if limit[1].name == _LIMIT]
        needs = [
            _named(call.arguments[0])
            for _, call in self._within("dependencies")
            if call.name in ("snapshot", "dependency", "artifacts") and call.arguments
        ]
        if not self._build.is_template or self._draft.facts.kind == "template":
            self._draft.job(
                Job(
                    id=self._id,
                    name=self._name,
                    needs=distinct(needs, LIST_MAX),
                    runs_on=distinct(list(self._requirements()), LIST_MAX),
                    timeout_minutes=limits[-1][1].number() if limits else None,
                    place=self._build.source.place(self._build.at),
                )
            )
        self._steps()
        self._triggers()
        self._features()
        self._secrets()
        self._draft.facts.artifacts += (self._assigned("artifactRules") or "").split("\n")
        for _, call in self._calls:
            if call.name == "maxRunningBuilds" and call.is_assignment:
                self._draft.facts.concurrency = f"maxRunningBuilds {call.number() or ''}".strip()

    def _assigned(self, name: str) -> str | None:
        """The text that a setting is last set to, by `name = "…"` or `name("…")`."""
        text = None
        for layer, call in self._calls:
            if call.name == name and (call.is_assignment or name == "id"):
                text = layer.filled(call.literal()) or text
        return text

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
            if call.name in _WORDS["requirements"] and (value is not None or "xists" in call.name):
                yield " ".join(filter(None, (call.literal(), call.name, value)))

    def _steps(self) -> None:
        for layer, call in self._block("steps"):
            if call.body is None:
                continue
            setting = _Set(layer, call.body.items)
            key, program = _RUNNERS.get(call.name, ("", ""))
            script = setting.text(key)
            self._draft.step(
                Step(
                    job=self._id,
                    path=layer.source.path,
                    place=layer.source.place(call.at),
                    name=line(setting.text("name") or call.name),
                    script=None if script is None else program + script,
                    script_at=setting.place(key),
                    image=setting.text("dockerImage"),
                ),
                setting.place("dockerImage"),
            )

    def _triggers(self) -> None:
        for layer, call in self._block("triggers"):
            kind = of_system("teamcity").get(call.name)
            setting = _Set(layer, *call.parts())
            if kind is None or setting.word("enabled") == "false":
                continue
            filters = (setting.text("branchFilter") or "").split()
            branches = [re.sub(r"^-:", "!", branch).removeprefix("+:") for branch in filters]
            place = layer.source.place(call.at)
            self._draft.add_trigger(
                Trigger(call.name, kind, branches=distinct(branches, LIST_MAX), place=place)
            )
            if call.name == "schedule":
                self._draft.schedule(_cron(layer, call), setting.text("timezone"))

    def _features(self) -> None:
        for layer, call in self._block("features"):
            if call.name == "pullRequests":
                self._draft.trigger(call.name, layer.source.place(call.at), "pull_request")
            elif call.name in ("buildCache", "feature") and call.body is not None:
                named = (part for part in calls(call.body.items) if part.name == "name")
                self._draft.facts.caching += [part.literal() or "" for part in named][:1]

    def _secrets(self) -> None:
        for _, call in self._within("params"):
            value = call.literal(index=1) or ""
            if call.name == "password" or value.startswith(_STORED):
                self._draft.secret((call.literal() or "").removeprefix("env."), self._id)
        for _, call in self._within("features"):
            if call.name == "teamcitySshKey":
                self._draft.secret(call.literal() or "", self._id)


class _Set:
    """What settings are set to, the last of each, at any depth."""

    def __init__(self, layer: Layer, *parts: list[Item]) -> None:
        self._layer = layer
        assigned = (call for part in parts for call in within(part) if call.is_assignment)
        self._calls = {call.name: call for call in assigned}

    def text(self, name: str) -> str | None:
        """A literal, with the values of parameters in it."""
        call = self._calls.get(name)
        return None if call is None else self._layer.filled(call.literal())

    def word(self, name: str) -> str | None:
        """A number, name or truth value, also by the argument of a function; None for none."""
        call = self._calls.get(name)
        return None if call is None else self._layer.values.get(call.word(), call.word())

    def place(self, name: str) -> Place | None:
        """Where a value begins."""
        call = self._calls.get(name)
        if call is None:
            return None
        value = call.arguments[0] if call.arguments else []
        return self._layer.source.place(value[0].at if value else call.at)


def _named(items: list[Item]) -> str:
    """Of an object, also by its id: `Build`, `Folder.Build`, `RelativeId("Build")`."""
    quoted = next(literals(items), None)
    first = items[0]
    word = first.text.rpartition(".")[2] if isinstance(first, Word) else ""
    return word if quoted is None else quoted.value


def _cron(layer: Layer, trigger: Call) -> str:
    """Of a policy `cron { … }`, `daily { … }` or `weekly { … }`, as far as it is literal."""
    for policy in (inner_call for part in trigger.parts() for inner_call in within(part)):
        if policy.name not in ("cron", "daily", "weekly") or policy.body is None:
            continue
        setting = _Set(layer, policy.body.items)
        if policy.name == "cron":
            return " ".join(setting.text(name) or "*" for name in _WORDS["cron"])
        minute, hour = (_time(setting.word(key)) for key in ("minute", "hour"))
        day = (setting.word("dayOfWeek") or "").rpartition(".")[2][:3] or "Sun"
        return f"{minute} {hour} * * {'*' if policy.name == 'daily' else day}"
    return ""


def _time(word: str | None) -> str:
    """A number; 0 where nothing is set, `?` for what is not known."""
    if word is None:
        return "0"
    return word if word.isdecimal() and len(word) < 3 else "?"


def describe(draft: Draft, data: bytes) -> bool:
    """Refuses what is no build configuration and no template. Raises Fault."""
    root = _root(data)
    if root.tag not in ("build-type", "template", "meta-runner"):
        return False
    job = line(draft.path.rpartition("/")[2].removesuffix(".xml"))
    draft.facts.kind = "pipeline" if root.tag == "build-type" else "template"
    needs = [element.get("sourceBuildTypeId", "") for element in root.all(".//depend-on")]
    draft.job(
        Job(
            id=job,
            name=line(root.findtext(".//name", job)),
            needs=distinct(needs, LIST_MAX),
            runs_on=[
                line(f"{element.get('name')} {element.tag} {element.get('value')}")
                for element in root.all(".//requirements/*")
            ][:LIST_MAX],
            timeout_minutes=_limit(root),
            place=Place(1, 1),
        )
    )
    for element in root.all(".//*"):
        _add(draft, job, element)
    return True


def _root(data: bytes) -> Element:
    try:
        return xml(decoded(data))
    except ValueError as wrong:
        cause = wrong.__cause__
        at = cause.lineno if isinstance(cause, expat.ExpatError) else None
        raise Fault(f"no XML: {wrong}", at) from wrong


def _add(draft: Draft, job: str, element: Element) -> None:
    place, value = Place(element.line, 1), element.get("value", "")
    name = element.get("name", "")
    if element.tag == "build-trigger":
        named = element.get("type", "")
        draft.trigger(named, place, of_system("teamcity-xml").get(named, "other"))
    elif element.tag == "param" and name == "script.content":
        script = element.text or value
        draft.step(Step(job=job, path=draft.path, place=place, script=script, script_at=place))
    elif element.tag == "param" and (
        "password" in element.get("spec", "") or value.startswith(_STORED)
    ):
        draft.secret(name.removeprefix("env."), job)


def _limit(root: Element) -> int | None:
    values = (element.get("value", "") for element in root.all(f".//*[@name='{_LIMIT}']"))
    return next((int(value[:6]) or None for value in values if value.isdecimal()), None)
