"""Where names come from: what a file declares, what it imports, and what it calls.

A name that is ambiguous is not resolved.
"""

from __future__ import annotations

import re
from collections import ChainMap, Counter, defaultdict
from collections.abc import Iterator, Mapping

import msgspec

from stationmaster.reading.code.calling import Types
from stationmaster.reading.code.model import Call, Symbol
from stationmaster.reading.code.overloads import counted, fits, is_of_class
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code import imported
from stationmaster.wiki.facts.code.bindings import file_of_module
from stationmaster.wiki.facts.data.associations import one_of
from stationmaster.wiki.facts.model import Facts, Spot, query

_MAKING = re.compile(
    r"(?:new\s+|(?:app|resolve|App::make)\((?=[\w\\]+::class\)))([\w\\.]+)(?:::class\))?"
    r"|([A-Z][\w:]*)\.new\b"
)
_LITERAL = re.compile(r"\{[^{}]*\}|\([^()]*\)")
"""What an object is made of on which a handler is called: `Shop{store: s}.List`."""
_BEAN_NAME = re.compile(r"@(?:Component|Named|Service)\(\s*+(?:value\s*+=\s*+)?\"(\w{1,80})\"")
_HEAD_MAX = 20
"""Lines of annotations above a class."""
_CALLED = ("function", "method", "constructor")
_OVERLOADING = (".cs", ".kt", ".swift")
"""Where a type may have several functions of one name; those of Java are known by their types."""
_CALL_MAX = 12
"""Lines of a call."""
_CONVERTING = frozenset({"from", "into", "try_from", "try_into"})
"""Methods of Rust that a type has once for each type that it is made of."""
_OWN = frozenset({"self", "this", "cls", "super", "super()", "Self", "$this", "static"})


@query
def users_of(facts: Facts, path: str) -> Mapping[str, int]:
    """How many source files outside use each of a file's symbols by name."""
    return _users(facts).get(path, {})


def called(facts: Facts, path: str, call: Call) -> Spot | None:
    """The function that a call in a file runs; None also where several imports of its name lead to
    different ones. Used by other queries only."""
    ends = _ends(facts, path, call)
    return ends[0] if len(ends) == 1 else None


def choices(facts: Facts, path: str, call: Call) -> tuple[Spot, ...]:
    """The functions that a call in a file may run where several imports bind its name; () where one
    does. Used by other queries only."""
    own = imported.files_of(facts).get(path)
    is_open = own is not None and (call.of or call.name) in own.several
    return _ends(facts, path, call) if is_open else ()


def _ends(facts: Facts, path: str, call: Call) -> tuple[Spot, ...]:
    if call.name not in _names(facts) or path not in imported.files_of(facts):
        return ()
    ends = (_called(facts, path, call, files) for files in _readings(facts, path, call))
    return tuple(dict.fromkeys(filter(None, ends)))


def _readings(facts: Facts, path: str, call: Call) -> Iterator[Mapping[str, imported.File]]:
    """The files with the names that their imports bind: one mapping for each import of the name
    that is called. Imports in the same function go before those at top level."""
    files = imported.files_of(facts)
    own, name = files[path], call.of or call.name
    if name not in own.several:
        yield files
        return
    rows = [(around(facts, path, line), binding) for line, binding in own.several[name]]
    inner = [binding for caller, binding in rows if caller == call.caller]
    for binding in dict.fromkeys(inner or [binding for caller, binding in rows if not caller]):
        yield ChainMap({path: own._replace(bound={**own.bound, name: binding})}, files)


def _called(facts: Facts, path: str, call: Call, files: Mapping[str, imported.File]) -> Spot | None:
    own = files[path]
    if call.of in _OWN:
        holder = call.caller.rpartition(".")[0]
        method = _methods(facts, path).get(f"{holder}.{call.name}")
        is_meant = method is not None and fits(method, call.given)
        return Spot(path, method.qualified) if method and is_meant else None
    if not call.of:
        near = own.outer.get(call.name)
        is_near = near is not None and _is_in_reach(path, near, call.caller)
        if near is not None and is_near and (call.caller, call.name) not in _within(facts, path):
            return Spot(path, near.qualified)
        if call.name not in own.bound and path.endswith(".go"):
            return imported.declared(files, beside(facts, folder_of(path)), call.name)
        return imported.through(files, path, call.name)
    if (whole := f"{call.of}::{call.name}") in own.bound:
        return imported.through(files, path, whole)
    of = imported.dotted(call.of) if facts.records[path].language == "Ruby" else call.of
    if of in own.bound or own.wide:
        if within := imported.inside(files, own, of):
            end = imported.declared(files, within, call.name)
            is_one = end is None and len(within) == 1
            return imported.through(files, within[0], call.name) if is_one else end
        holding = imported.through(files, path, of)
        if holding and f"{holding.name}.{call.name}" in _methods(facts, holding.path):
            return Spot(holding.path, f"{holding.name}.{call.name}")
    return None


def _is_in_reach(path: str, symbol: Symbol, caller: str) -> bool:
    """Can a symbol be used by its bare name? In Rust not one of another module."""
    inside = f"{symbol.container}."
    return not (path.endswith(".rs") and symbol.container) or f"{caller}.".startswith(inside)


@query
def _within(facts: Facts, path: str) -> frozenset[tuple[str, str]]:
    """The functions that import names within themselves, one pair for each name."""
    lazy = [own_imports for own_imports in facts.code[path].imports if own_imports.kind == "lazy"]
    return frozenset((around(facts, path, it.line), name) for it in lazy for name in it.bound)


def targets(facts: Facts, path: str, call: Call) -> tuple[Spot, ...]:
    """The functions that a call in a file may run: the only one if it is certain, else the method
    of the declared type of its receiver and those that override or implement it. Used by other
    queries only."""
    if call.name == "new" and call.of and facts.records[path].language == "Ruby":
        return _making(facts, path, call)
    if call.name not in _names(facts):
        return ()
    if "\\" in call.of:  # The same class by its last word, unless that names another one here.
        bound, word = imported.files_of(facts)[path].bound, call.of.rpartition("\\")[2]
        if call.of in bound and bound[call.of] == bound.get(word):
            call = msgspec.structs.replace(call, of=word)
    end = called(facts, path, call)
    if end is not None and _is_ambiguous(facts, path, call, *end):
        return ()
    if end is not None and call.of not in _OWN:
        return (end,)
    ends = tuple(Spot(*place) for place in types(facts).method(path, call))
    if ends and _is_ambiguous(facts, path, call, *ends[0]):
        return ()
    if not ends and end is None and (made := _made(call.of)):
        return targets(facts, path, Call(call.name, call.line, made, call.caller))
    if end is None and call.of[:1].isupper() and facts.records[path].language == "Ruby":
        end = _by_full_name(facts).get(("Ruby", f"{imported.dotted(call.of)}.{call.name}"))
    return ends or (() if end is None else (end,))


def _making(facts: Facts, path: str, call: Call) -> tuple[Spot, ...]:
    """The constructor of a class of Ruby."""
    place = types(facts).type_of(path, call.caller, f"{imported.dotted(call.of)}()")
    methods = types(facts).methods(place) if place else ()
    return tuple(Spot(*it) for it in methods if it[1].endswith(".initialize"))[:1]


def _made(words: str) -> str:
    """The type of a receiver that is made in the call itself, as `(new Cart($till))` and
    `Cart.new(till)`; '' for another receiver."""
    words = words.strip()
    if words.startswith("(") and words.endswith(")"):
        words = words[1:-1].strip()
    making = _MAKING.match(words)
    rest = words[making.end() :] if making else "."
    depth = 0
    for at, sign in enumerate(rest):
        depth += (sign in "([{") - (sign in ")]}")
        if depth <= 0 and at < len(rest) - 1:
            return ""
    return (making[1] or making[2]) if making and not depth else ""


def around(facts: Facts, path: str, line: int) -> str:
    """The qualified name of the innermost function around a line; '' at top level."""
    holding = [
        symbol for symbol in facts.code[path].symbols
        if symbol.line <= line <= symbol.end and symbol.kind in _CALLED
    ]  # fmt: skip
    return max(holding, key=lambda symbol: symbol.line).qualified if holding else ""


def handler_of(facts: Facts, path: str, words: str, line: int) -> Spot | None:
    """The handler that a file names at a line; for a method that is only declared, the one that
    implements it. Used by other queries only."""
    whole, words = words, _LITERAL.sub("", words).replace("::", ".")
    for name in (whole, words):  # An overloaded one is named with its parameters.
        if name in _methods(facts, path):
            return Spot(path, name)
    of, _, name = words.rpartition(".")
    ends = targets(facts, path, Call(name, line, of, around(facts, path, line)))
    if len(ends) == 2 and types(facts).is_open(ends[0]):
        return ends[1]
    return ends[0] if ends else None


def made_type(facts: Facts, path: str, words: str, line: int) -> tuple[str, str] | None:
    """The file and name of the type of an expression at a line, or of what a call of it returns.
    Used by other queries only."""
    caller = around(facts, path, line)
    typed = types(facts)
    return typed.type_of(path, caller, f"{words}()") or typed.type_of(path, caller, words)


@query
def types(facts: Facts) -> Types:
    """The types of source files. Used by other queries only."""
    sources = (path for path in facts.code if facts.records[path].file_class == "source")

    def declared(path: str, words: str) -> tuple[str, str] | None:
        of, _, name = words.replace("::", ".").rpartition(".")
        spot = called(facts, path, Call(name, 0, of))
        language = facts.records[path].language if spot is None and of else ""
        if language in ("PHP", "Ruby"):
            spot = _by_full_name(facts).get((language, f"{of}.{name}"))
        if spot is None and language == "Ruby":
            spot = one_of(facts, of, name)
        if language == "Python":
            return imported.declared(imported.files_of(facts), (file_of_module(facts, of),), name)
        return spot

    return Types({path: facts.code[path] for path in sources}, declared)


@query
def _by_full_name(facts: Facts) -> Mapping[tuple[str, str], Spot]:
    """Declarations of PHP by their namespace and name, and classes and methods of Ruby within
    modules, by which they are loaded from any file; by language and full name, those that only one
    file declares, or only one file that is named after them."""
    spots_of: dict[tuple[str, str], set[Spot]] = defaultdict(set)
    for path, code in facts.code.items():
        language, space = facts.records[path].language, code.package.replace("\\", ".")
        for symbol in code.symbols if language in ("PHP", "Ruby") else ():
            is_loaded = symbol.container and symbol.kind in ("class", "method")
            if is_loaded if language == "Ruby" else space and not symbol.container:
                name = f"{space}.{symbol.qualified}".removeprefix(".")
                spots_of[language, name].add(Spot(path, symbol.qualified))
    alone = {
        name: spots if len(spots) == 1 else set(filter(_is_named_after, spots))
        for name, spots in spots_of.items()
    }
    return {name: spots.pop() for name, spots in alone.items() if len(spots) == 1}


def _is_named_after(spot: Spot) -> bool:
    """Is a file called as a class in it?"""
    stem = spot.path.rpartition("/")[2].partition(".")[0]
    return stem.replace("_", "").lower() == spot.name.rpartition(".")[2].lower()


@query
def beside(facts: Facts, folder: str) -> tuple[str, ...]:
    """The files of a package in Go, which all see each other's names."""
    return tuple(
        path for path in facts.code
        if path.endswith(".go") and folder_of(path) == folder
        and facts.records[path].file_class == "source"
    )  # fmt: skip


@query
def _methods(facts: Facts, path: str) -> Mapping[str, Symbol]:
    """The members of the types of a file by qualified name."""
    return {symbol.qualified: symbol for symbol in facts.code[path].symbols if symbol.container}


def _is_ambiguous(facts: Facts, caller: str, call: Call, path: str, name: str) -> bool:
    """May a call in a file mean several methods of one name, or one of them that is not known by
    that name? On a class of Ruby it means that of the class."""
    if alike := _overloaded(facts, path).get(name):
        lines = facts.tree.text(caller).split("\n", call.line + _CALL_MAX)
        text = "\n".join(lines[call.line - 1 : call.line + _CALL_MAX])
        meant = [*counted(alike, text)]
        return len(meant) != 1 or meant[0] != max(alike, key=lambda it: it.end - it.line)
    is_on_class = path.endswith(".rb") and call.of[:1].isupper()
    if path.endswith(".rs") and call.name in _CONVERTING and name in _converting(facts):
        return True
    return not is_on_class and name in _ambiguous(facts, path)


@query
def _overloaded(facts: Facts, path: str) -> Mapping[str, list[Symbol]]:
    """The functions of a file that share their names with others of their type."""
    alike: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in facts.code[path].symbols if path.endswith(_OVERLOADING) else ():
        if symbol.kind in _CALLED[:2] and symbol.container:
            alike[symbol.qualified].append(symbol)
    return {name: some for name, some in alike.items() if len(some) > 1}


@query
def _converting(facts: Facts) -> frozenset[str]:
    """Methods that convert to a type of Rust and that several files have: which one a call means is
    known by what it converts alone."""
    counts = Counter(
        name
        for path, code in facts.code.items()
        if path.endswith(".rs") and facts.records[path].file_class == "source"
        for name in {it.qualified for it in code.symbols if it.name in _CONVERTING and it.container}
    )
    return frozenset(name for name, count in counts.items() if count > 1)


@query
def _ambiguous(facts: Facts, path: str) -> frozenset[str]:
    """Methods of Rust that a type has several times, as those of `From` for several types; those
    of which only one is compiled count once; and methods that a class of Ruby has as its objects
    have them."""
    methods = [
        symbol
        for symbol in (facts.code[path].symbols if path.endswith((".rb", ".rs")) else ())
        if symbol.kind in _CALLED and symbol.container and "cfg" not in symbol.marks
    ]
    if path.endswith(".rb"):
        own = {it.qualified for it in methods if is_of_class(it.signature)}
        return frozenset(own & {it.qualified for it in methods if not is_of_class(it.signature)})
    counts = Counter(it.qualified for it in methods)
    return frozenset(name for name, count in counts.items() if count > 1)


@query
def _names(facts: Facts) -> frozenset[str]:
    """All names that files declare or import: most calls have none of them and are not resolved."""
    declared_names: set[str] = set()
    for path, file in imported.files_of(facts).items():
        declared_names.update(file.bound)
        for symbol in facts.code[path].symbols:
            declared_names.update((symbol.name, symbol.qualified.rpartition(".")[2]))
    return frozenset(declared_names)


@query
def _users(facts: Facts) -> Mapping[str, Mapping[str, int]]:
    files = imported.files_of(facts)
    counts: dict[str, Counter[str]] = {}
    for path, file in files.items():
        if facts.records[path].file_class != "source":
            continue
        used = {imported.through(files, path, name) for name in file.bound}
        whole = {
            name: within for name in file.bound if (within := imported.inside(files, file, name))
        }
        if whole:
            used |= {
                imported.declared(files, whole[call.of], call.name)
                for call in facts.code[path].calls
                if call.of in whole
            }
        named = {it for it in used if it is not None and it.path != path}
        for end, name in named | {(end, name.partition(".")[0]) for end, name in named}:
            counts.setdefault(end, Counter())[name] += 1
    return {path: dict(sorted(counts[path].items())) for path in sorted(counts)}


@query
def beans(facts: Facts) -> Mapping[tuple[str, str], Spot]:
    """Methods of beans of Spring by the names of bean and method; without those whose names several
    beans share."""
    methods: dict[tuple[str, str], set[Spot]] = defaultdict(set)
    for path, code in facts.code.items():
        lines = facts.tree.text(path).split("\n") if path.endswith((".java", ".kt")) else ()
        names, last = dict[str, str](), 0
        for symbol in code.symbols if lines else ():
            if symbol.kind == "class" and symbol.marks:
                head = " ".join(lines[max(symbol.line - _HEAD_MAX, last) : symbol.line])
                last = symbol.line
                named = [*_BEAN_NAME.finditer(head)]
                plain = symbol.name[:1].lower() + symbol.name[1:]
                names[symbol.qualified] = named[-1][1] if named else plain
            elif symbol.container in names and symbol.kind in _CALLED[:2]:
                methods[names[symbol.container], symbol.name].add(Spot(path, symbol.qualified))
    return {name: next(iter(spots)) for name, spots in methods.items() if len(spots) == 1}
