from __future__ import annotations

import textwrap

import pytest

from stationmaster.reading.code.model import Call, FileFacts, Import
from stationmaster.reading.code.reading import read
from tests.reading.code.reading import symbol


def rust(text: str) -> FileFacts:
    return read("Rust", textwrap.dedent(text).encode())


def test_items_have_their_types_documents_traits_and_attributes() -> None:
    facts = rust("""\
        //! Keeps things. Safely.
        #![allow(dead_code)]

        /// A store. More.
        #[derive(Debug)]
        pub struct Store<T> { name: T }

        impl<T> Store<T> {
            /// Finds one.
            pub fn get(&self, id: u8) -> T where T: Clone { self.find(id) }
            pub(crate) fn find(&self) {}
        }
        impl<T> fmt::Display for Store<T> { fn fmt(&self) {} }
        pub trait Keep: Close + 'static { fn keep(&self); }
        struct Hidden;
        impl Hidden { pub fn seen(&self) {} }
        pub mod deep { pub const LIMIT: u8 = 10; pub(super) fn inner() {} }
        mod shut { pub fn out() {} }
        #[macro_export]
        macro_rules! say { () => {} }
        fn outer() { fn nested() {} }
    """)
    assert (facts.status, facts.doc) == ("ok", "Keeps things.")
    store = symbol(facts, "Store")
    assert (store.kind, store.line, store.doc) == ("struct", 6, "A store.")
    assert (store.bases, store.marks) == (("fmt::Display",), ("derive",))
    assert store.signature == "pub struct Store<T>"
    get = symbol(facts, "Store.get")
    assert (get.kind, get.doc) == ("method", "Finds one.")
    assert get.signature == "pub fn get(&self, id: u8) -> T where T: Clone"
    assert symbol(facts, "Keep").bases == ("Close",)
    assert symbol(facts, "deep.LIMIT").signature == "pub const LIMIT: u8"
    assert "nested" not in {each.name for each in facts.symbols}
    assert {each.qualified for each in facts.symbols if each.is_public} == {
        "Store", "Store.get", "Keep", "Keep.keep", "deep", "deep.LIMIT", "say",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("use foo;", [Import("foo", 1, bound=("foo",))]),
        ("use a::b as c;", [Import("a", 1, names=("b",), bound=("c",))]),
        (
            "pub use crate::a::{self, b::*, c::{D, E as F}};",
            [
                Import("crate", 1, "reexport", ("a",), ("a",)),
                Import("crate::a::b", 1, "reexport", ("*",), ("*",)),
                Import("crate::a::c", 1, "reexport", ("D", "E"), ("D", "F")),
            ],
        ),
        ("mod a;", [Import("a", 1, "include", bound=("a",))]),
        ('#[path = "x/y.rs"] mod a;', [Import("./x/y.rs", 1, "include", bound=("a",))]),
        ("mod a { mod b; }", [Import("a::b", 1, "include", bound=("b",))]),
        ('include!("gen/x.rs");', [Import("./gen/x.rs", 1, "include")]),
        ('include!(concat!(env!("OUT"), "/x.rs"));', []),
        ("extern crate foo as bar;", [Import("foo", 1, bound=("bar",))]),
        ("mod tests { use super::*; }", []),
        ("mod t { use super::super::b; }", [Import("super", 1, names=("b",), bound=("b",))]),
        ("mod t { use super::a::b; }", [Import("self::a", 1, names=("b",), bound=("b",))]),
        ("fn f() { use a::b; }", [Import("a", 1, names=("b",), bound=("b",))]),
    ],
)
def test_uses_and_modules_are_imports(written: str, made: list[Import]) -> None:
    assert list(rust(written).imports) == made


def test_a_path_that_is_written_out_is_an_import_where_nothing_here_has_its_first_name() -> None:
    facts = rust("""\
        use a::b;
        fn f() {
            crate::m::Thing::new();
            serde_json::to_string(1); serde_json::to_string(2);
            b::call(); Self::x(); Type::y(); u8::from(1);
        }
        #[rustfmt::skip]
        fn g() {}
    """)
    assert facts.imports[1:] == (
        Import("crate::m", 3, names=("Thing",)),
        Import("serde_json", 4, names=("to_string",)),
    )


def test_calls_know_what_they_are_on_and_in() -> None:
    facts = rust("impl S { fn run(&self) { self.a.get::<u8>(); api::start(1); go(); say!(x()) } }")
    assert facts.calls == (
        Call("get", 1, "self.a", "S.run"),
        Call("start", 1, "api", "S.run"),
        Call("go", 1, "", "S.run"),
        Call("x", 1, "", "S.run"),
    )


def test_calls_within_macros_count_but_not_what_they_declare_or_make() -> None:
    facts = rust("""
        impl S {
            async fn run(&self) {
                select! {
                    found = self.desk.open(id)?.await.read(2) => { a::b::keep(found); Some(x) }
                    _ = stop.wait() => {}
                }
                build!(fn name(it: u8) {}, if (a) {});
            }
        }
    """)
    assert facts.calls == (
        Call("open", 5, "self.desk", "S.run"),
        Call("read", 5, "self.desk.open(id)?.await", "S.run"),
        Call("keep", 5, "a::b", "S.run"),
        Call("wait", 6, "stop", "S.run"),
    )


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('fn a() {\n    eq(str![[r#"\n+++\n"#]]);\n}\n', "ok"),
        ("fn a() {\n    eq(a!b);\n}\n", "errors"),
    ],
)
def test_a_macro_that_is_called_as_a_type_is_understood(text: str, status: str) -> None:
    assert rust(text).status == status
