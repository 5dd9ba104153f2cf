"""Variables of the environment that functions of a project ask for by what they are given:
`expanded("CACHE_DIR")`, where `expanded` hands its parameter to `os.environ.get` or to another such
function. Whatever the language but Go, which `go_asked` reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stationmaster.reading.code.model import Setting, Symbol
from stationmaster.wiki.facts.code.bindings import meant
from stationmaster.wiki.facts.code.comments import numbered
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.configured.go_calls import arguments
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.model import Facts, query

_ASKS = re.compile(
    r"(?:\b(?i:getenv|GetEnvironmentVariable|environ\.get|env::var|env::var_os|ENV\.fetch)\("
    r"|\b(?:environ|ENV|process\.env)\[)\s{0,20}&?\$?([A-Za-z_]\w{0,60})\s{0,20}[,)\]]"
)
_WORDS = ("getenv", "GetEnvironmentVariable", "environ", "env::var", "ENV", "process.env")
_MADE = (
    r"\b%s\s{0,9}=\s{0,9}(?:format!\(|f|fmt\.)?[\"'`](\w{0,60})\$?\{(\w{1,60})\}(\w{0,60})[\"'`]"
)
"""What a variable of this name is put together from."""
_TEXT = re.compile(r"[\"']([A-Za-z_]\w{1,99})[\"']")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{1,99}")
_PARAMETER = re.compile(r"[&*$.]{0,4}(?:(?:mut|const|final|_)\s+)?(\w{1,60})")
_DEFAULT = re.compile(r"(?i)(?:def|default|fallback|dflt|orelse)\w{0,20}")
_LITERAL = re.compile(r"[\"']([^\"'\n]{0,200})[\"']|(-?\d[\d_.]{0,20}|true|false|True|False)")
_OF_ENVIRONMENT = re.compile(r"(?i)env")
_DEPTH_MAX, _WRAPPERS_MAX, _SETTINGS_MAX, _BODY_MAX = 3, 100, 2_000, 60


class _Wrapper(NamedTuple):
    """A function that asks for the variable that its parameter at a place names, between `before`
    and `after`. `default` is the place of what stands in for it, -1 for none."""

    path: str
    function: Symbol
    place: int
    default: int
    before: str = ""
    after: str = ""


@query
def read(facts: Facts) -> tuple[Read, ...]:
    """The variables, with the files that name them."""
    return tuple(_read(facts))[:_SETTINGS_MAX]


def _read(facts: Facts) -> Iterator[Read]:
    paths = [path for path in sources(facts) if not path.endswith(".go")]
    waiting = [(it, 0) for path in paths for it in _first(facts, path)]
    seen: set[_Wrapper] = set()
    while waiting and len(seen) < _WRAPPERS_MAX:
        wrapper, depth = waiting.pop(0)
        if wrapper in seen:
            continue
        seen.add(wrapper)
        for path in paths:
            for line, given in _uses(facts, wrapper, path):
                written = given[wrapper.place]
                if told := _TEXT.fullmatch(written):
                    name = f"{wrapper.before}{told[1]}{wrapper.after}"
                    if _VARIABLE.fullmatch(name):
                        yield path, Setting(name, "env", line, _default(wrapper, given))
                elif depth < _DEPTH_MAX and (outer := _around(facts, path, line)):
                    found = _wrapper(path, outer, written.strip("&$"))
                    waiting += [(found, depth + 1)] if found and not wrapper.before else []


def _first(facts: Facts, path: str) -> Iterator[_Wrapper]:
    """The functions of a file that ask the environment for what they are given."""
    text = facts.tree.text(path)
    if not any(word in text for word in _WORDS):
        return
    lines = text.split("\n")
    for function in _functions(facts, path):
        body = "\n".join(lines[function.line - 1 : min(function.end, function.line + _BODY_MAX)])
        for name in dict.fromkeys(match[1] for match in _ASKS.finditer(body)):
            made = re.search(_MADE % re.escape(name), body)
            before, inner, after = (made[1], made[2], made[3]) if made else ("", name, "")
            if found := _wrapper(path, function, inner):
                yield found._replace(before=before, after=after)


def _wrapper(path: str, function: Symbol, name: str) -> _Wrapper | None:
    taken = _parameters(function)
    if name not in taken:
        return None
    default = next((at for at, word in enumerate(taken) if _DEFAULT.fullmatch(word)), -1)
    return _Wrapper(path, function, taken.index(name), default)


def _functions(facts: Facts, path: str) -> Iterator[Symbol]:
    """The functions of a file, and those methods whose names say that they read an environment."""
    for symbol in facts.code[path].symbols:
        is_named = symbol.kind == "method" and _OF_ENVIRONMENT.search(symbol.name)
        if symbol.kind == "function" or is_named:
            yield symbol


def _around(facts: Facts, path: str, line: int) -> Symbol | None:
    """The innermost function around a line."""
    around = [it for it in _functions(facts, path) if it.line <= line <= it.end]
    return max(around, key=lambda it: it.line, default=None)


def _parameters(function: Symbol) -> list[str]:
    start = function.signature.find("(", function.signature.find(function.name)) + 1
    taken = []
    for told in arguments(function.signature, start) if start else ():
        bare = told.partition("=")[0].strip()
        named = _PARAMETER.match(bare)
        is_typed_before = ":" not in bare and " " in bare
        word = bare.rpartition(" ")[2] if is_typed_before else named[1] if named else ""
        taken.append(word.strip("&*$."))
    return taken[1:] if taken[:1] in (["self"], ["cls"], ["this"]) else taken


def _uses(facts: Facts, wrapper: _Wrapper, path: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The lines of the calls of a function in a file, and what they give it."""
    text, function = facts.tree.text(path), wrapper.function
    if f"{function.name}(" not in text or not _is_meant(facts, wrapper, path):
        return
    called = re.compile(rf"\b{re.escape(function.name)}\(")
    for line, match in numbered(called, text):
        passed = arguments(text, match.end())
        is_own = path == wrapper.path and line == function.line
        if not is_own and wrapper.place < len(passed):
            yield line, passed


def _is_meant(facts: Facts, wrapper: _Wrapper, path: str) -> bool:
    """Does the name of a function stand for it in a file?"""
    name = wrapper.function.name
    if path == wrapper.path:
        return True
    is_other = any(it.name == name for it in _functions(facts, path))
    if is_other or not any(link.end == wrapper.path for link in links_from(facts, path)):
        return False
    return wrapper.function.kind == "method" or any(
        origin.path in (wrapper.path, path) for origin in meant(facts, path, name)
    )


def _default(wrapper: _Wrapper, given: tuple[str, ...]) -> str | None:
    if not 0 <= wrapper.default < len(given):
        return None
    literal = _LITERAL.fullmatch(given[wrapper.default].rpartition("=")[2].strip())
    return None if literal is None else literal[1] if literal[1] is not None else literal[2]
