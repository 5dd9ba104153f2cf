"""The two servers that are measured: `python -m benchmarks.serve_apps ours|bare DATA_DIR PORT`.

`bare` is what remains when everything but the read is left out: a Starlette route that reads the
same rows by the same key and joins the same bytes, without callers, roles, limits or entity tags.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import uvicorn
from sqlalchemy import make_url
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.serve_data import NOW
from stationmaster import clock, settings as settings_room
from stationmaster.api.app import create_app
from stationmaster.settings import Settings

_GIVEN = (
    *("data_dir", "database_url"),
    *("analytics_requests_per_minute", "requests_per_minute"),
)
_REPORT = (
    "SELECT body FROM report_documents"
    " WHERE org_id = ? AND report = ? AND day BETWEEN ? AND ? ORDER BY day"
)
_USERS = (
    "SELECT body FROM user_documents WHERE org_id = ? AND user_id > ? AND user_id <= ?"
    " AND day BETWEEN ? AND ? ORDER BY user_id, day"
)


def settings(data_dir: Path, database_url: str | None = None) -> Settings:
    """As installed, but for limits too high to be met; they are counted all the same."""
    return Settings(
        data_dir=data_dir,
        database_url=database_url,
        now=NOW,
        analytics_requests_per_minute=10**9,
        requests_per_minute=10**9,
    )


def environment(made: Settings) -> dict[str, str]:
    """The same, for a server that is started as a command."""
    given = {name: getattr(made, name) for name in _GIVEN} | {"now": NOW.isoformat()}
    return {f"STATIONMASTER_{name.upper()}": str(value) for name, value in given.items() if value}


def bare(settings: Settings) -> Starlette:
    """The same rows, and nothing else."""
    rows = _reader(settings)
    orgs = {name: org for org, name in rows("SELECT org_id, name FROM organizations")}

    async def report(request: Request) -> Response:
        asked = request.query_params
        org = orgs[asked["org"]]
        first, last = asked["startDate"], asked["endDate"]
        name = request.path_params["report"]
        if name == "users":
            span = (org, asked.get("cursor", ""), asked["through"], first, last)
            found = rows(_USERS, *span)
            meta = f'"has_more":true,"next_cursor":"{asked["through"]}"'
            end = f',"start_date":"{first}","end_date":"{last}",{meta}}}}}'
        else:
            found = rows(_REPORT, org, name, first, last)
            end = f',"start_date":"{first}","end_date":"{last}"}}}}'
        body = b",".join([body for (body,) in found])
        tail = f'],"meta":{{"org_id":"{org}"{end}'.encode()
        return Response(b'{"data":[' + body + tail, media_type="application/json")

    return Starlette(routes=[Route("/api/v1/analytics/{report}", report)])


def bare_from_environment() -> Starlette:
    """The bare application of one of several processes."""
    return bare(settings_room.load())


def _reader(settings: Settings) -> Callable[..., list[tuple[Any, ...]]]:
    """The driver alone: all rows of a SELECT with `?` for values."""
    if settings.database_url is None:
        path = settings.data_dir / "stationmaster.sqlite3"
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False)
        return lambda sql, *values: db.execute(sql, values).fetchall()
    url = make_url(settings.database_url)
    host = str(url.query["host"])
    served = psycopg.connect(
        host=host, dbname=url.database, user=url.username, autocommit=True, prepare_threshold=0
    )
    return lambda sql, *values: served.execute(sql.replace("?", "%s"), values).fetchall()


def main() -> None:
    which, folder, port = sys.argv[1:]
    clock.freeze(NOW)
    made = settings(Path(folder))
    app = bare(made) if which == "bare" else create_app(made)
    uvicorn.run(app, port=int(port), access_log=False, log_level="warning")


if __name__ == "__main__":
    main()
