"""Meanings of variables that stand in for options of a command line."""

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

GO = """package main

import "github.com/spf13/cobra"
import "github.com/spf13/viper"

var root = makeRoot()

func makeRoot() *cobra.Command { return &cobra.Command{Use: "shop"} }

func init() {
	viper.SetDefault("SHOP_WAIT", "10s")
	flags := root.PersistentFlags()
	flags.StringP(
		"wait",
		"w",
		ask("SHOP_WAIT"),
		"How long it waits")
	flags.String("till", ask("SHOP_TILL"), "The till.")
	later := ask("SHOP_LATER")
	println(later)
}

func ask(key string) string {
	viper.MustBindEnv(key)
	return viper.GetString(key)
}
"""


def test_a_variable_means_what_the_option_does_whose_default_it_is() -> None:
    facts = facts_of({"go.mod": "module example.com/shop\n", "main.go": GO})
    assert {it.name: (it.kind, it.default, it.doc) for it in settings(facts)} == {
        "SHOP_WAIT": ("env", "10s", "How long it waits. Option --wait."),
        "SHOP_TILL": ("env", None, "The till. Option --till."),
        "SHOP_LATER": ("env", None, ""),
    }


def test_a_default_of_argparse_gives_its_variable_a_meaning() -> None:
    text = "import argparse, os\nparser = argparse.ArgumentParser()\n"
    text += "parser.add_argument('--port', default=os.environ.get('PORT', '80'), help='Its port')\n"
    [port] = settings(facts_of({"app.py": text}))
    assert (port.name, port.default, port.doc) == ("PORT", "80", "Its port. Option --port.")
