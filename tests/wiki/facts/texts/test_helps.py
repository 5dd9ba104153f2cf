"""Help that programs print: the commands and options in it, and meanings that code lacks."""

from __future__ import annotations

from stationmaster.wiki.facts.code.work import commands
from stationmaster.wiki.facts.texts.helps import helps
from tests.wiki.commits import facts_of

SCRIPT = """\
#!/usr/bin/env node
var argv = read(process.argv);
if (argv.help) {
  console.log([
    'usage: shop [path]',
    '',
    '  -p --port   Where it listens [default: 80]',
    '  -H',
    '  --header',
    '              More of them',
    '  -a          Its address',
    '  --dir <d>   The folder',
    '  -q          Says nothing',
    '              at all',
  ].join('\\n'));
}
"""


def rows(**contents: str) -> list[tuple[str, ...]]:
    """The commands with the names of their options."""
    files = {path.replace("__", "/").replace("_", "."): text for path, text in contents.items()}
    return [
        (" ".join((it.program, *it.words)), it.help, *(each.names[-1] for each in it.options))
        for it in commands(facts_of(files))
    ]


def test_lines_of_options_belong_to_the_program_whose_call_is_above_them() -> None:
    facts = facts_of(
        {"bin/shop": ("100755", SCRIPT), "package.json": '{"bin": {"shop": "bin/shop"}}'}
    )
    [command] = commands(facts)
    assert (command.program, command.line) == ("shop", 5)
    assert [(it.names, it.help, it.default, it.line) for it in command.options] == [
        (("-p", "--port"), "Where it listens [default: 80]", "80", 7),
        (("--header",), "More of them", None, 9), (("-a",), "Its address", None, 11),
        (("--dir",), "The folder", None, 12), (("-q",), "Says nothing at all", None, 13),
    ]  # fmt: skip


def test_a_help_of_each_command_names_its_words_and_a_list_names_all_of_them() -> None:
    add = '''USAGE = """
Adds a coin to the till.

Usage:
    till add [options] <coin>

Options:
    -n, --number <n>  How many of them
                      are added.
"""
'''
    main = '''"""
Usage:
    till <command> [<args>...]

Commands:
    add, a          Adds coins
    count [TILL]    Counts them
    create NAME [gold|silver] Makes a coin

Drivers:
    wood            None of the commands
"""
'''
    assert rows(till_py=main, add_py=add) == [
        ("till add", "Adds a coin to the till.", "--number"),
        ("till count", "Counts them"),
        ("till create", "Makes a coin"),
    ]


def test_options_whose_meaning_stands_below_them_are_read_where_a_program_is_called() -> None:
    main = """package main
import "fmt"
func main() {
\tfmt.Printf(`
The add command adds a coin.

Usage:

\ttill add [arguments] COIN

Arguments:

\t-config PATH
\t    Where its file is.
\t    Defaults to %s.

`[1:], path)
}
"""
    facts = facts_of({"go.mod": "module example.com/till\n", "main.go": main})
    [command] = commands(facts)
    assert (command.words, command.help) == (("add",), "The add command adds a coin.")
    assert [(it.names, it.help) for it in command.options] == [
        (("-config",), "Where its file is. Defaults to ….")
    ]


def test_lines_that_programs_print_one_by_one_are_a_help() -> None:
    main = """#include <stdio.h>
static void usage(void) {
    printf("Usage: till [options] FILE\\n\\n"
           "  -o, --output=FILE   Writes to FILE   \\n");
    DISPLAY_F(f, "  --[no-]check        Counts again [Default: %d]\\n", 2);
    puts("  -q                  Says nothing");
}
int main(int argc, char **argv) { usage(); return 0; }
"""
    assert rows(src__main_c=main) == [("till", "", "--output", "--[no-]check", "-q")]


def test_options_of_code_mean_what_the_help_says_of_them() -> None:
    code = """
        import { parseArgs } from 'node:util';
        const usage = `Usage: shop [options]
          -p, --port <port>  Where it listens
          --quiet            Says less`;
        parseArgs({ options: { port: { type: 'string', short: 'p' },
            quiet: { description: 'Its own.' }, none: {} } });
    """
    facts = facts_of({"cli.mjs": code, "package.json": '{"name": "shop", "bin": "cli.mjs"}'})
    assert [(it.names[-1], it.help) for each in commands(facts) for it in each.options] == [
        ("--port", "Where it listens"), ("--quiet", "Its own."), ("--none", ""),
    ]  # fmt: skip


def test_a_help_of_another_program_is_none_of_the_product() -> None:
    text = '"""Usage: git add [options]\n\n  -a  One\n"""\n'
    files = {"package.json": '{"name": "shop", "bin": "cli.mjs"}', "cli.mjs": "import './a.mjs'\n"}
    assert commands(facts_of({**files, "a.mjs": f"const text = `{text}`\n"})) == ()


def test_options_without_words_and_few_options_are_no_help() -> None:
    few = "print('''usage\n  -a  One\n  -b  Two\n  -c  Three\n''')\n"
    bare = "# usage\nNAMES = [\n" + "".join(f"    '--name-{at}',\n" for at in range(9)) + "]\n"
    assert helps(facts_of({"few.py": few, "bare.py": bare})) == ()


def test_tests_are_left_out_and_long_texts_bounded() -> None:
    lines = "".join(f"  --name-{at}   What it is\n" for at in range(999))
    text = f"'''usage: shop\n{lines}'''\n"
    [(path, it)] = helps(facts_of({"shop/a.py": text, "tests/test_a.py": text}))
    assert (path, len(it.options)) == ("shop/a.py", 500)


def test_a_script_of_a_shell_has_its_help_also_without_an_ending() -> None:
    text = "#!/bin/sh\nprintf '%s' \"Usage: shop [options]\n  -a  One\n  -b  Two\n\"\n"
    made = helps(facts_of({"shop": text, "run.sh": text, "NOTES": text[9:]}))
    assert [path for path, _ in made] == ["run.sh", "shop"]


def test_scripts_beside_a_library_are_none_of_its_programs() -> None:
    options = "".join(f"  -{sign}  Says {sign} of it\n" for sign in "abcdef")
    script = f"#!/bin/sh\ncat <<EOF\nUsage: fetch\n{options}EOF\n"
    files = {
        "pom.xml": "<project><groupId>org.shop</groupId><artifactId>till</artifactId></project>",
        "src/main/java/org/shop/Till.java": "package org.shop;\npublic class Till { }\n",
        "fetch.sh": script,
    }
    assert helps(facts_of(files)) == ()
    assert [path for path, _ in helps(facts_of({**files, "bin/till.sh": script}))] == [
        "bin/till.sh"
    ]
    assert len(helps(facts_of({"fetch.sh": script}))) == 1
