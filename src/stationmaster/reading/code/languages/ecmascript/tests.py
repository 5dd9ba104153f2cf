"""Tests of the runners that share `describe`, `it` and `test`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stationmaster.reading.code.languages.source import line_of, one_line
from stationmaster.reading.code.model import Test, TestKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from stationmaster.reading.code.languages.ecmascript.module import Module
    from stationmaster.reading.code.languages.ecmascript.parsed import Called

_RUNNERS = frozenset(
    {
        "vitest",
        "@jest/globals",
        "mocha",
        "test",
        "@playwright/test",
        "bun:test",
        "ava",
        "tap",
        "uvu",
        "@japa/runner",
        "cypress",
        "@std/testing/bdd",
    }
)
_KINDS: dict[str, TestKind | None] = {
    "describe": None,
    "suite": None,
    "context": None,
    "it": "test",
    "test": "test",
    "specify": "test",
    "bench": "benchmark",
}
"""None groups others."""
_MODIFIERS = frozenset(
    {
        "only",
        "skip",
        "todo",
        "each",
        "concurrent",
        "sequential",
        "fails",
        "failing",
        "serial",
        "describe",
        "parallel",
        "fixme",
        "runIf",
        "skipIf",
        "for",
    }
)
_FUNCTIONS = frozenset({"arrow_function", "function_expression"})


def read(module: Module) -> tuple[Test, ...]:
    """The tests and benchmarks by place, named after the innermost four groups around them."""
    own = {definition.name for definition in module.definitions}
    tests: list[Test] = []
    around: list[tuple[int, str]] = []
    calls = [call for call in module.calls if _word(module, call) not in own]
    for called in sorted(calls, key=lambda each: each.node.start_byte):
        word = _word(module, called)
        if word not in _KINDS or not _is_runner(module, word):
            continue
        given = module.arguments(called.node).at
        name = module.literal(given[0]) if given else None
        if name is None or not any(each.type in _FUNCTIONS for each in given[1:4]):
            continue
        while around and around[-1][0] <= called.node.start_byte:
            around.pop()
        kind = _KINDS[word]
        is_group = kind is None or called.name == "describe"
        told = one_line(" > ".join([each for _, each in around[-4:]] + [name]))
        if is_group:
            around.append((called.node.end_byte, name))
        elif kind is not None:
            tests.append(Test(told, line_of(called.node), kind))
    return tuple(tests)


def _word(module: Module, called: Called) -> str:
    """The function that is called: `it` of `it.only`, of `it.each(…)` and of `it`."""
    if called.of is None:
        return called.name
    if called.name not in _MODIFIERS:
        return ""
    root: Node | None = called.of
    for _ in range(3):
        if root is None or root.type != "member_expression":
            break
        root = root.child_by_field_name("object")
    return module.text(root) if root is not None and root.type == "identifier" else ""


def _is_runner(module: Module, word: str) -> bool:
    """It is imported from a runner, or as a global from nowhere."""
    origin = module.names.get(word)
    if origin is None:
        return True
    return (
        origin.partition(":")[0] in _RUNNERS
        or origin in _RUNNERS
        or origin.startswith(("node:test", "bun:test", ".", "@/"))
    )
