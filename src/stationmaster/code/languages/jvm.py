"""What Java and Kotlin share. Source: wiki reference, 6.5."""

from __future__ import annotations

import re

from stationmaster.code.languages.source import first_sentence

KNOWN = frozenset({
    "Any", "Array", "Boolean", "Byte", "CharSequence", "Character", "Class", "Comparable",
    "Deprecated", "Double", "Enum", "Error", "Exception", "Float", "FunctionalInterface",
    "IllegalArgumentException", "IllegalStateException", "Int", "Integer", "Iterable", "List",
    "Long", "Map", "Math", "MutableList", "MutableMap", "Nothing", "Number", "Object", "Override",
    "Pair", "RuntimeException", "SafeVarargs", "Set", "Short", "String", "StringBuilder",
    "Suppress", "SuppressWarnings", "System", "T", "Thread", "Throwable", "Unit",
    "UnsupportedOperationException", "Void",
})  # fmt: skip
"""Names that no file imports, and that are of the language."""
_TAG_LINE = re.compile(r"^\s*@\w.*", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"\{@\w+\s*([^{}]*)\}")
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>")


def sentence(comment: str) -> str:
    """The first sentence of Javadoc, KDoc or PHPDoc without its signs, tags and markup."""
    if not comment:
        return ""
    told = _TAG_LINE.sub("", comment)
    if "<" in told:
        told = re.sub(r"<p/?>", "\n\n", told.strip().removeprefix("<p>"))
        told = _MARKUP.sub("", told)
    if "{@" in told:
        told = _INLINE.sub(lambda found: found[1].replace("#", ".").strip("."), told)
    return first_sentence(told)
