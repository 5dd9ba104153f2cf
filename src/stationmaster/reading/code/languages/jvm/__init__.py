"""What Java and Kotlin share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from stationmaster.reading.code.languages.items import Called, Field, unit
from stationmaster.reading.code.languages.jvm import commands, data, web, work
from stationmaster.reading.code.languages.notes import Noted, Proof
from stationmaster.reading.code.languages.source import Source
from stationmaster.reading.code.model import FileFacts

KNOWN = frozenset(
    {
        "Any",
        "Array",
        "Boolean",
        "Byte",
        "CharSequence",
        "Character",
        "Class",
        "Comparable",
        "Deprecated",
        "Double",
        "Enum",
        "Error",
        "Exception",
        "Float",
        "FunctionalInterface",
        "IllegalArgumentException",
        "IllegalStateException",
        "Int",
        "Integer",
        "Iterable",
        "List",
        "Long",
        "Map",
        "Math",
        "MutableList",
        "MutableMap",
        "Nothing",
        "Number",
        "Object",
        "Override",
        "Pair",
        "RuntimeException",
        "SafeVarargs",
        "Set",
        "Short",
        "String",
        "StringBuilder",
        "Suppress",
        "SuppressWarnings",
        "System",
        "T",
        "Thread",
        "Throwable",
        "Unit",
        "UnsupportedOperationException",
        "Void",
    }
)
"""Names that no file imports, and that are of the language."""
CALLS = web.CALLS | data.CALLS | work.CALLS | commands.CALLS
"""Names of calls whose arguments matter."""


def wire(
    source: Source,
    facts: FileFacts,
    noted: Sequence[Noted],
    called: Sequence[Called],
    fields: Callable[[Node], list[Field]],
) -> None:
    """Add to the facts of a file what frameworks make of it."""
    made = unit(source, facts, noted, called, fields, Proof(facts.imports))
    facts.routes = tuple(web.routes(made))
    facts.settings = tuple(data.settings(made))
    facts.entities = tuple(data.entities(made))
    facts.jobs = tuple(work.jobs(made))
    facts.tests = tuple(work.tests(made))
    facts.entries = tuple(work.entries(made))
    facts.commands = tuple(commands.commands(made))
    facts.marks = made.marks("Deprecated")
