"""The program for laptops: a page that says how to install it, and the wheel that is installed.

Both are public, because who installs it has no account yet; neither says anything of an
organization.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.errors import NotFound
from stationmaster.web.frame.pages import page, router
from stationmaster.web.frame.requests import visited_address
from stationmaster.web.frame.wheel import Builder

_CACHED = "public, max-age=300"

routes = router()
_builder = Builder()


@routes.get("/install")
def show_install(request: Request) -> Response:
    server = visited_address(request)
    return page("install.html", None, request, server=server, wheel=_builder.wheel())


@routes.api_route("/install/{name}", methods=["GET", "HEAD"])
def download(request: Request, name: str) -> Response:
    """The wheel under its own file name, by which installers know what it is."""
    wheel = _builder.wheel()
    if name != wheel.name:
        raise NotFound(f"There is no such file; the wheel of this version is {wheel.name}.")
    headers = {"ETag": wheel.etag, "Cache-Control": _CACHED}
    if request.headers.get("if-none-match") == wheel.etag:
        return Response(status_code=304, headers=headers)
    return Response(wheel.content, media_type="application/octet-stream", headers=headers)


def wheel_address(request: Request) -> str:
    """Where laptops download the program."""
    return f"{visited_address(request)}/install/{_builder.wheel().name}"
