"""The pages' own files, under addresses that change with their bytes."""

from __future__ import annotations

from starlette.responses import Response

from stationmaster.errors import NotFound
from stationmaster.web.frame.pages import is_static, router, static

routes = router()


@routes.get("/static/{digest}/{name}")
def file(digest: str, name: str) -> Response:
    if not is_static(name, digest):
        raise NotFound("There is no such file.")
    return static(name)
