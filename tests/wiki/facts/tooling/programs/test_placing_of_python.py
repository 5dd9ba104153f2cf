"""Commands of Python that functions make, give back or are given, and those of other files."""

from __future__ import annotations

from stationmaster.wiki.facts.code.work import commands
from tests.wiki.commits import facts_of

MANIFEST = '[project]\nname = "shop"\nversion = "1"\n[project.scripts]\nshop = "shop.main:cli"\n'


def words(**files: str) -> list[str]:
    contents = {f"shop/{name}.py": text for name, text in files.items()}
    facts = facts_of({"pyproject.toml": MANIFEST, "shop/__init__.py": "", **contents})
    return [" ".join((it.program, *it.words)) for it in commands(facts)]


MAIN = """
import click
from shop import sync
from shop.db import db, keys, make_pay

@click.group()
def cli(): "Program."

@cli.group()
def money(): "Money."

cli.add_command(db)
cli.add_command(keys, "secrets")
money.add_command(make_pay())
sync.register_all(cli)
sync.register_paying(group=money)
"""
SYNC = """
import click

def register_all(cli):
    register(cli)

def register(group):
    @group.command("sync")
    @click.option("--deep")
    def sync_(deep): "Syncs."

    @group.group()
    def stock(): "Stock."

    @stock.command()
    def count(): "Counts."

def register_paying(group: click.Group) -> None:
    @group.command()
    def refund(): "Gives back."
"""
DB = """
import click

@click.group()
@click.pass_context
def db(ctx):
    "Database."
    prepare(ctx)

@db.group()
def inner(): "Within."

@inner.command()
def deep(): "Deep."

@click.group("keys")
def keys(): "Keys."

@keys.command()
def new(): "New."

def make_pay():
    @click.command()
    def pay(): "Pays."
    return pay
"""


def test_commands_of_click_stand_below_the_groups_of_other_files_and_of_functions() -> None:
    assert words(main=MAIN, sync=SYNC, db=DB) == [
        "shop", "shop db", "shop db inner", "shop db inner deep", "shop money", "shop money pay",
        "shop money refund", "shop secrets", "shop secrets new", "shop stock", "shop stock count",
        "shop sync",
    ]  # fmt: skip


def test_a_command_of_click_is_below_a_group_that_its_file_imports() -> None:
    pay = "import click\nfrom shop.main import money\n@money.command()\ndef cash(): ...\n"
    assert words(main=MAIN, cash=pay) == ["shop", "shop money", "shop money cash"]


def test_groups_get_commands_in_files_that_do_not_import_click_and_in_loops() -> None:
    group = "import click\n@click.group()\ndef cli(): ...\n"
    added = (
        "from shop.main import cli\nfrom shop import one, two\n"
        "for command in (one.pay, two.refund):\n    cli.add_command(command)\n"
    )
    one = "import click\n@click.command()\ndef pay(): ...\n"
    two = "import click\n@click.group()\ndef refund(): ...\n@refund.command()\ndef all_(): ...\n"
    assert words(main=group, added=added, one=one, two=two) == [
        "shop", "shop pay", "shop refund", "shop refund all-",
    ]  # fmt: skip


def test_a_program_of_click_that_a_function_makes_has_its_commands() -> None:
    main = """
import click
def make():
    @click.group()
    def cli(): "Program."
    @cli.command()
    def run(): "Runs."
    return cli
def other():
    @click.command()
    def run(): "Alone."
    return run
"""
    assert words(main=main) == ["shop", "shop run", "shop run"]


def test_applications_of_typer_stand_below_those_of_other_files() -> None:
    main = """
import typer
from shop import users, pay
from shop.keys import app as keys_app
cli = typer.Typer()
cli.add_typer(users.app, name="users")
cli.add_typer(keys_app)
cli.add_typer(pay.make(), name="pay")
pay.register(cli)
"""
    users = """
import typer
app = typer.Typer()
inner = typer.Typer()
app.add_typer(inner, name="inner")
@app.callback()
def all_(): "All users."
@app.command()
def add(name: str): "Adds."
@inner.command()
def one(name: str): "One."
"""
    keys = """
import typer
app = typer.Typer(name="keys")
@app.command()
def new(name: str): "The only one."
"""
    pay = """
import typer
def make():
    pay = typer.Typer()
    @pay.command()
    def cash(): "In cash."
    @pay.command()
    def card(): "By card."
    return pay
def register(app: typer.Typer):
    @app.command()
    def refund(): "Gives back."
"""
    assert words(main=main, users=users, keys=keys, pay=pay) == [
        "shop keys new", "shop pay card", "shop pay cash", "shop refund", "shop users",
        "shop users add", "shop users inner one",
    ]  # fmt: skip
    assert words(main=keys) == ["shop"]


def test_parsers_of_argparse_are_followed_into_functions_of_other_files() -> None:
    main = """
import argparse
from shop import sync
from shop.pay import add_pay
def cli():
    parser = argparse.ArgumentParser()
    sub = parser.add_subparsers()
    sync.register(sub)
    add_pay(sub.add_parser("pay", help="Pays."))
"""
    sync = """
def register(subparsers):
    parser = subparsers.add_parser("sync", help="Syncs.")
    parser.add_argument("--deep", help="Deeply.")
    parser.add_subparsers().add_parser("all")
"""
    pay = """
import argparse
def add_pay(parser: argparse.ArgumentParser):
    parser.add_argument("--coin", help="Which.")
    below = parser.add_subparsers()
    add_cash(below)
def add_cash(below):
    below.add_parser("cash", help="In cash.")
"""
    contents = {"shop/main.py": main, "shop/sync.py": sync, "shop/pay.py": pay}
    found = commands(facts_of({"pyproject.toml": MANIFEST, "shop/__init__.py": "", **contents}))
    assert [(it.program, it.words, [o.names[0] for o in it.options]) for it in found] == [
        ("shop", (), []),
        ("shop", ("pay",), ["--coin"]),
        ("shop", ("pay", "cash"), []),
        ("shop", ("sync",), ["--deep"]),
        ("shop", ("sync", "all"), []),
    ]
