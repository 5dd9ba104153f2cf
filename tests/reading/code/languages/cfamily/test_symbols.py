from __future__ import annotations

import pytest

from stationmaster.reading.code import model
from stationmaster.reading.code.model import Call, CliCommand, Entry, Import, Option
from tests.reading.code.reading import facts_of, symbol


def test_a_header_of_c_declares_what_others_may_use() -> None:
    facts = facts_of("C", """
        /** @file
         * Transfers. Many of them. */
        #ifndef SHOP_H
        #define SHOP_H
        #include "own/types.h"
        #include <stdio.h>
        #include MACRO
        #define SHOP_LIMIT 10
        #define SHOP_MAX(a, b) ((a) > (b))
        #ifdef __cplusplus
        extern "C" {
        #endif
        /* Opens it. Then more. */
        SHOP_EXTERN int shop_open(const char *name, struct shop **out);
        char *shop_name(void);
        extern int shop_count;
        typedef struct shop { int a; } shop;
        typedef struct { int b; } item;
        typedef int (*shop_cb)(int);
        enum state { OPEN, SHUT };
        struct elsewhere;
        static inline int shop_inline(void) { return shop_open(0, 0); }
        #ifdef __cplusplus
        }
        #endif
        #endif
    """)  # fmt: skip
    assert facts.doc == "Transfers."
    assert {each.qualified: each.kind for each in facts.symbols if each.is_public} == {
        "SHOP_LIMIT": "macro", "SHOP_MAX": "macro", "shop_open": "function",
        "shop_name": "function", "shop_count": "variable", "shop": "struct", "item": "struct",
        "shop_cb": "type", "state": "enum",
    }  # fmt: skip
    assert not symbol(facts, "shop_inline").is_public
    assert symbol(facts, "shop_open").doc == "Opens it."
    assert symbol(facts, "shop_name").signature == "char *shop_name(void)"
    assert facts.imports == (
        Import("own/types.h", 6, "include"),
        Import("<stdio.h>", 7, "include"),
    )
    assert facts.calls == (Call("shop_open", 23, "", "shop_inline"),)


def test_what_a_file_that_is_no_header_defines_is_not_public() -> None:
    facts = facts_of(
        "C",
        """
        static int helper(int x);
        int run(void) { return helper(1); }
        static int helper(int x) { return x; }
        int (*handler)(int), count = 0;
    """,
    )
    assert [(each.name, each.kind, each.line) for each in facts.symbols] == [
        ("run", "function", 3), ("helper", "function", 4),
        ("handler", "variable", 5), ("count", "variable", 5),
    ]  # fmt: skip
    assert not any(each.is_public for each in facts.symbols)


def test_classes_have_their_namespaces_members_and_bases() -> None:
    facts = facts_of(
        "C++",
        """
        #pragma once
        namespace shop::core {
        /// \\brief A list. More.
        template <typename T>
        class List : public Base, private util::Other<T> {
         public:
          List(int size);
          ~List();
          virtual int size() const = 0;
          bool operator==(const List& other) const { return true; }
          struct Node { int value; };
         private:
          void grow();
          int used_;
        };
        enum class Colour { Red };
        using Name = std::string;
        int total(int a);
        namespace { int hidden(); }
        }
        int shop::core::List<int>::size() const { return this->grow() + util::count<int>(1); }
    """,
    )
    made = {each.qualified: each for each in facts.symbols}
    assert facts.package == "shop"
    lists = made["shop.core.List"]
    assert (lists.kind, lists.line, lists.doc) == ("class", 5, "A list.")
    assert lists.bases == ("Base", "util::Other<T>")
    assert lists.signature.startswith("template <typename T> class List : public Base")
    assert {name for name, each in made.items() if each.is_public} == {
        "shop.core.List", "shop.core.List.List", "shop.core.List.~List", "shop.core.List.size",
        "shop.core.List.operator==", "shop.core.List.Node", "shop.core.Colour", "shop.core.Name",
        "shop.core.total",
    }  # fmt: skip
    assert {name for name, each in made.items() if not each.is_public} == {
        "shop.core.List.grow", "shop.core.hidden",
    }  # fmt: skip
    assert made["shop.core.List.List"].kind == "constructor"
    assert made["shop.core.List.size"].kind == "method"
    assert [(each.of, each.name) for each in facts.calls] == [("this", "grow"), ("util", "count")]


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("TEST(Cart, IsEmpty) { EXPECT_EQ(1, 1); }", [model.Test("Cart.IsEmpty", 1)]),
        ("TEST_F(Cart, Adds) { }", [model.Test("Cart.Adds", 1)]),
        ('TEST_CASE("adds", "[cart]") { SECTION("a") {} }', [model.Test("adds", 1)]),
        ("TEST(One) { }", []),
        ("int test_all(void) { return TEST(a, b); }", []),
    ],
)  # fmt: skip
def test_tests_are_known_by_their_macros(text: str, tests: list[model.Test]) -> None:
    assert list(facts_of("C++", text).tests) == tests


def test_includes_are_found_where_a_grammar_expects_none() -> None:
    facts = facts_of(
        "C",
        """
        /* #include "no.h" */
        enum opcode {
        #define OP(name) name,
        #include "list.h"
        };
    """,
    )
    assert facts.imports == (Import("list.h", 5, "include"),)


def test_main_is_where_a_program_begins() -> None:
    facts = facts_of(
        "C",
        """
        #ifdef _WIN32
        int wmain(int argc, wchar_t **argv) { return 0; }
        #else
        int main(int argc, char **argv) { return 0; }
        #endif
    """,
    )
    assert facts.entries == (Entry("wmain", "main", 3, "wmain"),)
    assert facts_of("C", "int domain(void) { return main(); }").entries == ()


def test_what_does_not_parse_costs_itself_alone() -> None:
    facts = facts_of("C", "int a(void) { return 1; }\nBROKEN(((\nint b(void) { return 2; }\n")
    assert facts.status == "errors"
    assert "a" in {each.name for each in facts.symbols}


def test_options_are_rows_of_getopt_and_letters_of_its_text() -> None:
    facts = facts_of(
        "C",
        """
        #include <getopt.h>
        static struct option longs[] = {
            {"help", no_argument, NULL, 'h'},
            {"out", required_argument, 0, OUT},
            {0, 0, 0, 0}
        };
        static struct other rows[] = { {"no", 1, 2, 'n'} };
        int main(int argc, char **argv) { getopt_long(argc, argv, "ho:v", longs, NULL); }
    """,
    )
    assert [each.names for each in facts.commands[0].options] == [
        ("-h", "--help"), ("--out",), ("-o",), ("-v",),
    ]  # fmt: skip
    assert facts_of("C", 'int f(void) { getopt(1, v, "ab"); }').commands == ()


def test_options_of_cxxopts_are_calls_of_calls() -> None:
    facts = facts_of(
        "C++",
        """
        #include <cxxopts.hpp>
        void f() {
            options.add_options()
                ("h,help", "Print help")
                ("o,out", "Where to", cxxopts::value<int>()->default_value("1"));
            other("x", "y");
        }
    """,
    )
    assert facts.commands == (
        CliCommand((), 5, options=(
            Option(("-h", "--help"), 5, "Print help"), Option(("-o", "--out"), 6, "Where to", "1"),
        )),
    )  # fmt: skip


def test_commands_of_cli11_hold_what_is_put_on_their_variables() -> None:
    facts = facts_of(
        "C++",
        """
        #include "CLI/CLI.hpp"
        void f() {
            CLI::App app{"Sells"};
            app.add_option("-f,--file,name", file, "The file")->required();
            auto* add = app.add_subcommand("add", "Adds");
            add->add_flag("--all", all, "Everything");
        }
    """,
    )
    assert facts.commands == (
        CliCommand((), 5, options=(Option(("-f", "--file", "NAME"), 5, "The file"),)),
        CliCommand(("add",), 6, "Adds", "", (Option(("--all",), 7, "Everything"),)),
    )


def test_settings_are_variables_of_the_environment() -> None:
    facts = facts_of(
        "C++",
        """
        void f() {
            std::getenv("SHOP_HOME"); curl_getenv("PROXY"); secure_getenv("KEY_FILE");
            getenv(name); forget("NOT"); getenv("not a name");
        }
    """,
    )
    assert [each.name for each in facts.settings] == ["SHOP_HOME", "PROXY", "KEY_FILE"]
