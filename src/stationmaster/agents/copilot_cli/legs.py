"""The model calls of a Copilot session file, of whatever age it is.

Newer builds record every call. Older ones report the output with each message, and sum up the
session at the end of each process; the sums continue after a resume. What the messages did not
report is reported as one aggregate per model, so that messages and aggregates add up to the sums.
"""

from __future__ import annotations

from stationmaster.agents.copilot_cli import words
from stationmaster.agents.copilot_cli.lines import Data, ModelMetric, Usage
from stationmaster.agents.copilot_cli.place import TranscriptState
from stationmaster.agents.copilot_cli.usage import Vector, set_tokens
from stationmaster.agents.interface import Intake, NoEvent
from stationmaster.agents.values import milliseconds, model_name, name, tier, tokens
from stationmaster.events.model import identify, mark

_MODELS_MAX = 200


def read_record(place: TranscriptState, usage: Usage, intake: Intake) -> None:
    """One call. Raises InvalidRecord."""
    now = place.now
    now.leg.has_records = True
    used = usage.vector()
    if not any(used):
        raise NoEvent("not_counted")
    event = place.event("model_call")
    set_tokens(event, used, usage.reasoning_effort or now.effort)
    event.model = model_name(usage.model) or model_name(now.model)
    event.provider = name(usage.model_provider)
    event.duration_ms = milliseconds(usage.duration)
    words.whose_call(event, usage.initiator)
    account = usage.accounting
    # A copied history keeps the session that it was billed to.
    billed = (name(account.source_session_id) if account else None) or now.id
    call = name(usage.api_call_id) or (name(account.usage_id) if account else None)
    identify(event, billed, call or place.line_id())
    intake.add(event)


def read_message(place: TranscriptState, message: Data, intake: Intake) -> None:
    """The output of one message, which may arrive in several parts. Raises InvalidRecord."""
    leg = place.now.leg
    output = tokens(message.output_tokens)
    if not output or leg.has_records:
        raise NoEvent("redundant" if leg.has_records else "not_counted")
    model = model_name(message.model) or model_name(place.now.model) or ""
    identity = name(message.message_id) or place.line_id()
    before = leg.message_output if leg.message == identity else 0
    leg.message, leg.message_output = identity, max(output, before)
    if model in leg.reported or len(leg.reported) < _MODELS_MAX:
        leg.reported[model] = leg.reported.get(model, 0) + max(output - before, 0)
    event = place.event("model_call", "sidecar")
    event.output_tokens = output
    event.model = model or None
    event.model_tier = tier(None, place.now.effort)
    identify(event, place.now.id, "message", identity)
    intake.add(event)


def read_sums(place: TranscriptState, metrics: dict[str, ModelMetric], intake: Intake) -> None:
    """The sums at the end of a process, and the leg that ends with them. Raises InvalidRecord."""
    now, leg = place.now, place.now.leg
    for raw, metric in metrics.items():
        model = model_name(raw)
        if model is None or metric.usage is None:
            continue
        if model not in leg.totals and len(leg.totals) >= _MODELS_MAX:
            continue
        total = metric.usage.vector()
        added = _difference(total, Vector(*leg.totals.get(model, ())))
        leg.totals[model] = list(total)
        if leg.has_records:
            intake.drop("redundant")
            continue
        rest = added._replace(output=max(added.output - leg.reported.get(model, 0), 0))
        if not any(rest):
            continue
        event = place.event("model_call", "sidecar")
        set_tokens(event, rest, now.effort)
        event.model = model
        event.is_aggregate = True
        mark(event, "spread")
        identify(event, now.id, "leg", str(leg.number), model)
        intake.add(event)
    leg.number += 1
    leg.has_records, leg.message, leg.message_output = False, None, 0
    leg.reported.clear()


def _difference(total: Vector, before: Vector) -> Vector:
    """What was added; sums that became smaller began again, as they do when a history is
    compacted."""
    if any(new < old for new, old in zip(total, before, strict=True)):
        return total
    return Vector(*(new - old for new, old in zip(total, before, strict=True)))
