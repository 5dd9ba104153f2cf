"""The log records of a plugin that exports OpenCode's events, each fact from one record.

They carry no id of a message or a call. OpenCode's own log records are the program's diagnostics:
their names are sentences, and nothing is counted of them.
"""

from __future__ import annotations

from stationmaster.agents.interface import Blanks, ByName, Intake, Log, NoEvent, Reader, Resource
from stationmaster.agents.opencode import words
from stationmaster.agents.opencode.conversation import set_tokens
from stationmaster.agents.opencode.records import Cached, Tokens
from stationmaster.agents.opencode.tooling import name_tool
from stationmaster.agents.opencode.words import PRODUCT
from stationmaster.agents.values import flag, length, milliseconds, model_name, money, name
from stationmaster.events.model import Event, Kind, identify_in_session

_blanks = Blanks(PRODUCT, "otlp_logs")
_REDACTED = "redacted"


def _start(kind: Kind, resource: Resource, record: Log) -> Event:
    """An event with what every record reports of its sender and conversation.

    The version is left out: what the records call so is the plugin's.
    """
    get = record.attributes.get
    event = _blanks[kind]()
    event.ts, event.ts_source = record.time_ms, record.ts_source
    event.session_id = event.root_session_id = name(get("session.id"))
    if event.session_id is None:
        raise NoEvent("not_counted")
    set_sender(event, resource)
    agent = name(get("agent"))
    event.is_subagent = get("agent.type") == "subagent" or agent in words.SUBAGENTS
    event.agent_type = agent if event.is_subagent else None
    event.autonomy = words.autonomy_of_agent(agent)
    event.autonomy_raw = agent if event.autonomy else None
    return event


def set_sender(event: Event, resource: Resource) -> None:
    """Set an event's person and team from the resource's attributes."""
    of_resource = resource.attributes.get
    event.user_email, event.team = name(of_resource("user.email")), name(of_resource("team"))


def _read_session(resource: Resource, record: Log, intake: Intake) -> None:
    event = _start("session_context", resource, record)
    identify_in_session(event)
    intake.add(event)


def _read_prompt(resource: Resource, record: Log, intake: Intake) -> None:
    event = _start("user_message", resource, record)
    if event.is_subagent:
        raise NoEvent("not_counted")
    identify_in_session(event, str(record.time_ms))
    event.prompt_length = length(record.attributes.get("prompt_length"))
    intake.add(event)


def _read_request(resource: Resource, record: Log, intake: Intake) -> None:
    get = record.attributes.get
    event = _start("model_call", resource, record)
    cached = Cached(get("cache_read_tokens"), get("cache_creation_tokens"))
    used = Tokens(get("input_tokens"), get("output_tokens"), get("reasoning_tokens"), cached)
    # The plugin's version is not the program's.
    if not set_tokens(event, used, ""):
        raise NoEvent("not_counted")
    figures = (event.input_tokens, event.output_tokens, event.cache_read_tokens)
    identify_in_session(event, str(record.time_ms), *map(str, (*figures, event.cache_write_tokens)))
    event.model = model_name(get("model"))
    event.provider = name(get("provider"))
    event.model_tier = "thinking" if event.reasoning_tokens else "standard"
    event.is_auxiliary = name(get("agent")) in words.HELPERS
    event.duration_ms = milliseconds(get("duration_ms"))
    cost = money(get("cost_usd"))
    event.cost_usd, event.cost_source = (cost, "vendor") if cost else (None, None)
    intake.add(event)


def _read_tool_result(resource: Resource, record: Log, intake: Intake) -> None:
    get = record.attributes.get
    event = _start("tool_call", resource, record)
    tool = name(get("tool_name")) or "unknown"
    name_tool(event, tool)
    if tool == _REDACTED:
        event.quality = "redacted_name"
    identify_in_session(event, str(record.time_ms), tool)
    event.success = flag(get("success"))
    event.duration_ms = milliseconds(get("duration_ms"))
    error = get("error")
    refused_by = words.refusal(error) if isinstance(error, str) else None
    if tool == words.INVALID:
        refused_by = "auto"
    if refused_by is not None:
        event.success, event.decision = False, "reject"
        event.decision_source = refused_by
    intake.add(event)


def _read_skill(resource: Resource, record: Log, intake: Intake) -> None:
    event = _start("skill", resource, record)
    event.skill = name(record.attributes.get("skill_name"))
    identify_in_session(event, str(record.time_ms), event.skill or "")
    intake.add(event)


def _read_commit(resource: Resource, record: Log, intake: Intake) -> None:
    event = _start("git_commit", resource, record)
    identify_in_session(event, str(record.time_ms))
    # The plugin reports it whether or not the command succeeds.
    event.quality = "estimated"
    intake.add(event)


_READERS: dict[str, Reader[Log]] = {
    "session.created": _read_session,
    "user_prompt": _read_prompt,
    "api_request": _read_request,
    "tool_result": _read_tool_result,
    "skill_invoked": _read_skill,
    "commit": _read_commit,
}
read_log = ByName(_READERS, words.called, lambda _: "not_counted")
