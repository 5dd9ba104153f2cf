"""Finding paths by patterns, quickly among a hundred thousand.

`*` and `?` stay within a name, `**` crosses folders and may match none, `[a-z]` is one letter,
`{a,b}` either. Only candidates that share the pattern's file name, ending or folder are compared.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache, partial

from stationmaster.catalogue.table import matching

_BRACES = re.compile(r"\{([^{}]{0,500})\}")
_CROSSING = re.compile(r"(?<![^/])\*\*/|\*\*")
_WILD = re.compile(r"[*?\[{]")
_NAME = re.compile(r"(?:[^*?\[{]|\*(?!\*))+")
"""A name in which only stars are wild."""
_ALTERNATIVES_MAX = 200
_PATTERN_MAX = 1000
_STARS_MAX = 10
_NAMES_MAX = 1_000


def alternatives(pattern: str) -> list[str]:
    """A pattern with braces as patterns without."""
    done: list[str] = []
    waiting = [pattern]
    while waiting and len(done) + len(waiting) <= _ALTERNATIVES_MAX:
        glob = waiting.pop()
        match = _BRACES.search(glob)
        if match is None:
            done.append(glob)
        else:
            waiting += [
                glob[: match.start()] + part + glob[match.end() :] for part in match[1].split(",")
            ]
    return done


@lru_cache(maxsize=4096)
def compiled(pattern: str, *, any_case: bool = False) -> re.Pattern[str]:
    """The whole of a path matches it, or does not; a pattern of too many stars matches nothing."""
    return re.compile(_expression(pattern), re.DOTALL | (re.IGNORECASE if any_case else 0))


def any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """The whole of a path matches one of the patterns, which may have braces."""
    plain = (
        alternative
        for pattern in patterns
        for alternative in alternatives(pattern.removeprefix("./"))
    )
    return re.compile("|".join(map(_expression, plain)) or "(?!)", re.DOTALL)


def _expression(pattern: str) -> str:
    """A pattern as an expression that takes a time linear in the path for each star.

    The text between two stars is matched at its first place only (`(?>…)`): a later place leaves
    less for what follows, so it cannot match more.
    """
    if pattern.count("*") > _STARS_MAX or len(pattern) > _PATTERN_MAX:
        return "(?!)"
    pattern = re.sub(r"(?:\*\*/){2,}", "**/", re.sub(r"\*{3,}", "**", pattern))
    first, *others = _CROSSING.split(pattern)
    crossings = _CROSSING.findall(pattern)
    parts = [_within_folders(first)]
    for number, (crossing, block) in enumerate(zip(crossings, others, strict=True)):
        wild = r"(?:[^/]+/)*" if crossing == "**/" else ".*"
        is_last = number == len(others) - 1
        parts.append(
            f"{wild}{_within_folders(block)}" if is_last else f"(?>{wild}?{_within_folders(block)})"
        )
    return "".join(parts)


def _within_folders(block: str) -> str:
    """Of a pattern, or a part of one, without `**`."""
    return "/".join(map(_within_name, block.split("/")))


def _within_name(name: str) -> str:
    first, *others = _starred(name)
    if not others:
        return first
    return first + "".join(f"(?>[^/]*?{other})" for other in others[:-1]) + f"[^/]*?{others[-1]}"


def _starred(name: str) -> list[str]:
    """The expressions of the parts of a name between its stars."""
    parts, at = [""], 0
    while at < len(name):
        if name[at] == "*":
            parts.append("")
            at += 1
        else:
            part, at = _one(name, at)
            parts[-1] += part
    return parts


def _one(pattern: str, at: int) -> tuple[str, int]:
    letter = pattern[at]
    if letter == "?":
        return "[^/]", at + 1
    end = pattern.find("]", at + 2)
    if letter == "[" and end > 0:
        inside = pattern[at + 1 : end]
        negated = inside.startswith(("!", "^"))
        escaped = re.sub(r"([\\\[\]&~|^])", r"\\\1", inside[1:] if negated else inside)
        try:
            re.compile(f"[{escaped}]")
        except re.error:
            return re.escape(pattern[at : end + 1]), end + 1
        return f"[{'^/' if negated else ''}{escaped}]", end + 1
    return re.escape(letter), at + 1


class Index:
    """Paths to look patterns up in; answers are sorted."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._sorted = sorted(paths)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_ending: dict[str, list[str]] = defaultdict(list)
        for path in self._sorted:
            name = path[path.rfind("/") + 1 :].lower()
            self._by_name[name].append(path)
            self._by_ending[name[name.rfind(".") + 1 :]].append(path)
        self._names = sorted(self._by_name)
        folders = {path[: path.rfind("/")].lower() for path in self._sorted if "/" in path}
        self._folders = {name for folder in folders for name in folder.split("/")}
        self._results: dict[tuple[object, ...], Sequence[str]] = {}

    def find(
        self, patterns: Sequence[str], *, under: str = ".", any_case: bool = False
    ) -> Sequence[str]:
        """The paths that match any of the patterns, which begin at the folder `under`."""
        key = (tuple(patterns), under, any_case)
        if key not in self._results:
            prefix = "" if under == "." else under + "/"
            paths: set[str] = set()
            for braced in patterns:
                for pattern in alternatives(braced):
                    paths.update(self._matching(prefix, pattern.removeprefix("./"), any_case))
            self._results[key] = sorted(paths)
        return self._results[key]

    def below(self, prefix: str) -> Sequence[str]:
        """The paths that begin so."""
        if not prefix:
            return self._sorted
        return _beginning(self._sorted, prefix)

    def _named_from(self, start: str) -> Sequence[str]:
        """The files whose names begin so, in lower case; all of them where there are too many."""
        names = _beginning(self._names, start)
        if len(names) > _NAMES_MAX:
            return self._sorted
        return [path for name in names for path in self._by_name[name]]

    def _matching(self, prefix: str, pattern: str, any_case: bool) -> Sequence[str]:
        if prefix and pattern.startswith("**/"):
            # It matches from any folder what it matches from the root: looked for once.
            everywhere = self.find((pattern,), any_case=any_case)
            return _beginning(everywhere, prefix)
        plain = pattern.removeprefix("**/")
        *folders, name = plain.split("/")
        if not all(_WILD.search(folder) or folder.lower() in self._folders for folder in folders):
            return []
        if _WILD.search(plain):
            paths = self._candidates(prefix, pattern, any_case)
        else:
            paths = self._by_name.get(name.lower(), ())
        paths = [path for path in paths if path.startswith(prefix)]
        # An expression costs more to make than most patterns have to find.
        if _NAME.fullmatch(name) and pattern.count("*") <= _STARS_MAX:
            paths = _named(paths, name, any_case)
            if not _WILD.search("".join(folders)):
                is_in = partial(_is_in, "/".join(folders), plain != pattern, any_case)
                return [path for path in paths if is_in(path[len(prefix) :])]
        test = compiled(pattern, any_case=any_case) if paths else None
        return [path for path in paths if test is not None and test.fullmatch(path, len(prefix))]

    def _candidates(self, prefix: str, pattern: str, any_case: bool) -> Sequence[str]:
        folder, _, name = pattern.rpartition("/")
        named: Sequence[str]
        if not _WILD.search(name):
            named = self._by_name.get(name.lower(), ())
        else:
            ending = name[name.rfind(".") + 1 :]
            is_plain = "." in name and not _WILD.search(ending) and not ending.endswith("]")
            named = self._by_ending.get(ending.lower(), ()) if is_plain else self._sorted
            if start := _WILD.split(name, maxsplit=1)[0].lower():
                beginning = self._named_from(start)
                named = beginning if len(beginning) < len(named) else named
        if not any_case:
            wild = _WILD.search(folder)
            start = folder if wild is None else folder[: wild.start()]
            start = start + "/" if wild is None and folder else start[: start.rfind("/") + 1]
            prefix += start
        below = self.below(prefix)
        return named if len(named) < len(below) else below


def _beginning(ordered: Sequence[str], start: str) -> Sequence[str]:
    """The texts of a sorted sequence with a prefix."""
    low = bisect_left(ordered, start)
    return ordered[low : bisect_right(ordered, start, low, key=lambda text: text[: len(start)])]


def _named(paths: Sequence[str], name: str, any_case: bool) -> Sequence[str]:
    """The paths whose last part matches a name in which only stars are wild."""
    lasts = [path[path.rfind("/") + 1 :] for path in paths]
    if any_case:
        lasts, name = [last.lower() for last in lasts], name.lower()
    names = matching(frozenset(lasts), (name,))
    return [path for path, last in zip(paths, lasts, strict=True) if last in names]


def _is_in(folder: str, is_anywhere: bool, any_case: bool, path: str) -> bool:
    """Is a path in a folder itself, of that name at the root or anywhere?"""
    inside = path.rpartition("/")[0]
    if any_case:
        inside, folder = inside.lower(), folder.lower()
    return inside == folder or (is_anywhere and (not folder or inside.endswith(f"/{folder}")))
