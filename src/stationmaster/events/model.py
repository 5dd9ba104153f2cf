"""The canonical event: one flat record of one thing that happened in an agent, and its identity.

Absent means None. Times are UTC milliseconds. The four token counters are disjoint:
`input_tokens` excludes everything cached, `output_tokens` includes reasoning.

The same fact has the same id from every source. The organization is not part of the
hash: it is part of every storage key instead, and a laptop that normalises its own transcripts
does not know it.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Literal

import msgspec
from msgspec.structs import astuple

Kind = Literal[
    "session_start",
    "session_end",
    "user_message",
    "assistant_message",
    "model_call",
    "tool_call",
    "skill",
    "slash_command",
    "hook",
    "file_change",
    "git_commit",
    "git_pull_request",
    "mode_change",
    "session_context",
    "model_error",
]
Client = Literal["terminal-ui", "web", "non-interactive-cli"]
Autonomy = Literal["auto-high", "auto-medium", "auto-low", "spec", "manual"]
Source = Literal[
    "otlp_logs",
    "otlp_traces",
    "otlp_metrics",
    "transcript",
    "store_db",
    "sidecar",
    "hook",
    "hook_special",
    "stream_json",
    "gateway",
]
ToolKind = Literal["builtin", "mcp", "skill", "subagent"]
FileOp = Literal["created", "edited", "deleted"]
ErrorClass = Literal[
    "rate_limited",
    "overloaded",
    "server",
    "rejected",
    "refused",
    "connection",
    "aborted",
    "unknown",
]
"""Why an attempt to call a model failed: status 429; 529 and 503; other 5xx; other 4xx; the model
or a filter would not answer; no whole answer arrived; the person or the agent cancelled it; a
source does not report it."""

NAME_LENGTH_MAX = 200
TOKENS_MAX = 1_000_000_000
"""One record above a billion tokens is a fault of the sender, and is refused."""

QUALITY_FLAGS = (
    "output_lower_bound",
    "estimated",
    "redacted_name",
    "no_session",
    "clock_skew",
    "spread",
    "late",
)


class Event(msgspec.Struct, omit_defaults=True, kw_only=True, gc=False):
    """See the table in docs/events.md for each field's meaning."""

    event_id: str
    kind: Kind
    ts: int
    product: str
    source: Source
    ts_source: str = "event"
    source_rank: int = 1
    source_group: int = 1
    product_version: str | None = None
    # who
    user_id: str | None = None
    user_email: str | None = None
    user_source: str | None = None
    installation: str | None = None
    account: str | None = None
    machine_user: str | None = None
    # where in the conversation
    session_id: str | None = None
    root_session_id: str | None = None
    turn_id: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    is_subagent: bool = False
    is_auxiliary: bool = False
    """The agent's own work (titles, summaries): billed, but not part of the conversation."""
    client: Client | None = None
    surface: str | None = None
    autonomy: Autonomy | None = None
    autonomy_raw: str | None = None
    # model calls
    model: str | None = None
    provider: str | None = None
    model_tier: Literal["standard", "thinking"] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    """The part of `cache_write_tokens` that the cache keeps for an hour."""
    speed: str | None = None
    """`fast`, where the call ran faster than usual at a higher price."""
    service_tier: str | None = None
    region: str | None = None
    """Where the provider was asked to run the call: `us`, `eu`, `jp`, `global`, …"""
    cost_usd: float | None = None
    cost_source: str | None = None
    error_class: ErrorClass | None = None
    """Of a `model_error`, which is an attempt that failed and no call."""
    error_status: int | None = None
    # tools
    tool: str | None = None
    tool_raw: str | None = None
    tool_kind: ToolKind | None = None
    tool_call_id: str | None = None
    mcp_server: str | None = None
    mcp_server_raw: str | None = None
    mcp_tool: str | None = None
    success: bool | None = None
    duration_ms: int | None = None
    decision: Literal["accept", "reject"] | None = None
    decision_source: str | None = None
    # skills, commands, hooks
    skill: str | None = None
    skill_source: str | None = None
    slash_command: str | None = None
    command_source: str | None = None
    hook_event: str | None = None
    hook_matcher: str | None = None
    hook_command: str | None = None
    hook_outcome: str | None = None
    # files and git
    file_op: FileOp | None = None
    file_path_hash: str | None = None
    file_ext: str | None = None
    language: str | None = None
    lines_added: int | None = None
    lines_removed: int | None = None
    repo: str | None = None
    branch: str | None = None
    commit_sha: str | None = None
    pr_url: str | None = None
    cwd_hash: str | None = None
    # the rest
    prompt_length: int | None = None
    count: int = 1
    is_aggregate: bool = False
    team: str | None = None
    source_detail: str | None = None
    quality: str | None = None
    """Flags of QUALITY_FLAGS, sorted and joined with commas."""


FIELDS: tuple[str, ...] = Event.__struct_fields__


def event_id(product: str, kind: str, *natural_key: str) -> str:
    """32 hex digits (128 bits) of the natural key of one event."""
    # A copy of the hash of the two words is half the price of hashing them again.
    hashed = _begun(product, kind).copy()
    hashed.update("\0".join(natural_key).encode("utf-8", "surrogatepass"))
    return hashed.hexdigest()


def identify(event: Event, *natural_key: str) -> None:
    """Give an event its id, by its product, its kind and what distinguishes it from others of
    both."""
    event.event_id = event_id(event.product, event.kind, *natural_key)


def identify_in_session(event: Event, *place: str) -> None:
    """Give an event its id, by what distinguishes it from others of its kind in its session."""
    event.event_id = event_id(event.product, event.kind, event.session_id or "", *place)


@lru_cache(maxsize=256)
def _begun(product: str, kind: str) -> blake2b:
    return blake2b(f"{product}\0{kind}\0".encode("utf-8", "surrogatepass"), digest_size=16)


def path_hash(session_id: str, path: str) -> str:
    """A path as 16 hex digits, keyed by its session.

    Equal within a session, from every source; of no use to compare sessions or to list a tree.
    """
    key = session_id.encode("utf-8", "surrogatepass")[:64]
    return blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8, key=key).hexdigest()


def mark(event: Event, flag: str) -> None:
    """Add one of `QUALITY_FLAGS` to an event's flags."""
    flags = event.quality.split(",") if event.quality else ()
    event.quality = ",".join(sorted({flag, *flags}))


_TOKENS = (
    *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
    "cache_write_1h_tokens",
)


def merge(kept: Event, other: Event) -> None:
    """Fill the gaps of one event from another with the same id; of two from one source the larger
    output count wins, and of a counter the larger figure.

    An event without an output count is a part of one (a counter sends each type by itself): what it
    lacks is filled, and of a counter's figures the larger one stays.
    """
    is_same_source = kept.source_rank == other.source_rank
    if is_same_source and kept.output_tokens is not None and _size(other) > _size(kept):
        for field in _TOKENS:
            setattr(kept, field, getattr(other, field))
        kept.quality = other.quality
    elif is_same_source and kept.is_aggregate:
        for field in _TOKENS:
            figures = (getattr(kept, field), getattr(other, field))
            setattr(kept, field, max((f for f in figures if f is not None), default=None))
    if kept.is_aggregate:
        kept.count = max(kept.count, other.count)
    gaps = zip(FIELDS, astuple(kept), astuple(other), strict=True)
    for field, mine, theirs in gaps:
        if mine is None and theirs is not None:
            setattr(kept, field, theirs)


def _size(event: Event) -> tuple[int, int]:
    """What makes one of two copies the fuller one: its output; of a counter all that it counts."""
    others = (event.input_tokens, event.cache_read_tokens, event.cache_write_tokens)
    return event.output_tokens or 0, sum(filter(None, others)) if event.is_aggregate else 0
