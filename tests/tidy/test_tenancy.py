"""No statement reads or changes the rows of an organization that it does not name.

Reads the source: SQL texts by their words, SQLAlchemy statements by the function they stand in.
The inbox is left out: it carries the batches of all organizations to the lake at once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.db.tables import metadata

pytestmark = pytest.mark.attack

SOURCE = Path(__file__).resolve().parents[2] / "src" / "stationmaster"
TENANT_TABLES = {
    "wiki_search",  # A kind of its own on each database, so no table of the collection.
    *(name for name, table in metadata.tables.items() if "org_id" in table.columns),
}
TOUCHES = re.compile(
    rf"\b(?:FROM|INTO|UPDATE|JOIN)\s+(?:{'|'.join(sorted(TENANT_TABLES))})\b", re.I
)
NAMES = re.compile(r"\borg_id\s*=\s*(?:\?|:\w+)|\binto\s+\w+\s*\([^)]*\borg_id\b", re.I)

ACROSS = {
    "SELECT k.org_id, k.principal_kind, k.principal_id": "A key is what tells the organization.",
    "SELECT l.org_id, o.name, l.user_id, m.email": "A one-time link tells it, too.",
    "SELECT s.org_id, s.session_id, s.user_id": "A session's secret is what tells it, too.",
    "SELECT m.org_id, o.name, m.user_id, p.hash": "Who signs in does not know it yet.",
    "SELECT name, org_id, issuer": "Of a browser that signs in, the provider tells it.",
    "SELECT name, org_id FROM identity_providers": "The page where everybody signs in has all.",
    "SELECT org_id, name FROM organizations": "For the installation's operator, not for a caller.",
    "SELECT DISTINCT org_id FROM jobs": "The same, of those with work that is due.",
    "SELECT {} FROM jobs WHERE state = 'running'": "Workers do the jobs of every organization.",
    "SELECT COUNT(*), MIN(due_at) FROM jobs": "How many wait in the installation, nothing else.",
    "SELECT org_id, destination_id, MIN(due_at)": "Which destinations are due, of every one.",
    "SELECT COUNT(*), MIN(created_at) FROM alert_deliveries": "How many wait, nothing else.",
    "SELECT org_id, day, {} FROM lake_parts WHERE checked_at": "The check takes the oldest of all.",
    "SELECT org_id, day, name, sha256 FROM lake_parts": "A backup copies every organization's.",
    "SELECT count(*) FROM lake_parts WHERE fault": "How many of the installation, nothing else.",
    "SELECT DISTINCT org_id FROM budgets": "Says which organizations have any, nothing else.",
    "SELECT DISTINCT org_id, hold_id FROM budget_holds": "Expired holds of every one are charged.",
    "SELECT org_id FROM budget_holds WHERE hold_id": "A hold tells its organization.",
    "SELECT org_id, credential_hash, removed_at": "A machine's credential tells it, too.",
    "SELECT computer_id, name FROM computers WHERE credential_hash": "The same.",
    "SELECT 1 FROM computers WHERE computer_id": "Whether one that is connected was removed.",
    "SELECT {} FROM managed_computers ORDER BY": "The keeper looks after those of every one.",
    "SELECT DISTINCT org_id FROM lake_days": "Says which organizations there are, nothing else.",
}
"""How the statements begin that may not name an organization, and why."""


def _sources() -> Iterator[Path]:
    yield from (path for path in sorted(SOURCE.rglob("*.py")) if "migrations" not in path.parts)


def _docstrings(tree: ast.AST) -> set[int]:
    """Bare strings, which are prose."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def _texts(tree: ast.AST) -> Iterator[str]:
    """Every string of a module; what an f-string fills in is left as {}."""
    skipped = _docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in skipped
        ):
            yield node.value


def unnamed_texts(source: str) -> list[str]:
    """SQL texts on a tenant table that neither name an organization nor may go without."""
    texts = (" ".join(text.split()) for text in _texts(ast.parse(source)))
    return [
        text
        for text in texts
        if TOUCHES.search(text) and not NAMES.search(text) and not text.startswith(tuple(ACROSS))
    ]


def unnamed_functions(source: str) -> list[str]:
    """Functions that mention a tenant table as a name and never its column org_id, nor give an
    organization to a condition of the same module that does."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    conditions = {node.name for node in functions if node.args.args and _compares(node)}
    return [
        node.name
        for node in functions
        if any(isinstance(n, ast.Name) and n.id in TENANT_TABLES for n in ast.walk(node))
        and re.search(r"\borg_id\b", ast.unparse(node)) is None
        and not any(_gives_organization(call, conditions) for call in ast.walk(node))
    ]


def _compares(function: ast.FunctionDef) -> bool:
    """Is it a condition that compares org_id with its own first argument, `org`?"""
    compared = re.search(r"\.org_id == org\b", ast.unparse(function)) is not None
    return compared and function.args.args[0].arg == "org"


def _gives_organization(node: ast.AST, conditions: set[str]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in conditions
        and bool(node.args)
        and ast.unparse(node.args[0]) in ("org", "org_id", "caller.org_id")
    )


def test_every_sql_text_on_a_tenant_table_names_the_organization() -> None:
    found = {
        str(path.relative_to(SOURCE)): texts
        for path in _sources()
        if (texts := unnamed_texts(path.read_text()))
    }
    assert found == {}


def test_every_function_that_queries_a_tenant_table_names_the_organization() -> None:
    found = {
        str(path.relative_to(SOURCE)): names
        for path in _sources()
        if "stationmaster.db.tables" in path.read_text()
        and (names := unnamed_functions(path.read_text()))
    }
    assert found == {}


def test_every_query_of_access_takes_the_organization_right_after_the_connection() -> None:
    tree = ast.parse((SOURCE / "access" / "store.py").read_text())
    others = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and [argument.arg for argument in node.args.args[:2]] != ["connection", "org"]
    ]
    assert others == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('db.rows("SELECT email FROM members WHERE role = ?")', 1),
        ('db.rows("SELECT org_id, email FROM members WHERE role = ?")', 1),
        ('db.rows("SELECT email FROM members WHERE org_id = ?")', 0),
        ('db.rows(f"SELECT {columns} FROM members WHERE role = ?")', 1),
        ('db.rows(f"SELECT {columns} FROM members WHERE org_id = ?")', 0),
        ('text("DELETE FROM lake_days WHERE day = :day")', 1),
        ('text("INSERT INTO lake_days (day) VALUES (:day)")', 1),
        ('text("INSERT INTO lake_days (org_id, day) VALUES (:org, :day)")', 0),
        ('text("SELECT batch_id FROM moved_batches")', 0),
        ('"""Prose on how to select from members."""', 0),
    ],
)
def test_a_text_without_the_organization_would_be_noticed(source: str, found: int) -> None:
    assert len(unnamed_texts(source)) == found


CONDITION = "def _is(org, user): return (members.c.org_id == org) & (members.c.user_id == user)\n"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f(): return select(members.c.email)", ["f"]),
        ("def f(org): return select(members.c.email).where(members.c.org_id == org)", []),
        ("def f(org): return insert(members).values(org_id=org)", []),
        ("def f(): return select(moved_batches.c.batch_id)", []),
        (f"{CONDITION}def f(org): return select(members.c.email).where(_is(org, 1))", []),
        (f"{CONDITION}def f(user): return select(members.c.email).where(_is(user, 1))", ["f"]),
        (
            "def _is(org): return members.c.role == org\n"
            "def f(org): return select(members.c.email).where(_is(org))",
            ["_is", "f"],
        ),
    ],
)
def test_a_function_without_the_organization_would_be_noticed(
    source: str, found: list[str]
) -> None:
    assert unnamed_functions(source) == found
