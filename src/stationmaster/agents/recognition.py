"""The agents we know, and which of them a record or a file is from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from stationmaster.agents.session_files import ROOTS

if TYPE_CHECKING:
    from stationmaster.agents.card import Agent

PRODUCTS = tuple(ROOTS)
"""The names of all agents."""


@cache
def agents() -> tuple[Agent, ...]:
    """All agents, each loaded."""
    return tuple(map(_load, PRODUCTS))


@cache
def _load(product: str) -> Agent:
    package = product.replace("-", "_")
    return cast("Agent", import_module(f"stationmaster.agents.{package}").AGENT)


def find_otlp(service_name: str, scope: str, name: str) -> Agent | None:
    """The agent that sent an OTLP record, or None. `name` is an event, a span or a metric."""
    for agent in agents():
        if agent.sends(service_name, scope, name):
            return agent
    return None


def find_transcript(path: str, head: bytes) -> Agent | None:
    """The agent whose session file this is, or None. `head` is its first 64 KiB."""
    # Claude Code's lines have the fewest marks that others lack, so it is asked last.
    for agent in reversed(agents()):
        if agent.is_transcript(path, head):
            return agent
    return None


def by_product(product: str) -> Agent | None:
    """The agent of a product name such as `codex`, or None. Loads no other one."""
    return _load(product) if product in ROOTS else None


def find_hook(given: Mapping[str, Any]) -> Agent | None:
    """The agent whose hook a JSON object is, or None. By what it says alone: variables of the
    environment are inherited by agents that another one starts."""
    return by_product(_product_of_hook(given))


def _product_of_hook(given: Mapping[str, Any]) -> str:
    event = given.get("hook_event_name")
    if "cursor_version" in given:
        return "cursor"
    if "sessionId" in given and event is None:
        return "copilot-cli"
    if event in _GEMINI_HOOKS:
        return "gemini-cli"
    path = str(given.get("transcript_path") or "").replace("\\", "/")
    for part, product in _TRANSCRIPT_PLACES:
        if part in path:
            return product
    if given.get("permission_mode") in _DROID_MODES:
        return "droid"
    return "codex" if "turn_id" in given else "claude-code" if event else ""


_GEMINI_HOOKS = frozenset(
    {"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel"}
    | {"BeforeToolSelection", "PreCompress"}
)
_TRANSCRIPT_PLACES = (
    ("/.factory/", "droid"),
    ("/sessions/", "codex"),
    ("/.qwen/", "qwen-code"),
    ("/.copilot/", "copilot-cli"),
    ("/.gemini/", "gemini-cli"),
    ("/.claude/", "claude-code"),
)
_DROID_MODES = frozenset({"off", "auto-low", "auto-medium", "auto-high", "spec"})
