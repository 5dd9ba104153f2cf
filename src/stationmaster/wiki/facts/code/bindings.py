"""The symbols that names in files refer to, across files: through the imports that bind them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from stationmaster.reading.code.model import FileFacts, Import, Symbol
from stationmaster.reading.code.resolving import Resolved
from stationmaster.reading.code.signatures import arguments_from
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.secrets import is_secret_name

STEPS_MAX = 6
"""Files that reexport a name, at most."""
_CALLED = re.compile(r"""^(?:await\s+)?(?:require|import)\(\s*['"]([^'"]+)['"]\s*\)(.*)$""")


CONSTANTS_MAX, VALUE_MAX, LINE_MAX = 8, 120, 300
"""Constants of a function, characters of a value, and characters of a line that are read."""
_VALUE_LINES_MAX = 6
_NAMED = re.compile(r"\b(?:\w{1,60}(?:\.|::)){0,3}[A-Za-z_]\w{2,80}\b(?!\()")
_VALUE = re.compile(r"(?<![=!<>:])=(?![=>])\s*(.+)$")
_WORD = re.compile(r"\w+")
_BESIDE = (
    r"^((?:[^\"'`%s]|\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|`[^`]*+`|%s)*+)(?<=[\s;,])(?:%s).*"
)
_REMARKS = {
    "//": re.compile(_BESIDE % ("/", "/(?!/)", "//")),
    "# ": re.compile(_BESIDE % ("#", "#(?! )", "# ")),
}
"""A comment behind a value in a line, by the sign that begins it; before it are texts, and signs
that begin no comment."""
_SET = re.compile(r"\s*(\w+)\s*=(?!=)\s*(\S.*)")
_LITERAL = re.compile(
    r"[\d\"'`\[{(:/&%+-]|r[\"'#]|(?:frozenset|timedelta|Duration|time)\b|(?:true|false|True|False)$"
)
"""The beginning of literal values of constants."""


class Constant(msgspec.Struct, frozen=True, array_like=True):
    """A name with the value that it is set to, and where."""

    name: str
    value: str
    path: str
    line: int


def meant(facts: Facts, path: str, words: str) -> tuple[Spot, ...]:
    """The symbol that an expression such as `users.router` or `handler` refers to, as a name in the
    file that declares it: several where a package has several files; () where an import is not
    resolved."""
    words = words.strip().removeprefix("self.").removeprefix("this.").removeprefix("&")
    words = words.partition("(")[0].replace("::", ".") if not _CALLED.match(words) else words
    for _ in range(STEPS_MAX):
        spots = _through(facts, path, words)
        if spots is None:
            return (Spot(_beside(facts, path, words), words),)
        if len(spots) != 1 or spots[0] == Spot(path, words):
            return tuple(spots)
        path, words = spots[0]
    return (Spot(path, words),)


def handed_on(facts: Facts, path: str) -> tuple[str, ...]:
    """The files with code of ours all of whose names a file of JavaScript reexports, or one of
    Python imports."""
    code = facts.code.get(path)
    return tuple(
        target
        for import_, resolved in (_bound(facts, path, code) if code else ())
        if import_.names == ("*",) and (import_.kind == "reexport" or path.endswith(".py"))
        for target in resolved.targets
        if target in facts.code
    )


def declaration(facts: Facts, path: str, words: str) -> tuple[str, Symbol] | None:
    """The file and symbol that an expression names; None for none or several."""
    declared = [
        (spot.path, symbol)
        for spot in meant(facts, path, words)
        for symbols in (_symbols(facts, spot.path),)
        if (symbol := symbols.get(spot.name) or symbols.get(words.replace("::", "."))) is not None
    ]
    if declared:
        return declared[0] if len(declared) == 1 else None
    # A full name, as of tasks in schedules: `shop.tasks.clean`.
    module, _, name = words.rpartition(".")
    file = file_of_module(facts, module) if module else ""
    named = _symbols(facts, file).get(name) if file else None
    return (file, named) if named else None


@query
def file_of_module(facts: Facts, dotted: str) -> str:
    """The file of a dotted module such as `shop.urls`, '' for none or several."""
    files = _modules(facts).get(dotted, ())
    return files[0] if len(files) == 1 else ""


@query
def constants(facts: Facts, path: str, name: str) -> tuple[Constant, ...]:
    """The constants of the repository that a function uses, in the order in which it names them,
    with their values where these are short."""
    symbol = next((it for it in facts.code[path].symbols if it.qualified == name), None)
    lines = _lines(facts, path)[symbol.line : symbol.end] if symbol else ()
    named: dict[str, Constant] = {}
    own = _constants(facts, path)
    for match in _NAMED.finditer("\n".join(line[:LINE_MAX] for line in lines)):
        words = match[0].replace("::", ".").removeprefix("self.").removeprefix("Self.")
        last = words.rpartition(".")[2]
        scope, end = name, None
        while end is None and last in own:  # Of a type around the function, else of the file.
            scope = scope.rpartition(".")[0]
            end = own[last].get(scope)
            if not scope:
                break
        where = (path, end) if end else None
        if where is None and last.isupper() and "_" in last:
            where = declaration(facts, path, words)
        if where is not None and where[1].kind == "constant" and last not in named:
            value = constant_value(facts, *where)
            if value and not is_secret_name(last):
                named[last] = Constant(last, value, where[0], where[1].line)
        if len(named) == CONSTANTS_MAX:
            break
    return tuple(named.values())


@query
def _lines(facts: Facts, path: str) -> Sequence[str]:
    return facts.tree.text(path).split("\n")


@query
def _constants(facts: Facts, path: str) -> Mapping[str, Mapping[str, Symbol]]:
    """The constants of a file by their name and their container."""
    by_name: dict[str, dict[str, Symbol]] = {}
    for symbol in facts.code[path].symbols:
        if symbol.kind == "constant":
            by_name.setdefault(symbol.name, {}).setdefault(symbol.container, symbol)
    return by_name


def constant_value(facts: Facts, path: str, symbol: Symbol) -> str:
    """The value of a constant; '' for a long one, or where it is not a literal."""
    if symbol.end - symbol.line > _VALUE_LINES_MAX:
        return ""
    lines = _lines(facts, path)[symbol.line - 1 : symbol.end]
    remark = _REMARKS["# " if path.endswith((".py", ".rb")) else "//"]
    text = " ".join(remark.sub(r"\1", line[:LINE_MAX]).strip() for line in lines)[: 2 * VALUE_MAX]
    assigned = _VALUE.search(text)
    value = (
        _own_value(symbol.name, text[: assigned.start()], assigned[1].rstrip(" ;,"))
        if assigned
        else ""
    )
    return value if _LITERAL.match(value) and len(value) <= VALUE_MAX else ""


def _own_value(name: str, before: str, value: str) -> str:
    """The value of one of the names of a declaration such as `a, b = 1, 2` or `a = 1, b = 2`; ''
    where it is not certain."""
    names, values = before.split(","), arguments_from(f"{value})", 0)
    if len(names) > 1:
        own = [at for at, declared_name in enumerate(names) if name in _WORD.findall(declared_name)]
        return values[own[0]] if len(own) == 1 and len(names) == len(values) else ""
    others = {
        match[1]: match[2]
        for declared_name in values[1:]
        if (match := _SET.fullmatch(declared_name))
    }
    return others.get(name, values[0]) if others else value


def _through(facts: Facts, path: str, words: str) -> list[Spot] | None:
    """One step along the import that binds the first word; None where no import does."""
    code = facts.code.get(path)
    if code is None or not words:
        return None
    required = _CALLED.match(words)
    for import_, resolved in _bound(facts, path, code):
        if required:
            if import_.name == required[1]:
                rest = required[2].strip().lstrip(".")
                return [Spot(target, rest or "default") for target in resolved.targets]
            continue
        spots = _imported(facts, words, import_, resolved)
        if spots is not None:
            return spots
    first = words.partition(".")[0]
    if first in _symbols(facts, path):
        return None
    outer = (it for it in handed_on(facts, path) if _is_out(facts, it, first))
    return [Spot(target, words) for target in outer] or None


def _is_out(facts: Facts, path: str, name: str) -> bool:
    """Do others have a name of a file who take all of its names?"""
    listed = facts.code[path].exports
    is_public = path.endswith(".py") and not name.startswith("_")
    return name in listed if listed is not None else is_public and _has(facts, path, name)


def _beside(facts: Facts, path: str, words: str) -> str:
    """The file of a package in Go that declares a name which another file of it uses, or the type
    of the field that it is."""
    if not path.endswith(".go"):
        return path
    package, own = _packages(facts).get(path.rpartition("/")[0], {}), _symbols(facts, path)
    for name in (words, words.partition(".")[0]):
        if name in own or name in package:
            files = (path,) if name in own else package[name]
            return files[0] if len(files) == 1 else path
    return path


@query
def _packages(facts: Facts) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The files of Go by their folder and the names that they declare."""
    packages: dict[str, dict[str, tuple[str, ...]]] = {}
    for path, code in facts.code.items():
        if path.endswith(".go") and facts.records[path].file_class == "source":
            names = packages.setdefault(path.rpartition("/")[0], {})
            for name in dict.fromkeys(symbol.qualified for symbol in code.symbols):
                names[name] = (*names.get(name, ()), path)
    return packages


def _bound(facts: Facts, path: str, code: FileFacts) -> Iterator[tuple[Import, Resolved]]:
    resolved = all_links(facts).resolved.get(path, ())
    return zip(code.imports, resolved, strict=False)


def _imported(facts: Facts, words: str, import_: Import, resolved: Resolved) -> list[Spot] | None:
    if not resolved.targets and not resolved.outside:
        return None
    if words.startswith(("./", "../")):  # A file of JavaScript, which is bound to no name.
        is_it = import_.name == words
        return [Spot(target, "default") for target in resolved.targets] if is_it else None
    first, _, rest = words.partition(".")
    names = import_.names or ("",)
    for name, bound in zip(names, import_.bound or ("",), strict=False):
        if bound != first and not (not name and words.startswith(f"{bound}.")):
            continue
        if not name or name == "*":
            inside = words.removeprefix(bound).lstrip(".")
            return [Spot(target, inside) for target in resolved.targets]
        # `from package import module`: the target is the module itself, unless the package has
        # something else of that name.
        last = import_.name.rstrip("/").rpartition("/")
        named = last[2].partition(".")[0] if last[1] else last[2].rpartition(".")[2]
        own = [target for target in resolved.targets if _stem(target) == named]
        modules = [target for target in resolved.targets if _stem(target) == name]
        if modules and not any(_has(facts, target, name) for target in own):
            return [Spot(module, rest) for module in modules]
        whole = f"{name}.{rest}" if rest else name
        others = [target for target in resolved.targets if _stem(target) not in names]
        return [Spot(target, whole) for target in own or others]
    return None


def _has(facts: Facts, path: str, name: str) -> bool:
    """Does a file declare or import something by this name?"""
    code = facts.code.get(path)
    return name in _symbols(facts, path) or any(
        name in import_.bound for import_ in (code.imports if code else ())
    )


def _stem(path: str) -> str:
    name = path.rpartition("/")[2].partition(".")[0]
    return path.split("/")[-2] if name in ("__init__", "index", "mod") and "/" in path else name


@query
def _symbols(facts: Facts, path: str) -> Mapping[str, Symbol]:
    code = facts.code.get(path)
    return {symbol.qualified: symbol for symbol in reversed(code.symbols)} if code else {}


@query
def _modules(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    """Files by every dotted name that may refer to them."""
    modules: dict[str, tuple[str, ...]] = {}
    for path in facts.code:
        if path.endswith(".py") and facts.records[path].file_class == "source":
            parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
            for start in range(len(parts)):
                dotted = ".".join(parts[start:])
                modules[dotted] = (*modules.get(dotted, ()), path)
    return modules
