"""Tests of pytest and unittest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stationmaster.reading.code.languages.source import line_of
from stationmaster.reading.code.model import Test

if TYPE_CHECKING:
    from stationmaster.reading.code.languages.python.module import Definition, Module

_FIXTURES = frozenset({"pytest.fixture", "pytest_asyncio.fixture"})
_CASES = ("TestCase", "TestBase", "Tests", "Test")
"""How names of bases end whose methods `test…` are tests."""


def read(module: Module) -> tuple[Test, ...]:
    """The tests of functions and of test classes, and fixtures, by qualified name."""
    cases = {
        name
        for definition in module.definitions
        if definition.is_class and _is_case(module, definition)
        for name in [module.scopes.at(definition.node.start_byte)]
    }
    return tuple(
        test
        for definition in module.definitions
        if not definition.is_class
        for test in _tests(module, definition, cases)
    )


def _is_case(module: Module, each: Definition) -> bool:
    """Does pytest or unittest look for tests in a class?"""
    bases = (module.text(base).partition("[")[0] for base in module.bases(each))
    return each.name.startswith("Test") or any(base.endswith(_CASES) for base in bases)


def _tests(module: Module, each: Definition, cases: set[str]) -> Iterator[Test]:
    for decorator in each.decorators:
        function = decorator.child_by_field_name("function") or decorator
        if module.origin(function) in _FIXTURES:
            yield Test(module.scopes.at(each.node.start_byte), line_of(each.node), "fixture")
            return
    if each.name.startswith("test"):
        qualified = module.scopes.at(each.node.start_byte)
        container = qualified.rpartition(".")[0]
        if container in cases or (not container and each.name.startswith("test_")):
            yield Test(qualified, line_of(each.node))
