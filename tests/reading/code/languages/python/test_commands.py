from __future__ import annotations

from functools import partial

import pytest

from stationmaster.reading.code.model import CliCommand, FileFacts
from tests.reading.code.reading import facts_of

python = partial(facts_of, "Python")


def told(facts: FileFacts) -> dict[tuple[str, ...], CliCommand]:
    return {each.words: each for each in facts.commands if not each.is_part}


def names(command: CliCommand) -> list[tuple[tuple[str, ...], str | None]]:
    return [(each.names, each.default) for each in command.options]


def test_commands_of_click_stand_in_their_groups() -> None:
    found = told(python("""
        import click

        @click.group()
        def cli(): "The program. It does."

        @cli.command()
        @click.option("-n", "--name", default="x", help="Who")
        @click.argument("path")
        def greet_all(name, path): "Greets."

        @cli.group("db")
        def database(): ...

        @database.command()
        def init(): ...

        @click.command()
        def late(): ...
        cli.add_command(late, "later")
    """))  # fmt: skip
    assert set(found) == {(), ("greet-all",), ("db",), ("db", "init"), ("later",)}
    assert found[()].help == "The program."
    assert found["db", "init"].handler == "init"
    assert names(found[("greet-all",)]) == [(("-n", "--name"), "x"), (("PATH",), None)]
    assert found[("greet-all",)].options[0].help == "Who"


def test_a_command_of_click_that_the_file_runs_is_the_program() -> None:
    text = "import click\n@click.command()\ndef main(): ...\nif __name__ == '__main__':\n    main()"
    assert set(told(python(text))) == {()}


def test_options_of_typer_are_parameters() -> None:
    found = told(python("""
        import typer
        from typing import Annotated
        app = typer.Typer()
        users = typer.Typer()
        app.add_typer(users, name="users")

        @app.command("run-it")
        def run(ctx: typer.Context, name: str, port: int = 80,
                loud: bool = typer.Option(False, "--loud", "-l", help="Shout"),
                times: Annotated[int, typer.Argument(help="How often")] = 3):
            "Runs it."

        @users.command()
        def add_one(): ...
    """))  # fmt: skip
    assert set(found) == {("run-it",), ("users", "add-one")}
    assert names(found[("run-it",)]) == [
        (("NAME",), None), (("--port",), "80"), (("--loud", "-l"), "False"), (("TIMES",), "3"),
    ]  # fmt: skip
    assert found[("run-it",)].options[2].help == "Shout"


def test_parsers_of_argparse_hold_others() -> None:
    found = told(python("""
        import argparse

        def main():
            parser = argparse.ArgumentParser(description="Does.")
            parser.add_argument("-v", "--verbose", help="more")
            group = parser.add_argument_group("net")
            group.add_argument("--port", default=80)
            sub = parser.add_subparsers()
            listing = sub.add_parser("list", help="List them")
            listing.add_argument("what")
            listing.set_defaults(func=cmd_list)
            other.add_argument("--no")
    """))  # fmt: skip
    assert set(found) == {(), ("list",)}
    assert names(found[()]) == [(("-v", "--verbose"), None), (("--port",), "80")]
    assert (found[("list",)].handler, found[("list",)].help) == ("cmd_list", "List them")


@pytest.mark.parametrize(
    "text",
    [
        "@cli.command()\ndef run(): ...",
        "from discord import bot\nimport os\n@bot.command()\ndef run(): ...",
        "parser.add_argument('--x')\nsub.add_parser('y')",
        "import click\n@retry.command\ndef run(): ...",
    ],
)
def test_what_only_looks_like_a_command_is_none(text: str) -> None:
    assert python(text).commands == ()


def test_switches_of_click_tell_what_is_typed_and_help_may_stand_in_brackets() -> None:
    found = told(python("""
        import click

        @click.command()
        @click.option("--verify/--no-verify", default=True)
        @click.option("--no-cache", "cache", is_flag=True, default=True)
        @click.option("--all", is_flag=True, default=False)
        @click.option("--proxy", default=None, help=("Send it " "there."))
        def get(verify, cache, all, proxy): ...
    """))  # fmt: skip
    (command,) = found.values()
    assert names(command) == [
        (("--verify/--no-verify",), "--verify"), (("--no-cache",), "cache=True"),
        (("--all",), "False"), (("--proxy",), None),
    ]  # fmt: skip
    assert command.options[-1].help == "Send it there."


def test_parsers_of_argparse_are_followed_into_functions_that_are_given_them() -> None:
    found = told(
        python("""
        import argparse

        def add_output(parser: argparse.ArgumentParser, *, wide: bool = False) -> None:
            parser.add_argument("--json", help="as JSON")
            if wide:
                parser.add_argument("--wide")
            else:
                parser.add_argument("--narrow")

        def add_list(subparsers, shared: argparse.ArgumentParser):
            listing: Final[argparse.ArgumentParser] = subparsers.add_parser(
                "list", help="List them", parents=[shared])
            add_output(listing, wide=True)
            listing.set_defaults(func=cmd_list)

        def add_cache(to):
            cache = to.add_parser("cache", help="Keep them")
            below = cache.add_subparsers()
            add_output(below.add_parser("drop"))
            clear = below.add_parser("clear", help="Empty it")
            add_output(parser=clear)

        def main():
            shared = argparse.ArgumentParser(add_help=False)
            shared.add_argument("--quiet")
            parser = argparse.ArgumentParser(prog="shop")
            sub = parser.add_subparsers()
            add_list(sub, shared)
            add_cache(sub)
            other(sub)
    """)
    )
    assert set(found) == {(), ("list",), ("cache",), ("cache", "drop"), ("cache", "clear")}
    assert [each.names[0] for each in found[("list",)].options] == ["--quiet", "--json", "--wide"]
    assert [each.names[0] for each in found[("cache", "clear")].options] == ["--json", "--narrow"]
    assert (found[("list",)].handler, found[("list",)].help) == ("cmd_list", "List them")


def test_a_class_of_the_project_may_stand_for_a_parser() -> None:
    (command,) = python("""
        from shop.options import Spec
        from others import Browser

        options = Spec("shop")
        paying = options.add_group("Paying")
        paying.add_argument("--coin", choices=["cent", "euro"], short_help="What is paid with.")
        paying.add_argument(dest="till", help="Where.")
        browser = Browser()
        browser.add_argument("--headless")
    """).commands
    assert command.program == "shop"
    assert names(command) == [(("--coin",), None), (("TILL",), None)]
    assert command.options[0].help == "What is paid with. One of: cent, euro."


def test_help_that_is_put_together_has_signs_for_what_is_filled_in() -> None:
    facts = facts_of(
        "Python",
        """
        import argparse

        parser = argparse.ArgumentParser(prog="shop")
        parser.add_argument("--port", help=f"where it listens [default: {PORT}]")
        parser.add_argument("--rows", help="rows " + "of a page")
        parser.add_argument("--till", help="reads the " + NAME + " till")
        parser.add_argument("--quiet", action="store_false", default=True, dest="loud")
        """,
    )
    (command,) = facts.commands
    assert [(it.names, it.help, it.default) for it in command.options] == [
        (("--port",), "where it listens", None),
        (("--rows",), "rows of a page", None),
        (("--till",), "reads the … till", None),
        (("--quiet",), "", None),
    ]


def test_a_program_of_invoke_has_the_tasks_of_its_collection_as_commands() -> None:
    found = told(python("""
        from invoke import Collection, Program, task

        @task(help={"till-path": "Which till"})
        def count_coins(context, till_path="till", loud=False, cents=None):
            "Counts coins."

        @task
        def aside(context): ...

        def make():
            shelf = Collection(count_coins)
            return Program(namespace=shelf)
    """))  # fmt: skip
    assert set(found) == {("count-coins",)}
    command = found[("count-coins",)]
    assert (command.help, command.handler) == ("Counts coins.", "count_coins")
    assert names(command) == [
        (("--till-path",), "till"), (("--loud",), "False"), (("--cents",), None),
    ]  # fmt: skip
    assert command.options[0].help == "Which till"
