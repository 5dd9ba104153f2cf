"""Bitbucket Pipelines: `bitbucket-pipelines.yml`.

Each way to start it has its own list of steps; schedules are kept on the server.
"""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import (
    EventKind,
    Image,
    Include,
    Job,
    Step,
    Trigger,
    Use,
    line,
)
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_reader import YamlReader, mapping
from stationmaster.repos.yaml_nodes import Mapping, Node, Sequence, get, items, members, text, texts

_STEPS_MAX = 1_000
_LEVELS_MAX = 4
_STARTS: dict[str, EventKind] = {
    "branches": "push",
    "bookmarks": "push",
    "tags": "tag",
    "pull-requests": "pull_request",
    "custom": "manual",
}
_DOCKER = "docker://"


class Reader(YamlReader):
    """Reads the pipelines of one commit."""

    def _take(self, draft: Draft, roots: list[Node]) -> bool:
        root = mapping(roots[0])
        draft.server_schedules = True
        _File(draft, root).read()
        if not draft.jobs and not draft.jobs_unknown:
            draft.partial("it has no steps")
        return True


class _File:
    def __init__(self, draft: Draft, root: Mapping) -> None:
        self._draft = draft
        self._root = root
        self._left = _STEPS_MAX

    def read(self) -> None:
        """Add triggers, jobs and secrets to the draft."""
        pipelines = members(get(self._root, "pipelines"))
        if (default := pipelines.get("default")) is not None:
            self._draft.add_trigger(Trigger("push", "push", place=parts.place(default)))
            self._add_pipeline("default", default)
        for key, kind in _STARTS.items():
            for name, each in members(pipelines.get(key)).items():
                self._add_trigger(key, kind, name, each)
                self._add_pipeline(f"{key}.{name}", each)
        for event in members(get(self._root, "triggers")):
            self._draft.trigger(event, None, "pull_request" if "pull" in event else "push")
        self._draft.shell_secrets()

    def _add_trigger(self, key: str, kind: EventKind, name: str, at: Node) -> None:
        told = line(name)
        self._draft.add_trigger(
            Trigger(
                key,
                kind,
                branches=[told] if kind in ("push", "pull_request") and told != "**" else [],
                tags=[told] if kind == "tag" else [],
                types=[told] if kind == "manual" else [],
                place=parts.place(at),
            )
        )

    def _add_pipeline(self, name: str, pipeline: Node) -> None:
        if (location := text(get(pipeline, "import"))) is not None:
            self._draft.jobs_unknown = True
            pin = pinning.of_ref(location.split(":")[1] if ":" in location else None)
            self._draft.includes.append(
                Include("import", line(location), False, pin, parts.place(pipeline))
            )
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
                name = parts.said(get(inner, "name")) or stage
                yield from self._steps(get(inner, "steps"), name, level + 1)

    def _add_job(self, pipeline: str, step: Node, position: int, stage: str | None) -> None:
        draft = self._draft
        name = parts.said(get(step, "name"))
        id = line(f"{pipeline}/{name or f'step {position}'}")
        own_image = get(step, "image")
        image = own_image or get(self._root, "image")
        limit = get(step, "max-time") or get(self._root, "options", "max-time")
        size = parts.said(get(step, "size"))
        draft.job(
            Job(
                id=id,
                needs=[],
                runs_on=[*parts.words(get(step, "runs-on")), *([size] if size else [])],
                agents=[],
                name=name,
                stage=stage or line(pipeline),
                image=parts.said(image) or parts.said(get(image, "name")),
                services=self._services(step, id),
                timeout_minutes=parts.number(limit),
                condition="manual" if text(get(step, "trigger")) == "manual" else None,
                environment=parts.said(get(step, "deployment")),
                place=parts.place(step),
            ),
            image_at=parts.place_if(get(image, "name") or image),
        )
        draft.oidc = draft.oidc or text(get(step, "oidc")) == "true"
        draft.caching += texts(get(step, "caches"))
        artifacts = get(step, "artifacts")
        draft.artifacts += texts(get(artifacts, "paths") or artifacts)
        for key in ("script", "after-script"):
            self._add_script(step, id, name, get(step, key))

    def _services(self, step: Node, id: str) -> list[str]:
        """The images of the services that a step names; those built in have none."""
        services = []
        for name in texts(get(step, "services")):
            image = get(self._root, "definitions", "services", name, "image")
            reference = text(image) or text(get(image, "name"))
            if image is not None and reference is not None:
                self._draft.image(reference, id, parts.place(image))
            services.append(line(reference or name))
        return services

    def _add_script(self, job: Node, id: str, name: str | None, script: Node | None) -> None:
        """Command lines, between which pipes may stand."""
        step = Step(id, self._draft.path, parts.place(job), name=name)
        plain = [item for item in items(script) if get(item, "pipe") is None]
        if plain:
            self._draft.scripted(step, Sequence(None, step.place.line, step.place.column, plain))
        for each in items(script):
            if (reference := text(get(each, "pipe"))) is not None:
                self._add_pipe(id, each, reference)

    def _add_pipe(self, job: str, pipe: Node, reference: str) -> None:
        draft = self._draft
        image = reference.removeprefix(_DOCKER)
        at = parts.place(pipe)
        if reference.startswith(_DOCKER):
            draft.images.append(Image(line(image), pinning.of_image(image), job, at))
        version = pinning.image_version(image)
        draft.use(
            Use(
                line(reference),
                pinning.of_image(image),
                pinning.is_first_party("bitbucket", image),
                version=version,
                job=job,
                place=at,
            )
        )
        given = parts.variables(get(pipe, "variables"))
        name = parts.said(get(pipe, "name"))
        draft.step(Step(job, draft.path, at, name=name, uses=line(reference), inputs=given))
