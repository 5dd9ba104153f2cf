"""Keys of shipped properties that a comment describes: those that are commented out below it, and
what tags say of all (`@type: integer`, `@required`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.explaining import comment_above
from stationmaster.reading.code.model import Setting
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.configured import setting_files
from stationmaster.wiki.facts.configured.go_structs import Read
from stationmaster.wiki.facts.configured.mentioned import above
from stationmaster.wiki.facts.model import Facts

_ROW = re.compile(
    r"(#[ \t]*+)?([a-z][\w-]{0,60}(?:\.[\w-]{1,60}){1,12})[ \t]*+=[ \t]*+(\S{0,200})[ \t]*+"
)
_TYPE = re.compile(r"(?m)^#[ \t]*@type:?[ \t]+([a-z]\w{1,30})[ \t]*$")
_REQUIRED = re.compile(r"(?m)^#[ \t]*@required[ \t]*$")


def declared(facts: Facts) -> Iterator[Read]:
    """The keys, without the values that show how they are written."""
    for path in setting_files.files(facts):
        if path.endswith(".properties") and not setting_files.profile(path):
            yield from ((path, it) for it in _rows(facts, path))


def _rows(facts: Facts, path: str) -> Iterator[Setting]:
    lines = lines_of(facts, path)
    rows = [(at, it) for at, line in enumerate(lines, 1) if (it := _ROW.fullmatch(line))]
    used = {it[2] for _, it in rows if not it[1]}
    areas = {name.partition(".")[0] for name in used}
    for line, row in rows:
        span = comment_above(lines, line)
        words = "\n".join(lines[span[0] - 1 : span[1]]) if span else ""
        type_ = _TYPE.search(words)
        is_required = not row[3] and _REQUIRED.search(words) is not None
        is_out = row[1] and row[2] not in used and row[2].partition(".")[0] in areas
        doc = above(lines, line) if is_out else ""
        if doc or (not row[1] and (type_ or is_required)):
            kind = type_[1] if type_ else ""
            yield Setting(row[2], "key", line, None, is_required, doc, type=kind)
