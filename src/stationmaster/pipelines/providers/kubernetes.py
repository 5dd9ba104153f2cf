"""Parts of pipelines that are objects of Kubernetes: names, containers, secrets."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.pipelines.model import Step, line
from stationmaster.pipelines.providers.described import exec_form
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import place, place_if, said
from stationmaster.repos.yaml_nodes import Mapping, Node, Sequence, get, items, members, text

_NODES_MAX = 20_000
_SECRET_KEYS = frozenset({"secretKeyRef", "secretRef", "imagePullSecrets"})


def name(root: Node | None) -> str | None:
    """Of an object; of a generated name its beginning."""
    given = said(get(root, "metadata", "name"))
    return given or (said(get(root, "metadata", "generateName")) or "").rstrip("-") or None


def is_of(root: Node, group: str, *kinds: str) -> bool:
    """Is it an object of this API, and of one of these kinds?"""
    api = text(get(root, "apiVersion")) or ""
    return api.startswith(f"{group}/") and (not kinds or text(get(root, "kind")) in kinds)


def secrets(draft: Draft, root: Node, job: str | None = None) -> None:
    """Notes the secrets that anything below a node mounts or reads."""
    for mapping in _mappings(root):
        if (named := text(mapping.members.get("secretName"))) is not None:
            draft.secret(named, job)
        for key in _SECRET_KEYS & mapping.members.keys():
            for each in (mapping.members[key], *items(mapping.members[key])):
                draft.secret(text(get(each, "name")) or "", job)


def container(draft: Draft, job: str, node: Node, step_name: str | None = None) -> None:
    """Notes a container as a step: its script, else what its command says."""
    step = Step(
        job=job,
        path=draft.path,
        place=place(node),
        name=step_name or said(get(node, "name")),
        image=text(get(node, "image")),
        env={
            line(key): text(get(each, "value")) or ""
            for each in items(get(node, "env"))
            if (key := text(get(each, "name"))) is not None
        },
    )
    script = get(node, "script") or get(node, "source")
    image_at = place_if(get(node, "image"))
    if text(script) is not None:
        draft.scripted(step, script, image_at)
        return
    exec_form(draft, step, get(node, "command"), get(node, "args"), image_at)


def _mappings(root: Node) -> Iterator[Mapping]:
    waiting: list[Node] = [root]
    for _ in range(_NODES_MAX):
        if not waiting:
            return
        node = waiting.pop()
        if isinstance(node, Mapping):
            yield node
            waiting += reversed(list(members(node).values()))
        elif isinstance(node, Sequence):
            waiting += reversed(node.items)
