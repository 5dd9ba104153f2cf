"""Documents that say the same in another language."""

from __future__ import annotations

import pytest

from stationmaster.reading.projects.documents import is_translation
from stationmaster.wiki.facts.texts.documents import plain


@pytest.mark.parametrize(
    ("path", "others", "expected"),
    [
        ("README.zh.md", ["README.md"], True),
        ("README.中文.md", ["README.md"], True),
        ("README_zh-CN.md", ["README.md"], True),
        ("docs/fr/start.md", ["docs/start.md"], True),
        ("docs/fr/start.md", ["docs/en/start.md"], True),
        ("docs/de/start.md", ["docs/de/other.md"], False),
        ("README.zh.md", ["docs/README.md"], False),
        ("docs/all/README-uz.md", ["README.md"], True),
        ("docs/all/start-uz.md", ["docs/start.md"], True),
        ("docs/go/start.md", ["docs/start.md"], False),
        ("README.md", [], False),
    ],
)
def test_a_translation_lies_beside_its_original(
    path: str, others: list[str], *, expected: bool
) -> None:
    assert is_translation(path, frozenset([path, *others])) is expected


def test_a_heading_has_no_version_behind_it() -> None:
    assert plain("The `no-cd` attribute<sup>1.9.0</sup>") == "The no-cd attribute"
