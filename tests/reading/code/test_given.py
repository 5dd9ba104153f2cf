"""Names that lines pass as values."""

from __future__ import annotations

from tests.reading.code.reading import facts_of


def test_names_of_an_import_of_several_lines_are_not_passed() -> None:
    facts = facts_of(
        "Rust",
        """
        pub use ui::{
            parts::{
                render_line, render_error,
            },
            draw,
            View,
        };

        fn start() {
            run(
                render_line,
                draw,
            );
        }
    """,
    )
    assert {(it.name, it.line) for it in facts.given} == {("render_line", 12), ("draw", 13)}


def test_names_in_an_object_that_is_exported_are_passed() -> None:
    facts = facts_of("JavaScript", "export default {\n  show: render,\n  draw,\n};\n")
    assert {it.name for it in facts.given} == {"render", "draw"}
