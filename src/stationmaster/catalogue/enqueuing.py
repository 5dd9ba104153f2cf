"""Methods that have something run later, and what then runs: `enqueuing.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import once

enqueuing = once("enqueuing", dict[str, str])
"""The method of a class that runs, by the method called on it; '' for a function itself."""
