"""How personal data is handled."""

from __future__ import annotations

import re

from stationmaster.readiness.evidence import tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips, unknown
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.test_files import is_test

_PEOPLE = re.compile(
    r"(?:.*/)?(?:users?|accounts?|customers?|profiles?|members?|person|contact|patient|app_?user"
    r"|application_?user)"
    r"(?:[._](?:entity|model|schema))?\.(?:py|rb|go|rs|java|kt|cs|php|ts|js|ex|prisma|swift)"
    r"|(?:.*/)?(?:users|accounts|customers)/models\.py",
    re.I,
)
_SIGNALS = {
    "a privacy policy": re.compile(
        r"(?:.*/)?[^/]{0,40}privacy(?:[-_]?(?:policy|notice|statement))?[^/]{0,20}"
        r"\.(?:mdx?|rst|txt|html|erb|haml|slim|php|vue|svelte|astro|[jt]sx?|cshtml|razor|twig|hbs)"
        r"|(?:.*/)?privacy(?:-policy)?/[^/]{1,60}\.(?:mdx?|[jt]sx|vue|svelte|html|astro)",
        re.I,
    ),
    "a store's privacy manifest": re.compile(r"(?:.*/)?PrivacyInfo\.xcprivacy"),
    "an assessment": re.compile(
        r"(?:.*/)?[^/]{0,40}(?:dpia|gdpr|data[-_]protection)[^/]{0,40}\.(?:mdx?|rst|txt|html)", re.I
    ),
    "retention": re.compile(
        r"(?!.*migrat)(?:.*/)?[^/]{0,60}(?:data_?retention|retention_?(?:policy|job|service)"
        r"|anonymi[sz]|expunge"
        r"|(?:prune|purge|clean_?up|delete|remove|expire)[-_]?(?:old|expired|inactive|stale"
        r"|deleted)?[-_]?"
        r"(?:user|account|data|log|event|session|message|record|history)s?)[^/]{0,40}"
        r"\.(?:py|rb|go|rs|java|kt|cs|php|ts|js|ex|sql)",
        re.I,
    ),
    "export or deletion": re.compile(
        r"(?!.*migrat)(?:.*/)?[^/]{0,60}(?:(?:data|user|account)[-_]?export|export[-_]?(?:user"
        r"|account|data)"
        r"|(?:delete|remove|close)[-_]?(?:account|user)|(?:account|user)[-_]?deletion"
        r"|gdpr|personal[-_]?data|erasure)[^/]{0,40}"
        r"\.(?:py|rb|go|rs|java|kt|cs|php|[jt]sx?|vue|ex|cshtml|razor|svelte)",
        re.I,
    ),
}
_SIGNALS_MIN = 2


def pii_handling(facts: Facts, app: App) -> Verdict:
    """Unknown where there are people's data, which only a reader can judge; skipped elsewhere."""
    if people := _people(facts, app):
        return unknown(
            f"There are people's data ({people}), and only reading the code shows how they are "
            "handled"
        )
    return skips("There is no file of personal data")


def _people(facts: Facts, app: App) -> str | None:
    paths = (path for path in facts.tree.of(app) if _PEOPLE.fullmatch(path))
    return next((path for path in paths if not is_test(path)), None)


def privacy_compliance(facts: Facts) -> Verdict:
    """Passes where at least two of policy, consent, retention, export and deletion are there."""
    signals: dict[str, Place] = {}
    for name, pattern in _SIGNALS.items():
        paths = (path for path in facts.tree.paths if pattern.fullmatch(path))
        if own := next((path for path in paths if not is_test(path)), None):
            signals[name] = Place(own)
    if consent := tools.of_repository(facts, "consent"):
        signals["consent"] = consent.places[0]
    if len(signals) >= _SIGNALS_MIN:
        return passes(f"There are {' and '.join(signals)}", *signals.values())
    if not signals and not any(_people(facts, app) for app in facts.project.apps):
        return skips("There are no data of end users")
    there = f"only {next(iter(signals))} is there" if signals else "nothing is there"
    return fails(f"Of policy, consent, retention, export and deletion, {there}", *signals.values())
