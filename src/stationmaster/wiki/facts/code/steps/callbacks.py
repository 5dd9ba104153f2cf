"""Functions that are passed as values, and run without being called where they are named."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from stationmaster.catalogue import code as catalogue
from stationmaster.reading.code.explaining import head_end
from stationmaster.reading.code.model import Call, Given, Symbol
from stationmaster.reading.code.signatures import arguments, parameters, parameters_apart
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import around, called, targets
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.model import Facts, Spot, query

_line = attrgetter("line")
_IMPORT = re.compile(r"\s*(?:import|from|use|using|export)\b")
_CALLED = ("function", "method")
_SET = re.compile(r"\s*(\w+)\s*=(?![=>])[^\n]*[^,\s]\s*$")
"""A statement that sets a variable, and no default of a parameter."""
_OF_TYPE = (".cs", ".swift")
"""Files in which a method of the same type is named without a receiver."""
HEAD_LINES_MAX = 30
"""Of the parameters of a function."""
_COMPARED = re.compile(
    r"(?<![\w.])([\w.]++)\s?[=!]==?\s?(?:([\w.]++)(?!\())?|[=!]==?\s?([\w.]++)(?!\()"
)
LINE_MAX = 400
"""Letters of a line."""
LINES_MAX = 200
"""Of a function in which such names are looked for."""


_RUNNING = catalogue.table("ecmascript.steps.running", dict[str, tuple[str, ...]])


def is_run(facts: Facts, path: str, line: int) -> bool:
    """True for a function which is passed at a line to what runs it."""
    names = {it for used in facts.code[path].imports for it in _RUNNING.get(used.name, ())}
    near = "".join(lines_of(facts, path)[max(line - 2, 0) : line]) if names else ""
    return bool(names) and re.search(rf"\b(?:{'|'.join(sorted(names))})\(", near) is not None


def passed(facts: Facts, spot: Spot, within: tuple[int, int]) -> Iterator[tuple[int, Spot]]:
    """The functions of the repository that one passes as values, each with its line: handlers,
    dependencies, what a thread runs."""
    symbol = symbol_of(facts, spot.path, spot.name) if spot.name else None
    if symbol is None and not within[0]:
        return
    first, last = within if within[0] else (symbol.line, symbol.end) if symbol else within
    last = min(last, first + LINES_MAX)
    named = _among(facts.code[spot.path].given, first, last)
    if not named:
        return
    lines = lines_of(facts, spot.path)
    local = _local(facts, spot, lines) if symbol else frozenset[str]()
    for it in named:
        line = lines[it.line - 1]
        is_import = symbol is None and _IMPORT.match(line)
        if (
            is_import
            or _is_compared(it.name, line)
            or it.head in local
            or (not symbol and around(facts, spot.path, it.line))
        ):
            continue
        of, _, name = it.name.rpartition(".")
        end = _function(facts, spot, Call(name, it.line, of, spot.name))
        if end is not None:
            yield it.line, end


def _is_compared(name: str, line: str) -> bool:
    """True for a name that a line only compares with something, as in `x === name`."""
    if "==" not in line and "!=" not in line:
        return False
    return any(name in match.groups() for match in _COMPARED.finditer(line[:LINE_MAX]))


def of_parameter(facts: Facts, spot: Spot, call: Call) -> Step | None:
    """The step to the functions that callers pass for a parameter that is called."""
    functions = {} if call.of else _arguments(facts).get((spot, call.name), {})
    ends, givers = tuple(functions.values()), tuple(functions)
    return Step(spot, ends, call.line, parameter=call.name, givers=givers) if functions else None


@query
def _arguments(facts: Facts) -> Mapping[tuple[Spot, str], Mapping[tuple[Spot, int], Spot]]:
    """The functions that are passed for parameters that are called, by function and parameter,
    then by caller and line."""
    called_by = defaultdict[str, dict[Spot, list[list[str]]]](dict)
    sources = {it: facts.code[it] for it in facts.code if facts.records[it].file_class == "source"}
    for path, code in sources.items():
        names = defaultdict[str, set[str]](set)
        for call in code.calls if code.given else ():
            if not call.of:
                names[call.caller].add(call.name)
        for symbol in code.symbols if names else ():
            parameter_words = (
                parameters_apart(symbol.signature) if symbol.qualified in names else []
            )
            called_here = [
                word
                for words in parameter_words
                for word in words
                if word in names[symbol.qualified]
            ]
            if called_here and not _is_set(
                lines_of(facts, path)[symbol.line - 1 : symbol.end], called_here
            ):
                is_bound = bool(symbol.container) and parameter_words[0][:1] in (["self"], ["cls"])
                own = Spot(path, symbol.qualified)
                called_by[symbol.name][own] = parameter_words[1:] if is_bound else parameter_words
    arguments = defaultdict[tuple[Spot, str], dict[tuple[Spot, int], Spot]](dict)
    for path, code in sources.items():
        for call in code.calls if code.given else ():
            ends = targets(facts, path, call) if call.name in called_by else ()
            parameter_words = called_by[call.name].get(ends[0], []) if len(ends) == 1 else []
            giver = Spot(path, call.caller)
            for words, end in _passed_functions(facts, giver, call, parameter_words):
                for word in words:
                    arguments[ends[0], word].setdefault((giver, call.line), end)
    return arguments


def _is_function(facts: Facts, spot: Spot) -> bool:
    symbol = symbol_of(facts, spot.path, spot.name)
    return symbol is not None and symbol.kind in _CALLED and symbol.end > symbol.line


def _is_set(lines: Sequence[str], names: Sequence[str]) -> bool:
    """Do some lines set one of some names to another value?"""
    setting = (_SET.match(line) for line in lines)
    return any(match is not None and match[1] in names for match in setting)


def _passed_functions(
    facts: Facts, giver: Spot, call: Call, parameter_words: Sequence[list[str]]
) -> Iterator[tuple[list[str], Spot]]:
    """The functions among the arguments of a call, with the words of their parameters."""
    if not parameter_words or not _among(
        facts.code[giver.path].given, call.line, call.line + HEAD_LINES_MAX
    ):
        return
    lines = lines_of(facts, giver.path)
    text = " ".join(lines[call.line - 1 : call.line + HEAD_LINES_MAX]).partition(call.name)[2]
    symbol = symbol_of(facts, giver.path, giver.name) if giver.name else None
    local = _local(facts, giver, lines) if symbol else frozenset[str]()
    for at, argument in enumerate(arguments(text)):
        keyword, sign, value = argument.rpartition("=")
        of, _, name = value.strip().rpartition(".")
        by_name = (words for words in parameter_words if keyword.strip() in words)
        words = next(by_name if sign else iter(parameter_words[at : at + 1]), None)
        is_name = name.isidentifier() and (of or name).partition(".")[0] not in local
        end = _function(facts, giver, Call(name, call.line, of, giver.name)) if is_name else None
        if words and end is not None:
            yield words, end


def _local(facts: Facts, spot: Spot, lines: Sequence[str]) -> frozenset[str]:
    """The names of parameters and variables of a function and of those around it."""
    names, scope = set[str](), spot.name
    while scope:
        symbol = symbol_of(facts, spot.path, scope)
        if symbol is not None and symbol.kind in (*_CALLED, "constructor"):
            names.update(parameters(_head(lines, symbol).partition(symbol.name)[2]))
            variables = _among(facts.code[spot.path].variables, symbol.line, symbol.end)
            names |= {variable.name for variable in variables}
        scope = scope.rpartition(".")[0]
    return frozenset(names)


def _head(lines: Sequence[str], symbol: Symbol) -> str:
    """The line of a declaration, and those in which its list of parameters goes on."""
    return " ".join(lines[symbol.line - 1 : min(head_end(lines, symbol.line), symbol.end)])


def _among(names: Sequence[Given], first: int, last: int) -> Sequence[Given]:
    """The names on some lines."""
    start = bisect_left(names, first, key=_line)
    return names[start : bisect_right(names, last, start, key=_line)]


def _function(facts: Facts, spot: Spot, call: Call) -> Spot | None:
    """The function that a name refers to, if it is one."""
    is_bare = not call.of and not spot.path.endswith(_OF_TYPE)
    if is_bare and called(facts, spot.path, call) is None:
        return None
    ends = targets(facts, spot.path, call)
    if len(ends) != 1 or facts.records[ends[0].path].file_class != "source":
        return None
    return ends[0] if _is_function(facts, ends[0]) else None
