"""Events and amounts as the reference of reports counts, orders, rounds and encodes them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import msgspec

from stationmaster.events.model import Event

CONTEXT = ("session_start", "session_end", "mode_change", "session_context")


EVIDENCE = ("credential", "email", "account", "resource", "git_config", "installation", "key")


NAMES = (
    *("tool", "tool_raw", "tool_kind", "mcp_server"),
    *("skill", "slash_command", "hook_command"),
)


FIGURES = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


Unit = tuple[str, str | None, str | None]
"""Product and root session; for events without a session the product and the user."""


def by(events: Iterable[Event], key: Callable[[Event], Any]) -> dict[Any, list[Event]]:
    groups: dict[Any, list[Event]] = defaultdict(list)
    for event in events:
        groups[key(event)].append(event)
    return groups


def unit(event: Event) -> Unit:
    if event.root_session_id is None:
        return event.product, None, event.user_id
    return event.product, event.root_session_id, None


def merged(copies: list[Event]) -> Event:
    """Field by field the best copy that has one; redacted names after real ones. Of tokens the
    largest figure, of estimates only where there is no other."""
    ordered = sorted(
        copies, key=lambda e: (e.source_rank, -(e.output_tokens or 0), -figure(e), e.ts)
    )
    real = sorted(ordered, key=lambda e: "redacted_name" in (e.quality or ""))
    fields: dict[str, Any] = {}
    for name in Event.__struct_fields__:
        values = (getattr(e, name) for e in (real if name in NAMES else ordered))
        fields[name] = next((value for value in values if value is not None), None)
    fields["source_group"] = min(e.source_group for e in copies)
    best = min(ordered, key=evidence)
    fields["user_id"], fields["user_source"] = best.user_id, best.user_source
    for name in FIGURES:
        exact = [e for e in copies if "estimated" not in (e.quality or "")]
        figures = [getattr(e, name) for e in exact if getattr(e, name) is not None]
        figures = figures or [getattr(e, name) for e in copies if getattr(e, name) is not None]
        fields[name] = max(figures, default=None)
    for name in ("is_subagent", "is_auxiliary"):
        fields[name] = any(getattr(e, name) for e in copies)
    if any(e.decision == "reject" for e in copies):
        fields["decision"] = "reject"
    told = [e for e in ordered if e.file_op is not None or e.kind != "file_change"]
    fields["quality"] = told[0].quality if told else None
    return Event(**fields)


def figure(event: Event) -> int:
    """What a counter had come to."""
    counted = (event.input_tokens, event.cache_read_tokens, event.cache_write_tokens, event.count)
    return sum(filter(None, counted)) if event.is_aggregate else 0


def evidence(event: Event) -> int:
    return EVIDENCE.index(event.user_source) if event.user_source in EVIDENCE else len(EVIDENCE)


def user_of(members: list[Event]) -> str:
    return min((evidence(e), e.user_id or "") for e in members)[1]


def same_class(one: Event, other: Event) -> bool:
    return one.kind == other.kind and (one.kind != "hook" or one.hook_event == other.hook_event)


def totals(events: list[Event]) -> tuple[int, int]:
    tokens = sum(getattr(e, name) or 0 for e in events for name in FIGURES)
    return tokens, amount(events)


def executed(event: Event) -> bool:
    return event.kind == "tool_call" and event.decision != "reject"


def wrote(event: Event) -> bool:
    return event.kind == "user_message" and not event.is_auxiliary


def half_up(value: Fraction) -> float:
    return int(value * 10_000 + Fraction(1, 2)) / 10_000


def over(numerator: int, denominator: int) -> float:
    return half_up(Fraction(numerator, denominator)) if denominator else 0.0


def ranked(amounts: dict[Any, int]) -> list[tuple[Any, int]]:
    return sorted(amounts.items(), key=lambda item: (-item[1], item[0]))


def first_of_each_address(events: list[Event]) -> list[Event]:
    ordered = sorted(events, key=lambda e: (e.ts, signed(e.event_id)))
    return [
        e
        for n, e in enumerate(ordered)
        if e.pr_url is None or e.pr_url not in {other.pr_url for other in ordered[:n]}
    ]


def signed(event_id: str) -> tuple[int, int]:
    raw = bytes.fromhex(event_id)
    return int.from_bytes(raw[:8], signed=True), int.from_bytes(raw[8:], signed=True)


def amount(events: list[Event]) -> int:
    return sum(e.count for e in events)


def tally(events: Iterable[Event], key: Callable[[Event], Any]) -> dict[Any, int]:
    found: Counter[Any] = Counter()
    for event in events:
        found[key(event)] += event.count
    return found


def named(items: list[tuple[Any, int]], name: str, figure: str) -> list[dict[str, Any]]:
    return [{name: key, figure: value} for key, value in items]


def percentile(ordered: list[Fraction], share: Fraction) -> float:
    if not ordered:
        return 0.0
    position = share * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return half_up(ordered[low] + (ordered[high] - ordered[low]) * (position - low))


def encode(row: dict[str, Any]) -> bytes:
    return msgspec.json.encode(row)


def joined(rows: list[dict[str, Any]]) -> bytes:
    return b",".join(map(encode, rows))
