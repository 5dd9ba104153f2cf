from __future__ import annotations

import pytest
from argon2 import PasswordHasher

from stationmaster.access import service
from stationmaster.access.model import Caller, Member, Secret
from stationmaster.access.signing_in import passwords, sessions, ways as signin
from stationmaster.access.signing_in.ways import FAILURES_PER_ADDRESS, FAILURES_PER_EMAIL, SignIn
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, RateLimited, Unauthorized
from stationmaster.ids import OrgId
from tests.support.builders import (
    a_caller,
    a_member,
    a_password,
    an_organization,
    audited,
)

GOOD = "a long enough sentence"


@pytest.fixture
def _recommended(monkeypatch: pytest.MonkeyPatch) -> None:
    """What passwords cost outside of tests."""
    monkeypatch.setattr(passwords, "_hasher", PasswordHasher())


@pytest.fixture
def ada(db: Database, org: OrgId) -> Member:
    return a_member(db, org, role="owner")


@pytest.fixture
def ada_as_caller(db: Database, org: OrgId, ada: Member) -> Caller:
    return a_caller(db, org, ada)


class TestAPassword:
    @pytest.mark.parametrize(
        "password",
        [
            "1234567",
            "x" * 257,
            "password",
            "PassWord1",
            "ada@example.com",
            "ADA@example.com",
            "ｐａｓｓｗｏｒｄ",
            "\ud800 a lone surrogate",
            "",
        ],
    )
    def test_that_is_easily_guessed_or_no_text_is_refused(self, password: str) -> None:
        with pytest.raises(BadRequest) as refused:
            passwords.check(password, "ada@example.com")
        assert refused.value.code == "invalid_password"

    @pytest.mark.parametrize("password", ["12345679", "y" * 256, "пароль на русском", " spaces  "])
    def test_of_8_to_256_characters_of_any_script_is_taken(self, password: str) -> None:
        assert passwords.check(password, "ada@example.com")

    def test_is_the_same_however_its_letters_are_composed(self) -> None:
        stored = passwords.hash_of("cafe\u0301 au lait", "ada@example.com")
        assert passwords.is_right("caf\u00e9 au lait", stored)

    @pytest.mark.usefixtures("_recommended")
    def test_is_stored_as_argon2id_and_never_twice_the_same(self) -> None:
        first, second = (passwords.hash_of(GOOD, "ada@example.com") for _ in range(2))
        assert first.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
        assert first != second
        assert GOOD not in first

    def test_is_compared_with_a_hash_of_the_same_price_where_none_is_stored(self) -> None:
        stand_in = passwords._nobodys()
        ours = passwords.hash_of(GOOD, "ada@example.com")
        assert stand_in.split("$")[:4] == ours.split("$")[:4]
        assert [len(part) for part in stand_in.split("$")] == [len(p) for p in ours.split("$")]
        assert not passwords.is_right(GOOD, None)

    @pytest.mark.parametrize("password", ["another sentence", "", "\ud800", "\0", "x" * 1000])
    def test_that_is_wrong_is_wrong_whatever_it_holds(self, password: str) -> None:
        assert not passwords.is_right(password, passwords.hash_of(GOOD, "ada@example.com"))


class TestSettingOne:
    def test_lets_its_member_in_and_ends_what_began_before(
        self, db: Database, ada: Member, ada_as_caller: Caller
    ) -> None:
        org = ada_as_caller.org_id
        _, before = sessions.start(db, org, ada.user_id, "oidc")
        a_password(db, ada_as_caller.org_id, ada, GOOD)
        with pytest.raises(Unauthorized):
            sessions.caller_of(db, before)
        session, _ = SignIn(db).with_password("Ada@Example.com ", GOOD)
        assert (session.org_id, session.user_id, session.method) == (org, ada.user_id, "password")

    def test_replaces_the_one_before(
        self, db: Database, ada: Member, ada_as_caller: Caller
    ) -> None:
        for password in (GOOD, "yet another sentence"):
            a_password(db, ada_as_caller.org_id, ada, password)
        with pytest.raises(Unauthorized):
            SignIn(db).with_password(ada.email, GOOD)
        assert SignIn(db).with_password(ada.email, "yet another sentence")

    def test_is_in_the_audit_log_without_the_password(
        self, db: Database, ada: Member, ada_as_caller: Caller
    ) -> None:
        a_password(db, ada_as_caller.org_id, ada, GOOD)
        record = audited(db, ada_as_caller.org_id, "password_set")
        assert record.target is not None
        assert (record.target.kind, record.target.id) == ("member", ada.user_id)
        assert record.payload is None

    def test_in_one_organization_leaves_that_in_another_alone(
        self, db: Database, org: OrgId, ada: Member
    ) -> None:
        a_password(db, org, ada, GOOD)
        other = an_organization(db, "Other")
        there = a_member(db, other, ada.email, "member")
        a_password(db, other, there, "something else entirely")
        assert SignIn(db).with_password(ada.email, GOOD)[0].org_id == org
        found = SignIn(db).with_password(ada.email, "something else entirely")
        assert found[0].org_id == other


class TestSigningIn:
    @pytest.fixture(autouse=True)
    def _ada_has_a_password(self, db: Database, org: OrgId, ada: Member) -> None:
        a_password(db, org, ada, GOOD)

    def test_with_a_wrong_password_or_an_unknown_address_is_refused_alike(
        self, db: Database, ada: Member, org: OrgId
    ) -> None:
        a_member(db, org, "bob@example.com")
        refusals = set()
        for email, password in (
            (ada.email, "wrong password"),
            ("nobody@example.com", GOOD),
            ("bob@example.com", GOOD),
        ):
            with pytest.raises(Unauthorized) as refused:
                SignIn(db).with_password(email, password)
            refusals.add((refused.value.code, refused.value.detail))
        assert {code for code, _ in refusals} == {"wrong_credentials"}
        assert len(refusals) == 1

    def test_names_the_organizations_that_a_password_fits_in_and_takes_one_by_id_or_name(
        self, db: Database, org: OrgId, ada: Member
    ) -> None:
        other = an_organization(db, "Other")
        a_password(db, other, a_member(db, other, ada.email), GOOD)
        third = an_organization(db, "Third")
        a_password(db, third, a_member(db, third, ada.email), "something else entirely")
        with pytest.raises(Conflict) as refused:
            SignIn(db).with_password(ada.email, GOOD)
        assert refused.value.code == "several_organizations"
        assert refused.value.metadata == {
            "organizations": [{"id": org, "name": "Acme"}, {"id": other, "name": "Other"}]
        }
        for wanted, found in ((org, org), ("Acme", org), ("Other", other), (other, other)):
            assert SignIn(db).with_password(ada.email, GOOD, org=wanted)[0].org_id == found
        for wanted in ("Third", "Nowhere"):
            with pytest.raises(Unauthorized):
                SignIn(db).with_password(ada.email, GOOD, org=wanted)

    def test_ends_with_the_membership_and_does_not_come_back_with_it(
        self, db: Database, org: OrgId, ada: Member
    ) -> None:
        a_member(db, org, "bob@example.com", "owner")
        service.remove_member(db, org, ada.user_id)
        with pytest.raises(Unauthorized):
            SignIn(db).with_password(ada.email, GOOD)
        a_member(db, org, ada.email)
        with pytest.raises(Unauthorized):
            SignIn(db).with_password(ada.email, GOOD)

    def test_fails_ten_times_for_an_address_and_then_waits_even_with_the_right_password(
        self, db: Database, ada: Member
    ) -> None:
        sign_in = SignIn(db)
        for _ in range(FAILURES_PER_EMAIL - 1):
            sign_in._by_email.take(ada.email)
        with pytest.raises(Unauthorized):
            sign_in.with_password(ada.email, "wrong", address="192.0.2.1")
        with pytest.raises(RateLimited) as refused:
            sign_in.with_password(ada.email, GOOD, address="198.51.100.7")
        assert 0 < refused.value.retry_after_s <= 90

    def test_that_succeeds_does_not_count(self, db: Database, ada: Member) -> None:
        sign_in = SignIn(db)
        for _ in range(FAILURES_PER_EMAIL - 1):
            sign_in._by_email.take(ada.email)
        for _ in range(2):
            assert sign_in.with_password(ada.email, GOOD)

    @pytest.mark.parametrize(
        ("network", "other"),
        [("192.0.2.1", "192.0.2.2"), ("2001:db8:0:1::{}", "2001:db8:0:2::1")],
    )
    def test_from_one_network_fails_fifty_times_whatever_the_addresses(
        self, db: Database, ada: Member, network: str, other: str
    ) -> None:
        sign_in = SignIn(db)
        for number in range(FAILURES_PER_ADDRESS):
            sign_in._by_address.take(signin._network(network.format(number)))
        with pytest.raises(RateLimited):
            sign_in.with_password(ada.email, GOOD, address=network.format(77))
        assert sign_in.with_password(ada.email, GOOD, address=other)

    @pytest.mark.usefixtures("_recommended")
    def test_hashes_again_once_the_recommended_parameters_have_changed(
        self, db: Database, org: OrgId, ada: Member
    ) -> None:
        weaker = PasswordHasher(time_cost=1, memory_cost=8192).hash(GOOD)
        db.write("UPDATE passwords SET hash = ? WHERE org_id = ?", [(weaker, org)])
        for _ in range(2):
            assert SignIn(db).with_password(ada.email, GOOD)
            [(stored,)] = db.rows("SELECT hash FROM passwords WHERE org_id = ?", org)
            assert stored.startswith("$argon2id$v=19$m=65536,t=3,p=4$")


class TestALink:
    def test_lets_the_invited_choose_a_password_and_be_a_member(self, db: Database) -> None:
        org = an_organization(db)
        owner = a_caller(db, org, a_member(db, org, role="owner"))
        bob, link = service.invite_member(db, org, "bob@example.com", "member", by=owner)
        session, secret = signin.with_link(db, link, GOOD)
        assert (session.user_id, session.method) == (bob.user_id, "password")
        assert sessions.caller_of(db, secret).role == "member"
        assert service.get_member(db, org, bob.user_id).status == "active"
        assert SignIn(db).with_password("bob@example.com", GOOD)
        with pytest.raises(Unauthorized) as refused:
            signin.with_link(db, link, GOOD)
        assert refused.value.code == "invalid_link"

    def test_sets_a_new_password_and_ends_what_began_with_the_old_one(
        self, db: Database, org: OrgId, ada: Member, ada_as_caller: Caller
    ) -> None:
        a_password(db, org, ada, GOOD)
        _, before = SignIn(db).with_password(ada.email, GOOD)
        _, link = service.make_link(db, org, ada.user_id, by=ada_as_caller)
        _, after = signin.with_link(db, link, "yet another sentence")
        with pytest.raises(Unauthorized):
            sessions.caller_of(db, before)
        assert sessions.caller_of(db, after).principal_id == ada.user_id
        with pytest.raises(Unauthorized):
            SignIn(db).with_password(ada.email, GOOD)

    def test_is_still_good_after_a_password_that_was_refused(
        self, db: Database, org: OrgId, ada: Member, ada_as_caller: Caller
    ) -> None:
        _, link = service.make_link(db, org, ada.user_id, by=ada_as_caller)
        with pytest.raises(BadRequest):
            signin.with_link(db, link, "short")
        assert signin.with_link(db, link, GOOD)

    @pytest.mark.parametrize("text", ["", "sml_x", "sml_" + "x" * 43, "\0", "\ud800"])
    def test_that_is_none_is_refused(self, db: Database, text: str) -> None:
        with pytest.raises(Unauthorized) as refused:
            signin.with_link(db, Secret(text), GOOD)
        assert refused.value.code == "invalid_link"
