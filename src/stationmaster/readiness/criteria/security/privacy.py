"""How personal data is handled."""

from __future__ import annotations

import re

from stationmaster.projects.model import App, Place
from stationmaster.projects.test_files import is_test
from stationmaster.readiness.criterion import Criterion, Verdict, fails, passes, skips, unknown
from stationmaster.readiness.evidence import code, traces
from stationmaster.readiness.evidence.traces import Tool
from stationmaster.readiness.facts import Facts

MECHANISMS = (
    Tool(name="a detector of personal data", imports=("presidio_analyzer", "presidio_anonymizer",
        "scrubadub", "@google-cloud/dlp", "google.cloud.dlp*", "cloud.google.com/go/dlp*",
        "com.google.cloud.dlp", "redact-pii", "pii_filter", "@aws-sdk/client-comprehend",
        "piicatcher", "top_secret"), packages=("presidio*",)),
    Tool(name="classified fields", imports=("Microsoft.Extensions.Compliance*",
        "Microsoft.AspNetCore.DataProtection*"), packages=("microsoft.extensions.compliance.*",)),
    Tool(name="encrypted fields", imports=("encrypted_model_fields", "django_cryptography",
        "fernet_fields", "encrypted_fields", "django_crypto_fields", "prisma-field-encryption",
        "typeorm-encrypted", "mongoose-field-encryption", "@47ng/cloak", "cloak_ecto", "Cloak",
        "sqlalchemy_utils.types.encrypted"),
         packages=("lockbox", "attr_encrypted", "blind_index", "symmetric-encryption", "cloak_ecto",
             "paragonie/ciphersweet", "spatie/laravel-ciphersweet")),
    Tool(name="a scrubber of data", packages=("logstop", "gdpr_rails", "rails-data-anonymizer",
        "spatie/laravel-personal-data-export", "soved/laravel-gdpr",
        "sander-van-hooft/laravel-gdpr", "django-gdpr-assist", "pupilsecurity*"),
        imports=("gdpr_assist", "django_scrubber", "postgresql_anonymizer", "nymize")),
)  # fmt: skip
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
CONSENT = (
    Tool(name="a manager of consent", imports=("vanilla-cookieconsent", "klaro",
        "react-cookie-consent", "@onetrust/*", "cookieconsent", "tarteaucitronjs",
        "@usercentrics/*", "@iubenda/*", "@c15t/*", "osano", "@orestbida/*",
        "vue-cookie-accept-decline", "cookiebot*"),
         packages=("spatie/laravel-cookie-consent", "whitecube/laravel-cookie-consent",
             "cookies_eu", "django-cookie-consent")),
)  # fmt: skip
_SIGNALS_MIN = 2


def _pii(facts: Facts, app: App) -> Verdict:
    if found := traces.of_app(facts, app, MECHANISMS):
        return passes(f"There is {found.tool}", found.place)
    if seen := code.seen(facts, "encryption", app):
        return passes("Personal data is encrypted, masked or made anonymous", seen[0].place)
    if people := _people(facts, app):
        return unknown(
            f"There are people's data ({people}), and only reading the code tells how they are "
            "handled"
        )
    return skips("No personal data was found")


def _people(facts: Facts, app: App) -> str | None:
    found = (path for path in facts.tree.of(app) if _PEOPLE.fullmatch(path))
    return next((path for path in found if not is_test(path)), None)


def _privacy(facts: Facts) -> Verdict:
    signals: dict[str, Place] = {}
    for name, pattern in _SIGNALS.items():
        found = (path for path in facts.tree.paths if pattern.fullmatch(path))
        if own := next((path for path in found if not is_test(path)), None):
            signals[name] = Place(own)
    if consent := traces.of_repository(facts, CONSENT):
        signals["consent"] = consent.place
    if len(signals) >= _SIGNALS_MIN:
        return passes(f"There are {' and '.join(signals)}", *signals.values())
    if not signals and not any(_people(facts, app) for app in facts.project.apps):
        return skips("No data of end users was found")
    told = f"only {next(iter(signals))} was found" if signals else "nothing was found"
    return fails(f"Of policy, consent, retention, export and deletion, {told}", *signals.values())


PII_HANDLING = Criterion(
    id="pii_handling",
    title="Personal data handling",
    level=3,
    pillar="Security",
    scope="application",
    looks_for="Fields that are classified, encrypted or masked in the application's code.",
    remedy="Classify the fields that hold personal data, and mask them.",
    kinds=frozenset({"service", "web", "mobile"}),
    app=_pii,
)
PRIVACY_COMPLIANCE = Criterion(
    id="privacy_compliance",
    title="Privacy compliance",
    level=4,
    pillar="Security",
    scope="repository",
    looks_for="Two of: a privacy policy, consent, retention, export or deletion, an assessment.",
    remedy="Write down how long data is kept, and let people export and delete their own.",
    kinds=frozenset({"service", "web", "mobile"}),
    repository=_privacy,
)
