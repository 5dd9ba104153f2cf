"""Addresses of destinations: which are taken, what is shown of them, and the server behind one.

They are checked as addresses of repositories are: public ones alone, unless the operator permits
the host, and a message is sent to the address that was checked, even if the name resolves to
another later.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from stationmaster.alerts.model import Format
from stationmaster.errors import BadRequest
from stationmaster.repos import network
from stationmaster.repos.model import FetchFailed
from stationmaster.repos.network import Remote
from stationmaster.settings import Settings

LENGTH_MAX = 2_000
_PLAIN = re.compile(r"[\x21-\x5b\x5d-\x7e]+")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|[0-9a-f:.]+")
_SECRET_FORMATS: tuple[Format, ...] = ("slack", "teams")
"""Who knows such an address may post there."""
_ALERTMANAGER_PATH = "/api/v2/alerts"


def checked(settings: Settings, format: Format, text: str) -> str:
    """An address as it is stored. Raises BadRequest (`invalid_address`, `address_refused`)."""
    address = text.strip()
    if not 0 < len(address) <= LENGTH_MAX or _PLAIN.fullmatch(address) is None:
        raise _invalid()
    try:
        parts = urlsplit(address)
        host, _ = (parts.hostname or "").lower(), parts.port
    except ValueError as fault:
        raise _invalid() from fault
    if parts.scheme not in ("http", "https") or _HOST.fullmatch(host) is None or parts.fragment:
        raise _invalid()
    if parts.username is not None and format != "alertmanager":
        raise BadRequest(
            "Only the address of an Alertmanager may hold a user name and a password.",
            code="invalid_address",
        )
    if format == "alertmanager" and not parts.path.endswith(_ALERTMANAGER_PATH):
        address = parts._replace(path=parts.path.rstrip("/") + _ALERTMANAGER_PATH).geturl()
    try:
        server(settings, address)
    except FetchFailed as fault:
        # A name that does not resolve now may do so later: attempts report it.
        if fault.reason == "address_refused":
            raise BadRequest(fault.detail, code="address_refused") from None
    return address


def server(settings: Settings, address: str) -> Remote:
    """The server behind a stored address, checked now. Raises FetchFailed with a text of ours."""
    parts = urlsplit(address)
    place = parts.netloc.rpartition("@")[2].lower()
    if parts.scheme == "http" and place not in settings.alerts_http_host_names:
        raise FetchFailed(
            "address_refused",
            f"Alerts are sent over https. The operator permits http for a host with "
            f"STATIONMASTER_ALERTS_HTTP_HOSTS={place}.",
        )
    bare = parts._replace(netloc=place).geturl()
    try:
        return network.resolved(bare, is_permitted=place in settings.alerts_private_host_names)
    except FetchFailed as fault:
        if fault.reason != "address_refused":
            raise
        raise FetchFailed(
            "address_refused",
            f"Alerts are not sent to {parts.hostname}: it is a local or private address. The "
            f"operator permits it with STATIONMASTER_ALERTS_PRIVATE_HOSTS={place}.",
        ) from None


def shown(format: Format, address: str) -> str:
    """What may be shown of an address: never a password or a query, of secret ones the host and the
    last four characters.
    """
    parts = urlsplit(address)
    base = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    if format in _SECRET_FORMATS:
        return f"{base}/…{address[-4:]}"
    return f"{base}{parts.path}" + ("?…" if parts.query else "")


def _invalid() -> BadRequest:
    return BadRequest(
        "This is not a web address; write it like https://host/path.", code="invalid_address"
    )
