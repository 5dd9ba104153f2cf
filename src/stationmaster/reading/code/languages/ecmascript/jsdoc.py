"""What comments of JavaScript and TypeScript say before their tags: JSDoc, TSDoc."""

from __future__ import annotations

import re

from stationmaster.reading.code.languages.source import first_sentence

_TAGS = re.compile(r"^[ \t]*@[A-Za-z].*", re.MULTILINE | re.DOTALL)
_INHERITED = re.compile(r"\{@inherit[dD]oc[^{}]*\}")
_LINK = re.compile(
    r"(?:\[(?P<before>[^\[\]\n]{1,100})\])?"
    r"\{@(?:link|linkcode|linkplain|see)\s++(?P<to>[^\s{}|]++)"
    r"(?:\s*+\|)?\s*+(?P<label>[^{}]*+)\}"
)


def sentence(comment: str) -> str:
    """The first sentence of a comment whose signs are gone. A tag begins a line; what a link within
    a sentence leads to stands for it, or the words that it is given."""
    text = _TAGS.sub("", comment)
    if "{@" in text:
        text = _LINK.sub(_words, _INHERITED.sub("", text))
    return first_sentence(text)


def _words(link: re.Match[str]) -> str:
    return link["before"] or link["label"].strip() or link["to"]
