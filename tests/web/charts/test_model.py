"""Colours of series: apart from one another, visible on both surfaces, the same on every page."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from stationmaster.agents import cards
from stationmaster.web.charts.model import COLOURS, slots

STYLE = (resources.files("stationmaster.web") / "static" / "style.css").read_text()


def luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("slot", range(COLOURS + 1))
def test_a_colour_stands_out_from_its_surface(theme: int, slot: int) -> None:
    """WCAG 2.2, 1.4.11: at least 3 to 1 for parts of graphics."""
    surface = re.findall(r"--front: (#\w{6})", STYLE)[theme]
    colour = re.findall(rf"--s{slot}: (#\w{{6}})", STYLE)[theme]
    high, low = sorted((luminance(surface), luminance(colour)), reverse=True)

    assert (high + 0.05) / (low + 0.05) >= 3


def test_every_agent_has_its_own_colour() -> None:
    agents = list(cards.PRODUCTS)

    assert len(set(slots(agents).values())) == len(agents)
    for agent in agents:
        assert slots([agent, "gpt-5.6", "claude-opus-5-5"])[agent] == slots(agents)[agent]


def test_a_name_keeps_its_colour_beside_others() -> None:
    assert slots(["gpt-5.6"])["gpt-5.6"] == slots(["gpt-5.6", "codex"])["gpt-5.6"]
    assert len(set(slots([f"m{n}" for n in range(COLOURS)]).values())) == COLOURS
