"""A call as an event: with the identity that the agent's own report of it has, and no content."""

from __future__ import annotations

from stationmaster import clock, ids
from stationmaster.agents.claude_code.calls import is_unique
from stationmaster.agents.interface import blank
from stationmaster.agents.values import model_name, model_region, speed, tier, word
from stationmaster.events.model import Event, event_id, mark
from stationmaster.gateway.accounting.usage import TokenUse, UseReport
from stationmaster.gateway.agents import Agent, form_of
from stationmaster.gateway.providers import Kind

_PROVIDERS: dict[Kind, str] = {"anthropic": "anthropic", "openai": "openai", "gemini": "google"}


def event(
    kind: Kind,
    agent: Agent,
    report: UseReport,
    usage: TokenUse,
    *,
    model: str,
    request_id: str | None,
    duration_ms: int,
    is_complete: bool,
) -> Event:
    """One settled call, not yet attributed to a person."""
    made = blank(agent.product, "model_call", "gateway")()
    made.ts = clock.now_ms()
    made.event_id = _identity(agent, report, request_id)
    made.session_id = made.root_session_id = agent.session
    made.product_version = agent.version
    made.agent_id = agent.subagent
    made.is_subagent = agent.subagent is not None
    made.model = model_name(report.model or model)
    made.region = word(usage.region) if usage.region != "not_available" else None
    made.region = made.region or model_region(model)
    made.provider = _PROVIDERS[kind]
    made.model_tier = tier(usage.reasoning or None, None)
    made.input_tokens = usage.input or 0
    made.output_tokens = usage.output or 0
    made.cache_read_tokens = usage.cache_read
    made.cache_write_tokens = usage.cache_write
    made.cache_write_1h_tokens = usage.cache_write_1h or None
    made.reasoning_tokens = usage.reasoning or None
    made.speed = speed(usage.speed)
    made.service_tier = word(usage.service_tier)
    made.duration_ms = duration_ms
    if not is_complete:
        mark(made, "output_lower_bound")
        if report.usage.input is None:
            mark(made, "estimated")
    return made


def _identity(agent: Agent, report: UseReport, request_id: str | None) -> str:
    """What the agent's own reports have, where these name calls by ids of the provider; else an id
    of our own, because answers of some servers share theirs."""
    product, answer, form = agent.product, report.answer_id, form_of(agent.product)
    if form is not None and form.reports_ids:
        if request_id is not None and is_unique(request_id):
            return event_id(product, "model_call", request_id)
        if answer is not None:
            return event_id(product, "model_call", *filter(None, (answer, request_id)))
    return event_id(product, "model_call", "gateway", ids.new("call"))
