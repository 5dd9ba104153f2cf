from __future__ import annotations

import textwrap

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.reading import read
from tests.reading.code.reading import symbol


def ruby(text: str) -> FileFacts:
    return read("Ruby", textwrap.dedent(text).encode())


def test_declarations_have_their_kinds_documents_bases_and_visibility() -> None:
    facts = ruby("""\
        # Keeps orders. It is slow.
        #
        # @api public
        module Shop
          class Orders::Book < Base::Record
            LIMIT = 10
            attr_reader :name, :size

            def initialize(name) = @name = name

            # Finds one.
            # @return [Order]
            def find(
              id
            )
              helper { |x| x }
            end

            def self.build; end
            class << self
              def made; end
            end

            private def own; end
            def shown?; end

            private

            def hidden; end
          end

          # :nodoc:
          class Inner; end
          def self.quiet; end
          private_class_method :quiet
        end

        def top; end
    """)
    assert facts.status == "ok"
    shop = symbol(facts, "Shop")
    assert (shop.kind, shop.line, shop.doc) == ("module", 4, "Keeps orders.")
    book = symbol(facts, "Shop.Orders.Book")
    assert (book.kind, book.bases, book.end) == ("class", ("Base::Record",), 30)
    assert symbol(facts, "Shop.Orders.Book.find").doc == "Finds one."
    assert {each.qualified: each.kind for each in facts.symbols if each.is_public} == {
        "Shop": "module", "Shop.Orders.Book": "class", "Shop.Orders.Book.LIMIT": "constant",
        "Shop.Orders.Book.name": "property", "Shop.Orders.Book.size": "property",
        "Shop.Orders.Book.initialize": "constructor", "Shop.Orders.Book.find": "method",
        "Shop.Orders.Book.build": "method", "Shop.Orders.Book.made": "method",
        "Shop.Orders.Book.shown?": "method", "top": "function",
    }  # fmt: skip
    assert [each.name for each in facts.symbols if not each.is_public] == [
        "own", "hidden", "Inner", "quiet",
    ]  # fmt: skip


def test_requires_are_imports_and_constants_are_references() -> None:
    facts = ruby("""\
        require "shop/orders"
        require_relative "../door"
        require name
        autoload :Clerk, "shop/clerk"
        def late
          require "json"
        end
        # About Nothing
        Basket.new(Shop::Order::LIMIT, "Words", x.Name, ::Wheel, Style: 1)
    """)
    assert facts.imports == (
        Import("shop/orders", 1),
        Import("../door", 2, "include"),
        Import("shop/clerk", 4, "lazy"),
        Import("json", 6, "lazy"),
        Import("Basket", 9, "reference", bound=("Basket",)),
        Import("Shop::Order::LIMIT", 9, "reference", bound=("Shop::Order::LIMIT",)),
        Import("::Wheel", 9, "reference", bound=("::Wheel",)),
    )


def test_what_a_call_is_given_is_called_before_it() -> None:
    facts = ruby("puts clean(read)\n")
    assert [call.name for call in facts.calls] == ["read", "clean", "puts"]


def test_calls_know_who_makes_them_and_on_what() -> None:
    facts = ruby("""\
        class Shop
          def open
            light.on(1)
            greet "x"
            Clerk.new
          end
        end
    """)
    assert [(each.name, each.of, each.line, each.caller) for each in facts.calls] == [
        ("light", "", 3, "Shop.open"), ("on", "light", 3, "Shop.open"),
        ("greet", "", 4, "Shop.open"), ("new", "Clerk", 5, "Shop.open"),
    ]  # fmt: skip


def test_a_name_alone_is_a_call_unless_a_variable_or_parameter_is_called_so() -> None:
    facts = ruby("""\
        class Shop
          def open(day, *rest, hour: 8, &block)
            staff, doors = load_staff
            count += 1
            staff.each { |clerk, (name, age)| clerk.wake(name, age, day, hour) }
            case day
            in {weather:, till: [first, *]}
              close if weather || first
            end
          rescue Fire => error
            report "#{error} #{place}"
          end

          def ring; end
          alias bell ring
        end
    """)
    assert [each.name for each in facts.calls if each.name not in ("each", "wake", "report")] == [
        "load_staff", "close", "place",
    ]  # fmt: skip
    assert [each.signature for each in facts.symbols if each.name == "ring"] == ["def ring"]


def test_what_a_comment_says_to_a_program_is_not_what_a_method_says() -> None:
    facts = read("Ruby", b"#!/usr/bin/env ruby\nHOME = 1\n\n# Sells it.\n"
                 b"# rubocop:disable Metrics\ndef sell\n  1\nend\n")  # fmt: skip
    assert [(each.name, each.doc) for each in facts.symbols] == [
        ("HOME", ""),
        ("sell", "Sells it."),
    ]


def test_comments_below_the_name_are_no_part_of_the_signature() -> None:
    facts = ruby("def sell(till)\n  # First.\n  #\n  # Then.\n\n  till.open\nend\n")
    assert symbol(facts, "sell").signature == "def sell(till)"


def test_what_only_holds_nested_definitions_is_no_symbol() -> None:
    facts = ruby("""\
        class Shop
          # All of selling.
          module Selling
            class Till
              def open; end
            end
            Desk = Till
          end
        end
        module Empty; end
        class Failure < Base
          class Late < Failure; end
        end
    """)
    assert [it.qualified for it in facts.symbols] == [
        "Shop.Selling.Till",
        "Shop.Selling.Till.open",
        "Shop.Selling.Desk",
        "Empty",
        "Failure",
        "Failure.Late",
    ]
