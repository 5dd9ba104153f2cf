"""Does what an agent sends arrive? Tried with one record of its kind, which is not stored.

Every request has `Stationmaster-Dry-Run: true`; a server that does not know that is sent nothing.
"""

from __future__ import annotations

from pathlib import Path

import httpx
import msgspec

from stationmaster import clock, days
from stationmaster.agents import cards
from stationmaster.client import agent_samples, unreachable
from stationmaster.client.collecting.sources import unknown_agent
from stationmaster.client.hooks import trial as hook_trial
from stationmaster.client.server import EVENTS_PATH, Server
from stationmaster.client.settings import telemetry as agent_settings
from stationmaster.events.model import Event

_DRY_RUN = "Stationmaster-Dry-Run"
_ME = "/api/platform/v1/me"
_TIMEOUT_S = 20
_SKEW_MAX_MS = 60_000
"""A server corrects a clock that is minutes ahead; one that is behind files work under a wrong day
just as well."""
_encode = msgspec.json.Encoder().encode


class CheckStep(msgspec.Struct):
    """One thing that was checked; `is_good` is None where that is unknown here."""

    name: str
    is_good: bool | None
    text: str
    events: list[Event] = []


class _Me(msgspec.Struct):
    org_id: str
    principal_kind: str
    principal_id: str
    email: str | None
    scope: str


class _Outcome(msgspec.Struct):
    product: str
    source: str
    outcome: str
    count: int


class _LastSeen(msgspec.Struct):
    product: str
    source: str
    at: int


class _DryRun(msgspec.Struct):
    receivedAt: int  # noqa: N815 - a member of the wire
    outcomes: list[_Outcome]
    events: list[Event]
    lastSeen: list[_LastSeen]  # noqa: N815 - a member of the wire


def verify(agent: str, server: Server, home: Path) -> list[CheckStep]:
    """Check an agent's settings and try the server, in order; it ends where nothing can follow.

    Raises BadRequest for an agent that is unknown, OperatorError for a file that cannot be read.
    """
    if cards.find(agent) is None:
        raise unknown_agent(agent)
    steps = _settings(agent, server, home)
    has_hooks = any(step.name == "hooks" and step.is_good for step in steps)
    headers = {"authorization": f"Bearer {server.key}", _DRY_RUN: "true"}
    try:
        with httpx.Client(base_url=server.url, headers=headers, timeout=_TIMEOUT_S) as http:
            steps += _tried(http, agent, has_hooks)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeEncodeError) as fault:
        why = unreachable.reason(fault)
        steps.append(CheckStep("server", False, f"{server.url} cannot be reached: {why}"))
    return steps


def _settings(agent: str, server: Server, home: Path) -> list[CheckStep]:
    """Settings or hooks are enough: what is missing of the other is no problem then."""
    card = cards.get(agent)
    hooks = CheckStep("hooks", *hook_trial.of(card.product, home))
    if card.telemetry is None:
        if hooks.is_good is None:
            hooks.is_good = False
        return [hooks]
    recipe = card.recipe(server.url, server.key)
    settings = CheckStep("settings", *agent_settings.standing(recipe, home))
    if hooks.is_good and not settings.is_good:
        settings.is_good = None
    return [settings, hooks]


def _tried(http: httpx.Client, agent: str, has_hooks: bool) -> list[CheckStep]:
    answer = http.get(_ME)
    if answer.is_error:
        return [CheckStep("key", False, unreachable.refusal(answer))]
    try:
        me = msgspec.json.decode(answer.content, type=_Me)
    except msgspec.DecodeError:
        return [
            CheckStep("server", False, f"{http.base_url} answers, but is no Stationmaster server")
        ]
    steps = [CheckStep("key", True, f"belongs to {me.email or me.principal_id}, scope {me.scope}")]
    # With nothing in it: an older server would store what it is sent.
    empty = _sent(http, agent_samples.Sample(EVENTS_PATH, "application/json", b"[]"))
    if isinstance(empty, str):
        return [*steps, CheckStep("server", False, empty)]
    steps.append(_clock(empty.receivedAt))
    export = agent_samples.export_of(agent, clock.now_ms())
    tried = [] if export is None else [("export", export)]
    hooks = cards.get(agent).hooks
    if hooks is not None and (has_hooks or export is None):
        tried.append(("hook", agent_samples.hook_of(agent, hooks)))
    answers = [(name, _sent(http, sample)) for name, sample in tried]
    steps += [_step(name, answer) for name, answer in answers]
    last = [answer.lastSeen for _, answer in answers if not isinstance(answer, str)]
    return [*steps, _received(last[0])] if last else steps


def _sent(http: httpx.Client, sample: agent_samples.Sample) -> _DryRun | str:
    """What became of a sample, or why nothing did."""
    answer = http.post(
        sample.path, content=sample.body, headers={"content-type": sample.content_type}
    )
    if answer.is_error:
        return unreachable.refusal(answer)
    try:
        return msgspec.json.decode(answer.content, type=_DryRun)
    except msgspec.DecodeError:
        return (
            "the server supports no test records because it is older than this program: update it"
        )


def _step(name: str, result: _DryRun | str) -> CheckStep:
    if isinstance(result, str):
        return CheckStep(name, False, result)
    text = ", ".join(f"{o.count} {o.outcome} ({o.product}, {o.source})" for o in result.outcomes)
    return CheckStep(name, bool(result.events), text or "nothing arrived", result.events)


def _received(last: list[_LastSeen]) -> CheckStep:
    times = [f"{report.source} {days.minute(report.at)}" for report in last]
    return CheckStep(
        "received",
        True if times else None,
        "; ".join(times) or "no data of yours from this agent yet",
    )


def _clock(received_ms: int) -> CheckStep:
    ahead_ms = clock.now_ms() - received_ms
    side = "ahead of" if ahead_ms > 0 else "behind"
    text = f"{abs(ahead_ms) / 1000:.1f} s {side} the server's"
    return CheckStep("clock", abs(ahead_ms) <= _SKEW_MAX_MS, text)
