"""Which agent a record, a hook or a file is from, and what reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from stationmaster.agents import cards
from stationmaster.agents.cards import PRODUCTS
from stationmaster.agents.cards.card import HookSigns

if TYPE_CHECKING:
    from stationmaster.agents.interface import Agent


@cache
def agents() -> tuple[Agent, ...]:
    """All agents, each loaded."""
    return tuple(map(_load, PRODUCTS))


@cache
def _load(product: str) -> Agent:
    return cast("Agent", import_module(f"{cards.package(product)}.agent").AGENT)


def by_product(product: str) -> Agent | None:
    """The agent of a product name such as `codex`, or None. Loads no other one."""
    return _load(product) if product in PRODUCTS else None


@lru_cache(maxsize=1024)
def find_otlp(service_name: str, scope: str, name: str) -> Agent | None:
    """The agent that sent an OTLP record, or None. `name` is an event, a span or a metric.

    The name is the surest sign. What can be set to use another agent's names is recognised by where
    they come from.
    """
    exporting = [(c.product, c.export) for c in cards.every() if c.export]
    origins = [
        (product, export)
        for product, export in exporting
        if _is_any(service_name, export.services) or _is_any(scope, export.scopes)
    ]
    named = [(product, export) for product, export in exporting if _is_any(name, export.names)]
    imitating = [(product, export) for product, export in origins if _is_any(name, export.imitates)]
    for product, export in (*imitating, *named, *origins):
        foreign = _is_any(service_name, export.foreign) or _is_any(name, export.foreign)
        return None if foreign else _load(product)
    return None


def _is_any(text: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def find_transcript(path: str, head: bytes) -> Agent | None:
    """The agent whose session file this is, or None. `head` is its first 64 KiB."""
    # Claude Code's lines have the fewest marks that others lack, so it is asked last.
    for agent in reversed(agents()):
        if agent.is_transcript(path, head):
            return agent
    return None


def find_hook(payload: Mapping[str, Any]) -> Agent | None:
    """The agent whose hook a JSON object is, or None. By its content alone: variables of the
    environment are inherited by agents that another one starts."""
    path = str(payload.get("transcript_path") or "").replace("\\", "/")
    event, mode = payload.get("hook_event_name"), payload.get("permission_mode")
    signs = [(card.product, card.hook_signs) for card in cards.every()]
    tests: tuple[Callable[[HookSigns], bool], ...] = (
        lambda sign: any(member in payload for member in sign.members),
        lambda sign: event in sign.events,
        lambda sign: sign.path != "" and sign.path in path,
        lambda sign: mode in sign.modes,
        lambda sign: any(member in payload for member in sign.weak),
        lambda sign: event is not None and sign.is_usual,
    )
    return next((_load(product) for test in tests for product, sign in signs if test(sign)), None)
