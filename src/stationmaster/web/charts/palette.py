"""Which of the eight colours a series has: the same name has the same one on every page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from stationmaster.agents import cards

COLOURS = 8
OTHER = 0
"""The slot of what is pooled, grey; slots of series are 1 to COLOURS. The style sheet names them
`s0` to `s8`."""


def slots(names: Sequence[str]) -> Mapping[str, int]:
    """A slot of the palette for each of at most COLOURS names, no two alike.

    A name takes its own slot where it is free, else the next free one, so that a chart of other
    names seldom changes the colour of one.
    """
    taken: dict[str, int] = {}
    agents = {name: card.colour for name in names if (card := cards.find(name))}
    for name in sorted(names, key=lambda name: (name not in agents, name)):
        preferred = (
            agents.get(name) or blake2b(name.encode(), digest_size=2).digest()[0] % COLOURS + 1
        )
        free = (1 + (preferred - 1 + step) % COLOURS for step in range(COLOURS))
        taken[name] = next(slot for slot in free if slot not in taken.values())
    return taken
