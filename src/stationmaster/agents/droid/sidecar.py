"""Reading the settings beside a Droid session file: its tokens and its level of autonomy.

The tokens are the running total of the session. What was added since the last look is spread over
the answers since then, and a day's part of a session is one event that grows: told again, it
replaces what was reported before, so that reading twice, or from the beginning, adds nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from operator import add
from typing import Any, cast

import msgspec

from stationmaster.agents.droid import settings, words
from stationmaster.agents.droid.journal import Answers, Group, Journal, group_of
from stationmaster.agents.droid.settings import SETTINGS, Settings, Totals
from stationmaster.agents.droid.words import PRODUCT
from stationmaster.agents.interface import Document, Intake, InvalidRecord, blank
from stationmaster.agents.values import NotJson, moment, name
from stationmaster.events.model import Event, identify_in_session

_NOTHING: Totals = (0, 0, 0, 0, 0)
_model_call = blank(PRODUCT, "model_call", "sidecar")
_mode_change = blank(PRODUCT, "mode_change", "sidecar")


class _Share(msgspec.Struct):
    """A group's part of the total, and the time of its last answer."""

    at: int
    ts_source: str
    tokens: Totals = _NOTHING


class _Told(msgspec.Struct, omit_defaults=True):
    total: Totals = _NOTHING
    leg: int = 0
    """How often the total began anew."""
    shares: dict[Group, _Share] = {}
    unspent: dict[Group, Answers] = {}
    """Answers that came while the total stayed as it was."""
    mode: str | None = None
    journal: Journal = msgspec.field(default_factory=Journal)


class DroidSettings(Document):
    """See agent.Document."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._path = path
        self._stem = path.removesuffix(SETTINGS)
        self._now: _Told = msgspec.convert(state, _Told) if state else _Told()

    def stamp(self) -> str:
        """The file's time of change and size. Raises OSError when it is gone."""
        status = os.stat(self._path)
        return f"{status.st_mtime_ns}:{status.st_size}"

    def read(self, intake: Intake) -> None:
        """Add the tokens since the last look, by day and model, and a changed level."""
        written_ms = os.stat(self._path).st_mtime_ns // 1_000_000
        try:
            now = settings.load(self._path)
        except NotJson as fault:
            intake.reject(str(fault))
            return
        self._now.journal.note_answers(f"{self._stem}.jsonl", self._now.unspent)
        self._tell_mode(now, written_ms, intake)
        if now.token_usage is None:
            intake.drop("not_counted")
            return
        try:
            total = now.token_usage.totals()
        except InvalidRecord as fault:
            intake.reject(str(fault))
            return
        added = self._added(total) if any(total) else _NOTHING
        if not any(added):
            intake.drop("redundant")
            return
        answers = self._now.unspent or self._fallback(now, written_ms)
        self._now.unspent = {}
        for group in self._spread(added, answers):
            intake.add(self._call(now, group, self._now.shares[group]))

    def _added(self, total: Totals) -> Totals:
        """What came to the total since the last look; a smaller total is a new one."""
        now = self._now
        if any(new < old for new, old in zip(total, now.total, strict=True)):
            now.leg += 1
            now.shares.clear()
            now.total = _NOTHING
        before, now.total = now.total, total
        return cast(Totals, tuple(new - old for new, old in zip(total, before, strict=True)))

    def _fallback(self, now: Settings, written_ms: int) -> dict[Group, Answers]:
        """Where tokens go that no answer since the last look explains: to the last group, else to
        the time that the settings know, else to that of the file."""
        shares = self._now.shares
        if shares:
            group = next(reversed(shares))
            return {group: Answers(1, shares[group].at)}
        locked = moment(now.provider_lock_timestamp)
        at = written_ms if locked is None else locked
        group = group_of(at, None)
        shares[group] = _Share(at, "file_time" if locked is None else "sidecar")
        return {group: Answers(1, at)}

    def _spread(self, added: Totals, answers: dict[Group, Answers]) -> Iterator[Group]:
        """Add its part to the share of each group; yields the groups."""
        count = sum(some.count for some in answers.values())
        so_far = 0
        for group, some in answers.items():
            share = self._now.shares.setdefault(group, _Share(some.at, "event"))
            share.at = max(share.at, some.at)
            upto = so_far + some.count
            # Cut at running sums, so that the parts add up to the whole.
            part = (figure * upto // count - figure * so_far // count for figure in added)
            share.tokens = cast(Totals, tuple(map(add, share.tokens, part)))
            so_far = upto
            yield group

    def _call(self, now: Settings, group: Group, share: _Share) -> Event:
        event = self._event(_model_call(), now)
        event.ts, event.ts_source = share.at, share.ts_source
        state = self._now
        identify_in_session(event, str(state.leg), group)
        plain, output, read, written, thinking = share.tokens
        event.input_tokens, event.output_tokens = plain, output + thinking
        event.cache_read_tokens, event.cache_write_tokens = read, written
        event.reasoning_tokens = thinking
        provider = name(now.provider_lock)
        event.model = group.partition(" ")[2] or words.model(now.model) or state.journal.model_said
        if event.model is None and provider is not None:
            event.model = name(f"{provider}-unknown")
        event.provider = provider
        is_thinking = words.is_thinking(now.reasoning_effort, thinking)
        event.model_tier = "thinking" if is_thinking else "standard"
        event.is_aggregate = True
        event.quality = "spread"
        return event

    def _tell_mode(self, now: Settings, written_ms: int, intake: Intake) -> None:
        """Tell the level: the first one from the beginning of the session, others from now on."""
        level, raw = now.autonomy()
        if raw == self._now.mode:
            return
        begun_at = self._now.journal.begun_at if self._now.mode is None else None
        self._now.mode = raw
        if level is None:
            return
        event = self._event(_mode_change(), now)
        event.ts = written_ms if begun_at is None else begun_at
        event.ts_source = "file_time" if begun_at is None else "event"
        event.autonomy, event.autonomy_raw = level, raw
        identify_in_session(event, str(event.ts), raw or "")
        intake.add(event)

    def _event(self, event: Event, now: Settings) -> Event:
        stem = self._stem.replace("\\", "/").rsplit("/", 1)[-1]
        session = self._now.journal.session or name(stem)
        event.session_id = event.root_session_id = session
        event.client, event.surface = now.client()
        return event
