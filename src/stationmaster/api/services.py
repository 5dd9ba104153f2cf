"""What every request of one process shares, opened at start and closed in reverse at the end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import cast
from urllib.parse import urlsplit

from anyio import CapacityLimiter
from starlette.requests import HTTPConnection, Request

from stationmaster.access.authenticate import LastUse
from stationmaster.access.model import Caller
from stationmaster.access.signing_in import issuers
from stationmaster.access.signing_in.buckets import Buckets, Sharing
from stationmaster.access.signing_in.oidc import Issuers
from stationmaster.access.signing_in.passwords import HASHES_AT_ONCE
from stationmaster.access.signing_in.provider import TIMEOUT_S, AddressRefused, Reach, Way
from stationmaster.access.signing_in.signing_keys import SigningKeys
from stationmaster.access.signing_in.stored_issuers import StoredIssuers
from stationmaster.access.signing_in.tokens import MachineTokens, Tokens
from stationmaster.access.signing_in.ways import SignIn
from stationmaster.access.vault import Vault
from stationmaster.alerts.delivering import Deliverer
from stationmaster.alerts.mail.outbox import Outbox
from stationmaster.analytics import timelines
from stationmaster.analytics.freshness import Freshness
from stationmaster.analytics.model import DayRange
from stationmaster.analytics.sessions import Session
from stationmaster.analytics.today import Counter
from stationmaster.api import blocking, bodies
from stationmaster.api.background import waking
from stationmaster.api.background.handlers import Wants
from stationmaster.api.bodies import Bodies
from stationmaster.api.monitoring.alerts import Alerts
from stationmaster.api.monitoring.installation import Installation
from stationmaster.api.monitoring.metrics import Metrics, Now
from stationmaster.api.telemetry.admission import Admission
from stationmaster.children.turns import Turns
from stationmaster.computers.managed import templates
from stationmaster.computers.managed.runner import Converger
from stationmaster.computers.pairings import Pairings
from stationmaster.computers.relay.relay import Relay
from stationmaster.computers.steering import Capping, Steering
from stationmaster.db.engine import Database
from stationmaster.errors import RateLimited
from stationmaster.ids import OrgId
from stationmaster.lake.inbox import Inbox, open_database
from stationmaster.lake.mover import Mover
from stationmaster.lake.storage import Lake
from stationmaster.limits import session_refusal
from stationmaster.pipelines.scanning.forges import Recent
from stationmaster.pipelines.scanning.service import Scanner
from stationmaster.pricing import cards, current
from stationmaster.readiness.evaluation import Evaluator
from stationmaster.repos import network
from stationmaster.repos.model import FetchFailed
from stationmaster.settings import Settings, names_of
from stationmaster.wiki.making.generation import Generator

WINDOW_S = 60


class LimitReached(RateLimited):
    """A refusal that carries the RateLimit fields of its answer."""

    def __init__(self, detail: str, *, retry_after_s: int, fields: dict[str, str]) -> None:
        super().__init__(detail, retry_after_s=retry_after_s)
        self.fields = fields


class Limiter:
    """One kind of request. A limit of 0 turns it off."""

    def __init__(
        self,
        kind: str,
        per_minute: int,
        *,
        with_legacy_fields: bool = False,
        elapsed_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.per_minute = per_minute
        self.buckets = Buckets(kind, per_minute, WINDOW_S, elapsed_s)
        self._with_legacy_fields = with_legacy_fields
        self._policy = ", ".join(
            f'"{name}";q={per_minute};w={WINDOW_S}' for name in ("key", "organization")
        )

    def take(self, key_id: str, org_id: str) -> dict[str, str]:
        """Count one request; the header fields with what is left.

        Raises RateLimited, counting nothing, when either bucket is empty.
        """
        if not self.per_minute:
            return {}
        is_taken, [key_left, org_left] = self.buckets.take(f"{org_id}/{key_id}", org_id)
        if not is_taken:
            wait = math.ceil(self.buckets.wait_s(min(key_left, org_left)))
            raise LimitReached(
                f"More than {self.per_minute} requests a minute; try again in {wait} s.",
                retry_after_s=wait,
                fields=self._fields(key_left, org_left),
            )
        return self._fields(key_left, org_left)

    def give_back(self, key_id: str, org_id: str) -> None:
        """Undo one `take`: an answer that cost nothing (304) does not count."""
        if self.per_minute:
            self.buckets.give_back(f"{org_id}/{key_id}", org_id)

    def _fields(self, key_left: float, org_left: float) -> dict[str, str]:
        key_full_s = math.ceil((self.per_minute - key_left) * WINDOW_S / self.per_minute)
        org_full_s = math.ceil((self.per_minute - org_left) * WINDOW_S / self.per_minute)
        left = (
            f'"key";r={max(0, int(key_left))};t={key_full_s}, '
            f'"organization";r={max(0, int(org_left))};t={org_full_s}'
        )
        fields = {"RateLimit-Policy": self._policy, "RateLimit": left}
        if self._with_legacy_fields:
            fields["X-RateLimit-Limit"] = str(self.per_minute)
            fields["X-RateLimit-Remaining"] = str(max(0, int(min(key_left, org_left))))
            fields["X-RateLimit-Reset"] = str(max(key_full_s, org_full_s))
        return fields


ISSUERS_ASKED_AT_ONCE = 8
"""Requests that may wait for an identity provider; one that is slow must not stop all others."""

UPLOADS_AT_ONCE = 3
"""Uploaded wikis that child processes check at a time; of one organization one fewer."""

DAYS_FOLDED_AT_ONCE = 1
"""Answers about slices of days that are made at a time, so that all others keep a processor."""


@dataclass(frozen=True, slots=True)
class Services:
    """What one process has opened; `open` makes it."""

    settings: Settings
    db: Database
    inbox: Inbox
    mover: Mover
    freshness: Freshness
    last_use: LastUse
    vault: Vault
    wants: Wants
    scanner: Scanner
    evaluator: Evaluator
    generator: Generator
    sign_in: SignIn
    signing_keys: SigningKeys
    tokens: Tokens
    issuers: Issuers
    installation: Installation
    metrics: Metrics
    analytics_limit: Limiter
    other_limit: Limiter
    limit_write_limit: Limiter
    gate_limit: Limiter
    sharing: Sharing
    bodies: Bodies
    relay: Relay
    pairings: Pairings
    offer: templates.TemplateOffer
    admission: Admission = field(default_factory=Admission)
    hashing: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(HASHES_AT_ONCE))
    asking: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(ISSUERS_ASKED_AT_ONCE))
    uploads: Turns = field(default_factory=lambda: Turns(UPLOADS_AT_ONCE, UPLOADS_AT_ONCE - 1))
    folding: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(DAYS_FOLDED_AT_ONCE))
    recent: Recent = field(default_factory=Recent)

    @classmethod
    def open(cls, settings: Settings) -> Services:
        """Open and migrate the databases of an installation.

        Raises OperatorError when a person is needed, Unavailable when storage does not answer.
        """
        cards.read(settings.rate_card)
        offer = templates.read(settings.computer_templates)
        db = _database(settings)
        try:
            vault = Vault.open(settings)
            signing_keys = SigningKeys(db, vault)
            signing_keys.check()
            trusted = _issuers(settings, db, vault)
            inbox_db = open_database(settings, db)
            installation = Installation(db, inbox_db, settings.inbox_backlog_max)
            metrics = Metrics(installation)
            inbox = Inbox(inbox_db, settings.inbox_backlog_max, metrics.committed)
        except BaseException:
            db.close()
            raise
        mover = Mover(inbox.database, db, settings, metrics.moved)
        sign_in, pairings, wants, limits = SignIn(db), Pairings(db), Wants(db), _limiters(settings)
        return cls(
            settings=settings,
            db=db,
            inbox=inbox,
            mover=mover,
            freshness=Freshness(db, inbox, mover, settings, metrics.rolled_up),
            last_use=LastUse(),
            vault=vault,
            wants=wants,
            scanner=Scanner(db, settings, vault, wants.fetched, metrics.scanned),
            evaluator=Evaluator(db, settings, vault, wants.evaluating),
            generator=Generator(db, settings, vault, wants.generating),
            sign_in=sign_in,
            signing_keys=signing_keys,
            tokens=Tokens(db, signing_keys, settings.app_address),
            issuers=trusted,
            installation=installation,
            metrics=metrics,
            bodies=Bodies(settings.request_bodies_max),
            relay=Relay(db),
            pairings=pairings,
            offer=offer,
            analytics_limit=limits[0],
            other_limit=limits[1],
            limit_write_limit=limits[2],
            gate_limit=limits[3],
            sharing=Sharing(db, _buckets(limits, sign_in, pairings)),
        )

    def allow_body(self, request: Request, org: OrgId, size_max: int) -> None:
        """Let a page read a larger form of a person who is signed in."""
        bodies.allow(request, org, size_max)

    @property
    def machine_tokens(self) -> MachineTokens:
        """What makes and checks the tokens of computers."""
        return MachineTokens(self.db, self.signing_keys, self.settings.app_address)

    @property
    def outbox(self) -> Outbox:
        """The messages that wait for the mail server."""
        return Outbox(self.db, self.settings, self.vault)

    @property
    def converger(self) -> Converger:
        """The handler of jobs that bring managed computers to what is wanted of them."""
        return Converger(self.db, self.settings, self.vault, self.offer.templates)

    @property
    def deliverer(self) -> Deliverer:
        """What sends alerts, and counts every attempt."""
        return Deliverer(self.db, self.settings, self.vault, self.metrics.alert_attempted)

    @property
    def today(self) -> Counter:
        """What counts the running day."""
        return Counter(self.db, self.inbox, self.mover, self.settings)

    @property
    def alerts(self) -> Alerts:
        """What alerts the operator of failed jobs and of damaged parts of the lake."""
        return Alerts(self.db, self.settings)

    @property
    def steering(self) -> Steering:
        """What starts and steers sessions on computers, where budgets allow it."""
        return Steering(self.db, self.relay, self._check_budgets, partial(waking.awake, self))

    @property
    def capping(self) -> Capping:
        """What ends work on computers that a budget refuses."""
        return Capping(self.db, self.relay, self._check_budgets)

    def _check_budgets(self, caller: Caller, principal_id: str, agent: str) -> None:
        reset_day = self.settings.credit_reset_day
        session_refusal.check(self.db, caller, reset_day, principal_id, agent)

    async def bring_up_to_date(self, org: OrgId, asked: DayRange) -> None:
        """See to it that the documents of closed days are current before they are read."""
        if not await blocking.read(self.db, self.freshness.is_current, org, asked):
            await blocking.work(self.freshness.ensure, org, asked)

    def timeline(self, org: OrgId, session: Session) -> timelines.Timeline:
        """What happened in a session, with what its calls cost by the prices in force."""
        lake, card = Lake.open(self.settings), current.card(self.db, self.settings, org)
        return timelines.read(self.db, lake, org, session.rows, card)

    def now(self, threads: int) -> Now:
        """What this process is doing, with so many threads of background work."""
        databases = {"inbox": self.inbox.database, "state": self.db}
        if self.inbox.database is self.db:
            del databases["inbox"]
        return Now(
            queued=self.inbox.queued,
            rolling_up=self.freshness.running,
            scanning=self.scanner.running,
            threads=threads,
            pools={name: database.connections() for name, database in databases.items()},
        )

    def close(self) -> None:
        """Commit queued deliveries and the last uses of keys, then close."""
        try:
            # What was promised is done before what may take long.
            self.inbox.close()
            self.last_use.flush(self.db)
            self.scanner.close()
        finally:
            self.db.close()


def _database(settings: Settings) -> Database:
    """Opened and migrated."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    db = Database.open(settings.state_url)
    try:
        db.migrate()
    except BaseException:
        db.close()
        raise
    return db


def _issuers(settings: Settings, db: Database, vault: Vault) -> Issuers:
    configured = issuers.read(settings, db)
    names = [issuer.name for issuer in configured]
    reach = to_issuers(settings)
    return Issuers(configured, StoredIssuers(db, settings, vault, reach, names))


def _limiters(settings: Settings) -> tuple[Limiter, Limiter, Limiter, Limiter]:
    """Of reports, of all other requests, of changes of limits, of hooks with a gate."""

    def limiter(kind: str, per_minute: int) -> Limiter:
        return Limiter(kind, per_minute, with_legacy_fields=settings.legacy_rate_limit_fields)

    return (
        limiter("reports", settings.analytics_requests_per_minute),
        limiter("requests", settings.requests_per_minute),
        limiter("changes of limits", settings.limit_writes_per_minute),
        limiter("gates", settings.gate_requests_per_minute),
    )


def _buckets(limits: Iterable[Limiter], sign_in: SignIn, pairings: Pairings) -> list[Buckets]:
    """Those that all processes share."""
    return [*(limit.buckets for limit in limits), *sign_in.buckets, *pairings.buckets]


def services_of(request: HTTPConnection) -> Services:
    """What the application of a request has opened."""
    # A plain attribute: `app.state` would first fail to find it, and build that error.
    return cast(Services, request.scope["app"].services)


def to_issuers(settings: Settings) -> Reach:
    """The way to identity providers: to public addresses alone, unless the operator permits the
    host, and to the address that was checked, even if the name resolves to another later."""
    permitted = names_of(settings.oidc_private_hosts)

    def reach(address: str) -> Way:
        parts = urlsplit(address)
        is_permitted = parts.netloc.lower() in permitted
        try:
            remote = network.resolved(address, is_permitted=is_permitted)
        except FetchFailed as fault:
            if fault.reason != "address_refused":
                raise ValueError(fault.detail) from fault
            raise AddressRefused(
                f"{parts.hostname} is a local or private address. The operator permits it with "
                f"STATIONMASTER_OIDC_PRIVATE_HOSTS={parts.netloc}, or sets the provider."
            ) from fault
        return Way(
            network.client(TIMEOUT_S),
            parts._replace(netloc=remote.place).geturl(),
            {"Host": parts.netloc},
            {"sni_hostname": remote.host},
        )

    return reach
