"""The criteria of the pillar Documentation."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.readiness.criteria.documentation import agents, architecture, generated, pages
from stationmaster.readiness.verdict import OfApp, OfRepository

OF_APP: Mapping[str, OfApp] = {"api_schema_docs": generated.api_schema}
OF_REPOSITORY: Mapping[str, OfRepository] = {
    "readme": pages.readme,
    "license": pages.licence,
    "agents_md": agents.instructions,
    "contributing_guide": pages.contributing_guide,
    "automated_doc_generation": generated.doc_generation,
    "documentation_freshness": pages.freshness,
    "skills": agents.skills,
    "service_flow_documented": architecture.described,
    "agents_md_validation": agents.validation,
}
