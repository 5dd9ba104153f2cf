"""Which variables the tags of structs read, under their full names."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.model import Setting
from tests.reading.code.reading import facts_of


def settings(package: str, text: str) -> dict[str, Setting]:
    facts = facts_of("Go", f'package config\nimport "{package}"\n{text}')
    return {each.name: each for each in facts.settings}


def test_rules_in_a_tag_say_the_default_and_what_is_required() -> None:
    found = settings("github.com/sethvargo/go-envconfig", """
        type Config struct {
            Host string `env:"HOST,required"`
            Port int `env:"PORT, default=8080"`
            Peers []string `env:"PEERS,default=10.0.0.0/8, fc00::/7"` // Who may ask.
            Skipped string `env:"-"`
        }
    """)  # fmt: skip
    assert [(each.name, each.default, each.is_required, each.type) for each in found.values()] == [
        ("HOST", None, True, "string"),
        ("PORT", "8080", False, "int"),
        ("PEERS", "10.0.0.0/8, fc00::/7", False, "[]string"),
    ]
    assert found["PEERS"].doc == "Who may ask."


def test_prefixes_of_all_and_of_nested_structs_are_part_of_the_name() -> None:
    found = settings("github.com/sethvargo/go-envconfig", """
        type Database struct { URL string `env:"URL"` }
        type Config struct {
            Main *Database `env:", prefix=DB_"`
            Copy *Database `env:", prefix=COPY_"`
            Level string `env:"LEVEL"`
        }
        func Load() {
            var c Config
            system := envconfig.OsLookuper()
            envconfig.ProcessWith(ctx, &c, envconfig.PrefixLookuper("SHOP_", system))
        }
    """)  # fmt: skip
    assert list(found) == ["SHOP_DB_URL", "SHOP_COPY_URL", "SHOP_LEVEL"]


def test_what_the_program_gives_first_is_not_required_of_the_environment() -> None:
    found = settings("github.com/sethvargo/go-envconfig", """
        type Config struct { Host string `env:"HOST,required"` }
        func Load() {
            envconfig.MultiLookuper(
                envconfig.MapLookuper(map[string]string{"HOST": own()}),
                envconfig.PrefixLookuper("SHOP_", envconfig.OsLookuper()),
            )
        }
    """)  # fmt: skip
    assert [(each.name, each.is_required) for each in found.values()] == [("SHOP_HOST", False)]


def test_options_of_caarlos_env_give_a_prefix() -> None:
    found = settings("github.com/caarlos0/env/v11", """
        type Config struct {
            Port int `env:"PORT,notEmpty" envDefault:"1"`
            DB struct { Name string `env:"NAME"` } `envPrefix:"DB_"`
        }
        var c, _ = env.ParseAsWithOptions[Config](env.Options{Prefix: "SHOP_"})
    """)  # fmt: skip
    assert [(each.name, each.default, each.is_required) for each in found.values()] == [
        ("SHOP_PORT", "1", True),
        ("SHOP_DB_NAME", None, False),
    ]


def test_fields_name_the_variables_of_kelseyhightower_envconfig() -> None:
    found = settings("github.com/kelseyhightower/envconfig", """
        type Pool struct { Size int `default:"4"` }
        type Config struct {
            Debug bool
            UserName string `split_words:"true" required:"true" desc:"Who logs in"`
            Old string `envconfig:"legacy"`
            Pool Pool
            hidden string
        }
        func Load() { var c Config; envconfig.Process("shop", &c) }
    """)  # fmt: skip
    assert [(each.name, each.default, each.is_required, each.doc) for each in found.values()] == [
        ("SHOP_DEBUG", None, False, ""),
        ("SHOP_USER_NAME", None, True, "Who logs in"),
        ("SHOP_LEGACY", None, False, ""),
        ("SHOP_POOL_SIZE", "4", False, ""),
    ]


def test_each_struct_has_the_prefix_that_it_is_filled_with() -> None:
    found = settings("github.com/kelseyhightower/envconfig", """
        type Web struct { Port int `default:"80"` }
        type Mail struct { Port int `default:"25"` }
        func Load() {
            var web Web
            mail := &Mail{}
            envconfig.MustProcess("web", &web)
            envconfig.MustProcess("mail", mail)
        }
    """)  # fmt: skip
    assert [(each.name, each.default) for each in found.values()] == [
        ("WEB_PORT", "80"),
        ("MAIL_PORT", "25"),
    ]


def test_cleanenv_has_tags_of_its_own() -> None:
    found = settings("github.com/ilyakaznacheev/cleanenv", """
        type Config struct {
            Port int `yaml:"port" env:"PORT,HTTP_PORT" env-default:"80" env-description:"To listen"`
            Key string `env:"KEY" env-required:"true"`
        }
    """)  # fmt: skip
    assert [(each.name, each.default, each.is_required, each.doc) for each in found.values()] == [
        ("PORT", "80", False, "To listen"),
        ("HTTP_PORT", "80", False, "To listen"),
        ("KEY", None, True, ""),
    ]


@pytest.mark.parametrize(
    ("comment", "doc"),
    [
        ("// Port is where it listens. It is open.", "Port is where it listens."),
        ("// Web server", ""),
        ("// Host needs a port too.", ""),
    ],
)
def test_a_comment_above_tells_of_a_field_where_it_is_about_it(comment: str, doc: str) -> None:
    found = settings("github.com/caarlos0/env", f"""
        type Config struct {{
            Host string `env:"HOST"`
            {comment}
            Port int `env:"PORT"`
        }}
    """)  # fmt: skip
    assert found["PORT"].doc == doc


def test_groups_of_go_flags_are_part_of_the_name_also_where_another_file_parses_them() -> None:
    found = settings("os", """
        type ServerCommand struct {
            Store StoreGroup `group:"store" namespace:"store" env-namespace:"STORE"`
            Auth struct {
                Key string `long:"key" env:"KEY" required:"true" description:"what opens it"`
                Mail MailGroup `group:"mail" env-namespace:"MAIL"`
            } `group:"auth" env-namespace:"AUTH"`
            Port int `long:"port" env:"SHOP_PORT" default:"80" description:"where it listens"`
        }
        type MailGroup struct {
            From string `long:"from" env:"FROM" description:"who writes"`
        }
        type StoreGroup struct {
            Path string `long:"path" env:"PATH" default:"./var" description:"where it is"`
        }
    """)  # fmt: skip
    assert {(it.name, it.default, it.is_required, it.doc) for it in found.values()} == {
        ("STORE_PATH", "./var", False, "where it is"),
        ("AUTH_KEY", None, True, "what opens it"),
        ("AUTH_MAIL_FROM", None, False, "who writes"),
        ("SHOP_PORT", "80", False, "where it listens"),
    }
