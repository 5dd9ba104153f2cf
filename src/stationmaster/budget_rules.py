"""When a budget refuses: one decision for calls that the server admits and for work that the gate
of a laptop lets go on.

The gate runs at every tool call of an agent, so this module loads nothing before it is needed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def is_hard(at_end: str) -> bool:
    """True where calls may be refused once all is used: the end is not `warn`."""
    return at_end != "warn"


def allows_at_end(at_end: str, models: Sequence[str], model: str) -> bool:
    """May a model still be called when all is used? `models` are patterns of those that may."""
    return is_named(model, models) if at_end == "allow-models" else not is_hard(at_end)


def is_named(model: str, patterns: Sequence[str]) -> bool:
    """Does a model fit one of some patterns, in any of its spellings?"""
    # Regular expressions take as long to load as the rest of the gate.
    from stationmaster.model_names import matches_any

    return matches_any(model, patterns)


def has_room(amount: int, taken: int, price: int = 1) -> bool:
    """Does a price fit into an amount of which some is taken? What costs nothing fits into any.
    Without a price: is anything left?"""
    return price <= 0 or taken + price <= amount
