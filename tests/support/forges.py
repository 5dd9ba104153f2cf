"""Hosting services on loopback that keep branches, files and requests, as GitHub and GitLab do."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Answer = tuple[int, Any]


class Service:
    """One repository, `acme/shop`, whose default branch is `main`."""

    def __init__(self, kind: str, token: str) -> None:
        self.kind = kind
        self.token = token
        self.branches: dict[str, dict[str, str]] = {"main": {}}
        self.requests: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str]] = []
        self.broken: set[str] = set()
        """Methods and ends of paths that fail, such as `POST pulls`."""
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.http.service = self  # type: ignore[attr-defined]  # Handlers know the server alone.

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.http.server_address[1]}"

    @property
    def url(self) -> str:
        return f"https://{self.place}/acme/shop"

    def answer(self, method: str, target: str, sent: Any, headers: Any) -> Answer:
        parts = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.asked.append((method, parts.path))
        if any(parts.path.endswith(end) for end in _ends(self.broken, method)):
            return 500, {"message": "broken"}
        if self.kind == "github":
            if headers.get("Authorization") != f"Bearer {self.token}":
                return 401, {"message": "Bad credentials"}
            return self._github(method, parts.path, query, sent)
        if headers.get("PRIVATE-TOKEN") != self.token:
            return 401, {"message": "401 Unauthorized"}
        return self._gitlab(method, parts.path, query, sent)

    def _github(self, method: str, path: str, query: dict[str, str], sent: Any) -> Answer:
        rest = path.removeprefix("/api/v3/repos/acme/shop")
        if rest == path:
            return 404, {"message": "Not Found"}
        if rest == "":
            return 200, {"default_branch": "main"}
        if rest == "/branches/main":
            return 200, {"commit": {"sha": "a" * 40}}
        if rest == "/actions/runs":
            return 200, {"workflow_runs": [RUN]}
        if (method, rest) == ("POST", "/git/refs"):
            branch = sent["ref"].removeprefix("refs/heads/")
            if branch in self.branches or sent["sha"] != "a" * 40:
                return 422, {"message": "Reference already exists"}
            self.branches[branch] = dict(self.branches["main"])
            return 201, {}
        if rest.startswith("/contents/"):
            return self._contents(method, unquote(rest.removeprefix("/contents/")), query, sent)
        return self._requests(method, sent, query.get("head", "").partition(":")[2], "html_url")

    def _contents(self, method: str, path: str, query: dict[str, str], sent: Any) -> Answer:
        files = self.branches[query["ref"] if method == "GET" else sent["branch"]]
        sha = hashlib.sha1(files.get(path, "").encode()).hexdigest()
        if method == "GET":
            if path not in files:
                return 404, {"message": "Not Found"}
            content = base64.encodebytes(files[path].encode()).decode()
            return 200, {"sha": sha, "content": content}
        if path in files and sent.get("sha") != sha:
            return 409, {"message": "sha does not match"}
        if method == "DELETE":
            del files[path]
        else:
            files[path] = base64.b64decode(sent["content"]).decode()
        return 200, {}

    def _requests(self, method: str, sent: Any, branch: str, address: str) -> Answer:
        if method == "GET":
            return 200, [each for each in self.requests if each["branch"] == branch]
        branch = sent.get("head") or sent.get("source_branch")
        if any(each["branch"] == branch for each in self.requests):
            return (422 if self.kind == "github" else 409), {"message": "exists"}
        number = len(self.requests) + 1
        made = {"branch": branch, "title": sent["title"], address: f"{self.url}/pull/{number}"}
        self.requests.append(made)
        return 201, made

    def _gitlab(self, method: str, path: str, query: dict[str, str], sent: Any) -> Answer:
        rest = path.removeprefix("/api/v4/projects/acme%2Fshop")
        if rest == path:
            return 404, {"message": "404 Not Found"}
        if rest == "":
            return 200, {"default_branch": "main"}
        if rest == "/pipelines":
            return 200, [PIPELINE]
        if found := re.fullmatch(r"/repository/branches/(.+)", rest):
            return (200, {}) if unquote(found[1]) in self.branches else (404, {})
        if found := re.fullmatch(r"/repository/files/(.+)", rest):
            files = self.branches[query["ref"]]
            path = unquote(found[1])
            if path not in files:
                return 404, {}
            return 200, {"content": base64.b64encode(files[path].encode()).decode()}
        if rest == "/repository/commits":
            files = dict(self.branches[sent["start_branch"]])
            for action in sent["actions"]:
                files[action["file_path"]] = action.get("content", "")
                if action["action"] == "delete":
                    del files[action["file_path"]]
            self.branches[sent["branch"]] = files
            return 201, {}
        return self._requests(method, sent, query.get("source_branch", ""), "web_url")


RUN = {
    "id": 7, "name": "CI", "path": ".github/workflows/ci.yml", "status": "completed",
    "conclusion": "success", "html_url": "https://github.example/acme/shop/actions/runs/7",
    "event": "push", "head_branch": "main", "head_sha": "a" * 40, "display_title": "Mend it",
    "created_at": "2026-11-20T10:00:00Z", "run_started_at": "2026-11-20T10:00:01Z",
    "updated_at": "2026-11-20T10:05:00Z",
}  # fmt: skip
PIPELINE = {
    "id": 8, "status": "failed", "web_url": "https://gitlab.example/acme/shop/-/pipelines/8",
    "source": "push", "ref": "main", "sha": "b" * 40, "created_at": "2026-11-20T10:00:00Z",
}  # fmt: skip


def _ends(broken: set[str], method: str) -> Iterator[str]:
    for each in broken:
        verb, _, end = each.partition(" ")
        if verb == method:
            yield end


class _Handler(BaseHTTPRequestHandler):
    def _answer(self) -> None:
        service: Service = self.server.service  # type: ignore[attr-defined]  # Set above.
        size = int(self.headers.get("Content-Length", 0))
        sent = json.loads(self.rfile.read(size)) if size else None
        status, value = service.answer(self.command, self.path, sent, self.headers)
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = _answer

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def hosting(kind: str, token: str = "t0ken") -> Iterator[Service]:
    """A running service, `github` or `gitlab`."""
    service = Service(kind, token)
    thread = threading.Thread(target=service.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        service.http.shutdown()
        thread.join()
        service.http.server_close()
