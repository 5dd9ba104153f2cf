"""What Java and Kotlin share. Source: wiki reference, 6.5."""

from __future__ import annotations

KNOWN = frozenset({
    "Any", "Array", "Boolean", "Byte", "CharSequence", "Character", "Class", "Comparable",
    "Deprecated", "Double", "Enum", "Error", "Exception", "Float", "FunctionalInterface",
    "IllegalArgumentException", "IllegalStateException", "Int", "Integer", "Iterable", "List",
    "Long", "Map", "Math", "MutableList", "MutableMap", "Nothing", "Number", "Object", "Override",
    "Pair", "RuntimeException", "SafeVarargs", "Set", "Short", "String", "StringBuilder",
    "Suppress", "SuppressWarnings", "System", "T", "Thread", "Throwable", "Unit",
    "UnsupportedOperationException", "Void",
})  # fmt: skip
"""Names that no file imports, and that are of the language."""
