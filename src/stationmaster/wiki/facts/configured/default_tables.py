"""Keys that a program has defaults for in one literal table: `DEFAULTS = {"port" => 4000, …}` in a
file that is called after settings; of Ruby, PHP, JavaScript, TypeScript and Python."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.reading.code.model import Setting
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.model import Facts

_FILE = re.compile(
    r"(?i)(?:.*/)?[\w-]{0,40}(?:config|configuration|settings|defaults?)\.(?:rb|php|[cm]?[jt]s|py)"
)
_BEGIN = re.compile(
    r"(?i)[ \t]*(?:(?:private|public|protected|static|const|export|let|var|readonly)[ \t]+){0,5}"
    r"\$?_{0,2}default(?:s|_?config(?:uration)?|_?settings|_?values)?[ \t]*(?::[^=\n]{1,80})?="
    r"[ \t]*(?:(?:Object\.freeze\(|array|dict)[ \t]*)?[\[{(][ \t]*"
)
_KEY = re.compile(r"[ \t]*[\"']?([A-Za-z_$][\w.$-]{0,99})[\"']?[ \t]*(?:=>|:)[ \t]*(\S.*)")
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.){0,300}+\"|'(?:[^'\\]|\\.){0,300}+'")
_REMARK = re.compile(r"[ \t](?:#|//)[ \t]*(\S.*)")
_OPENS, _CLOSES = re.compile(r"[\[{(]"), re.compile(r"[\]})]")
_VALUE = re.compile(
    r"(?:\"((?:[^\"\\$#]|#(?!\{)){0,80})\"|'([^'\\]{0,80})'"
    r"|(-?\d[\d_.]*|(?i:true|false|nil|null|none)|\[[^()\[\]{}$]{0,40}\]|\{\}|array\(\)))"
)
_ROWS_MAX = 1_000
_KEYS_MIN = 3


def read(facts: Facts) -> Iterator[Read]:
    """The keys, those in others below these, with literals as defaults."""
    for path in filter(_FILE.fullmatch, sources(facts)):
        lines = lines_of(facts, path)
        for at, line in enumerate(lines):
            if _BEGIN.fullmatch(line):
                rows = [*_rows(lines[at + 1 : at + _ROWS_MAX], at + 2)]
                yield from ((path, it) for it in rows if len(rows) >= _KEYS_MIN)


def _rows(lines: Sequence[str], start: int) -> Iterator[Setting]:
    """The rows up to the end of the table."""
    holders: list[tuple[str, int]] = []
    is_empty = False
    depth = 0
    for number, line in enumerate(lines, start):
        bare = _TEXT.sub('""', line)
        remark = _REMARK.search(bare)
        bare = bare[: remark.start()] if remark else bare
        opened = len(_OPENS.findall(bare)) - len(_CLOSES.findall(bare))
        key = _KEY.match(line) if depth == len(holders) else None
        if key and opened > 0:
            holders.append((key[1], number))
            is_empty = True
        elif key and opened == 0:
            value = _VALUE.match(key[2])
            whole = value and key[2][value.end() :].lstrip(" \t,;").startswith(("#", "//"))
            is_literal = value and (whole or not key[2][value.end() :].strip(" \t,;"))
            default = next((it for it in value.groups() if it is not None), None) if value else None
            doc = remark[1] if remark else ""
            name = ".".join((*(it for it, _ in holders), key[1]))
            yield Setting(name, "key", number, default if is_literal else None, doc=doc)
            is_empty = False
        depth += opened
        if is_empty and depth < len(holders):  # A list, or a table without names.
            yield Setting(".".join(it for it, _ in holders), "key", holders[-1][1])
            is_empty = False
        holders = holders[: max(depth, 0)]
        if depth < 0:
            return
