"""Every table of the state of record, a module per subject.

The organization is part of every tenant table's key. Times are UTC milliseconds, days ISO text
(sorts and compares as a day on both databases). `db/migrations` makes these, and adds to stored
ones what is declared here later: tables, and columns that are nullable or have a default.
"""

# Imported to declare their tables.
from stationmaster.db.tables import (  # noqa: F401
    access,
    alerts,
    buckets,
    ciscan,
    computers,
    coverage,
    gateway,
    jobs,
    lake,
    limits,
    prices,
    readiness,
    repos,
    rollups,
    schema,
    sessions,
    signin,
    wiki,
)
from stationmaster.db.tables.base import metadata as metadata
from stationmaster.db.tables.lake import inbox_metadata as inbox_metadata
