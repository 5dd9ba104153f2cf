"""Structs of settings that functions of Go hand on before they are filled."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of


def test_what_is_filled_and_the_key_above_it_pass_through_two_functions() -> None:
    facts = facts_of({
        "go.mod": "module example.org/shop\n\ngo 1.22\n",
        "config/config.go": """package config

import "github.com/knadh/koanf/v2"

type Till struct {
	Rows  int    `koanf:"rows" jsonschema:"minimum=1,default=9" jsonschema_description:"Its rows."`
	Names []Name `json:"-"`
}

type Name struct {
	First string `koanf:"first"`
}

func Load() (till *Till) {
	till = &Till{}
	LoadBelow("till", till)
	return till
}

func LoadBelow(path string, result any) {
	fill(koanf.New("."), path, result)
}

func fill(ko *koanf.Koanf, path string, o any) {
	ko.UnmarshalWithConf(path, o, koanf.UnmarshalConf{})
}
""",
    })  # fmt: skip
    assert [(it.name, it.default, it.doc) for it in settings(facts)] == [
        ("till.rows", "9", "Its rows.")
    ]
