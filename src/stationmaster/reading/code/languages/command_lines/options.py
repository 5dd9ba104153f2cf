"""Options and arguments as they are typed, from what a library is given."""

from __future__ import annotations

from collections.abc import Iterable


def dashed(*names: str | None) -> tuple[str, ...]:
    """`-v` of `v` and `--verbose` of `verbose`; a name with a sign stays as it is, '' is none."""
    signed = (
        it if it[:1] in "-/" else f"-{it}" if len(it) == 1 else f"--{it}" for it in names if it
    )
    return tuple(dict.fromkeys(signed))


def one_of(help_: str, choices: Iterable[str]) -> str:
    """A help with the values that are allowed, if any."""
    listed = ", ".join(choices)
    ended = help_.rstrip()
    ended += "" if ended[-1:] in ("", ".", "?", "!", ":") else "."
    return f"{ended} One of: {listed}.".lstrip() if listed else help_
