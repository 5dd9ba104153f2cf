"""What the running total of a session is spread over: its answers, by day and model.

The settings say how much and not when; the session file beside them says when, and in newer
builds with which model.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from msgspec import Struct

from stationmaster import days
from stationmaster.agents.droid import words
from stationmaster.agents.values import NotJson, decoder, moment, name

_GROUPS_MAX = 200
_MODEL_WITHIN = 500
"""A model that only a text names stands in one of the first lines."""


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
    """How far a session file was read, and what it says of itself; JSON-able."""

    offset: int = 0
    lines: int = 0
    session: str | None = None
    model_said: str | None = None
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
        if self.model_said is None and self.lines <= _MODEL_WITHIN:
            self.model_said = _model_in(message)
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
    models = (words.model_said(text) for text in texts if text is not None)
    return next((model for model in models if model is not None), None)
