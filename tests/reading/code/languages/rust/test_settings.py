"""What programs of Rust are configured by: macros of their own, and structs that serde reads."""

import pytest

from stationmaster.reading.code.model import Setting
from tests.reading.code.reading import facts_of

MACRO = """
macro_rules! make_config {
    ( @read $name:expr, $ty:ident ) => { get_env($name) };
    ($( $group:ident { $( $(#[doc = $doc:literal])+
        $name:ident : $ty:ident, $editable:literal, $action:ident $(, $default:expr)?;
    )+ }, )+) => {
        fn load() { $($( b.$name = get(paste!(stringify!([<$name:upper>]))); )+)+ }
    };
}
make_config! {
    folders {
        /// Data folder |> Where
        /// data is.
        data_folder: String, false, def, "data".to_owned();

        port: u16, true, def, 8_080;
        /// A list, made of others; all of them.
        made: String, false, auto, |c| join(&c.data_folder, "x");
        token: Pass, true, option;
        none: String, true, def, String::new();
    },
}
"""


def test_fields_of_a_macro_that_reads_variables_are_settings() -> None:
    facts = facts_of("Rust", MACRO)
    assert facts.settings == (
        Setting("DATA_FOLDER", "env", 14, "data", False, "Data folder |> Where data is."),
        Setting("PORT", "env", 16, "8080"),
        Setting("MADE", "env", 18, None, False, "A list, made of others; all of them."),
        Setting("TOKEN", "env", 19),
        Setting("NONE", "env", 20, ""),
    )


@pytest.mark.parametrize(
    ("written", "instead"),
    [(":upper", ":lower"), ("get_env", "look"), ("make_config! {", "other! {")],
)
def test_fields_of_other_macros_are_none(written: str, instead: str) -> None:
    assert facts_of("Rust", MACRO.replace(written, instead)).settings == ()


def test_structs_of_settings_that_serde_reads_have_keys() -> None:
    facts = facts_of(
        "Rust",
        """
        #[derive(Debug, Deserialize)]
        #[serde(default, rename_all = "kebab-case")]
        pub struct Settings {
            /// Where data is kept. It must be there.
            pub database: Option<DatabaseConfig>,
            #[default("0.0.0.0")]
            #[doku(example = "x")]
            pub listen_on: String,
            #[serde(skip)]
            made: u8,
            #[serde(flatten)]
            more: More,
        }
        #[derive(Deserialize)]
        pub struct DatabaseConfig {
            /// How many connections.
            ///
            /// Deprecated: use hosts.
            #[serde(default = "connections", rename = "poolSize")]
            pool: usize,
            #[default(vec![1])]
            hosts: Vec<u8>,
        }
        #[derive(Deserialize)]
        struct More { is_on: bool }
        fn connections() -> usize { 30 }
    """,
    )
    assert sorted((s.name, s.line, s.default, s.doc) for s in facts.settings) == [
        ("?DatabaseConfig::hosts", 23, None, ""),
        ("?DatabaseConfig::poolSize", 21, "30", "How many connections. Deprecated: use hosts."),
        ("?More::is_on", 26, None, ""),
        ("Settings::", 13, None, ""),
        ("Settings::database", 6, None, "Where data is kept."),
        ("Settings::listen-on", 9, "0.0.0.0", ""),
    ]
    assert {each.kind for each in facts.settings} == {"key"}


@pytest.mark.parametrize(
    "text",
    [
        "#[derive(Deserialize)]\nstruct Config { port: u16 }",
        "#[derive(Serialize)]\n#[serde(default)]\nstruct Config { port: u16 }",
        "#[derive(Deserialize)]\nstruct Answer { port: u16 }",
    ],
)
def test_structs_without_defaults_or_of_other_names_are_no_settings(text: str) -> None:
    assert facts_of("Rust", text).settings == ()


def test_keys_have_the_defaults_that_their_struct_makes_and_lists_a_sign() -> None:
    facts = facts_of(
        "Rust",
        """
        #[derive(Deserialize)]
        #[serde(default)]
        pub struct Config {
            port: u16,
            #[serde(default)]
            limit: u16,
            plugins: Vec<PluginConfig>,
        }
        impl Default for Config {
            fn default() -> Self { Self { port: 8_080, limit: 3, plugins: vec![] } }
        }
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        pub struct PluginConfig { file: String }
    """,
    )
    assert [(each.name, each.default, each.type) for each in facts.settings] == [
        ("Config::port", "8080", "u16"),
        ("Config::limit", "0", "u16"),
        ("Config::plugins", None, "Vec<PluginConfig>"),
        ("?PluginConfig::FILE", None, "String"),
    ]


def test_a_builder_has_defaults_of_keys() -> None:
    facts = facts_of(
        "Rust",
        """
        pub fn built() -> Result<Config, ConfigError> {
            Config::builder()
                .set_default("rows", 40)?
                .set_default("theme.name", "dark")?
                .set_default("store", path.to_str())?
                .build()
        }
    """,
    )
    assert [(it.name, it.line, it.default) for it in facts.settings] == [
        ("rows", 3, "40"), ("theme.name", 4, "dark"), ("store", 5, None),
    ]  # fmt: skip


def test_keys_that_the_environment_is_asked_for_by_name_are_variables() -> None:
    facts = facts_of(
        "Rust",
        """
        use std::env::var;

        #[derive(Default, Deserialize)]
        pub struct Config {
            #[serde(rename = "SHOP_PORT")]
            port: Option<String>,
        }
        fn read(key: &str) -> Option<String> { var(key).ok() }
    """,
    )
    assert [(each.name, each.kind) for each in facts.settings] == [("SHOP_PORT", "env")]


def test_a_struct_whose_own_function_reads_it_from_a_file_has_keys_whatever_it_is_called() -> None:
    facts = facts_of(
        "Rust",
        """
        #[derive(Clone, Patch)]
        #[patch(attribute(derive(Deserialize, Debug)))]
        pub struct Signs {
            pub open: Sign,
            /// Leaves the shop.
            pub leave: Sign,
            paint: Paint,
            end: String,
            other: Other,
        }
        impl Default for Signs {
            fn default() -> Self {
                Self {
                    open: Sign::new(Code::Char('o'), Held::NONE),
                    leave: Sign { code: Code::Esc, held: Held::SHIFT },
                    paint: Paint::Red,
                    end: "x".to_string(),
                }
            }
        }
        impl Signs {
            pub fn init(file: PathBuf) -> Self {
                ron::de::from_reader(File::open(file).unwrap()).unwrap_or_default()
            }
        }
        #[derive(Deserialize)]
        pub struct Sign { code: Code, held: Held }
        #[derive(Deserialize)]
        struct Answer { is_open: bool }
        impl Default for Answer {
            fn default() -> Self { Self { is_open: true } }
        }
    """,
    )
    of_file = "Of the file that is read into Signs."
    assert [(it.name, it.default, it.doc) for it in facts.settings] == [
        ("Signs::open", "Char('o'), NONE", of_file),
        ("Signs::leave", "code: Esc, held: SHIFT", "Leaves the shop."),
        ("Signs::paint", "Red", of_file),
        ("Signs::end", "x", of_file),
        ("Signs::other", None, of_file),
        ("?Sign::code", None, ""),
        ("?Sign::held", None, ""),
        ("?Answer::is_open", None, ""),
    ]


def test_a_key_without_a_literal_has_the_default_of_its_type_and_a_hidden_one_is_none() -> None:
    facts = facts_of(
        "Rust",
        """
        #[derive(Default, Deserialize)]
        #[serde(default)]
        pub struct Config {
            open: bool,
            rows: u16,
            name: String,
            #[doc(hidden)]
            reload: Option<String>,
            fold: Fold,
        }
        #[derive(Deserialize)]
        #[serde(default)]
        pub struct Fold { level: u8, label: String }
        impl Default for Fold {
            fn default() -> Self {
                // Few are folded.
                Self { level: 3, label: String::new() }
            }
        }
    """,
    )
    assert {it.name: it.default for it in facts.settings} == {
        "Config::open": "false", "Config::rows": "0", "Config::name": None, "Config::fold": None,
        "?Fold::level": "3", "?Fold::label": "",
    }  # fmt: skip
