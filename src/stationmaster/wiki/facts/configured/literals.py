"""What calls and rows have in them: arguments, and literals."""

from __future__ import annotations

import re

_GIVEN_MAX = 2_000
_LITERAL = re.compile(
    r"\"([^\"\\\n]*)\"|'([^'\n]*)'|(-?\d[\d_.]*|(?i:true|false)"
    r"|(?:\d+\s*\*\s*)?time\.(?:(?:Nano|Micro|Milli)?[Ss]econd|Minute|Hour))"
)


def arguments(text: str, start: int, most: int = _GIVEN_MAX) -> tuple[str, ...]:
    """What stands between brackets, the first of which is before `start`, in `most` letters."""
    given, depth, quote, begin = [], 0, "", start
    for at in range(start, min(start + most, len(text))):
        sign = text[at]
        if quote:
            quote = "" if sign == quote and text[at - 1] != "\\" else quote
        elif sign in "\"`'":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}" and depth:
            depth -= 1
        elif sign in "),]}" and not depth:
            given.append(text[begin:at].strip())
            begin = at + 1
            if sign != ",":
                break
    return tuple(it for it in given if it)


def literal(written: str) -> str | None:
    """What a literal says; None for anything else."""
    match = _LITERAL.fullmatch(written)
    return match[match.lastindex or 0] if match else None
