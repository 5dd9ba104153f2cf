"""A real nginx with the configuration of `deploy`, in front of a server. Tests are skipped where
it is not installed."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.certificates import Authority
from tests.support.patience import PATIENCE_S
from tests.support.processes import free_port

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
CONFIGURATION = Path(__file__).resolve().parents[2] / "deploy" / "nginx" / "stationmaster.conf"
HOST = "stationmaster.example.com"


@contextmanager
def running_nginx(folder: Path, upstream: str, authority: Authority) -> Iterator[int]:
    """The port on which nginx speaks TLS for HOST, and passes requests on to `host:port`."""
    if NGINX is None:
        pytest.skip("There is no nginx on this machine: `apt-get install nginx-light`.")
    authority.server(HOST)
    plain, secure = free_port(), free_port()
    (folder / "site.conf").write_text(_site(folder, upstream, plain, secure))
    (folder / "nginx.conf").write_text(_frame(folder))
    process = subprocess.Popen(
        [NGINX, "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _await_port(process, secure)
        yield secure
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        if process.stderr is not None:
            process.stderr.close()


def _site(folder: Path, upstream: str, plain: int, secure: int) -> str:
    """The delivered configuration with the names that its head says to change, and free ports."""
    changes = {
        "server 127.0.0.1:8700;": f"server {upstream};",
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl http2;": f"listen 127.0.0.1:{secure} ssl http2;",
        "/etc/ssl/stationmaster/fullchain.pem": f"{folder}/{HOST}.pem",
        "/etc/ssl/stationmaster/key.pem": f"{folder}/{HOST}.pem",
    }
    text = CONFIGURATION.read_text()
    for before, after in changes.items():
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


def _frame(folder: Path) -> str:
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    return f"""
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 256; }}
http {{
access_log off;
{temporary}
include {folder}/site.conf;
}}
"""


def _await_port(process: subprocess.Popen[str], port: int) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > give_up:
                process.terminate()
                told = process.stderr.read() if process.stderr is not None else ""
                raise AssertionError(f"nginx did not start: {told}") from None
            time.sleep(0.02)
        else:
            return
