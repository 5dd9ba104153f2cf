"""A hostile identity provider: it may refuse to sign people in, and do nothing else."""

from __future__ import annotations

import gzip
import json
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from stationmaster import clock
from stationmaster.access.signing_in import oidc, oidc_flow, provider
from stationmaster.access.signing_in.issuers import Issuer
from stationmaster.access.signing_in.provider import Provider
from stationmaster.access.vault import Vault
from stationmaster.errors import BadRequest, StationmasterError, Unauthorized, Unavailable
from stationmaster.settings import Settings
from tests.support.builders import a_member, an_organization
from tests.support.databases import KINDS
from tests.support.patience import PATIENCE_S
from tests.support.servers import running_server, settings_for

pytestmark = pytest.mark.attack
CLIENT = "stationmaster-app"
BACK = "https://app.example.com/callback"
KEY = RSAKey.generate_key(2048, {"kid": "k"})
Behaviour = Callable[[BaseHTTPRequestHandler], None]


class Hostile:
    """A provider on loopback. `paths` says how it behaves where it does not answer as usual;
    `claims` change what its ID tokens say.
    """

    def __init__(self) -> None:
        self.paths: dict[str, Behaviour] = {}
        self.claims: dict[str, Any] = {}
        self.closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                outer.paths.get(path, outer.usual)(self)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                self.do_GET()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None  # type: ignore[method-assign]  # It hangs up.
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def usual(self, handler: BaseHTTPRequestHandler) -> None:
        now = clock.now_ms() // 1000
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "exp": now + 60,
            "iat": now,
            "sub": "ada",
            "email": "ada@example.com",
            "email_verified": True,
        }
        token = jwt.encode({"alg": "RS256", "kid": "k"}, claims | self.claims, KEY)
        documents: dict[str, Any] = {
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "jwks_uri": f"{self.url}/jwks",
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
            },
            "/jwks": {"keys": [KEY.as_dict(private=False)]},
            "/token": {"id_token": token},
        }
        send(handler, json.dumps(documents[handler.path.partition("?")[0]]).encode())

    def issuer(self, org: str = "o", name: str = "corp") -> Issuer:
        return Issuer(name=name, issuer=self.url, audience=CLIENT, org=org, client_id=CLIENT)  # type: ignore[arg-type]  # a plain text as id


def send(handler: BaseHTTPRequestHandler, body: bytes, **headers: str) -> None:
    handler.send_response(200)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def hostile() -> Iterator[Hostile]:
    running = Hostile()
    thread = threading.Thread(target=running.http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield running
    finally:
        running.closing.set()
        running.http.shutdown()
        thread.join()
        running.http.server_close()


@pytest.fixture
def corp() -> Iterator[Hostile]:
    with hostile() as running:
        yield running


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault.open(Settings(data_dir=tmp_path))


def begun(vault: Vault, of: Provider) -> tuple[str, dict[str, str]]:
    """What the browser keeps, and what the provider is asked."""
    started = oidc_flow.begin(vault, of, BACK, "/")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(started.address).query).items()}
    return started.kept, asked


def test_the_usual_way_signs_in(vault: Vault, corp: Hostile) -> None:
    of = Provider(corp.issuer())
    kept, asked = begun(vault, of)
    corp.claims = {"nonce": asked["nonce"]}

    proved = oidc_flow.finish(vault, of, BACK, kept, asked["state"], "code")

    assert proved.email == "ada@example.com"


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"nonce": ""},
        {"nonce": "other"},
        {"nonce": None},
        {"nonce": ["{nonce}"]},
        {"nonce": {"a": "{nonce}"}},
        {"nonce": "{nonce}", "iss": "https://other.example.com"},
        {"nonce": "{nonce}", "aud": "other-app"},
        {"nonce": "{nonce}", "aud": []},
        {"nonce": "{nonce}", "exp": 1},
        {"nonce": "{nonce}", "exp": "never"},
        {"nonce": "{nonce}", "email": "ada@example.com\n", "email_verified": False},
        {"nonce": "{nonce}", "email": {"a": 1}},
        {"nonce": "{nonce}", "email": None},
        {"nonce": "{nonce}", "email_verified": "false"},
    ],
    ids=str,
)
def test_a_token_that_proves_something_else_signs_nobody_in(
    vault: Vault, corp: Hostile, claims: dict[str, Any]
) -> None:
    of = Provider(corp.issuer())
    kept, asked = begun(vault, of)
    corp.claims = json.loads(json.dumps(claims).replace("{nonce}", asked["nonce"]))

    with pytest.raises(Unauthorized):
        oidc_flow.finish(vault, of, BACK, kept, asked["state"], "code")


@pytest.mark.parametrize("state", ["", "other", "\udc80", "a" * 100_000])
def test_another_state_finishes_nothing(vault: Vault, corp: Hostile, state: str) -> None:
    of = Provider(corp.issuer())
    kept, asked = begun(vault, of)
    corp.claims = {"nonce": asked["nonce"]}

    with pytest.raises(BadRequest, match="has not begun in this browser"):
        oidc_flow.finish(vault, of, BACK, kept, state, "code")


def test_what_one_provider_began_no_other_one_finishes(vault: Vault, corp: Hostile) -> None:
    with hostile() as evil:
        honest, other = Provider(corp.issuer()), Provider(evil.issuer(name="evil"))
        kept, asked = begun(vault, honest)
        evil.claims = {"nonce": asked["nonce"], "iss": corp.url}

        with pytest.raises(BadRequest):
            oidc_flow.finish(vault, other, BACK, kept, asked["state"], "code")


def trickle(handler: BaseHTTPRequestHandler) -> None:
    """A header field without end, one byte at a time."""
    closing: threading.Event = handler.server.closing  # type: ignore[attr-defined]  # set below, by the issuer
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not closing.wait(0.02):
        handler.wfile.write(b"a")
        handler.wfile.flush()


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b" " * 65_536)


def bomb(handler: BaseHTTPRequestHandler) -> None:
    send(handler, gzip.compress(bytes(200 * 2**20)), Content_Encoding="gzip")


def nothing(handler: BaseHTTPRequestHandler) -> None:
    handler.server.closing.wait()  # type: ignore[attr-defined]  # set below, by the issuer


def elsewhere(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(302)
    handler.send_header("Location", "http://127.0.0.1:1/")
    handler.end_headers()


def large_key(handler: BaseHTTPRequestHandler) -> None:
    """A modulus that takes minutes to verify with."""
    key = {"kty": "RSA", "kid": "k", "e": "AQAB", "n": "_" * 400_000}
    send(handler, json.dumps({"keys": [key]}).encode())


BEHAVIOURS = (trickle, endless, bomb, nothing, elsewhere)


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/jwks", "/token"])
@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda each: each.__name__)
def test_an_answer_without_end_ends_soon_and_takes_no_memory(
    vault: Vault,
    corp: Hostile,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    behaviour: Behaviour,
) -> None:
    monkeypatch.setattr(provider, "TIMEOUT_S", 0.3)
    corp.http.closing = corp.closing  # type: ignore[attr-defined]  # for handlers, which know the server alone
    corp.paths[path] = behaviour
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.monotonic()

    def sign_in() -> None:
        of = Provider(corp.issuer())
        kept, asked = begun(vault, of)
        oidc_flow.finish(vault, of, BACK, kept, asked["state"], "code")

    with pytest.raises((Unavailable, Unauthorized)):
        sign_in()

    assert time.monotonic() - began < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024


def test_a_key_that_would_take_long_to_verify_with_is_of_no_use(corp: Hostile) -> None:
    corp.paths["/jwks"] = large_key
    now = clock.now_ms() // 1000
    claims = {"iss": corp.url, "aud": CLIENT, "exp": now + 60}
    token = jwt.encode({"alg": "RS256", "kid": "k"}, claims, KEY)
    began = time.process_time()

    with pytest.raises(StationmasterError):
        oidc.claims_of(Provider(corp.issuer()), token, CLIENT)

    assert time.process_time() - began < 5


@pytest.mark.skipif("sqlite" not in KINDS, reason="only PostgreSQL is asked for")
def test_the_answer_of_another_provider_is_refused_by_its_name(
    tmp_path: Path, corp: Hostile
) -> None:
    settings = settings_for(tmp_path, "sqlite")
    with running_server(settings) as running:
        db = running.services.db
        org = an_organization(db, "acme")
        a_member(db, org, "ada@example.com", "owner")
    configured = json.dumps(
        [{"name": "corp", "issuer": corp.url, "audience": CLIENT, "org": org, "client_id": CLIENT}]
    )
    with running_server(settings_for(tmp_path, "sqlite", oidc_issuers=configured)) as running:
        start = f"{running.url}/api/platform/v1/auth/oidc/corp/start"
        outcomes = []
        for iss in (None, corp.url, "https://evil.example.com"):
            with httpx.Client(timeout=PATIENCE_S) as browser:
                sent = parse_qs(urlsplit(browser.get(start).headers["location"]).query)
                corp.claims = {"nonce": sent["nonce"][0]}
                back = {"state": sent["state"][0], "code": "c"} | (
                    {} if iss is None else {"iss": iss}
                )
                answer = browser.get(start.replace("/start", "/callback"), params=back)
                outcomes.append(answer.status_code)

    assert outcomes == [302, 302, 401]
