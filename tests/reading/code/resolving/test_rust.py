from __future__ import annotations

from stationmaster.reading.code.resolving import Resolved
from tests.reading.code.resolved import edges, resolved

COMMIT = {
    "Cargo.toml": """
[workspace]
members = ["app", "shop-core"]
[workspace.dependencies]
shop-core = { path = "shop-core" }
""",
    "app/Cargo.toml": """
[package]
name = "app"
[[bin]]
name = "tool"
path = "tool.rs"
[dependencies]
core_here = { package = "shop-core", path = "../shop-core" }
shop-core.workspace = true
serde_json = "1"
""",
    "app/src/main.rs": """
mod web;
#[path = "odd/name.rs"]
mod named;
mod inline { pub mod below; pub fn made() {} }
use crate::web::{users::list, Server};
use self::named::Thing;
use inline::made;
use app::in_library;
use core_here::Price;
use shop_core::money::Coin;
use serde_json::Value;
use std::fmt;
use crate::missing::deep::X;
""",
    "app/src/lib.rs": "pub fn in_library() {}",
    "app/src/web/mod.rs": "pub mod users; pub use self::server::Server; mod server;",
    "app/src/web/users.rs": "use super::server; use super::super::named; fn list() {}",
    "app/src/web/server.rs": "pub struct Server; fn f() { crate::web::users::list() }",
    "app/src/odd/name.rs": "pub struct Thing;",
    "app/src/inline/below.rs": "",
    "app/tests/flow.rs": "mod common; use app::in_library;",
    "app/tests/common/mod.rs": "",
    "app/tool.rs": "use app::in_library;",
    "shop-core/Cargo.toml": "[package]\nname = \"shop-core\"\n",
    "shop-core/src/lib.rs": "pub mod money; mod price; pub use price::*;",
    "facade/Cargo.toml": "[package]\nname = \"facade\"\n[dependencies]\n"
                         "shop-core = { path = \"../shop-core\" }\n",
    "facade/src/lib.rs": "pub use shop_core::money; pub extern crate shop_core as core;",
    "facade/tests/t.rs": "use facade::money::Coin; use facade::core::Price;",
    "shop-core/src/money.rs": "pub struct Coin;",
    "shop-core/src/price.rs": "pub struct Price;",
    "stray/src/lib.rs": "use shop_core::money;",
}  # fmt: skip


def test_paths_are_followed_through_modules_reexports_and_crates() -> None:
    assert resolved(COMMIT)["app/src/main.rs"] == {
        "web": Resolved(("app/src/web/mod.rs",)),
        "./odd/name.rs": Resolved(("app/src/odd/name.rs",)),
        "inline::below": Resolved(("app/src/inline/below.rs",)),
        "crate::web": Resolved(("app/src/web/server.rs",)),
        "crate::web::users": Resolved(("app/src/web/users.rs",)),
        "self::named": Resolved(("app/src/odd/name.rs",)),
        "inline": Resolved(("app/src/main.rs",)),
        "app": Resolved(("app/src/lib.rs",)),
        "core_here": Resolved(("shop-core/src/price.rs",)),
        "shop_core::money": Resolved(("shop-core/src/money.rs",)),
        "serde_json": Resolved(outside="serde_json"),
        "std": Resolved(outside="std"),
        "crate::missing::deep": Resolved(),
    }


def test_modules_above_are_reached_from_below() -> None:
    found = edges(COMMIT)
    for start, end in [
        ("app/src/web/users.rs", "app/src/web/server.rs"),
        ("app/src/web/users.rs", "app/src/odd/name.rs"),
        ("app/src/web/server.rs", "app/src/web/users.rs"),
        ("app/tests/flow.rs", "app/tests/common/mod.rs"),
        ("app/tests/flow.rs", "app/src/lib.rs"),
        ("app/tool.rs", "app/src/lib.rs"),
    ]:
        assert (start, end) in found


def test_what_a_crate_hands_on_of_others_counts_as_its_own() -> None:
    found = {end for start, end in edges(COMMIT) if start == "facade/tests/t.rs"}
    assert found == {"facade/src/lib.rs"}


def test_a_folder_that_only_looks_like_a_crate_leads_nowhere() -> None:
    assert resolved(COMMIT)["stray/src/lib.rs"] == {"shop_core": Resolved()}
