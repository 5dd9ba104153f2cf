from __future__ import annotations

import pytest

from stationmaster.agents import languages


@pytest.mark.parametrize(
    ("path", "extension", "language"),
    [
        ("/home/dev/calc.py", "py", "Python"),
        ("src/App.TSX", "tsx", "TypeScript"),
        ("C:\\code\\main.go", "go", "Go"),
        ("archive.tar.gz", "gz", None),
        ("/home/dev.d/Dockerfile", "", "Dockerfile"),
        ("Makefile", "", "Makefile"),
        (".env", "", "Dotenv"),
        (".hidden", "", None),
        ("notes.", "", None),
        ("", "", None),
        ("/a.b/plain", "", None),
        ("x.not a suffix at all", "", None),
        ("x." + "y" * 100, "", None),
    ],
)
def test_extension_and_language_come_from_the_last_part_of_the_path(path, extension, language):
    assert languages.of_path(path) == (extension, language)
