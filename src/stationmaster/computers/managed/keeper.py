"""Maintains managed computers in the background: puts idle ones to sleep, notices lost ones,
requests again what was not achieved.
"""

from __future__ import annotations

from stationmaster import clock
from stationmaster.computers import presence, sessions
from stationmaster.computers.managed import metrics, model, runner, service, store, templates
from stationmaster.computers.managed.model import Managed
from stationmaster.computers.managed.templates import TemplateOffer
from stationmaster.computers.model import JOB, Computer
from stationmaster.db.engine import Database
from stationmaster.jobs import service as jobs

ROUND_S = 30.0
ASK_AGAIN_S = 60.0
END_AGAIN_S = 3600.0
"""The same for a machine that should have ended: its provider was silent for five attempts."""


def round_of(db: Database, offer: TemplateOffer) -> None:
    """One check of all managed computers. Only one process at a time does anything."""
    with db.alone("looking after computers", wait=False) as is_mine:
        if not is_mine:
            return
        for managed in store.everywhere(db):
            computer = store.not_removed(db, managed.org_id, managed.computer_id)
            if computer is None or _is_over(computer, managed):
                _ask(db, managed, END_AGAIN_S)
            elif computer.status == "provisioning":
                _ask(db, managed, ASK_AGAIN_S)
            else:
                _look(db, offer, computer, managed)
        metrics.delete_old(db)


def _look(db: Database, offer: TemplateOffer, computer: Computer, managed: Managed) -> None:
    shown = presence.of(db, managed.org_id, managed.computer_id)
    is_online = shown is not None and shown.state == "online"
    now = clock.now_ms()
    if computer.status == "error":
        if is_online and managed.failure == "unreachable":
            _recover(db, managed)
        return
    if managed.power == "restarting":
        _ask(db, managed, ASK_AGAIN_S)
    elif managed.power == "asleep":
        return
    elif not is_online:
        seen_at = managed.last_active_at if shown is None else shown.last_seen_at
        if now - max(seen_at, managed.last_active_at) > model.UNSEEN_S * 1000:
            runner.fail(db, managed, "unreachable", "active", "not_seen")
    elif sessions.at_work(db, [managed.computer_id]):
        service.note_used(db, managed)
    elif _is_idle(offer, managed, now):
        _put_to_sleep(db, managed)


def _is_over(computer: Computer, managed: Managed) -> bool:
    """Whether a computer in error has had its machine for long enough."""
    return (
        computer.status == "error"
        and managed.reference is not None
        and managed.failed_at is not None
        and clock.now_ms() - managed.failed_at > model.ERROR_KEPT_S * 1000
    )


def _is_idle(offer: TemplateOffer, managed: Managed, now: int) -> bool:
    template = offer.templates.get(managed.template)
    if template is None or not offer.idle_minutes:
        return False
    idle_ms = now - managed.last_active_at
    return idle_ms > offer.idle_minutes * 60_000 and templates.can_stop(template)


def _put_to_sleep(db: Database, managed: Managed) -> None:
    with db.transaction() as connection:
        store.change(connection, managed, power="asleep")
        store.note_power(connection, managed, "paused")
        jobs.ask_within(db, connection, managed.org_id, JOB, managed.computer_id, by=None)


def _recover(db: Database, managed: Managed) -> None:
    with db.transaction() as connection:
        if store.set_status(connection, managed, "error", "active", "seen_again", None):
            now = clock.now_ms()
            store.change(connection, managed, failure=None, failed_at=None, last_active_at=now)


def _ask(db: Database, managed: Managed, delay_s: float) -> None:
    """Ask again later for what was asked for before; a job that waits already stays as it is."""
    jobs.ask(db, managed.org_id, JOB, managed.computer_id, by=None, delay_s=delay_s)
