"""Settings of Go that a function makes with defaults before a store or a file is read."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of


def test_settings_that_a_function_makes_with_defaults_and_a_store_holds() -> None:
    found = settings(facts_of({
        "go.mod": "module example.org/shop\n\ngo 1.22\n",
        "core/settings.go": """package core

import "encoding/json"

type MailConfig struct {
	// Port is where the server listens.
	Port int `json:"port"`
	// Whether mail is sent safely.
	//
	// When not, nobody knows who reads it.
	TLS bool `json:"tls"`
	Secret string `json:"secret"`
}

type inner struct {
	Name string `json:"name"`
	Mail MailConfig `json:"mail"`
	Hosts []string `json:"hosts"`
	Rows int `json:"rows"`
}

type Settings struct {
	inner
	isNew bool
}

func newDefaultSettings() *Settings {
	return &Settings{
		isNew: true,
		inner: inner{
			Name: "Shop",
			Mail: MailConfig{
				Port: 587, // Later 465, perhaps.
				TLS: false,
			},
			Hosts: []string{"a", "b"},
			Texts: LONG_TEXT,
			Rows: 10,
		},
	}
}

func (s *Settings) load(row *Row) error {
	return json.Unmarshal(row.Value, s)
}

type Options struct {
	Size int `json:"size"`
}

func (o *Options) load(row *Row) error {
	return json.Unmarshal(row.Value, o)
}
""".replace("LONG_TEXT", f'"{"a" * 3_000}"')
    }))  # fmt: skip
    assert {it.name: (it.default, it.doc) for it in found} == {
        "hosts": (None, ""),
        "mail.port": ("587", "Port is where the server listens."),
        "mail.secret": (None, ""),
        "mail.tls": ("false", "Whether mail is sent safely."),
        "name": ("Shop", ""),
        "rows": ("10", ""),
    }


def test_flags_of_urfave_are_keys_of_its_files_with_constants_of_others_as_defaults() -> None:
    facts = facts_of({
        "go.mod": "module shop\n",
        "till/till.go": 'package till\nconst (\n\tPort = 80 // Of all tills\n)\nvar Host = "a"\n',
        "app/app.go": 'package app\nimport ("github.com/urfave/cli/v2"; "shop/till"\n'
        '"github.com/urfave/cli/v2/altsrc")\nvar flags = []cli.Flag{\n'
        'altsrc.NewIntFlag(&cli.IntFlag{Name: "port", EnvVars: []string{"SHOP_PORT"},'
        ' Value: till.Port, Usage: "Where it listens"}),\n'
        '&cli.StringFlag{Name: "host", EnvVars: []string{"SHOP_HOST"}, Value: till.Host}}\n',
    })  # fmt: skip
    assert [(it.name, it.variable, it.default, it.doc) for it in settings(facts)] == [
        ("SHOP_HOST", "", "a", ""),
        ("port", "SHOP_PORT", "80", "Where it listens"),
    ]
