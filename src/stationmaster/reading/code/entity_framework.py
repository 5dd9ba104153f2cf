"""Names of Entity Framework: the reader of C# and wikis, which join what its files declare, use
them. No grammar is loaded for them."""

from __future__ import annotations

from stationmaster.catalogue import code

FRAMEWORK = code.table("csharp.entities.framework", str)
SCALARS = code.names("csharp.entities.scalars")
"""Types that a store keeps in one column."""
