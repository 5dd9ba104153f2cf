"""The server behind a real nginx with TLS, in the configuration that comes with it."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from typing import NamedTuple

import httpx
import pytest

from stationmaster.access import service
from tests.support.builders import a_password
from tests.support.cast import Cast
from tests.support.certificates import Authority
from tests.support.nginx import HOST, running_nginx
from tests.support.patience import PATIENCE_S
from tests.support.servers import Server, running_server, settings_for

PASSWORD = "correct horse battery"


class Site(NamedTuple):
    url: str
    server: Server
    cast: Cast
    trust: ssl.SSLContext
    port: int

    def client(self, key: str | None = None, **fields: str) -> httpx.Client:
        """A client that finds the public name at this machine, and trusts its certificate."""
        headers = {"Host": f"{HOST}:{self.port}", **fields}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        return httpx.Client(
            base_url=f"https://127.0.0.1:{self.port}",
            headers=headers,
            verify=self.trust,
            timeout=PATIENCE_S,
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("nginx")
    authority = Authority(folder)
    trust = ssl.create_default_context(cafile=str(authority.file))
    # The name of the certificate is asked for in the request's Host, not in the connection's.
    trust.check_hostname = False
    settings = settings_for(folder, "sqlite", trusted_proxies="127.0.0.1")
    with running_server(settings) as server:
        cast = Cast(server.services.db, "acme")
        a_password(cast.db, cast.org, cast.people["owner"], PASSWORD)
        with running_nginx(folder, server.url.removeprefix("http://"), authority) as port:
            yield Site(f"https://{HOST}:{port}", server, cast, trust, port)


def test_a_person_signs_in_with_a_cookie_that_only_tls_carries(site: Site) -> None:
    with site.client() as browser:
        form = {"email": site.cast.people["owner"].email, "password": PASSWORD}
        entered = browser.post("/sign-in", data=form, headers={"Origin": site.url})
        cookie = entered.headers["set-cookie"]
        page = browser.get("/settings/api-keys", headers={"Cookie": cookie.partition(";")[0]})

    assert entered.status_code == 303
    assert {"Secure", "HttpOnly"} <= {part.strip() for part in cookie.split(";")}
    assert (page.status_code, "API keys" in page.text) == (200, True)
    assert page.headers["strict-transport-security"]


def test_a_form_of_another_site_is_refused(site: Site) -> None:
    form = {"email": "ada@example.com", "password": PASSWORD}
    with site.client(Origin="https://evil.example") as browser:
        assert browser.post("/sign-in", data=form).status_code == 403


def test_an_invitation_names_the_public_address(site: Site) -> None:
    invited = {"email": "zoe@example.com", "role": "member"}
    with site.client(site.cast.keys["owner"]) as client:
        made = client.post("/api/platform/v1/members", json=invited).json()
        path = httpx.URL(made["invitationUrl"]).path
        joined = client.post(path, data={"password": PASSWORD})

    assert made["invitationUrl"].startswith(f"{site.url}/join/sml_")
    assert joined.status_code == 303


def test_telemetry_arrives(site: Site) -> None:
    with site.client(site.cast.keys["ingest"]) as client:
        sent = client.post("/v1/logs", json={"resourceLogs": []})
        gone = client.post("/v1/traces", content=b"", headers={"Content-Type": "text/plain"})
    assert (sent.status_code, gone.status_code) == (200, 415)


def test_failed_sign_ins_count_for_the_address_that_the_proxy_saw(site: Site) -> None:
    """What a client says of itself in X-Forwarded-For gives it no other one."""
    body = {"email": "nobody@example.com", "password": "wrong"}
    claimed = "198.51.100.1"
    with site.client(**{"X-Forwarded-For": claimed, "Forwarded": f"for={claimed}"}) as client:
        status = client.post("/api/platform/v1/auth/token", json=body).status_code

    by_address = site.server.services.sign_in.buckets[1]
    _, [left_of_claimed] = by_address.take(claimed)
    _, [left_of_seen] = by_address.take("127.0.0.1")
    assert status == 401
    assert left_of_seen < left_of_claimed


def test_metrics_and_large_bodies_of_strangers_end_at_the_proxy(site: Site) -> None:
    with site.client() as client:
        assert client.get("/metrics").status_code == 404
        large = client.post("/api/platform/v1/auth/token", content=b"x" * 70_000)
    assert large.status_code == 413


def test_a_key_of_a_removed_person_is_refused_through_the_proxy_too(site: Site) -> None:
    cast = Cast(site.server.services.db, "another")
    service.remove_member(cast.db, cast.org, cast.people["member"].user_id)
    with site.client(cast.keys["member"]) as client:
        assert client.get("/api/platform/v1/me").status_code == 401
