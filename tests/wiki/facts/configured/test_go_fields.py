"""Fields of Go that hold settings: where they are declared and read, and what is said of each."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.pages.interfaces import configuration
from tests.wiki.commits import facts_of, written

CONFIG = """package config

import "gopkg.in/ini.v1"

type (
	App struct {
		Title string `ini:"title"`

		// Options of public shops
		Rows int `ini:"rows"`
		PublicTill bool `ini:"public_till"`
		// Who sends mail from here
		Sender string `ini:"sender"`
	}
	Config struct {
		App App `ini:"app"`
	}
)

func New() *Config {
	c := &Config{
		App: App{Title: "Shop", Rows: 10},
	}
	return c
}

func Load(path string) *Config {
	file, _ := ini.Load(path)
	cfg := &Config{}
	file.MapTo(cfg)
	return cfg
}
"""
FILES = {
    "go.mod": "module example.org/shop\n",
    "config/config.go": CONFIG,
    "shop.go": 'package shop\n\nimport "example.org/shop/config"\n\n'
    "func Open(cfg *config.Config) {\n\tcfg.App.Sender = show(cfg.App.Title)\n}\n",
}


def test_fields_are_declared_and_read_and_a_comment_on_several_is_on_none() -> None:
    found = settings(facts_of(FILES))
    assert {it.name: (it.doc, it.default, it.declared, it.reads[1:]) for it in found} == {
        "[app] title": ("", None, (("config/config.go", 7),), (("shop.go", 6),)),
        "[app] rows": ("", None, (("config/config.go", 10),), ()),
        "[app] public_till": ("", None, (("config/config.go", 11),), ()),
        "[app] sender": ("Who sends mail from here", None, (("config/config.go", 13),), ()),
    }  # fmt: skip


def test_the_page_tells_where_a_key_is_declared_from_where_it_is_read() -> None:
    facts = facts_of(FILES)
    page = written(facts, next(configuration.plan(facts)).write, key="configuration")
    assert "| Name | Meaning | Type | Declared at | Read at |" in page
    assert "`[app] rows` |   | `int` | [`config/config.go:10`]" in page


def test_a_field_that_is_deprecated_says_so_beside_what_documents_say_of_it() -> None:
    old = '\t\t// Deprecated. Gone in 2.0.\n\t\tTill string `ini:"old_till"`\n'
    older = '\t\t// Shop is who sells. Deprecated: use Title.\n\t\tShop string `ini:"shop"`\n'
    contents = {
        "conf.go": CONFIG.replace("\t\tTitle string", f"{old}\n{older}\n\t\tTitle string"),
        "docs/settings.md": "# App settings\n\n- `old_till`: The till that is used.\n",
    }
    docs = {it.name.rpartition(".")[2].split()[-1]: it.doc for it in settings(facts_of(contents))}
    assert docs["old_till"] == "The till that is used. Deprecated. Gone in 2.0."
    assert docs["shop"] == "Shop is who sells. Deprecated: use Title."
