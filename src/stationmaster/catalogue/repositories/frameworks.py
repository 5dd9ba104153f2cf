"""Packages that show what an application is: `frameworks.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, lazy_table


class Frameworks(Row, frozen=True):
    """The whole table, which describes each group."""

    service: tuple[str, ...]
    routeless: tuple[str, ...]
    serving: frozenset[str]
    job: tuple[str, ...]
    mobile: tuple[str, ...]
    desktop: tuple[str, ...]
    cli: tuple[str, ...]
    pages: tuple[str, ...]
    sites: frozenset[str]
    components: tuple[str, ...]
    bundlers: tuple[str, ...]
    programs: frozenset[str]
    packagings: frozenset[str]
    settings: tuple[str, ...]
    rust_settings: frozenset[str]
    testing: tuple[str, ...]


frameworks = lazy_table("repositories/frameworks", Frameworks)
