"""Claude Code's failed attempts to call a model: log records, spans, and lines of session files."""

from __future__ import annotations

from collections.abc import Callable

from stationmaster.agents import failures
from stationmaster.agents.claude_code.lines import Fault, Line
from stationmaster.agents.claude_code.otlp import place_of
from stationmaster.agents.claude_code.sender import fill
from stationmaster.agents.claude_code.words import PRODUCT
from stationmaster.agents.interface import Intake, Log, Resource, Span, blank
from stationmaster.agents.values import lenient, milliseconds, model_name, repetitions, whole
from stationmaster.events.model import Event, identify

_from_log = blank(PRODUCT, "model_error", "otlp_logs")
_from_span = blank(PRODUCT, "model_error", "otlp_traces")
_read_fault = lenient(Fault)


def _start(resource: Resource, record: Log) -> Event:
    event = _from_log()
    session = fill(event, resource, record.attributes, record.time_ms)
    event.ts_source = record.ts_source
    identify(event, session, place_of(record))
    event.model = model_name(record.attributes.get("model"))
    return event


def _read_api_error(resource: Resource, record: Log, intake: Intake) -> None:
    """An attempt that failed. Some versions report only those that a person cancelled."""
    get = record.attributes.get
    event = _start(resource, record)
    event.duration_ms = milliseconds(get("duration_ms"))
    text = get("error")
    is_aborted = isinstance(text, str) and "aborted" in text.lower()
    status = failures.status_of(get("status_code"))
    failures.set_failure(event, status, "aborted" if is_aborted else "unknown")
    intake.add(event)


def _read_api_refusal(resource: Resource, record: Log, intake: Intake) -> None:
    event = _start(resource, record)
    event.error_class = "refused"
    intake.add(event)


READERS: dict[str, Callable[[Resource, Log, Intake], None]] = {
    "api_error": _read_api_error,
    "api_refusal": _read_api_refusal,
}
"""By the name of a log record without its prefix."""


def add_earlier(call: Event, resource: Resource, span: Span, intake: Intake) -> None:
    """Add the attempts before the one that a span is of, which reports only its number."""
    attempt = whole(span.attributes.get("attempt"))
    if attempt is None or attempt < 2:
        return
    event = _from_span()
    session = fill(event, resource, span.attributes, span.start_ms)
    identify(event, session, span.trace_id, span.span_id)
    event.client, event.surface = call.client, call.surface
    event.model, event.error_class = call.model, "unknown"
    event.count = repetitions(attempt - 1)
    intake.add(event)


def set_fault(event: Event, line: Line) -> None:
    """Set what a line of a session file reports of a failed attempt."""
    fault = _read_fault(line.error)
    status = failures.status_of(fault.status)
    has_connection = bytes(fault.connection) not in (b"", b"null")
    failures.set_failure(event, status, "connection" if has_connection else "unknown")
