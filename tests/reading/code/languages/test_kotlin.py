from __future__ import annotations

import textwrap

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.reading import read
from tests.reading.code.reading import symbol


def kotlin(text: str) -> FileFacts:
    return read("Kotlin", textwrap.dedent(text).encode())


def test_declarations_have_their_kinds_documents_bases_and_annotations() -> None:
    facts = kotlin("""\
        package shop.orders

        /**
         * Keeps [orders][Order]. It is slow.
         *
         * @param T of what
         */
        @Service("orders")
        class Orders<T>(private val clock: Clock, val name: String) : Base<T>(1), Store {
            companion object {
                const val LIMIT = 10
                fun build() = Orders(1)
            }
            private val hidden = 1
            internal val known = 2

            constructor() : this(Clock())

            @Deprecated("old")
            override suspend fun <R> find(
                id: String,
            ): R? {
                val local = 1
                return object : Thing {
                    override fun never() {}
                }
            }

            protected fun keep() {}
            enum class State { OPEN, CLOSED }
        }
        interface Store {
            fun put()
        }
        object Only : Store
        typealias Names = List<String>
        fun String.short(): String = this
        val String.first: Char get() = this[0]
    """)
    assert (facts.status, facts.package) == ("ok", "shop.orders")
    orders = symbol(facts, "Orders")
    assert (orders.kind, orders.line, orders.end) == ("class", 9, 31)
    assert (orders.bases, orders.marks) == (("Base<T>", "Store"), ("Service",))
    find = symbol(facts, "Orders.find")
    assert (find.kind, find.line, find.end, find.marks) == ("method", 20, 27, ("Deprecated",))
    assert find.signature == "override suspend fun <R> find( id: String, ): R?"
    assert {each.qualified: each.kind for each in facts.symbols if each.is_public} == {
        "Orders": "class", "Orders.name": "property", "Orders.LIMIT": "constant",
        "Orders.build": "method", "Orders.constructor": "constructor", "Orders.find": "method",
        "Orders.State": "enum", "Orders.State.OPEN": "constant",
        "Orders.State.CLOSED": "constant", "Store": "interface", "Store.put": "method",
        "Only": "object", "Names": "type", "short": "function", "first": "property",
    }  # fmt: skip
    assert [each.name for each in facts.symbols if not each.is_public] == ["known", "keep"]


def test_imports_are_types_functions_and_everything_of_a_package() -> None:
    facts = kotlin("""\
        package shop
        import shop.orders.Order
        import shop.texts.join as glue
        import shop.parts.*
        // About Nothing
        val clerk: Clerk = Order.find("Words")
    """)
    assert facts.imports == (
        Import("shop.orders.Order", 2, bound=("Order",)),
        Import("shop.texts.join", 3, bound=("glue",)),
        Import("shop.parts", 4, names=("*",), bound=("*",)),
        Import("Clerk", 6, "reference", bound=("Clerk",)),
    )


def test_calls_know_who_makes_them_and_on_what() -> None:
    facts = kotlin("""\
        class Shop {
            fun open() {
                light.on(1)
                door?.swing { it }
                greet("x")
                Clerk(1)
            }
        }
    """)
    assert [(each.name, each.of, each.line, each.caller) for each in facts.calls] == [
        ("on", "light", 3, "Shop.open"), ("swing", "door", 4, "Shop.open"),
        ("greet", "", 5, "Shop.open"), ("Clerk", "", 6, "Shop.open"),
    ]  # fmt: skip
