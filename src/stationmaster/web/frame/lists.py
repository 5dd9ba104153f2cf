"""Pages that list things, with forms in their rows: each list is offered as CSV of exactly itself,
and with the API call that answers the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.model import Caller
from stationmaster.errors import NotFound
from stationmaster.web.figures.blocks import Column, Plot, Row, Table, Value
from stationmaster.web.figures.view import csv_file
from stationmaster.web.frame.pages import Address, page

CSV = "csv"


def listing(
    name: str,
    title: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[Value]],
    call: str,
) -> Table:
    """A table of text; the first value of a row is its name."""
    columns = [Column(head, "text") for head in heads[1:]]
    cells = [Row(str(first), rest) for first, *rest in rows]
    return Table(name, title, heads[0], columns, cells, call)


def list_page(
    template: str,
    caller: Caller,
    request: Request,
    address: Address | str,
    tables: Sequence[Table | Plot],
    /,
    **values: Any,
) -> Response:
    """The page, or one of its tables and charts as CSV (`csv=NAME`).

    `address` is the page's own, also where a form was sent to another one. The template has
    `tables` by name, and `view` for `under`. Raises NotFound for a table that is not there.
    """
    view = Address(address, {}) if isinstance(address, str) else address
    by_name = {table.name: table for table in tables}
    wanted = request.query_params.get(CSV) if request.method == "GET" else None
    if wanted:
        if wanted not in by_name:
            raise NotFound("There is no such table on this page.")
        return csv_file(by_name[wanted], wanted)
    return page(template, caller, request, view=view, tables=by_name, **values)


def moment(ms: int | None) -> str:
    """A time as tables in CSV have it, UTC; "" for none."""
    if ms is None:
        return ""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds")
