"""What names in a file stand for, by what it declares and by what its imports bring, also through
files that hand names on.

When in doubt a name comes from nowhere.
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
"""Files that hand a name on before it is given up."""


Binding: TypeAlias = tuple[tuple[str, ...], str]
"""The files that an import leads to, and the name there, '' for all of them."""


class File(NamedTuple):
    """`outer` are the symbols that others may name, `bound` what imports bring. `wide` are files of
    which every name can be used; `several` is what imports on different lines bring by one name."""

    outer: Mapping[str, Symbol]
    bound: Mapping[str, Binding]
    wide: tuple[str, ...]
    several: Mapping[str, Sequence[tuple[int, Binding]]]


def outer(code: FileFacts) -> Iterator[Symbol]:
    """The symbols of a file that nothing but modules and namespaces holds."""
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
def files_of(facts: Facts) -> Mapping[str, File]:
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
    """The symbols that others may name, and what they get as the default or the whole; what holds
    a module that is required is none, and a macro gives way to what has its name."""
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
    for import_, ends in zip(imports, targets, strict=False):
        if not ends:
            continue
        line = import_.line
        if import_.kind == "reference" or not (import_.names or import_.bound):
            word = _SIGNS.split(import_.name)[-1]
            is_whole = import_.kind == "reference" and "::" in import_.name
            yield line, dotted(import_.name) if is_whole else word, (ends, word)
            yield from ((line, it, (ends, word)) for it in import_.bound if "\\" in it)
        elif import_.names:
            # A path that is written out binds no name but itself.
            paths = import_.bound or [f"{import_.name}::{name}" for name in import_.names]
            for name, bound in zip(import_.names, paths, strict=False):
                yield line, bound, (ends, "" if name == "*" else name)
        else:
            yield line, import_.bound[0], (ends, _type_of(import_, ends))


def _wide(imports: tuple[Import, ...], targets: list[tuple[str, ...]]) -> tuple[str, ...]:
    whole = (ends for import_, ends in zip(imports, targets, strict=False) if "*" in import_.names)
    return tuple(dict.fromkeys(target for ends in whole for target in ends))


def _type_of(import_: Import, ends: tuple[str, ...]) -> str:
    """The type that an import names, where files are called as their types are, also one within
    another; '' for a module."""
    words = _SIGNS.split(import_.name)
    stems = {path.rpartition("/")[2].partition(".")[0] for path in ends}
    chains = [it for it in (words[-1:], words[-2:]) if it[0] in stems]
    return next((".".join(it) for it in chains if all(word[:1].isupper() for word in it)), "")


def inside(files: Mapping[str, File], file: File, name: str) -> tuple[str, ...]:
    """The files of a module that a name stands for, also through files that hand it on; () where it
    stands for something else."""
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
        handing = [it for target in targets if (it := _passes_on(files, target, wanted))]
        if len(handing) != 1:
            break
        targets, wanted = handing[0]
    return ()


def _passes_on(files: Mapping[str, File], path: str, name: str) -> Binding | None:
    file = files.get(path)
    return file.bound.get(name) if file is not None and name not in file.outer else None


def through(files: Mapping[str, File], path: str, name: str) -> Spot | None:
    """Where a name that a file imports is declared, through files that hand it on."""
    for _ in range(_HOPS_MAX):
        if (file := files.get(path)) is None:
            return None
        targets, wanted = file.bound.get(name, (file.wide, name))
        spot = declared(files, targets, wanted)
        if spot is not None or not wanted:
            return spot
        others = {target: files[target] for target in targets if target in files}
        handing = [target for target, other in others.items() if wanted in other.bound] or [
            target for target, other in others.items() if other.wide
        ]
        if len(handing) != 1 or (handing[0], wanted) == (path, name):
            return None
        path, name = handing[0], wanted
    return None


def declared(files: Mapping[str, File], targets: tuple[str, ...], name: str) -> Spot | None:
    """The one file of several that declares a name."""
    declaring = [target for target in targets if target in files and name in files[target].outer]
    return (
        Spot(declaring[0], files[declaring[0]].outer[name].qualified)
        if len(declaring) == 1
        else None
    )


def dotted(constant: str) -> str:
    """`Shop.Cart` of Ruby's `::Shop::Cart`."""
    return constant.removeprefix("::").replace("::", ".")
