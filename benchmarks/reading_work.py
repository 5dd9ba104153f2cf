"""What `benchmarks.reading` has done in processes of their own, so that start-up is in the figures.

python -m benchmarks.reading_work scan FOLDER…    the CI workflows of repositories
python -m benchmarks.reading_work readiness FOLDER    evaluated; prints the objects that were read
python -m benchmarks.reading_work server PORT OID    every repository's HEAD is this commit
"""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def scan(*folders: str) -> None:
    from stationmaster.pipelines import scan as pipelines
    from stationmaster.repos.files import Files
    from stationmaster.repos.reading import open_path

    count = 0
    for folder in folders:
        with open_path(Path(folder)) as snapshot:
            found = pipelines.scan(Files(snapshot)).workflows
            count += sum(len(each.facts.findings) for each in found)
    print(count)


def readiness(folder: str) -> None:
    from stationmaster.readiness.judging import report
    from stationmaster.readiness.judging.evaluate import evaluate
    from stationmaster.repos.reading import open_path

    read: list[str] = []
    with open_path(Path(folder)) as snapshot:
        real = snapshot._object

        def noted(oid: str, kind: bytes, size_max: int) -> bytes:
            read.append(oid)
            return real(oid, kind, size_max)

        snapshot._object = noted  # type: ignore[method-assign] # counts what is read
        evaluate(report.read(snapshot, as_of=snapshot.committed_at))
    print("\n".join(read))


def server(port: str, oid: str) -> None:
    first = f"{oid} HEAD\0 symref=HEAD:refs/heads/main\n".encode()
    banner = b"# service=git-upload-pack\n"
    lines = [f"{len(line) + 4:04x}".encode() + line for line in (banner, first)]
    body = lines[0] + b"0000" + lines[1] + b"0000"

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        seen = 0

        def do_GET(self) -> None:
            if self.path == "/seen":
                self._answer("text/plain", str(Handler.seen).encode())
                return
            Handler.seen += 1
            self._answer("application/x-git-upload-pack-advertisement", body)

        def _answer(self, kind: str, content: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()


if __name__ == "__main__":
    {"scan": scan, "readiness": readiness, "server": server}[sys.argv[1]](*sys.argv[2:])
