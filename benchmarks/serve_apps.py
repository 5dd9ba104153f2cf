"""The two servers that are measured: `python -m benchmarks.serve_apps ours|bare DATA_DIR PORT`.

`bare` is what remains when everything but the read is left out: a Starlette route that reads the
same rows by the same key and joins the same bytes, without callers, roles, limits or entity tags.
"""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.serve_data import NOW
from stationmaster import clock
from stationmaster.api.app import create_app
from stationmaster.settings import Settings

_REPORT = (
    "SELECT body FROM report_documents"
    " WHERE org_id = ? AND report = ? AND day BETWEEN ? AND ? ORDER BY day"
)
_USERS = (
    "SELECT body FROM user_documents WHERE org_id = ? AND user_id > ? AND user_id <= ?"
    " AND day BETWEEN ? AND ? ORDER BY user_id, day"
)


def settings(data_dir: Path) -> Settings:
    """As installed, but for limits too high to be met; they are counted all the same."""
    return Settings(
        data_dir=data_dir,
        now=NOW,
        analytics_requests_per_minute=10**9,
        requests_per_minute=10**9,
    )


def bare(data_dir: Path) -> Starlette:
    """The same rows, and nothing else."""
    path = data_dir / "stationmaster.sqlite3"
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False)
    orgs = {name: org for org, name in db.execute("SELECT org_id, name FROM organizations")}

    async def report(request: Request) -> Response:
        asked = request.query_params
        org = orgs[asked["org"]]
        first, last = asked["startDate"], asked["endDate"]
        name = request.path_params["report"]
        if name == "users":
            span = (org, asked.get("cursor", ""), asked["through"], first, last)
            rows = db.execute(_USERS, span).fetchall()
            meta = f'"has_more":true,"next_cursor":"{asked["through"]}"'
            end = f',"start_date":"{first}","end_date":"{last}",{meta}}}}}'
        else:
            rows = db.execute(_REPORT, (org, name, first, last)).fetchall()
            end = f',"start_date":"{first}","end_date":"{last}"}}}}'
        body = b",".join([body for (body,) in rows])
        tail = f'],"meta":{{"org_id":"{org}"{end}'.encode()
        return Response(b'{"data":[' + body + tail, media_type="application/json")

    return Starlette(routes=[Route("/api/v1/analytics/{report}", report)])


def main() -> None:
    which, folder, port = sys.argv[1:]
    clock.freeze(NOW)
    data_dir = Path(folder)
    app = bare(data_dir) if which == "bare" else create_app(settings(data_dir))
    uvicorn.run(app, port=int(port), access_log=False, log_level="warning")


if __name__ == "__main__":
    main()
