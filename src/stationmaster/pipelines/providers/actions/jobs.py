"""One job as a record, and the references and secrets that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.pipelines import pinning, secrets
from stationmaster.pipelines.model import Image, Job, Use, distinct, line
from stationmaster.pipelines.providers.actions.matrix import Matrices
from stationmaster.pipelines.providers.actions.sources import Source, at, key_at
from stationmaster.repos.yaml_nodes import Mapping, Node, Scalar, get, items, members, text, texts

JOBS_MAX = 500
_LIST_MAX = 100
_DOCKER = "docker://"
_EVERY_SCOPE = {"read-all": "read", "write-all": "write"}


def read(source: Source, key: str, agents: list[str], matrices: Matrices) -> Job:
    """The record of a job that is known to run these agents."""
    jobs = get(source.root, "jobs")
    job = members(jobs)[key]
    minutes = text(get(job, "timeout-minutes")) or ""
    environment = get(job, "environment")
    return Job(
        id=line(key),
        name=_told(get(job, "name")),
        needs=distinct(texts(get(job, "needs")), _LIST_MAX),
        runs_on=_runs_on(get(job, "runs-on")),
        uses=_told(get(job, "uses")),
        timeout_minutes=int(minutes) if re.fullmatch(r"[0-9]{1,6}", minutes) else None,
        image=_told(_image(get(job, "container"))),
        agents=agents,
        services=distinct(list(members(get(job, "services"))), _LIST_MAX),
        parallel=matrices.size(get(job, "strategy", "matrix")),
        condition=_told(get(job, "if")),
        environment=_told(environment) or _told(get(environment, "name")),
        permissions=permissions(get(job, "permissions")),
        secrets=secrets_in(source, get(source.root, "env"), job),
        step_count=len(items(get(job, "steps"))),
        place=key_at(jobs, key),
    )


def permissions(node: Node | None) -> dict[str, str] | None:
    """What a token may, by scope; `*` is every one, None where nothing is said."""
    if isinstance(node, Mapping):
        given = list(node.members.items())[:_LIST_MAX]
        return {line(scope): line(text(access) or "") for scope, access in given}
    told = text(node)
    return None if told is None else {"*": _EVERY_SCOPE.get(told, line(told))}


def may_ask_identity(job: dict[str, str] | None, top: dict[str, str] | None) -> bool:
    """May a job ask for an identity token? What it says itself replaces what the file says."""
    own = (top if job is None else job) or {}
    return "write" in (own.get("id-token"), own.get("*"))


def secrets_in(source: Source, *nodes: Node | None) -> list[str]:
    """The names that stand in some nodes; ALL where a called workflow inherits every one."""
    if not source.has_secrets:
        return []
    found = secrets.in_texts(all_text for node in nodes for all_text in _all_texts(node))
    if any(text(get(node, "secrets")) == "inherit" for node in nodes):
        found.append(secrets.ALL)
    return distinct(found, _LIST_MAX)


def uses(source: Source, key: str, job: Node, provider: str) -> Iterator[Use]:
    """The actions and workflows that a job names, local ones as well; containers are images."""
    for node in (job, *items(get(job, "steps"))):
        named = get(node, "uses")
        reference = text(named)
        if named is None or reference is None or reference.startswith(_DOCKER):
            continue
        pin, version = pinning.of_use(reference)
        if pin == "hash":
            version = source.version_beside(named) or version
        yield Use(
            line(reference),
            pin,
            pin == "local" or pinning.is_first_party(provider, reference),
            None if version is None else line(version),
            line(key),
            at(named),
        )


def images(key: str, job: Node) -> Iterator[Image]:
    """The containers of a job, of its services, and of steps that are one."""
    services = members(get(job, "services")).values()
    nodes = [_image(each) for each in (get(job, "container"), *services)]
    nodes += [get(step, "uses") for step in items(get(job, "steps"))]
    for position, node in enumerate(nodes):
        reference = text(node) or ""
        is_step = position > len(services)
        if node is not None and reference and reference.startswith(_DOCKER) >= is_step:
            reference = reference.removeprefix(_DOCKER)
            yield Image(line(reference), pinning.of_image(reference), line(key), at(node))


def _told(node: Node | None) -> str | None:
    return line(text(node) or "") or None


def _runs_on(node: Node | None) -> list[str]:
    """Labels; a runner group stands before them."""
    if members(node):
        return distinct([*texts(get(node, "group")), *texts(get(node, "labels"))], _LIST_MAX)
    return distinct(texts(node), _LIST_MAX)


def _image(container: Node | None) -> Node | None:
    return container if isinstance(container, Scalar) else get(container, "image")


def _all_texts(node: Node | None) -> Iterator[str]:
    """Every text below a node, in the order of the file."""
    open_nodes = [] if node is None else [node]
    while open_nodes:
        each = open_nodes.pop()
        if isinstance(each, Scalar):
            yield each.text
        elif isinstance(each, Mapping):
            open_nodes += reversed(each.members.values())
        else:
            open_nodes += reversed(each.items)
