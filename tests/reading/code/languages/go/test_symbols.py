from __future__ import annotations

import textwrap

import pytest

from stationmaster.reading.code.model import Call, FileFacts, Import
from stationmaster.reading.code.reading import read
from tests.reading.code.reading import symbol


def go(text: str) -> FileFacts:
    return read("Go", textwrap.dedent(text).encode())


def test_declarations_have_their_receivers_documents_and_what_they_embed() -> None:
    facts = go("""\
        // Copyright of somebody.

        // Package store keeps things. Safely.
        package store

        // Store keeps invoices. More.
        type Store[T any] struct {
            Base
            *sql.DB
            name, path string
        }

        // Get finds one.
        func (s *Store[T]) Get(ctx context.Context) (T, error) { return s.find(ctx) }

        type (
            // Keeper is asked.
            Keeper interface {
                io.Closer
                Keep(x int) error
            }
            hidden int
        )

        const Limit, other = 10, 2
        var _ Keeper = nil
        func helper() {}
        func (h hidden) Public() {}
    """)
    assert (facts.status, facts.package) == ("ok", "store")
    assert facts.doc == "Package store keeps things."
    store = symbol(facts, "Store")
    assert (store.kind, store.line, store.end) == ("struct", 7, 11)
    assert (store.doc, store.bases) == ("Store keeps invoices.", ("Base", "sql.DB"))
    assert store.signature == "type Store[T any] struct"
    get = symbol(facts, "Store.Get")
    assert (get.kind, get.container, get.doc) == ("method", "Store", "Get finds one.")
    assert get.signature == "func (s *Store[T]) Get(ctx context.Context) (T, error)"
    keeper = symbol(facts, "Keeper")
    assert (keeper.kind, keeper.bases, keeper.doc) == (
        "interface",
        ("io.Closer",),
        "Keeper is asked.",
    )
    assert symbol(facts, "Keeper.Keep").is_public
    public = {each.qualified for each in facts.symbols if each.is_public}
    assert public == {"Store", "Store.Get", "Keeper", "Keeper.Keep", "Limit"}
    assert {each.qualified for each in facts.symbols} - public == {
        "hidden", "other", "helper", "hidden.Public",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("comment", "doc"),
    [
        ("Token godoc\n// @Summary A token\n// @Description Gives a token\n// @Router /t [post]",
         "Gives a token"),
        ("Token godoc\n// @Summary A token\n// @Produce json", "A token"),
        ("Token gives one.\n// @ID token", "Token gives one."),
        ("Token godoc\n// @Router /t [post]", ""),
        ("Token is sent to\n// @everyone.", "Token is sent to @everyone."),
    ],
)  # fmt: skip
def test_marks_for_openapi_are_no_sentence(comment: str, doc: str) -> None:
    [function] = go(f"package p\n// {comment}\nfunc Token() {{}}").symbols
    assert function.doc == doc


def test_nothing_of_a_program_is_public() -> None:
    assert not any(each.is_public for each in go("package main\nfunc Run() {}").symbols)


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ('"net/http"', Import("net/http", 3, bound=("http",))),
        ('api "a.org/x/v2/api"', Import("a.org/x/v2/api", 3, bound=("api",))),
        ('"a.org/x/v2"', Import("a.org/x/v2", 3, bound=("x",))),
        ('"gopkg.in/yaml.v3"', Import("gopkg.in/yaml.v3", 3, bound=("yaml",))),
        ('_ "a.org/driver"', Import("a.org/driver", 3, bound=("_",))),
        ('. "a.org/dsl"', Import("a.org/dsl", 3, names=("*",), bound=("*",))),
        ('"C"', Import("C", 3, bound=("C",))),
    ],
)
def test_imports_bind_the_name_that_a_package_has(written: str, made: Import) -> None:
    assert go(f"package p\nimport (\n{written}\n)\n").imports == (made,)


def test_calls_know_what_they_are_on_and_in_and_builtins_are_none() -> None:
    facts = go("""\
        package p
        func (s *S) Run() {
            api.Start(1)
            s.store.Get(len(x))
            helper()
            defer func() { close(c) }()
        }
        var x = build()
    """)
    assert facts.calls == (
        Call("Start", 3, "api", "S.Run"),
        Call("Get", 4, "s.store", "S.Run"),
        Call("helper", 5, "", "S.Run"),
        Call("build", 8, "", "x"),
    )


def test_what_does_not_parse_costs_itself_alone() -> None:
    facts = go("package p\nfunc A() {}\nfunc ) {\nfunc B() {}\n")
    assert facts.status == "errors"
    assert "A" in {each.name for each in facts.symbols}


def test_a_package_in_a_folder_v1_is_called_so_and_a_major_version_is_no_name() -> None:
    text = 'import ("example.com/shop/api/v1"; "example.com/till/v2"; "example.com/all/v10")'
    made = go(f"package p\n{text}\n").imports
    assert [it.bound for it in made] == [("v1",), ("till",), ("all",)]


def test_a_function_in_which_new_is_given_a_value_is_read_as_any_other() -> None:
    facts = go("""\
        package shop

        func Close(order Order) {
            order.ClosedAt = new(time.Now())
            order.Sum = new(sums[0])
            order.Lines = new([]Line)
            save(order)
        }
    """)
    assert facts.status == "ok"
    assert [(it.name, it.line, it.end) for it in facts.symbols] == [("Close", 3, 8)]
    assert {("Now", 4), ("save", 7)} <= {(it.name, it.line) for it in facts.calls}
