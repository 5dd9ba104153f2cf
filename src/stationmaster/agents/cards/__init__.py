"""The list of agents, `PRODUCTS`, to which a new one is added first, and the card of each, which is
loaded when it is first asked. Rate cards, with the prices of models, are in `pricing`.

No other module names several agents: what differs between agents is read from their cards. An agent
waits while a hook loads this module, so it imports next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # Importing `typing` takes as long as all else here.
    from stationmaster.agents.cards.card import Card

PRODUCTS = (
    "claude-code",
    "codex",
    "gemini-cli",
    "qwen-code",
    "opencode",
    "copilot-cli",
    "droid",
    "cursor",
)
"""The names of all agents; each has a package here, with `_` for `-`."""
_cards: dict[str, Card] = {}


def find(product: str) -> Card | None:
    """The card of an agent, or None. Loads no other one."""
    if product not in PRODUCTS:
        return None
    if product not in _cards:
        from stationmaster.agents.cards import card

        _cards[product] = card.load(product)
    return _cards[product]


def get(product: str) -> Card:
    """The card of one of PRODUCTS. Raises KeyError for another name."""
    card = find(product)
    if card is None:
        raise KeyError(product)
    return card


def with_part(part: str) -> list[str]:
    """The names of the agents whose cards have a part."""
    return [card.product for card in every() if part not in card.lacks]


def with_part_of(product: str, part: str, missing: str, code: str) -> Card:
    """The card of an agent, which has a part. Raises BadRequest with a code where an agent is
    unknown (the code is `missing`) or lacks the part."""
    from stationmaster.errors import BadRequest, did_you_mean

    card = find(product)
    if card is None:
        matching = with_part(part)
        listed = f"{missing}; known are {', '.join(matching)}.{did_you_mean(product, matching)}"
        raise BadRequest(listed, code=code)
    if part in card.lacks:
        raise BadRequest(card.lacks[part], code=code)
    return card


def every() -> tuple[Card, ...]:
    """All cards, in the order of PRODUCTS."""
    return tuple(map(get, PRODUCTS))


def package(product: str) -> str:
    """The package of an agent, as it is imported."""
    return f"stationmaster.agents.{product.replace('-', '_')}"
