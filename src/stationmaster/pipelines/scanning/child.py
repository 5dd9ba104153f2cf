"""A scan whose answer is only passed on: the child alone loads readers and their tables."""

from __future__ import annotations

import msgspec

from stationmaster.pipelines.scanning.model import Origin
from stationmaster.repos.reading import Source


def answer(source: Source, origin: Origin) -> bytes:
    """JSON of a commit's `workflows`, `actions` and `summary`, without authors.

    Raises what `scan` raises.
    """
    from stationmaster.pipelines.scanning.scan import scan

    with source.open() as snapshot:
        return msgspec.json.encode(scan(snapshot, origin, authors_s=0))
