"""Bitbucket Pipelines: `bitbucket-pipelines.yml`.

Each way to start it has its own list of steps; schedules are kept on the server.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from stationmaster.catalogue.ci_events import EventKind, of_system
from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import Job, Step, Trigger, Use, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import YamlDraft, mapping
from stationmaster.repos.yaml_nodes import Node, Sequence, get, items, members, text, texts

_STEPS_MAX = 1_000
_LEVELS_MAX = 4
_DOCKER = "docker://"


class File(YamlDraft):
    _left = _STEPS_MAX

    def take(self, roots: list[Node]) -> bool:
        """Add triggers, jobs and secrets."""
        self.root = mapping(roots[0])
        self.facts.server_schedules = True
        pipelines = members(self.root, "pipelines")
        if (default := pipelines.get("default")) is not None:
            self.add_trigger(Trigger("push", "push", place=parts.place(default)))
            self._add_pipeline("default", default)
        for key, kind in of_system("bitbucket").items():
            for name, pipeline in members(pipelines.get(key)).items():
                self._add_started(key, kind, line(name), pipeline)
                self._add_pipeline(f"{key}.{name}", pipeline)
        for event in members(self.root, "triggers"):
            self.trigger(event, None, "pull_request" if "pull" in event else "push")
        self.shell_secrets()
        if not self.facts.jobs and not self.facts.jobs_unknown:
            self.partial("it has no steps")
        return True

    def _add_started(self, key: str, kind: EventKind, name: str, at: Node) -> None:
        trigger = Trigger(key, kind, place=parts.place(at))
        if kind == "tag":
            trigger = replace(trigger, tags=[name])
        elif kind == "manual":
            trigger = replace(trigger, types=[name])
        elif name != "**":
            trigger = replace(trigger, branches=[name])
        self.add_trigger(trigger)

    def _add_pipeline(self, name: str, pipeline: Node) -> None:
        if (location := text(pipeline, "import")) is not None:
            self.facts.jobs_unknown = True
            pin = pinning.of_ref(location.split(":")[1] if ":" in location else None)
            self.include("import", location, False, pin, parts.place(pipeline))
        for position, (step, stage) in enumerate(self._steps(pipeline, None, 0), 1):
            self._add_job(name, step, position, stage)

    def _steps(
        self, node: Node | None, stage: str | None, level: int
    ) -> Iterator[tuple[Node, str | None]]:
        """The steps of a list, of what runs side by side, and of stages."""
        for item in items(node):
            self._left -= 1
            if self._left < 0 or level > _LEVELS_MAX:
                return
            if (step := get(item, "step")) is not None:
                yield step, stage
            elif (parallel := get(item, "parallel")) is not None:
                yield from self._steps(get(parallel, "steps") or parallel, stage, level + 1)
            elif (inner := get(item, "stage")) is not None:
                name = parts.one_line(inner, "name") or stage
                yield from self._steps(get(inner, "steps"), name, level + 1)

    def _add_job(self, pipeline: str, step: Node, position: int, stage: str | None) -> None:
        name = parts.one_line(step, "name")
        id = line(f"{pipeline}/{name or f'step {position}'}")
        image = get(step, "image") or get(self.root, "image")
        limit = get(step, "max-time") or get(self.root, "options", "max-time")
        size = parts.one_line(step, "size")
        self.job(
            Job(
                id=id,
                runs_on=[*parts.words(step, "runs-on"), *([size] if size else [])],
                name=name,
                stage=stage or line(pipeline),
                image=parts.one_line(image) or parts.one_line(image, "name"),
                services=self._services(step, id),
                timeout_minutes=parts.number(limit),
                condition="manual" if text(step, "trigger") == "manual" else None,
                environment=parts.one_line(step, "deployment"),
                place=parts.place(step),
            ),
            image_at=parts.place_if(get(image, "name") or image),
        )
        self.facts.oidc |= text(step, "oidc") == "true"
        self.facts.caching += texts(step, "caches")
        artifacts = get(step, "artifacts")
        self.facts.artifacts += texts(get(artifacts, "paths") or artifacts)
        for key in ("script", "after-script"):
            self._add_script(Step(id, self.path, parts.place(step), name=name), get(step, key))

    def _services(self, step: Node, id: str) -> list[str]:
        """The images of the services that a step names; those built in have none."""
        services = []
        for name in texts(step, "services"):
            image = get(self.root, "definitions", "services", name, "image")
            reference = text(image) or text(image, "name")
            if image is not None and reference is not None:
                self.image(reference, id, parts.place(image))
            services.append(line(reference or name))
        return services

    def _add_script(self, step: Step, script: Node | None) -> None:
        """Command lines, with pipes between them."""
        plain = [item for item in items(script) if get(item, "pipe") is None]
        if plain:
            self.scripted(step, Sequence(None, step.place.line, step.place.column, plain))
        for command in items(script):
            if (reference := text(command, "pipe")) is not None:
                self._add_pipe(step.job, command, reference)

    def _add_pipe(self, job: str, pipe: Node, reference: str) -> None:
        image, at, name = reference.removeprefix(_DOCKER), parts.place(pipe), line(reference)
        if reference.startswith(_DOCKER):
            self.image(image, job, at)
        is_own = pinning.is_first_party("bitbucket", image)
        version = pinning.image_version(image)
        self.use(Use(name, pinning.of_image(image), is_own, version, job, at))
        inputs = parts.variables(pipe, "variables")
        self.step(Step(job, self.path, at, parts.one_line(pipe, "name"), uses=name, inputs=inputs))
