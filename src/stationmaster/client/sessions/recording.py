"""The environment in which an agent that is started here sends what it does to the server.

It is added only where this machine says nothing of where telemetry goes: what its owner has set up
holds for sessions, too, and a token of ours never goes to another server.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from stationmaster.agents import cards
from stationmaster.client.server import Server
from stationmaster.client.settings import telemetry as agent_settings
from stationmaster.settings import variable

_OTLP = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS")


def variables(product: str, server: Server, home: Path) -> dict[str, str]:
    """By name; none for an agent that takes none, and where the machine has settings of its own.

    An agent named by its owner is taken for one that reads OpenTelemetry's own variables only if it
    has the name of one that does.
    """
    card = cards.find(product)
    if card is None or card.recorded is None:
        return {}
    environment = card.environment(server.url, server.key)
    recipe = agent_settings.recipe_of(product, server)
    is_own = any(variable(name) for name in (*environment, *_OTLP))
    return (
        {} if is_own or any(_has(home / f.path, f.content) for f in recipe.files) else environment
    )


def _has(path: Path, content: Mapping[str, Any]) -> bool:
    """Whether a file of an agent has any of these settings, with whatever values; a file that
    cannot be read has."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    except (OSError, UnicodeDecodeError):
        return True
    if path.suffix != ".json":
        return any(name in text for name in content)
    try:
        stored = msgspec.json.decode(text or "{}", type=dict[str, Any])
    except msgspec.DecodeError:
        return True
    return any(
        set(value).intersection({*(stored.get(name) or ())}) for name, value in content.items()
    )
