from __future__ import annotations

import textwrap

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.reading import read
from tests.reading.code.reading import symbol


def php(text: str) -> FileFacts:
    return read("PHP", ("<?php\n" + textwrap.dedent(text)).encode())


def test_declarations_have_their_kinds_documents_bases_and_attributes() -> None:
    facts = php("""\
        namespace App\\Orders;

        /**
         * Keeps orders. It is slow.
         *
         * @template T
         */
        #[Service('orders')]
        abstract class Orders extends Base implements Store, \\Lib\\Closeable
        {
            const LIMIT = 10;
            private $hidden = 1;
            public ?string $name = 'x', $other;

            public function __construct(private readonly Clock $clock) {}

            /** @return nothing */
            #[Pure]
            public static function find(
                string $id,
            ): ?Order { return null; }

            protected function keep(): void {}
        }
        interface Store {}
        trait Kept {}
        enum State: string { case Open = 'o'; }
        /** @internal */
        class Own {}
        function total() {}
        const RATE = 2;
        $made = new class { public function never() {} };
    """)
    assert (facts.status, facts.package) == ("ok", "App\\Orders")
    orders = symbol(facts, "Orders")
    assert (orders.kind, orders.line, orders.end, orders.doc) == ("class", 10, 25, "Keeps orders.")
    assert orders.bases == ("Base", "Store", "\\Lib\\Closeable")
    assert orders.signature == (
        "abstract class Orders extends Base implements Store, \\Lib\\Closeable"
    )
    assert orders.marks == ("Service",)
    find = symbol(facts, "Orders.find")
    assert (find.kind, find.line, find.end, find.marks) == ("method", 20, 22, ("Pure",))
    assert {each.qualified: each.kind for each in facts.symbols if each.is_public} == {
        "Orders": "class", "Orders.LIMIT": "constant", "Orders.name": "property",
        "Orders.other": "property", "Orders.__construct": "method", "Orders.find": "method",
        "Store": "interface", "Kept": "trait", "State": "enum", "State.Open": "constant",
        "total": "function", "RATE": "constant",
    }  # fmt: skip
    assert [each.qualified for each in facts.symbols if not each.is_public] == [
        "Orders.keep", "Own",
    ]  # fmt: skip


def test_uses_and_includes_are_imports_and_class_names_are_references() -> None:
    facts = php("""\
        namespace App;
        use App\\Orders\\Order;
        use App\\{Clerk, Door as Gate};
        use function App\\Texts\\join;
        require_once __DIR__ . '/helpers.php';
        include 'parts/head.php';
        require $anything;
        // About Nothing
        $x = [Order::class, Basket::LIMIT, 'Words', new \\Lib\\Wheel(), $this->Name, Gate::X];
    """)
    assert facts.imports == (
        Import("App\\Orders\\Order", 3, bound=("Order",)),
        Import("App\\Clerk", 4, bound=("Clerk",)),
        Import("App\\Door", 4, bound=("Gate",)),
        Import("App\\Texts\\join", 5, bound=("join",)),
        Import("Basket", 10, "reference", bound=("Basket",)),
        Import("\\Lib\\Wheel", 10, "reference", bound=("\\Lib\\Wheel",)),
        Import("./helpers.php", 6, "include"),
        Import("parts/head.php", 7, "include"),
    )


def test_calls_know_who_makes_them_and_on_what() -> None:
    facts = php("""\
        class Shop {
            function open() {
                $this->light->on();
                $door?->swing();
                self::greet();
                new Clerk(1);
                \\App\\ring();
                $name();
            }
        }
    """)
    assert [(each.name, each.of, each.line, each.caller) for each in facts.calls] == [
        ("on", "this->light", 4, "Shop.open"), ("swing", "door", 5, "Shop.open"),
        ("greet", "self", 6, "Shop.open"), ("Clerk", "", 7, "Shop.open"),
        ("ring", "", 8, "Shop.open"),
    ]  # fmt: skip


def test_what_repeats_the_name_or_is_to_be_done_is_no_description() -> None:
    facts = php("""\
        /** Class Till. */
        class Till
        {
            /** Till constructor. */
            public function __construct() {}

            /** TODO count twice */
            public function count() {}

            /** Constructor of coins. */
            public function coin() {}
        }
        """)
    assert [it.doc for it in facts.symbols] == ["", "", "", "Constructor of coins."]
