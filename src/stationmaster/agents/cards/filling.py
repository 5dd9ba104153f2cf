"""Templates of cards: JSON values in whose texts names between braces stand for values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SESSION = "00000000-0000-4000-8000-000000000000"
"""The session of samples, `{session}` in cards."""


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """A template with its values. A text that is one name becomes the value as it is; a member
    whose value is None is left out."""
    match template:
        case str():
            alone = template[1:-1]
            if template == f"{{{alone}}}" and alone in values:
                return values[alone]
            return template.format_map(values) if "{" in template else template
        case dict():
            members = {
                filled(name, values): filled(member, values) for name, member in template.items()
            }
            return {name: member for name, member in members.items() if member is not None}
        case list():
            return [filled(item, values) for item in template]
        case _:
            return template
