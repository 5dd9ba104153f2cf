from __future__ import annotations

import textwrap

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.reading import read
from tests.reading.code.reading import symbol


def java(text: str) -> FileFacts:
    return read("Java", textwrap.dedent(text).encode())


def test_declarations_have_their_kinds_documents_bases_and_annotations() -> None:
    facts = java("""\
        package shop.orders;

        /**
         * Keeps {@link Order orders}. It is <b>slow</b>.
         *
         * @author somebody
         */
        @Service("orders")
        public final class Orders<T> extends Base<T> implements Store, Closeable {
            public static final String NAME = "orders";
            private int hidden;
            @Inject private Clock clock;

            public Orders() {}

            /** @return nothing */
            @Deprecated
            public <R> R find(
                String id) throws IOException { return null; }

            protected void keep() {}
            enum State { OPEN, CLOSED }
            public record Line(int count) {}
        }
        interface Store { int SIZE = 1; void put(Order order); }
        @interface Marked { String value() default ""; }
    """)
    assert (facts.status, facts.package) == ("ok", "shop.orders")
    orders = symbol(facts, "Orders")
    assert (orders.kind, orders.line, orders.end) == ("class", 9, 24)
    assert orders.doc == "Keeps orders."
    assert orders.signature == (
        "public final class Orders<T> extends Base<T> implements Store, Closeable"
    )
    assert (orders.bases, orders.marks) == (("Base<T>", "Store", "Closeable"), ("Service",))
    find = symbol(facts, "Orders.find")
    assert (find.kind, find.line, find.end, find.doc) == ("method", 18, 19, "")
    assert (find.signature, find.marks) == (
        "public <R> R find( String id) throws IOException", ("Deprecated",),
    )  # fmt: skip
    assert {each.qualified: each.kind for each in facts.symbols if each.is_public} == {
        "Orders": "class", "Orders.NAME": "constant", "Orders.Orders": "constructor",
        "Orders.find": "method", "Orders.Line": "class",
    }  # fmt: skip
    assert {each.qualified: each.kind for each in facts.symbols if not each.is_public} == {
        "Orders.clock": "property", "Orders.keep": "method", "Orders.State": "enum",
        "Orders.State.OPEN": "constant", "Orders.State.CLOSED": "constant",
        "Store": "interface", "Store.SIZE": "constant", "Store.put": "method",
        "Marked": "interface", "Marked.value": "method",
    }  # fmt: skip


def test_imports_are_types_members_and_everything_of_a_package() -> None:
    facts = java("""\
        package shop;
        import shop.orders.Order;
        import static shop.Texts.join;
        import shop.parts.*;
        import static shop.Numbers.*;
    """)
    assert facts.imports == (
        Import("shop.orders.Order", 2, bound=("Order",)),
        Import("shop.Texts", 3, names=("join",), bound=("join",)),
        Import("shop.parts", 4, names=("*",), bound=("*",)),
        Import("shop.Numbers", 5, names=("*",), bound=("*",)),
    )


def test_types_that_are_named_without_an_import_are_references_but_not_those_in_words() -> None:
    facts = java("""\
        package shop;
        import shop.orders.Order;
        // A Comment about Nothing
        class Shop {
            Order order;
            String name = "Words in Texts";
            Clerk clerk = Clerks.find(Shop.class).Inner;
        }
    """)
    assert [(each.name, each.line) for each in facts.imports if each.kind == "reference"] == [
        ("Clerk", 7), ("Clerks", 7),
    ]  # fmt: skip


def test_calls_know_who_makes_them_and_on_what() -> None:
    facts = java("""\
        class Shop {
            void open() {
                light.on();
                this.greet("x");
                new Clerk<>(1);
                new Thread(new Runnable() { public void run() { ring(); } });
            }
        }
    """)
    assert [(each.name, each.of, each.line) for each in facts.calls] == [
        ("on", "light", 3), ("greet", "this", 4), ("Clerk", "", 5), ("ring", "", 6),
        ("Runnable", "", 6), ("Thread", "", 6),
    ]  # fmt: skip
    assert {each.caller for each in facts.calls} == {"Shop.open"}
    assert [each.name for each in facts.symbols] == ["Shop", "open"], "run is nobody's member"


def test_a_file_that_breaks_off_says_what_can_be_read() -> None:
    facts = java("class Shop { void open() { light.on(; } int x; }\n class Door {")
    assert facts.status == "errors"
    assert symbol(facts, "Shop").kind == "class"


def test_a_remark_before_a_method_is_no_part_of_its_head() -> None:
    text = "class A {\n @SuppressWarnings('x')\n // By hand.\n public void run() {\n }\n}\n"
    assert symbol(java(text), "A.run").signature.endswith("public void run()")
    assert "By hand" not in symbol(java(text), "A.run").signature


def test_who_made_a_class_does_not_say_what_it_is() -> None:
    facts = java("""
        /** Created by anna on 16/9/30. */
        class Till {}
        /** Copy from : https://example.com/till */
        class Cup {}
        /** Created by the till for each order. */
        class Bill {}
    """)
    docs = {it.name: it.doc for it in facts.symbols}
    assert docs == {"Till": "", "Cup": "", "Bill": "Created by the till for each order."}
