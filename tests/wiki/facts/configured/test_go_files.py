"""Keys of files that programs of Go read into structs, and variables called after their fields."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.setting import Configured
from tests.wiki.commits import facts_of

_MODULE = {"go.mod": "module example.org/shop\n\ngo 1.22\n"}


def _settings(files: dict[str, str]) -> dict[str, Configured]:
    return {it.name: it for it in settings(facts_of({**_MODULE, **files}))}


def test_sections_of_an_ini_file() -> None:
    found = _settings({
        "config/config.go": """package config

import "github.com/go-ini/ini"

type (
	// ServerCfg holds values of the server
	ServerCfg struct {
		Host string `ini:"hidden_host"`
		Port int    `ini:"port"` // Where it listens.
		Dev  bool   `ini:"-"`
		mode string
	}

	OauthCfg struct {
		ClientID string `ini:"client_id"`
	}

	Config struct {
		Name   string
		Server ServerCfg `ini:"server"`
		Gitea  OauthCfg  `ini:"oauth.gitea"`
		Slack  OauthCfg  `ini:"oauth.slack"`
	}

	// Nothing fills this.
	Other struct {
		Key string `ini:"key"`
	}
)

func Load(path string) (*Config, error) {
	file, err := ini.Load(path)
	c := &Config{}
	err = file.MapTo(c)
	return c, err
}
"""
    })  # fmt: skip
    assert sorted(found) == [
        "Name", "[oauth.gitea] client_id", "[oauth.slack] client_id",
        "[server] hidden_host", "[server] port",
    ]  # fmt: skip
    port = found["[server] port"]
    assert (port.kind, port.type, port.doc, port.reads) == (
        "key", "int", "Where it listens.", (("config/config.go", 9),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mapper", "name"),
    [("SnackCase", "MAX_SIZE"), ("TitleUnderscore", "max_size"), ("Own", None)],
)
def test_keys_of_an_ini_file_have_the_case_that_the_package_chooses(
    mapper: str, name: str | None
) -> None:
    found = _settings({
        "config/config.go": "package config\n\nimport \"gopkg.in/ini.v1\"\n\n"
        "type Mail struct {\n\tMaxSize int\n}\n\nfunc Load(path string) {\n"
        f"\tfile, _ := ini.Load(path)\n\tfile.NameMapper = ini.{mapper}\n\tvar mail Mail\n"
        '\tfile.Section("mail").MapTo(&mail)\n}\n',
    })  # fmt: skip
    assert list(found) == ([f"[mail] {name}"] if name else [])


def test_a_section_that_is_filled_alone() -> None:
    files = {
        "main.go": """package main

import "gopkg.in/ini.v1"

type Mail struct {
	Host string `ini:"HOST"`
}
type Cache struct {
	Host string `ini:"HOST"`
}

func main() {
	var mail Mail
	cache := new(Cache)
	file, _ := ini.Load("app.ini")
	file.Section("mailer").MapTo(&mail)
	for _, name := range names {
		file.Section(name).MapTo(cache)
	}
}
"""
    }
    assert sorted(_settings(files)) == ["[mailer] HOST"]


def test_structs_of_other_packages_and_a_decoder_that_the_program_wraps() -> None:
    found = _settings({
        "cmd/serve.go": """package main

import (
	"os"
	"sigs.k8s.io/yaml"
)

func serve(path string) error {
	data, err := os.ReadFile(path)
	var c Config
	return decode(data, &c)
}

func other(auth Auth) {
	var part PartConfig
	decode(auth.Config, &part)
}
""",
        "cmd/config.go": """package main

import (
	"encoding/json"
	"example.org/shop/storage"
)

func decode(b []byte, v interface{}) error {
	return json.Unmarshal(b, v)
}

type PartConfig struct {
	No string `json:"no"`
}

// Config is read from a file.
type Config struct {
	Issuer  string           `json:"issuer"`
	Web     Web              `json:"web,omitempty"`
	Clients []storage.Client `json:"clients"`
	Storage Storage          `json:"storage"`
	Extra   map[string]Web   `json:"extra"`
	Log     struct {
		// Level is the lowest that is written.
		Level string `json:"level"`
	} `json:"logger"`
}

type Web struct {
	// HTTP is the address to listen on. It may be empty.
	HTTP string `json:"http"`
}

type Storage struct {
	Kind   string
	Opened Opener
}

func (s *Storage) UnmarshalJSON(b []byte) error {
	var told struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(b, &told)
}
""",
        "storage/storage.go": """package storage

type Client struct {
	ID string `json:"id" yaml:"clientID"`
}
""",
    })  # fmt: skip
    assert sorted(found) == [
        "clients[].id", "extra.*.http", "issuer", "logger.level", "storage.type", "web.http",
    ]  # fmt: skip
    assert found["web.http"].doc == "HTTP is the address to listen on."


def test_data_that_is_no_settings_has_no_keys() -> None:
    found = _settings({
        "api.go": """package api

import (
	"encoding/json"
	"net/http"
	"os"
)

type Answer struct {
	Name string `json:"name"`
}
type RoomConfig struct {
	Name string `json:"name"`
}

func handle(r *http.Request) {
	var room RoomConfig
	json.NewDecoder(r.Body).Decode(&room)
}

func load() {
	data, _ := os.ReadFile("answer.json")
	var answer Answer
	json.Unmarshal(data, &answer)
}
"""
    })  # fmt: skip
    assert found == {}


def test_keys_without_tags_are_called_as_their_package_reads_them() -> None:
    source = """package main

import (
	"os"
	"{package}"
)

type Base struct {{
	Name string
}}

type Config struct {{
	Base `{flat}`
	MaxSize int `validate:"required" default:"10"`
}}

func load() {{
	data, _ := os.ReadFile("x")
	conf := Config{{}}
	{call}
}}
"""
    for package, call, flat, keys in (
        ("gopkg.in/yaml.v3", "yaml.Unmarshal(data, &conf)", 'yaml:",inline"', ["maxsize", "name"]),
        ("gopkg.in/yaml.v3", "yaml.Unmarshal(data, &conf)", "", ["base.name", "maxsize"]),
        ("github.com/BurntSushi/toml", 'toml.DecodeFile("x", &conf)', "", ["MaxSize", "Name"]),
        ("github.com/spf13/viper", "viper.Unmarshal(&conf)", 'mapstructure:",squash"',
         ["maxsize", "name"]),
        ("github.com/spf13/viper", 'viper.UnmarshalKey("top", &conf)', 'mapstructure:",squash"',
         ["top.maxsize", "top.name"]),
        ("github.com/knadh/koanf/v2", 'k.UnmarshalWithConf("", &conf, koanf.UnmarshalConf{})',
         'koanf:",squash"', ["MaxSize", "Name"]),
    ):  # fmt: skip
        found = _settings({"main.go": source.format(package=package, call=call, flat=flat)})
        assert sorted(found) == keys, package
        size = next(it for it in found.values() if it.name.lower().endswith("maxsize"))
        assert (size.default, size.is_required) == ("10", True)


def test_hcl_names_keys_by_tags_alone() -> None:
    files = {
        "main.go": """package main

import "github.com/hashicorp/hcl/v2/hclsimple"

type Config struct {
	Mode   string   `hcl:"mode,optional"`
	Server []Server `hcl:"server,block"`
	State  string
}

type Server struct {
	Name string `hcl:"name,label"`
	Port int    `hcl:"port"`
}

func main() {
	var config Config
	hclsimple.DecodeFile("app.hcl", nil, &config)
}
"""
    }
    found = _settings(files)
    assert {name: it.is_required for name, it in found.items()} == {
        "mode": False, "server[].port": True,
    }  # fmt: skip


def test_structs_in_structs_are_read_up_to_a_bound() -> None:
    levels = range(6)
    structs = "\n".join(
        f"type Config{level} struct {{\n"
        + "".join(f"\tF{at} Config{level + 1}\n" for at in range(20))
        + "}\n"
        for level in levels
    )
    found = _settings({
        "main.go": 'package main\n\nimport "github.com/BurntSushi/toml"\n\n'
        f"{structs}type Config6 struct {{\n\thidden int\n}}\n\n"
        'var conf Config0\n\nfunc main() { toml.DecodeFile("a", &conf) }\n',
    })  # fmt: skip
    assert found == {}


def test_what_a_program_sets_over_all_is_no_setting() -> None:
    begun = (
        'func load() {\n\tviper.AutomaticEnv()\n\tviper.Set("version", version)\n'
        '\tif odd(viper.GetString("port")) {\n\t\tviper.Set("port", "1")\n\t}\n'
        '\tshow(viper.GetString("version"))\n}\n\n'
        'func later() {\n\tviper.Set("mode", "x")\n\tshow(viper.GetString("mode"))\n}\n'
    )
    found = _settings({"conf/load.go": f'package conf\nimport "github.com/spf13/viper"\n{begun}'})
    assert sorted(found) == ["mode", "port"]


def test_a_fork_is_read_as_the_package_whose_name_it_keeps() -> None:
    found = _settings({
        "config.go": """package main

import (
	"os"
	"example.com/forks/yaml"
)

type Config struct {
	Rows int `yaml:"rows"`
}

func load() (Config, error) {
	data, _ := os.ReadFile("shop.yml")
	config := Config{}
	err := yaml.Unmarshal(data, &config)
	return config, err
}
"""
    })  # fmt: skip
    assert list(found) == ["rows"]


def test_a_variable_of_a_struct_without_a_name_fills_a_section_and_no_field_called_so() -> None:
    found = _settings({
        "conf/conf.go": 'package conf\n\nimport "gopkg.in/ini.v1"\n\nvar User struct {\n'
        '\tRows int `ini:"ROWS"`\n}\n\ntype Pages struct {\n\tUser Of `ini:"pages.user"`\n}\n\n'
        'type Of struct {\n\tSize int `ini:"SIZE"`\n}\n\nfunc Load(file *ini.File) error {\n'
        '\treturn file.Section("user").MapTo(&User)\n}\n',
    })  # fmt: skip
    assert [*found] == ["[user] ROWS"]


def test_a_type_of_a_package_of_others_is_none_of_the_own_package_that_ends_alike() -> None:
    found = _settings({
        "cas/apiv1/options.go": "package apiv1\n\n"
        'type Options struct {\n\tUrl string `json:"url"`\n}\n',
        "config/config.go": 'package config\n\nimport (\n\t"encoding/json"\n\t"os"\n\n'
        '\tcas "example.org/shop/cas/apiv1"\n\tkms "example.com/crypto/kms/apiv1"\n)\n\n'
        'type Config struct {\n\tCas cas.Options `json:"cas"`\n'
        '\tKms kms.Options `json:"kms"`\n}\n\n'
        "func Load(path string) (*Config, error) {\n\tdata, _ := os.ReadFile(path)\n"
        "\tvar c Config\n\treturn &c, json.Unmarshal(data, &c)\n}\n",
    })  # fmt: skip
    assert [*found] == ["cas.url", "kms"]


def test_a_field_that_a_file_and_the_environment_fill_is_one_setting() -> None:
    found = _settings({
        "config/config.go": 'package config\n\nimport (\n\t"os"\n\n'
        '\t"github.com/caarlos0/env/v11"\n'
        '\t"gopkg.in/yaml.v3"\n)\n\ntype Config struct {\n\t// Port is where the shop listens.\n'
        '\tPort int `env:"SHOP_PORT" yaml:"port"`\n\tName string `env:"SHOP_NAME"`\n}\n\n'
        "func DefaultConfig() *Config {\n\treturn &Config{Port: 80}\n}\n\n"
        "func Load(path string) (*Config, error) {\n\tdata, _ := os.ReadFile(path)\n"
        "\tc := DefaultConfig()\n\tif err := yaml.Unmarshal(data, c); err != nil {\n"
        "\t\treturn nil, err\n\t}\n\treturn c, env.Parse(c)\n}\n",
    })  # fmt: skip
    assert {it.name: (it.kind, it.variable, it.default) for it in found.values()} == {
        "port": ("key", "SHOP_PORT", "80"), "name": ("key", "SHOP_NAME", None),
    }  # fmt: skip
