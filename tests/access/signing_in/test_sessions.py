from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from stationmaster import clock
from stationmaster.access import service
from stationmaster.access.authenticate import LastUse
from stationmaster.access.model import Caller, Member, Secret
from stationmaster.access.signing_in import sessions
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, StationmasterError, Unauthorized
from stationmaster.ids import OrgId
from tests.support.builders import a_caller, a_member, an_organization, audited

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


@pytest.fixture
def secret(db: Database, org: OrgId, ada: Member) -> Secret:
    return sessions.start(db, org, ada.user_id, "password")[1]


def is_over(db: Database, secret: Secret) -> bool:
    try:
        sessions.caller_of(db, secret)
    except Unauthorized:
        return True
    return False


class TestASession:
    def test_belongs_to_who_signed_in_and_lasts_thirty_days(
        self, db: Database, org: OrgId, ada: Member
    ) -> None:
        session, secret = sessions.start(db, org, ada.user_id, "oidc")
        assert (session.org_id, session.user_id, session.method) == (org, ada.user_id, "oidc")
        assert sessions.caller_of(db, secret) == Caller(
            org, "human", ada.user_id, ada.email, "manager", session.session_id, "full", "web"
        )
        clock.freeze(NOW + timedelta(days=30, milliseconds=-1))
        assert not is_over(db, secret)
        clock.freeze(NOW + timedelta(days=30))
        assert is_over(db, secret)

    def test_has_the_role_of_this_moment(
        self, db: Database, org: OrgId, ada: Member, secret: Secret
    ) -> None:
        service.set_role(db, org, ada.user_id, "guest")
        assert sessions.caller_of(db, secret).role == "guest"

    def test_is_over_once_its_member_is_removed_and_stays_so(
        self, db: Database, org: OrgId, ada: Member, secret: Secret
    ) -> None:
        service.remove_member(db, org, ada.user_id)
        assert is_over(db, secret)
        with pytest.raises(Unauthorized):
            sessions.rotate(db, secret)
        a_member(db, org, ada.email)
        assert is_over(db, secret)

    def test_is_only_for_members_who_have_joined(self, db: Database, org: OrgId) -> None:
        owner = a_caller(db, org, a_member(db, org, "owner@example.com", "owner"))
        bob, _ = service.invite_member(db, org, "bob@example.com", "member", by=owner)
        elsewhere = a_member(db, an_organization(db, "Other"), "zoe@example.com")
        for user in (bob.user_id, elsewhere.user_id):
            with pytest.raises(Unauthorized):
                sessions.start(db, org, user, "password")

    def test_that_is_ended_is_over_at_once_and_ending_it_again_changes_nothing(
        self, db: Database, org: OrgId, secret: Secret
    ) -> None:
        for _ in range(2):
            sessions.end(db, secret)
        assert is_over(db, secret)
        assert audited(db, org, "session_ended").source == "platform_api"

    def test_is_stored_without_its_secret(self, db: Database, org: OrgId, secret: Secret) -> None:
        text = secret.reveal()
        assert text not in repr(secret)
        stored = str(db.rows("SELECT * FROM sessions WHERE org_id = ?", org))
        assert text not in stored
        assert not any(part in stored for part in (text[4:26], text[26:]))

    def test_leaves_a_record_of_its_start(self, db: Database, org: OrgId, ada: Member) -> None:
        session, _ = sessions.start(db, org, ada.user_id, "oidc", "web")
        record = audited(db, org, "session_started")
        assert record.actor is not None
        assert (record.actor.id, record.source) == (ada.user_id, "web")
        assert (record.target, record.payload) == (
            ("session", session.session_id),
            {"method": "oidc"},
        )

    def test_notes_its_last_use_as_keys_do(self, db: Database, org: OrgId, secret: Secret) -> None:
        last_use = LastUse()
        clock.freeze(NOW + timedelta(hours=1))
        last_use.note(sessions.caller_of(db, secret))
        last_use.flush(db)
        assert db.rows("SELECT used_at FROM sessions WHERE org_id = ?", org) == [(clock.now_ms(),)]

    @pytest.mark.parametrize(
        "text", ["", "sms_", "sms_" + "x" * 65, "sms_" + "\0" * 65, "\ud800", "sm_" + "x" * 49]
    )
    def test_is_not_found_by_what_is_no_secret(self, db: Database, text: str) -> None:
        assert is_over(db, Secret(text))
        sessions.end(db, Secret(text))
        with pytest.raises(Unauthorized):
            sessions.rotate(db, Secret(text))

    def test_is_forgotten_once_it_has_expired_and_its_member_signs_in_again(
        self, db: Database, org: OrgId, ada: Member, secret: Secret
    ) -> None:
        sessions.start(db, org, ada.user_id, "password")
        clock.freeze(NOW + timedelta(days=30))
        new, _ = sessions.start(db, org, ada.user_id, "password")
        stored = db.rows("SELECT session_id FROM sessions WHERE org_id = ?", org)
        assert stored == [(new.session_id,)]


class TestRenewing:
    def test_gives_another_secret_and_another_thirty_days(
        self, db: Database, secret: Secret
    ) -> None:
        clock.freeze(NOW + timedelta(days=29))
        session, renewed = sessions.rotate(db, secret)
        assert renewed.reveal() != secret.reveal()
        assert session.created_at == int(NOW.timestamp() * 1000)
        clock.freeze(NOW + timedelta(days=58))
        assert sessions.caller_of(db, renewed).key_id == session.session_id
        assert is_over(db, secret)

    def test_with_a_secret_that_was_replaced_revokes_the_session(
        self, db: Database, org: OrgId, secret: Secret
    ) -> None:
        session, renewed = sessions.rotate(db, secret)
        clock.freeze(NOW + timedelta(seconds=11))
        with pytest.raises(Unauthorized):
            sessions.rotate(db, secret)
        assert is_over(db, renewed)
        with pytest.raises(Unauthorized):
            sessions.rotate(db, renewed)
        record = audited(db, org, "session_revoked")
        assert (record.actor, record.payload) == (None, {"reason": "reuse"})
        assert record.target == ("session", session.session_id)

    def test_with_a_secret_of_long_ago_does_so_too(self, db: Database, secret: Secret) -> None:
        _, renewed = sessions.rotate(db, secret)
        _, renewed = sessions.rotate(db, renewed)
        _, renewed = sessions.rotate(db, renewed)
        with pytest.raises(Unauthorized):
            sessions.rotate(db, secret)
        assert is_over(db, renewed)

    def test_again_within_ten_seconds_is_a_conflict_that_harms_nobody(
        self, db: Database, secret: Secret
    ) -> None:
        _, renewed = sessions.rotate(db, secret)
        clock.freeze(NOW + timedelta(seconds=10))
        with pytest.raises(Conflict) as refused:
            sessions.rotate(db, secret)
        assert refused.value.code == "just_renewed"
        assert not is_over(db, renewed)

    def test_many_times_at_once_gives_one_secret(self, db: Database, secret: Secret) -> None:
        start = threading.Barrier(4)
        got: list[Secret] = []
        refused: list[str] = []

        def renew() -> None:
            start.wait()
            try:
                got.append(sessions.rotate(db, secret)[1])
            except StationmasterError as fault:
                refused.append(fault.code)

        threads = [threading.Thread(target=renew) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert refused == ["just_renewed"] * 3
        assert not is_over(db, got[0])

    def test_after_thirty_days_without_is_too_late(self, db: Database, secret: Secret) -> None:
        clock.freeze(NOW + timedelta(days=30))
        with pytest.raises(Unauthorized):
            sessions.rotate(db, secret)
