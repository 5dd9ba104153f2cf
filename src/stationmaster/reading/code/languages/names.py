"""What names of a file stand for: packages, as far as imports prove it, and texts of constants."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stationmaster.reading.code.model import Import

_HELD = re.compile(
    rb"(?:\b(?:const|final|readonly|val)\b[^=\n;{}()]{0,80}?\b|^[ \t]*+(?=[A-Z][A-Z0-9_]++ = ))"
    rb"([A-Z]\w{0,80})(?: ?:[^=\n;{}(),]{1,60})? ?= ?(\"[^\"\\\n]{1,200}\"|'[^'\\\n]{1,200}')",
    re.MULTILINE,
)
"""A constant that is a text."""


def constants(data: bytes) -> dict[str, str]:
    """The texts of the constants of a file by name, without those with several."""
    texts: dict[str, set[str]] = {}
    for name, text in _HELD.findall(data):
        texts.setdefault(name.decode(), set()).add(text[1:-1].decode(errors="replace"))
    return {name: some.pop() for name, some in texts.items() if len(some) == 1}


class Proof:
    """The packages of names, as far as imports prove them."""

    def __init__(self, imports: Iterable[Import], sign: str = ".") -> None:
        self._sign = sign
        self._full: dict[str, str] = {}
        self._wide: list[str] = []
        for import_ in imports:
            if import_.kind == "reference":
                continue
            if import_.names == ("*",):
                self._wide.append(import_.name)
            elif import_.bound:
                member = f"{sign}{import_.names[0]}" if import_.names else ""
                self._full[import_.bound[0]] = import_.name + member
        self._all = [*self._full.values(), *(import_ + sign for import_ in self._wide)]

    def knows(self, name: str) -> bool:
        """True for a plain name that an import binds."""
        return name in self._full

    def of(self, written: str, packages: Iterable[str]) -> bool:
        """True for a name, as written, of a package or of one below it."""
        written = written.lstrip(self._sign)
        first, sign, rest = written.partition(self._sign)
        full = self._full.get(first)
        if full is not None:
            return self._below(f"{full}{sign}{rest}", packages)
        if sign:
            return self._below(written, packages)
        return any(self._below(wide + self._sign, packages) for wide in self._wide)

    def any_of(self, packages: Iterable[str]) -> bool:
        """Whether anything at all is imported from a package or from below it."""
        packages = tuple(packages)
        return any(self._below(name, packages) for name in self._all)

    def _below(self, full: str, packages: Iterable[str]) -> bool:
        return any(full == it or full.startswith(it + self._sign) for it in packages)
