"""Components in one file: a script, a template and styles, as Vue, Svelte and Astro have them.

The script is read as any other of its language. The template is not parsed: it is searched for the
names that the script declares or imports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stationmaster.reading.code.model import Call, FileFacts, Given

LANGUAGES = frozenset({"Astro", "Svelte", "Vue"})
_SCRIPT = re.compile(rb"<script\b((?:[^>\"']|\"[^\"]*\"|'[^']*'){0,400}+)>", re.IGNORECASE)
_TYPE = re.compile(rb"\btype\s*=\s*[\"']?([\w/+.-]*)")
_TYPES = (b"module", b"text/javascript", b"application/javascript", b"text/typescript")
_FRONT = re.compile(rb"\s*---[ \t]*\r?\n")
_FRONT_END = re.compile(rb"^---[ \t]*\r?$", re.MULTILINE)
_HIDDEN = ((b"<!--", b"-->"), (b"<style", b"</style"))
_TAG = re.compile(rb"<([A-Z]\w{0,100}|[a-z]\w{0,60}(?:-\w{1,60}){1,6})\b")
_CALLED = re.compile(rb"(?<![\w.$])([A-Za-z_$][\w$]{0,100})\(")
_PASSED = re.compile(
    rb"(?:[@:][\w.:-]{1,80}|\bv-[\w.:-]{1,80})=\"([A-Za-z_$][\w$]{0,100})\""
    rb"|=\{([A-Za-z_$][\w$]{0,100})\}"
)
_NO_LINE = re.compile(rb"[^\r\n]+")


class Parts(NamedTuple):
    """The script and the template of a component, each with the rest blanked, so that lines keep
    their numbers."""

    script: bytes
    template: bytes


def parts(language: str, data: bytes) -> Parts:
    """The script and the template of a component."""
    script, at = bytearray(), 0
    template = bytearray()
    for start, end in _scripts(language, data):
        outside, inside = data[at:start], data[start:end]
        script += _blank(outside) + inside
        template += outside + _blank(inside)
        at = end
    script += _blank(data[at:])
    template += data[at:]
    return Parts(bytes(script), _shown(bytes(template)))


def add(facts: FileFacts, template: bytes) -> None:
    """Add what a template uses of its script: components, and functions that it calls or passes."""
    names = {name for import_ in facts.imports for name in import_.bound}
    names |= {symbol.name for symbol in facts.symbols if not symbol.container}
    calls = [
        Call(name, line)
        for pattern in (_TAG, _CALLED)
        for name, line in _named(pattern, template)
        if name in names
    ]
    facts.calls = tuple(sorted([*facts.calls, *calls], key=lambda call: call.line))
    passed = (Given(name, line) for name, line in _named(_PASSED, template) if name in names)
    facts.given += tuple(passed)


def _scripts(language: str, data: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    if language == "Astro" and (front := _FRONT.match(data)):
        closing = _FRONT_END.search(data, front.end())
        if closing is not None:
            yield front.end(), closing.start()
            at = closing.end()
    while (opening := _SCRIPT.search(data, at)) is not None:
        at = data.find(b"</script", opening.end())
        if at < 0:
            return
        kind = _TYPE.search(opening[1])
        if kind is None or kind[1].lower() in _TYPES:
            yield opening.end(), at


def _shown(template: bytes) -> bytes:
    """A template without its comments and styles."""
    for begin, close in _HIDDEN:
        kept, at = bytearray(), 0
        while (start := template.find(begin, at)) >= 0:
            end = template.find(close, start)
            end = len(template) if end < 0 else end
            kept += template[at:start] + _blank(template[start:end])
            at = end
        template = bytes(kept) + template[at:]
    return template


def _blank(data: bytes) -> bytes:
    return _NO_LINE.sub(lambda match: b" " * len(match[0]), data)


def _named(pattern: re.Pattern[bytes], template: bytes) -> Iterator[tuple[str, int]]:
    line, at = 1, 0
    for match in pattern.finditer(template):
        line += template.count(b"\n", at, match.start())
        at = match.start()
        name = next(filter(None, match.groups())).decode(errors="replace")
        if "-" in name:  # `<user-card>` is the component `UserCard`.
            name = "".join(word[:1].upper() + word[1:] for word in name.split("-"))
        yield name, line
