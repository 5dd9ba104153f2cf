from __future__ import annotations

import pytest

from stationmaster.reading.code import model
from stationmaster.reading.code.model import Call, Entry, Import
from tests.reading.code.reading import facts_of, symbol


def test_declarations_have_their_types_documents_and_attributes() -> None:
    facts = facts_of(
        "Swift",
        """
        /// A cart. More.
        @available(macOS 13, *)
        public struct Cart<T>: Store, Sendable {
            @Published private var items: [T] = []
            public init(x: Int) { self.x = x }
            public func add(_ item: T, by count: Int = 1) throws -> Int { 1 }
            var hidden: Int { 1 }
        }
        public extension Cart {
            func open() { let inner = 1 }
            private func shut() {}
        }
        extension Cart: Closing { func close() {} }
        public protocol Keeping { func keep() }
        open class Base {}
        public enum Colour: String { case red, blue(Int) }
        actor Worker {}
        typealias Name = String
        let limit = 10
        func helper() {}
    """,
    )
    cart = symbol(facts, "Cart")
    assert (cart.kind, cart.doc, cart.bases) == ("struct", "A cart.", ("Store", "Sendable"))
    assert cart.signature == "public struct Cart<T>: Store, Sendable"
    assert symbol(facts, "Cart.items").marks == ("Published",)
    add = symbol(facts, "Cart.add")
    assert add.signature == "public func add(_ item: T, by count: Int = 1) throws -> Int"
    assert (add.kind, add.container) == ("method", "Cart")
    assert symbol(facts, "Cart.init").kind == "constructor"
    assert symbol(facts, "limit").kind == "constant"
    assert {each.qualified for each in facts.symbols if each.is_public} == {
        "Cart", "Cart.init", "Cart.add", "Cart.open", "Keeping", "Keeping.keep", "Base", "Colour",
    }  # fmt: skip
    assert {each.qualified for each in facts.symbols if not each.is_public} == {
        "Cart.items", "Cart.hidden", "Cart.shut", "Cart.close", "Worker", "Name", "limit", "helper",
    }  # fmt: skip


def test_imports_take_everything_or_the_one_thing_that_they_name() -> None:
    facts = facts_of(
        "Swift",
        """
        import Foundation
        @testable import App
        import struct Vapor.Request
        @_exported import Core
        let store = Store(name: "Not Named")
    """,
    )
    assert facts.imports == (
        Import("Foundation", 2, names=("*",), bound=("*",)),
        Import("App", 3, names=("*",), bound=("*",)),
        Import("Vapor", 4, names=("Request",), bound=("Request",)),
        Import("Core", 5, "reexport", ("*",), ("*",)),
        Import("Store", 6, "reference", bound=("Store",)),
    )


def test_calls_know_what_they_are_on_and_in() -> None:
    facts = facts_of("Swift", "struct S { func run() { store.items.add(1); go(); Cart().open() } }")
    assert {(call.of, call.name, call.caller) for call in facts.calls} == {
        ("store.items", "add", "S.run"), ("", "go", "S.run"), ("Cart()", "open", "S.run"),
        ("", "Cart", "S.run"),
    }  # fmt: skip
    assert Call("go", 1, "", "S.run") in facts.calls


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("@main struct Tool { }", [Entry("Tool", "main", 1, "Tool")]),
        ("import X\nrun()\n", [Entry("main", "main", 2)]),
        ("struct Main { func main() { run() } }", []),
    ],
)
def test_programs_begin_where_they_say(text: str, entries: list[Entry]) -> None:
    assert list(facts_of("Swift", text).entries) == entries


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("import XCTest\nclass T: XCTestCase { func testA() {} \n func testB(x: Int) {} }",
         [model.Test("T.testA", 2)]),
        ("import XCTest\nclass T: XCTestCase {}\nextension T { func testA() {} }",
         [model.Test("T.testA", 3)]),
        ("import Testing\n@Suite struct S { @Test(\"it adds\") func a() {}\n @Test func b() {} }",
         [model.Test("it adds", 2), model.Test("S.b", 3)]),
        ("class T: Base { func testA() {} }", []),
    ],
)  # fmt: skip
def test_tests_are_those_of_a_framework_that_is_imported(
    text: str, tests: list[model.Test]
) -> None:
    assert list(facts_of("Swift", text).tests) == tests
