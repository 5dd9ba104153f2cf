"""Scripts of workflows as their commands, read once for all who look for something in them."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from stationmaster.agents.shell import commands as shell
from stationmaster.agents.shell.commands import Started

TEXT_MAX = 65_536
"""What follows in a longer script is not read."""
_COMMANDS_MAX = 2_000


@lru_cache(maxsize=256)
def started(script: str) -> tuple[Started, ...]:
    """The commands that a script starts; those of the shells that it starts, too."""
    return tuple(islice(shell.started(script[:TEXT_MAX]), _COMMANDS_MAX))
