from __future__ import annotations

import textwrap

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.reading import read
from tests.reading.code.reading import symbol


def csharp(text: str) -> FileFacts:
    return read("C#", textwrap.dedent(text).encode())


def test_declarations_have_their_kinds_documents_bases_and_attributes() -> None:
    facts = csharp("""\
        namespace Shop.Orders;

        /// <summary>
        /// Keeps <see cref="Order"/> things. It is slow.
        /// </summary>
        /// <remarks>Long.</remarks>
        [Serializable, ServiceAttribute("x")]
        public partial class Orders<T>(IClock clock) : Base<T>(clock), IStore where T : class
        {
            public const string Name = "orders";
            private int hidden;
            private int Hidden { get; set; }
            public required string Title { get; init; } = "x";
            [Key] internal int Id { get; set; }

            public Orders() : base(1) {}

            /// <inheritdoc />
            [Obsolete]
            public async Task<R> Find<R>(
                string id) where R : class => null;

            void Keep() {}
            public enum State { Open, Closed = 2 }
            public record Line(int Count);
        }
        internal delegate void Told(int x);
        public interface IStore { int Size { get; } void Put(Order order); }
        struct Point { public int X; }
    """)
    assert (facts.status, facts.package) == ("ok", "Shop.Orders")
    orders = symbol(facts, "Orders")
    assert (orders.kind, orders.line, orders.end) == ("class", 8, 26)
    assert orders.doc == "Keeps Order things."
    assert orders.signature.startswith("public partial class Orders<T>(IClock clock) : Base<T>")
    assert (orders.bases, orders.marks) == (("Base<T>", "IStore"), ("Serializable", "Service"))
    find = symbol(facts, "Orders.Find")
    assert (find.kind, find.line, find.end, find.doc) == ("method", 20, 21, "")
    assert find.marks == ("Obsolete",)
    assert {each.qualified: each.kind for each in facts.symbols if each.is_public} == {
        "Orders": "class", "Orders.Name": "constant", "Orders.Title": "property",
        "Orders.Orders": "constructor", "Orders.Find": "method", "Orders.State": "enum",
        "Orders.State.Open": "constant", "Orders.State.Closed": "constant",
        "Orders.Line": "class", "IStore": "interface", "IStore.Size": "property",
        "IStore.Put": "method",
    }  # fmt: skip
    assert {each.qualified: each.kind for each in facts.symbols if not each.is_public} == {
        "Orders.Id": "property", "Orders.Keep": "method", "Told": "type", "Point": "struct",
        "Point.X": "property",
    }  # fmt: skip


def test_a_namespace_in_braces_is_the_package_too() -> None:
    facts = csharp("namespace Shop.Orders { public class Order { } }")
    assert (facts.package, [each.qualified for each in facts.symbols]) == (
        "Shop.Orders", ["Order"],
    )  # fmt: skip


def test_usings_are_of_namespaces_types_and_by_other_names() -> None:
    facts = csharp("""\
        global using Shop.Base;
        using System;
        using static Shop.Texts;
        using Line = Shop.Orders.Line;
    """)
    assert facts.imports == (
        Import("Shop.Base", 1, "reexport", ("*",), ("*",)),
        Import("System", 2, names=("*",), bound=("*",)),
        Import("Shop.Texts", 3, bound=("Texts",)),
        Import("Shop.Orders.Line", 4, bound=("Line",)),
    )


def test_types_that_are_named_are_references_but_not_the_names_of_values() -> None:
    facts = csharp("""\
        using Shop.Orders;
        /// <summary>About Nothing</summary>
        class Shop : Building
        {
            public string Address { get; set; } = "Words in Texts";
            Clerk clerk = new Clerk(Desk.Front, other.Member);
        }
    """)
    assert [each.name for each in facts.imports if each.kind == "reference"] == [
        "Building", "Clerk", "Desk",
    ]  # fmt: skip


def test_calls_know_who_makes_them_and_on_what() -> None:
    facts = csharp("""\
        class Shop {
            void Open() {
                light.On<int>();
                light?.Off();
                Greet("x");
                var x = new Clerk<int>(1);
            }
        }
        """)
    assert [(each.name, each.of, each.line, each.caller) for each in facts.calls] == [
        ("On", "light", 3, "Shop.Open"), ("Off", "light", 4, "Shop.Open"),
        ("Greet", "", 5, "Shop.Open"), ("Clerk", "", 6, "Shop.Open"),
    ]  # fmt: skip
