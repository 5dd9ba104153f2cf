"""What names in a file refer to, by its declarations and its imports, also through files that
reexport names.

A name that is ambiguous is not resolved.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from stationmaster.reading.code.model import FileFacts, Import, Symbol
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.model import Facts, Spot, query

_SIGNS = re.compile(r"::|[.\\/]")
_MADE = ("function", "method", "constructor", "class")
_INNER = ("class", "enum", "interface", "object")
_HOPS_MAX = 4
"""Files that reexport a name, at most; behind them it is not resolved."""


Binding: TypeAlias = tuple[tuple[str, ...], str]
"""The files that an import leads to, and the name there, '' for all of them."""


class File(NamedTuple):
    """The names of a file: `outer` are the symbols that other files may name, `bound` the names
    that imports bind. `wide` are files of which every name can be used; `several` are names that
    imports on different lines bind."""

    outer: Mapping[str, Symbol]
    bound: Mapping[str, Binding]
    wide: tuple[str, ...]
    several: Mapping[str, Sequence[tuple[int, Binding]]]


def outer(code: FileFacts) -> Iterator[Symbol]:
    """The symbols of a file that only modules and namespaces contain."""
    spaces = {""}
    types = {symbol.qualified for symbol in code.symbols}
    for symbol in code.symbols:
        if symbol.kind in ("class", "module") and symbol.container not in types:
            spaces.add(symbol.container)  # `class Shop::Cart`
        if symbol.container in spaces:
            yield symbol
            if symbol.kind == "module":
                spaces.add(symbol.qualified)


@query
def files_of(facts: Facts) -> dict[str, File]:
    resolved = all_links(facts).resolved
    return {
        path: _file(code, [it.targets for it in resolved.get(path, ())])
        for path, code in facts.code.items()
    }


def _file(code: FileFacts, targets: list[tuple[str, ...]]) -> File:
    rows: dict[str, list[tuple[int, Binding]]] = defaultdict(list)
    for line, name, binding in _bound(code.imports, targets):
        rows[name].append((line, binding))
    several = {name: bound for name, bound in rows.items() if len({it for _, it in bound}) > 1}
    bound = {name: bound[-1][1] for name, bound in rows.items()}
    return File(_by_name(code), bound, _wide(code.imports, targets), several)


def _by_name(code: FileFacts) -> Mapping[str, Symbol]:
    """The symbols that other files may name, and the default export under '' and `default`; without
    variables of required modules. Another symbol replaces a macro of the same name."""
    required = {symbol.bound[0] for symbol in code.imports if symbol.bound and not symbol.names}
    symbols = {
        symbol.name: symbol
        for symbol in sorted(outer(code), key=lambda symbol: symbol.kind == "macro")[::-1]
        if symbol.kind in _MADE or symbol.name not in required
    }
    symbols |= {it.qualified: it for it in code.symbols if it.kind in _INNER and it.container}
    default = symbols.get(code.default)
    if default is not None and default.kind in _MADE:
        return {**symbols, "": default, "default": default}
    return symbols


def _bound(
    imports: tuple[Import, ...], targets: list[tuple[str, ...]]
) -> Iterator[tuple[int, str, Binding]]:
    # The last one counts: what a module has, before the module of that name.
    of_modules_first = sorted(
        zip(imports, targets, strict=False), key=lambda it: it[0].kind != "include"
    )
    for import_, ends in of_modules_first:
        if not ends:
            continue
        line = import_.line
        if import_.kind == "reference" or not (import_.names or import_.bound):
            word = _SIGNS.split(import_.name)[-1]
            is_whole = import_.kind == "reference" and "::" in import_.name
            yield line, dotted(import_.name) if is_whole else word, (ends, word)
            yield from ((line, it, (ends, word)) for it in import_.bound if "\\" in it)
        elif import_.names:
            # A full path binds only itself.
            paths = import_.bound or [f"{import_.name}::{name}" for name in import_.names]
            for name, bound in zip(import_.names, paths, strict=False):
                yield line, bound, (ends, "" if name == "*" else name)
        else:
            yield line, import_.bound[0], (ends, _type_of(import_, ends))


def _wide(imports: tuple[Import, ...], targets: list[tuple[str, ...]]) -> tuple[str, ...]:
    whole = (ends for import_, ends in zip(imports, targets, strict=False) if "*" in import_.names)
    return tuple(dict.fromkeys(target for ends in whole for target in ends))


def _type_of(import_: Import, ends: tuple[str, ...]) -> str:
    """The type that an import names, also a nested one, where files are named after their types; ''
    for a module."""
    words = _SIGNS.split(import_.name)
    stems = {path.rpartition("/")[2].partition(".")[0] for path in ends}
    chains = [it for it in (words[-1:], words[-2:]) if it[0] in stems]
    return next((".".join(it) for it in chains if all(word[:1].isupper() for word in it)), "")


def inside(files: Mapping[str, File], file: File, name: str) -> tuple[str, ...]:
    """The files of the module that a name refers to, also through files that reexport it; () where
    it refers to no module."""
    targets, wanted = file.bound.get(name, ((), name))
    for _ in range(_HOPS_MAX):
        if not wanted:
            return targets
        called_so = tuple(
            target for target in targets
            if target.rpartition(".")[0].removesuffix("/__init__").rpartition("/")[2] == wanted
        )  # fmt: skip
        if called_so:
            return called_so
        reexporting = [it for target in targets if (it := _reexported(files, target, wanted))]
        if len(reexporting) != 1:
            break
        targets, wanted = reexporting[0]
    return ()


def _reexported(files: Mapping[str, File], path: str, name: str) -> Binding | None:
    file = files.get(path)
    return file.bound.get(name) if file is not None and name not in file.outer else None


def through(files: Mapping[str, File], path: str, name: str) -> Spot | None:
    """Where a name that a file imports is declared, also through files that reexport it."""
    for _ in range(_HOPS_MAX):
        if (file := files.get(path)) is None:
            return None
        targets, wanted = file.bound.get(name, (file.wide, name))
        spot = declared(files, targets, wanted)
        if spot is not None or not wanted:
            return spot
        others = {target: files[target] for target in targets if target in files}
        reexporting = [target for target, other in others.items() if wanted in other.bound] or [
            target for target, other in others.items() if other.wide
        ]
        if len(reexporting) != 1 or (reexporting[0], wanted) == (path, name):
            return None
        path, name = reexporting[0], wanted
    return None


def declared(files: Mapping[str, File], targets: tuple[str, ...], name: str) -> Spot | None:
    """The declaration of a name in the only one of some files that has one; else None."""
    declaring = [target for target in targets if target in files and name in files[target].outer]
    return (
        Spot(declaring[0], files[declaring[0]].outer[name].qualified)
        if len(declaring) == 1
        else None
    )


def dotted(constant: str) -> str:
    """`Shop.Cart` of Ruby's `::Shop::Cart`."""
    return constant.removeprefix("::").replace("::", ".")
