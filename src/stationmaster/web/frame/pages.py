"""What every page shares: its HTML, its safety fields, how it fails, and who looks.

A page takes a visit of the role that may open it. Pages list things, with forms in their rows: each
list is offered as CSV of exactly itself, and with the API call that answers the same.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple, TypeVar
from urllib.parse import quote, urlencode

from anyio import to_thread
from fastapi import APIRouter, Depends
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from stationmaster.access.model import Caller, Role, require
from stationmaster.analytics.model import DayRange
from stationmaster.errors import NotFound, StationmasterError, Unauthorized
from stationmaster.web.figures import blocks
from stationmaster.web.frame import menu, templates
from stationmaster.web.frame.requests import check_origin, services_of, signed_in, visited_address

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Listed = TypeVar("Listed", blocks.Table, blocks.Plot, blocks.Table | blocks.Plot)

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
}
"""Nothing but our own files runs, no other site frames a page, and no cache keeps one.

The referrer stays within the application: an address may have a one-time link.
"""
_MEDIA = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


_FORM_MAX = "form_max"
"""The attribute of a form's target that takes larger forms than others."""
Target = TypeVar("Target", bound=Callable[..., Any])


def takes_files(size_max: int) -> Callable[[Target], Target]:
    """Let a form's target take so many bytes from a caller who is signed in."""

    def marked(target: Target) -> Target:
        setattr(target, _FORM_MAX, size_max)
        return target

    return marked


class PageRoute(APIRoute):
    """A page or a form's target: who is not signed in is led to signing in, errors are pages."""

    def get_route_handler(self) -> Handler:
        """The page behind checks of its origin and of what it may read.

        Errors below 500 become pages, or lead to signing in; others are raised.
        """
        handle = super().get_route_handler()
        most: int | None = getattr(self.endpoint, _FORM_MAX, None)

        async def shown(request: Request) -> Response:
            try:
                if request.method == "POST":
                    check_origin(request)
                if any("\0" in str(value) for value in request.path_params.values()):
                    # PostgreSQL takes no such text.
                    raise NotFound("There is no such page.")
                if most is not None:
                    caller = await to_thread.run_sync(signed_in, request)
                    services_of(request).allow_body(request, caller.org_id, most)
                return await handle(request)
            except Unauthorized:
                path = request.url.path if request.method == "GET" else "/"
                return see_other(f"/sign-in?next={quote(path)}")
            except StationmasterError as fault:
                if fault.status >= 500:
                    raise
                return page("error.html", None, request, status=fault.status, fault=fault)

        return shown


def router() -> APIRouter:
    """A router for pages, which the description of the API leaves out."""
    return APIRouter(route_class=PageRoute, include_in_schema=False)


def page(
    name: str, caller: Caller | None, request: Request, /, *, status: int = 200, **values: Any
) -> HTMLResponse:
    """A page for a caller, or for a visitor who is not signed in (None)."""
    html = (
        templates.environment()
        .get_template(name)
        .render(
            caller=caller,
            menu=menu.shown_to(caller),
            here=request.url.path,
            notice=services_of(request).settings.notice,
            **values,
        )
    )
    return HTMLResponse(html, status_code=status, headers=HEADERS)


class Address(NamedTuple):
    """A page's path and its query; values equal to their defaults are left out."""

    path: str
    values: Mapping[str, str]
    defaults: Mapping[str, str] = {}

    def link(self, **changes: object) -> str:
        """The address with some values changed; None leaves one out."""
        values = {**self.values, **changes}
        query = urlencode(
            {
                name: value
                for name, value in values.items()
                if value not in (None, "") and value != self.defaults.get(name)
            }
        )
        return f"{self.path}?{query}" if query else self.path


def see_other(path: str) -> RedirectResponse:
    """After a form: the next page, by GET."""
    return RedirectResponse(path, status_code=303, headers={"Cache-Control": "no-store"})


routes = router()


@routes.get("/static/{digest}/{name}")
def file(digest: str, name: str) -> Response:
    """One of our own files, for ever: its address changes with its bytes."""
    if name not in templates.names() or digest != templates.digest(name):
        raise NotFound("There is no such file.")
    return Response(
        templates.content(name),
        media_type=_MEDIA[name.rpartition(".")[2]],
        headers={"Cache-Control": "public, max-age=31536000, immutable"},
    )


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

    def require_manager(self) -> None:
        """Raise Forbidden for a caller who is neither owner nor manager."""
        self.require(*menu.MANAGERS)

    def caller_now(self) -> Caller:
        """The caller as the database has them now. Raises Unauthorized."""
        return signed_in(self.request)

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
        return page(template, self.caller, self.request, **shown)

    def confirm(self, about: str, name: str, back: str, more: str = "") -> Response:
        """The page that asks for confirmation before a form is sent to its own address: what is
        done to `name` of the kind `about`, whose words `confirm.html` has, and `more` of what
        follows."""
        return self.page("confirm.html", about=about, name=name, back=back, more=more)

    def lists(
        self,
        template: str,
        address: Address | str,
        tables: Sequence[blocks.Table | blocks.Plot],
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
            return csv_file(table_of(by_name, table_name), table_name)
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


def table_of(tables: Mapping[str, Listed], name: str) -> Listed:
    """One of a page's tables. Raises NotFound."""
    if name not in tables:
        raise NotFound("There is no such table on this page.")
    return tables[name]


def csv_file(block: blocks.Plot | blocks.Table, name: str) -> Response:
    """A chart or table as the answer to a request, to be kept as `name`.csv."""
    return Response(
        blocks.to_csv(block),
        media_type="text/csv; charset=utf-8; header=present",
        headers=HEADERS | {"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def listing(
    name: str, title: str, columns: str, rows: Iterable[object], call: str, **more: Any
) -> blocks.Table:
    """A table of text and figures, and `more` of its members; the first value of a row is its name.

    `columns` are `member: Head, member|member: Head (kind)`: what a row has at a path of attributes
    and places, of several the first that is not empty. A kind is a count or a share; times, the day
    of which is shown, or with (UTC) in the head all of it; or words of an identifier.
    """
    chosen = [_column(text) for text in columns.split(", ")]
    cells = [[write(_at(row, member)) for member, _, write in chosen] for row in rows]
    first, *others = (column for _, column, _ in chosen)
    label_of = blocks.agent_name if first.name == "Agent" else str
    shown = [blocks.Row(f"{cell}", rest, label=label_of(f"{cell}")) for cell, *rest in cells]
    return blocks.Table(name, title, first.name, others, shown, call, **more)


def _column(text: str) -> tuple[str, blocks.Column, Callable[[Any], blocks.Value]]:
    """The member that it shows, the column, and what it shows for a value."""
    member, head = text.split(": ")
    title, _, kind = head.removesuffix(")").rpartition(" (")
    match kind:
        case "UTC":
            return member, blocks.Column(head, "text"), moment
        case "day":
            return member, blocks.Column(title, "text"), lambda ms: moment(ms)[:10]
        case "words":
            return member, blocks.Column(title, "text"), lambda name: name.replace("_", " ")
        case "count" | "share":
            return member, blocks.Column(title, kind), _plain
    return member, blocks.Column(head, "text"), _plain


def _at(row: object, path: str) -> Any:
    value: Any = None
    for option in path.split("|"):
        value = row
        for step in option.split("."):
            value = value[int(step)] if step.isdecimal() else getattr(value, step, None)
        if value:
            break
    return value


def _plain(value: Any) -> blocks.Value:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list | tuple) else value


def moment(ms: int | None) -> str:
    """A time as tables in CSV have it, UTC; "" for none."""
    if ms is None:
        return ""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds")
