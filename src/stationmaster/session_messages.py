"""What the server and a computer send to each other about sessions of coding agents.

A stream of the relay with the purpose `session` carries one JSON object in each binary frame: first
a question of the server, then the computer's answer: `Done` or `Failed`. After the answer to
`Follow` one `Update` follows another, and a second `Done` at the end.
"""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["starting", "idle", "working", "waiting", "ended"]
"""`waiting` for a person to answer a permission request."""
Reason = Literal["stopped", "exited", "failed", "lost"]
"""Why a session ended: a person stopped it, its agent ended or failed, or the computer lost it."""
Kind = Literal[
    "prompt",
    "message",
    "thought",
    "tool",
    "plan",
    "permission",
    "decision",
    "turn",
    "state",
    "note",
]
PROMPT_BYTES_MAX = 60_000
"""Of a prompt as JSON, which is sent in one frame."""
TEXT_MAX = 4_000
"""Characters of an update's text; what is longer is cut or sent in several. An update fits into one
frame, whatever its characters are."""
NAME_MAX = 200


class _Message(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type"):
    pass


class Start(_Message, frozen=True, kw_only=True, tag="start"):
    """Start an agent in a folder; without one in the first that the computer allows."""

    session: str
    agent: str
    workspace: str | None
    by: str


class Prompt(_Message, frozen=True, kw_only=True, tag="prompt"):
    """Have the session's agent work on a text; `by` is who prompts."""

    session: str
    text: str
    by: str


class Decide(_Message, frozen=True, kw_only=True, tag="decide"):
    """Answer a permission request with one of its options; without one it is refused."""

    session: str
    permission: str
    option: str | None
    by: str


class Cancel(_Message, frozen=True, kw_only=True, tag="cancel"):
    """Have the agent stop what it works on, and wait for another prompt. `why` is a sentence."""

    session: str
    by: str
    why: str = ""


class Stop(_Message, frozen=True, kw_only=True, tag="stop"):
    """End the session and its agent. `why` is a sentence."""

    session: str
    by: str
    why: str = ""


class Follow(_Message, frozen=True, kw_only=True, tag="follow"):
    """Send the updates after a number; with `stays` also later ones, until the session ends."""

    session: str
    after: int
    stays: bool


class Done(_Message, frozen=True, kw_only=True, tag="done"):
    """The question was done; after a Follow also the end of its updates."""


class Failed(_Message, frozen=True, kw_only=True, tag="failed"):
    """The question was refused: a stable word for programs, and a sentence for people."""

    code: str
    detail: str


class Option(msgspec.Struct, frozen=True):
    """An answer to a permission request. `kind` is a hint, such as `allow_once`."""

    id: str
    name: str
    kind: str = ""


class Update(_Message, frozen=True, kw_only=True, tag="update", omit_defaults=True):
    """Something that happened in a session: the `seq`-th since its start, at a time in Unix
    milliseconds by the computer's clock.

    `text` is the message, `id` names a tool call or permission request, `status` is its state, `by`
    who prompted or decided.
    """

    seq: int
    at: int
    kind: Kind
    text: str = ""
    title: str = ""
    id: str = ""
    status: str = ""
    by: str = ""
    options: tuple[Option, ...] = ()


Question = Start | Prompt | Decide | Cancel | Stop | Follow
Answer = Done | Failed | Update

_QUESTIONS: msgspec.json.Decoder[Question] = msgspec.json.Decoder(Question)
_ANSWERS: msgspec.json.Decoder[Answer] = msgspec.json.Decoder(Answer)


def question(frame: bytes) -> Question:
    """Raises ValueError for what is none."""
    return _QUESTIONS.decode(frame)


def answer(frame: bytes) -> Answer:
    """Raises ValueError for what is none."""
    return _ANSWERS.decode(frame)


def encoded(message: _Message) -> bytes:
    """The frame of a message."""
    return msgspec.json.encode(message)


class SessionState(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The state of a session of a coding agent; the counts are since its start."""

    session: str
    state: State
    reason: Reason | None = None
    prompts: int = 0
    permissions: int = 0
    updates: int = 0
