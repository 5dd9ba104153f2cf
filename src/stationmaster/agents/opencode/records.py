"""OpenCode's sessions, messages and parts, with only the members that are read.

The same three objects are in its database, in its older files and in the events of its plugins.
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct

from stationmaster.agents.values import decoder, lenient

_NAMES = {
    "parent_id": "parentID",
    "model_id": "modelID",
    "provider_id": "providerID",
    "session_id": "sessionID",
    "message_id": "messageID",
    "call_id": "callID",
    "file_path": "filePath",
    "move_path": "movePath",
    "old_string": "oldString",
    "new_string": "newString",
    "patch_text": "patchText",
}


class _Record(Struct, gc=False, rename=_NAMES):
    pass


class Time(_Record):
    """UTC milliseconds."""

    created: Any = None
    completed: Any = None
    start: Any = None
    end: Any = None


class Rule(_Record):
    """One permission of a session, and what is done where it is asked for, such as `deny`."""

    permission: str | None = None
    action: str | None = None


class Session(_Record):
    """A session; one with a `parent_id` was started by another session."""

    id: str | None = None
    parent_id: str | None = None
    directory: str | None = None
    version: str | None = None
    permission: list[Rule] | None = None
    time: Time | None = None


class Cached(_Record):
    """Tokens read from and written to the prompt cache."""

    read: Any = None
    write: Any = None


class Tokens(_Record):
    """Input excludes what was cached; whether output excludes reasoning depends on the version."""

    input: Any = None
    output: Any = None
    reasoning: Any = None
    cache: Cached | None = None
    total: Any = None


class Model(_Record):
    """The model of a message, its provider, and its variant (the effort)."""

    model_id: str | None = None
    provider_id: str | None = None
    variant: str | None = None


class Folder(_Record):
    """The folder in which a message's model worked."""

    cwd: str | None = None


class Message(Model):
    """A person's message (its model is an object), or a model's answer (its model is its own)."""

    id: str | None = None
    session_id: str | None = None
    role: str | None = None
    parent_id: str | None = None
    agent: str | None = None
    mode: str | None = None
    path: Folder | None = None
    cost: Any = None
    tokens: Tokens | None = None
    time: Time | None = None
    summary: Raw = Raw()
    error: Raw = Raw()


class Input(_Record):
    """The arguments of a call."""

    command: Any = None
    file_path: str | None = None
    content: str | None = None
    old_string: str | None = None
    new_string: str | None = None
    patch_text: str | None = None
    name: str | None = None
    tool: str | None = None


class LineCounts(_Record):
    """How many lines a change added and took away."""

    additions: Any = None
    deletions: Any = None


class Patched(LineCounts):
    """One file of a patch."""

    file_path: str | None = None
    move_path: str | None = None
    type: str | None = None


class Edit(_Record):
    """The lines that an edit of one file changed."""

    filediff: LineCounts | None = None


class Metadata(Edit):
    """What a tool reports apart from its output."""

    exit: Any = None
    exists: bool | None = None
    files: list[Patched] | None = None
    results: list[Edit] | None = None


class State(_Record):
    """The state of a call: pending, running, completed or error."""

    status: str | None = None
    input: Input | None = None
    output: str | None = None
    error: str | None = None
    metadata: Metadata | None = None
    time: Time | None = None


class Part(_Record):
    """One part of a message: a text, a tool call with its state, or another kind."""

    id: str | None = None
    session_id: str | None = None
    message_id: str | None = None
    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    command: str | None = None
    call_id: str | None = None
    tool: str | None = None
    state: State | None = None


decode_session = decoder(Session)
decode_message = decoder(Message)
decode_part = decoder(Part)
state_of = lenient(State)
input_of = lenient(Input)
