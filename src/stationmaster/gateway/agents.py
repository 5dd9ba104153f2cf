"""Which coding agent calls, and which of its sessions, by header fields of the request."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from stationmaster.agents import cards
from stationmaster.agents.cards.card import Caller
from stationmaster.gateway.headers import Fields, first

OTHER = "other"
"""A program that is no coding agent we know."""
_VERSION = re.compile(r"/v?(\d+\.\d+[\w.+-]{0,40})")
_ID = re.compile(r"[\w.:-]{1,200}")


class Agent(NamedTuple):
    """A coding agent, and the ids of its session and subagent; None is not named."""

    product: str
    version: str | None = None
    session: str | None = None
    subagent: str | None = None


def of(fields: Fields) -> Agent:
    """The agent of a request; OTHER where it is not known."""
    product, version = _program(first(fields, b"user-agent") or "")
    if product == OTHER:
        product = next((name for name, form in _callers().items() if _signed(fields, form)), OTHER)
    form = form_of(product)
    if form is None:
        return Agent(product, version)
    session = next(filter(None, (_id(fields, name) for name in form.sessions)), None)
    subagent = None if form.subagent is None else _id(fields, form.subagent)
    return Agent(product, version, session, subagent)


def form_of(product: str) -> Caller | None:
    """How an agent calls models; None of OTHER."""
    return _callers().get(product)


@cache
def _callers() -> dict[str, Caller]:
    return {c.product: c.caller for c in cards.every() if isinstance(c.caller, Caller)}


@lru_cache(maxsize=1_024)
def _program(words: str) -> tuple[str, str | None]:
    for product, form in _callers().items():
        if re.search(form.user_agent, words, re.IGNORECASE):
            version = _VERSION.search(words)
            return product, None if version is None else version[1]
    return OTHER, None


def _signed(fields: Fields, form: Caller) -> bool:
    return any(first(fields, name.encode()) in values for name, values in form.signs.items())


def _id(fields: Fields, name: str) -> str | None:
    value = first(fields, name.encode())
    return value if value is not None and _ID.fullmatch(value) else None
