"""Where programs of Go read the fields of their settings: `cfg.App.SingleUser`, of which the last
two names lead to one field alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.model import Setting
from stationmaster.wiki.facts.code.comments import numbered
from stationmaster.wiki.facts.configured import go_files
from stationmaster.wiki.facts.configured.go_calls import source
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.model import Facts

_READ = re.compile(r"\.([A-Z]\w{0,80})\.([A-Z]\w{0,80})\b(?![ \t]*(?:=(?!=)|:=|[({.]|\+\+))")
"""No call, and nothing that is set."""


def reads(facts: Facts) -> Iterator[Read]:
    """The keys at the lines that read their fields."""
    keys = go_files.fields(facts)
    for path in sources(facts, ".go") if keys else ():
        for line, match in numbered(_READ, source(facts, path)):
            if key := keys.get((match[1], match[2])):
                yield path, Setting(key, "key", line)
