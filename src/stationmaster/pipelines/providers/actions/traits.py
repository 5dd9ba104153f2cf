"""What well-known actions do: keep caches, hand artifacts on, test, publish, run a script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stationmaster.catalogue.actions import actions, purposes
from stationmaster.pipelines import commands
from stationmaster.pipelines.model import CommandKind, Step, distinct

_LIST_MAX = 100


def script_input(reference: str) -> str | None:
    """The input of an action that a shell runs, None for an action that has none."""
    return actions().scripts.get(reference.partition("@")[0].lower())


def purpose(step: Step) -> CommandKind | None:
    """What an action of others, or a workflow of theirs that is called, is used for."""
    action = _action(step)
    if "/.github/workflows/" in action:
        return commands.of_task(action.rpartition("/")[2].partition(".")[0])
    owned = "/".join(action.split("/")[:2])
    kind = purposes().get(action) or purposes().get(owned)
    return "publish" if kind == "build" and step.inputs.get("push") == "true" else kind


def caching(steps: Iterable[Step]) -> list[str]:
    """The actions that keep a cache, and what of: `actions/setup-node: npm`."""
    found = [told for step in steps if (told := _cache(step)) is not None]
    return distinct(found, _LIST_MAX)


def artifacts(steps: Iterable[Step]) -> list[str]:
    """The names of what is uploaded."""
    uploads = actions().uploads
    named = (
        step.inputs.get("name") or uploads[action]
        for step in steps
        if (action := _action(step)) in uploads
    )
    return distinct(list(named), _LIST_MAX)


def _action(step: Step) -> str:
    return (step.uses or "").partition("@")[0].lower()


def _cache(step: Step) -> str | None:
    action = _action(step)
    if not action or step.agents:
        return None
    caches = actions().caches
    if action in caches.always:
        path = step.inputs.get("path", "").strip().split("\n")[0]
        return f"{action}: {path}" if path else action
    if action in caches.by_default:
        return None if step.inputs.get(caches.by_default[action]) == "false" else action
    return _switched(action, step.inputs)


def _switched(action: str, inputs: Mapping[str, str]) -> str | None:
    for switch in actions().caches.switches:
        value = inputs.get(switch, "false")
        if value not in ("", "false"):
            return action if value == "true" else f"{action}: {value}"
    stores = [inputs[store] for store in actions().caches.stores if inputs.get(store)]
    return f"{action}: {stores[0].split(chr(10))[0]}" if stores else None
