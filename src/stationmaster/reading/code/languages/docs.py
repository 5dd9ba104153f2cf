"""Comments of declarations with tags or markup: those of Java, Kotlin, PHP, Ruby and JavaScript,
and the XML of C#."""

from __future__ import annotations

import re

from stationmaster.reading.code.languages.source import first_sentence
from stationmaster.reading.code.model import DOC_MAX

_TAGS = re.compile(r"^[ \t]*@\w.*", re.MULTILINE | re.DOTALL)
_LINK = re.compile(
    r"(?:\[([^\[\]\n]{1,100})\])?"
    r"\{@(?:link|linkcode|linkplain|see)\s++([^\s{}|()]++(?:\([^{}()]*+\))?)"
    r"(?:\s*+\|)?\s*+([^{}]*+)\}"
)
_INLINE = re.compile(r"\{@(?:inherit[dD]oc[^{}]*+|\w++\s*+([^{}]*+))\}")
_SUMMARY = re.compile(r"<summary>(.{0,4000}?)</summary>", re.DOTALL)
_REFERENCE = re.compile(r"<\w+ (?:cref|name|langword|href)=\"(?:\w:)?([^\"]*)\"\s*/>")
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>")
_CODE = re.compile(r"<pre\b.*?(?:</pre>|\Z)", re.DOTALL)
_BETWEEN = re.compile(r"(?<=\.)\s+(?=[A-Z])")
_MORE_MAX = 2
"""Sentences behind the first."""
_PARAGRAPH = re.compile(r"<p/?>")


def sentence(comment: str, *, has_markup: bool = True) -> str:
    """The first sentence of a comment without comment marks, tags and markup. A link in it is
    replaced by its words, or by its target."""
    return first_sentence(_bare(comment, has_markup=has_markup)) if comment else ""


def sentences(comment: str) -> str:
    """The first sentences of a comment of a setting: later ones say what is special of a value."""
    text = _bare(comment, has_markup=True)
    kept, whole = first_sentence(text), " ".join(text.split())
    rest = whole[len(kept) :] if kept and whole.startswith(kept) else ""
    for more in _BETWEEN.split(rest.strip())[:_MORE_MAX]:
        is_whole = more.endswith(".") and " - " not in more and " * " not in more
        if not is_whole or len(kept) + len(more) >= DOC_MAX:
            break
        kept = f"{kept} {more}"
    return kept


def _bare(comment: str, *, has_markup: bool) -> str:
    summary = _SUMMARY.search(comment) if has_markup and "<summary>" in comment else None
    text = summary[1] if summary else _TAGS.sub("", comment).strip()
    if has_markup and text.startswith("<pre"):
        text = _CODE.sub("", text).strip()
    if has_markup and "<" in text:
        text = _REFERENCE.sub(r"\1", _PARAGRAPH.sub("\n\n", text.removeprefix("<p>")))
        text = _MARKUP.sub("", text)
    if "{@" in text:
        text = _INLINE.sub(lambda inline: _member(inline[1] or ""), _LINK.sub(_words, text))
    return text


def _words(link: re.Match[str]) -> str:
    return link[1] or link[3].strip() or _member(link[2])


def _member(name: str) -> str:
    """A member as it is called everywhere: `Cart.add` of `Cart#add`, but no address."""
    return name if "/" in name else name.replace("#", ".").strip(".")
