"""Settings whose keys are the members of an enum that is called after them, such as those that an
application keeps in its database: `enum SettingKey { Port }`, with what a list sets them to first,
`{Key = SettingKey.Port, Value = "80"}`, and where code asks for one, `Get(SettingKey.Port)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.reading.code.languages.docs import sentence
from stationmaster.reading.code.model import Setting
from stationmaster.wiki.facts.code.comments import lines_of, numbered
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.model import Facts, query

_CALLED = re.compile(
    r"\w{0,60}(?:Settings?|Config(?:uration)?s?|Preferences?|Options?)_?(?:Keys?|Names?)"
)
_MEMBER = re.compile(
    r"[ \t]*(?:case[ \t]+)?([A-Za-z]\w{1,80})[ \t]*(?:=[ \t]*[^,;\n]{1,120})?[,;]?[ \t]*(?://.*)?"
)
_REMARK = re.compile(r"[ \t]*(?:///?|/\*{1,2}|\*/?|#)[ \t]?(.*?)(?:\*/)?[ \t]*")
_MARK = re.compile(r"[ \t]*(?:\[.{1,300}\]|@\w.{0,300})[ \t]*")
_OBSOLETE = re.compile(r"[ \t]*(?:\[Obsolete\b|@[Dd]eprecated\b)")
_FIRST = re.compile(
    r"\b[kK]ey\s{0,9}[=:]\s{0,9}(\w{1,80})(?:\.|::)(\w{1,80})\s{0,9},\s{0,40}[vV]alue\s{0,9}[=:]\s{0,9}"
    r"(?:(\"[^\"\\\n]{0,200}\"|-?\d[\d_.]{0,20}|true|false)\s{0,9}[,})]|(string\.Empty)\b)?"
)
_ASKED = re.compile(
    r"\b(?:[gG]et|[fF]ind|[rR]ead)\w{0,40}\(\s{0,20}(\w{1,80})(?:\.|::)(\w{1,80})\b"
)
_MEMBERS_MIN, _MEMBERS_MAX = 3, 500


@query
def declared(facts: Facts) -> tuple[Read, ...]:
    """The members, called `Enum.Member`, with what is said of them."""
    return tuple((path, it) for path, _, members in _enums(facts) for it in members)


def first(facts: Facts) -> Iterator[Read]:
    """What they are set to first, where a list says it."""
    for path, name, line, match in _matches(facts, _FIRST):
        default = "" if match[4] else match[3].strip('"') if match[3] else None
        yield path, Setting(f"{name}.{match[2]}", "key", line, default)


def asked(facts: Facts) -> Iterator[Read]:
    """Where code asks for one."""
    for path, name, line, match in _matches(facts, _ASKED):
        yield path, Setting(f"{name}.{match[2]}", "key", line)


def bare(name: str) -> str:
    """A key without the enum, whose name says nothing of a single one."""
    holder, _, member = name.partition(".")
    return member if _CALLED.fullmatch(holder) else name


def _matches(facts: Facts, form: re.Pattern[str]) -> Iterator[tuple[str, str, int, re.Match[str]]]:
    for _, name, members in _enums(facts):
        keys = {it.name for it in members}
        for path in sources(facts):
            text = facts.tree.text(path)
            for line, match in numbered(form, text) if name in text else ():
                if match[1] == name and f"{name}.{match[2]}" in keys:
                    yield path, name, line, match


@query
def _enums(facts: Facts) -> tuple[tuple[str, str, tuple[Setting, ...]], ...]:
    enums = []
    for path in sources(facts):
        for symbol in facts.code[path].symbols:
            if symbol.kind == "enum" and _CALLED.fullmatch(symbol.name):
                lines = lines_of(facts, path)[symbol.line - 1 : symbol.end]
                members = tuple(_members(symbol.name, lines, symbol.line))
                if len(members) >= _MEMBERS_MIN:
                    enums.append((path, symbol.name, members[:_MEMBERS_MAX]))
    return tuple(enums)


def _members(name: str, lines: Sequence[str], start: int) -> Iterator[Setting]:
    above: list[str] = []
    is_obsolete = False
    for number, line in enumerate(lines[1:], start + 1):
        remark = _REMARK.fullmatch(line)
        if remark:
            above.append(remark[1])
        elif _MARK.fullmatch(line):
            is_obsolete = is_obsolete or _OBSOLETE.match(line) is not None
        elif member := _MEMBER.fullmatch(line):
            doc = sentence("\n".join(above).strip())
            doc = f"Obsolete. {doc}".strip() if is_obsolete else doc
            yield Setting(f"{name}.{member[1]}", "key", number, doc=doc)
            above, is_obsolete = [], False
        else:
            above, is_obsolete = [], False
