"""Semaphore: `.semaphore/semaphore.yml`, and the pipelines that it promotes to.

What starts the first pipeline and its schedules are kept on the server.
"""

from __future__ import annotations

import posixpath
import re

from stationmaster.pipelines.model import Include, Job, NoWorkflow, Step, Trigger, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import JOBS_MAX, Draft
from stationmaster.pipelines.providers.mapping_reader import MappingReader
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Mapping, Node, get, items, text

NAME = "semaphore"
_MAIN = re.compile(r"\.semaphore/semaphore\.ya?ml")
_FILE = re.compile(r"\.semaphore/(?:[^/]{1,100}/){0,4}[^/]{1,200}\.ya?ml")
_CACHED = re.compile(r"\bcache[ \t]{1,9}(?:store|restore)\b([^\n;&|]{0,200})")
_PUSHED = re.compile(r"\bartifact[ \t]{1,9}push[ \t]{1,9}\w{1,20}[ \t]{1,9}([^\n;&|]{1,200})")
_AFTER = "after_pipeline"


def is_workflow(path: str) -> bool:
    return _FILE.fullmatch(path) is not None


class Reader(MappingReader):
    """Reads the pipelines of one commit."""

    def _take(self, root: Mapping, draft: Draft) -> None:
        is_main = _MAIN.fullmatch(draft.path) is not None
        if not is_main and "blocks" not in root.members:
            raise NoWorkflow("it has no blocks of Semaphore")
        draft.name = parts.said(get(root, "name"))
        draft.server_schedules = is_main
        if not is_main:
            draft.add_trigger(Trigger("promotion", "workflow_chain"))
        _Pipeline(self._files, draft, root).read()
        if not draft.jobs:
            draft.partial("it has no jobs")


class _Pipeline:
    def __init__(self, files: Files, draft: Draft, root: Mapping) -> None:
        self._files = files
        self._draft = draft
        self._root = root
        self._common = get(root, "global_job_config")

    def read(self) -> None:
        draft, root = self._draft, self._root
        for position, block in enumerate(items(get(root, "blocks"))[: JOBS_MAX + 1], 1):
            stage = parts.said(get(block, "name")) or f"block {position}"
            self._add_task(get(block, "task"), stage, block)
        self._add_task(get(root, _AFTER, "task"), _AFTER, None)
        for promotion in items(get(root, "promotions")):
            self._add_promotion(promotion)
        queue = get(root, "queue")
        queues = [get(each, "name") or each for each in parts.several(queue)]
        draft.concurrency = next(filter(None, map(parts.said, queues)), None)
        for script in dict.fromkeys(step.script or "" for step in draft.steps):
            draft.caching += [match[1].strip() or "cache" for match in _CACHED.finditer(script)]
            draft.artifacts += [match[1].strip() for match in _PUSHED.finditer(script)]
        draft.shell_secrets(parts.variables(get(self._common, "env_vars")))

    def _add_task(self, task: Node | None, stage: str, block: Node | None) -> None:
        if len(self._draft.jobs) >= JOBS_MAX:
            return
        for position, job in enumerate(items(get(task, "jobs"))[: JOBS_MAX + 1], 1):
            name = parts.said(get(job, "name")) or f"{stage} {position}"
            self._add_job(job, name, task, stage, block)

    def _add_job(
        self, job: Node, id: str, task: Node | None, stage: str, block: Node | None
    ) -> None:
        draft = self._draft
        agent = get(task, "agent") or get(self._root, "agent")
        containers = [
            node for each in items(get(agent, "containers")) if (node := get(each, "image"))
        ]
        for node in containers[1:]:
            draft.image(text(node) or "", id, parts.place(node))
        for owner in (self._common, task, job):
            for secret in items(get(owner, "secrets")):
                draft.secret(text(get(secret, "name")) or text(secret) or "", id)
        limit = next(
            (each for owner in (job, block, self._root) if (each := _limit(owner)) is not None),
            None,
        )
        draft.job(
            Job(
                id=id,
                needs=parts.words(get(block, "dependencies")),
                runs_on=[
                    told
                    for key in ("type", "os_image")
                    if (told := parts.said(get(agent, "machine", key))) is not None
                ],
                agents=[],
                stage=stage,
                image=parts.said(containers[0]) if containers else None,
                services=[line(text(node) or "") for node in containers[1:]],
                timeout_minutes=limit,
                parallel=_copies(job),
                condition=parts.said(get(block, "run", "when") or get(block, "skip", "when")),
                place=parts.place(job),
            ),
            image_at=parts.place(containers[0]) if containers else None,
        )
        self._add_steps(job, id, task)

    def _add_steps(self, job: Node, id: str, task: Node | None) -> None:
        """What comes before, the job's own commands, and what comes after."""
        env: dict[str, str] = {}
        for owner in (self._common, task, job):
            env |= parts.variables(get(owner, "env_vars"))
        step = Step(id, self._draft.path, parts.place(job), env=env)
        scripts = [
            get(self._common, "prologue", "commands"),
            get(task, "prologue", "commands"),
            get(job, "commands"),
            *(
                get(owner, "epilogue", *key)
                for owner in (task, self._common)
                for key in (("always", "commands"), ("on_pass", "commands"),
                            ("on_fail", "commands"), ("commands",))
            ),
        ]  # fmt: skip
        for script in scripts:
            if script is not None:
                self._draft.scripted(step, script)

    def _add_promotion(self, promotion: Node) -> None:
        named = text(get(promotion, "pipeline_file"))
        if named is not None:
            folder = posixpath.dirname(self._draft.path)
            path = posixpath.normpath(posixpath.join("/", folder, named)).lstrip("/")
            self._draft.includes.append(
                Include("promotion", line(path), path in self._files, place=parts.place(promotion))
            )


def _limit(owner: Node | None) -> int | None:
    limit = get(owner, "execution_time_limit")
    hours, minutes = (parts.number(get(limit, key)) or 0 for key in ("hours", "minutes"))
    return hours * 60 + minutes or None


def _copies(job: Node) -> int | None:
    axes = [len(items(get(axis, "values"))) for axis in items(get(job, "matrix"))]
    return parts.product([*axes, parts.number(get(job, "parallelism")) or 1])
