"""Where a provider is: an address as people write it, checked and made one form."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from stationmaster.errors import BadRequest
from stationmaster.repos.network import is_public

_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]+")
_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")
_VERSION = re.compile(r"/(?:v1|v1beta)$")


def address_of(url: str, *, is_private: bool) -> str:
    """A provider's address as it is stored. Raises BadRequest.

    It is https, and no address of a local network is in it, unless `is_private` permits both. Its
    last part may be a version (`/v1`), which callers' paths have themselves.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    path = _VERSION.sub("", parts.path.rstrip("/"))
    is_plain = not (parts.query or parts.fragment or parts.username or parts.password)
    is_address = is_plain and _HOST.fullmatch(host) and _PATH.fullmatch(path) and ".." not in path
    if not is_address or parts.scheme not in ("https", "http"):
        raise BadRequest(
            "A provider's address is of the form https://api.example.com, without a user, a query "
            "or a fragment.",
            code="invalid_provider",
        )
    if parts.scheme == "http" and not is_private:
        raise BadRequest(
            "A provider's address must be https; --allow-private permits http within your network.",
            code="invalid_provider",
        )
    if not is_private and _is_inside(host):
        raise BadRequest(
            "This address is local or private; --allow-private permits it.", code="address_refused"
        )
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{name}{'' if port is None else f':{port}'}{path}"


def _is_inside(host: str) -> bool:
    try:
        return not is_public(ip_address(host))
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
