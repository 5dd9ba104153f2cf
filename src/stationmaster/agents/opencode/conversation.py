"""Sessions, messages and tool calls as events: what the database, the files and our plugin share.

A message is identified by its id, a tool call by its session and the model's id of the call, so
that it is the same event from every source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any

import msgspec

from stationmaster.agents.interface import Blanks, Intake, InvalidRecord, NoEvent
from stationmaster.agents.opencode import tooling, words
from stationmaster.agents.opencode.records import Message, Part, Session, Tokens
from stationmaster.agents.opencode.words import PRODUCT
from stationmaster.agents.values import (
    command_name,
    model_name,
    moment,
    money,
    name,
    take,
    tokens,
    whole,
)
from stationmaster.events.model import Client, Event, Kind, Source, identify

_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\b", re.ASCII)
_REASONING_APART_SINCE = (1, 4)
_NOT_REPORTED = frozenset({"pending", None})
_OF_A_RUN = frozenset({"question", "plan_enter", "plan_exit"})


class Conversation(msgspec.Struct, gc=False):
    """What is known of the session in which something happened.

    `received_ms` is when its source reported it: the time of what has none of its own.
    """

    id: str
    root: str
    version: str | None = None
    client: Client | None = None
    surface: str | None = None
    directory: str | None = None
    created_ms: int = 0
    received_ms: int | None = None

    @property
    def is_subagent(self) -> bool:
        """True for a session below another one."""
        return self.root != self.id


def place_of(session: Session, root: str | None) -> Conversation:
    """The place that a session is; `root` is the top session of its tree, None for itself."""
    identity = name(session.id) or ""
    denied = {rule.permission for rule in session.permission or () if rule.action == "deny"}
    place = Conversation(
        identity, root or identity, name(session.version), directory=session.directory
    )
    if denied >= _OF_A_RUN:
        # `opencode run` makes its sessions so, because no person is there to answer.
        place.client, place.surface = "non-interactive-cli", "cli"
    place.created_ms = (moment(session.time.created) if session.time else None) or 0
    return place


class Teller:
    """Reports the content of one source. All methods but `session` and `message` raise
    InvalidRecord, and NoEvent."""

    def __init__(self, source: Source) -> None:
        self._blanks = Blanks(PRODUCT, source)

    def event(self, kind: Kind, place: Conversation, at: int | None) -> Event:
        """A fresh event of a session. Raises InvalidRecord when there is no time."""
        event = self._blanks[kind]()
        if at is not None:
            event.ts = at
        elif place.received_ms is not None:
            event.ts, event.ts_source = place.received_ms, "received"
        else:
            raise InvalidRecord("a record has no time")
        event.session_id, event.root_session_id = place.id or None, place.root or None
        if not place.id:
            event.quality = "no_session"
        event.is_subagent = place.is_subagent
        event.product_version = place.version
        event.client, event.surface = place.client, place.surface
        return event

    def session(self, place: Conversation, intake: Intake) -> None:
        """The session itself: its version, its client, its folder."""
        if not place.created_ms:
            intake.drop("unknown_record")
            return
        event = self.event("session_context", place, place.created_ms)
        identify(event, place.id)
        if place.directory:
            event.cwd_hash = intake.folder(place.id, place.directory)
        intake.add(event)

    def message(
        self, place: Conversation, message: Message, parts: Iterable[Part], intake: Intake
    ) -> None:
        """A message with its parts."""
        at = created(message)
        if at is not None and at < place.created_ms:
            # The history that a fork copies has new ids; it counts where it happened.
            intake.drop("redundant")
        elif message.role == "user":
            take(partial(self.prompt, place, message), list(parts), intake)
        elif message.role == "assistant":
            take(partial(self.answer, place), message, intake)
            for part in parts:
                take(partial(self.part, place, message), part, intake)
        else:
            intake.drop("unknown_record")

    def prompt(
        self, place: Conversation, message: Message, parts: list[Part], intake: Intake
    ) -> None:
        """A message that a person wrote has a text of its own, or requests a command's subtask."""
        texts = [part.text for part in parts if _is_typed(part)]
        subtasks = [part for part in parts if part.type == "subtask"]
        if place.is_subagent or not (texts or subtasks):
            intake.drop("not_counted")
            return
        event = self._begun("user_message", place, message, created(message))
        event.turn_id = name(message.id)
        key = event.turn_id or str(event.ts)
        identify(event, place.id, key)
        event.prompt_length = sum(len(text or "") for text in texts) if texts else None
        intake.add(event)
        for command in filter(None, (name(part.command) for part in subtasks)):
            self.command(place, command, key, event.ts, intake)

    def command(
        self, place: Conversation, command: str, message: str, at: int | None, intake: Intake
    ) -> None:
        """A slash command; `message` is the id of the message it led to."""
        event = self.event("slash_command", place, at)
        event.slash_command = command_name(command)
        identify(event, place.id, message, event.slash_command or "")
        intake.add(event)

    def answer(self, place: Conversation, message: Message, intake: Intake) -> None:
        """A model's answer is one call, once it has figures; a failed one has none."""
        event = self._begun("model_call", place, message, created(message))
        if message.tokens is None or not set_tokens(event, message.tokens, place.version):
            raise NoEvent("not_counted")
        key = name(message.id) or str(event.ts)
        identify(event, place.id, key)
        event.model = model_name(message.model_id)
        event.provider = name(message.provider_id)
        is_thinking = bool(event.reasoning_tokens) or words.has_effort(message.variant)
        event.model_tier = "thinking" if is_thinking else "standard"
        is_summary = bytes(message.summary) == b"true"
        event.is_auxiliary = is_summary or agent_of(message) in words.HELPERS
        cost = money(message.cost)
        # Without a list of prices the program reports 0.
        event.cost_usd, event.cost_source = (cost, "vendor") if cost else (None, None)
        intake.add(event)

    def part(self, place: Conversation, message: Message, part: Part, intake: Intake) -> None:
        """A part of a model's answer, of which a tool call is one."""
        state = part.state
        if part.type != "tool" or state is None or state.status in _NOT_REPORTED:
            raise NoEvent("not_counted")
        at = moment(state.time.start) if state.time else None
        at = created(message) if at is None else at
        event = self._begun("tool_call", place, message, at)
        tool = name(part.tool) or "unknown"
        event.tool_call_id = name(part.call_id)
        key = event.tool_call_id or name(part.id) or f"{event.ts}\0{tool}"
        identify(event, place.id, key)
        cwd = (message.path.cwd if message.path else None) or place.directory

        def new(kind: Kind) -> Event:
            return self._begun(kind, place, message, at)

        intake.add_all(tooling.events_of(event, tool, state, cwd, new))

    def _begun(self, kind: Kind, place: Conversation, message: Message, at: int | None) -> Event:
        """A fresh event of a message."""
        event = self.event(kind, place, at)
        agent = agent_of(message)
        event.turn_id = name(message.parent_id)
        event.autonomy = words.autonomy_of_agent(agent)
        event.autonomy_raw = agent if event.autonomy else None
        event.agent_type = agent if place.is_subagent else None
        return event


def created(message: Message) -> int | None:
    """When a message was begun, in UTC milliseconds."""
    return moment(message.time.created) if message.time else None


def agent_of(message: Message) -> str | None:
    """The agent that a message is for or from."""
    return name(message.agent) or name(message.mode)


def set_tokens(event: Event, used: Tokens, version: str | None) -> bool:
    """Set the disjoint counters; False when all of them are zero. Raises InvalidRecord."""
    cache = used.cache
    output, reasoning = tokens(used.output) or 0, tokens(used.reasoning) or 0
    event.input_tokens = tokens(used.input) or 0
    event.cache_read_tokens = (tokens(cache.read) or 0) if cache else 0
    event.cache_write_tokens = (tokens(cache.write) or 0) if cache else 0
    others = event.input_tokens + event.cache_read_tokens + event.cache_write_tokens
    if _has_reasoning_in_output(output, reasoning, used.total, others, version):
        event.output_tokens = output
    else:
        event.output_tokens = tokens(output + reasoning)
    event.reasoning_tokens = reasoning
    return bool(others or event.output_tokens)


def _has_reasoning_in_output(
    output: int, reasoning: int, total: Any, others: int, version: str | None
) -> bool:
    """Is reasoning a part of `output`? The total shows it; where there is none, it is in versions
    before 1.4, and an unknown one is treated as such."""
    whole_total = whole(total)
    if not reasoning or reasoning > output:
        return False
    if whole_total is not None and whole_total in (others + output, others + output + reasoning):
        return whole_total == others + output
    return version is None or _number(version) < _REASONING_APART_SINCE


def _number(version: str) -> tuple[int, ...]:
    """The first two numbers of a version; empty where it begins with none."""
    match = _VERSION.match(version)
    return (int(match[1]), int(match[2])) if match else _REASONING_APART_SINCE


def is_complete(message: Message, parts: Iterable[Part]) -> bool:
    """Will the message stay as it is? A prompt's parts follow it, an answer has an end."""
    if message.role == "user":
        return any(_is_typed(part) or part.type == "subtask" for part in parts)
    completed = message.time.completed if message.time else None
    return completed is not None or bytes(message.error) not in (b"", b"null")


def _is_typed(part: Part) -> bool:
    return part.type == "text" and bool(part.text) and not part.synthetic and not part.ignored
