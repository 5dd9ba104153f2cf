"""A visit: who looks, at what, and how the pages that answer are made.

A page takes a visit of the role that may open it. Pages list things, with forms in their rows: each
list is offered as CSV of exactly itself, and with the API call that answers the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller, Role
from stationmaster.analytics.model import DayRange
from stationmaster.errors import NotFound, StationmasterError
from stationmaster.web.figures import blocks
from stationmaster.web.figures.blocks import Column, Plot, Row, Table, Value
from stationmaster.web.frame import menu, pages
from stationmaster.web.frame.pages import Address
from stationmaster.web.frame.requests import services_of, signed_in, visited_address

CSV = "csv"


class Visit:
    """A request of a person who is signed in, and what the application has opened to answer it."""

    def __init__(self, request: Request, caller: Caller) -> None:
        self.request = request
        self.caller = caller
        self.services = services_of(request)
        self.db = self.services.db
        self.settings = self.services.settings
        self.org = caller.org_id

    @property
    def is_manager(self) -> bool:
        """Whether the caller is an owner or a manager."""
        return self.caller.role in menu.MANAGERS

    @property
    def address(self) -> str:
        """The address under which programs find this installation."""
        return visited_address(self.request)

    def require(self, *roles: Role) -> None:
        """Raise Forbidden for a caller of none of some roles."""
        require(self.caller, *roles)

    def call(self, path: str, query: Sequence[tuple[str, str]] = ()) -> str:
        """The address under which the API answers what a page shows."""
        return f"{self.address}{path}" + (f"?{urlencode(query)}" if query else "")

    def bring_up_to_date(self, days: DayRange) -> None:
        """Have the documents of closed days current before they are read."""
        freshness = self.services.freshness
        if not freshness.is_current(self.org, days):
            freshness.ensure(self.org, days)

    def page(
        self, template: str, /, *, error: StationmasterError | None = None, **values: Any
    ) -> Response:
        """The page, with the status of what is wrong with a form, and its text as `fault`."""
        shown = {"fault": None if error is None else error.detail, **values}
        if error is not None:
            shown = {"status": error.status, **shown}
        return pages.page(template, self.caller, self.request, **shown)

    def confirm(self, about: str, name: str, back: str, more: str = "") -> Response:
        """The page that asks before a form is sent to its own address: what is done to `name` of
        the kind `about`, whose words `confirm.html` has, and `more` of what follows."""
        return self.page("confirm.html", about=about, name=name, back=back, more=more)

    def lists(
        self,
        template: str,
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
        table_name = self.request.query_params.get(CSV) if self.request.method == "GET" else None
        if table_name:
            if table_name not in by_name:
                raise NotFound("There is no such table on this page.")
            return csv_file(by_name[table_name], table_name)
        return self.page(template, view=view, tables=by_name, **values)


def _visit_of(*roles: Role) -> Callable[[Request], Visit]:
    """What makes the visit of a caller of some roles, and raises Forbidden for others."""

    def visit(request: Request) -> Visit:
        made = Visit(request, signed_in(request))
        made.require(*roles)
        return made

    return visit


AnyVisit = Annotated[Visit, Depends(_visit_of(*menu.EVERYONE))]
MemberVisit = Annotated[Visit, Depends(_visit_of(*menu.MEMBERS))]
ManagerVisit = Annotated[Visit, Depends(_visit_of(*menu.MANAGERS))]
OwnerVisit = Annotated[Visit, Depends(_visit_of("owner"))]


def csv_file(block: Plot | Table, name: str) -> Response:
    """A chart or table as the answer to a request, to be kept as `name`.csv."""
    return Response(
        blocks.to_csv(block),
        media_type="text/csv; charset=utf-8; header=present",
        headers=pages.HEADERS | {"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def listing(
    name: str, title: str, heads: Sequence[str], rows: Iterable[Sequence[Value]], call: str
) -> Table:
    """A table of text; the first value of a row is its name."""
    columns = [Column(head, "text") for head in heads[1:]]
    cells = [Row(str(first), rest) for first, *rest in rows]
    return Table(name, title, heads[0], columns, cells, call)


def moment(ms: int | None) -> str:
    """A time as tables in CSV have it, UTC; "" for none."""
    if ms is None:
        return ""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds")
