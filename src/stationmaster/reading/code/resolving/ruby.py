"""Ruby: what is required, and constants by the path rule.

A constant `Shop::Order` is in a file `shop/order.rb` that declares it; where no file has such a
path, in the only file that declares it.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver, nearest
from stationmaster.reading.projects.paths import folder_of

_HOLDERS = frozenset({"class", "module"})
_ADDED = re.compile(r"(?:^|/)(?:config/initializers|spec|test|features)/|\.rake$")
"""Files that add to what others declare, and are not where one looks for it."""
_LIBRARY = frozenset(
    {
        "abbrev",
        "base64",
        "benchmark",
        "bigdecimal",
        "bundler",
        "cgi",
        "coverage",
        "csv",
        "date",
        "delegate",
        "digest",
        "drb",
        "English",
        "erb",
        "etc",
        "fiddle",
        "fileutils",
        "find",
        "forwardable",
        "getoptlong",
        "io",
        "ipaddr",
        "irb",
        "json",
        "logger",
        "matrix",
        "minitest",
        "monitor",
        "mutex_m",
        "net",
        "objspace",
        "observer",
        "open-uri",
        "open3",
        "openssl",
        "optparse",
        "ostruct",
        "pathname",
        "pp",
        "prettyprint",
        "prime",
        "pstore",
        "psych",
        "pty",
        "racc",
        "rdoc",
        "readline",
        "resolv",
        "ripper",
        "rubygems",
        "securerandom",
        "set",
        "shellwords",
        "singleton",
        "socket",
        "stringio",
        "strscan",
        "syslog",
        "tempfile",
        "time",
        "timeout",
        "tmpdir",
        "tsort",
        "un",
        "uri",
        "weakref",
        "yaml",
        "zlib",
    }
)


def resolver(index: Index) -> Resolver:
    """A function from a file and a `require` or a constant to the file that is meant."""
    paths = index.paths.get("Ruby", ())
    known = frozenset(paths)
    by_end: dict[str, list[str]] = defaultdict(list)
    declared: dict[str, list[str]] = defaultdict(list)
    ruled: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        stem = path.removesuffix(".rb")
        by_end[stem.rpartition("/")[2]].append(path)
        plain = "/" + stem.replace("_", "").lower()
        for each in index.facts(path).symbols:
            if each.kind in _HOLDERS or (each.kind == "constant" and each.container):
                if not _ADDED.search(path):
                    declared[each.qualified].append(path)
                if plain.endswith("/" + each.qualified.replace("_", "").replace(".", "/").lower()):
                    ruled[each.qualified].append(path)

    def required(path: str, name: str) -> Resolved:
        stem = name.removesuffix(".rb")
        folder = folder_of(path)
        roots = [each for each in _roots(folder, stem) if f"{each}.rb" in known]
        found = roots[:1] or nearest(
            path,
            [each for each in by_end[stem.rpartition("/")[2]] if each.endswith(f"/lib/{stem}.rb")],
        )
        if found:
            target = found[0] if found[0].endswith(".rb") else f"{found[0]}.rb"
            return Resolved((target,) if target != path else (), is_builtin=target == path)
        top = stem.partition("/")[0]
        return Resolved(outside=top, is_builtin=top in _LIBRARY)

    def resolve(path: str, given: Import) -> Resolved:
        if given.kind == "include":
            target = posixpath.normpath(posixpath.join(folder_of(path), given.name))
            target = target if target.endswith(".rb") else f"{target}.rb"
            return Resolved((target,)) if target in known and target != path else Resolved()
        if given.kind != "reference":
            return required(path, given.name)
        for name, cut in _meant(index.facts(path), given):
            others = [] if cut else declared.get(name, [])
            candidates = sorted(set(ruled.get(name) or others))
            if path in candidates:
                break
            if candidates and (name in ruled or len(candidates) == 1):
                return Resolved(nearest(path, candidates))
        return Resolved(is_builtin=True)

    return resolve


def _roots(folder: str, stem: str) -> Iterator[str]:
    """Where `require` may find it: the folders that are on its path by convention."""
    yield stem
    yield f"lib/{stem}"
    parts = folder.split("/")
    for count in range(len(parts), 0, -1):
        base = "/".join(parts[:count])
        yield from (f"{base}/{stem}", f"{base}/lib/{stem}")


def _meant(facts: FileFacts, given: Import) -> Iterator[tuple[str, bool]]:
    """The full names that a constant may mean where it stands, the innermost first; and of
    `Shop::Order::LIMIT` what holds it, which is cut off its name."""
    name = given.name.removeprefix("::").replace("::", ".")
    around = "" if given.name.startswith("::") else _around(facts, given.line)
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
    held = [
        symbol
        for symbol in facts.symbols
        if symbol.kind in _HOLDERS and symbol.line <= line <= symbol.end
    ]
    return max(held, key=lambda each: (each.line, len(each.qualified))).qualified if held else ""
