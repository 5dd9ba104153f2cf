"""Methods that have something run later, and what then runs: `enqueuing.toml`; and what libraries
call on objects of classes that extend theirs: `called_back.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import lazy_table

enqueuing = lazy_table("enqueuing", dict[str, str])
"""The method of a class that runs, by the method called on it; '' for a function itself."""
called_back = lazy_table("called_back", dict[str, list[str]])
"""The methods that a library calls, by its class behind the package that it is imported from."""
