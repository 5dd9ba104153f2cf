"""Prow, as Kubernetes and OpenShift run it, and Lighthouse of Jenkins X, with its language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.pipelines.model import EventKind, Include, Job, Trigger, line
from stationmaster.pipelines.providers import kubernetes
from stationmaster.pipelines.providers.described import Described
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import minutes, place, place_if, said, words
from stationmaster.repos.yaml_nodes import Node, get, items, members, text

_KINDS: dict[str, EventKind] = {
    "presubmits": "pull_request",
    "postsubmits": "push",
    "periodics": "schedule",
}


def describe(draft: Draft, roots: list[Node]) -> bool:
    return _jobs(draft, roots[0])


def lighthouse(draft: Draft, roots: list[Node]) -> bool:
    return _jobs(draft, get(roots[0], "spec"))


def openshift(draft: Draft, roots: list[Node]) -> bool:
    """Of a repository only the image that builds it is here; its jobs are elsewhere."""
    draft.jobs_unknown = True
    tag = get(roots[0], "build_root_image")
    named = ("namespace", "name", "tag")
    namespace, name, version = (text(get(tag, key)) for key in named)
    if name is not None:
        draft.image(
            f"{namespace or ''}/{name}:{version or 'latest'}".lstrip("/"), None, place_if(tag)
        )
    return True


def _jobs(draft: Draft, root: Node | None) -> bool:
    found = False
    for kind, means in _KINDS.items():
        for job in _listed(get(root, kind)):
            found = True
            _job(draft, job, kind, means)
    return found


def _listed(node: Node | None) -> Iterator[Node]:
    """A list, or lists by repository, as central configurations have them."""
    yield from items(node)
    for each in members(node).values():
        yield from items(each)


def _job(draft: Draft, job: Node, kind: str, means: EventKind) -> None:
    name = said(get(job, "name")) or said(get(job, "context")) or "job"
    paths = words(get(job, "run_if_changed"))
    draft.add_trigger(
        Trigger(kind, means, branches=words(get(job, "branches")), paths=paths, place=place(job))
    )
    interval = text(get(job, "interval")) or text(get(job, "minimum_interval"))
    draft.schedule(text(get(job, "cron")) or (f"@every {interval}" if interval else ""))
    if (source := said(get(job, "source"))) is not None:
        path = f"{draft.path.rpartition('/')[0]}/{source}"
        draft.includes.append(
            Include("pipeline", source, path in draft.beside, "local", place(job))
        )
    containers = items(get(job, "spec", "containers"))
    image = next((text(get(each, "image")) for each in containers), None)
    draft.job(
        Job(
            id=name,
            needs=[],
            runs_on=words(get(job, "cluster")),
            agents=[],
            stage=kind,
            image=None if image is None else line(image),
            timeout_minutes=minutes(text(get(job, "decoration_config", "timeout"))),
            parallel=None,
            place=place(job),
        ),
        lists_image=False,
    )
    for each in containers:
        kubernetes.container(draft, name, each)
    kubernetes.secrets(draft, job, name)


PROVIDERS = (
    Described(NAME="prow", path=re.compile(r"\.prow\.ya?ml|\.prow/.+"), describe=describe),
    Described(NAME="openshift-ci", path=re.compile(r"\.ci-operator\.ya?ml"), describe=openshift),
    Described(
        NAME="jenkins-x", path=re.compile(r"\.lighthouse/.*triggers\.ya?ml"), describe=lighthouse
    ),
)
