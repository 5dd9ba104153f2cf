"""The settings that make each agent call its models through a gateway.

The person's Stationmaster key is where the provider's key would be, in a file that its owner
alone can read or behind a helper command. Where an agent's own login can pass, it stays, and the
key is added to it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from urllib.parse import urlsplit

from stationmaster.agents import cards
from stationmaster.agents.cards.settings import Gateway, Login, Recipe
from stationmaster.client.hooks import files as hook_files
from stationmaster.client.server import Server
from stationmaster.errors import BadRequest

PURPOSE = "gateway"
"""Of the changes of files, which are undone by themselves."""
_PORT = 8701


def usual_address(server: Server) -> str:
    """The usual address of a server's gateway: its own, or on one machine another port."""
    parts = urlsplit(server.url)
    if parts.port is None:
        return server.url
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}:{_PORT}"


def products() -> list[str]:
    """The agents that have settings for this."""
    return cards.with_part("gateway")


def check(product: str, login: Login | None = None) -> Callable[[Gateway], Recipe]:
    """What makes the settings of an agent. Raises BadRequest for an agent that is unknown or cannot
    call through a gateway so."""
    missing = f"{product!r} has no settings for this"
    card = cards.with_part_of(product, "gateway", missing, "no_gateway")
    if login == "keep" and not card.keeps_login:
        keeping = ", ".join(card.product for card in cards.every() if card.keeps_login)
        raise BadRequest(
            f"a login of {product} does not pass through a gateway, only one of {keeping} does",
            code="no_login",
        )
    return card.gateway_recipe


def recipe_of(product: str, gateway: Gateway) -> Recipe:
    """The settings with which an agent calls through a gateway. Raises BadRequest."""
    recipe = check(product, gateway.login)
    if gateway.login == "replace":
        helper = f"{shlex.quote(hook_files.program())} agents key"
        gateway = gateway._replace(helper=helper)
    return recipe(gateway)


def undoing(product: str) -> Recipe:
    """What there is to undo, whatever address and key it was made with. Raises BadRequest."""
    return recipe_of(product, Gateway("https://localhost", "", model="any"))
