"""Variables of the environment that keys can be set by."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of


@pytest.mark.parametrize(
    ("start", "port", "sender"),
    [
        ('Env::prefixed("SHOP_").split("__")', "SHOP_PORT", "SHOP_MAIL__SENDER"),
        ('Env::prefixed("SHOP_")', "SHOP_PORT", ""),
        ('Environment::with_prefix("SHOP")', "SHOP_PORT", ""),
        ('Environment::with_prefix("shop").separator("__")', "SHOP__PORT", "SHOP__MAIL__SENDER"),
        ('Env::prefixed("A_"); Env::prefixed("B_")', "", ""),
        ("Env::prefixed(prefix)", "", ""),
    ],
)
def test_keys_of_rust_and_their_variables(start: str, port: str, sender: str) -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\nfigment = "1"\n',
        "src/settings.rs": "#[derive(Clone, Deserialize, Builder)]\npub struct Configuration {\n"
        '    #[builder(default = "80")]\n    pub port: u16,\n    pub mail: Mail,\n}\n'
        "#[derive(Deserialize, Builder)]\npub struct Mail {\n"
        '    #[builder(default = r#"String::from("me")"#)]\n    pub sender: String,\n}\n'
        f"pub fn load() {{ {start}; }}\n",
    })  # fmt: skip
    found = {it.name: (it.variable, it.default) for it in settings(facts)}
    assert found == {"port": (port, "80"), "mail.sender": (sender, "me")}
