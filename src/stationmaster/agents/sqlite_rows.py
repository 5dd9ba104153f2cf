"""Rows of tables in the pages of an SQLite database: in order, by row id, or by an index.

Only the columns that are asked for are decoded, and of a long row no more is read than they need.
Texts are UTF-8, as bytes. Format: https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import NamedTuple

from stationmaster.agents.sqlite_pages import Damaged, Snapshot

Value = int | float | bytes | None
Row = tuple[Value, ...]
_Key = Callable[[int], int]

ROW_BYTES_MAX = 64 * 2**20
"""A value that lies beyond so many bytes of its row is read as None."""

_INDEX_INTERIOR, _TABLE_INTERIOR, _INDEX_LEAF, _TABLE_LEAF = 2, 5, 10, 13
_INTERIOR = (_INDEX_INTERIOR, _TABLE_INTERIOR)
_FIRST_PAGE_HEADER = 100
_DEPTH_MAX = 40
_NODES_KEPT = 256
_UTF8 = (0, 1)
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)
_SCHEMA = ("type", "name", "tbl_name", "rootpage", "sql")
_WORD = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|[(),]|[^\s(),'"`\[]+""",
    re.DOTALL,
)
_NO_COLUMN = frozenset({"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"})


class Table(NamedTuple):
    """A table: the page it begins at, its columns, and the first pages of indexes by the column
    that they begin with."""

    root: int
    columns: tuple[str, ...]
    indexes: dict[str, int]


class _Node(NamedTuple):
    """A page of a tree: where its cells begin, and the page of what lies behind the last one."""

    page: bytes
    kind: int
    cells: tuple[int, ...]
    last: int


class Database:
    """The tables of a snapshot. Every method raises Damaged for pages that do not fit together."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._nodes: dict[int, _Node] = {}
        self._usable = 0
        self.tables: dict[str, Table] = {}
        if snapshot.page_count:
            with _reading():
                self._begin()

    def rows(
        self, table: str, columns: Sequence[str], after: int = -1
    ) -> Iterator[tuple[int, Row]]:
        """Row ids above `after` in order, each with the values of its columns; a column that the
        table has not is None. Memory stays small whatever the table's size."""
        known = self.tables[table]
        wanted = _places(known, columns)
        with _reading():
            pages = self._pages()
            for node, at, size, row_id in self._rows_after(known.root, after, pages):
                yield row_id, self._record(node.page, at, size, self._usable - 35, wanted)

    def row(self, table: str, row_id: int, columns: Sequence[str]) -> Row | None:
        """The values of the columns of one row; None when there is none of that id."""
        known = self.tables[table]
        with _reading():
            node = self._node(known.root)
            for _ in range(_DEPTH_MAX):
                place = bisect_left(node.cells, row_id, key=_row_id_at(node))
                if node.kind != _TABLE_INTERIOR:
                    break
                node = self._node(_child(node, place))
            if node.kind != _TABLE_LEAF:
                raise Damaged("a table is no tree")
            if place == len(node.cells):
                return None
            size, at = _varint(node.page, node.cells[place])
            found, at = _varint(node.page, at)
            if _signed(found) != row_id:
                return None
            return self._record(node.page, at, size, self._usable - 35, _places(known, columns))

    def last_row_id(self, table: str) -> int | None:
        """The highest row id; None when there is no row."""
        with _reading():
            node = self._node(self.tables[table].root)
            for _ in range(_DEPTH_MAX):
                if node.kind != _TABLE_INTERIOR:
                    break
                node = self._node(node.last)
            if node.kind != _TABLE_LEAF:
                raise Damaged("a table is no tree")
            return _row_id_at(node)(node.cells[-1]) if node.cells else None

    def row_ids(self, table: str, column: str, value: bytes) -> Iterator[int]:
        """The ids of the rows that have the value in a column that an index of it begins with.

        Raises KeyError when no index begins with that column.
        """
        root = self.tables[table].indexes[column]
        with _reading():
            yield from self._matches(root, value, self._pages())

    # -- trees ----------------------------------------------------------------------------------

    def _begin(self) -> None:
        first = self._snapshot.page(1)
        self._usable = self._snapshot.page_size - first[20]
        if int.from_bytes(first[56:60]) not in _UTF8 or self._usable < 480:
            raise Damaged("a database of another text encoding")
        self.tables = {"sqlite_schema": Table(1, _SCHEMA, {})}
        indexes = []
        unique: dict[str, str] = {}
        ordered_otherwise = set()
        for _, (kind, name, of, root, sql) in list(self.rows("sqlite_schema", _SCHEMA)):
            if not isinstance(root, int):
                continue
            items = _items(_text(sql))
            if kind == b"table":
                columns = [item for item in items if item[0].upper() not in _NO_COLUMN]
                names = tuple(_unquoted(item[0]) for item in columns)
                self.tables[_text(name)] = Table(root, names, {})
                collated = (item for item in columns if "COLLATE" in map(str.upper, item[1:]))
                ordered_otherwise |= {(_text(name), _unquoted(item[0])) for item in collated}
                # SQLite makes an index of its own for each column that is unique.
                unique[f"sqlite_autoindex_{_text(name)}_1"] = _first_unique(columns)
            elif kind == b"index" and (sql is None or _is_plain(items, _text(sql))):
                column = unique.get(_text(name), "") if sql is None else _unquoted(items[0][0])
                indexes.append((_text(of), column, root))
        for of_table, column, root in indexes:
            if of_table in self.tables and column and (of_table, column) not in ordered_otherwise:
                self.tables[of_table].indexes.setdefault(column, root)

    def _pages(self) -> Iterator[None]:
        """As many as a tree can have pages; a damaged one may lead in circles."""
        return repeat(None, self._snapshot.page_count + 1)

    def _node(self, number: int) -> _Node:
        node = self._nodes.get(number)
        if node is None:
            page = self._snapshot.page(number)
            begin = _FIRST_PAGE_HEADER if number == 1 else 0
            kind = page[begin]
            is_interior = kind in _INTERIOR
            count = int.from_bytes(page[begin + 3 : begin + 5])
            cells = struct.unpack_from(f">{count}H", page, begin + (12 if is_interior else 8))
            last = int.from_bytes(page[begin + 8 : begin + 12]) if is_interior else 0
            if len(self._nodes) >= _NODES_KEPT:
                del self._nodes[next(iter(self._nodes))]
            node = self._nodes[number] = _Node(page, kind, cells, last)
        return node

    def _rows_after(
        self, number: int, after: int, pages: Iterator[None], depth: int = 0
    ) -> Iterator[tuple[_Node, int, int, int]]:
        """(node, where the record begins, its size, its row id) of the rows of a tree."""
        node = self._visited(number, pages, depth)
        first = bisect_left(node.cells, after + 1, key=_row_id_at(node))
        if node.kind == _TABLE_LEAF:
            for cell in node.cells[first:]:
                size, at = _varint(node.page, cell)
                row_id, at = _varint(node.page, at)
                yield node, at, size, _signed(row_id)
        elif node.kind == _TABLE_INTERIOR:
            for place in range(first, len(node.cells) + 1):
                yield from self._rows_after(_child(node, place), after, pages, depth + 1)
        else:
            raise Damaged("a table is no tree")

    def _matches(
        self, number: int, value: bytes, pages: Iterator[None], depth: int = 0
    ) -> Iterator[int]:
        node = self._visited(number, pages, depth)
        if node.kind not in (_INDEX_LEAF, _INDEX_INTERIOR):
            raise Damaged("an index is no tree")
        is_interior = node.kind == _INDEX_INTERIOR

        def key(cell: int) -> bytes:
            found = self._index_record(node, cell)[0]
            return found if isinstance(found, bytes) else b""

        first = bisect_left(node.cells, value, key=key)
        for place in range(first, len(node.cells)):
            if is_interior:
                yield from self._matches(_child(node, place), value, pages, depth + 1)
            found, row_id = self._index_record(node, node.cells[place])
            if found != value:
                return
            if isinstance(row_id, int):
                yield row_id
        if is_interior:
            yield from self._matches(node.last, value, pages, depth + 1)

    def _visited(self, number: int, pages: Iterator[None], depth: int) -> _Node:
        try:
            next(pages)
        except StopIteration:
            depth = _DEPTH_MAX
        if depth >= _DEPTH_MAX:
            raise Damaged("a tree leads in circles")
        return self._node(number)

    # -- records --------------------------------------------------------------------------------

    def _index_record(self, node: _Node, cell: int) -> Row:
        """(first column, row id) of an entry of an index."""
        size, at = _varint(node.page, cell + (4 if node.kind == _INDEX_INTERIOR else 0))
        return self._record(node.page, at, size, (self._usable - 12) * 64 // 255 - 23, (0, -1))

    def _record(self, page: bytes, at: int, size: int, most: int, wanted: Sequence[int]) -> Row:
        """The wanted columns of a record of which up to `most` bytes lie in the page itself."""
        local = size if size <= most else self._local_size(size, most)
        data = page[at : at + local]
        if len(data) < local:
            raise Damaged("a row lies beyond its page")
        header_size, place = _varint(data, 0)
        if header_size > local:
            data = self._longer(page, at, local, min(header_size, size))
        ends = [header_size]
        kinds = []
        while place < header_size:
            kind, place = _varint(data, place)
            kinds.append(kind)
            ends.append(ends[-1] + _length(kind))
        columns = [column + len(kinds) if column < 0 else column for column in wanted]
        needed = max((ends[column + 1] for column in columns if column < len(kinds)), default=0)
        if needed > size:
            raise Damaged("a row is longer than it says")
        if len(data) < min(needed, ROW_BYTES_MAX):
            data = self._longer(page, at, local, min(needed, ROW_BYTES_MAX))
        return tuple(
            _value(kinds[column], data[ends[column] : ends[column + 1]])
            if column < len(kinds) and ends[column + 1] <= len(data)
            else None
            for column in columns
        )

    def _local_size(self, size: int, most: int) -> int:
        least = (self._usable - 12) * 32 // 255 - 23
        local = least + (size - least) % (self._usable - 4)
        return local if local <= most else least

    def _longer(self, page: bytes, at: int, local: int, needed: int) -> bytes:
        """The beginning of a record that goes on in pages of its own."""
        data = bytearray(page[at : at + local])
        following = int.from_bytes(page[at + local : at + local + 4])
        while len(data) < needed:
            part = self._snapshot.page(following)
            following = int.from_bytes(part[:4])
            data += part[4 : self._usable]
        return bytes(data)


@contextmanager
def _reading() -> Iterator[None]:
    """What a page that is not what it says runs into, said as Damaged."""
    try:
        yield
    except (IndexError, struct.error, UnicodeDecodeError) as fault:
        raise Damaged("a page is not what it says") from fault


def _row_id_at(node: _Node) -> _Key:
    """The row id of a cell of a table's page."""
    page = node.page
    if node.kind == _TABLE_INTERIOR:
        return lambda cell: _signed(_varint(page, cell + 4)[0])
    return lambda cell: _signed(_varint(page, _varint(page, cell)[1])[0])


def _child(node: _Node, place: int) -> int:
    if place == len(node.cells):
        return node.last
    return int.from_bytes(node.page[node.cells[place] : node.cells[place] + 4])


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends. Raises IndexError."""
    value = 0
    for place in range(at, at + 8):
        byte = data[place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    return value << 8 | data[at + 8], at + 9


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


def _length(kind: int) -> int:
    return (kind - 12) // 2 if kind >= 12 else _INTEGER_BYTES[kind]


def _value(kind: int, data: bytes) -> Value:
    if kind >= 12:
        return data
    if kind == 7:
        return float(struct.unpack(">d", data)[0])
    if kind in (8, 9):
        return kind - 8
    return int.from_bytes(data, signed=True) if kind else None


def _places(table: Table, columns: Sequence[str]) -> list[int]:
    """Where the columns lie in a record; beyond its end for those that there are not."""
    known = table.columns
    return [known.index(name) if name in known else len(known) for name in columns]


def _items(sql: str) -> list[list[str]]:
    """The words of each item in the first brackets of a statement."""
    items: list[list[str]] = []
    depth = 0
    for word in _WORD.findall(sql):
        if word == "(":
            depth += 1
            if depth == 1:
                items.append([])
        elif word == ")":
            depth -= 1
            if depth == 0:
                break
        elif word == "," and depth == 1:
            items.append([])
        elif depth == 1 and not word.startswith(("--", "/*")):
            items[-1].append(word)
    return [item for item in items if item]


def _is_plain(items: list[list[str]], sql: str) -> bool:
    """Is an index one of all rows, beginning with a column in its usual order?"""
    return bool(items) and len(items[0]) == 1 and " where " not in sql.lower()


def _first_unique(columns: list[list[str]]) -> str:
    """The first column that is unique by itself and no other name of the row id; "" for none."""
    for name, *words in columns:
        said = [word.upper() for word in words]
        is_row_id = "PRIMARY" in said and said[0] == "INTEGER"
        if not is_row_id and ("PRIMARY" in said or "UNIQUE" in said):
            return _unquoted(name)
    return ""


def _unquoted(name: str) -> str:
    return name[1:-1] if name[:1] in ('"', "`", "[", "'") else name


def _text(value: Value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
