"""What a workflow starts on, and one job as a record: how many copies of it a matrix makes, and the
references and secrets in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from stationmaster.catalogue import ci_events
from stationmaster.pipelines import pinning, secrets
from stationmaster.pipelines.model import Image, Job, Schedule, Trigger, Use, distinct, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.actions import traits
from stationmaster.pipelines.providers.actions.steps import Source
from stationmaster.repos.yaml_nodes import (
    EXPANDED_MAX,
    Mapping,
    Node,
    Scalar,
    Sequence,
    below,
    get,
    items,
    members,
    text,
    texts,
)

JOBS_MAX = 500
_LIST_MAX = parts.LIST_MAX
_DOCKER = "docker://"
_EVERY_SCOPE = {"read-all": "read", "write-all": "write"}
_COPIES_MAX = 1_024
"""Of one job; the service allows 256."""
_ENTRIES_MAX = 256
Value = str | tuple["Value", ...]
Entry = dict[str, Value]


def triggers(on: Node | None) -> list[Trigger]:
    """Of `push`, `[push, pull_request]` and `{push: {branches: [main]}}`; each event once."""
    events: dict[str, Trigger] = {}
    if isinstance(on, Mapping):
        for event, node in list(on.members.items())[:_LIST_MAX]:
            trigger = _trigger(line(event), node if isinstance(node, Mapping) else None)
            at = parts.place_of(on, event)
            events.setdefault(line(event), replace(trigger, place=at))
    else:
        for item in on.items[:_LIST_MAX] if isinstance(on, Sequence) else [on]:
            if item is not None and (word := parts.one_line(item)):
                kind = ci_events.kind_github(word)
                events.setdefault(word, Trigger(word, kind, place=parts.place(item)))
    return [one for one in events.values() if one.event]


def _trigger(event: str, node: Mapping | None) -> Trigger:
    filters = members(node).keys()
    tags_only = bool(filters & {"tags", "tags-ignore"}) and not (
        filters & {"branches", "branches-ignore"}
    )
    branches, tags, paths = (
        parts.filtered(node, only=name, never=f"{name}-ignore")
        for name in ("branches", "tags", "paths")
    )
    return Trigger(
        event,
        ci_events.kind_github(event, tags_only=tags_only),
        branches=branches,
        tags=tags,
        paths=paths,
        types=parts.words(node, "types"),
        workflows=parts.words(node, "workflows"),
        inputs=distinct(list(members(node, "inputs")), _LIST_MAX),
    )


def schedules(on: Node | None) -> list[Schedule]:
    """The cron schedules of `on`; `timezone` None is UTC."""
    listed = []
    for item in items(on, "schedule")[:_LIST_MAX]:
        if cron := parts.one_line(item, "cron"):
            zone = text(item, "timezone")
            zone = None if zone in (None, "UTC") else line(zone)
            listed.append(Schedule(cron, zone, place=parts.place_if(get(item, "cron"))))
    return listed


def read(source: Source, key: str, agents: list[str], matrices: Matrices) -> Job:
    """The record of a job that is known to run these agents."""
    jobs = get(source.root, "jobs")
    job = members(jobs)[key]
    return Job(
        id=line(key),
        name=parts.one_line(job, "name"),
        needs=parts.words(job, "needs"),
        runs_on=_runs_on(get(job, "runs-on")),
        uses=parts.one_line(job, "uses"),
        timeout_minutes=parts.number(job, "timeout-minutes"),
        image=parts.one_line(_image(get(job, "container"))),
        agents=agents,
        services=distinct(list(members(job, "services")), _LIST_MAX),
        parallel=matrices.size(get(job, "strategy", "matrix")),
        condition=parts.one_line(job, "if"),
        environment=parts.one_line(job, "environment")
        or parts.one_line(job, "environment", "name"),
        permissions=permissions(get(job, "permissions")),
        secrets=secrets_in(source, get(source.root, "env"), job),
        step_count=len(traits.steps_of(job)),
        place=parts.place_of(jobs, key),
    )


def permissions(node: Node | None) -> dict[str, str] | None:
    """What a token may, by scope; `*` is every one, None where nothing is stated."""
    if isinstance(node, Mapping):
        scopes = list(node.members.items())[:_LIST_MAX]
        return {line(scope): line(text(access) or "") for scope, access in scopes}
    word = text(node)
    return None if word is None else {"*": _EVERY_SCOPE.get(word, line(word))}


def may_ask_identity(job: dict[str, str] | None, top: dict[str, str] | None) -> bool:
    """May a job ask for an identity token? Its own statement replaces that of the file."""
    own = (top if job is None else job) or {}
    return "write" in (own.get("id-token"), own.get("*"))


def secrets_in(source: Source, *nodes: Node | None) -> list[str]:
    """The names in some nodes; ALL where a called workflow inherits every one."""
    if not source.has_secrets:
        return []
    inner = (inner_node for node in nodes for inner_node in below(node, EXPANDED_MAX))
    names = secrets.in_texts(scalar.text for scalar in inner if isinstance(scalar, Scalar))
    if any(text(node, "secrets") == "inherit" for node in nodes):
        names.append(secrets.ALL)
    return distinct(names, _LIST_MAX)


def uses(source: Source, declared: dict[str, Node], provider: str) -> Iterator[Use]:
    """The actions and workflows that jobs name, local ones as well; containers are images."""
    for key, job in declared.items():
        for node in (job, *traits.steps_of(job)):
            named = get(node, "uses")
            reference = text(named)
            if named is None or reference is None or reference.startswith(_DOCKER):
                continue
            is_hash = pinning.of_use(reference)[0] == "hash"
            version = source.version_behind(named) if is_hash else None
            yield traits.use_of(reference, provider, line(key), parts.place(named), version)


def images(key: str, job: Node) -> Iterator[Image]:
    """The containers of a job, of its services, and of steps that are one."""
    services = members(job, "services").values()
    nodes = [_image(image) for image in (get(job, "container"), *services)]
    nodes += [get(step, "uses") for step in traits.steps_of(job)]
    for position, node in enumerate(nodes):
        reference = text(node) or ""
        is_step = position > len(services)
        if node is not None and reference and reference.startswith(_DOCKER) >= is_step:
            yield traits.image_of(reference, line(key), parts.place(node))


def _runs_on(node: Node | None) -> list[str]:
    """Labels; a runner group is before them."""
    if members(node):
        return distinct([*texts(node, "group"), *texts(node, "labels")], _LIST_MAX)
    return parts.words(node)


def _image(container: Node | None) -> Node | None:
    return container if isinstance(container, Scalar) else get(container, "image")


class Matrices:
    """Sizes of a commit's matrices, within a bound of their cost together."""

    def __init__(self, comparisons_max: int = 500_000) -> None:
        self._left = comparisons_max

    def size(self, matrix: Node | None) -> int | None:
        """How many copies, None where that is only known when it runs, or is far too many."""
        if not isinstance(matrix, Mapping):
            return None
        lists = {k: v for k, v in matrix.members.items() if k not in ("include", "exclude")}
        if not all(isinstance(list_, Sequence) for list_ in lists.values()):
            return None
        entries = [_entries(get(matrix, key)) for key in ("exclude", "include")]
        excluded, included = entries
        if excluded is None or included is None:
            return None
        count = math.prod(len(items(list_)) for list_ in lists.values()) if lists else 0
        if not (excluded or included) or not lists:
            return len(included) or count or None
        cost = count * (len(excluded) + len(included))
        if count > _COPIES_MAX or cost > self._left:
            return None
        self._left -= cost
        axes = {key: [_value(item) for item in items(choices)] for key, choices in lists.items()}
        return _count(axes, excluded, included) or None


def _count(axes: dict[str, list[Value]], excluded: list[Entry], included: list[Entry]) -> int:
    copies = [dict(zip(axes, chosen, strict=True)) for chosen in product(*axes.values())]
    copies = [
        copy
        for copy in copies
        if not any(exclusion.items() <= copy.items() for exclusion in excluded)
    ]
    return len(copies) + sum(not _extends(entry, axes, copies) for entry in included)


def _extends(entry: Entry, axes: dict[str, list[Value]], copies: list[Entry]) -> bool:
    """Does an entry add to copies that are there, changing none of their own values?"""
    own = {key: value for key, value in entry.items() if key in axes}
    return any(own.items() <= copy.items() for copy in copies)


def _entries(node: Node | None) -> list[Entry] | None:
    """None for a list that is computed."""
    if node is None or (isinstance(node, Scalar) and node.is_null):
        return []
    if not isinstance(node, Sequence) or len(node.items) > _ENTRIES_MAX:
        return None
    return [{k: _value(v) for k, v in members(item).items()} for item in node.items]


def _value(node: Node) -> Value:
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return ("[", *map(_value, node.items))
    return ("{", *((key, _value(member)) for key, member in sorted(node.members.items())))
