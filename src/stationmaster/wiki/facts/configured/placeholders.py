"""Variables of the environment that files of settings are filled with: `port: ${APP_PORT:8080}` in
what Spring, Quarkus or Micronaut read, `port = ${?APP_PORT}` in HOCON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.languages.source import first_sentence
from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query

_FILES = re.compile(
    r"(?:.*/)?(?:src/main/)?(?:resources|conf)/(?:[^/]+/){0,4}[^/]+\.(?:ya?ml|properties|conf)"
)
_FILES_MAX = 200
_HOLE = re.compile(r"\$\{(\??)([A-Z][A-Z0-9_]{2,99})(?::([^${}\n]{0,300})(?=\})|(?=[:}]))")
_REMARK = re.compile(r"[ \t]*(?:#|//)+[ \t]?(.*)")

Read = tuple[str, Setting]


@query
def read(facts: Facts) -> tuple[Read, ...]:
    """The variables, with what stands in for them and what is said above."""
    paths = [path for path in facts.tree.paths if _FILES.fullmatch(path) and not is_test(path)]
    return tuple(
        (path, setting)
        for path in paths[:_FILES_MAX]
        for setting in _of(facts.tree.text(path), is_hocon=path.endswith(".conf"))
    )


def _of(text: str, *, is_hocon: bool) -> Iterator[Setting]:
    above: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if remark := _REMARK.fullmatch(line):
            above.append(remark[1])
            continue
        for hole in _HOLE.finditer(line):
            is_required = hole[3] is None and not hole[1] and f"{hole[2]}:" not in line
            doc = first_sentence("\n".join(above))
            if is_hocon or not hole[1]:
                yield Setting(hole[2], "env", number, hole[3], is_required, doc)
        above = []
