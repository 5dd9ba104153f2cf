"""The fields and variants of types, read line by line."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.data.fields import Field, fields
from tests.wiki.commits import facts_of

GO = """package shop

// Cart holds lines.
type Cart struct {
	// How long it is kept
	// (default 5s).
	Kept time.Duration `json:"kept,omitempty"`

	Size  int // in lines
	Inner struct {
		Hidden int
	}
	lines []Line
}
"""
RUST = """/// A table.
#[derive(Default)]
pub enum Table {
    /// Plain.
    #[default]
    Plain,

    #[value(name = "code-page")]
    CodePage(u8),
    Wide { width: u8 },
}
"""
PYTHON = '''class Cart:
    """A cart.

    size: not a field
    """

    size: int = 3  # in lines
    name: str

    def run(self):
        done: bool = True
'''
TYPESCRIPT = """export interface Cart {
  /** In lines. */
  readonly size?: number;
  inner: {
    hidden: string;
  };
  name: string;
}
"""


@pytest.mark.parametrize(
    ("path", "text", "name", "listed"),
    [
        (
            "shop.go",
            GO,
            "Cart",
            (
                Field(
                    "Kept",
                    "time.Duration",
                    'json:"kept,omitempty"',
                    "How long it is kept (default 5s).",
                    7,
                ),
                Field("Size", "int", "", "in lines", 9),
                Field("Inner", "struct {", "", "", 10),
            ),
        ),
        (
            "src/lib.rs",
            RUST,
            "Table",
            (
                Field("Plain", "", "#[default]", "Plain.", 6),
                Field("CodePage", "(u8)", '#[value(name = "code-page")]', "", 9),
                Field("Wide", "", "", "", 10),
            ),
        ),
        (
            "shop.py",
            PYTHON,
            "Cart",
            (
                Field("size", "int", "= 3", "in lines", 7),
                Field("name", "str", "", "", 8),
            ),
        ),
        (
            "shop.ts",
            TYPESCRIPT,
            "Cart",
            (
                Field("size?", "number", "", "In lines.", 3),
                Field("inner", "{", "", "", 4),
                Field("name", "string", "", "", 7),
            ),
        ),
        (
            "Color.java",
            "enum Color {\n  /** Like a rose. */\n  RED(1), GREEN;\n}\n",
            "Color",
            (
                Field("RED", "", "(1)", "Like a rose.", 3, True),
                Field("GREEN", "", "", "", 3, True),
            ),
        ),
        (
            "Bag.java",
            'interface Bag {\n  int FREE = 0;\n  String NAME = "a, b";\n}\n',
            "Bag",
            (Field("FREE", "", "= 0", "", 2, True), Field("NAME", "", '= "a, b"', "", 3, True)),
        ),
        ("Cart.java", "class Cart {\n  public static final int A = 1, B = 2;\n}\n", "Cart", ()),
        (
            "color.ts",
            "export enum Color {\n  Red = 0,\n  Green,\n}\n",
            "Color",
            (Field("Red", "", "= 0", "", 2), Field("Green", "", "", "", 3)),
        ),
        (
            "color.py",
            "from enum import Enum\n\nclass Color(Enum):\n    RED = 1\n    GREEN = 2  # of grass\n",
            "Color",
            (Field("RED", "", "= 1", "", 4), Field("GREEN", "", "= 2", "of grass", 5)),
        ),
        ("bare.py", "class A:\n    a: int\n    b: int\n", "A", ()),
    ],
)
def test_fields_are_listed_with_types_marks_and_comments(
    path: str, text: str, name: str, listed: tuple[Field, ...]
) -> None:
    assert fields(facts_of({path: text}), path, name) == listed


def test_a_constant_that_is_a_list_has_its_items_as_many_as_there_is_room_for() -> None:
    long_ = ", ".join(f"Jobs::SendLetterNumber{at}" for at in range(9))
    text = (
        "class Worker\n  # What is run.\n  JOBS = [\n    Jobs::Send, # first\n    Jobs::Sweep,\n"
        f"  ].freeze\n  MORE = [{long_}]\n  KINDS = %w[a b].freeze\nend\n"
    )
    rows = [(it.name, it.mark) for it in fields(facts_of({"lib/w.rb": text}), "lib/w.rb", "Worker")]
    assert rows == [
        ("JOBS", "= [Jobs::Send, Jobs::Sweep]"),
        ("MORE", f"= [{', '.join(long_.split(', ')[:3])}, …]"),
        ("KINDS", "= %w[a b]"),
    ]
