"""The messages of the family's chat files, and the files that hold a whole chat as one object.

A message with token figures is a model call; a message is written again as it grows, under the
same id, so that its last version fills and replaces the earlier ones. A person's message is one of
type `user` with words in it: answers of tools and what the agent writes to its model look the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import astuple

from stationmaster.agents.gemini_lineage import calls, words
from stationmaster.agents.gemini_lineage.calls import set_tokens, usage_of
from stationmaster.agents.gemini_lineage.lineage import Lineage
from stationmaster.agents.interface import (
    Blank,
    Document,
    Intake,
    InvalidRecord,
    NoEvent,
    SessionFile,
    has,
)
from stationmaster.agents.values import NotJson, decoder, lenient, model_name, name, take, time_ms
from stationmaster.events.model import Event, Kind, identify

_FROM_MODEL = frozenset({"gemini", "qwen", "model"})
_FROM_PROGRAM = frozenset({"info", "error", "warning"})
_OUTCOMES = {"success": True, "error": False, "cancelled": False}
_NOT_A_PROMPT = (
    *("<session_context>", "<state_snapshot>", "<system-reminder>", "<hook_context>", "<qwen:"),
)
_GO_ON = frozenset({"Please continue.", "System: Please continue."})
"""What the agent writes to its model for the person, when that stops in the middle."""


class Tokens(Struct, gc=False):
    """The token counts of one answer; `input` includes what was cached."""

    input: Any = None
    output: Any = None
    cached: Any = None
    thoughts: Any = None
    tool: Any = None
    total: Any = None


class ToolCall(Struct, gc=False, rename="camel"):
    """A tool call of an answer, with its outcome and its result."""

    id: str | None = None
    name: str | None = None
    display_name: str | None = None
    args: Raw = Raw()
    status: str | None = None
    timestamp: str | None = None
    result: Raw = Raw()
    result_display: Raw = Raw()


class Message(Struct, gc=False, rename="camel"):
    """A message of a person, a model (`gemini`, `qwen`) or the program."""

    id: str | None = None
    timestamp: str | None = None
    type: str | None = None
    content: Raw = Raw()
    model: str | None = None
    tokens: Tokens | None = None
    tool_calls: list[ToolCall] | None = None


class Chat(Struct, gc=False, rename="camel"):
    """A file that is one object."""

    session_id: str | None = None
    kind: str | None = None
    messages: list[Message] | None = None


class Part(Struct, gc=False, rename="camel"):
    """One part of a message's content: text, a file, or the answer to a call."""

    text: Any = None
    function_response: Raw = Raw()
    inline_data: Raw = Raw()
    file_data: Raw = Raw()


class _Response(Struct, gc=False):
    output: Any = None
    error: Any = None


class _FunctionResponse(Struct, gc=False):
    response: _Response | None = None


class _Parts(Struct, gc=False):
    parts: list[Part] = []


class Session(Struct, omit_defaults=True):
    """Whose messages they are; small enough to keep as a reader's state."""

    id: str = ""
    root: str = ""
    is_subagent: bool = False

    def introduce(self, session: str | None, kind: str | None, path: str) -> None:
        """Note what a file reports of its session. A helper's file is in a folder that is
        named after the session it helps."""
        self.id = name(session) or self.id
        self.root = self.id
        if kind == "subagent":
            self.is_subagent = True
            folder = path.replace("\\", "/").split("/")[-2:-1]
            if folder and folder != ["chats"]:
                self.root = name(folder[0]) or self.id


_decode_chat = decoder(Chat)
_decode_text = msgspec.json.Decoder(str).decode
_parts_of = lenient(_Parts)
_answer_of = lenient(_FunctionResponse)


class Messages:
    """Reads messages one by one."""

    def __init__(self, lineage: Lineage, blanks: Mapping[Kind, Blank], session: Session) -> None:
        self._lineage = lineage
        self._blanks = blanks
        self._session = session

    def read(self, message: Message, intake: Intake) -> None:
        """Turn a message into events or a drop. Raises InvalidRecord."""
        if message.type == "user":
            self._read_user(message, intake)
        elif message.type in _FROM_MODEL:
            self._read_model(message, intake)
        else:
            intake.drop("not_counted" if message.type in _FROM_PROGRAM else "unknown_record")

    def _start(self, kind: Kind, ts: int | None, *key: str) -> Event:
        if ts is None:
            raise InvalidRecord("a message has no time")
        event = self._blanks[kind]()
        event.ts = ts
        event.session_id, event.root_session_id = self._session.id, self._session.root
        event.is_subagent = self._session.is_subagent
        identify(event, self._session.id, *key)
        return event

    def _read_user(self, message: Message, intake: Intake) -> None:
        length = words_of(message.content)
        if length is None or self._session.is_subagent:
            raise NoEvent("redundant")
        ts = time_ms(message.timestamp)
        event = self._start("user_message", ts, name(message.id) or str(ts))
        event.prompt_length = length
        intake.add(event)

    def _read_model(self, message: Message, intake: Intake) -> None:
        ts = time_ms(message.timestamp)
        figures = message.tokens
        usage = None
        if figures is not None:
            usage = usage_of(*astuple(figures))
        if usage is not None and any(usage):
            event = self._start("model_call", ts, name(message.id) or str(ts))
            set_tokens(event, usage, self._lineage.has_thoughts_in_output)
            event.model = model_name(message.model)
            event.provider = self._lineage.provider
            intake.add(event)
        elif not message.tool_calls:
            intake.drop("not_counted")
        for call in message.tool_calls or ():
            self._read_tool_call(call, ts, intake)

    def _read_tool_call(self, call: ToolCall, message_ts: int | None, intake: Intake) -> None:
        ts = time_ms(call.timestamp) or message_ts
        tool = name(call.name) or "unknown"
        call_id = name(call.id)
        event = self._start("tool_call", ts, call_id or f"{ts}\0{tool}")
        event.tool_call_id = call_id
        calls.name_tool(event, tool, None, name(call.display_name))
        made = calls.take(event, calls.arguments_of(call.args))
        event.success = _OUTCOMES.get(call.status or "")
        text = text_of_result(call.result)
        settle(event, text)
        answer = calls.Answer(text, calls.display_of(call.result_display))
        intake.add_all(calls.events_of(self._blanks, made, answer))


def settle(call: Event, text: str | None) -> None:
    """Let the text of a call's answer correct its outcome: a refusal, a command's exit code."""
    if text is None:
        return
    if call.success is False:
        verdict = words.verdict_of_text(text)
        if verdict.decision is not None:
            call.decision, call.decision_source = verdict
    elif call.tool == "shell" and words.exit_code(text) not in (None, 0):
        call.success = False


def words_of(content: Raw) -> int | None:
    """The length of what a person wrote in a message; None where no person wrote it."""
    if bytes(memoryview(content)[:1]) != b'"':
        return prompt_length(_parts(content))
    try:
        return prompt_length([Part(text=_decode_text(content))])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def prompt_length(parts: Sequence[Part]) -> int | None:
    """The length of what a person wrote in these parts; None where no person wrote it."""
    if any(bytes(part.function_response) for part in parts):
        return None
    texts = [part.text for part in parts if isinstance(part.text, str)]
    texts = [text for text in texts if not text.startswith(_NOT_A_PROMPT)]
    has_other = any(bytes(part.inline_data) or bytes(part.file_data) for part in parts)
    if "".join(texts).strip() in _GO_ON or not (texts or has_other):
        return None
    return sum(map(len, texts))


def _parts(content: Raw) -> list[Part]:
    """The parts of a message that is a list of them, or one."""
    raw = bytes(content)
    listed = raw if raw[:1] == b"[" else b"[" + raw + b"]"
    return _parts_of(b'{"parts":' + listed + b"}").parts


def text_of_result(result: Raw) -> str | None:
    """The text that a call answered its model with; None where there is none."""
    texts = (text_of_part(part) for part in _parts(result))
    return next((text for text in texts if text is not None), None)


def text_of_part(part: Part) -> str | None:
    """The text of a part that answers a call."""
    response = _answer_of(part.function_response).response
    for text in (response.output, response.error) if response is not None else ():
        if isinstance(text, str):
            return text
    return None


class ChatDocument(Document):
    """A chat that its agent rewrites as one object; it is reported whole whenever it changed."""

    def __init__(self, path: str, lineage: Lineage, blanks: Mapping[Kind, Blank]) -> None:
        self._path = path
        self._lineage = lineage
        self._blanks = blanks

    def read(self, intake: Intake) -> None:
        """Add the events of all messages in the file. Raises OSError."""
        with open(self._path, "rb") as file:
            content = file.read()
        try:
            chat = _decode_chat(content)
        except NotJson:
            intake.reject("the file is not JSON")
            return
        if chat.messages is None:
            intake.drop("unknown_record")
            return
        session = Session()
        session.introduce(chat.session_id or stem_of(self._path), chat.kind, self._path)
        messages = Messages(self._lineage, self._blanks, session)
        for message in chat.messages:
            take(messages.read, message, intake)


def stem_of(path: str) -> str:
    """A file's name without its folders and its ending."""
    return path.replace("\\", "/").rsplit("/", 1)[-1].partition(".json")[0]


def whole_chat(path: str, lineage: Lineage, blanks: Mapping[Kind, Blank]) -> SessionFile:
    """The files that are a chat as one object, at a path of this pattern."""
    marks = (b'"sessionId"', b'"projectHash"', b'"messages"')
    return SessionFile(
        lambda path, _: ChatDocument(path, lineage, blanks),
        path,
        lambda head, _: head.lstrip()[:1] == b"{" and has(head, *marks),
    )
