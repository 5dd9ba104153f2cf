"""Features that crates declare."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

MANIFEST = """[package]
name = "shop"
version = "1.0.0"

[features]
default = ["maps", "till"]
maps = ["dep:mapper"] # Shows where a shop is.

# Takes money.
till = [
    "coins",
]

coins = []
cards = ["shop-core/cards"]

[dependencies]
mapper = { version = "1", optional = true }
"""
INNER = '[package]\nname = "shop-core"\nversion = "1.0.0"\n\n[features]\ndefault = []\ncards = []\n'


def test_all_features_of_a_crate_are_settings_and_those_of_inner_ones_apart() -> None:
    facts = facts_of({
        "Cargo.toml": MANIFEST,
        "src/main.rs": '#[cfg(feature = "maps")]\nmod maps;\n\nfn main() {}\n',
        "core/Cargo.toml": INNER,
        "core/src/lib.rs": '#[cfg(feature = "cards")]\npub fn pay() {}\n',
    })  # fmt: skip
    found = {it.name: (it.title, it.doc, it.default) for it in settings(facts)}
    assert found == {
        "default": ("Features", "Turns on maps, till.", "on"),
        "maps": ("Features", "Shows where a shop is. Turns on mapper.", "on"),
        "till": ("Features", "Takes money. Turns on coins.", "on"),
        "coins": ("Features", "", "on"),
        "cards": ("Features", "Turns on shop-core/cards.", "off"),
        "shop-core/cards": ("Features by crate", "", "off"),
    }
