"""Variables of the environment that JavaScript code reads in place, or by functions of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.ecmascript.module import OURS, Module
from stationmaster.reading.code.languages.fallback import fallback
from stationmaster.reading.code.languages.meanings import Meanings
from stationmaster.reading.code.languages.source import above, child, line_of
from stationmaster.reading.code.model import Setting
from stationmaster.reading.code.schemas import env

ENVIRONMENTS = frozenset({"process.env", "import.meta.env", "Bun.env"})
_OWN = frozenset({"MODE", "DEV", "PROD", "SSR", "BASE_URL"})
"""What a bundler itself puts into `import.meta.env`."""
_STATEMENTS = ("lexical_declaration", "variable_declaration", "expression_statement", "pair")
_WRAPPED = re.compile(
    r"\b(?:process\.env|import\.meta\.env|Bun\.env)\[\s*"
    r"(?:(?P<name>\w+)\s*(?:\+\s*[\"'](?P<end>[A-Z0-9_]{1,30})[\"']\s*)?"
    r"|`\$\{(?P<hole>\w+)\}(?P<rest>[A-Z0-9_]{0,30})`)\]"
)
_ITERATED = re.compile(
    rb"(?:\b(?P<of>\w+)\.(?:every|filter|find|flatMap|forEach|map|some)\(\s*\(?(?P<by>\w+)\)?\s*=>"
    rb"|\bfor\s*\(\s*(?:const|let)\s+(?P<each>\w+)\s+of\s+(?P<list>\w+)\s*\)\s*\{?)"
    rb"[^;}]{0,300}?(?<!delete )\b(?:process|import\.meta|Bun)\.env\[\s*(?:(?P=by)|(?P=each))\s*\]"
    rb"(?!\s*=[^=])"
)
"""What reads a variable for each name of a list."""
_AS = frozenset({"as_expression", "satisfies_expression"})
_PARAMETER = re.compile(r"\(?\s*(\w+)[^,()]*(?:,\s*(\w+))?")
_FAILS = re.compile(r"if\s*\(\s*(?:!\s*\w+|\w+\s*={2,3}\s*(?:undefined|null))\s*\)\s*\{?\s*throw\b")
_READER = re.compile(r"(?:[a-z]{2,10})?_?[eE]nv(?:ironment)?(?:_?[a-zA-Z]{2,20})?")
"""What projects call a function that reads the environment."""
_WORD = re.compile(r"[A-Za-z]\w{0,60}")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{2,99}")


class _Wrapper(NamedTuple):
    """A function that reads the variable that its first parameter names; `ends` are what it appends
    to that name, `has_default` says that the second parameter stands in for it."""

    ends: tuple[str, ...]
    has_default: bool
    fails: bool


def read(module: Module) -> Iterator[Setting]:
    """`process.env.PORT || 3000`, `fromEnv("PORT")`, and `NAMES.map((it) => process.env[it])`."""
    yield from _members(module)
    yield from _wrapped(module)
    yield from _iterated(module)


def _is_method(member: Node) -> bool:
    """True for `process.env.hasOwnProperty(…)`, which is a method of the object."""
    call = member.parent
    return call is not None and call.type == "call_expression" and child(call, "function") == member


def _members(module: Module) -> Iterator[Setting]:
    if not module.environ:
        return
    meanings = Meanings(module, module.nodes["comment"])
    for environment, key in module.environ:
        if module.text(environment) not in ENVIRONMENTS:
            continue
        name = _name(module, key)
        member = environment.parent
        if not name or member is None or _is_method(member):
            continue
        if module.text(environment) == "import.meta.env" and name in _OWN:
            continue
        if not _is_written(member) or _is_set_where_missing(module, member):
            statement = above(member, *_STATEMENTS)
            doc = meanings.of(statement) if statement and _is_short(statement) else ""
            yield Setting(name, "env", line_of(environment), fallback(module, member), doc=doc)


def _name(module: Module, key: Node) -> str:
    """The name of a variable. Where a part of it is only known as the program runs, that part
    stands in angle brackets: `SHOP_<name>_URL`; '' for one that begins with such a part."""
    if key.type == "string":
        return module.literal(key) or ""
    if key.type != "template_string":
        return module.text(key)
    name = ""
    for part in key.named_children:
        text = module.line(part, 100)
        word = _WORD.search(text) if part.type == "template_substitution" else None
        name += f"<{word[0]}>" if word else text
    return name if env.is_pattern(name) or _VARIABLE.fullmatch(name) else ""


def _is_short(statement: Node) -> bool:
    """Is it one value, rather than a call with functions in it?"""
    return statement.end_point[0] - statement.start_point[0] <= 2


def _is_written(member: Node) -> bool:
    around = member.parent
    if around is None:
        return False
    if around.type == "unary_expression":
        return around.children[0].type == "delete"
    left = child(around, "left")
    return around.type == "assignment_expression" and left == member


def _is_set_where_missing(module: Module, member: Node) -> bool:
    """`if (!process.env.MODE) { process.env.MODE = "x"; }`: the value is the default."""
    condition = above(member, "if_statement")
    asked = module.part(condition, "condition").replace(" ", "")
    return asked == f"(!{module.text(member)})"


def _wrapped(module: Module) -> Iterator[Setting]:
    wrappers = _wrappers(module)
    for called in module.calls:
        wrapper = wrappers.get(called.name) if called.of is None else None
        if wrapper is None:
            continue
        name = module.value(called.given.get(0)) or ""
        if not _VARIABLE.fullmatch(name):
            continue
        default = module.plain(called.given.get(1)) if wrapper.has_default else None
        default = default or fallback(module, called.node)
        is_required = wrapper.fails and default is None
        for end in wrapper.ends:
            doc = f"The path of a file with the value of {name}." if end == "_FILE" else ""
            yield Setting(
                name + end, "env", called.line, None if end else default, is_required, doc
            )


def _iterated(module: Module) -> Iterator[Setting]:
    for match in _ITERATED.finditer(module.data) if b".env[" in module.data else ():
        names = module.values_of.get((match["of"] or match["list"]).decode())
        names = child(names) if names is not None and names.type in _AS else names
        line = module.data.count(b"\n", 0, match.end()) + 1
        if names is not None and names.type == "array":
            yield from (Setting(name, "env", line) for name in module.values(names))


def _wrappers(module: Module) -> dict[str, _Wrapper]:
    """Functions of this file, and those of its project that are called as what reads a variable."""
    wrappers = {
        name: _Wrapper(("",), has_default=True, fails=False)
        for name, origin in module.names.items()
        if origin.startswith(OURS) and _READER.fullmatch(name)
    }
    for definition in module.definitions:
        if definition.kind != "function" or definition.body is None:
            continue
        start, end = definition.body.start_byte, definition.body.end_byte
        body = module.data[start : min(end, start + 2_000)].decode(errors="replace")
        matches = [*_WRAPPED.finditer(body)] if "env[" in body else []
        function = child(definition.node, "value") or definition.node
        text = module.part(function, "parameters") or module.part(function, "parameter")
        parameters = _PARAMETER.match(text)
        if not matches or parameters is None:
            continue
        first, second = parameters.groups()
        ends = [m["end"] or m["rest"] or "" for m in matches if first in (m["name"], m["hole"])]
        if ends:
            has_default = bool(second) and re.search(rf"(?:\|\||\?\?|:)\s*{second}\b", body)
            fails = not second and _FAILS.search(body) is not None and len(set(ends)) == 1
            wrappers[definition.name] = _Wrapper(
                tuple(dict.fromkeys(ends)), has_default=bool(has_default), fails=fails
            )
    return wrappers
