"""How to ask each operation so that it succeeds for whoever may: the requests of the matrix.

An operation without an entry is asked without parameters and body. An entry makes what it asks
about afresh, in the organization of `cast`, so that every cell stands alone.
"""

from __future__ import annotations

from tests.conformance.asks import (
    alerts_and_providers,
    computers,
    figures,
    limits,
    people,
    readiness,
    repositories,
    sessions_and_jobs,
    signing_in,
    wikis,
)
from tests.conformance.asks.ask import ASKS, Ask, asked, send

SUBJECTS = (
    figures,
    limits,
    computers,
    repositories,
    sessions_and_jobs,
    alerts_and_providers,
    people,
    readiness,
    signing_in,
    wikis,
)
"""The modules whose requests are entered in ASKS when they are loaded."""
__all__ = ("ASKS", "SUBJECTS", "Ask", "asked", "send")
