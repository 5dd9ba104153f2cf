"""Steps between participants as a drawing: one column for each of them, time leads downwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.web.diagrams.drawing import (
    BOXES_MAX,
    LINE_HEIGHT,
    LINES_MAX,
    SMALL_CHARACTER,
    Box,
    BoxPosition,
    Drawing,
    Line,
    Words,
    count,
    width,
    wrapped,
)

_MARGIN = 12
_GAP = 24
_PADDING = 28
_HEAD = 44
"""Height of the boxes of participants."""
_LOOP = 28
"""How far a message to oneself leads to the right."""
_AROUND, _INSET = 40, 6
"""From the frame of a part to what is in it, and how much less that is in a part of a part."""
_INSETS_MAX = 4
_TALL = 10
"""Steps from which on participants are named again at the end."""


class Message(NamedTuple):
    """`start` and `end` are places of participants."""

    start: int
    end: int
    words: str
    arrow: str


class Note(NamedTuple):
    """`side` is -1 left of a participant, 1 right of it, and 0 over all from `start` to `end`."""

    start: int
    end: int
    words: str
    side: int


class Part(NamedTuple):
    """Begin, divide or end a part of the steps, as `loop`, `else` or `end`."""

    kind: str
    words: str


Step = Message | Note | Part
DIVIDERS = ("else", "and", "option")
"""Kinds of a part that go on with the one before."""


class _Frame(NamedTuple):
    """A part that has begun."""

    left: float
    right: float
    top: float
    dividers: list[float]


class _Canvas(NamedTuple):
    columns: Sequence[float]
    boxes: list[Box]
    lines: list[Line]
    words: list[Words]
    frames: list[BoxPosition]


def drawn(labels: Sequence[str], groups: Sequence[str], steps: Sequence[Step]) -> Drawing | None:
    """A drawing; None for more participants or steps than the limits."""
    if len(labels) > BOXES_MAX or len(steps) > LINES_MAX:
        return None
    sizes = [
        max(width(label), width(group, SMALL_CHARACTER)) + _PADDING
        for label, group in zip(labels, groups, strict=True)
    ]
    columns, whole = _columns(sizes, steps)
    canvas = _Canvas(columns, [], [], [], [])
    low = _steps(canvas, steps)
    tops = [_MARGIN + _HEAD / 2]
    if len(steps) >= _TALL:
        tops.append(low + _HEAD / 2)
    ways = [f"M{x:.0f} {_MARGIN + _HEAD}V{low:.0f}" for x in columns]
    heads = [
        Box(BoxPosition(x, y, size, _HEAD), label, group)
        for y in tops
        for x, size, label, group in zip(columns, sizes, labels, groups, strict=True)
    ]
    messages = sum(isinstance(step, Message) for step in steps)
    return Drawing(
        f"Sequence of {count(messages, 'message')} between {count(len(labels), 'participant')}",
        round(whole),
        round(low + (_HEAD if len(tops) > 1 else 0) + _MARGIN),
        [*heads, *canvas.boxes],
        [Line("".join(ways), "life"), *canvas.lines],
        canvas.words,
        canvas.frames,
    )


def _columns(sizes: Sequence[float], steps: Sequence[Step]) -> tuple[list[float], float]:
    """The middle of each participant's column, and the width of all."""
    last = len(sizes)
    gaps = [0.0] * (last + 1)
    """Before the first column, between columns, and behind the last."""
    gaps[0], gaps[last] = sizes[0] / 2 + _MARGIN, sizes[-1] / 2 + _MARGIN
    for place in range(1, last):
        gaps[place] = (sizes[place - 1] + sizes[place]) / 2 + _GAP
    widths = [want for step in steps for want in _wanted(step)]
    for first, end, size in sorted(widths, key=lambda want: want[1] - want[0]):
        lacking = size - sum(gaps[first:end])
        if lacking > 0:
            for place in range(first, end):
                gaps[place] += lacking / (end - first)
    if any(isinstance(step, Part) for step in steps):
        gaps[0] += _AROUND
        gaps[last] += _AROUND
    columns, at = [], 0.0
    for gap in gaps[:-1]:
        at += gap
        columns.append(at)
    return columns, at + gaps[last]


def _wanted(step: Step) -> list[tuple[int, int, float]]:
    """The gaps from one to before another that a step needs, and how wide they are together."""
    if isinstance(step, Part):
        return []
    size = _width(step.words)
    if isinstance(step, Message) and step.start != step.end:
        first, last = sorted((step.start, step.end))
        return [(first + 1, last + 1, size + _GAP)]
    if isinstance(step, Message):
        return [(step.start + 1, step.start + 2, size + _LOOP + _GAP)]
    before = (step.start, step.start + 1)
    after = (step.end + 1, step.end + 2)
    if step.side:
        return [(*(before if step.side < 0 else after), size + 2 * _PADDING)]
    if step.start != step.end:
        return [(step.start + 1, step.end + 1, size)]
    return [(*gap, size / 2 + _PADDING) for gap in (before, after)]


def _width(words: str) -> float:
    return max((width(line, SMALL_CHARACTER) for line in wrapped(words)), default=0)


def _steps(canvas: _Canvas, steps: Sequence[Step]) -> float:
    """Draw all steps; the height at which they end."""
    y = float(_MARGIN + _HEAD + LINE_HEIGHT)
    opened: list[_Frame] = []
    for place, step in enumerate(steps):
        if isinstance(step, Message):
            y = _message(canvas, step, y)
        elif isinstance(step, Note):
            y = _note(canvas, step, y)
        elif step.kind == "end":
            _close(canvas, opened.pop(), y)
            y += LINE_HEIGHT
        else:
            if step.kind in DIVIDERS:
                opened[-1].dividers.append(y)
            else:
                opened.append(_frame(canvas, steps[place:], len(opened), y))
            title = [step.kind, *wrapped(step.words)] if step.kind != "rect" else []
            if title:
                title[:2] = [" ".join(title[:2])]
            left = opened[-1].left + 10
            y = _text(canvas, left, y + LINE_HEIGHT, title, "start") + LINE_HEIGHT / 2
    return y


def _text(canvas: _Canvas, x: float, y: float, lines: Sequence[str], anchor: str) -> float:
    """Write lines from a height on; that of the next line."""
    for line in lines:
        canvas.words.append(Words(x, y, line, anchor))
        y += LINE_HEIGHT
    return y


def _message(canvas: _Canvas, step: Message, y: float) -> float:
    start, end = canvas.columns[step.start], canvas.columns[step.end]
    style = "way dashed" if "--" in step.arrow else "way"
    lines = wrapped(step.words)
    if step.start == step.end:
        tall = max(1, len(lines)) * LINE_HEIGHT
        _text(canvas, start + _LOOP + 8, y + LINE_HEIGHT / 2, lines, "start")
        canvas.lines.append(Line(f"M{start:.0f} {y:.0f}h{_LOOP}v{tall}h-{_LOOP}", style))
        y += tall
        canvas.lines.extend(_heads(step.arrow, start + 1, start, y))
    else:
        y = _text(canvas, (start + end) / 2, y, lines, "middle") - LINE_HEIGHT / 4
        canvas.lines.append(Line(f"M{start:.0f} {y:.0f}H{end:.0f}", style))
        canvas.lines.extend(_heads(step.arrow, start, end, y))
    return y + 1.5 * LINE_HEIGHT


def _heads(arrow: str, start: float, end: float, y: float) -> list[Line]:
    """The marks at the ends of a message's line."""
    back = 9 if end < start else -9
    heads = []
    if arrow.endswith("x"):
        heads.append(Line(f"M{end - 5:.0f} {y - 5:.0f}l10 10m0 -10l-10 10", "way"))
    elif arrow.endswith(")"):
        heads.append(Line(f"M{end + back:.0f} {y - 5:.0f}l{-back} 5l{back} 5", "way"))
    elif arrow.endswith(">>"):
        heads.append(Line(f"M{end:.0f} {y:.0f}l{back} -5v10z", "head"))
    if arrow.startswith("<<"):
        heads.append(Line(f"M{start:.0f} {y:.0f}l{-back} -5v10z", "head"))
    return heads


def _note(canvas: _Canvas, step: Note, y: float) -> float:
    left, right = _extent(canvas, step)
    lines = wrapped(step.words)
    tall = LINE_HEIGHT * (len(lines) + 0.75)
    spot = BoxPosition((left + right) / 2, y - LINE_HEIGHT / 2 + tall / 2, right - left, tall)
    canvas.boxes.append(Box(spot, "", rows=lines, style="note"))
    return y + tall + LINE_HEIGHT / 2


def _extent(canvas: _Canvas, step: Message | Note) -> tuple[float, float]:
    """The left and right end of what is drawn of a step."""
    size = _width(step.words)
    first, last = sorted((canvas.columns[step.start], canvas.columns[step.end]))
    if isinstance(step, Message):
        return first, last + (_LOOP + 8 + size if step.start == step.end else 0)
    size += 20
    if step.side:
        near = first + step.side * 8
        return (near - size, near) if step.side < 0 else (near, near + size)
    half = max(size, last - first + 40) / 2
    middle = (first + last) / 2
    return middle - half, middle + half


def _frame(canvas: _Canvas, steps: Sequence[Step], depth: int, y: float) -> _Frame:
    """The frame of the part that the first of the steps begins."""
    extents = []
    inside = 0
    for step in steps:
        if not isinstance(step, Part):
            extents.append(_extent(canvas, step))
        elif step.kind not in DIVIDERS:
            inside += -1 if step.kind == "end" else 1
        if not inside:
            break
    around = _AROUND - _INSET * min(depth, _INSETS_MAX)
    first, last = canvas.columns[0], canvas.columns[-1]
    left = min((left for left, _ in extents), default=first) - around
    right = max((right for _, right in extents), default=last) + around
    return _Frame(left, right, y - LINE_HEIGHT / 2, [])


def _close(canvas: _Canvas, frame: _Frame, y: float) -> None:
    middle, tall = (frame.left + frame.right) / 2, y - frame.top
    canvas.frames.append(BoxPosition(middle, frame.top + tall / 2, frame.right - frame.left, tall))
    canvas.lines.extend(
        Line(f"M{frame.left:.0f} {at:.0f}H{frame.right:.0f}", "life") for at in frame.dividers
    )
