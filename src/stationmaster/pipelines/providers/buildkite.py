"""Buildkite: `.buildkite/pipeline.yml`, and what else of that folder is a list of steps.

What starts a pipeline and its schedules are kept on the server.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from stationmaster.catalogue import ci
from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import Job, NoWorkflow, Pin, Place, Step, Use, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import YamlDraft
from stationmaster.repos.yaml_nodes import Mapping, Node, Sequence, get, items, members, text, texts

_MAIN = re.compile(r"(?:\.?buildkite/pipeline|buildkite)\.(?:ya?ml|json)")
_RUNS = ("command", "commands", "plugins", "trigger")
_GROUPS_MAX = 3
_STEPS_MAX = 1_000
_UPLOAD = re.compile(
    r"buildkite-agent\s{1,9}pipeline\s{1,9}upload((?:[ \t]{1,9}[^\s;&|]{1,300}){0,9})"
)
_OIDC = re.compile(r"buildkite-agent\s{1,9}oidc\s{1,9}request-token")


def _is_step(node: Node) -> bool:
    keys = ci.words("buildkite")
    return text(node) in keys["words"] or any(key in members(node) for key in keys["marks"])


class File(YamlDraft):
    _left = _STEPS_MAX

    def take(self, roots: list[Node]) -> bool:
        """Add jobs, steps and secrets, and what steps upload as includes."""
        self.root = root = roots[0]
        steps = root if isinstance(root, Sequence) else get(root, "steps")
        if not _MAIN.fullmatch(self.path) and not any(map(_is_step, items(steps))):
            raise NoWorkflow("it is not a list of Buildkite steps")
        self.facts.server_schedules = True
        self._add_steps(steps, None, 0)
        self.shell_secrets(parts.variables(root, "env"))
        for step in self.facts.steps:
            self._follow(step)
        if not self.facts.jobs and not self.facts.jobs_unknown:
            self.partial("it has no steps that run anything")
        return True

    def _add_steps(self, steps: Node | None, group: str | None, level: int) -> None:
        for step in items(steps):
            self._left -= 1
            if self._left < 0 or not isinstance(step, Mapping):
                continue
            if get(step, "group") is not None or get(step, "steps") is not None:
                if level < _GROUPS_MAX:
                    name = parts.one_line(step, "group") or parts.one_line(step, "label")
                    self._add_steps(get(step, "steps"), name or group, level + 1)
            elif any(key in step.members for key in _RUNS):
                self._add_job(step, group)

    def _add_job(self, step: Mapping, group: str | None) -> None:
        label = parts.one_line(step, "label") or parts.one_line(step, "name")
        key = parts.one_line(step, "key") or parts.one_line(step, "id")
        id = key or label or f"step {len(self.facts.jobs) + 1}"
        image = get(step, "image") or get(self.root, "image")
        self.job(
            Job(
                id=id,
                needs=_needs(get(step, "depends_on")),
                runs_on=parts.labels(get(step, "agents") or get(self.root, "agents")),
                name=label,
                stage=group,
                image=parts.one_line(image),
                uses=parts.one_line(step, "trigger"),
                timeout_minutes=parts.number(step, "timeout_in_minutes"),
                parallel=_copies(step),
                condition=parts.one_line(step, "if") or parts.one_line(step, "branches"),
                place=parts.place(step),
            ),
            image_at=parts.place_if(image),
        )
        self.facts.concurrency = self.facts.concurrency or parts.one_line(step, "concurrency_group")
        self._add_contents(step, id, label)

    def _add_contents(self, step: Mapping, id: str, label: str | None) -> None:
        soft = get(step, "soft_fail")
        one = Step(
            id,
            self.path,
            parts.place(step),
            name=label,
            env=parts.variables(self.root, "env") | parts.variables(step, "env"),
            condition=parts.one_line(step, "if"),
            ignores_errors=bool(items(soft)) or text(soft) == "true",
        )
        if get(step, "trigger") is None:
            self.scripted(one, get(step, "commands") or get(step, "command"))
        for node in (self.root, step):
            for name in [*members(node, "secrets")] or texts(node, "secrets"):
                self.secret(name, id)
        for reference, options, at in _plugins(get(step, "plugins")):
            self._add_plugin(id, reference, options, at)
        self.facts.caching += texts(step, "cache") or texts(step, "cache", "paths")
        self.facts.artifacts += texts(step, "artifact_paths")

    def _add_plugin(self, job: str, reference: str, options: Node | None, at: Place) -> None:
        facts, uses = self.facts, line(reference)
        name, _, version = reference.partition("#")
        short = name.removeprefix("https://").removeprefix("github.com/")
        pin: Pin = pinning.of_ref(version) if version else "branch"
        if "$" in name:
            pin = "dynamic"
        elif reference.startswith(("./", "/")):
            pin = "local"
        is_named = "/" not in short or pinning.is_first_party("buildkite", short)
        self.use(Use(uses, pin, pin != "dynamic" and is_named, version or None, job, at))
        self.step(Step(job, self.path, at, uses=uses, inputs=parts.variables(options)))
        if "docker" in short and (image := text(options, "image")) is not None:
            self.image(image, job, parts.place(members(options)["image"]))
        if "cache" in short:
            facts.caching += texts(options, "path") or texts(options, "paths")
        if "artifacts" in short:
            facts.artifacts += [*texts(options, "upload"), *texts(options, "download")]

    def _follow(self, step: Step) -> None:
        """What a step uploads are further steps of this pipeline."""
        script = step.script or ""
        self.facts.oidc |= _OIDC.search(script) is not None
        for match in _UPLOAD.finditer(script):
            named = [word.strip("\"'") for word in match[1].split() if not word.startswith("-")]
            names = [posixpath.normpath(name) for name in named if "/" in name or "." in name]
            is_piped = script[: match.start()].rstrip(" \t").endswith("|")
            for name in names or ([] if is_piped else [".buildkite/pipeline.yml"]):
                if name != self.path:
                    self.include("upload", name, name in self.files, at=step.script_at)
                    self.facts.jobs_unknown = True
            self.facts.jobs_unknown |= is_piped and not names


def _needs(node: Node | None) -> list[str]:
    named = [text(need) or text(need, "step") for need in parts.several(node)]
    return list(dict.fromkeys(line(name) for name in named if name))[: parts.LIST_MAX]


def _copies(step: Mapping) -> int | None:
    matrix = get(step, "matrix")
    setup = get(matrix, "setup")
    sizes = [len(items(axis)) for axis in (*members(setup).values(), matrix, setup)]
    return parts.product([*sizes, parts.number(step, "parallelism") or 1])


def _plugins(node: Node | None) -> Iterator[tuple[str, Node | None, Place]]:
    for plugin in parts.several(node):
        if (plain := text(plugin)) is not None:
            yield plain, None, parts.place(plugin)
        for reference, options in members(plugin).items():
            yield reference, options, parts.place_of(plugin, reference) or parts.place(options)
