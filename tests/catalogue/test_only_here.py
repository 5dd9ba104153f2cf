"""What the catalogue knows is said there and nowhere else."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import stationmaster
from stationmaster.catalogue import actions, ci, secrets, tools

SOURCE = Path(stationmaster.__file__).parent


@cache
def texts() -> list[tuple[str, str]]:
    """Every text of the code outside the catalogue, sentences for people aside."""
    return [
        (str(path.relative_to(SOURCE)), node.value)
        for path in sorted(SOURCE.rglob("*.py"))
        if not path.is_relative_to(SOURCE / "catalogue")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def test_forms_of_credentials() -> None:
    marks = {
        hint for form in secrets.forms("sure", "likely") for hint in form.hints if len(hint) > 5
    }
    patterns = {form.pattern for form in secrets.forms()}
    # A pattern, not a sentence or a prefix of the platform's own keys.
    written = [
        (path, text)
        for path, text in texts()
        if text in patterns or (re.search(r"[\[(\\]", text) and any(mark in text for mark in marks))
    ]
    assert written == []


def test_when_services_closed() -> None:
    closed = {system.closed for system in ci.systems().values()} - {""}
    assert [(path, text) for path, text in texts() if any(each in text for each in closed)] == []


def test_names_of_files_of_ci_systems() -> None:
    patterns = {pattern for system in ci.systems().values() for pattern in system.files}
    assert [(path, text) for path, text in texts() if text in patterns] == []


def test_what_actions_are_for() -> None:
    table = actions.actions()
    groups = [*table.purposes.values(), table.caches.always]
    names = {name for group in groups for name in group}
    # A group of them: one alone may be what a rule speaks of.
    assert [(path, text) for path, text in texts() if len(names & set(text.split())) > 1] == []


def test_files_and_actions_of_tools_in_readiness() -> None:
    table = tools.tools()
    names = {name for tool in table for name in tools.files(tool)}
    names |= {name for tool in table.values() for use in tool.uses.values() for name in use.actions}
    written = [
        (path, text)
        for path, text in texts()
        if path.startswith("readiness/") and text in names and re.search(r"[./]", text)
    ]
    assert written == []
