"""A database of the oldest schema that upgrades, as the software of its time left it."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection

from stationmaster.db import revision

# What PostgreSQL has under another name, or otherwise.
_TYPES = {"INTEGER": "BIGINT", "BLOB": "BYTEA", " WITHOUT ROWID": "", "DEFAULT '0'": "DEFAULT 0"}
_SEARCH = {
    "sqlite": "CREATE VIRTUAL TABLE wiki_search USING fts5(org_id UNINDEXED, run_id UNINDEXED, "
    "page_id UNINDEXED, start UNINDEXED, size UNINDEXED, mark, title, headings, body, "
    "tokenize = 'ascii')",
    "postgresql": "CREATE TABLE wiki_search (org_id text NOT NULL, run_id text NOT NULL, "
    "page_id text NOT NULL, start bigint NOT NULL, size bigint NOT NULL, words tsvector NOT NULL)",
}
_INBOX = """
CREATE TABLE inbox (id BIGSERIAL PRIMARY KEY, org_id TEXT NOT NULL, first_day TEXT,
    size INTEGER NOT NULL, batch_id TEXT, tally BYTEA NOT NULL, payload BYTEA);
CREATE INDEX inbox_by_batch ON inbox (batch_id);
CREATE INDEX inbox_by_org ON inbox (org_id, first_day)
"""
_VERSION = """
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))
"""


def make(connection: Connection) -> None:
    """Make the schema of `revision.OLDEST` in an empty database."""
    dialect = connection.dialect.name
    tables = Path(__file__).with_suffix(".sql").read_text().partition("\n")[2]
    if dialect == "postgresql":
        for written, meant in _TYPES.items():
            tables = tables.replace(written, meant)
        tables += _INBOX
    for statement in (*tables.split(";"), _SEARCH[dialect], _VERSION):
        if statement.strip():
            connection.exec_driver_sql(statement)
    connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{revision.OLDEST}')")
