"""Buildkite: `.buildkite/pipeline.yml`, and what else of that folder is a list of steps.

What starts a pipeline and its schedules are kept on the server.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import (
    Include,
    Job,
    NoWorkflow,
    Pin,
    Place,
    Step,
    Use,
    line,
)
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_reader import YamlReader
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Mapping, Node, Sequence, get, items, members, text, texts

_MAIN = re.compile(r"(?:\.?buildkite/pipeline|buildkite)\.(?:ya?ml|json)")
_COMMANDS = ("command", "commands")
_KINDS = (*_COMMANDS, "trigger", "wait", "waiter", "block", "manual", "input", "group", "plugins")
_MARKS = (*_KINDS, "label", "agents", "key")
_WORDS = ("wait", "waiter", "block", "input")
_GROUPS_MAX = 3
_STEPS_MAX = 1_000
_UPLOAD = re.compile(
    r"buildkite-agent\s{1,9}pipeline\s{1,9}upload((?:[ \t]{1,9}[^\s;&|]{1,300}){0,9})"
)
_OIDC = re.compile(r"buildkite-agent\s{1,9}oidc\s{1,9}request-token")


class Reader(YamlReader):
    """Reads the pipelines of one commit."""

    def _take(self, draft: Draft, roots: list[Node]) -> bool:
        root = roots[0]
        steps = root if isinstance(root, Sequence) else get(root, "steps")
        if not _MAIN.fullmatch(draft.path) and not any(map(_is_step, items(steps))):
            raise NoWorkflow("it is no list of steps of Buildkite")
        draft.server_schedules = True
        _Pipeline(self._files, draft, root).read(steps)
        if not draft.jobs and not draft.jobs_unknown:
            draft.partial("it has no steps that run anything")
        return True


def _is_step(node: Node) -> bool:
    return text(node) in _WORDS or any(key in members(node) for key in _MARKS)


class _Pipeline:
    def __init__(self, files: Files, draft: Draft, root: Node) -> None:
        self._files = files
        self._draft = draft
        self._root = root
        self._left = _STEPS_MAX

    def read(self, steps: Node | None) -> None:
        """Add jobs, steps and secrets to the draft, and what steps upload as includes."""
        self._add_steps(steps, None, 0)
        self._draft.shell_secrets(parts.variables(get(self._root, "env")))
        for step in self._draft.steps:
            self._follow(step)

    def _add_steps(self, steps: Node | None, group: str | None, level: int) -> None:
        for step in items(steps):
            self._left -= 1
            if self._left < 0 or not isinstance(step, Mapping):
                continue
            if get(step, "group") is not None or get(step, "steps") is not None:
                if level < _GROUPS_MAX:
                    name = parts.said(get(step, "group")) or parts.said(get(step, "label"))
                    self._add_steps(get(step, "steps"), name or group, level + 1)
            elif any(key in step.members for key in (*_COMMANDS, "plugins", "trigger")):
                self._add_job(step, group)

    def _add_job(self, step: Mapping, group: str | None) -> None:
        draft = self._draft
        label = parts.said(get(step, "label")) or parts.said(get(step, "name"))
        key = parts.said(get(step, "key")) or parts.said(get(step, "id"))
        id = key or label or f"step {len(draft.jobs) + 1}"
        agents_of = get(step, "agents") or get(self._root, "agents")
        timeout = text(get(step, "timeout_in_minutes")) or ""
        draft.job(
            Job(
                id=id,
                needs=_needs(get(step, "depends_on")),
                runs_on=parts.labels(agents_of),
                agents=[],
                name=label,
                stage=group,
                image=parts.said(get(step, "image") or get(self._root, "image")),
                uses=parts.said(get(step, "trigger")),
                timeout_minutes=int(timeout) if re.fullmatch(r"[0-9]{1,6}", timeout) else None,
                parallel=_copies(step),
                condition=parts.said(get(step, "if")) or parts.said(get(step, "branches")),
                place=parts.place(step),
            ),
            image_at=parts.place_if(get(step, "image") or get(self._root, "image")),
        )
        draft.concurrency = draft.concurrency or parts.said(get(step, "concurrency_group"))
        self._add_contents(step, id, label)

    def _add_contents(self, step: Mapping, id: str, label: str | None) -> None:
        draft = self._draft
        script = get(step, "commands") or get(step, "command")
        soft = get(step, "soft_fail")
        one = Step(
            id,
            draft.path,
            parts.place(step),
            name=label,
            env=parts.variables(get(self._root, "env")) | parts.variables(get(step, "env")),
            condition=parts.said(get(step, "if")),
            ignores_errors=bool(items(soft)) or text(soft) == "true",
        )
        if get(step, "trigger") is None:
            draft.scripted(one, script)
        for key in ("secrets",):
            for each in (get(self._root, key), get(step, key)):
                for name in list(members(each)) or texts(each):
                    draft.secret(name, id)
        for reference, given, at in _plugins(get(step, "plugins")):
            self._add_plugin(id, reference, given, at)
        cache = get(step, "cache")
        draft.caching += texts(cache) or texts(get(cache, "paths"))
        draft.artifacts += texts(get(step, "artifact_paths"))

    def _add_plugin(self, job: str, reference: str, given: Node | None, at: Place) -> None:
        draft = self._draft
        name, _, version = reference.partition("#")
        is_local = reference.startswith(("./", "/"))
        short = name.removeprefix("https://").removeprefix("github.com/")
        pin: Pin = "local" if is_local else pinning.of_ref(version) if version else "branch"
        if "$" in name:
            pin = "dynamic"
        is_own = pin != "dynamic" and (
            "/" not in short or pinning.is_first_party("buildkite", short)
        )
        draft.use(Use(line(reference), pin, is_own, version=version or None, job=job, place=at))
        draft.step(Step(job, draft.path, at, uses=line(reference), inputs=parts.variables(given)))
        if "docker" in short and (image := text(get(given, "image"))) is not None:
            node = members(given)["image"]
            draft.image(image, job, parts.place(node))
        if "cache" in short:
            draft.caching += texts(get(given, "path")) or texts(get(given, "paths"))
        if "artifacts" in short:
            draft.artifacts += [*texts(get(given, "upload")), *texts(get(given, "download"))]

    def _follow(self, step: Step) -> None:
        """What a step uploads are further steps of this pipeline."""
        script = step.script or ""
        self._draft.oidc = self._draft.oidc or _OIDC.search(script) is not None
        for match in _UPLOAD.finditer(script):
            named = [word.strip("\"'") for word in match[1].split() if not word.startswith("-")]
            names = [posixpath.normpath(name) for name in named if "/" in name or "." in name]
            at = step.script_at
            is_piped = script[: match.start()].rstrip(" \t").endswith("|")
            for name in names or ([] if is_piped else [".buildkite/pipeline.yml"]):
                if name == self._draft.path:
                    continue
                known = name in self._files
                self._draft.includes.append(Include("upload", line(name), known, place=at))
                self._draft.jobs_unknown = True
            if is_piped and not names:
                self._draft.jobs_unknown = True


def _needs(node: Node | None) -> list[str]:
    named = [text(each) or text(get(each, "step")) for each in parts.several(node)]
    return list(dict.fromkeys(line(each) for each in named if each))[: parts.LIST_MAX]


def _copies(step: Mapping) -> int | None:
    matrix = get(step, "matrix")
    setup = get(matrix, "setup")
    sizes = [len(items(axis)) for axis in members(setup).values()]
    sizes += [len(items(each)) for each in (matrix, setup)]
    return parts.product([*sizes, parts.number(get(step, "parallelism")) or 1])


def _plugins(node: Node | None) -> Iterator[tuple[str, Node | None, Place]]:
    for each in parts.several(node):
        if (plain := text(each)) is not None:
            yield plain, None, parts.place(each)
        for reference, given in members(each).items():
            yield reference, given, parts.place_of(each, reference) or parts.place(given)
