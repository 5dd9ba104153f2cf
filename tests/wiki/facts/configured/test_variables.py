"""Variables of the environment that files of settings and keys are filled with."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of


def test_placeholders_in_files_of_settings() -> None:
    found = {
        it.name: it
        for it in settings(facts_of({
            "src/main/resources/shop-server.yml": "shop:\n  # Where the store is. May be empty.\n"
            "  url: ${STORE_URL:}\n  on: ${STORE_ON:${OLD_ON:true}}\n  key: ${STORE_ID}\n"
            "  path: ${user.home}/x\n",
            "conf/application.conf": "port = 9000\nport = ${?HTTP_PORT}\n",
            "src/test/resources/application.yml": "a: ${NOT_READ}\n",
        }))
        if it.kind == "env"
    }  # fmt: skip
    assert {name: (it.default, it.is_required, it.doc) for name, it in found.items()} == {
        "HTTP_PORT": (None, False, ""), "OLD_ON": ("true", False, ""),
        "STORE_ID": (None, True, ""), "STORE_ON": (None, False, ""),
        "STORE_URL": ("", False, "Where the store is."),
    }  # fmt: skip


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
