"""Sequences of messages: who sends what to whom, in which order, under which condition."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.web.diagrams import timeline
from stationmaster.web.diagrams.drawing import Diagram, Row, plain, short
from stationmaster.web.diagrams.timeline import Message, Note, Part, Step

_ARROW = r"<<-->>|<<->>|-->>|->>|-->|->|--x|-x|--\)|-\)"
_MESSAGE = re.compile(rf"([^:<>]{{1,60}}?)\s*({_ARROW})\s*[+-]?\s*([^:<>]{{1,60}})")
_PARTICIPANT = re.compile(
    r"(?:create\s++)?(?:participant|actor)\s++(.{1,60}?)"
    r"(?:\s*+@\{[^{}]*\})?(?:\s++as\s++(.{1,200}))?\s*+"
)
_NOTE = re.compile(
    r"note\s+(over|left of|right of)\s+([^:,]{1,60})(?:,([^:,]{1,60}))?:(.*)", re.IGNORECASE
)
_OPENED = re.compile(r"(loop|alt|opt|par|critical|break|rect)\b\s*(.*)")
_DIVIDED = re.compile(r"(else|and|option)\b\s*(.*)")
_BOX = re.compile(r"box\b\s*(?:(?:rgba?|hsla?)\([^)]*\)|transparent)?\s*(.*)")
_IGNORED = ("activate ", "deactivate ", "destroy ", "link ", "links ", "title", "acc")


class _Sequence(NamedTuple):
    labels: dict[str, str]
    groups: dict[str, str]
    steps: list[Step]
    opened: list[str]
    """Words that an `end` closes, from the outermost."""

    def participant(self, name: str) -> int:
        """The place of a participant, who may be introduced by a message."""
        key = name.strip()
        self.labels.setdefault(key, short(key))
        return list(self.labels).index(key)

    def declare(self, name: str, label: str | None, group: str) -> None:
        self.participant(name)
        key = name.strip()
        if label:
            self.labels[key] = short(label.strip('"'))
        self.groups[key] = short(group)


def read(lines: Sequence[str]) -> Diagram | None:
    """The diagram of the lines below the first; None for lines that are not understood."""
    seq = _Sequence({}, {}, [], [])
    is_numbered = False
    box = ""
    for line in lines:
        if re.fullmatch(r"autonumber(\s+\d+)*", line):
            is_numbered = True
        elif (who := _PARTICIPANT.fullmatch(line)) is not None:
            seq.declare(who[1], who[2], box)
        elif (opened := _BOX.fullmatch(line)) is not None:
            seq.opened.append("box")
            box = opened[1]
        elif line == "end" and seq.opened:
            if seq.opened.pop() == "box":
                box = ""
            else:
                seq.steps.append(Part("end", ""))
        elif not _add(seq, line):
            return None
    if seq.opened or not any(isinstance(step, Message) for step in seq.steps):
        return None
    steps = _numbered(seq.steps) if is_numbered else seq.steps
    labels = list(seq.labels.values())
    groups = [seq.groups.get(name, "") for name in seq.labels]
    return Diagram(_rows(labels, steps), timeline.drawn(labels, groups, steps))


def _add(seq: _Sequence, line: str) -> bool:
    """Add a step; False where a line is something else."""
    head, _, words = line.partition(":")
    if (note := _NOTE.fullmatch(line)) is not None:
        first = seq.participant(note[2])
        last = seq.participant(note[3]) if note[3] else first
        side = {"left of": -1, "right of": 1}.get(note[1].lower(), 0)
        seq.steps.append(Note(min(first, last), max(first, last), note[4].strip(), side))
    elif (message := _MESSAGE.fullmatch(head)) is not None:
        start, arrow, end = message.groups()
        step = Message(seq.participant(start), seq.participant(end), words.strip(), arrow)
        seq.steps.append(step)
    elif (opened := _OPENED.fullmatch(line)) is not None:
        seq.opened.append(opened[1])
        # What follows `rect` is a colour.
        title = "" if opened[1] == "rect" else opened[2]
        seq.steps.append(Part(opened[1], title))
    elif (divided := _DIVIDED.fullmatch(line)) is not None and {*seq.opened} - {"box"}:
        seq.steps.append(Part(divided[1], divided[2]))
    else:
        return line.startswith(_IGNORED)
    return True


def _numbered(steps: Sequence[Step]) -> list[Step]:
    numbered: list[Step] = []
    number = 0
    for step in steps:
        if isinstance(step, Message):
            number += 1
            numbered.append(step._replace(words=f"{number}. {step.words}"))
        else:
            numbered.append(step)
    return numbered


def _rows(labels: Sequence[str], steps: Sequence[Step]) -> list[Row]:
    rows: list[Row] = []
    opened: list[str] = []
    for step in steps:
        if isinstance(step, Message):
            rows.append((labels[step.start], labels[step.end], plain(step.words)))
        elif isinstance(step, Note):
            end = "" if step.start == step.end else labels[step.end]
            rows.append((labels[step.start], end, f"Note: {plain(step.words)}"))
        elif step.kind == "end":
            kind = opened.pop()
            if kind != "rect":
                rows.append((f"end of {kind}", "", ""))
        else:
            if step.kind not in timeline.DIVIDERS:
                opened.append(step.kind)
            if step.kind != "rect":
                rows.append((step.kind, "", plain(step.words)))
    return rows
