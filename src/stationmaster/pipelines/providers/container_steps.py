"""Steps that are containers, one after the other: the language of Drone and of what grew out of it.

Every step has an image, and commands or settings; settings make it a plugin.
"""

from __future__ import annotations

from stationmaster.pipelines.model import Schedule, Step, Trigger, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.triggers import kind
from stationmaster.repos.yaml_nodes import Mapping, Node, Sequence, get, items, members, text

_STEPS_MAX = 1_000
_FROM_SECRET = "from_secret"  # noqa: S105 - a key's name
_CONDITIONS = ("branch", "ref", "status", "evaluate", "path", "instance", "repo", "cron")


def named(node: Node | None) -> list[tuple[str | None, Mapping]]:
    """Steps or services with their names: of a mapping by name, or of a list."""
    if isinstance(node, Sequence):
        found = [(parts.said(get(item, "name")), item) for item in node.items]
    else:
        found = [(line(key), each) for key, each in members(node).items()]
    return [(name, each) for name, each in found[:_STEPS_MAX] if isinstance(each, Mapping)]


def add_steps(draft: Draft, job: str, steps: Node | None) -> int:
    """How many steps there are."""
    found = named(steps)
    for name, step in found:
        _add_step(draft, job, name, step)
    return len(found)


def add_services(draft: Draft, job: str, services: Node | None) -> list[str]:
    """The images of containers that run beside the steps."""
    found = []
    for _, service in named(services):
        if (image := text(get(service, "image"))) is not None:
            draft.image(image, job, parts.place(service.members["image"]))
            found.append(line(image))
        _add_secrets(draft, job, service)
    return found


def add_triggers(draft: Draft, conditions: Node | None) -> None:
    """The events of one filter, or of several of which one suffices, with what narrows them."""
    for condition in parts.several(conditions):
        for event in events(condition):
            add_trigger(draft, event, condition)


def events(conditions: Node | None) -> list[str]:
    """The events that filters name."""
    named = [parts.filtered(get(each, "event")) for each in parts.several(conditions)]
    return [event for some in named for event in some if not event.startswith("!")]


def add_trigger(draft: Draft, event: str, condition: Node | None) -> None:
    """Add an event with the branches, tags, paths and cron jobs that a condition narrows it to."""
    crons = parts.filtered(get(condition, "cron")) if kind(event) == "schedule" else []
    if kind(event) == "schedule" and not draft.schedules:
        draft.schedules.append(Schedule(""))  # The expression is kept on the server.
    refs = parts.filtered(get(condition, "ref"))
    branches = parts.filtered(get(condition, "branch"))
    if kind(event) == "push":
        branches += _short(refs, "refs/heads/")
    draft.add_trigger(
        Trigger(
            event,
            kind(event),
            branches=branches,
            tags=_short(refs, "refs/tags/") if kind(event) == "tag" else [],
            paths=parts.filtered(get(condition, "path")),
            types=crons,
            place=None if condition is None else parts.place(condition),
        )
    )


def _short(refs: list[str], start: str) -> list[str]:
    return [ref.removeprefix(start) for ref in refs if ref.startswith(start)]


def _add_step(draft: Draft, job: str, name: str | None, step: Mapping) -> None:
    image = text(get(step, "image"))
    environment = parts.variables(get(step, "environment"))
    settings = parts.variables(get(step, "settings"))
    common = Step(
        job,
        draft.path,
        parts.place(step),
        name=name,
        image=image,
        env=environment,
        inputs=settings,
        condition=_condition(get(step, "when")),
        ignores_errors=text(get(step, "failure")) == "ignore",
    )
    draft.scripted(common, get(step, "commands"), parts.place_if(get(step, "image")))
    _add_secrets(draft, job, step)


def _add_secrets(draft: Draft, job: str, step: Mapping) -> None:
    for key in ("environment", "settings", "volumes"):
        for mapping in _mappings(step.members.get(key)):
            if (name := text(get(mapping, _FROM_SECRET))) is not None:
                draft.secret(name, job)
    for item in items(get(step, "secrets")):
        if (name := text(item) or text(get(item, "source"))) is not None:
            draft.secret(name, job)


def _mappings(node: Node | None) -> list[Node]:
    """Every mapping below a node, up to a bound."""
    waiting: list[Node] = [] if node is None else [node]
    mappings: list[Node] = []
    while waiting and len(mappings) < _STEPS_MAX:
        each = waiting.pop()
        if isinstance(each, Mapping):
            mappings.append(each)
            waiting += each.members.values()
        elif isinstance(each, Sequence):
            waiting += each.items[:_STEPS_MAX]
    return mappings


def _condition(when: Node | None) -> str | None:
    """What a step's filter says, in short."""
    told = [
        f"{key}: {', '.join(parts.filtered(value))}"
        for each in parts.several(when)
        for key, value in members(each).items()
        if key == "event" or key in _CONDITIONS
    ]
    return line("; ".join(told)) or None
