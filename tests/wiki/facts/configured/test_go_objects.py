"""Keys that programs of Go ask objects for, and that these fill structs with."""

from __future__ import annotations

from stationmaster.wiki.facts.configured.key_variables import beginnings
from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

HEAD = {"go.mod": "module example.org/shop\n\ngo 1.22\n"}
MAIN = """package main

import (
	"github.com/knadh/koanf/parsers/json"
	"github.com/knadh/koanf/providers/env"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
	flag "github.com/spf13/pflag"
)

var ko = koanf.New(".")

type Config struct {
	Name    string `koanf:"name"`
	Privacy struct {
		Export bool `koanf:"export"`
	} `koanf:"privacy"`
	Media struct {
		Folder string
	}
	Version string
	Legacy  bool
	Limit   int
	Rules   map[string]struct {
		Count int `koanf:"count"`
	} `koanf:"rules"`
}

type Captcha struct {
	Shop struct {
		Enabled bool `json:"enabled"`
	} `json:"shop"`
}

type Server struct {
	Host string `json:"host"`
}

func main() {
	f := flag.NewFlagSet("shop", flag.ContinueOnError)
	f.Bool("passive", false, "take no orders")
	ko.Load(posflag.Provider(f, ".", ko), nil)
	ko.Load(env.Provider("SHOP_", ".", func(s string) string {
		return strings.Replace(strings.ToLower(strings.TrimPrefix(s, "SHOP_")), "__", ".", -1)
	}), nil)
	load()
	servers()
}

func load() *Config {
	var c Config
	ko.Unmarshal("app", &c)
	ko.Unmarshal("privacy", &c.Privacy)
	ko.Unmarshal("rules", &c.Rules)
	c.Media.Folder = ko.MustString("upload.folder")
	c.Version = build()
	c.Limit = c.Limit + 1
	if ko.Exists("app.owner") {
		c.Legacy = true
	}
	var db struct {
		Port int `koanf:"port"`
	}
	ko.Unmarshal("db", &db)
	var captcha Captcha
	ko.Unmarshal("captcha", &captcha)
	return &c
}

func servers() {
	for _, item := range ko.Slices("mail") {
		var s Server
		item.UnmarshalWithConf("", &s, koanf.UnmarshalConf{Tag: "json"})
	}
	items := ko.Slices("senders")
	for _, it := range items {
		it.Bool("enabled")
	}
	ko.Cut("log").String("level")
	log := ko.Cut("log")
	log.Duration("every")
}

func try(body []byte) {
	ko := koanf.New(".")
	ko.Load(rawbytes.Provider(body), json.Parser())
	var s Server
	ko.UnmarshalWithConf("", &s, koanf.UnmarshalConf{Tag: "json"})
	ko.String("email")
}
"""


def test_keys_of_koanf_stand_below_the_key_that_their_call_names() -> None:
    found = {it.name for it in settings(facts_of({**HEAD, "main.go": MAIN}))}
    assert found == {
        "app.Legacy", "app.Limit", "app.name", "app.owner", "captcha.shop.enabled", "db.port",
        "log.every", "mail[].host", "passive", "privacy.export", "rules.*.count",
        "senders[].enabled", "upload.folder",
    }  # fmt: skip


def test_a_flag_that_koanf_is_given_is_a_key_with_its_meaning_and_default() -> None:
    found = {it.name: it for it in settings(facts_of({**HEAD, "main.go": MAIN}))}
    assert (found["passive"].doc, found["passive"].default) == ("take no orders", "false")


def test_the_beginning_of_variables_that_set_keys_of_koanf_has_the_sign_for_dots() -> None:
    (found,) = beginnings(facts_of({**HEAD, "main.go": MAIN}))
    assert (found.prefix, found.sign, found.path) == ("SHOP_", "__", "main.go")


def test_keys_of_a_part_of_viper_stand_below_its_key() -> None:
    text = (
        'package main\n\nimport "github.com/spf13/viper"\n\nfunc main() {\n'
        '\tlog := viper.Sub("log")\n\tlog.GetString("level")\n\tother := viper.Sub(name())\n'
        '\tother.GetString("gone")\n\tviper.GetInt("rows")\n}\n'
    )
    found = [it.name for it in settings(facts_of({**HEAD, "main.go": text}))]
    assert found == ["log.level", "rows"]


def test_a_key_without_a_section_is_not_meant_by_a_key_in_a_section_of_a_sample() -> None:
    text = (
        'package main\n\nimport "github.com/spf13/viper"\n\nfunc main() {\n'
        '\tviper.GetString("host")\n\tviper.GetString("db.host")\n}\n'
    )
    sample = "[db]\n# Where the database is.\nhost = 1\n"
    facts = facts_of({**HEAD, "main.go": text, "config.toml.sample": sample})
    assert {it.name: it.doc for it in settings(facts)} == {
        "db.host": "Where the database is.", "host": "",
    }  # fmt: skip


def test_constants_whose_type_asks_for_them_are_keys_with_what_their_methods_set() -> None:
    facts = facts_of(HEAD | {
        "config/config.go": 'package config\n\nimport "github.com/spf13/viper"\n\n'
        "type Key string\n\nconst (\n\tPort Key = `server.port`\n\tName Key = `server.name`\n"
        "\tother = `nothing`\n)\n\n"
        "func (k Key) Text() string {\n\treturn viper.GetString(string(k))\n}\n\n"
        "func (k Key) setDefault(i any) {\n\tviper.SetDefault(string(k), i)\n}\n\n"
        "func Load() {\n\tPort.setDefault(3456)\n"
        '\tviper.SetEnvPrefix("shop")\n'
        '\tviper.SetEnvKeyReplacer(strings.NewReplacer(".", "_"))\n\tviper.AutomaticEnv()\n}\n',
        "topics.go": "package topics\n\ntype Topic string\n\nconst Sold Topic = `shop.sold`\n\n"
        "func (t Topic) Text() string {\n\treturn names.GetString(string(t))\n}\n",
    })  # fmt: skip
    assert {it.name: (it.variable, it.default) for it in settings(facts)} == {
        "server.name": ("SHOP_SERVER_NAME", None), "server.port": ("SHOP_SERVER_PORT", "3456"),
    }  # fmt: skip


def test_a_default_of_viper_is_the_value_of_a_constant_of_the_repository() -> None:
    facts = facts_of({
        "config/kinds.go": 'package config\n\ntype Kind string\n\nconst Plain Kind = "plain"\n',
        "config/config.go": 'package config\n\nimport "github.com/spf13/viper"\n\n'
        "func Load(rows int) {\n"
        '\tviper.SetDefault("kind", string(Plain))\n\tviper.SetDefault("other", Plain)\n'
        '\tviper.SetDefault("rows", rows)\n\tviper.SetDefault("gone", unknown)\n}\n',
    })  # fmt: skip
    assert {it.name: it.default for it in settings(facts)} == {
        "kind": "plain", "other": "plain", "rows": None, "gone": None,
    }  # fmt: skip
