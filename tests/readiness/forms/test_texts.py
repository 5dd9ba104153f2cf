from __future__ import annotations

from xml.etree import ElementTree

import pytest

from stationmaster.readiness.forms import texts
from stationmaster.readiness.model import LEVELS, Level


@pytest.mark.parametrize("level", LEVELS)
def test_a_badge_is_a_picture_that_says_the_level_and_asks_for_nothing(level: Level) -> None:
    picture = texts.badge(level)

    root = ElementTree.fromstring(picture)
    assert root.attrib["aria-label"] == f"agent readiness: {level} {LEVELS[level]}"
    assert "href" not in picture
    assert "script" not in picture
