"""The way to addresses that organizations name: public ones alone, unless the operator permits the
host, and to the address that was checked, whatever the name says later.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from stationmaster.access.signing_in.provider import TIMEOUT_S, AddressRefused, Reach, Way
from stationmaster.repos import network
from stationmaster.repos.model import FetchFailed
from stationmaster.settings import Settings, names_of


def to_issuers(settings: Settings) -> Reach:
    """The way to identity providers."""
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
