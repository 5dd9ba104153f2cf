"""Signing in over HTTP at a provider."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from stationmaster.access import service
from stationmaster.access.model import Member, Secret
from stationmaster.access.signing_in import cookies, sessions
from stationmaster.api.platform.access import oidc
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError
from stationmaster.ids import OrgId
from tests.api.platform.access.auth.signing import AUTH, code_of, me
from tests.support.builders import a_caller
from tests.support.issuer import RunningIssuer, running_issuer
from tests.support.servers import running_server, settings_for


def settings_with(folder: Path, database_url: str, issuers: str, **fields: object) -> Any:
    """Of a server on the test's own database, wherever that is."""
    settings = settings_for(folder, database_url, oidc_issuers=issuers, **fields)
    if not database_url.startswith("postgresql"):
        (folder / "data").mkdir(exist_ok=True)
        path = folder / "data" / "stationmaster.sqlite3"
        path.unlink(missing_ok=True)
        path.symlink_to(folder / "state.sqlite3")
    return settings


class TestAProvider:
    def test_is_listed_with_where_to_begin(self, client: httpx.Client) -> None:
        assert client.get(f"{AUTH}/providers").json() == {
            "providers": [{"name": "corp", "startUrl": f"{AUTH}/oidc/corp/start"}]
        }

    @pytest.fixture
    def begin(self, client: httpx.Client) -> Callable[..., httpx.Response]:
        def begin(path: str = "/reports") -> httpx.Response:
            return client.get(f"{AUTH}/oidc/corp/start", params={"next": path})

        return begin

    @pytest.mark.both_databases
    def test_signs_a_browser_in(
        self,
        client: httpx.Client,
        db: Database,
        issuer: RunningIssuer,
        ada: Member,
        begin: Callable[..., httpx.Response],
    ) -> None:
        begun = begin()
        assert begun.status_code == 302
        told = begun.headers["set-cookie"]
        assert all(part in told for part in ("HttpOnly", "SameSite=lax", "Max-Age=600", AUTH))
        asked = parse_qs(urlsplit(begun.headers["location"]).query)
        assert asked["redirect_uri"] == [f"http://127.0.0.1:8700{AUTH}/oidc/corp/callback"]
        back = issuer.sign_in(begun.headers["location"], ada.email)
        done = client.get(f"{AUTH}/oidc/corp/callback", params=back)
        assert (done.status_code, done.headers["location"]) == (302, "/reports")
        told = next(
            field for field in done.headers.get_list("set-cookie") if cookies.SESSION in field
        )
        assert all(part in told for part in ("HttpOnly", "SameSite=lax", "Path=/;"))
        assert "Secure" not in told
        caller = sessions.caller_of(db, Secret(client.cookies[cookies.SESSION]))
        assert (caller.principal_id, caller.source) == (ada.user_id, "web")
        assert oidc.PENDING not in client.cookies
        assert code_of(client.get(f"{AUTH}/oidc/corp/callback", params=back)) == (
            400,
            "sign_in_expired",
        )

    @pytest.mark.both_databases
    def test_makes_who_is_invited_a_member_and_nobody_else(
        self,
        client: httpx.Client,
        db: Database,
        issuer: RunningIssuer,
        org: OrgId,
        ada: Member,
        begin: Callable[..., httpx.Response],
    ) -> None:
        bob, _ = service.invite_member(
            db, org, "bob@example.com", "member", by=a_caller(db, org, ada)
        )
        for email, status in (("bob@example.com", 302), ("stranger@example.com", 401)):
            back = issuer.sign_in(begin().headers["location"], email)
            answer = client.get(f"{AUTH}/oidc/corp/callback", params=back)
            assert answer.status_code == status
        assert code_of(answer) == (401, "no_member")
        assert service.get_member(db, org, bob.user_id).status == "active"

    def test_that_refuses_or_is_asked_without_a_beginning_signs_nobody_in(
        self, client: httpx.Client, begin: Callable[..., httpx.Response]
    ) -> None:
        callback = f"{AUTH}/oidc/corp/callback"
        assert code_of(client.get(callback)) == (400, "sign_in_expired")
        begin()
        refused = client.get(callback, params={"error": "access_denied", "state": "x"})
        assert code_of(refused) == (401, "not_confirmed")
        forged = client.get(callback, params={"code": "x", "state": "x"})
        assert code_of(forged) == (400, "sign_in_expired")
        assert cookies.SESSION not in client.cookies

    def test_that_refuses_leads_a_browser_back_to_the_door(
        self, client: httpx.Client, begin: Callable[..., httpx.Response]
    ) -> None:
        begin()
        refused = client.get(
            f"{AUTH}/oidc/corp/callback",
            params={"error": "access_denied", "state": "x"},
            headers={"Accept": "text/html,*/*;q=0.8"},
        )
        assert (refused.status_code, refused.headers["location"]) == (
            302,
            "/sign-in?refused=not_confirmed",
        )

    def test_leads_nowhere_but_back(
        self,
        client: httpx.Client,
        issuer: RunningIssuer,
        ada: Member,
        begin: Callable[..., httpx.Response],
    ) -> None:
        begun = begin("//evil.example.com/")
        back = issuer.sign_in(begun.headers["location"], ada.email)
        done = client.get(f"{AUTH}/oidc/corp/callback", params=back)
        assert done.headers["location"] == "/"

    @pytest.mark.parametrize("step", ["start", "callback"])
    def test_that_nobody_has_configured_is_404(self, client: httpx.Client, step: str) -> None:
        answer = client.get(f"{AUTH}/oidc/other/{step}")
        assert code_of(answer) == (404, "not_found")

    def test_sets_cookies_for_https_alone_where_the_application_has_it(
        self, db: Database, database_url: str, tmp_path: Path, org: OrgId, issuer: RunningIssuer
    ) -> None:
        settings = settings_with(
            tmp_path, database_url, issuer.setting(org), app_url="https://app.example.com/"
        )
        with running_server(settings) as server, server.client() as client:
            begun = client.get(f"{AUTH}/oidc/corp/start")
        assert "Secure" in begun.headers["set-cookie"]
        assert "https%3A%2F%2Fapp.example.com%2Fapi%2Fplatform" in begun.headers["location"]

    def test_that_is_down_is_503_for_a_browser_and_401_for_a_token(
        self, db: Database, database_url: str, tmp_path: Path, org: OrgId, ada: Member
    ) -> None:
        with running_issuer() as own:
            token = own.token(ada.email)
        settings = settings_with(tmp_path, database_url, own.setting(org))
        with running_server(settings) as server, server.client() as client:
            begun = client.get(f"{AUTH}/oidc/corp/start")
            assert code_of(begun) == (503, "issuer_down")
            assert code_of(me(client, token)) == (401, "invalid_token")


def test_a_server_does_not_start_with_issuers_that_cannot_work(
    db: Database, database_url: str, tmp_path: Path, issuer: RunningIssuer
) -> None:
    from stationmaster.api.services import Services

    settings = settings_with(tmp_path, database_url, issuer.setting("Nowhere"))
    with pytest.raises(OperatorError, match="Nowhere"):
        Services.open(settings)
