"""Which files of the commit an import leads to: one module a language.

`resolver(index)` returns a function from a file's path and an import to what it leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stationmaster.reading.code.resolving import (
    csharp,
    ecmascript,
    go,
    includes,
    jvm,
    php,
    python,
    ruby,
    rust,
    swift,
)
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver

__all__ = ["Index", "Resolved", "Resolver", "resolver"]

_MODULES: Mapping[str, Callable[[Index], Resolver]] = {
    "Astro": ecmascript.resolver,
    "C": includes.resolver,
    "C#": csharp.resolver,
    "C++": includes.resolver,
    "Go": go.resolver,
    "Java": jvm.resolver,
    "JavaScript": ecmascript.resolver,
    "Kotlin": jvm.resolver,
    "PHP": php.resolver,
    "Python": python.resolver,
    "Ruby": ruby.resolver,
    "Rust": rust.resolver,
    "Svelte": ecmascript.resolver,
    "Swift": swift.resolver,
    "TSX": ecmascript.resolver,
    "TypeScript": ecmascript.resolver,
    "Vue": ecmascript.resolver,
}


def resolver(language: str, index: Index) -> Resolver | None:
    """The resolver of a language; None for one whose imports are not resolved."""
    make = _MODULES.get(language)
    return None if make is None else make(index)
