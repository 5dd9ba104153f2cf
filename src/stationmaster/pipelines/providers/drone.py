"""Drone: pipelines of container steps, several documents a file.

Starlark and Jsonnet are programs, of which only their
presence is told.
"""

from __future__ import annotations

from stationmaster.pipelines.model import Facts, Include, Job, Parse, line
from stationmaster.pipelines.providers import container_steps
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import JOBS_MAX, Draft
from stationmaster.pipelines.providers.yaml_reader import YamlReader
from stationmaster.repos.yaml_nodes import Fault, Mapping, Node, get, texts

_PROGRAMS = (".star", ".jsonnet")
_BY_DEFAULT = ("push", "pull_request", "tag")
_REFS = {"push": "refs/heads/", "pull_request": "refs/pull/", "tag": "refs/tags/"}
_UNNAMED = "default"
"""What the service calls a pipeline without a name."""


class Reader(YamlReader):
    """Reads the pipelines of one commit."""

    def read(self, path: str) -> Facts | None:
        """What a file's pipelines say together; None when they say nothing. Raises Fault."""
        if not path.endswith(_PROGRAMS):
            return super().read(path)
        reason = "it is a program: what it makes is not known without running it"
        return Facts(server_schedules=True, jobs_unknown=True, parse=Parse("partial", reason))

    def _take(self, draft: Draft, roots: list[Node]) -> bool:
        if not any(isinstance(root, Mapping) for root in roots):
            raise Fault("a pipeline is a mapping with `kind` and `steps`", 1, 1)
        draft.server_schedules = True
        for root in roots[: 2 * JOBS_MAX]:
            self._add_document(draft, root)
        draft.name = line(", ".join(job.id for job in draft.jobs)) or None
        if not draft.jobs and not draft.jobs_unknown:
            draft.partial("it has no pipelines")
        return True

    def _add_document(self, draft: Draft, root: Node) -> None:
        kind = parts.said(get(root, "kind"))
        name = parts.said(get(root, "name"))
        if kind == "pipeline":
            self._add_pipeline(draft, root, name or _UNNAMED, get(root, "steps"))
        elif kind == "secret" and name is not None:
            draft.secret(name)
        elif kind == "template":
            draft.jobs_unknown = True
            if (location := parts.said(get(root, "load"))) is not None:
                draft.includes.append(Include("template", location, False))
        elif kind is None and get(root, "pipeline") is not None:  # As before version 1.
            self._add_pipeline(draft, root, _UNNAMED, get(root, "pipeline"))

    def _add_pipeline(self, draft: Draft, root: Node, name: str, steps: Node | None) -> None:
        os, arch = (parts.said(get(root, "platform", key)) for key in ("os", "arch"))
        platform = "/".join(each for each in (os, arch) if each)
        runner = parts.said(get(root, "type"))
        count = container_steps.add_steps(draft, name, steps)
        draft.job(
            Job(
                id=name,
                needs=parts.words(get(root, "depends_on")),
                runs_on=[
                    *([] if runner is None else [runner]),
                    *([platform] if platform else []),
                    *parts.labels(get(root, "node")),
                ],
                agents=[],
                services=container_steps.add_services(draft, name, get(root, "services")),
                step_count=count,
                place=parts.place(root),
            )
        )
        for secret in texts(get(root, "image_pull_secrets")):
            draft.secret(secret, name)
        draft.concurrency = draft.concurrency or parts.said(get(root, "concurrency", "limit"))
        self._add_triggers(draft, get(root, "trigger"))

    def _add_triggers(self, draft: Draft, trigger: Node | None) -> None:
        """Where no event is named, references may say it."""
        if get(trigger, "event") is not None:
            container_steps.add_triggers(draft, trigger)
            return
        refs = parts.filtered(get(trigger, "ref"))
        named = [event for event, start in _REFS.items() if any(r.startswith(start) for r in refs)]
        is_cron = get(trigger, "cron") is not None
        for event in ["cron"] if is_cron else named or _BY_DEFAULT:
            container_steps.add_trigger(draft, event, trigger)
