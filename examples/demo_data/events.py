"""Planned sessions as canonical events: recorded ones at another time, in another session, of
another person and repository. Counts, tools and models are those that were recorded; tokens are
30 times as many, because the recorded sessions worked on a project of three files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b

import msgspec

from demo_data import recorded
from demo_data.plan import Session
from stationmaster.events import model
from stationmaster.events.model import Event

HOST = "localhost"
"""Where the demo's repositories are served: see `git_server`."""
_STRETCH = 25
"""Recorded agents had no person to wait for; a minute of theirs is half an hour here."""
TOKENS = 30
_SCALED = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "reasoning_tokens",
    "cost_usd",
)
_RENAMED = {"stub-large": "in-house-coder-large", "stub-small": "in-house-coder-small"}
"""A model of one's own, which no price list knows."""
_WRITTEN_IN = {
    "shop-web": ("ts", "TypeScript"),
    "deploy": ("sh", "Shell"),
    "reports": ("sql", "SQL"),
}
_AT_THE_START = ("session_start", "session_context")
_DISAGREEING = ("rosa.jimenez", "bruno.ferreira")
"""Their session files were read before the last round of a session was written."""


def repository_of(name: str) -> str:
    """A repository as telemetry names it."""
    return f"{HOST}/demo/{name}"


def events_of(session: Session) -> Iterator[Event]:
    """The events of a session, in no particular order."""
    sources = [_source(session.agent, session.person.source)]
    is_doubted = session.person.name in _DISAGREEING and len(session.rounds) > 3
    if is_doubted and session.id < "4":
        sources = ["otlp_logs", "transcript"]
    for source in sources:
        rounds = session.rounds[:-2] if source != sources[0] else session.rounds
        for number, part in enumerate(rounds):
            place = _Place(session, number, part.start_ms, len(rounds))
            yield from place.events(source, part.run)
    if session.has_pull_request:
        yield _pull_request(session)


class _Place:
    """Where one recorded session goes: a round of a session."""

    def __init__(self, session: Session, number: int, start_ms: int, count: int) -> None:
        self._session = session
        self._number = number
        self._start_ms = start_ms
        self._count = count

    def events(self, source: str, run: str) -> Iterator[Event]:
        known = recorded.sessions()
        events = known.get((self._session.agent, source, run))
        events = events or known[self._session.agent, source, "basic"]
        first_ms = events[0].ts
        for event in events:
            is_start = event.kind in _AT_THE_START and self._number > 0
            is_end = event.kind == "session_end" and self._number < self._count - 1
            if not (is_start or is_end):
                offset = min((event.ts - first_ms) * _STRETCH, 40 * 60_000)
                yield self._moved(event, self._start_ms + offset)

    def _moved(self, event: Event, ts: int) -> Event:
        session = self._session
        changes: Mapping[str, object] = {
            "event_id": self._renewed(event.event_id, 16),
            "ts": ts,
            "session_id": session.id,
            "root_session_id": session.id,
            **_owner(session),
            "turn_id": self._other(event.turn_id),
            "agent_id": self._other(event.agent_id),
            "tool_call_id": self._other(event.tool_call_id),
            "commit_sha": event.commit_sha and self._renewed(event.commit_sha, 20),
            "file_path_hash": event.file_path_hash and self._renewed(event.file_path_hash, 8),
            "cwd_hash": None,
        }
        moved = msgspec.structs.replace(event, **changes)
        for name in _SCALED:
            if (value := getattr(moved, name)) is not None:
                setattr(moved, name, value * TOKENS)
        if moved.model is not None:
            moved.model = _RENAMED.get(moved.model, moved.model)
        if moved.language is not None and session.repository in _WRITTEN_IN:
            moved.file_ext, moved.language = _WRITTEN_IN[session.repository]
        return moved

    def _other(self, name: str | None) -> str | None:
        return name and self._renewed(name, 16)

    def _renewed(self, name: str, size: int) -> str:
        """The same for what sources call the same, and no other round's."""
        text = f"{self._session.id} {self._number} {name}"
        return blake2b(text.encode(), digest_size=size).hexdigest()


def _owner(session: Session) -> dict[str, object]:
    """Who and where; a session without a repository is one whose source does not report it."""
    knows_place = _knows_place(session)
    return {
        "user_id": None,
        "user_email": session.person.email,
        "user_source": None,
        "installation": blake2b(session.person.email.encode(), digest_size=16).hexdigest(),
        "account": None,
        "machine_user": None,
        "team": None,
        "repo": repository_of(session.repository) if knows_place else None,
        "branch": session.branch if knows_place else None,
    }


def _knows_place(session: Session) -> bool:
    return session.agent != "cursor"


def _pull_request(session: Session) -> Event:
    """No recorded session opened one, and an organization without any would be a strange one."""
    number = 1 + int(session.id[:4], 16) % 900
    url = f"https://{HOST}/demo/{session.repository}/pull/{number}"
    return Event(
        event_id=model.event_id(session.agent, "git_pull_request", session.id, url),
        kind="git_pull_request",
        ts=session.rounds[-1].start_ms + 240_000,
        product=session.agent,
        source="transcript",
        session_id=session.id,
        pr_url=url,
        user_email=session.person.email,
        repo=repository_of(session.repository),
        branch=session.branch,
    )


def _source(agent: str, wanted: str) -> str:
    """What the person's way of sending is for this agent: not every agent has all of them."""
    known = {source for product, source, _ in recorded.sessions() if product == agent}
    ways = (wanted, "transcript", "store_db", "hook")
    return next(source for source in ways if source in known)
