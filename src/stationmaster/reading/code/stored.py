"""Entities that source files declare: tables, documents and messages with their columns."""

from __future__ import annotations

from typing import Literal

import msgspec

from stationmaster.catalogue import code

FRAMEWORK = code.table("csharp.entities.framework", str)
SCALARS = code.names("csharp.entities.scalars")
"""What the reader of C# and wikis know of Entity Framework: its name, and the types that a store
keeps in one column."""
RAILS = "Rails"
"""What tables of migrations and of the schema of Rails are declared with."""
OF_HASHES = "methods of its own"
"""What tables are declared with that a project makes of hashes."""
EntityKind = Literal[
    "table",
    "document",
    "message",
    "type",
    "enum",
    "change",
    "base",
    "unproven",
    "history",
    "joint",
]
"""A `change` is what a migration does to a table that another file makes. Its columns are added, or
get another type; without a type they are dropped, or renamed to what they refer to. Those of the
type `AS_IS` keep their type and get the other properties. Without columns the table itself is
dropped, or renamed to `symbol`. A `base` has no table: classes that extend it have its columns. An
`unproven` one is a table, or a base, only if a class above it is a model. A
`history` is the table that keeps all versions of the rows of its class. A `joint` is the table
between two others, where no other entity has its name; a class in braces in its names is replaced
by the table of that class."""
AS_IS = "*"
UNREFERENCED = "!"
"""What a column that is kept `AS_IS` refers to when it no longer refers to anything."""


class Column(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A column. `references` is the `table` or `table.column` that it refers to. `path` is the file
    of its `line` where that is not the file of its table. `later` are later statements about it,
    the last of each kind."""

    name: str
    type: str = ""
    is_key: bool = False
    is_unique: bool = False
    references: str = ""
    line: int = 0
    path: str = ""
    later: tuple[str, ...] = ()

    def marked(self, more: Column) -> Column:
        """The same column with the properties of another statement."""
        references = more.references or self.references
        return msgspec.structs.replace(
            self,
            is_key=self.is_key or more.is_key,
            is_unique=self.is_unique or more.is_unique,
            references="" if references == UNREFERENCED else references,
        )


class Entity(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A thing that is stored: a table, a model of an ORM, a document. `symbol` is what declares it,
    `name` what it is called in the store, or the symbol's own name."""

    name: str
    kind: EntityKind
    line: int
    end: int
    columns: tuple[Column, ...] = ()
    symbol: str = ""
    framework: str = ""
