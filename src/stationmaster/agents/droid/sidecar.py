"""Reads the settings next to a Droid session file: its tokens and its level of autonomy.

The tokens are the running total of the session. What was added since the last look is spread over
the answers since then, and a day's part of a session is one event that grows: reported again, it
replaces what was reported before, so that reading twice, or from the beginning, adds nothing.
The settings have no times; the session file next to them has, and in newer builds
with which model.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from operator import add
from typing import Any, BinaryIO, cast

import msgspec
from msgspec import Struct

from stationmaster import days
from stationmaster.agents.droid import settings, words
from stationmaster.agents.droid.settings import SETTINGS, Settings, Totals
from stationmaster.agents.droid.words import PRODUCT
from stationmaster.agents.interface import Document, Intake, InvalidRecord, blank
from stationmaster.agents.values import NotJson, decoder, moment, name
from stationmaster.events.model import Event, identify_in_session

_GROUPS_MAX = 200
_MODEL_WITHIN = 500
"""A model that only a text names is in one of the first lines."""


class _Part(Struct, gc=False):
    type: str | None = None
    text: str | None = None


class _Message(Struct, gc=False):
    role: str | None = None
    content: list[_Part] | str | None = None


class _Line(Struct, gc=False, rename="camel"):
    type: str | None = None
    id: str | None = None
    timestamp: Any = None
    model_id: str | None = None
    message: _Message | None = None


_decode = decoder(_Line)

Group = str
"""A day and a model, which is empty where the answers do not name theirs."""


def group_of(at: int, model: str | None) -> Group:
    """The group of an answer at a time in UTC milliseconds: `2026-03-01 model-id`."""
    return f"{days.of_ms(at)} {model or ''}"


class Answers(Struct):
    """How many answers of a group there were, and when the last one was."""

    count: int
    at: int


class Journal(Struct, omit_defaults=True):
    """How far a session file was read, and what it reports of itself; JSON-able."""

    offset: int = 0
    lines: int = 0
    session: str | None = None
    # States are stored: this member keeps its older name there.
    stated_model: str | None = msgspec.field(default=None, name="model_said")
    begun_at: int | None = None

    def note_answers(self, path: str, answers: dict[Group, Answers]) -> None:
        """Add the answers since the last look, by group in order; a missing file has none."""
        try:
            with open(path, "rb") as file:
                if os.fstat(file.fileno()).st_size < self.offset:
                    # Another file than before: what was spread already stays as it is.
                    self.offset = 0
                file.seek(self.offset)
                for line in self._whole_lines(file):
                    self._read(line, answers)
        except FileNotFoundError:
            pass

    def _whole_lines(self, file: BinaryIO) -> Iterator[bytes]:
        for line in file:
            if not line.endswith(b"\n"):
                return
            self.offset += len(line)
            self.lines += 1
            yield line

    def _read(self, line: bytes, by_group: dict[Group, Answers]) -> None:
        try:
            record = _decode(line)
        except NotJson:
            return
        if record.type == "session_start":
            self.session = name(record.id) or self.session
        message, at = record.message, moment(record.timestamp)
        if message is None or at is None:
            return
        self.begun_at = self.begun_at or at
        if self.stated_model is None and self.lines <= _MODEL_WITHIN:
            self.stated_model = _model_in(message)
        if message.role == "assistant":
            group = group_of(at, words.model(record.model_id))
            if group not in by_group and len(by_group) >= _GROUPS_MAX:
                group = next(reversed(by_group))
            answers = by_group.setdefault(group, Answers(0, at))
            answers.count += 1
            if days.of_ms(at) == days.of_ms(answers.at):
                answers.at = max(answers.at, at)


def _model_in(message: _Message) -> str | None:
    content = message.content
    texts = [content] if isinstance(content, str) else [part.text for part in content or ()]
    models = (words.model_in_text(text) for text in texts if text is not None)
    return next((model for model in models if model is not None), None)


_NOTHING: Totals = (0, 0, 0, 0, 0)
_model_call = blank(PRODUCT, "model_call", "sidecar")
_mode_change = blank(PRODUCT, "mode_change", "sidecar")


class _Share(msgspec.Struct):
    """A group's part of the total, and the time of its last answer."""

    at: int
    ts_source: str
    tokens: Totals = _NOTHING


class _Sums(msgspec.Struct, omit_defaults=True):
    total: Totals = _NOTHING
    leg: int = 0
    """How often the total was reset."""
    shares: dict[Group, _Share] = {}
    unspent: dict[Group, Answers] = {}
    """Answers that arrived while the total stayed the same."""
    mode: str | None = None
    journal: Journal = msgspec.field(default_factory=Journal)


class DroidSettings(Document):
    """See agent.Document."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._path = path
        self._stem = path.removesuffix(SETTINGS)
        self._now: _Sums = msgspec.convert(state, _Sums) if state else _Sums()

    def read(self, intake: Intake) -> None:
        """Add the tokens since the last look, by day and model, and a changed level."""
        written_ms = os.stat(self._path).st_mtime_ns // 1_000_000
        try:
            now = settings.load(self._path)
        except NotJson as fault:
            intake.reject(str(fault))
            return
        self._now.journal.note_answers(f"{self._stem}.jsonl", self._now.unspent)
        self._add_mode(now, written_ms, intake)
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
        """What was added to the total since the last reading; a smaller total is a new one."""
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
        event.model = (
            group.partition(" ")[2] or words.model(now.model) or state.journal.stated_model
        )
        if event.model is None and provider is not None:
            event.model = name(f"{provider}-unknown")
        event.provider = provider
        is_thinking = words.is_thinking(now.reasoning_effort, thinking)
        event.model_tier = "thinking" if is_thinking else "standard"
        event.is_aggregate = True
        event.quality = "spread"
        return event

    def _add_mode(self, now: Settings, written_ms: int, intake: Intake) -> None:
        """Report the level: the first one from the beginning of the session, others from now on."""
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
