"""The numbers that programs end with."""

from __future__ import annotations

from stationmaster.wiki.facts.texts.exit_statuses import exit_statuses
from tests.wiki.commits import facts_of


def test_constants_of_a_module_and_arms_of_a_file_called_after_exits_are_told_with_comments() -> (
    None
):
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/main.rs": "mod exits {\n    /// All went well.\n    pub const SUCCESS: i32 = 0;\n\n"
        "    /// The till is closed.\n    pub const CLOSED: i32 = 3;\n}\n\n"
        "fn main() {\n    let rows = 5;\n}\n",
        "src/exit_codes.rs": "enum Exit {\n    Broken,\n}\nfn of(code: Exit) -> i32 {\n"
        "    match code {\n        Exit::Broken => 7,\n        Exit::Late => 8, // Too late.\n"
        "    }\n}\n",
        "shop/run.py": "EXIT_USAGE = 64  # Called wrongly.\nEXIT_DATA = 65\nROWS = 3\n",
        "tests/exits.py": "ONE = 1\nTWO = 2\n",
        "src/time.rs": "const EXIT_AFTER: u8 = 5;\n",
    })  # fmt: skip
    assert [(it.status, it.name, it.meaning) for it in exit_statuses(facts)] == [
        (0, "SUCCESS", "All went well."),
        (3, "CLOSED", "The till is closed."),
        (7, "Broken", ""),
        (8, "Late", "Too late."),
        (64, "EXIT_USAGE", "Called wrongly."),
        (65, "EXIT_DATA", ""),
    ]
