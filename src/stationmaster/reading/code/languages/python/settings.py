"""What Python code reads of its environment, and the settings that it declares."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.fallback import expressed, fallback
from stationmaster.reading.code.languages.python import declared, pydantic
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.python.paths import path_of
from stationmaster.reading.code.languages.source import above, child, line_of, one_line, outward
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Setting

_GETTERS = code.names("python.settings.getters")
_ENVIRON = "os.environ"
_READERS = code.names("python.settings.readers")
_COMMAND_LINES = code.names("python.settings.command_lines")
_SCHEMAS = code.names("python.settings.schemas")
_LISTS = frozenset({"list", "tuple", "dictionary"})
_PACKAGES = ("os", *sorted({name.partition(".")[0] for name in _READERS}))
_DEFINING = code.names("python.settings.defining")
_DECLARATIONS_MIN = 10
"""Calls of one function in a file before it is one that declares settings."""
_OF_SETTINGS = re.compile(r"(?i)(?:setting|config|option|preference)s?(?![a-z])|(?<![a-z])conf\b")
_DJANGO = code.names("python.settings.django")
_FLASK = ("flask", "quart")
_CONF = "django.conf.settings"
_EMPTY = ("None", "False", "0")
"""Literals in the place of which `or` gives what stands behind it."""
_DJANGO_MIN = 3
"""Of those names make a file the settings of a Django project."""
_WRAPPED = re.compile(
    rb"(?:getenv\(|environ\.get\(|environ\[)\s{0,20}(\w{1,60})\s{0,20}[,)\]]", re.ASCII
)
_THERE = (
    r"[\"']%s[\"'] (?:not )?in (?:os\.)?environ\b|environ\.get\(\s{0,99}[\"']%s[\"']\s{0,99}[,)]"
)
"""What asks whether a variable is there."""
_PLAIN = r"\"([^\"\\\n]{0,80})\"|'([^'\\\n]{0,80})'|(\d{1,12})"
"""A text or a number."""
_NESTED_MAX = 4
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]{0,99}")


def read(module: Module) -> tuple[Setting, ...]:
    """The settings that a module reads or declares, each once a line; by line and name."""
    wrappers = _wrappers(module)
    found = [*_subscripts(module), *pydantic.fields(module)]
    usual = _usual(module)
    for called, origin in module.calls_of(*_PACKAGES):
        if (
            origin in _GETTERS
            or origin.removesuffix(".__call__") in _READERS
            or _is_typed_reader(origin)
        ):
            found += _of_reader_call(module, called, usual)
    found += [*_shared(module, usual), *_defined(module)]
    found += [
        *declared.tables(module),
        *declared.looped(module, _keys(module)),
        *_of_command_options(module),
    ]
    if module.packages.intersection(_FLASK):
        found += _of_flask(module)
    if wrappers:
        for called in module.calls:
            if called.of is None and called.name in wrappers:
                found += _of_reader_call(module, called, fails=wrappers[called.name])
    if module.packages.intersection(("django",)) or _is_django(module):
        found += _django(module)
    unique = {
        (each.name, each.kind, each.line): each for each in found if _NAME.fullmatch(each.name)
    }
    return tuple(sorted(unique.values(), key=lambda each: (each.line, each.name)))


def _of_flask(module: Module) -> Iterator[Setting]:
    """What is asked of `app.config`, and the variables that name files to fill it from."""
    for holder, key in module.environ:
        name = module.value(key) or ""
        if name.isupper() and _is_config(module, holder) and not _is_written(holder):
            yield Setting(name, "key", line_of(holder))
    for called in module.calls:
        name = called.value(0) if called.name in ("get", "from_envvar") else ""
        if not name.isupper() or not _is_config(module, called.of):
            continue
        if called.name == "get":
            yield Setting(name, "key", called.line, module.plain(called.given.get(1)))
        else:
            is_required = module.text(called.given.get(1, "silent")) != "True"
            yield Setting(name, "env", called.line, is_required=is_required)


def _is_config(module: Module, holder: Node | None) -> bool:
    return module.text(holder).endswith("app.config")


def _keys(module: Module) -> Iterator[Node]:
    """What the environment is asked for."""
    yield from (key for environ, key in module.environ if module.origin(environ) == _ENVIRON)
    for called, origin in module.calls_of("os"):
        key = called.given.get(0, "key")
        if origin in _GETTERS and key is not None:
            yield key


def _of_command_options(module: Module) -> Iterator[Setting]:
    """Variables that stand in for options of a command line: `envvar="NAME"`."""
    if not module.packages.intersection(_COMMAND_LINES):
        return
    for called in module.calls:
        if called.name.lower() not in ("option", "argument"):
            continue
        given = called.given
        node = given.get("envvar")
        text = module.value(node)
        for name in (text,) if text else module.values(node):
            doc = one_line(module.value(given.get("help")) or "")
            default = module.plain(given.get("default"))
            yield Setting(name, "env", called.line, default, doc=doc)


def _defined(module: Module) -> Iterator[Setting]:
    """Options that calls define for all modules: `define("rows", default=5, help="Rows")` of a
    framework, `Config.define("ROWS", 5, "Rows of a page")` of any registry."""
    for called, origin in module.calls_of("tornado"):
        if origin in _DEFINING and called.value(0, "name"):
            yield _declaration(module, called, (1, "default"), (3, "help"), (2, "type"))
    calls_by_function: dict[str, list[Called]] = defaultdict(list)
    for called in module.calls:
        if _is_declaration(module, called):
            calls_by_function[module.text(called.function)].append(called)
    for calls in calls_by_function.values():
        for called in calls if len(calls) >= _DECLARATIONS_MIN else ():
            yield _declaration(module, called, (1,), (2,), ("type",))


def _is_declaration(module: Module, called: Called) -> bool:
    """Does a statement of the module itself give something for settings a name in capitals, a
    default and a text?"""
    statement = called.node.parent
    if called.caller or statement is None or statement.type != "expression_statement":
        return False
    name, text = called.given.get(0), path_of(module, called.given.get(2)) or ""
    is_named = (module.literal(name) or "").isupper() and " " in text
    return is_named and _OF_SETTINGS.search(module.text(called.function)) is not None


def _declaration(
    module: Module,
    called: Called,
    default: tuple[int | str, ...],
    doc: tuple[int | str, ...],
    kind: tuple[int | str, ...],
) -> Setting:
    """The setting that a call declares, whose arguments are at these places."""
    node = called.given.get(*default)
    own = module.plain(node) or module.value(node)
    if own is None and node is not None and node.type in _LISTS:
        items = [item for item in node.named_children if item.type != "comment"]
        own = module.text(node)[:: len(module.text(node)) - 1] if not items else None
    own = expressed(module, node) if own is None else own
    said = one_line(path_of(module, called.given.get(*doc)) or "")
    name, type_ = called.value(0, "name"), called.written_at(*kind)
    return Setting(name, "key", called.line, own, doc=said, type=type_, is_declared=True)


def _is_typed_reader(origin: str) -> bool:
    """A method of a reader that gives a value of a type: `env.bool`."""
    maker, _, name = origin.rpartition(".")
    return maker in _READERS and name.removesuffix("_url").islower()


def _shared(module: Module, usual: Mapping[str, Node]) -> Iterator[Setting]:
    """`env("NAME")` and `env.bool("NAME")` of a reader that another file of the project made."""
    if "*" not in module.names and not module.names.get("env", "").endswith(".env"):
        return
    for called in module.calls:
        holder = called.of
        if holder is not None and holder.type != "identifier":
            continue
        name = called.name if holder is None else module.text(holder)
        if name == "env" and (holder is None or called.name.islower()):
            yield from (
                each for each in _of_reader_call(module, called, usual) if each.name.isupper()
            )


def _usual(module: Module) -> dict[str, Node]:
    """The defaults that readers are made with: `Env(PORT=(int, 80))`, which has no others."""
    schemas = (called.given.named for called, origin in module.calls_of(*_PACKAGES)
               if origin in _SCHEMAS)  # fmt: skip
    return {
        name: pair.named_children[1]
        for schema in schemas
        for name, pair in schema.items()
        if pair.type == "tuple" and pair.named_child_count == 2
    }


def _of_reader_call(
    module: Module,
    called: Called,
    usual: Mapping[str, Node] = MappingProxyType({}),
    *,
    fails: bool = True,
) -> Iterator[Setting]:
    """What a call reads; `fails` says that the function stops where neither a value nor a default
    is there, which may be one of the usual ones."""
    given = called.given
    name = module.value(given.get(0, "key", "name", "var_name", "option"))
    if name:
        default = given.get(1, "default", "default_value") or usual.get(name)
        is_required = fails and default is None and called.name not in ("getenv", "get", "pop")
        is_bare = default is not None and default.type in _LISTS and not default.named_children
        own = "" if is_bare else module.plain(default)
        is_empty = not own or (own in _EMPTY and module.value(default) is None)
        value = (_instead(module, called.node) if is_empty else None) or own
        value = expressed(module, _innermost(module, default)) if value is None else value
        yield Setting(name, "env", called.line, value, is_required)


def _instead(module: Module, node: Node) -> str | None:
    """What takes the place of a missing value where it is read, or where the variable of the module
    that holds it is used: `ENGINE if ENGINE else "sqlite"`."""
    held = node.parent
    if held is None or held.type != "assignment" or above(held, "function_definition"):
        return fallback(module, node)
    name = module.part(held, "left")
    if not name.isidentifier():
        return None
    form = rf"(?<![\w.]){name}[ \t]+(?:or|if[ \t]+{name}[ \t]+else)[ \t]+(?:{_PLAIN})(?![\w.(])"
    others = {it[1] or it[2] or it[3] for it in re.finditer(form, _text(module))}
    return others.pop() if len(others) == 1 else None


def _text(module: Module) -> str:
    return module.data.decode(errors="replace")


def _innermost(module: Module, default: Node | None) -> Node | None:
    """What stands in for all variables of which each stands in for the one before."""
    for _ in range(_NESTED_MAX):
        if default is None or default.type != "call":
            return default
        if module.origin(child(default, "function")) not in _GETTERS:
            return default
        default = module.given(default).get(1, "default")
    return default


def _subscripts(module: Module) -> Iterator[Setting]:
    for environ, key in module.environ:
        name = module.value(key)
        if name and module.origin(environ) == _ENVIRON and not _is_written(environ):
            is_required = not _may_be_absent(module, environ, name)
            yield Setting(name, "env", line_of(environ), is_required=is_required)


def _may_be_absent(module: Module, environ: Node, name: str) -> bool:
    """Is a variable read in a file that asks whether it is there, in a `try` that goes on without
    it, or only by a function, without which the program starts?"""
    for around, node in outward(environ):
        if around.type == "function_definition":
            return True
        if around.type == "try_statement" and node == child(around, "body"):
            after = module.data[node.end_byte : around.end_byte]
            if b"except KeyError" in after:
                return True
    form = _THERE % (re.escape(name), re.escape(name))
    return re.search(form, _text(module)) is not None


def _is_written(environ: Node) -> bool:
    """Is it assigned or deleted, rather than read?"""
    subscript = environ.parent
    holder = subscript.parent if subscript is not None else None
    if holder is None or subscript is None:
        return False
    left = child(holder, "left")
    return holder.type == "delete_statement" or (
        left is not None and left.start_byte == subscript.start_byte
    )


def _wrappers(module: Module) -> dict[str, bool]:
    """Functions of this file that read the variable of the environment that their first parameter
    names, and whether they fail without it."""
    if "os" not in module.packages:
        return {}
    wrappers = {}
    for definition in module.definitions:
        parameters = module.parameters(definition)
        if definition.is_class or not parameters:
            continue
        start = definition.body.start_byte if definition.body else definition.node.end_byte
        body = module.data[start : start + 2_000]
        reads = [match for match in _WRAPPED.finditer(body) if match[1].decode() == parameters[0]]
        if reads:
            is_subscript = all(match[0].startswith(b"environ[") for match in reads)
            raises = len(parameters) == 1 and b"raise " in body
            wrappers[definition.name] = is_subscript or raises
    return wrappers


def _is_django(module: Module) -> bool:
    return len(_DJANGO.intersection(constant.name for constant in module.constants)) >= _DJANGO_MIN


def _django(module: Module) -> Iterator[Setting]:
    """What a project's settings declare, and what its code asks of them."""
    made = partial(Setting, kind="key")
    if _is_django(module):
        asked = [called.given for called in module.calls if called.name == "getattr"]
        usual = {module.value(given.get(1)): module.plain(given.get(2)) for given in asked}
        for constant in module.constants:
            if constant.name.isupper():
                own = module.plain(constant.value)
                own = usual.get(constant.name) if own is None else own
                yield made(constant.name, line=line_of(constant.node), default=own)
    for holder, name in module.conf:
        if module.origin(holder) == _CONF and (text := module.text(name)).isupper():
            yield made(text, line=line_of(name))
    for called in module.calls:
        if called.name != "getattr":
            continue
        given = called.given
        if module.origin(given.get(0)) == _CONF:
            text = module.value(given.get(1)) or ""
            if text:
                yield made(text, line=called.line, default=module.plain(given.get(2)))
