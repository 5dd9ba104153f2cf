"""Which of the eight colours a series has: the same name has the same one on every page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

COLOURS = 8
OTHER = 0
"""The slot of what is pooled, grey; slots of series are 1 to COLOURS. The style sheet names them
`s0` to `s8`."""
_FIXED = {
    "claude-code": 1,
    "codex": 2,
    "gemini-cli": 3,
    "qwen-code": 4,
    "opencode": 5,
    "copilot-cli": 6,
    "droid": 7,
    "cursor": 8,
}


def slots(names: Sequence[str]) -> Mapping[str, int]:
    """A slot of the palette for each of at most COLOURS names, no two alike.

    A name takes its own slot where it is free, else the next free one, so that a chart of other
    names seldom changes the colour of one.
    """
    taken: dict[str, int] = {}
    for name in sorted(names, key=lambda name: (name not in _FIXED, name)):
        wanted = _FIXED.get(name) or blake2b(name.encode(), digest_size=2).digest()[0] % COLOURS + 1
        free = (1 + (wanted - 1 + step) % COLOURS for step in range(COLOURS))
        taken[name] = next(slot for slot in free if slot not in taken.values())
    return taken
