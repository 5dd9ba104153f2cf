"""What a proxy says of a request counts only where the proxy is trusted, and from the right."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

import pytest
from starlette.types import Scope

from stationmaster import settings as settings_room
from stationmaster.access.addresses import public_address
from stationmaster.api.serving.forwarded import HOPS_MAX, SIZE_MAX, Proxies, sender
from stationmaster.errors import OperatorError
from stationmaster.settings import Settings

PROXY = "10.0.0.1"
PROXIES = Proxies((ip_network("10.0.0.0/24"), ip_network("fd00::/8")))
SETTINGS = Settings(host="127.0.0.1", port=18741)


def seen(peer: str | None, *fields: tuple[str, str], proxies: Proxies = PROXIES) -> Scope:
    headers = [(b"host", b"here:8700")]
    headers += [(name.lower().encode(), value.encode("latin-1")) for name, value in fields]
    scope: dict[str, Any] = {
        "type": "http",
        "scheme": "http",
        "client": None if peer is None else (peer, 1234),
        "headers": headers,
    }
    proxies.see_through(scope)
    return scope


def client(peer: str, *said: str) -> str:
    scope = seen(peer, *(("X-Forwarded-For", value) for value in said))
    return str(scope["client"][0])


@pytest.mark.parametrize("peer", ["127.0.0.1", "203.0.113.5", "10.0.1.1", "::1"])
def test_header_fields_of_strangers_change_nothing(peer: str) -> None:
    scope = seen(
        peer,
        ("X-Forwarded-For", "198.51.100.1"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "evil.example"),
    )
    assert (scope["client"], scope["scheme"]) == ((peer, 1234), "http")
    assert scope["headers"][0] == (b"host", b"here:8700")
    assert public_address(scope, SETTINGS) == "http://127.0.0.1:18741"


def test_nobody_is_trusted_by_default() -> None:
    proxies = Proxies(Settings().trusted_networks)
    scope = seen("127.0.0.1", ("X-Forwarded-For", "198.51.100.1"), proxies=proxies)
    assert scope["client"] == ("127.0.0.1", 1234)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["198.51.100.1"], "198.51.100.1"),
        (["198.51.100.1:5000"], "198.51.100.1"),
        (["2001:db8::1"], "2001:db8::1"),
        (["[2001:db8::1]:5000"], "2001:db8::1"),
        (["::ffff:198.51.100.1"], "198.51.100.1"),
        # What the client claims stands to the left of what the proxy saw.
        (["127.0.0.1, 198.51.100.1"], "198.51.100.1"),
        (["127.0.0.1", "198.51.100.1"], "198.51.100.1"),
        (["127.0.0.1, 198.51.100.1, 10.0.0.7, fd00::7"], "198.51.100.1"),
        # All are proxies: the farthest of them asks for itself.
        (["10.0.0.9, 10.0.0.7"], "10.0.0.9"),
        # What is no address ends the chain at the last one that is known.
        (["198.51.100.1, unknown"], PROXY),
        (["198.51.100.1, , 10.0.0.7"], "10.0.0.7"),
        (["198.51.100.1, 1e9, 10.0.0.7"], "10.0.0.7"),
        ([""], PROXY),
        (["\xff\x00"], PROXY),
        ([], PROXY),
    ],
)
def test_the_nearest_address_that_is_no_proxys_counts(said: list[str], expected: str) -> None:
    assert client(PROXY, *said) == expected


def test_a_proxy_that_reaches_us_over_ipv6_is_known_by_its_ipv4_address() -> None:
    assert client(f"::ffff:{PROXY}", "198.51.100.1") == "198.51.100.1"


def test_a_flood_of_addresses_is_read_as_far_as_its_bounds() -> None:
    hops = ", ".join(["10.0.0.7"] * (HOPS_MAX + 5))
    assert client(PROXY, f"198.51.100.1, {hops}") == "10.0.0.7"
    assert client(PROXY, "1" * 10_000_000 + ", 198.51.100.1") == "198.51.100.1"
    # Cut in the middle of an address, which must not become another one.
    cut = "12.34.56.78" + "," + " " * (SIZE_MAX - 10)
    assert client(PROXY, cut + "10.0.0.7")[:2] == "10"


def test_a_trusted_proxy_says_the_scheme_and_the_host() -> None:
    scope = seen(
        PROXY, ("X-Forwarded-Proto", "HTTPS"), ("X-Forwarded-Host", "a.example, agents.example:444")
    )
    assert scope["scheme"] == "https"
    assert dict(scope["headers"])[b"host"] == b"agents.example:444"
    assert public_address(scope, SETTINGS) == "https://agents.example:444"


def test_without_its_own_field_the_host_is_the_one_that_the_proxy_passed_on() -> None:
    assert public_address(seen(PROXY, ("X-Forwarded-Proto", "https")), SETTINGS) == (
        "https://here:8700"
    )


@pytest.mark.parametrize(
    ("proto", "host"),
    [
        ("javascript", "agents.example"),
        ("https", "agents.example/join#"),
        ("https", "user@agents.example"),
        ("https", "a b"),
        ("https", "x" * 300),
        ("https", ""),
    ],
)
def test_words_that_are_no_scheme_or_host_reach_no_link(proto: str, host: str) -> None:
    scope = seen(PROXY, ("X-Forwarded-Proto", proto), ("X-Forwarded-Host", host))
    address = public_address(scope, SETTINGS)
    assert address in ("http://127.0.0.1:18741", "https://here:8700")


def test_the_setting_wins_over_what_a_proxy_says() -> None:
    scope = seen(PROXY, ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "a.example"))
    settings = Settings(app_url="https://agents.example.com/")
    assert public_address(scope, settings) == "https://agents.example.com"


def test_a_proxys_own_address_is_not_the_senders() -> None:
    assert sender(seen(PROXY)) is None
    assert sender(seen(PROXY, ("X-Forwarded-For", "198.51.100.1"))) == "198.51.100.1"
    assert sender(seen("203.0.113.5")) == "203.0.113.5"
    assert sender(seen("203.0.113.5", ("X-Forwarded-For", "127.0.0.1"))) is None
    assert sender(seen(None)) is None


@pytest.mark.parametrize("name", ["trusted_proxies", "metrics_addresses"])
@pytest.mark.parametrize("text", ["everybody", "10.0.0.1/24", "10.0.0.0/33", "proxy.example"])
def test_a_list_that_names_no_network_stops_the_start(name: str, text: str) -> None:
    with pytest.raises(OperatorError, match=f"STATIONMASTER_{name.upper()}: .*write addresses"):
        settings_room.load({name: text})


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_server_on_all_addresses_is_never_named_by_them(host: str) -> None:
    assert Settings(host=host, port=9).app_address == "http://127.0.0.1:9"
    assert Settings(host="::1", port=9).app_address == "http://[::1]:9"
