"""The table of CI systems."""

from __future__ import annotations

import re

from stationmaster.catalogue import ci


def test_patterns_compile_and_take_no_ordinary_file() -> None:
    for name, system in ci.systems().items():
        for pattern in (*system.files, *system.signs):
            re.compile(pattern)
        assert not ci.is_file(name, "README.md")
        assert not ci.is_file(name, "src/main.py")


def test_closed_services_say_since_when() -> None:
    closed = {name for name in ci.systems() if ci.closed(name)}
    assert closed == {"appcenter", "cirrus-ci", "codeship", "lgtm", "shippable", "wercker"}
    assert all(re.search(r" closed (?:on|in) .*\d{4}$", ci.closed(name)) for name in closed)
    assert ci.closed("github-actions") == ""
