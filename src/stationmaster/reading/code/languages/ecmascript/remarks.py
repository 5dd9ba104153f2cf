"""What comments of JavaScript say: remarks about work to do, what is deprecated, and what a file
is about."""

from __future__ import annotations

from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.source import (
    first_sentence,
    line_of,
    marks_of,
    one_line,
    uncommented,
)
from stationmaster.reading.code.model import Mark

_ABOUT = ("@fileoverview", "@file", "@module", "@packageDocumentation")


def marks(module: Module) -> tuple[Mark, ...]:
    """The remarks of comments, and the `@deprecated` of JSDoc; by line and word."""
    found: list[Mark] = []
    for node in module.comments:
        comment = module.source.data[node.start_byte : node.end_byte]
        found += marks_of(comment, line_of(node))
        if comment.startswith(b"/**") and b"@deprecated" in comment:
            before, _, after = uncommented(comment.decode(errors="replace")).partition(
                "@deprecated"
            )
            text = one_line(after.strip().partition("\n\n")[0].partition("\n@")[0])
            found.append(Mark("deprecated", line_of(node) + before.count("\n"), text))
    return tuple(sorted(found, key=lambda each: (each.line, each.word)))


def about(module: Module) -> str:
    """The first sentence of a comment that says that it is about the whole file."""
    for node in module.comments[:3]:
        text = module.source.text(node)
        if text.startswith("/**") and any(sign in text for sign in _ABOUT):
            told = uncommented(text)
            for sign in ("@fileoverview", "@file"):
                before, found, after = told.partition(sign)
                told = after if found else before
            return first_sentence(told.partition("@")[0])
    return ""
