"""`on`: what starts a workflow. Every form of it is a list of triggers in the end."""

from __future__ import annotations

from stationmaster.pipelines import triggers
from stationmaster.pipelines.model import Place, Schedule, Trigger, distinct, line
from stationmaster.pipelines.providers.actions.sources import at, key_at
from stationmaster.repos.yaml_nodes import Mapping, Node, Sequence, get, items, members, text, texts

_LIST_MAX = 100
_FILTERS = ("branches", "tags", "paths")


def read(on: Node | None) -> list[Trigger]:
    """Of `push`, `[push, pull_request]` and `{push: {branches: [main]}}`; events stand once."""
    found: dict[str, Trigger] = {}
    if isinstance(on, Mapping):
        for event, node in list(on.members.items())[:_LIST_MAX]:
            found.setdefault(line(event), _trigger(line(event), node, key_at(on, event)))
    else:
        for each in on.items[:_LIST_MAX] if isinstance(on, Sequence) else [on]:
            if each is not None and (word := line(text(each) or "")):
                found.setdefault(word, Trigger(word, triggers.kind_github(word), place=at(each)))
    return [each for each in found.values() if each.event]


def schedules(on: Node | None) -> list[Schedule]:
    """The cron schedules of `on`; `timezone` None is UTC."""
    found = []
    for item in items(get(on, "schedule"))[:_LIST_MAX]:
        cron = get(item, "cron")
        told = line(text(cron) or "")
        if cron is not None and told:
            zone = text(get(item, "timezone"))
            zone = None if zone in (None, "UTC") else line(zone)
            found.append(Schedule(told, zone, place=at(cron)))
    return found


def _trigger(event: str, node: Node, place: Place | None) -> Trigger:
    given = members(node)
    tags_only = any(key in given for key in ("tags", "tags-ignore")) and not any(
        key in given for key in ("branches", "branches-ignore")
    )
    branches, tags, paths = (_filter(given, name) for name in _FILTERS)
    return Trigger(
        event,
        triggers.kind_github(event, tags_only=tags_only),
        branches=branches,
        tags=tags,
        paths=paths,
        types=_texts(given.get("types")),
        workflows=_texts(given.get("workflows")),
        inputs=distinct(list(members(given.get("inputs"))), _LIST_MAX),
        place=place,
    )


def _filter(given: dict[str, Node], name: str) -> list[str]:
    """What a filter takes, and with `!` before it what it leaves out."""
    left_out = [f"!{each}" for each in texts(given.get(f"{name}-ignore"))]
    return distinct([*texts(given.get(name)), *left_out], _LIST_MAX)


def _texts(node: Node | None) -> list[str]:
    return distinct(texts(node), _LIST_MAX)
