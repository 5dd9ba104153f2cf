"""Ruby: what is required, and constants by the path rule.

A constant `Shop::Order` is in a file `shop/order.rb` that declares it; where no file has such a
path, in the only file that declares it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.resolving.model import (
    Index,
    Resolved,
    Resolver,
    beside,
    nearest,
    to_other,
)
from stationmaster.reading.projects.paths import folder_of, parents

_HOLDERS = frozenset({"class", "module"})
_ADDED = re.compile(r"(?:^|/)(?:config/initializers|spec|test|features)/|\.rake$")
"""Files that add to what others declare, and are not where one looks for it."""


def resolver(index: Index) -> Resolver:
    """A function from a file and a `require` or a constant to the file that it names."""
    paths = index.paths.get("Ruby", ())
    present = frozenset(paths)
    by_end: dict[str, list[str]] = defaultdict(list)
    declared: dict[str, list[str]] = defaultdict(list)
    ruled: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        stem = path.removesuffix(".rb")
        by_end[stem.rpartition("/")[2]].append(path)
        plain = "/" + stem.replace("_", "").lower()
        for symbol in index.facts(path).symbols:
            if symbol.kind in _HOLDERS or (symbol.kind == "constant" and symbol.container):
                if not _ADDED.search(path):
                    declared[symbol.qualified].append(path)
                named = symbol.qualified.replace("_", "").replace(".", "/").lower()
                if plain.endswith(f"/{named}"):
                    ruled[symbol.qualified].append(path)

    def required(path: str, name: str) -> Resolved:
        stem = name.removesuffix(".rb")
        folder = folder_of(path)
        roots = [root for root in _roots(folder, stem) if f"{root}.rb" in present]
        ends = by_end[stem.rpartition("/")[2]]
        in_lib = [end for end in ends if end.endswith(f"/lib/{stem}.rb")]
        targets = roots[:1] or nearest(path, in_lib)
        if targets:
            target = targets[0] if targets[0].endswith(".rb") else f"{targets[0]}.rb"
            return to_other(path, target)
        top = stem.partition("/")[0]
        return Resolved(outside=top)

    def resolve(path: str, import_: Import) -> Resolved:
        if import_.kind == "include":
            target = beside(path, import_.name)
            target = target if target.endswith(".rb") else f"{target}.rb"
            return Resolved((target,)) if target in present and target != path else Resolved()
        if import_.kind != "reference":
            return required(path, import_.name)
        for name, cut in _meant(index.facts(path), import_):
            others = [] if cut else declared.get(name, [])
            candidates = sorted(set(ruled.get(name) or others))
            if path in candidates:
                break
            if candidates and (name in ruled or len(candidates) == 1):
                return Resolved(nearest(path, candidates))
        return Resolved(is_settled=True)

    return resolve


def _roots(folder: str, stem: str) -> Iterator[str]:
    """The paths that `require` may find: in the folders of its path by convention."""
    yield stem
    yield f"lib/{stem}"
    for base in parents(folder)[:-1]:
        yield from (f"{base}/{stem}", f"{base}/lib/{stem}")


def _meant(facts: FileFacts, import_: Import) -> Iterator[tuple[str, bool]]:
    """The full names that a constant may have at its place, the innermost first; and for
    `Shop::Order::LIMIT` those of its container, with True for such a shorter name."""
    name = import_.name.removeprefix("::").replace("::", ".")
    around = "" if import_.name.startswith("::") else _around(facts, import_.line)
    whole = name
    while name:
        holder = around
        while True:
            yield (f"{holder}.{name}" if holder else name), name != whole
            if not holder:
                break
            holder = holder.rpartition(".")[0]
        name = name.rpartition(".")[0]


def _around(facts: FileFacts, line: int) -> str:
    """The innermost class or module around a line."""
    holders = [
        symbol
        for symbol in facts.symbols
        if symbol.kind in _HOLDERS and symbol.line <= line <= symbol.end
    ]
    return (
        max(holders, key=lambda symbol: (symbol.line, len(symbol.qualified))).qualified
        if holders
        else ""
    )
