"""What of a way runs instead of other parts, and what ways begin with."""

from __future__ import annotations

from stationmaster.wiki.facts.code.flows import flows
from stationmaster.wiki.facts.code.starts import starts
from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

BODY = "    a = 1\n    b = 2\n    return a + b\n"
MAIN = "if __name__ == '__main__':\n    main()\n"


def test_what_a_library_for_command_lines_runs_is_the_functions_of_its_commands() -> None:
    go = 'package main\n\nimport "github.com/spf13/cobra"\n\n'
    facts = facts_of({
        "go.mod": "module shop\n",
        "main.go": f"{go}var rootCmd = &cobra.Command{{\n\tUse: \"shop\",\n\tRunE: sell,\n}}\n\n"
        "func init() {\n\trootCmd.AddCommand(stockCmd)\n}\n\n"
        "func main() {\n\trootCmd.Execute()\n\tother.Execute()\n}\n\n"
        "func sell(cmd *cobra.Command, args []string) error {\n\treturn nil\n}\n",
        "stock.go": f"{go}var stockCmd = &cobra.Command{{\n\tUse: \"stock\",\n"
        "\tRun: func(cmd *cobra.Command, args []string) {\n\t\tcount()\n\t},\n}\n\n"
        "func count() {\n}\n",
        "App.java": "import picocli.CommandLine;\nimport picocli.CommandLine.Command;\n\n"
        "@Command(name = \"till\")\nclass App implements Runnable {\n"
        "    public static void main(String[] args) {\n"
        "        new CommandLine(new App()).execute(args);\n    }\n"
        "    public void run() {\n        int a = 1;\n    }\n}\n",
    })  # fmt: skip
    handlers = {
        spot.path: [[it.name for it in step.handlers] for step in station_of(facts, spot).steps]
        for spot in (Spot("main.go", "main"), Spot("App.java", "App.main"))
    }
    assert handlers["main.go"] == [["sell", "stockCmd"]]
    assert ["App.run"] in handlers["App.java"]


def test_a_program_that_only_helps_developers_has_no_page_beside_the_products_own() -> None:
    def program() -> str:
        calls = "".join(f"\tshop.{name}()\n" for name in ("Open", "Sell", "Close"))
        return f'package main\n\nimport "shop/shop"\n\nfunc main() {{\n{calls}}}\n'

    files = {"go.mod": "module shop\n", "cmd/release/main.go": program()} | {
        f"shop/{name}.go": f"package shop\n\nfunc {name}() {{\n\tprintln(1)\n\tprintln(2)\n}}\n"
        for name in ("Open", "Sell", "Close")
    }
    assert list(flows(facts_of(files))) == ["concepts/how-release"]
    both = files | {"cmd/till/main.go": program()}
    assert list(flows(facts_of(both))) == ["concepts/how-till"]


def test_a_command_is_called_by_all_words_that_are_typed() -> None:
    cli_ = '"github.com/urfave/cli/v2"'
    facts = facts_of({
        "go.mod": "module example.org/shop\n\nrequire github.com/urfave/cli/v2 v2.0.0\n",
        "main.go": f"package main\n\nimport {cli_}\n\nfunc main() {{\n\tapp := &cli.App{{\n"
        '\t\tName: "shop",\n\t\tCommands: []*cli.Command{&cmdTill},\n\t}\n\tapp.Run(nil)\n}\n',
        "till.go": f"package main\n\nimport {cli_}\n\nvar (\n\tcmdTill = cli.Command{{\n"
        '\t\tName: "till",\n\t\tSubcommands: []*cli.Command{&cmdOpen},\n\t}\n'
        '\tcmdOpen = cli.Command{\n\t\tName: "open",\n\t\tAction: open,\n\t}\n)\n\n'
        "func open(c *cli.Context) error {\n\treturn nil\n}\n",
    })  # fmt: skip
    assert [it.name for it in starts(facts) if it.kind == "command"] == ["till", "till open"]
