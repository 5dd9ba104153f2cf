"""Keys of Rust, from the structs of several files of a crate."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of


def test_keys_stand_below_structs_of_other_files_that_hold_them() -> None:
    derived = "#[derive(Default, Deserialize)]\n#[serde(default)]\npub struct"
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\ntoml = "1"\n',
        "src/settings.rs": f"{derived} Settings {{ pub till: Till, pub log: log::Settings, "
        "pub rules: Vec<Rule>, #[serde(flatten)] pub more: More }\n"
        "#[derive(Deserialize)]\npub struct Rule { pub name: String }\n"
        "#[derive(Deserialize)]\npub struct More { pub speed: u8 }\n",
        "src/till.rs": f"{derived} Till {{ pub rows: u16 }}\n"
        "impl Default for Till { fn default() -> Self { Self { rows: 9 } } }\n",
        "src/log.rs": f"{derived} Settings {{ pub level: String }}\n",
        # Nothing that is settings holds these.
        "src/api.rs": f"{derived} Answer {{ pub body: Body }}\n{derived} Body {{ pub text: u8 }}\n",
    })  # fmt: skip
    assert {it.name: it.default for it in settings(facts)} == {
        "log.level": None, "rules[].name": None, "speed": None, "till.rows": "9",
    }  # fmt: skip


def test_a_key_has_the_default_that_a_builder_gives_it() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\nconfig = "1"\n',
        "src/settings.rs": "#[derive(Deserialize)]\npub struct Settings {\n"
        "    /// How many rows.\n    pub rows: u16,\n"
        "    #[serde(default)]\n    pub open: bool,\n}\n"
        'pub fn builder() { Config::builder().set_default("rows", 40); }\n',
    })  # fmt: skip
    found = {it.name: it for it in settings(facts)}
    assert {name: (it.default, it.doc, it.type) for name, it in found.items()} == {
        "open": ("false", "", "bool"), "rows": ("40", "How many rows.", "u16"),
    }  # fmt: skip


def test_a_type_that_its_own_function_reads_from_a_file_needs_no_defaults() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\ntoml = "1"\n',
        "src/config.rs": "const PAUSE: u64 = 30;\n\n"
        "#[derive(Deserialize)]\npub struct Config { pub till: Option<Till> }\n\n"
        "#[derive(Deserialize)]\npub struct Till {\n    pub address: String,\n"
        '    #[serde(default = "pause")]\n    pub pause: u64,\n}\n\n'
        "fn pause() -> u64 {\n    PAUSE\n}\n\n"
        "impl Config {\n    fn of(text: &str) -> Config { toml::from_str(text).unwrap() }\n"
        "    pub fn load() -> Config { Config::of(&fs::read_to_string(PATH).unwrap()) }\n"
        "}\n",
    })  # fmt: skip
    assert {it.name: it.default for it in settings(facts)} == {
        "till.address": None, "till.pause": "30",
    }  # fmt: skip


def test_keys_of_a_struct_that_is_read_below_a_key_or_left_to_its_type_stand_there() -> None:
    derived = "#[derive(Deserialize)]\n#[serde(default)]\npub struct"
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\ntoml = "1"\n',
        "src/config.rs": f"""\
{derived} Config {{ pub till: Till, pub output: Value }}
impl Default for Config {{
    fn default() -> Self {{
        Self {{ till: Till::default(), output: Value::Table(Table::default()) }}
    }}
}}
{derived} Till {{ pub rows: u16 }}
impl Default for Till {{ fn default() -> Self {{ Self {{ rows: 9 }} }} }}
{derived} PageConfig {{ pub theme: String }}
impl Default for PageConfig {{
    fn default() -> Self {{ Self {{ theme: "red".to_string() }} }}
}}
{derived} MailConfig {{ pub host: String }}
impl Default for MailConfig {{
    fn default() -> Self {{ Self {{ host: "mail".to_string() }} }}
}}

impl Config {{
    pub fn get<'de, T: Deserialize<'de>>(&self, name: &str) -> Result<Option<T>> {{
        self.output.read(name)
    }}

    pub fn page(&self) -> Option<PageConfig> {{
        self.get("output.page").unwrap()
    }}
}}
""",
        "src/mail.rs": 'fn start(c: &Config) {\n    c.get::<MailConfig>("output.mail");\n}\n',
    })  # fmt: skip
    assert {it.name: it.default for it in settings(facts)} == {
        "till.rows": "9", "output.page.theme": "red", "output.mail.host": "mail",
    }  # fmt: skip
