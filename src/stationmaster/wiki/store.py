"""Every query of the wiki but those of its search. The caller's transaction makes several one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from stationmaster.db.tables.wiki import wiki_assets, wiki_bodies, wiki_pages, wiki_runs
from stationmaster.ids import OrgId, RepoId
from stationmaster.wiki.model import Asset, Origin, Page, PrivacyLevel, Run

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


def insert_run(connection: Connection, org: OrgId, run: Run) -> None:
    own = {name: getattr(run, name) for name in _OWN}
    origin = msgspec.structs.asdict(run.origin)
    connection.execute(insert(wiki_runs).values(org_id=org, **own, **origin))


def run(connection: Connection, org: OrgId, run_id: str) -> Run | None:
    """A run, whoever may see it."""
    row = connection.execute(
        select(*_RUN).where(wiki_runs.c.org_id == org, wiki_runs.c.run_id == run_id)
    ).first()
    return None if row is None else _run(row)


def runs_of(
    connection: Connection,
    org: OrgId,
    repository: RepoId,
    *,
    viewer: str,
    limit: int,
    before: str | None,
) -> list[Run]:
    """What `viewer` sees of a repository's runs, newest first; those older than `before`."""
    wanted = select(*_RUN).where(
        wiki_runs.c.org_id == org,
        wiki_runs.c.repository_id == repository,
        _visible_to(viewer, wiki_runs.c),
    )
    if before is not None:
        wanted = wanted.where(wiki_runs.c.run_id < before)
    ordered = wanted.order_by(wiki_runs.c.run_id.desc()).limit(limit)
    return [_run(row) for row in connection.execute(ordered)]


def newest_runs(connection: Connection, org: OrgId, *, viewer: str) -> list[Run]:
    """The newest run of each repository that `viewer` sees, newest first.

    Steps from repository to repository in the index, so that the length of no history counts.
    """
    repository = wiki_runs.c.repository_id
    of_org = wiki_runs.c.org_id == org
    step = select(func.min(repository).label("id")).where(of_org).cte("step", recursive=True)
    following = select(func.min(repository)).where(of_org, repository > step.c.id)
    step = step.union_all(select(following.scalar_subquery()).where(step.c.id.is_not(None)))
    newest = wiki_runs.alias("newest")
    newest_id = (
        select(newest.c.run_id)
        .where(newest.c.org_id == org, newest.c.repository_id == step.c.id)
        .where(_visible_to(viewer, newest.c))
        .order_by(newest.c.run_id.desc())
        .limit(1)
        .scalar_subquery()
    )
    wanted = (
        select(*_RUN)
        .select_from(step)
        .join(wiki_runs, of_org & (wiki_runs.c.run_id == newest_id))
        .order_by(wiki_runs.c.run_id.desc())
    )
    return [_run(row) for row in connection.execute(wanted)]


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
        found = select(table.c.digest).where(table.c.org_id == org, table.c.run_id == run_id)
        digests |= set(connection.execute(found).scalars())
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
    """Keep contents by digest; those that are there already are there once."""
    known: set[bytes] = set()
    for some in _batches(sorted(bodies)):
        found = select(wiki_bodies.c.digest).where(
            wiki_bodies.c.org_id == org, wiki_bodies.c.digest.in_(some)
        )
        known |= set(connection.execute(found).scalars())
    rows = [
        {"org_id": org, "digest": digest, "content": content}
        for digest, content in bodies.items()
        if digest not in known
    ]
    if rows:
        connection.execute(insert(wiki_bodies), rows)


def pages(connection: Connection, org: OrgId, run_id: str) -> list[Page]:
    found = select(*_PAGE).where(wiki_pages.c.org_id == org, wiki_pages.c.run_id == run_id)
    return [Page(*row) for row in connection.execute(found)]


def some_pages(
    connection: Connection, org: OrgId, run_id: str, page_ids: Sequence[str]
) -> dict[str, Page]:
    """Pages of a run by id; ids of no page are left out."""
    found = select(*_PAGE).where(
        wiki_pages.c.org_id == org,
        wiki_pages.c.run_id == run_id,
        wiki_pages.c.page_id.in_(page_ids),
    )
    return {row.page_id: Page(*row) for row in connection.execute(found)}


def assets(connection: Connection, org: OrgId, run_id: str) -> list[Asset]:
    found = (
        select(*_ASSET)
        .where(wiki_assets.c.org_id == org, wiki_assets.c.run_id == run_id)
        .order_by(wiki_assets.c.path)
    )
    return [Asset(*row) for row in connection.execute(found)]


def body(connection: Connection, org: OrgId, digest: bytes) -> bytes:
    """A content by its digest, which a page or an image of the organization has."""
    found = select(wiki_bodies.c.content).where(
        wiki_bodies.c.org_id == org, wiki_bodies.c.digest == digest
    )
    return bytes(connection.execute(found).scalar_one())


def body_part(connection: Connection, org: OrgId, digest: bytes, start: int, size: int) -> bytes:
    """Some bytes of a content; `start` counts from 0."""
    part = func.substr(wiki_bodies.c.content, start + 1, size)
    found = select(part).where(wiki_bodies.c.org_id == org, wiki_bodies.c.digest == digest)
    return bytes(connection.execute(found).scalar_one())


def _visible_to(viewer: str, runs: ReadOnlyColumnCollection[str, Any]) -> ColumnElement[bool]:
    return or_(runs.privacy_level == "organization", runs.created_by == viewer)


def _run(row: Row[Any]) -> Run:
    values = row._asdict()
    origin = Origin(**{name: values.pop(name) for name in _ORIGIN})
    return Run(**values, origin=origin)


def _batches(digests: list[bytes]) -> list[list[bytes]]:
    return [digests[i : i + _PER_STATEMENT] for i in range(0, len(digests), _PER_STATEMENT)]
