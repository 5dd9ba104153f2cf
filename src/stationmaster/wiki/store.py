"""Every change of the wiki, and what is read along with one or for an export.

The caller's transaction makes several statements one. `search` has the queries of the search,
`reads` those of the operations that only look something up.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import (
    Connection,
    Row,
    delete,
    exists,
    insert,
    select,
    update,
)

from stationmaster.db.tables.wiki import wiki_assets, wiki_bodies, wiki_pages, wiki_runs
from stationmaster.ids import OrgId, RepoId
from stationmaster.wiki.model import Asset, Details, Node, Origin, Page, PrivacyLevel, Run

_ORIGIN = Origin.__struct_fields__
_OWN = tuple(name for name in Run.__struct_fields__ if name != "origin")
_RUN = tuple(wiki_runs.c[name] for name in (*_OWN, *_ORIGIN))
_PAGE = (
    wiki_pages.c.page_id,
    wiki_pages.c.path,
    wiki_pages.c.title,
    wiki_pages.c.position,
    wiki_pages.c.is_index,
    wiki_pages.c.digest,
)
_ASSET = tuple(wiki_assets.c[name] for name in Asset.__struct_fields__)
_PER_STATEMENT = 500
"""Digests in one statement; databases bound how many values one may name."""


# Runs


def insert_run(
    connection: Connection, org: OrgId, run: Run, page_tree: list[Node], details: Details | None
) -> None:
    """Add a run with its tree, which is read far more often than made."""
    values = _values(run, page_tree, details)
    connection.execute(insert(wiki_runs).values(org_id=org, **values))


def complete_run(
    connection: Connection, org: OrgId, run: Run, page_tree: list[Node], details: Details
) -> None:
    """Replace all that is stored of a run."""
    connection.execute(
        update(wiki_runs)
        .where(wiki_runs.c.org_id == org, wiki_runs.c.run_id == run.run_id)
        .values(**_values(run, page_tree, details))
    )


def run_of_job(connection: Connection, org: OrgId, job_id: str) -> Run | None:
    row = connection.execute(
        select(*_RUN).where(wiki_runs.c.org_id == org, wiki_runs.c.job_id == job_id)
    ).first()
    return None if row is None else _run(row)


def is_generated(connection: Connection, org: OrgId, repository: RepoId) -> bool:
    """Was a wiki of the repository ever generated to its end?"""
    runs = select(wiki_runs.c.run_id).where(
        wiki_runs.c.org_id == org,
        wiki_runs.c.repository_id == repository,
        wiki_runs.c.job_id.is_not(None),
        wiki_runs.c.completed_at.is_not(None),
    )
    return connection.execute(runs.limit(1)).first() is not None


def surplus(connection: Connection, org: OrgId, repository: RepoId, keep: int) -> list[str]:
    """Generated runs beyond the newest ones."""
    runs = select(wiki_runs.c.run_id).where(
        wiki_runs.c.org_id == org,
        wiki_runs.c.repository_id == repository,
        wiki_runs.c.job_id.is_not(None),
    )
    newest_first = runs.order_by(wiki_runs.c.run_id.desc()).offset(keep).limit(_PER_STATEMENT)
    return list(connection.execute(newest_first).scalars())


def details(connection: Connection, org: OrgId, run_id: str) -> Details | None:
    """What was counted when a run was made; None for one of an earlier version."""
    stored = connection.execute(
        select(wiki_runs.c.details).where(wiki_runs.c.org_id == org, wiki_runs.c.run_id == run_id)
    ).scalar()
    return None if stored is None else msgspec.json.decode(stored, type=Details)


def run(connection: Connection, org: OrgId, run_id: str) -> Run | None:
    """A run, without a check of who may see it."""
    row = connection.execute(
        select(*_RUN).where(wiki_runs.c.org_id == org, wiki_runs.c.run_id == run_id)
    ).first()
    return None if row is None else _run(row)


def run_ids(connection: Connection, org: OrgId) -> list[str]:
    """Every run, oldest first."""
    runs = select(wiki_runs.c.run_id).where(wiki_runs.c.org_id == org)
    return list(connection.execute(runs.order_by(wiki_runs.c.run_id)).scalars())


def set_privacy(connection: Connection, org: OrgId, run_id: str, level: PrivacyLevel) -> None:
    connection.execute(
        update(wiki_runs)
        .where(wiki_runs.c.org_id == org, wiki_runs.c.run_id == run_id)
        .values(privacy_level=level)
    )


def delete_run(connection: Connection, org: OrgId, run_id: str) -> None:
    """Delete a run with its pages and images, and the bodies that nothing else consists of."""
    digests: set[bytes] = set()
    for table in (wiki_pages, wiki_assets):
        used = select(table.c.digest).where(table.c.org_id == org, table.c.run_id == run_id)
        digests |= set(connection.execute(used).scalars())
    for table in (wiki_pages, wiki_assets, wiki_runs):
        connection.execute(delete(table).where(table.c.org_id == org, table.c.run_id == run_id))
    for some in _batches(sorted(digests)):
        unused = delete(wiki_bodies).where(
            wiki_bodies.c.org_id == org, wiki_bodies.c.digest.in_(some)
        )
        for table in (wiki_pages, wiki_assets):
            unused = unused.where(
                ~exists().where(table.c.org_id == org, table.c.digest == wiki_bodies.c.digest)
            )
        connection.execute(unused)


# Pages, images and what they consist of


def insert_files(
    connection: Connection, org: OrgId, run_id: str, pages: Iterable[Page], assets: Iterable[Asset]
) -> None:
    place = {"org_id": org, "run_id": run_id}
    rows = [place | msgspec.structs.asdict(page) for page in pages]
    for row in rows:
        row["position"] = row.pop("order")
    connection.execute(insert(wiki_pages), rows)
    images = [place | msgspec.structs.asdict(asset) for asset in assets]
    if images:
        connection.execute(insert(wiki_assets), images)


def insert_bodies(connection: Connection, org: OrgId, bodies: dict[bytes, bytes]) -> None:
    """Store contents by digest; those that are there already are stored once."""
    stored: set[bytes] = set()
    for some in _batches(sorted(bodies)):
        present = select(wiki_bodies.c.digest).where(
            wiki_bodies.c.org_id == org, wiki_bodies.c.digest.in_(some)
        )
        stored |= set(connection.execute(present).scalars())
    rows = [
        {"org_id": org, "digest": digest, "content": content}
        for digest, content in bodies.items()
        if digest not in stored
    ]
    if rows:
        connection.execute(insert(wiki_bodies), rows)


def pages(connection: Connection, org: OrgId, run_id: str) -> list[Page]:
    rows = select(*_PAGE).where(wiki_pages.c.org_id == org, wiki_pages.c.run_id == run_id)
    return [Page(*row) for row in connection.execute(rows)]


def assets(connection: Connection, org: OrgId, run_id: str) -> list[Asset]:
    rows = (
        select(*_ASSET)
        .where(wiki_assets.c.org_id == org, wiki_assets.c.run_id == run_id)
        .order_by(wiki_assets.c.path)
    )
    return [Asset(*row) for row in connection.execute(rows)]


def body(connection: Connection, org: OrgId, digest: bytes) -> bytes:
    """A content by its digest, which a page or an image of the organization has."""
    content = select(wiki_bodies.c.content).where(
        wiki_bodies.c.org_id == org, wiki_bodies.c.digest == digest
    )
    return bytes(connection.execute(content).scalar_one())


def _values(run: Run, page_tree: list[Node], details: Details | None) -> dict[str, Any]:
    return {
        **{name: getattr(run, name) for name in _OWN},
        **msgspec.structs.asdict(run.origin),
        "page_tree": msgspec.json.encode(page_tree),
        "details": None if details is None else msgspec.json.encode(details),
    }


def _run(row: Row[Any]) -> Run:
    values = row._asdict()
    origin = Origin(**{name: values.pop(name) for name in _ORIGIN})
    return Run(**values, origin=origin)


def _batches(digests: list[bytes]) -> list[list[bytes]]:
    return [digests[i : i + _PER_STATEMENT] for i in range(0, len(digests), _PER_STATEMENT)]
