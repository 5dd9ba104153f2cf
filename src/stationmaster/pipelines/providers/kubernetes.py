"""Parts of pipelines that are objects of Kubernetes: names, containers, secrets."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from msgspec.structs import replace

from stationmaster.pipelines.model import Step, line
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import place, place_if, said, several
from stationmaster.repos.yaml_nodes import Mapping, Node, Sequence, get, items, members, text, texts

_NODES_MAX = 20_000
_SHELLS = frozenset({"sh", "bash", "ash", "dash", "zsh", "env"})
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
            line(key): text(get(item, "value")) or ""
            for item in items(get(node, "env"))
            if (key := text(get(item, "name"))) is not None
        },
    )
    script = get(node, "script") or get(node, "source")
    image_at = place_if(get(node, "image"))
    if text(script) is not None:
        draft.scripted(step, script, image_at)
        return
    command, arguments = get(node, "command"), get(node, "args")
    words = [*texts(command), *texts(arguments)]
    if words[:1] and words[0].rpartition("/")[2] in _SHELLS and len(words) > 1:
        # What a shell reads is the script.
        draft.scripted(step, (several(arguments) or several(command))[-1], image_at)
    elif words:
        draft.step(replace(step, script=shlex.join(words), script_at=step.place), image_at)
    else:
        draft.step(step, image_at)


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
