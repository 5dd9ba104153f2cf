"""The server behind a real Caddy, in the configuration that comes with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.support.cast import Cast
from tests.support.patience import PATIENCE_S
from tests.support.processes import free_port
from tests.support.servers import Server, running_server, settings_for

CADDY = shutil.which("caddy")
CONFIGURATION = Path(__file__).resolve().parents[2] / "deploy" / "caddy" / "Caddyfile"


class Site(NamedTuple):
    url: str
    server: Server
    cast: Cast


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Plain HTTP on loopback: Caddy would ask for a certificate of a public name."""
    if CADDY is None:
        pytest.skip("There is no Caddy on this machine: `apt-get install caddy`.")
    folder = tmp_path_factory.mktemp("caddy")
    url = f"http://127.0.0.1:{free_port()}"
    with running_server(settings_for(folder, "sqlite", trusted_proxies="127.0.0.1")) as server:
        environment = {
            **os.environ,
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
            "CADDY_ADMIN": f"127.0.0.1:{free_port()}",
            "STATIONMASTER_DOMAIN": url,
            "STATIONMASTER_UPSTREAM": server.url.removeprefix("http://"),
        }
        command = [CADDY, "run", "--config", str(CONFIGURATION), "--adapter", "caddyfile"]
        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        try:
            _await(url, process)
            yield Site(url, server, Cast(server.services.db, "acme"))
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "Caddy ended: is its configuration valid?"
        try:
            httpx.get(f"{url}/healthz", timeout=2)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("Caddy did not start")


def test_requests_pass_and_links_name_the_public_address(site: Site) -> None:
    headers = {"Authorization": f"Bearer {site.cast.keys['owner']}"}
    invited = {"email": "zoe@example.com", "role": "member"}
    with httpx.Client(base_url=site.url, headers=headers, timeout=PATIENCE_S) as client:
        made = client.post("/api/platform/v1/members", json=invited).json()
        sent = client.post("/v1/logs", json={"resourceLogs": []})

    assert made["invitationUrl"].startswith(f"{site.url}/join/sml_")
    assert sent.status_code == 200


def test_what_a_client_says_of_its_address_is_ignored(site: Site) -> None:
    body = {"email": "nobody@example.com", "password": "wrong"}
    claimed = "198.51.100.1"
    fields = {"X-Forwarded-For": claimed, "X-Forwarded-Host": "evil.example"}
    answer = httpx.post(
        f"{site.url}/api/platform/v1/auth/token", json=body, headers=fields, timeout=PATIENCE_S
    )

    by_address = site.server.services.sign_in.buckets[1]
    _, [left_of_claimed] = by_address.take(claimed)
    _, [left_of_seen] = by_address.take("127.0.0.1")
    assert answer.status_code == 401
    assert left_of_seen < left_of_claimed


def test_metrics_and_large_bodies_of_strangers_end_at_the_proxy(site: Site) -> None:
    sign_in, form = f"{site.url}/api/platform/v1/auth/token", {"Content-Type": "application/json"}
    large = httpx.post(sign_in, content=b"x" * 70_000, headers=form, timeout=PATIENCE_S)

    assert httpx.get(f"{site.url}/metrics", timeout=PATIENCE_S).status_code == 404
    assert large.status_code in (413, 502)  # Caddy before 2.7 answers 502, the server itself 413.
