"""Messages that wait for the mail server: sealed rows, each with a durable job that sends it.

A message may be sent twice when a process dies between sending and noting it; its Message-ID is the
same then.
"""

from __future__ import annotations

import re

import msgspec
from sqlalchemy import Connection, delete, insert, select

from stationmaster import clock, ids
from stationmaster.access import service
from stationmaster.access.model import Caller, Secret
from stationmaster.access.signing_in import links
from stationmaster.access.vault import Vault
from stationmaster.alerts.mail import smtp
from stationmaster.db.engine import Database
from stationmaster.db.tables.alerts import outgoing_mail
from stationmaster.errors import OperatorError, Unauthorized
from stationmaster.jobs import service as jobs
from stationmaster.jobs.runner import Work
from stationmaster.settings import Settings

JOB: jobs.Kind = "mail"


def offer_link(
    db: Database, settings: Settings, by: Caller, email: str, link: links.Link, url: str
) -> bool:
    """`Outbox.offer` of a process that has no outbox; the key that seals is read where mail is
    on alone."""
    if not smtp.is_on(settings):
        return False
    outbox = Outbox(db, settings, Vault.open(settings))
    return outbox.offer(by.org_id, email, link, url, by=by)


class Outbox:
    """One per process; safe to share between threads."""

    job = JOB

    def __init__(self, db: Database, settings: Settings, vault: Vault) -> None:
        self._db = db
        self._settings = settings
        self._vault = vault

    @property
    def is_on(self) -> bool:
        """True where the settings name a mail server."""
        return smtp.is_on(self._settings)

    def offer(
        self, org: ids.OrgId, email: str, link: links.Link, url: str, *, by: Caller | None
    ) -> bool:
        """Have a one-time link sent to its person; whether mail is on."""
        if not self.is_on:
            return False
        name = service.organization_name(self._db, org)
        made = smtp.LinkOffer(email, name, url, link.expires_at)
        message = smtp.invitation(made) if link.purpose == "invitation" else smtp.password(made)
        message = msgspec.structs.replace(message, link=link.reveal())
        self.put(org, message, expires_at=link.expires_at, by=by)
        return True

    def put(
        self, org: ids.OrgId, message: smtp.MailMessage, *, expires_at: int, by: Caller | None
    ) -> None:
        """Have a message sent, unless `expires_at` is earlier."""
        with self._db.transaction() as connection:
            self.put_within(connection, org, message, expires_at=expires_at, by=by)

    def put_within(
        self,
        connection: Connection,
        org: ids.OrgId,
        message: smtp.MailMessage,
        *,
        expires_at: int,
        by: Caller | None,
    ) -> None:
        """`put` in a writing transaction of the caller's."""
        mail_id = ids.new_sortable("mail")
        plain = Secret(msgspec.json.encode(message).decode())
        self._delete_expired(connection, org)
        connection.execute(
            insert(outgoing_mail).values(
                org_id=org,
                mail_id=mail_id,
                sealed=self._vault.seal(plain, _purpose(org, mail_id)),
                created_at=clock.now_ms(),
                expires_at=expires_at,
            )
        )
        jobs.ask_within(self._db, connection, org, JOB, mail_id, by=by)

    def delete_matching(self, org: ids.OrgId, pattern: re.Pattern[str]) -> None:
        """Delete the messages whose recipients, subject or text match, and those that do not open:
        they cannot be sent, and their content is unknown.
        """
        waiting = select(outgoing_mail.c.mail_id, outgoing_mail.c.sealed).filter_by(org_id=org)
        with self._db.reading() as connection:
            rows = connection.execute(waiting).all()
        for mail_id, sealed in rows:
            try:
                plain = self._opened(org, mail_id, bytes(sealed))
            except OperatorError:
                plain = None
            if plain is None or pattern.search(plain):
                self._remove(org, mail_id)

    def __call__(self, work: Work) -> None:
        """Send the message of a job. Raises as `smtp.send`."""
        mail_id = work.job.subject
        message = self._waiting(work.org, mail_id)
        if message is None:
            return
        if self._is_current(message):
            work.step("sending")
            smtp.send(self._settings, message, mail_id)
        self._remove(work.org, mail_id)

    def _waiting(self, org: ids.OrgId, mail_id: str) -> smtp.MailMessage | None:
        """A message that has not been sent and has not expired."""
        with self._db.transaction() as connection:
            self._delete_expired(connection, org)
            sealed = connection.execute(
                select(outgoing_mail.c.sealed).filter_by(org_id=org, mail_id=mail_id)
            ).scalar()
        if sealed is None:
            return None
        return msgspec.json.decode(self._opened(org, mail_id, bytes(sealed)), type=smtp.MailMessage)

    def _opened(self, org: ids.OrgId, mail_id: str, sealed: bytes) -> str:
        """The JSON of a stored message. Raises OperatorError."""
        return self._vault.unseal(sealed, _purpose(org, mail_id)).reveal()

    def _is_current(self, message: smtp.MailMessage) -> bool:
        """Whether the link of a message still works: it may have ended while the message waited."""
        if message.link is None:
            return True
        try:
            links.peek(self._db, message.link)
        except Unauthorized:
            return False
        return True

    def _remove(self, org: ids.OrgId, mail_id: str) -> None:
        with self._db.transaction() as connection:
            connection.execute(delete(outgoing_mail).filter_by(org_id=org, mail_id=mail_id))

    def _delete_expired(self, connection: Connection, org: ids.OrgId) -> None:
        connection.execute(
            delete(outgoing_mail).where(
                outgoing_mail.c.org_id == org, outgoing_mail.c.expires_at <= clock.now_ms()
            )
        )


def _purpose(org: ids.OrgId, mail_id: str) -> str:
    return f"mail {org} {mail_id}"
