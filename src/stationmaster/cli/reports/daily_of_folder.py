"""Daily reports of a local data folder, in the forms that a server answers with."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, cast

from stationmaster.analytics import queries, reports
from stationmaster.analytics.formats import export
from stationmaster.analytics.freshness import Freshness
from stationmaster.cli import folder
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.mover import Mover
from stationmaster.settings import Settings


def write(
    settings: Settings,
    org: str | None,
    report: str,
    parameters: Mapping[str, str],
    filters: Mapping[str, list[str]],
    form: str,
) -> None:
    """Write a report to standard output as json, ndjson, csv or parquet.

    Its days are brought up to date first. Raises BadRequest for impossible parameters.
    """
    with folder.tenant(settings, org) as (db, org_id):
        question = queries.asked(
            db, settings, org_id, cast(Any, report), dict(parameters), cast(Any, dict(filters))
        )
        inbox = Inbox.open(settings)
        try:
            mover = Mover(inbox.database, db, settings)
            fresh = Freshness(db, inbox, mover, settings)
            # No worker makes facts in the background of a folder.
            fresh.ensure_asked(question, facts=question.is_insight)
        finally:
            inbox.close()
        answer = reports.find(db, question)
        out = sys.stdout.buffer
        name, documents = answer.question.name, reports.documents(db, answer)
        if form == "parquet":
            export.to_parquet(name, documents, out)
        elif form == "csv":
            out.writelines(export.to_csv(name, documents))
        elif form == "ndjson":
            out.writelines(export.to_ndjson(documents))
        else:
            out.writelines(reports.envelope(db, answer))
            out.write(b"\n")
        out.flush()
