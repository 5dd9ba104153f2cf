"""What programs of C and C++ take: tables of getopt, CLI11, cxxopts; and what they read from the
environment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.cfamily.file import File, name_of
from stationmaster.reading.code.languages.command_lines.options import dashed
from stationmaster.reading.code.languages.source import (
    Source,
    above,
    child,
    inside,
    line_of,
    one_line,
)
from stationmaster.reading.code.model import CliCommand, Entry, Option, Setting, Test

_GETOPT = re.compile(r"<?(?:\w+/)?(?:x?getopt\w*|unistd)\.h>?")
_ENVIRONMENT = re.compile(r"(?:\w{1,40}_)?(?:secure_)?(?:getenv|GetEnv)(?:_s)?")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{1,80}")
_SHORT = re.compile(r"([A-Za-z0-9?@#%])(:{0,2})")
_MAIN = code.names("cfamily.programs.main")
_TESTS = code.names("cfamily.tests.functions")
_CASES = code.names("cfamily.tests.macros")
_ADDING = ("add_option", "add_flag", "add_flag_callback", "add_option_function")
_DEFAULT = re.compile(r"default_value\(\s*\"([^\"\n]{0,200})\"")
_STEPS_MAX = 500
_LEVELS_MAX = 8


def settings(file: File) -> Iterator[Setting]:
    """Environment variables in calls of `getenv` and of functions named after it."""
    for node in file.nodes["call"]:
        if _ENVIRONMENT.fullmatch(file.part(node, "function").rpartition("::")[2]):
            name = file.value(child(child(node, "arguments")))
            if name and _VARIABLE.fullmatch(name):
                yield Setting(name, "env", line_of(node))


def commands(file: File) -> tuple[CliCommand, ...]:
    """The commands and options of a file that includes a library for them."""
    names, calls = [import_.name for import_ in file.imports], file.nodes["call"]
    if any("CLI/" in name or name.strip("<>") == "CLI11.hpp" for name in names):
        return tuple(_cli11(file, calls))
    options: list[Option] = []
    if any("cxxopts" in name for name in names):
        options = sorted(_cxxopts(file, calls), key=lambda option: option.line)
    elif any(_GETOPT.fullmatch(name) for name in names):
        options = list(_getopt(file, calls))
    return (CliCommand((), options[0].line, options=tuple(options)),) if options else ()


def _getopt(source: Source, calls: list[Node]) -> Iterator[Option]:
    """Rows of `struct option`, and the letters of the text in a call of `getopt`."""
    names: set[str] = set()
    for match in source.matches("commands"):
        if source.text(match["type"][0]) == "option":
            for row in match["rows"][0].named_children:
                cells = [cell for cell in row.named_children if cell.type != "comment"]
                long = source.literal(cells[0]) if len(cells) == 4 else None
                if long:
                    last = cells[3]
                    short = source.text(last).strip("'") if last.type == "char_literal" else ""
                    names.add(short)
                    signs = dashed(short if len(short) == 1 else "", f"--{long}")
                    yield Option(signs, line_of(row))
    for node in calls:
        if source.part(node, "function") in ("getopt", "getopt_long", "getopt_long_only"):
            text = source.literal(child(node, "arguments", 2))
            for letter, _ in _SHORT.findall((text or "").lstrip("+-:")):
                if letter not in names:
                    names.add(letter)
                    yield Option((f"-{letter}",), line_of(node))


def _cxxopts(source: Source, calls: list[Node]) -> Iterator[Option]:
    """`options.add_options()("o,out", "Help", …)(…)`: calls of what calls return."""
    for node in calls:
        inner = child(node, "function")
        for _ in range(_STEPS_MAX):
            if inner is None or inner.type != "call_expression":
                break
            inner = child(inner, "function")
        arguments = child(node, "arguments")
        name, help_, *_ = [*(source.literal(it) or "" for it in inside(arguments)), "", ""]
        if arguments is not None and name and source.text(inner).endswith("add_options"):
            default = _DEFAULT.search(source.text(arguments))
            row = line_of(arguments), one_line(help_), default[1] if default else None
            yield Option(dashed(*map(str.strip, name.split(","))), *row)


def _cli11(source: Source, calls: list[Node]) -> Iterator[CliCommand]:
    """Options and subcommands by the variables of their applications."""
    words: dict[str, tuple[str, ...]] = {}
    made: dict[tuple[str, ...], CliCommand] = {}
    for node in calls:
        callee, arguments = child(node, "function"), child(node, "arguments")
        if callee is None or arguments is None or callee.type != "field_expression":
            continue
        method = source.part(callee, "field")
        name, *texts = [*(source.literal(it) or "" for it in arguments.named_children), ""]
        above_, help_ = (
            words.get(source.part(callee, "argument"), ()),
            one_line("".join(texts[-2:-1])),
        )
        if name and method == "add_subcommand" and len(above_) < _LEVELS_MAX:
            own = words[_holder(source, node)] = (*above_, name)
            options = made[own].options if own in made else ()
            made[own] = CliCommand(own, line_of(node), help_, options=options)
        elif name and method in _ADDING:
            names = (it.strip() for it in name.split(","))
            dashed_ = tuple(it if it.startswith("-") else it.upper() for it in names)
            option = Option(dashed_, line_of(arguments), help_)
            command = made.get(above_, CliCommand(above_, option.line))
            made[above_] = replace(command, options=(*command.options, option))
    yield from map(made.__getitem__, sorted(made))


def _holder(source: Source, node: Node) -> str:
    """The variable that keeps what a call returns."""
    around = above(node, "init_declarator", "assignment_expression")
    name = source.part(around, "declarator") or source.part(around, "left")
    return name.lstrip("*& ")


def entries(file: File) -> tuple[Entry, ...]:
    """The first function `main`, or Windows' variant of it, outside classes; () without one."""
    return tuple(
        Entry(named.name, "main", line_of(item.node), named.name)
        for item in file.items
        if item.node.type == "function_definition"
        and not item.owner
        and (named := name_of(file, child(item.node, "declarator")))
        and named.name in _MAIN
        and not named.scope
    )[:1]


def tests(file: File) -> tuple[Test, ...]:
    """The tests of GoogleTest and similar libraries, Catch2 and doctest."""
    rows = []
    for item in file.items:
        if item.node.type != "function_definition":
            continue
        declarator = child(item.node, "declarator")
        named = name_of(file, declarator)
        if named is not None and named.name in _TESTS and declarator is not None:
            names = [file.text(parameter) for parameter in inside(declarator, "parameters")]
            if len(names) == 2:
                rows.append(Test(".".join(names), line_of(item.node)))
    for node in file.nodes["call"]:
        if file.part(node, "function") in _CASES:
            texts = [file.literal(value) for value in inside(node, "arguments")[:2]]
            name = next((text for text in texts if text is not None), None)
            if name:
                rows.append(Test(name, line_of(node)))
    return tuple(sorted(rows, key=lambda text: text.line))
