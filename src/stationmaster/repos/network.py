"""Which addresses may be fetched from, and the way there: the one that was checked.

A name is resolved once. All its addresses must be public, unless the operator permits the host, and
git connects to these addresses even if the name resolves to others a moment later. Redirects are
followed here and only within a host, so that no credential reaches another.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import time
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import httpx

from stationmaster.repos import local
from stationmaster.repos.model import FetchFailed, Head
from stationmaster.settings import Settings

_SERVICE = "/info/refs?service=git-upload-pack"
_SMART = "application/x-git-upload-pack-advertisement"
_AGENT = "git/2.39 (stationmaster)"
_REDIRECTS = {301, 302, 303, 307, 308}
_HOPS_MAX = 3
_TIMEOUT_S = 20.0
_BANNER = b"# service=git-upload-pack\n"
_PACKET_MAX = 65_520
"""Of git's protocol: four digits of length, and what they count with themselves."""
_SYMREF = re.compile(r" symref=HEAD:refs/heads/(\S+)")
_NAT64 = IPv6Network("64:ff9b::/96")
_SITE_LOCAL = IPv6Network("fec0::/10")
Address = IPv4Address | IPv6Address


class Remote(NamedTuple):
    """A repository's server, checked: what git requests, and where it connects to."""

    url: str
    host: str
    port: int
    addresses: tuple[str, ...]

    @property
    def scheme(self) -> str:
        """The protocol of the address, such as `https`."""
        return urlsplit(self.url).scheme

    @property
    def place(self) -> str:
        """The address to connect to, and the port."""
        return f"{_bracketed(self.addresses[0])}:{self.port}"

    def config(self, authorization: str | None) -> dict[str, str]:
        """Settings that bind git to this server, and show the credential to it alone."""
        bound = {f"protocol.{self.scheme}.allow": "always"}
        if ":" not in self.host:  # What is an address already needs no looking up.
            addresses = ",".join(_bracketed(address) for address in self.addresses)
            bound["http.curloptResolve"] = f"{self.host}:{self.port}:{addresses}"
        if authorization is not None:
            place = f"{self.scheme}://{_bracketed(self.host)}:{self.port}/"
            bound[f"http.{place}.extraHeader"] = f"Authorization: {authorization}"
        return bound


def reach(
    settings: Settings, url: str, authorization: str | None, until: float
) -> tuple[Remote, Head]:
    """The server of a repository by its normalised address, and its HEAD as it reports it.

    One request, and one more for each redirect. `until` is a time of the monotonic clock. Raises
    FetchFailed: `address_refused`, `unreachable`, `forbidden`, `not_found`, `timed_out`, `empty`.
    """
    remote = checked(settings, url)
    until = min(until, time.monotonic() + _TIMEOUT_S)
    for _ in range(_HOPS_MAX):
        answer, body = asyncio.run(_ask(remote, authorization, until))
        if answer.status_code not in _REDIRECTS:
            break
        remote = _moved(remote, answer.headers.get("location", ""))
    if answer.status_code in (401, 403):
        raise FetchFailed("forbidden")
    if answer.status_code in (404, 410):
        raise FetchFailed("not_found")
    if answer.status_code != 200 or answer.headers.get("content-type") != _SMART:
        raise FetchFailed("unreachable", "The server answers, but not as a git server does.")
    return remote, _head(body)


def checked(settings: Settings, url: str) -> Remote:
    """The server of a normalised address, without asking it. Raises FetchFailed."""
    place = urlsplit(url).netloc
    scheme = "http" if place in settings.repos_http_host_names else "https"
    return resolved(
        f"{scheme}{url.removeprefix('https')}",
        is_permitted=place in settings.repos_private_host_names,
    )


def resolved(url: str, *, is_permitted: bool) -> Remote:
    """The server of an http or https address, its name resolved once. All its addresses must be
    public, unless the operator permits the host. Raises FetchFailed.
    """
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or {"http": 80, "https": 443}[parts.scheme]
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as fault:
        raise FetchFailed("unreachable", _no_answer(host)) from fault
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
    if not is_permitted and not all(is_public(ip_address(address)) for address in addresses):
        raise FetchFailed("address_refused")
    return Remote(parts.geturl(), host, port, tuple(addresses))


def _no_answer(host: str) -> str:
    return f"{host} cannot be reached; check the address and the network."


def client(timeout_s: float) -> httpx.AsyncClient:
    """One that trusts nothing of the environment, and the machine's certificate authorities."""
    return httpx.AsyncClient(verify=_trust(), trust_env=False, timeout=timeout_s)


def is_public(address: Address) -> bool:
    """Is it an address of the open internet? One that carries another inside is what that is."""
    inner = _inside(address)
    if inner is not None:
        return is_public(inner)
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address in _SITE_LOCAL
    )


def _inside(address: Address) -> Address | None:
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]


async def _ask(
    remote: Remote, authorization: str | None, until: float
) -> tuple[httpx.Response, bytes]:
    """The answer to git's first question, from the address that was checked, and the part of its
    body with HEAD: many references follow, and a hostile body has no end.

    The question is the first version's, whose answer begins with HEAD; the second one's takes two.
    """
    parts = urlsplit(remote.url + _SERVICE)
    sent = {"Host": parts.netloc, "User-Agent": _AGENT, "Accept-Encoding": "identity"}
    if authorization is not None:
        sent["Authorization"] = authorization
    try:
        async with (
            asyncio.timeout(until - time.monotonic()),
            client(_TIMEOUT_S) as asking,
            asking.stream(
                "GET",
                parts._replace(netloc=remote.place).geturl(),
                headers=sent,
                extensions={"sni_hostname": remote.host},
            ) as answer,
        ):
            body = bytearray()
            if answer.status_code == 200:
                async for chunk in answer.aiter_raw():
                    body += chunk
                    if len(body) >= _PACKET_MAX or _first_reference(body) is not None:
                        break
            return answer, bytes(body)
    except (TimeoutError, httpx.TimeoutException) as fault:
        raise FetchFailed("timed_out") from fault
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as fault:
        raise FetchFailed("unreachable", _no_answer(remote.host)) from fault


def _head(body: bytes) -> Head:
    """HEAD of the beginning of an advertisement (gitprotocol-http, gitprotocol-pack)."""
    line = _first_reference(body)
    if line is None:
        raise FetchFailed("unreachable")
    reference, _, abilities = line.decode(errors="replace").partition("\0")
    oid, _, name = reference.partition(" ")
    if name != "HEAD":  # It is first, if it names a commit at all.
        raise FetchFailed("empty")
    if not local.is_oid(oid):
        raise FetchFailed("unreachable")
    branch = _SYMREF.search(f" {abilities}")
    is_branch = branch is not None and local.is_ref_name(branch[1])
    return Head(oid, branch[1] if branch is not None and is_branch else None)


def _first_reference(body: bytes | bytearray) -> bytes | None:
    """The first line after the banner; None while it is not there, or where there is no banner."""
    after_banner = len(_BANNER) + 4
    if body[:after_banner] != b"%04x" % after_banner + _BANNER:
        return None
    start = after_banner + 4
    length = body[start : start + 4]
    if body[after_banner:start] != b"0000" or not re.fullmatch(rb"[0-9a-f]{4}", length):
        return None
    end = start + int(length, 16)
    # An empty repository has nothing but the end of the list.
    return None if end > len(body) else bytes(body[start + 4 : end]) or b"0 "


def _moved(remote: Remote, location: str) -> Remote:
    """The same server at the address it redirects to; any other server is not followed."""
    target = urljoin(remote.url + _SERVICE, location)
    if not target.endswith(_SERVICE) or not target.isprintable():
        raise FetchFailed("unreachable")
    try:
        old, new = urlsplit(remote.url), urlsplit(target.removesuffix(_SERVICE))
        is_same = (new.scheme, new.hostname, new.port) == (old.scheme, old.hostname, old.port)
    except ValueError:
        is_same = False
    if not is_same or new.username is not None or new.query or new.fragment:
        raise FetchFailed("unreachable")
    return remote._replace(url=new._replace(netloc=old.netloc).geturl())


@cache
def _trust() -> ssl.SSLContext:
    """The machine's certificate authorities, which are git's, too."""
    return ssl.create_default_context()


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
