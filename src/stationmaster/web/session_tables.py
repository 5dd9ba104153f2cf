"""The tables of one session, as CSV has them."""

from __future__ import annotations

from stationmaster.analytics.sessions import Session
from stationmaster.analytics.timelines import Timeline
from stationmaster.pricing.credits.dollars import text
from stationmaster.web.figures.blocks import Table
from stationmaster.web.frame.visits import listing, moment

_TOKENS = ("Input", "Output", "From cache", "To cache")


def of(session: Session, timeline: Timeline, call: str) -> list[Table]:
    """Its steps, models and tools; `call` answers all of them."""
    return [_steps(timeline, call), _models(session, call), _tools(session, call)]


def _steps(timeline: Timeline, call: str) -> Table:
    rows = [
        (
            *(moment(step.at), step.kind, "yes" if step.is_subagent else "no", step.name),
            *(step.outcome, step.duration_ms),
            None if step.amount is None else text(step.amount),
            *(step.input_tokens, step.output_tokens),
            *(step.cache_read_tokens, step.cache_write_tokens),
        )
        for step in timeline.steps
    ]
    heads = ("Time (UTC)", "Step", "Subagent", "Name", "Outcome", "Took (ms)", "Dollars", *_TOKENS)
    return listing("steps", "Steps of the session", heads, rows, call)


def _models(session: Session, call: str) -> Table:
    rows = [
        (
            *(part.model, part.calls, part.input_tokens, part.output_tokens),
            *(part.cache_read_tokens, part.cache_write_tokens, text(part.amount)),
        )
        for part in session.models
    ]
    return listing("models", "Models", ("Model", "Calls", *_TOKENS, "Dollars"), rows, call)


def _tools(session: Session, call: str) -> Table:
    rows = [(part.tool, part.calls, part.failed, part.refused) for part in session.tools]
    return listing("tools", "Tools", ("Tool", "Calls", "Failed", "Refused"), rows, call)
