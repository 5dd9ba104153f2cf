"""Variables of the environment of Go that set what a flag sets, and values of variables of packages
that are defaults of flags."""

from __future__ import annotations

from stationmaster.wiki.facts.code.work import commands
from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

FILES = {
    "go.mod": "module example.org/till\n\ngo 1.22\n",
    "main.go": 'package main\n\nimport "example.org/till/cmd"\n\n'
    "func main() {\n\tcmd.Execute()\n}\n",
    "config/config.go": """package config

var (
	// Port is what the till listens on
	Port = 8025

	// Database of the till
	Database string

	IsQuiet bool

	Lines = count()
)
""",
    "cmd/dump.go": """package cmd

import (
	"example.org/till/config"
	"github.com/spf13/cobra"
)

var dumpCmd = &cobra.Command{Use: "dump", Short: "Dumps"}

func init() {
	rootCmd.AddCommand(dumpCmd)
	dumpCmd.Flags().StringVar(&config.Database, "from", config.Database, "What to dump")
}
""",
    "cmd/root.go": """package cmd

import (
	"os"

	"example.org/till/config"
	"github.com/spf13/cobra"
)

var rootCmd = &cobra.Command{Use: "till", Short: "Sells"}

func Execute() { rootCmd.Execute() }

func init() {
	readDeprecated()
	if len(os.Getenv("TILL_PORT")) > 0 {
		config.Port, _ = strconv.Atoi(os.Getenv("TILL_PORT"))
	}
	if enabled(os.Getenv("TILL_QUIET")) {
		config.IsQuiet = true
	}
	config.Database = os.Getenv("TILL_DATABASE")
	rootCmd.Flags().IntVarP(&config.Port, "port", "p", config.Port, "Port of the till")
	rootCmd.Flags().StringVar(&config.Database, "database", config.Database, "Where it stores")
	rootCmd.Flags().BoolVar(&config.IsQuiet, "quiet", config.IsQuiet, "Says nothing.")
	rootCmd.Flags().IntVar(&config.Lines, "lines", config.Lines, "Lines of a receipt")
}

func readDeprecated() {
	if os.Getenv("TILL_DB") != "" {
		config.Database = os.Getenv("TILL_DB")
	}
}
""",
}


def test_a_default_that_is_a_variable_of_a_package_is_what_that_holds_at_first() -> None:
    row = next(it for it in commands(facts_of(FILES)) if not it.words)
    assert [(it.names[-1], it.default) for it in row.options] == [
        ("--port", "8025"), ("--database", None), ("--quiet", "false"), ("--lines", None),
    ]  # fmt: skip


def test_a_variable_of_the_environment_means_what_a_flag_does_that_sets_the_same() -> None:
    assert {
        it.name: (it.doc, it.default) for it in settings(facts_of(FILES)) if it.kind == "env"
    } == {
        "TILL_DATABASE": ("Where it stores. Also set by --database.", None),
        "TILL_DB": ("Deprecated. Where it stores. Also set by --database.", None),
        "TILL_PORT": ("Port of the till. Also set by --port.", "8025"),
        "TILL_QUIET": ("Says nothing. Also set by --quiet.", "false"),
    }
