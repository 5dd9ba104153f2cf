"""Woodpecker, and Crow, which grew out of it: one workflow a file, whose steps are containers.

Expressions of schedules are kept on the server.
"""

from __future__ import annotations

from stationmaster.pipelines.model import Job, line
from stationmaster.pipelines.providers import container_steps
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_reader import YamlReader, mapping
from stationmaster.repos.yaml_nodes import Mapping, Node, get, items, members

_BY_DEFAULT = ("push", "pull_request", "tag", "release", "deployment", "cron", "manual")
"""What starts a workflow without conditions."""


class Reader(YamlReader):
    """Reads the workflows of one commit."""

    splices = True

    def _take(self, draft: Draft, roots: list[Node]) -> bool:
        root = mapping(roots[0])
        draft.name = line(draft.path.rpartition("/")[2].rpartition(".")[0].lstrip("."))
        draft.server_schedules = True
        steps = get(root, "steps") or get(root, "pipeline")
        count = container_steps.add_steps(draft, draft.name, steps)
        container_steps.add_steps(draft, draft.name, get(root, "clone"))
        self._add_job(draft, root, count)
        self._add_triggers(draft, root, steps)
        draft.concurrency = parts.said(get(root, "concurrency", "limit"))
        if not count:
            draft.partial("it has no steps")
        return True

    def _add_job(self, draft: Draft, root: Mapping, step_count: int) -> None:
        name = draft.name or ""
        draft.job(
            Job(
                id=name,
                needs=parts.words(get(root, "depends_on")),
                runs_on=[*parts.words(get(root, "platform")), *parts.labels(get(root, "labels"))],
                agents=[],
                services=container_steps.add_services(draft, name, get(root, "services")),
                parallel=_copies(get(root, "matrix")),
                step_count=step_count,
                place=parts.place(root),
            )
        )

    def _add_triggers(self, draft: Draft, root: Mapping, steps: Node | None) -> None:
        conditions = get(root, "when")
        container_steps.add_triggers(draft, conditions)
        if draft.triggers:
            return
        filters = [get(step, "when") for _, step in container_steps.named(steps)]
        if filters and all(_says_event(filter_) for filter_ in filters):
            for each in filters:
                for event in container_steps.events(each):
                    container_steps.add_trigger(draft, event, None)
        else:
            for event in _BY_DEFAULT:
                container_steps.add_trigger(draft, event, conditions)


def _says_event(when: Node | None) -> bool:
    return any(get(each, "event") is not None for each in parts.several(when))


def _copies(matrix: Node | None) -> int | None:
    included = items(get(matrix, "include"))
    if included:
        return parts.product([len(included)])
    return parts.product(len(items(axis)) for axis in members(matrix).values())
