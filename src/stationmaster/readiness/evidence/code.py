"""What source files say beyond their imports: variables of the environment, routes, settings.

One pass over the product's code, comments and tests left out. A mark is a row: the files that it
can stand in, a word that the file must hold, and the pattern that tells. A group of the pattern is
what is remembered, the whole of it otherwise.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stationmaster.projects.model import App, Place
from stationmaster.projects.queries import SOURCE_BYTES_MAX, Tree
from stationmaster.projects.test_files import is_test
from stationmaster.readiness.facts import Facts

FILES_MAX = 20_000
HITS_MAX = 200
"""Of one mark in one file."""
_COMMENT = re.compile(r"\s*(?://|#(?!\[)|\*|--|/\*|<!--|;)")
_JS = ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte")
_JVM = ("java", "kt", "kts", "scala", "groovy")
_SERVERS = (*_JS, "go", "rs", "py", "cs", "fs", "php", "rb", "ex", "exs", "cc", "cpp", *_JVM)
_NAME = r"([A-Za-z_][A-Za-z0-9_]{1,80})"
_Q = r"[\"'`]"
_SCRIPTS = (
    r"googletagmanager\.com/g(?:tag|tm)\b|\bgtag\(['\"](?:config|event)|plausible\.io/js"
    r"|data-domain=.{0,80}plausible"
    r"|(?:cloud\.umami\.is|umami\.is)/script\.js|matomo\.js|\b_paq\.push|clarity\.ms/tag"
    r"|cdn\.(?:mxpnl|segment)\.com|\bposthog\.(?:init|capture)\("
)
_HEALTH = (
    _Q + r"\^?(?:/?[\w{}:.~-]{1,40}/){0,5}/?"
    r"(?:health|healthz|healthcheck|health[-_]check|_?healthcheck_?|livez|readyz|liveness|readiness"
    r"|heartbeat|__heartbeat__|__lbheartbeat__|(?<=/)healthy)"
    r"(?:/(?:live|ready|liveness|readiness|startup|check|status|[\w{}:]{1,20}))?/?\$?(?:\.json)?"
    + _Q
)
_ROUTE = (
    r"(?i)\b(?:get|handle(?:func)?|route|path|url|map\w{0,10}|at|getmapping|requestmapping|any"
    r"|head)"
    r"\s{0,2}!?\(?\s{0,2}(?:value\s{0,3}=\s{0,3})?"
)
_SHORT_HEALTH = _Q + r"(?:/api)?/(?:up|ping|alive|live|ready|status)/?" + _Q


class Sight(NamedTuple):
    """Where a mark was seen, and what it says there."""

    place: Place
    text: str


class Mark(NamedTuple):
    endings: tuple[str, ...]
    word: str
    pattern: re.Pattern[str]


def _mark(endings: Sequence[str], word: str, pattern: str) -> Mark:
    return Mark(tuple(endings), word, re.compile(pattern))


MARKS: Mapping[str, tuple[Mark, ...]] = {
    "variable": (
        _mark(_JS, "env", rf"\b(?:process|Bun|import\.meta)\.env(?:\.|\[['\"]){_NAME}"),
        _mark(_JS, "Deno.env", rf"\bDeno\.env\.get\(['\"]{_NAME}"),
        _mark(("py",), "env",
            rf"\b(?:os\.environ(?:\.get|\.setdefault|\.pop)?[\[(]|os\.getenv\(|getenv\("
            rf"|environ\.get\()\s*['\"]{_NAME}"),
        _mark(("py",), "env",
            rf"\benv(?:\.(?:str|int|bool|list|url|db|float|json|dict|path))?\(\s*['\"]{_NAME}"),
        _mark(("go",), "env",
            rf"\bos\.(?:Getenv|LookupEnv)\(\"{_NAME}|\b(?:env|envconfig):\"{_NAME}"),
        _mark(("rb", "erb", "yml", "yaml", "ru", "rake"), "ENV",
            rf"\bENV(?:\.fetch\(\s*|\[)['\"]{_NAME}"),
        _mark(("php",), "env",
            rf"\b(?:env|getenv)\(\s*['\"]{_NAME}|\$_(?:ENV|SERVER)\[['\"]{_NAME}"),
        _mark(_JVM, "getenv", rf"\bSystem\.getenv\(\s*\"{_NAME}"),
        _mark(("cs", "fs"), "Environment", rf"\bGetEnvironmentVariable\(\s*\"{_NAME}"),
        _mark(("rs",), "env", rf"\benv::var(?:_os)?\(\s*\"{_NAME}"),
        _mark(("ex", "exs"), "System", rf"\bSystem\.(?:get_env|fetch_env!?)\(\s*\"{_NAME}"),
        _mark(("swift",), "environment", rf"\.environment\[\"{_NAME}"),
    ),
    "health": (
        *(_mark(_SERVERS, word, _HEALTH) for word in ("heal", "hear", "live", "read")),
        *(_mark(_SERVERS, word, _ROUTE + _SHORT_HEALTH) for word in ("ping", "/up", "alive")),
        _mark(("cs",), "Health", r"\bMapHealthChecks\("),
        _mark(("go",), "ealth", r"\b\w{0,60}[hH]ealth\w{0,60}\s{0,4}:?=\s{0,4}http\.HandlerFunc\("),
        _mark(("rb",), "health", r"rails/health#show"),
        _mark(("php",), "health", r"\bhealth:\s*['\"]/"),
        _mark(("py",), "health", r"\binclude\(\s*['\"]health_check"),
    ),
    "json log": (
        _mark(("cs",), "Json", r"\bAddJsonConsole\("),
        _mark(("py",), "JSON",
            r"(?i)\bclass\s+\w*Json\w*Formatter\b"
            r"|[\"']class[\"']\s*:\s*[\"'][\w.]*JSON\w*Formatter"),
        _mark(("rb",), "log_formatter", r"\blog_formatter\s*=\s*\S{0,200}J(?:SON|son)"),
        _mark(_JS, "Fastify", r"\bFastify\(\{[^}]{0,300}logger\s*:"),
        _mark(_JS, "fastify", r"\bfastify\(\{[^}]{0,300}logger\s*:"),
    ),
    "exported log": (_mark(("cs",), "Logging", r"\bLogging\.AddOpenTelemetry\("),),
    "redaction": (
        _mark(_JS, "redact", r"\bredact(?:ion)?\s*[:=(]|\bredactPaths\b|fast-redact|slow-redact"),
        _mark(_JS, "before", r"\bbefore(?:Send|Breadcrumb|SendTransaction)\s*[:(]"),
        _mark(("py",), "before_send", r"\bbefore_send\s*=|\bbefore_breadcrumb\s*="),
        _mark(("py",), "EventScrubber", r"\bEventScrubber\("),
        _mark(("py",), "Filter",
            r"\bclass\s+\w*(?:Redact|Sensitive|Scrub|Mask|Secret|Sanitiz"
            r"|Credential)\w*\((?:logging\.)?Filter\)"),
        _mark(("py",), "def ",
            r"\bdef\s+(?:redact|scrub|mask|sanitize|censor)\w*_?(?:log|event|secret|sensitive"
            r"|record|processor)\w*\("),
        _mark(("py",), "sensitive_", r"@sensitive_(?:variables|post_parameters)\b"),
        _mark(("rb",), "filter_parameters",
            r"\bfilter_parameters\s*(?:\+=|<<|=)|\bfilter_parameter\b"),
        _mark(("rb",), "before_send", r"\bbefore_send\s*="),
        _mark(("go",), "edact",
            r"\b(?:ReplaceAttr\s*:|func\s+(?:\([^)]{0,80}\)\s*)?[\w]*[Rr]edact\w*\()"),
        _mark(("go",), "ReplaceAttr", r"\bReplaceAttr\s*:"),
        _mark(("go",), "masq", r"\bmasq\.New\("),
        _mark(("rs",), "edact", r"\b(?:redact|Redacted|redaction)\b"),
        _mark(("rs",), "secrecy", r"\bsecrecy::"),
        _mark(("cs",), "Destructure",
            r"\bDestructure\.|\bDestructuringPolicy\b|\[(?:LogMasked|NotLogged|SensitiveData"
            r"|PrivateData)\b"),
        _mark(("cs",), "edact", r"\bAddRedaction\(|\bEnableRedaction\("),
        _mark(("java", "kt", "scala"), "ask",
            r"\bclass\s+\w*(?:Mask|Redact|Sanitiz)\w*(?:Converter|Layout|Filter|Appender"
            r"|Encoder|Pattern|Decorator)\b"),
        _mark(("xml",), "ask",
            r"(?i)<(?:valueMasker|mask|maskPattern|path)>|Masking\w{0,60}(?:Layout|Decorator"
            r"|Converter|JsonGenerator)"),
        _mark(("php",), "before_send", r"['\"]before_send['\"]\s*=>"),
        _mark(("php",), "dontFlash", r"\$dontFlash\b|\bdontFlash\("),
        _mark(("php",), "edact",
            r"\bclass\s+\w*(?:Redact|Sanitiz|Mask)\w*(?:Processor|Formatter|Tap)?\b"),
        _mark(("ex", "exs"), "filter_parameters", r":filter_parameters\b"),
    ),
    "request id": (
        _mark(_SERVERS, "equest",
            r"(?i)['\"`]x-(?:request|correlation|trace)-id['\"`]|\bRequestIdMiddleware\b"
            r"|\bmiddleware\.RequestID\b|\bSetRequestIdLayer\b|\bPropagateRequestIdLayer\b"
            r"|\basgi_correlation_id\b"),
        _mark(_SERVERS, "orrelation",
            r"(?i)['\"`]x-correlation-id['\"`]|\basgi_correlation_id\b"
            r"|\bCorrelationIdMiddleware\b"),
        _mark((*_JS, "go", "rs", "py", "cs", *_JVM), "traceparent", r"['\"`]traceparent['\"`]"),
    ),
    "error context": (
        _mark((*_JS,), "entry",
            r"\b(?:setUser|setTag|setTags|setContext|setExtra|addBreadcrumb|configureScope"
            r"|withScope)\(|\b(?:environment|release|initialScope)\s*:"),
        _mark((*_JS,), "ugsnag",
            r"\b(?:addMetadata|setUser|leaveBreadcrumb)\(|\b(?:appVersion|releaseStage)\s*:"),
        _mark((*_JS,), "ollbar", r"\b(?:environment|code_version|person)\s*:"),
        _mark(("py",), "entry",
            r"\b(?:set_user|set_tag|set_context|add_breadcrumb)\(|\b(?:environment|release"
            r"|send_default_pii)\s*="),
        _mark(("rb",), "entry",
            r"\b(?:set_user|set_tags?|set_context|set_extras)\b|\b(?:config|c)\.(?:environment"
            r"|release|breadcrumbs_logger|enabled_environments)\b"),
        _mark(("rb",), "oneybadger", r"\bHoneybadger\.(?:context|configure)\b"),
        _mark(("rb",), "ugsnag", r"\badd_metadata\b|\brelease_stage\b|add_on_error"),
        _mark(("go",), "entry",
            r"\b(?:Environment|Release|ServerName)\s*:|\.(?:SetUser|SetTag|SetContext"
            r"|ConfigureScope|WithScope)\("),
        _mark(("rs",), "entry", r"\b(?:release|environment)\s*:|\bconfigure_scope\("),
        _mark(("cs",), "entry", r"\.(?:Environment|Release|SetTag|ConfigureScope)\b|\bUseSentry\("),
        _mark(("java", "kt"), "entry",
            r"\bset(?:User|Tag|Environment|Release|Extra)\(|\bSentry\.(?:configureScope"
            r"|withScope)\("),
        _mark(("php",), "entry", r"['\"](?:environment|release)['\"]\s*=>|\bconfigureScope\("),
        _mark(("swift", "dart", "m"), "entry",
            r"\b(?:environment|release(?:Name)?|setUser|setTag|configureScope)\b"),
    ),
    "flag": (
        _mark((*_JS, "go", "rs", "py", "cs", "php", "rb", "ex", *_JVM, "swift", "dart"), "eature",
            r"(?i)\b(?:is_?feature_?(?:flag_?)?enabled|feature_?flags?\.(?:is_?)?(?:enabled|get"
            r"|has|on|check|active)|feature_?enabled\?|feature_?flag_?enabled"
            r"|has_?feature_?flag|use_?feature_?flags?|is_?flag_?enabled"
            r"|Features?\.(?:enabled\?|active\?|Enabled\()|feature_?flags?\.[a-z]\w{1,60}"
            r"|Flipper\.enabled\?)"),
    ),
    "retry": (
        _mark(("py",), "Retry",
            r"\bRetry\(\s*(?:total|connect|read|backoff_factor)\b|\bmax_retries\s*=\s*Retry\b"
            r"|\bHTTPTransport\(\s*retries"),
        _mark(("py",), "autoretry_for", r"\bautoretry_for\s*=|\bretry_backoff\s*="),
        _mark(("rb",), "retry_on", r"^\s*retry_on\s+[A-Z]"),
        _mark((*_JS, "go", "rs", "py", "cs", *_JVM, "php", "rb"), "ackoff",
            r"(?i)\b(?:exponential_?backoff|backoff)\w*\s*[({=:.]|\bretry_?with_?backoff\b"),
        _mark(("php",), "retry",
            r"Http::(?:\w+\([^)]{0,80}\)->)?retry\(|\bretry\(\s*(?:\d|\[|times:)"),
        _mark(("cs",), "Resilience",
            r"\bAdd(?:Standard)?Resilience\w*\(|\bAddPolicyHandler\("
            r"|\bAddTransientHttpErrorPolicy\("),
        _mark(("cs",), "EnableRetryOnFailure", r"\bEnableRetryOnFailure\("),
        _mark(("go",), "retry",
            r"(?i)\bretry(?:able)?\w{0,20}\.(?:Do|New|OnError|RetryOnConflict|NewClient"
            r"|Retry)\b|\bRetryMax\b|\bWithRetry\w*\("),
        _mark(("java", "kt"), "Retry", r"@(?:Retryable|Retry|CircuitBreaker)\b|\bRetryTemplate\b"),
    ),
    "analytics": (
        *(
            _mark((*_JS, "html", "erb", "haml", "slim", "php", "cshtml", "razor", "astro", "hbs",
                "ejs", "twig", "heex", "py"), word, _SCRIPTS)
            for word in ("googletagmanager.com/g", "plausible", "umami", "matomo", "gtag(",
                "clarity.ms", "mixpanel.com", "segment.com", "posthog")
        ),
    ),
    "experiment": (
        _mark(_SERVERS, "xperiment",
            r"(?i)\b(?:use_?experiment|get_?experiment_?variant|experiment_?variant"
            r"|run_?experiment|assign_?variant|experiment_enabled\?|in_experiment)\("),
        _mark(_SERVERS, "ab_test", r"\bab_test\("),
        _mark(_SERVERS, "abTest", r"\babTest\("),
    ),
    "migration": (
        _mark(("go",), "AutoMigrate", r"\.AutoMigrate\("),
        _mark(("go", "py", "rs", "js", "ts", "rb", "cs", "java", "kt"), "CREATE TABLE",
            r"\bCREATE TABLE\b"),
        _mark(("py",), "create_all", r"\.create_all\("),
        _mark(("cs",), "EnsureCreated", r"\.EnsureCreated(?:Async)?\("),
        _mark(_JS, "sync", r"\bsequelize\.sync\(|\bsynchronize:\s*true"),
        _mark(("java", "kt"), "@Entity", r"@Entity\b"),
    ),
    "profiler": (
        _mark(("go",), "pprof", r"\bpprof\.(?:Index|StartCPUProfile|Handler|Profile)\b"),
        _mark((*_JS, "py", "rb", "php", "go"), "profil",
            r"\bprofilesSampleRate\s*:|\bprofiles_sample_rate\s*=|\bprofileSessionSampleRate\b"
            r"|\bProfilesSampleRate\s*:|['\"]profiles_sample_rate['\"]\s*=>"),
        _mark(("rb",), "profiles_sample_rate", r"\bprofiles_sample_rate\b"),
    ),
    "encryption": (
        _mark(("rb",), "encrypts",
            r"^\s*encrypts\s+:|\battr_encrypted\s+:|\blockbox|^\s*has_encrypted\s+:"),
        _mark(("php",), "encrypted", r"=>\s*['\"]encrypted(?::\w+)?['\"]"),
        _mark(("py",), "Encrypted", r"\bEncrypted\w*Field\(|\bEncryptedType\("),
        _mark(("cs",), "Data", r"\[(?:ProtectedPersonalData|PersonalData)\]|\bIDataProtector\b"),
        _mark(("java", "kt"), "Convert", r"@Convert\([^)]{0,120}(?:Encrypt|Crypto)"),
        _mark((*_JS, "py", "go", "rb", "php", "cs", "rs", *_JVM), "nonymi",
            r"(?i)\b(?:def|func|function|fn|void|async|public|private|const)\s+\w*anonymi[sz]e\w*"),
        _mark((*_JS, "py", "go", "rb", "php", "cs", "rs", *_JVM), "ask",
            r"(?i)\b(?:mask|redact|obfuscate)_?(?:email|phone|name|address|pii|personal"
            r"|user)\w*\("),
    ),
}  # fmt: skip


def seen(facts: Facts, mark: str, app: App | None = None) -> Sequence[Sight]:
    """Where product code has a mark, that of an application or any."""
    sights = facts.remembered("marks", lambda: _scan(facts.tree)).get(mark, ())
    if app is None:
        return sights
    own = facts.remembered(f"paths of {app.path}", lambda: frozenset(facts.tree.of(app)))
    return [each for each in sights if each.place.path in own]


def _scan(tree: Tree) -> Mapping[str, tuple[Sight, ...]]:
    """Every mark of the product's code, by name, in the order of paths and lines."""
    by_ending: dict[str, list[tuple[str, Mark]]] = defaultdict(list)
    for name, marks in MARKS.items():
        for mark in marks:
            for ending in mark.endings:
                by_ending[ending].append((name, mark))
    found: dict[str, list[Sight]] = defaultdict(list)
    paths = (path for path in tree.paths if path[path.rfind(".") + 1 :] in by_ending)
    for path in [path for path in paths if not is_test(path)][:FILES_MAX]:
        if tree.files.entry(path).size > SOURCE_BYTES_MAX:
            continue
        text = tree.text(path)
        for name, mark in by_ending[path[path.rfind(".") + 1 :]]:
            if mark.word in text:
                found[name] += _sights(path, text, mark)
    return {name: tuple(dict.fromkeys(sights)) for name, sights in found.items()}


def _sights(path: str, text: str, mark: Mark) -> list[Sight]:
    sights: list[Sight] = []
    line, at = 1, 0
    for hit in mark.pattern.finditer(text):
        if len(sights) == HITS_MAX:
            break
        line += text.count("\n", at, hit.start())
        at = hit.start()
        begin = text.rfind("\n", 0, at) + 1
        if not _COMMENT.match(text, begin, at):
            told = next(filter(None, hit.groups()), hit[0])
            sights.append(Sight(Place(path, line + hit[0].count("\n", 0, 2)), told))
    return sights
