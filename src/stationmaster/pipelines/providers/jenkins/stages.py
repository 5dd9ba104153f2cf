"""The stages of a Jenkins pipeline, declarative or scripted, and what each states about itself.

Every `stage` is a job, and so is every named branch of `parallel` without one. A runner, an image,
a limit, a number of copies hold for everything within.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from stationmaster.catalogue import ci
from stationmaster.pipelines.model import Job, Pin, Place, Step, distinct, line
from stationmaster.pipelines.providers.brackets import (
    Call,
    Code,
    Group,
    Item,
    Text,
    Word,
    arguments_of,
    calls,
    literal,
    literals,
    within,
)
from stationmaster.pipelines.providers.draft import LIST_MAX, Draft
from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import Fault, get, items, text

_SHELLS = {"sh": "sh", "bat": "cmd", "powershell": "powershell", "pwsh": "pwsh"}
_MINUTES = {"SECONDS": 1 / 60, "MINUTES": 1.0, "HOURS": 60.0, "DAYS": 1440.0}
_COPIES_MAX = 1_000_000
OUTSIDE = "pipeline"
"""The job of steps that are in no stage."""


@dataclass(slots=True)
class Stage:
    """A job to be; the one without an id is the file itself."""

    id: str | None
    place: Place
    parent: str | None = None
    runs_on: list[str] = field(default_factory=list)
    image: str | None = None
    timeout: int | None = None
    parallel: int | None = None
    condition: str | None = None

    def inner(self, id: str, place: Place) -> Stage:
        """A stage within this one, which has its runner, image, timeout and number of copies."""
        return Stage(
            line(id),
            place,
            self.id or self.parent,
            self.runs_on,
            self.image,
            self.timeout,
            self.parallel,
        )

    def job(self) -> Job:
        """The stage as a job; its timeout is in minutes."""
        return Job(
            id=self.id or OUTSIDE,
            runs_on=self.runs_on,
            stage=self.parent,
            image=self.image,
            timeout_minutes=self.timeout,
            parallel=self.parallel,
            condition=self.condition,
            place=self.place,
        )


class Stages:
    """Reads the stages of one file into its draft."""

    def __init__(self, code: Code, draft: Draft) -> None:
        self._code = code
        self._draft = draft
        self._stages: list[Stage] = []
        self._labels: list[str] = []
        self._handlers: dict[str, Callable[[Call, Stage], None]] = {
            "stage": self._stage,
            "parallel": self._parallel,
            "matrix": self._matrix,
            "node": self._node,
            "agent": self._agent,
            "timeout": self._timeout,
            "when": self._when,
            "podTemplate": self._pod,
            "kubernetes": self._pod,
            "containerTemplate": self._container,
            "docker.image": self._container,
            "credentials": self._credentials,
            "sshagent": self._credentials,
            "docker.withRegistry": self._registry,
            **dict.fromkeys(_SHELLS, self._script),
        }

    def read(self) -> None:
        """Add the stages to the draft as jobs; one job for the steps of a file without stages."""
        outside = Stage(None, Place(1, 1))
        self._walk(self._code.items, outside)
        for stage in self._stages:
            self._draft.job(stage.job(), lists_image=False)
        if not self._stages and (self._draft.facts.steps or self._labels):
            outside.runs_on = distinct(self._labels, LIST_MAX)
            self._draft.job(outside.job(), lists_image=False)

    def _walk(self, parts: list[Item], stage: Stage) -> None:
        """As deep as the reader of brackets lets files be.

        A stage without a body, as the first pipelines had them, lasts until the next.
        """
        outer = stage
        for call in calls(parts):
            if call.name == "stage" and call.body is None and call.arguments:
                stage = self._begin(call, outer)
            elif handler := self._handlers.get(call.name):
                handler(call, stage)
            else:
                self._descend(call, stage)

    def _descend(self, call: Call, stage: Stage) -> None:
        if call.name.rpartition(".")[2] in ci.words("jenkins")["loops"] and any(
            inner.name == "stage" for part in call.parts() for inner in within(part)
        ):
            self._draft.facts.jobs_unknown = True
        self._secret(call.named.get("credentialsId", []), stage)
        for part in call.parts():
            self._walk(part, stage)

    def _begin(self, call: Call, outer: Stage) -> Stage:
        named = call.arguments[0]
        name = call.literal() or f"${{{self._code.written(named)}}}"
        stage = outer.inner(name, self._code.place(call.at))
        self._draft.facts.jobs_unknown |= not all(piece.is_plain for piece in literals(named))
        self._stages.append(stage)
        return stage

    def _stage(self, call: Call, outer: Stage) -> None:
        if call.arguments and call.body is not None:
            self._walk(call.body.items, self._begin(call, outer))
        else:
            self._descend(call, outer)

    def _parallel(self, call: Call, stage: Stage) -> None:
        """`parallel { stage… }`, or `parallel name: { … }`; anything else is computed."""
        branches = dict(call.named)
        for part in call.arguments:
            if len(part) == 1 and isinstance(part[0], Group) and part[0].bracket == "[":
                branches |= arguments_of(part[0].items)[1]
        branches.pop("failFast", None)
        self._draft.facts.jobs_unknown |= not branches and call.body is None
        for name, part in branches.items():
            before = len(self._stages)
            branch = stage.inner(name, self._code.place(part[0].at if part else call.at))
            self._walk(part, branch)
            if len(self._stages) == before:
                self._stages.append(branch)
        if call.body is not None:
            self._walk(call.body.items, stage)

    def _matrix(self, call: Call, stage: Stage) -> None:
        """Copies are counted where nothing is excluded."""
        inside = call.body.items if call.body else []
        sizes = [
            len(values.arguments)
            for axes in _blocks(inside, "axes")
            for axis in _blocks(axes, "axis")
            for values in calls(axis)
            if values.name == "values"
        ]
        copies = math.prod(sizes[:LIST_MAX])
        if sizes and copies <= _COPIES_MAX and not any(_blocks(inside, "excludes")):
            stage.parallel = copies
        self._descend(call, stage)

    def _node(self, call: Call, stage: Stage) -> None:
        """A stage that takes a node runs there; outside of stages it holds for what is within."""
        named = call.named.get("label") or (call.arguments[0] if call.arguments else [])
        label = call.literal("label") or (f"${{{self._code.written(named)}}}" if named else "any")
        before, stage.runs_on = stage.runs_on, [line(label)]
        self._labels += stage.runs_on
        self._descend(call, stage)
        if stage.id is None:
            stage.runs_on = before

    def _agent(self, call: Call, stage: Stage) -> None:
        """`agent any`, or `agent { … }`."""
        if call.body is None:
            words = [
                item.text for part in call.arguments for item in part if isinstance(item, Word)
            ]
            stage.runs_on = [] if words[:1] == ["none"] else distinct(words[:1], LIST_MAX)
            return
        for inner in within(call.body.items):
            named = inner.literal()
            if inner.name == "label" and named:
                stage.runs_on = [line(named)]
            elif inner.name in ("docker", "image") and named:
                self._image(named, stage, inner)
            elif inner.name in ("dockerfile", "filename"):
                self._image(named or "Dockerfile", stage, inner, "local")
        self._descend(call, stage)

    def _image(self, reference: str, stage: Stage, call: Call, pin: Pin | None = None) -> None:
        stage.image = line(reference)
        self._draft.image(reference, stage.id, self._code.place(call.at), pin)

    def _timeout(self, call: Call, stage: Stage) -> None:
        """Of minutes, where no unit is named."""
        named = call.named.get("time") or (call.arguments[0] if call.arguments else [])
        digits = named[0].text if named and isinstance(named[0], Word) else ""
        unit = _MINUTES.get(literal(call.named.get("unit", [])) or "MINUTES")
        is_of_silence = "activity" in call.named
        if unit and digits.isdecimal() and len(digits) < 7 and not is_of_silence:
            minutes = max(1, round(int(digits) * unit))
            before, stage.timeout = stage.timeout, minutes
            self._descend(call, stage)
            if stage.id is None and call.body is not None:
                stage.timeout = before
        else:
            self._descend(call, stage)

    def _when(self, call: Call, stage: Stage) -> None:
        if call.body is not None:
            stage.condition = line(self._code.inside(call.body))

    def _pod(self, call: Call, stage: Stage) -> None:
        """Containers, as calls or as the YAML of a pod."""
        stage.runs_on = ["kubernetes"]
        manifest = call.named.get("yaml", [])
        for inner in within(call.body.items) if call.body else ():
            if inner.name == "yaml" and inner.arguments:
                manifest = inner.arguments[0]
        for item in manifest[:1]:
            if isinstance(item, Text):
                place = self._code.place(item.at)
                for reference in _images(item.value):
                    self._draft.image(reference, stage.id, place)
        self._descend(call, stage)

    def _container(self, call: Call, stage: Stage) -> None:
        reference = call.literal("image")
        if reference and call.name == "docker.image" and stage.id is not None:
            self._image(reference, stage, call)
        elif reference:
            self._draft.image(reference, stage.id, self._code.place(call.at))
        self._descend(call, stage)

    def _credentials(self, call: Call, stage: Stage) -> None:
        for part in call.arguments:
            for piece in literals(part):
                self._secret([piece], stage)

    def _registry(self, call: Call, stage: Stage) -> None:
        self._secret(call.arguments[1] if len(call.arguments) > 1 else [], stage)
        self._descend(call, stage)

    def _secret(self, named: list[Item], stage: Stage) -> None:
        """The id of a credential; a computed one has no name."""
        if named and isinstance(named[0], Text) and named[0].is_plain:
            self._draft.secret(named[0].value, stage.id)

    def _script(self, call: Call, stage: Stage) -> None:
        part = call.named.get("script") or (call.arguments[0] if call.arguments else [])
        if part and isinstance(part[0], Text):
            self._draft.step(
                Step(
                    job=stage.id or OUTSIDE,
                    path=self._draft.path,
                    place=self._code.place(call.at),
                    name=literal(call.named.get("label", [])),
                    script=part[0].value,
                    script_at=self._code.place(part[0].at),
                    shell=_SHELLS[call.name],
                    ignores_errors="returnStatus" in call.named,
                )
            )


def _blocks(items: list[Item], name: str) -> Iterator[list[Item]]:
    """The content of the braces of the calls of a name."""
    return (call.body.items for call in calls(items) if call.name == name and call.body)


def _images(pod: str) -> list[str]:
    """Of the containers of a pod, as far as its YAML can be read."""
    try:
        roots = yaml_nodes.read(pod.encode(), merges=False).roots
    except Fault:
        return []
    spec = get(roots[0], "spec") if roots else None
    containers = [*items(spec, "containers"), *items(spec, "initContainers")]
    return [named for container in containers if (named := text(container, "image")) is not None]
