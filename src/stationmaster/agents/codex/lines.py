"""The lines of a Codex session file, with only the fields that are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import astuple

from stationmaster.agents.patches import PatchEntry
from stationmaster.agents.values import decoder, lenient, tokens
from stationmaster.events.model import Event, mark

# Input, cached, cache write, output, reasoning.
Vector = tuple[int, int, int, int, int]


class Counts(msgspec.Struct, gc=False):
    """A usage or a running total as Codex writes it."""

    input_tokens: Any = None
    cached_input_tokens: Any = None
    cache_write_input_tokens: Any = None
    output_tokens: Any = None
    reasoning_output_tokens: Any = None

    def vector(self) -> Vector:
        """(input, cached, cache write, output, reasoning). Raises InvalidRecord."""
        return vector(astuple(self))


class Git(Struct, gc=False):
    """The branch and the remote's URL of the folder in which a session began."""

    branch: str | None = None
    repository_url: str | None = None


class Collaboration(Struct, gc=False):
    """The mode of collaboration that holds for a turn."""

    mode: str | None = None


class Settings(Struct, gc=False):
    """The settings of a thread that were applied; the service tier is read."""

    service_tier: str | None = None


class Info(Struct, gc=False):
    """Token counts of the thread so far and of its last model call."""

    model: str | None = None
    total_token_usage: Counts | None = None
    last_token_usage: Counts | None = None


class Invocation(Struct, gc=False):
    """The MCP server and tool of a call in its older form."""

    server: str | None = None
    tool: str | None = None


class Result(Struct, gc=False):
    """The outcome of an MCP call in its older form."""

    Err: Raw = Raw()


class Duration(Struct, gc=False):
    """How long a call took: whole seconds, and the nanoseconds beyond them."""

    secs: Any = None
    nanos: Any = None


class Action(Struct, gc=False):
    """What a local shell call runs: a text or a list of words."""

    command: Any = None


class Item(Struct, gc=False):
    """A completed item, or the payload of an older `*_end` event."""

    type: str | None = None
    id: str | None = None
    call_id: str | None = None
    command: Any = None
    exit_code: Any = None
    status: str | None = None
    success: bool | None = None
    aggregated_output: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    changes: dict[str, PatchEntry] | None = None
    server: str | None = None
    tool: str | None = None
    invocation: Invocation | None = None
    result: Result | None = None
    error: Any = None
    duration: Duration | None = None
    content: Raw = Raw()
    message: Raw = Raw()


class Payload(Item, gc=False):
    """The payload of any line. It is an item as well, because older events are not wrapped."""

    session_id: str | None = None
    forked_from_id: str | None = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: Any = None
    git: Git | None = None
    turn_id: str | None = None
    approval_policy: Any = None
    approvals_reviewer: str | None = None
    sandbox_policy: Any = None
    permission_profile: Any = None
    collaboration_mode: Collaboration | None = None
    model: str | None = None
    effort: str | None = None
    thread_settings: Settings | None = None
    info: Info | None = None
    usage: Counts | None = None
    thread_token_usage: Counts | None = None
    item: Item | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: Any = None
    input: str | None = None
    output: Raw = Raw()
    action: Action | None = None


class Line(Struct, gc=False):
    """One line of a session file; `type` determines its payload."""

    timestamp: str | None = None
    type: str | None = None
    payload: Payload | None = None


class Arguments(Struct, gc=False):
    """The arguments of a function call: a command, and whether it is to leave the sandbox."""

    cmd: Any = None
    command: Any = None
    input: Any = None
    sandbox_permissions: Any = None
    with_escalated_permissions: Any = None


decode_line = decoder(Line)
arguments_of = lenient(Arguments)


def vector(figures: Iterable[Any]) -> Vector:
    """The figures in the order of a Vector, absent ones as 0. Raises InvalidRecord."""
    all_input, cached, written, output, reasoning = (tokens(figure) or 0 for figure in figures)
    return all_input, cached, written, output, reasoning


def set_tokens(event: Event, used: Vector) -> None:
    """Set the disjoint counters of an event from Codex's overlapping ones."""
    all_input, cached, written, output, reasoning = used
    plain = all_input - cached - written
    event.input_tokens = max(plain, 0)
    event.cache_read_tokens = cached
    event.cache_write_tokens = written
    event.output_tokens = output
    event.reasoning_tokens = reasoning
    if plain < 0:
        mark(event, "estimated")
