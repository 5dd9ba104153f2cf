"""What is set up for watching, for safety and for what people see: by packages that code imports.

A package proves that something is there and where, never that it is enough.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

import msgspec

from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.file_routes import FileRoute, file_routes
from stationmaster.wiki.facts.links import all_links
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.routes import endpoints

PLACES_MAX = 4
TOPICS: Mapping[str, Mapping[str, str]] = {
    "observability": {
        "Logging": "logging structlog loguru log/slog github.com/rs/zerolog go.uber.org/zap"
        " github.com/sirupsen/logrus winston pino log tracing env_logger tracing_subscriber slf4j"
        " org.slf4j org.apache.logging Serilog NLog Microsoft.Extensions.Logging Monolog"
        " lograge semantic_logger io.github.oshai",
        "Metrics": "prometheus_client github.com/prometheus/client_golang prom-client prometheus"
        " metrics io.micrometer prometheus_exporter statsd datadog yabeda Prometheus",
        "Tracing": "opentelemetry @opentelemetry go.opentelemetry.io/otel OpenTelemetry"
        " io.opentelemetry tracing_opentelemetry ddtrace dd-trace jaeger_client",
        "Error reports": "sentry_sdk @sentry github.com/getsentry/sentry-go sentry io.sentry Sentry"
        " rollbar bugsnag honeybadger airbrake newrelic",
    },
    "security": {
        "Who somebody is": "django.contrib.auth allauth flask_login passport next-auth"
        " @auth/core devise omniauth authlib oauthlib social_core golang.org/x/oauth2"
        " github.com/coreos/go-oidc openid-client org.springframework.security"
        " Microsoft.AspNetCore.Authentication Microsoft.AspNetCore.Identity Duende oauth2"
        " Laravel/Sanctum webauthn fido2 github.com/go-webauthn @simplewebauthn ldap3"
        " github.com/go-ldap pyotp rotp totp_rs",
        "Tokens": "jwt jose jsonwebtoken github.com/golang-jwt josekit itsdangerous"
        " com.auth0 io.jsonwebtoken Microsoft.IdentityModel",
        "Passwords": "bcrypt argon2 passlib bcryptjs pwdlib scrypt golang.org/x/crypto/bcrypt"
        " golang.org/x/crypto/argon2 argon2id pbkdf2 password_hash",
        "Encryption": "cryptography nacl crypto/aes crypto/tls crypto/rsa"
        " golang.org/x/crypto libsodium-wrappers rustls openssl javax.crypto"
        " System.Security.Cryptography rbnacl",
        "Markup that is made safe": "bleach nh3 dompurify isomorphic-dompurify sanitize-html"
        " github.com/microcosm-cc/bluemonday ammonia loofah",
        "Limits and headers": "slowapi flask_limiter express-rate-limit helmet cors rack-attack"
        " rack/attack corsheaders flask_cors @fastify/helmet github.com/rs/cors tower_governor",
    },
    "ui": {
        "State": "redux @reduxjs/toolkit zustand pinia vuex mobx recoil jotai @ngrx valtio"
        " nanostores @tanstack/react-query swr @apollo/client",
        "Forms": "react-hook-form formik vee-validate @tanstack/react-form react-final-form",
        "Translations": "i18next react-i18next vue-i18n react-intl next-intl svelte-i18n",
        "Components": "@mui/material antd @chakra-ui/react @radix-ui @headlessui/react"
        " bootstrap vuetify element-plus @mantine/core primevue",
    },
}  # fmt: skip
"""Pages, their topics, and the packages that prove them: as code imports them."""
_HEALTH = re.compile(r"(?i)(?:.*/)?_*(?:health|healthz|healthcheck|health-check|ready|readyz|livez?"
                     r"|liveness|readiness|metrics)/?")  # fmt: skip
_POLICIES = re.compile(
    r"(?:\.github/|docs/)?SECURITY\.(?:md|rst|txt|adoc)|\.well-known/security\.txt"
)
_COMPONENTS = re.compile(r"((?:.*/)?components)/.+\.(?:vue|svelte|tsx|jsx|astro)")


class Set(msgspec.Struct, frozen=True):
    """A package, and where it is imported: `count` files, the first of them as `places`."""

    topic: str
    package: str
    count: int
    places: tuple[tuple[str, int], ...]


@query
def set_up(facts: Facts, page: str) -> tuple[Set, ...]:
    """By the order of topics, those that most files import first."""
    topics = {
        package: topic for topic, packages in TOPICS[page].items() for package in packages.split()
    }
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for path, outside in _imports(facts):
        for name, line in outside:
            package = _known(name, topics)
            if package:
                found[package].append((path, line))
    order = list(TOPICS[page])
    told = []
    for package, places in found.items():
        by_file = tuple(sorted(dict(reversed(places)).items()))
        told.append(Set(topics[package], package, len(by_file), by_file[:PLACES_MAX]))
    return tuple(sorted(told, key=lambda e: (order.index(e.topic), -e.count, e.package)))


@query
def health_routes(facts: Facts) -> tuple[tuple[str, str, int], ...]:
    """Routes that tell how the program is: path, file and line."""
    return tuple(
        (each.route, each.path, each.line)
        for each in endpoints(facts)
        if _HEALTH.fullmatch(each.route)
    )


@query
def guards(facts: Facts) -> tuple[tuple[str, int, str, int], ...]:
    """What provably guards routes: its name, how many routes, and the first one's place."""
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for each in endpoints(facts):
        if each.guard:
            found[each.guard].append((each.path, each.line))
    return tuple((name, len(found[name]), *min(found[name])) for name in sorted(found))


@query
def policies(facts: Facts) -> tuple[str, ...]:
    return tuple(path for path in facts.tree.all_paths if _POLICIES.fullmatch(path))


@query
def screens(facts: Facts) -> tuple[FileRoute, ...]:
    return tuple(each for each in file_routes(facts) if not each.methods)


@query
def components(facts: Facts) -> tuple[tuple[str, int], ...]:
    """Folders of components, and how many files each holds."""
    found: dict[str, int] = defaultdict(int)
    for path in facts.tree.paths:
        matched = _COMPONENTS.fullmatch(path)
        if matched and not is_test(path):
            found[matched[1]] += 1
    return tuple(sorted(found.items()))


@query
def _imports(facts: Facts) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    """What product files take from outside, with lines."""
    return tuple(
        (path, tuple((each.name, each.line) for each in outside))
        for path, outside in all_links(facts).outside.items()
        if facts.records[path].file_class == "source"
    )


def _known(name: str, topics: Mapping[str, str]) -> str:
    """The package of ours that a name is, or that it is inside of."""
    while name:
        if name in topics:
            return name
        cut = max(name.rfind("/"), name.rfind("."), name.rfind("::"))
        name = name[:cut].rstrip(":") if cut > 0 else ""
    return ""
