"""SQL: the tables that a row of files leaves behind, whatever dialect they are written in.

Only what changes the shape of tables is read; a statement that is not understood changes nothing.
We read this ourselves: a parser of whole dialects takes five times as long, and refuses a few of
every hundred real migrations.
"""

from __future__ import annotations

import msgspec

from stationmaster.catalogue.repositories.sql import sql
from stationmaster.reading.code.schemas.sql_selection import Selection, selection
from stationmaster.reading.code.schemas.sql_tables import Constraint, OpenTable, mark
from stationmaster.reading.code.schemas.sql_tokens import (
    Token,
    Words,
    split,
    statements,
    type_at,
    words,
)
from stationmaster.reading.code.stored import Column

STATEMENTS_MAX = 20_000
TABLES_MAX = 2_000
COLUMNS_MAX = 500
REST_MAX = 12
_WORDS = sql()


class Table(msgspec.Struct, frozen=True):
    """`path` and lines are where it was made."""

    name: str
    path: str
    line: int
    end: int
    columns: tuple[Column, ...]


class Schema:
    """The tables after the files that were applied, in that order."""

    def __init__(self) -> None:
        self._tables: dict[str, OpenTable] = {}

    def apply(self, path: str, text: str) -> None:
        """Apply the first STATEMENTS_MAX statements of a file to the tables."""
        for count, statement in enumerate(statements(text)):
            if count >= STATEMENTS_MAX:
                return
            _Reading(self._tables, path, statement).run()

    def tables(self) -> tuple[Table, ...]:
        """The tables by name. Formatters write names such as `LANGUAGE` in upper case, so such a
        name is shown in lower case where most others are."""
        names = [table.name for table in self._tables.values()]
        if 2 * sum(map(str.islower, names)) > len(names):
            for table in self._tables.values():
                table.name = table.name.lower() if table.name.isupper() else table.name
        made = [
            Table(
                table.name,
                table.path,
                table.line,
                table.end,
                tuple(map(self._spelled, table.columns.values())),
            )
            for table in self._tables.values()
        ]
        return tuple(sorted(made, key=lambda table: table.name))

    def _spelled(self, column: Column) -> Column:
        target, dot, theirs = column.references.partition(".")
        table = self._tables.get(target.lower())
        if table is None or table.name == target:
            return column
        return msgspec.structs.replace(column, references=f"{table.name}{dot}{theirs}")


class _Reading(Words):
    """One statement, read from left to right."""

    def __init__(self, tables: dict[str, OpenTable], path: str, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self._tables = tables
        self._path = path

    def run(self) -> None:
        """Apply the statement to the tables; most kinds of statements change none."""
        if self.takes("CREATE"):
            self._create()
        elif self.takes("ALTER", "TABLE"):
            self._alter()
        elif self.takes("DROP", "TABLE"):
            self.takes("IF", "EXISTS")
            for name in self.names():
                self._tables.pop(name.lower(), None)
        elif self.takes("DROP", "INDEX"):
            self._drop_index()
        elif self.takes("RENAME", "TABLE"):
            while (old := self.name()) and self.takes("TO"):
                self._rename_table(old, self.name())
                self.takes(",")

    # Statements

    def _create(self) -> None:
        self.takes("OR", "REPLACE")
        if self.takes("UNIQUE"):
            self._unique_index()
            return
        for word in ("UNLOGGED", "FOREIGN", "COLUMN", "ROW"):
            self.takes(word)
        if not self.takes("TABLE"):
            return
        self.takes("IF", "NOT", "EXISTS")
        line = self.tokens[0].line
        name = self.name()
        key = name.lower()
        if not name or key in self._tables or len(self._tables) >= TABLES_MAX:
            return
        if self.takes("ON"):  # ClickHouse: ON CLUSTER x
            self.at += 2
        made = OpenTable(name, self._path, line, self.tokens[-1].line)
        query = selection(self.tokens[self.at :])
        if self.peek() == "(":
            for element in self.elements():
                self._element(made, element)
        if query is not None and not made.columns:
            self._select(made, query)
        if made.columns or query is not None:
            self._tables[key] = made

    def _select(self, table: OpenTable, query: Selection) -> None:
        """Add the columns of a query to a table; a plain one has the type of its source."""
        sources = {
            alias: self._tables[name.lower()].columns
            for alias, name in query.tables.items()
            if name.lower() in self._tables
        }
        for selected in query.columns:
            of = [selected.source] if selected.source else list(sources)
            columns_of = [sources.get(source, {}) for source in of]
            if selected.name == "*":
                columns = [column for source in columns_of for column in source.values()]
            else:
                same = (source.get(selected.name.lower()) for source in columns_of)
                column = next(filter(None, same), None) if selected.is_plain else None
                columns = [Column(selected.name, column.type if column else "")]
            for column in columns[:COLUMNS_MAX]:
                table.columns[column.name.lower()] = Column(column.name, column.type)

    def _alter(self) -> None:
        self.takes("IF", "EXISTS")
        self.takes("ONLY")
        table = self._tables.get(self.name().lower())
        if table is None:
            return
        rest = self.tokens[self.at :]
        carried: tuple[str, ...] = ()
        for action in split(rest):
            verb = words(action[:1])
            # T-SQL and Oracle: `ADD a int, b int` goes on without its verb.
            if carried and verb and verb[0] not in _WORDS.actions:
                action = [*(Token(word, 0, False) for word in carried), *action]
            carried = _Reading(self._tables, self._path, action)._action(table)

    def _action(self, table: OpenTable) -> tuple[str, ...]:
        """Do one action of ALTER TABLE; the words that a further one may leave out."""
        if self.takes("ADD"):
            is_column = self.takes("COLUMN")
            self.takes("IF", "NOT", "EXISTS")
            if self.peek() == "(":
                for element in self.elements():
                    self._element(table, element)
                return ()
            self._element(table, self.tokens[self.at :], is_added=is_column)
            return ("ADD",)
        if self.takes("DROP"):
            self._drop(table)
        elif self.takes("RENAME"):
            self._rename(table)
        elif self.takes("MODIFY"):
            self.takes("COLUMN")
            self._element(table, self.tokens[self.at :], is_added=True)
        elif self.takes("CHANGE"):
            self.takes("COLUMN")
            old = self.name()
            self._rename_column(table, old, self.peek())
            self._element(table, self.tokens[self.at :], is_added=True)
        elif self.takes("ALTER"):
            self.takes("COLUMN")
            self._alter_column(table)
        return ()

    def _drop(self, table: OpenTable) -> None:
        if self.takes("CONSTRAINT"):
            self.takes("IF", "EXISTS")
            self._forget(table, self.name())
        elif self.takes("FOREIGN", "KEY"):
            self._forget(table, self.name())
        elif self.takes("PRIMARY"):
            return
        elif self.takes("INDEX") or self.takes("KEY"):
            self._forget(table, self.name())
        else:
            self.takes("COLUMN")
            self.takes("IF", "EXISTS")
            for name in self.names():
                table.columns.pop(name.lower(), None)

    def _rename(self, table: OpenTable) -> None:
        if self.takes("TO") or self.takes("AS"):
            self._rename_table(table.name, self.name())
            return
        if self.peek() in ("CONSTRAINT", "INDEX", "KEY"):
            return
        self.takes("COLUMN")
        old = self.name()
        if self.takes("TO"):
            self._rename_column(table, old, self.name())

    def _alter_column(self, table: OpenTable) -> None:
        column = table.columns.get(self.name().lower())
        if column is None:
            return
        self.takes("SET", "DATA")
        if not self.takes("TYPE") and self.peek() in _WORDS.of_columns:
            kind = words(self.tokens[self.at + 1 : self.at + 2])
            if kind not in (["NOT"], ["DEFAULT"]):
                return
            later = *(it for it in column.later if it.split()[1:2] != kind), self._rest()
            column = msgspec.structs.replace(column, later=later)
        elif type_ := type_at(self.tokens[self.at :])[0]:
            later = *(it for it in column.later if not it.startswith("TYPE ")), f"TYPE {type_}"
            column = msgspec.structs.replace(column, type=type_, later=later)
        table.columns[column.name.lower()] = column

    def _rest(self) -> str:
        """The rest of the statement, without the texts in it."""
        rest = self.tokens[self.at : self.at + REST_MAX]
        return " ".join("…" if it.is_quoted and not it.is_name else it.text for it in rest).upper()

    def _drop_index(self) -> None:
        """Drop indexes; their names belong to one table, or to all."""
        self.takes("CONCURRENTLY")
        self.takes("IF", "EXISTS")
        names = self.names()
        only = self.name().lower() if self.takes("ON") else ""
        for key, table in self._tables.items():
            for name in names if only in ("", key) else ():
                self._forget(table, name.rpartition(".")[2])

    def _unique_index(self) -> None:
        self.takes("INDEX")
        self.takes("CONCURRENTLY")
        self.takes("IF", "NOT", "EXISTS")
        name = "" if self.peek() == "ON" else self.name().rpartition(".")[2]
        while self.at < len(self.tokens) and not self.takes("ON"):
            self.at += 1
        self.takes("ONLY")
        table = self._tables.get(self.name().lower())
        if self.takes("USING"):
            self.at += 1
        if table is None or self.peek() != "(":
            return
        elements = list(self.elements())
        is_partial = self.peek() == "WHERE"
        if len(elements) == 1 and len(elements[0]) == 1 and not is_partial:
            self._be_unique(table, name, elements[0][0].text)

    # Parts of tables

    def _element(self, table: OpenTable, tokens: list[Token], *, is_added: bool = False) -> None:
        """A column or constraint; `is_added` where only a column is allowed."""
        reading = _Reading(self._tables, self._path, tokens)
        name = ""
        if not is_added and reading.takes("CONSTRAINT"):
            name = reading.name()
        if not is_added and reading._constraint(table, name):
            return
        has_columns = any(token.text == "(" for token in tokens)  # As `key text` has none.
        if not is_added and (name or (has_columns and reading.peek() in _WORDS.not_columns)):
            return
        if not is_added and reading.takes("LIKE"):
            like = self._tables.get(reading.name().lower())
            table.columns.update(like.columns if like else {})
            return
        reading._column(table)

    def _constraint(self, table: OpenTable, name: str) -> bool:
        if self.takes("PRIMARY", "KEY"):
            self.skip_to("(")
            for column in self.columns():
                mark(table, column, is_key=True)
        elif self.takes("UNIQUE"):
            self.skip_to("(")
            columns = self.columns()
            if len(columns) == 1:
                self._be_unique(table, name, columns[0])
        elif self.takes("FOREIGN", "KEY"):
            self.skip_to("(")
            columns = self.columns()
            if self.takes("REFERENCES"):
                target = self.name()
                theirs = self.columns() if self.peek() == "(" else ()
                self._refer(table, name, Constraint("foreign", columns, target, theirs))
        else:
            return False
        return True

    def _be_unique(self, table: OpenTable, name: str, column: str) -> None:
        if name:
            table.constraints[name.lower()] = Constraint("unique", (column,))
        mark(table, column, is_unique=True)

    def _refer(self, table: OpenTable, name: str, constraint: Constraint) -> None:
        table.constraints[name.lower() or f"{table.name}_{'_'.join(constraint.columns)}_fkey"] = (
            constraint
        )
        for index, column in enumerate(constraint.columns):
            theirs = (
                constraint.target_columns[index] if index < len(constraint.target_columns) else ""
            )
            mark(
                table,
                column,
                references=f"{constraint.target}.{theirs}" if theirs else constraint.target,
            )

    def _column(self, table: OpenTable) -> None:
        if not self.tokens[self.at :] or not self.tokens[self.at].is_name:
            return
        line = self.tokens[self.at].line
        name = self.name()
        type_, after = type_at(self.tokens[self.at :])
        self.at += after
        made = Column(name, type_, line=line if table.path == self._path else 0)
        if len(table.columns) >= COLUMNS_MAX:
            return
        table.columns[name.lower()] = made
        constraint = ""
        while self.at < len(self.tokens):
            if self.takes("CONSTRAINT"):
                constraint = self.name()
            elif self.takes("PRIMARY", "KEY"):
                mark(table, name, is_key=True)
            elif self.takes("UNIQUE"):
                mark(table, name, is_unique=True)
            elif self.takes("REFERENCES"):
                target = self.name()
                theirs = self.columns() if self.peek() == "(" else ()
                self._refer(table, constraint, Constraint("foreign", (name,), target, theirs))
            elif self.peek() == "(":
                list(self.elements())
            else:
                self.at += 1

    def _forget(self, table: OpenTable, name: str) -> None:
        """Drop a constraint, and the properties that it gave to columns."""
        gone = table.constraints.pop(name.lower(), None)
        for column in gone.columns if gone else ():
            if gone and gone.kind == "unique":
                mark(table, column, is_unique=False)
            else:
                mark(table, column, references="")

    def _rename_table(self, old: str, new: str) -> None:
        table = self._tables.pop(old.lower(), None)
        if table is None or not new:
            return
        table.name = new
        self._tables[new.lower()] = table
        for other in self._tables.values():
            for key, column in other.columns.items():
                target, dot, theirs = column.references.partition(".")
                if target.lower() == old.lower():
                    other.columns[key] = msgspec.structs.replace(
                        column, references=f"{new}{dot}{theirs}"
                    )

    def _rename_column(self, table: OpenTable, old: str, new: str) -> None:
        renamed = {
            key: msgspec.structs.replace(column, name=new) if key == old.lower() and new else column
            for key, column in table.columns.items()
        }
        table.columns = {column.name.lower(): column for column in renamed.values()}
