"""Every setting: its name, type, default and reason. Built once, passed down, never global.

Each field is read from the environment as `STATIONMASTER_<FIELD>` in capitals; flags of the command
line override it. Start-up fails with all faults named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import date, datetime
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from stationmaster.errors import OperatorError

PREFIX = "STATIONMASTER_"
_ADDRESS = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?")
Networks = tuple[IPv4Network | IPv6Network, ...]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes are bytes, times seconds unless the name has another unit."""

    data_dir: Path = Path("stationmaster-data")
    """Where the inbox, the lake, the state database and temporary files live."""
    database_url: str | None = None
    """A PostgreSQL URL; None keeps state in `data_dir/stationmaster.sqlite3`."""
    lake_url: str | None = None
    """Object storage for the lake, `s3://bucket/prefix`, or a folder that machines share,
    `file:///srv/lake`; None is the folder `data_dir/lake`.

    How to reach it is read from its own variables, `AWS_ENDPOINT_URL` and the like.
    """
    lake_copies_max: int = 2 * 2**30
    """Copies of parts from object storage that are kept in `data_dir/tmp` between rollups."""
    host: str = "127.0.0.1"
    port: int = 8700
    grpc_port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 0
    """Where OTLP/gRPC is taken, usually 4317; 0 takes none. Needs the extra `grpc`."""
    grpc_certificate: Path | None = None
    """The certificate chain (PEM) for TLS on `grpc_port`; None is without TLS."""
    grpc_certificate_key: Path | None = None
    """Its private key (PEM)."""
    gateway_port: Annotated[int, msgspec.Meta(ge=1, le=65535)] = 8701
    """Where `stationmaster gateway` listens, on `host`."""
    gateway_url: str | None = None
    """Where agents find the gateway; None is `http://<host>:<gateway_port>`."""
    gateway_drain_seconds: Annotated[int, msgspec.Meta(ge=0)] = 300
    """How long a gateway that is signalled to stop waits for the streams that have begun."""
    now: datetime | None = None
    """Freezes the clock, for demos, tests and replays."""
    notice: Annotated[str, msgspec.Meta(max_length=300)] | None = None
    """A line that every page shows, for installations that are not to be taken for another."""
    log_format: Literal["text", "json"] = "text"
    log_level: Literal["debug", "info", "warning", "error"] = "warning"
    """From `info` on, every request has a line."""
    trusted_proxies: str = ""
    """Addresses and networks of reverse proxies whose `X-Forwarded-For`, `-Proto` and `-Host` are
    trusted, separated by commas: `127.0.0.1,10.0.0.0/8`."""
    smtp_host: str | None = None
    """The mail server that takes messages; None sends no mail."""
    smtp_port: Annotated[int, msgspec.Meta(ge=1, le=65535)] = 587
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    """TLS after a greeting in plain text, from the start, or none at all."""
    smtp_user: str | None = None
    smtp_password: str | None = None
    smtp_password_file: Path | None = None
    """A file that holds the password, in place of `smtp_password`."""
    smtp_from: str | None = None
    """The address in From, and of the envelope."""
    mail_alerts: str = ""
    """Addresses that alerts are sent to, separated by commas."""
    alerts_private_hosts: str = ""
    """Hosts with local or private addresses to which organizations may have alerts sent all the
    same: `host` or `host:port` as in the addresses, separated by commas."""
    alerts_http_hosts: str = ""
    """Hosts to which alerts may be sent over plain HTTP, written the same way."""
    metrics_token: str | None = None
    """A bearer token for `/metrics`, in addition to an owner's API key."""
    metrics_addresses: str = ""
    """Addresses and networks from which `/metrics` is read without one, separated by commas."""
    worker_port: int = 0
    """Where `stationmaster worker` serves its health and its metrics; 0 listens nowhere."""
    disk_free_min: int = 256 * 2**20
    """Less free space than this on the disk of `data_dir` makes a process not ready."""
    shutdown_delay: float = 0.2
    """How long a process that is to stop still takes requests, while it is not ready."""
    shutdown_seconds: int = 20
    """How long it then waits for requests that have begun, and after them for background work."""
    request_body_max: int = 32 * 2**20
    """A request body after decompression; the largest seen from a real agent is 1.2 MB."""
    request_bodies_max: int = 256 * 2**20
    """Bytes of request bodies that one process holds at a time; an organization may hold a quarter
    of them. More are refused with 503."""
    inbox_backlog_max: int = 512 * 2**20
    """Compressed inbox bytes above which senders are asked to send later."""
    analytics_requests_per_minute: int = 100
    """Per key and per organization; 0 turns the limit off."""
    requests_per_minute: int = 300
    """The same for every other operation; ingest is bounded by the inbox instead."""
    limit_writes_per_minute: int = 20
    """The same for changes of credit limits."""
    gate_requests_per_minute: int = 6_000
    """The same for what hooks with a gate ask in the background: once a minute on each machine."""
    legacy_rate_limit_fields: bool = False
    """Also send the older X-RateLimit-Limit, -Remaining and -Reset."""
    raw_events_days: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Closed days whose events the lake keeps at most: see access/retention.py. None keeps all."""
    range_days_max: int = 366
    """The longest range of one analytics request."""
    earliest_day: date | None = None
    """Reports begin here at the earliest, however old an event is; None is the first stored day."""
    engine: Literal["duckdb", "spark"] = "duckdb"
    """What rolls days up: DuckDB in this process, or Spark (see docs/spark.md)."""
    spark_master: str | None = None
    """`spark://host:port`, `yarn`, `k8s://…`; None is what Spark's own configuration has,
    else this machine's cores."""
    rollup_threads: int = 2
    rollup_memory: int = 1024 * 2**20
    """What DuckDB may hold before it spills to `data_dir/tmp`."""
    url: str | None = None
    """The server that client commands send to; None means the local data folder."""
    key: str | None = None
    """The API key for `url`."""
    client_dir: Path = Path("~/.stationmaster").expanduser()
    """Where `collect` remembers how far it has read."""
    service_accounts_are_active_users: bool = False
    """Count service accounts in daily, weekly and monthly active users."""
    person_attributes: str = ""
    """Resource attributes that name a person where telemetry has no address: `user.name,host.user`,
    the first that is there. Name only those that differ from person to person."""
    credit_reset_day: Annotated[int, msgspec.Meta(ge=1, le=28)] = 1
    """The day of the month (UTC) on which what is used of credit limits starts at 0 again."""
    rate_card: Path | None = None
    """A TOML file with an own rate card, tried before the one that is included: docs/costs.md."""
    readiness_reports_max: int = 1000
    """What one list of readiness reports holds at most, whatever was asked for."""
    app_url: str | None = None
    """Where people's browsers find the application; None is what a trusted proxy reports, else
    `http://<host>:<port>`."""
    secret_key: str | None = None
    """32 bytes in base64 that seal stored secrets; None keeps one in `data_dir/secret.key`. Needed
    where several machines share one PostgreSQL."""
    ci_scan_seconds: float = 20
    """How long a CI scan lets its caller wait; what is not scanned by then follows."""
    jobs_at_once: Annotated[int, msgspec.Meta(ge=1, le=64)] = 2
    """Durable jobs that one process works on at a time."""
    reader_cpu_seconds: Annotated[int, msgspec.Meta(ge=1)] = 300
    """CPU time of one process that reads a repository or an uploaded wiki."""
    reader_seconds: Annotated[int, msgspec.Meta(ge=1)] = 900
    """The same by the wall clock."""
    reader_memory: Annotated[int, msgspec.Meta(ge=256 * 2**20)] = 2 * 2**30
    """Its address space."""
    oidc_issuers: str | None = None
    """A JSON list of the OpenID Connect issuers whose tokens count: see docs/signin.md."""
    oidc_private_hosts: str = ""
    """The same as `alerts_private_hosts`, of identity providers that organizations add."""
    vendor_spellings: bool = True
    """Also answer with the published product's spelling of some members, for its clients."""
    wiki_enabled: bool = True
    """Without it every operation of the wiki is refused with 403; what is stored stays."""
    wiki_model_provider: Literal["openai", "anthropic"] | None = None
    """The protocol of a model that may write sentences of generated wikis; None calls no model."""
    wiki_model: str | None = None
    """The model's name, as its provider spells it."""
    wiki_model_url: str | None = None
    """Where it is asked, such as `https://models.example/v1`; None is its provider's address."""
    wiki_model_key: str | None = None
    wiki_model_tokens_max: Annotated[int, msgspec.Meta(ge=0)] = 1_000_000
    """Tokens, sent and received, that one run may use."""
    wiki_model_cost_max: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """What one run may cost by the two prices; None limits tokens alone."""
    wiki_model_price_sent: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """Of a million tokens sent, in any currency."""
    wiki_model_price_received: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    managers_only: bool = False
    """Refuse members the public API, which is then for owners and managers."""
    repos_private_hosts: str = ""
    """The same as `alerts_private_hosts`, of repositories."""
    repos_http_hosts: str = ""
    """Hosts that are asked over plain HTTP, written the same way."""
    repos_size_max: int = 2**30
    """One repository's packed history on disk."""
    repos_fetch_seconds: int = 600
    repos_look_seconds: Annotated[int, msgspec.Meta(ge=0)] = 1200
    """Between two looks whether a registered repository has new commits; 0 is never."""
    repos_depth: int = 0
    """Commits of history that are fetched; 0 is all."""
    repos_token: str | None = None
    """A token for what `readiness` and `ci-scan` read by its address; sent to no other host."""
    restrict_api_key_creation_to_managers: bool = False
    """Let only owners and managers make API keys, for themselves and for service accounts."""

    expected_agents: str = ""
    """Agents that people should send data of, separated by commas, such as `claude-code,codex`."""
    computer_templates: Path | None = None
    """A TOML file with what managed computers can be made of; None makes none."""
    vendor_provider_name: str | None = None
    """What the published product calls a managed computer; taken, and answered, for `managed`."""

    @property
    def app_address(self) -> str:
        """The application's base address, without a slash at the end.

        A server that listens on all addresses has none to be found at; then it is this machine.
        """
        return self.app_url.rstrip("/") if self.app_url else self._address(self.port)

    @property
    def gateway_address(self) -> str:
        """The gateway's base address, without a slash at the end: `…/gateway/PROVIDER` follows."""
        return (
            self.gateway_url.rstrip("/") if self.gateway_url else self._address(self.gateway_port)
        )

    def _address(self, port: int) -> str:
        host = "127.0.0.1" if self.listens_everywhere else self.host
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def listens_everywhere(self) -> bool:
        return self.host in ("", "*", "0.0.0.0", "::")  # noqa: S104 -- compared, not listened on

    @property
    def smtp_secret(self) -> str:
        """The password for the mail server. Raises OperatorError for a file that cannot be read."""
        if self.smtp_password_file is None:
            return self.smtp_password or ""
        try:
            return self.smtp_password_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as fault:
            raise OperatorError(
                f"{PREFIX}SMTP_PASSWORD_FILE: {self.smtp_password_file} cannot be read",
                code="bad_settings",
            ) from fault

    @property
    def alert_addresses(self) -> tuple[str, ...]:
        return tuple(sorted(names_of(self.mail_alerts)))

    @property
    def trusted_networks(self) -> Networks:
        """Of `trusted_proxies`. Raises OperatorError."""
        return _networks("trusted_proxies", self.trusted_proxies)

    @property
    def metrics_networks(self) -> Networks:
        """Of `metrics_addresses`. Raises OperatorError."""
        return _networks("metrics_addresses", self.metrics_addresses)

    @property
    def state_url(self) -> str:
        """The SQLAlchemy URL of the state database."""
        if self.database_url is None:
            return f"sqlite:///{self.data_dir / 'stationmaster.sqlite3'}"
        return self.database_url.replace("postgresql://", "postgresql+psycopg://", 1)

    @property
    def inbox_url(self) -> str:
        """The SQLAlchemy URL of the inbox: next to the state, or in the same PostgreSQL."""
        if self.database_url is None:
            return f"sqlite:///{self.data_dir / 'inbox.sqlite3'}"
        return self.state_url

    @property
    def person_attribute_names(self) -> tuple[str, ...]:
        return tuple(filter(None, (name.strip() for name in self.person_attributes.split(","))))

    @property
    def repos_private_host_names(self) -> frozenset[str]:
        return names_of(self.repos_private_hosts)

    @property
    def alerts_private_host_names(self) -> frozenset[str]:
        return names_of(self.alerts_private_hosts)

    @property
    def alerts_http_host_names(self) -> frozenset[str]:
        return names_of(self.alerts_http_hosts)

    @property
    def expected_agent_names(self) -> frozenset[str]:
        return names_of(self.expected_agents)

    @property
    def repos_http_host_names(self) -> frozenset[str]:
        return names_of(self.repos_http_hosts)

    @property
    def repos_dir(self) -> Path:
        # git runs in folders of its own, where a relative path would lead elsewhere.
        return self.data_dir.absolute() / "repos"

    @property
    def lake_dir(self) -> Path:
        return self.data_dir / "lake"

    @property
    def scratch_dir(self) -> Path:
        return self.data_dir / "tmp"


def load(flags: Mapping[str, object] | None = None) -> Settings:
    """Settings from the environment and the given flags (a flag that is None was not given).

    Raises OperatorError naming every fault.
    """
    values: dict[str, object] = {}
    faults: list[str] = []
    for field in msgspec.structs.fields(Settings):
        text = os.environ.get(PREFIX + field.name.upper())
        value = (flags or {}).get(field.name)
        if value is None and text:
            value = text
        if value is None:
            continue
        try:
            values[field.name] = msgspec.convert(
                value if isinstance(value, str | int) else str(value),
                field.type,
                strict=False,
                dec_hook=_path,
            )
        except msgspec.ValidationError as fault:
            faults.append(f"{PREFIX}{field.name.upper()}: {fault}")
    if faults:
        raise OperatorError("; ".join(faults), code="bad_settings")
    made = Settings(**values)  # type: ignore[arg-type]  # converted to the fields' types above
    # Read here, so that a fault stops the start and not the first request.
    _ = made.trusted_networks, made.metrics_networks
    _check_mail(made)
    _check_address("APP_URL", made.app_url)
    _check_address("GATEWAY_URL", made.gateway_url)
    return made


def variable(name: str) -> str | None:
    """A variable of the environment that a person names, for what must not be an argument."""
    return os.environ.get(name)


def export_variable(name: str, value: str) -> None:
    """Put another program's variable into the environment, for processes that this one starts."""
    os.environ[name] = value


def export(settings: Settings) -> None:
    """Put settings into the environment, for processes that this one starts."""
    for field in msgspec.structs.fields(Settings):
        value = getattr(settings, field.name)
        if value is not None:
            text = value.isoformat() if isinstance(value, datetime) else str(value)
            os.environ[PREFIX + field.name.upper()] = text


def names_of(text: str) -> frozenset[str]:
    return frozenset(name.strip().lower() for name in text.split(",") if name.strip())


def _check_mail(made: Settings) -> None:
    if made.smtp_host is None:
        return
    if made.smtp_from is None or "@" not in made.smtp_from:
        why = f"{PREFIX}SMTP_FROM: mail needs a sender address"
    elif made.smtp_security == "none" and made.smtp_user is not None:
        why = f"{PREFIX}SMTP_SECURITY: a password is not sent without TLS"
    else:
        return
    raise OperatorError(why, code="bad_settings")


def _check_address(name: str, url: str | None) -> None:
    if url and not _ADDRESS.fullmatch(url):
        raise OperatorError(
            f"{PREFIX}{name} is the public address with its scheme, such as "
            f"https://stationmaster.example.com, not '{url}'",
            code="bad_settings",
        )


def _networks(name: str, text: str) -> Networks:
    try:
        return tuple(ip_network(part) for part in sorted(names_of(text)))
    except ValueError as fault:
        raise OperatorError(
            f"{PREFIX}{name.upper()}: {fault}; write addresses or networks, such as "
            "10.0.0.7 or 10.0.0.0/8, with commas between them",
            code="bad_settings",
        ) from fault


def _path(kind: type, value: object) -> object:
    if kind is Path:
        return Path(str(value))
    raise NotImplementedError(kind)
