"""The criteria of the pillar Documentation."""

from __future__ import annotations

from stationmaster.readiness.criteria.documentation import agents, architecture, generated, pages

CRITERIA = (
    pages.README,
    pages.LICENSE,
    agents.AGENTS_MD,
    pages.CONTRIBUTING_GUIDE,
    generated.AUTOMATED_DOC_GENERATION,
    pages.DOCUMENTATION_FRESHNESS,
    agents.SKILLS,
    architecture.SERVICE_FLOW_DOCUMENTED,
    generated.API_SCHEMA_DOCS,
    agents.AGENTS_MD_VALIDATION,
)
