"""Tokens of identity providers: whose they are, how long they last, and which are refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from stationmaster import clock
from stationmaster.access import reads, service
from stationmaster.access.model import Member
from stationmaster.access.signing_in.jwts import _Registry
from stationmaster.access.signing_in.oidc import Issuers
from stationmaster.access.signing_in.provider import FRESH_S, LOOK_EVERY_S, STALE_S, Provider
from stationmaster.db.engine import Database
from stationmaster.errors import Unauthorized, Unavailable
from stationmaster.ids import OrgId
from tests.access.signing_in.clocks import Elapsed
from tests.support.builders import a_caller, a_member, an_organization
from tests.support.issuer import (
    RunningIssuer,
    parts_of,
    running_issuer,
    signed_by_secret,
    unsigned,
)

pytestmark = pytest.mark.attack


def is_refused(db: Database, trusted: Issuers, token: str) -> bool:
    try:
        trusted.caller_of(db, token)
    except Unauthorized:
        return True
    return False


class TestATokenOfAnIssuer:
    @pytest.mark.both_databases
    def test_speaks_for_the_member_with_its_address(
        self, db: Database, issuer: RunningIssuer, trusted: Issuers, org: OrgId, ada: Member
    ) -> None:
        caller = trusted.caller_of(db, issuer.token("Ada@Example.com"))
        assert (caller.org_id, caller.principal_id, caller.email, caller.role) == (
            org,
            ada.user_id,
            ada.email,
            "manager",
        )
        assert (caller.principal_kind, caller.scope) == ("human", "full")
        assert caller.key_id.startswith("oidc_")
        assert caller.key_id == trusted.caller_of(db, issuer.token("Ada@Example.com")).key_id

    @pytest.mark.both_databases
    def test_has_the_role_of_this_moment_and_ends_with_the_membership(
        self, db: Database, issuer: RunningIssuer, trusted: Issuers, org: OrgId, ada: Member
    ) -> None:
        token = issuer.token(ada.email)
        service.set_role(db, org, ada.user_id, "guest")
        assert trusted.caller_of(db, token).role == "guest"
        service.remove_member(db, org, ada.user_id)
        assert is_refused(db, trusted, token)

    def test_makes_nobody_a_member(
        self, db: Database, issuer: RunningIssuer, trusted: Issuers, org: OrgId
    ) -> None:
        owner = a_caller(db, org, reads.list_members(db, org)[1])
        service.invite_member(db, org, "invited@example.com", "member", by=owner)
        for email in ("stranger@example.com", "invited@example.com"):
            assert is_refused(db, trusted, issuer.token(email))
        assert "stranger@example.com" not in [m.email for m in reads.list_members(db, org)]

    def test_never_reaches_another_organization(
        self, db: Database, issuer: RunningIssuer, trusted: Issuers
    ) -> None:
        other = an_organization(db, "Other")
        a_member(db, other, "zoe@example.com", "owner")
        assert is_refused(db, trusted, issuer.token("zoe@example.com"))

    @pytest.mark.both_databases
    def test_reaches_the_organization_of_its_audience_where_an_issuer_serves_two(
        self, db: Database, issuer: RunningIssuer, org: OrgId, ada: Member
    ) -> None:
        other = an_organization(db, "Other")
        a_member(db, other, ada.email, "guest")
        both = Issuers(
            [
                issuer.configured(org),
                issuer.configured(other, name="other", audience="other", client_id="other"),
            ]
        )
        assert both.caller_of(db, issuer.token(ada.email)).org_id == org
        assert both.caller_of(db, issuer.token(ada.email, client="other")).org_id == other
        assert is_refused(db, both, issuer.token(ada.email, client="third"))

    @pytest.mark.parametrize("claims", [{"email_verified": False}, {"email_verified": "true"}])
    def test_with_an_address_that_is_not_verified_is_refused_unless_the_operator_trusts_it(
        self,
        db: Database,
        issuer: RunningIssuer,
        trusted: Issuers,
        org: OrgId,
        claims: dict[str, Any],
    ) -> None:
        token = issuer.token("ada@example.com", **claims)
        assert is_refused(db, trusted, token)
        trusting = Issuers([issuer.configured(org, trust_unverified_email=True)])
        assert not is_refused(db, trusting, token)

    @pytest.mark.parametrize("email", [None, 7, "", "no address", "a\0da@example.com"])
    def test_without_an_address_is_refused(
        self, db: Database, issuer: RunningIssuer, trusted: Issuers, email: object
    ) -> None:
        token = issuer.token("someone", email=email)
        assert is_refused(db, trusted, token)

    def test_counts_only_from_the_allowed_domains(
        self, db: Database, issuer: RunningIssuer, org: OrgId, ada: Member
    ) -> None:
        token = issuer.token(ada.email)
        for domains, refused in ((("example.com",), False), (("example.org", "ample.com"), True)):
            configured = Issuers([issuer.configured(org, allowed_domains=domains)])
            assert is_refused(db, configured, token) is refused

    @pytest.mark.parametrize(
        ("minutes", "refused"), [(60.9, False), (61.1, True), (-0.9, False), (-1.2, True)]
    )
    def test_is_good_from_its_issue_to_its_expiry_with_a_minutes_leeway(
        self,
        db: Database,
        issuer: RunningIssuer,
        trusted: Issuers,
        minutes: float,
        refused: bool,
    ) -> None:
        token = issuer.token("ada@example.com")
        issued = datetime.fromtimestamp(parts_of(token)[1]["iat"], UTC)
        clock.freeze(issued + timedelta(minutes=minutes))
        assert is_refused(db, trusted, token) is refused


class TestAForgedToken:
    @pytest.mark.parametrize("algorithm", ["none", "NONE", "HS256", "ES256", "EdDSA", ""])
    def test_that_claims_another_algorithm_is_refused(
        self, db: Database, issuer: RunningIssuer, trusted: Issuers, algorithm: str
    ) -> None:
        token = issuer.token("ada@example.com")
        header, claims = parts_of(token)
        for signature in ("", token.rpartition(".")[2]):
            forged = unsigned(header | {"alg": algorithm}, claims, signature)
            assert is_refused(db, trusted, forged)

    def test_that_is_signed_with_the_public_key_as_a_shared_secret_is_refused(
        self, db: Database, issuer: RunningIssuer, trusted: Issuers
    ) -> None:
        header, claims = parts_of(issuer.token("ada@example.com"))
        [published] = issuer.published()
        public = RSAKey.import_key(dict(published))
        for secret in (public.as_pem(private=False), json.dumps(published).encode()):
            assert is_refused(db, trusted, signed_by_secret(header, claims, secret))

    def test_of_another_key_under_the_same_name_is_refused(
        self, db: Database, issuer: RunningIssuer, trusted: Issuers
    ) -> None:
        header, claims = parts_of(issuer.token("ada@example.com"))
        own = RSAKey.generate_key(2048)
        for changed in (header, {"alg": "RS256"}, header | {"kid": "unknown"}):
            forged = jwt.encode(changed, claims, own, registry=_Registry(algorithms=["RS256"]))
            assert is_refused(db, trusted, forged)

    def test_with_changed_claims_is_refused(
        self, db: Database, issuer: RunningIssuer, trusted: Issuers
    ) -> None:
        token = issuer.token("nobody@example.com")
        header, claims = parts_of(token)
        forged = unsigned(header, claims | {"email": "ada@example.com"}, token.split(".")[2])
        assert is_refused(db, trusted, forged)

    @pytest.mark.parametrize("iss", ["https://evil.example.com", "", None, 7])
    def test_of_an_issuer_that_nobody_has_configured_is_refused(
        self, db: Database, issuer: RunningIssuer, trusted: Issuers, iss: object
    ) -> None:
        header, claims = parts_of(issuer.token("ada@example.com"))
        assert is_refused(db, trusted, unsigned(header, claims | {"iss": iss}, "x"))


class TestTheIssuersKeys:
    @pytest.fixture
    def own(self) -> Iterator[RunningIssuer]:
        """An issuer of this test alone, which may go away and come back with other keys."""
        with running_issuer() as running:
            yield running

    def test_that_were_rotated_are_known_with_the_first_token_of_the_new_one(
        self, db: Database, own: RunningIssuer, org: OrgId, ada: Member
    ) -> None:
        elapsed = Elapsed()
        trusted = Issuers([own.configured(org)])
        trusted.providers["corp"] = Provider(own.configured(org), elapsed)
        old = own.token(ada.email)
        assert not is_refused(db, trusted, old)
        own.stop()
        own.start()
        new = own.token(ada.email)
        elapsed.now = LOOK_EVERY_S - 1
        assert is_refused(db, trusted, new)
        elapsed.now = LOOK_EVERY_S
        assert not is_refused(db, trusted, new)
        assert is_refused(db, trusted, old)

    def test_that_were_withdrawn_stop_to_count_after_a_while(
        self, db: Database, own: RunningIssuer, org: OrgId, ada: Member
    ) -> None:
        elapsed = Elapsed()
        trusted = Issuers([own.configured(org)])
        trusted.providers["corp"] = Provider(own.configured(org), elapsed)
        old = own.token(ada.email)
        assert not is_refused(db, trusted, old)
        own.stop()
        own.start()
        assert not is_refused(db, trusted, old)
        elapsed.now = FRESH_S
        assert is_refused(db, trusted, old)

    def test_serve_an_hour_while_the_issuer_is_down_and_then_nothing_passes(
        self,
        db: Database,
        own: RunningIssuer,
        org: OrgId,
        ada: Member,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        elapsed = Elapsed()
        trusted = Issuers([own.configured(org)])
        trusted.providers["corp"] = Provider(own.configured(org), elapsed)
        token = own.token(ada.email)
        assert not is_refused(db, trusted, token)
        own.stop()
        elapsed.now = STALE_S - 1
        assert not is_refused(db, trusted, token)
        elapsed.now = STALE_S
        assert is_refused(db, trusted, token)
        assert "issuer corp" in caplog.text
        assert token not in caplog.text

    def test_that_cannot_be_had_at_all_let_nobody_in(
        self, db: Database, own: RunningIssuer, org: OrgId, ada: Member
    ) -> None:
        elapsed = Elapsed()
        trusted = Issuers([own.configured(org)])
        trusted.providers["corp"] = Provider(own.configured(org), elapsed)
        token = own.token(ada.email)
        own.stop()
        assert is_refused(db, trusted, token)
        with pytest.raises(Unavailable):
            trusted.named("corp").metadata()
