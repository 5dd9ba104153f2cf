"""A picture of a level for a README: SVG without scripts, fonts or addresses."""

from __future__ import annotations

from stationmaster.readiness.model import LEVELS, Level

_COLOURS: dict[Level, str] = {1: "#b42318", 2: "#b54708", 3: "#854a0e", 4: "#3b7c0f", 5: "#087443"}
"""Dark enough for white text (contrast of at least 4.5)."""
_LABEL = "agent readiness"
_LETTER = 7
"""The mean width of a letter at 11 pixels in common fonts."""
_PADDING = 10


def svg(level: Level) -> str:
    """An SVG image, 22 pixels high, of a level's number and name."""
    value = f"{level} {LEVELS[level]}"
    left, right = (len(text) * _LETTER + 2 * _PADDING for text in (_LABEL, value))
    text = 'text-anchor="middle" fill="#fff"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="22" role="img" '
        f'aria-label="{_LABEL}: {value}"><title>{_LABEL}: {value}</title>'
        f'<clipPath id="r"><rect width="{left + right}" height="22" rx="4"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="22" fill="#344054"/>'
        f'<rect x="{left}" width="{right}" height="22" fill="{_COLOURS[level]}"/></g>'
        f'<g font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left / 2:g}" y="15" {text}>{_LABEL}</text>'
        f'<text x="{left + right / 2:g}" y="15" {text}>{value}</text></g></svg>\n'
    )
