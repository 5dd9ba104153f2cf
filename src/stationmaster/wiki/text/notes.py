"""Notes that documents set apart, as words: `!!! danger "Keys"` of MkDocs, `> [!WARNING]` of
GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_FENCE = re.compile(r"\s{0,20}(```|~~~)")
_NOTE = re.compile(
    r"(?P<indent>\s{0,20})(?:!!!|\?{3}\+?)[ \t]{1,4}(?P<kind>[A-Za-z][\w-]{1,20})"
    r"(?: [a-z][a-z ]{0,30})?(?:[ \t]{1,4}\"(?P<title>[^\"]{0,120})\")?[ \t]*"
)
_ALERT = re.compile(r"(?P<indent>\s{0,3}>\s{0,3})\[!(?P<kind>[A-Za-z]{2,20})\][-+]?[ \t]*")
_INNER = 4
"""How much further in the words of a note are."""


IN_WORDS = re.compile(r"\*\*[A-Z][a-z-]{1,20}(?: \([^()]{1,120}\))?:\*\* ")
"""How a note begins in words."""


def in_words(lines: Sequence[str]) -> list[str]:
    """Lines of a document in which a note begins with its kind: `**Danger (Keys):** Keep them.`"""
    return [*_in_words(lines)]


def _in_words(lines: Sequence[str]) -> Iterator[str]:
    fence, begun, inner = "", "", ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark is not None and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        if inner and line.strip() and not line.startswith(inner):
            inner = ""
        note = None if fence or inner else _NOTE.fullmatch(line) or _ALERT.fullmatch(line)
        if note is not None:
            yield from (begun.rstrip(),) if begun else ()
            begun = f"{note['indent']}{_called(note)} "
            inner = f"{note['indent']}{' ' * _INNER}" if note.re is _NOTE else ""
            continue
        shown = line.removeprefix(inner[:-_INNER] + " " * _INNER) if inner else line
        shown = f"{inner[:-_INNER]}{shown}" if inner and shown.strip() else shown
        if begun and line.strip(" >"):
            is_plain = not shown.lstrip(" >").startswith(("```", "~~~", "|", "-", "*", "+", "#"))
            words = shown.lstrip(" >") if is_plain else ""
            yield f"{begun}{words}".rstrip()
            if not is_plain:
                yield from ("", shown)
            begun = ""
        elif not begun:
            yield shown
    if begun:
        yield begun.rstrip()


def _called(note: re.Match[str]) -> str:
    kind = note["kind"].capitalize()
    title = note.groupdict().get("title") or ""
    return f"**{kind} ({title}):**" if title and title.lower() != kind.lower() else f"**{kind}:**"
