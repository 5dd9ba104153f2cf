"""Variables of the environment that settings files of Rails read where they are filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts

_FILES = ("**/config/*.yml", "**/config/*.yml.erb")
_FILES_MAX = 200
_CODE = re.compile(r"<%=?([^%\n]{1,500})%>")
_READ = re.compile(
    r"\bENV(?:\.fetch\(|\[)\s{0,9}[\"'](\w{1,100})[\"']\s{0,9}"
    r"(?:,\s{0,9}(?:[\"']([^\"'\n]*)[\"']|(\d{1,20}))\s{0,9})?[\])](?:\.presence)?"
    r"(?:\s{0,9}(?:\|\||\{)\s{0,9}(?:[\"']([^\"'\n]*)[\"']|(\d{1,20})))?"
)

Read = tuple[str, Setting]


def read(facts: Facts) -> Iterator[Read]:
    """What the code in such files asks for, with the literals that stand in for it."""
    paths = [path for pattern in _FILES for path in facts.tree.glob(pattern) if not is_test(path)]
    for path in paths[:_FILES_MAX]:
        text = facts.tree.text(path)
        if "<%" not in text or "ENV" not in text:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if line.lstrip().startswith("#"):
                continue
            for part in _CODE.findall(line):
                for match in _READ.finditer(part):
                    default = next((it for it in match.groups()[1:] if it is not None), None)
                    yield path, Setting(match[1], "env", number, default)
