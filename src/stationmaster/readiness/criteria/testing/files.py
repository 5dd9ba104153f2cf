"""Which files are tests, by what every ecosystem calls them: evidence table E5."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.projects.model import App, Place
from stationmaster.projects.paths import is_below, is_test
from stationmaster.readiness.evidence.families import family
from stationmaster.readiness.facts import Facts

_NAMES: dict[str, str] = {
    "JavaScript": r".{1,200}[.\-_](?:test|spec|tests|specs|cy|e2e|test-d|spec-d)\.[cm]?[jt]sx?",
    "Python": r"test_.{1,200}\.py|.{1,200}_tests?\.py|tests?\.py",
    "Go": r".{1,200}_test\.go",
    "Rust": r"(?!)",
    "Java": r"(?:Test.{1,200}|.{1,200}(?:Tests?|TestCase|IT|ITCase|Spec|Specification))\.(?:java"
    r"|kt|kts|groovy|scala)",
    "Ruby": r".{1,200}_(?:spec|test)\.rb|test_.{1,200}\.rb",
    "C#": r".{1,200}(?:Tests?|Specs?|Facts?|Fixture|Should)\.(?:cs|fs|vb)",
    "PHP": r".{1,200}(?:Test|Cest|Spec)\.php|.{1,200}\.phpt",
    "Swift": r".{1,200}(?:Tests?|Spec|TestCase)\.swift",
    "C++": r"(?:.{0,200}[-_.])?(?:unit)?[tT]ests?(?:[-_.].{0,200})?\.(?:c|cc|cpp|cxx|m|mm|cu|t)"
    r"|.{1,200}Tests?\.(?:c|cc|cpp|cxx|m|mm)|.{1,200}\.(?:test|bats|tcl)",
    "Elixir": r".{1,200}_test\.exs",
    "Dart": r".{1,200}_test\.dart",
    "Shell": r".{1,200}\.bats|.{0,200}[-_.]?tests?\.(?:sh|bash)|test[-_.].{1,200}\.(?:sh|bash)"
    r"|t\d{4}-.{1,200}\.sh",
    "Haskell": r".{0,200}(?:Spec|Tests?)\.hs",
    "Clojure": r".{1,200}_test\.clj[cs]?",
    "Lua": r".{1,200}[_.-](?:spec|test)\.luau?|test.{0,200}\.luau?",
    "HCL": r".{1,200}\.tftest\.(?:hcl|json)|.{1,200}_test\.go",
    "Perl": r".{1,200}\.t",
    "Erlang": r".{1,200}_(?:SUITE|tests)\.erl",
    "R": r"test[-_.].{1,200}\.[rR]",
    "Zig": r"(?!)",
}  # fmt: skip
_LIKE = {"Kotlin": "Java", "Scala": "Java", "Groovy": "Java", "OCaml": "C++"}
_FOLDERS: dict[str, str] = {
    "JavaScript": r"(?:.{0,300}/)?__tests__/.{1,200}\.[cm]?[jt]sx?"
    r"|tests?/(?:.{0,200}/)?[^/]{1,100}\.[cm]?[jt]s",
    "Java": r"(?:.{0,300}/)?src/(?:\w{0,40}[tT]est\w{0,40})/(?:java|kotlin|scala|groovy"
    r"|kotlinX?)/.{1,300}\.(?:java|kt|scala|groovy)"
    r"|(?:.{0,300}/)?src/(?:common|jvm|native|js|android(?:Unit)?|ios|apple|linux|wasm\w{0,10}"
    r"|nonJvm|zlib)\w{0,20}Test/.{1,300}\.kt",
    "Rust": r"(?:.{0,300}/)?tests/.{1,200}\.rs"
    r"|(?:.{0,300}/)?src/(?:.{0,300}/)?tests?(?:/.{1,100})?\.rs",
    "Swift": r"(?:.{0,300}/)?Tests/.{1,300}\.swift",
    "Ruby": r"(?:.{0,300}/)?spec/(?:.{0,300}/)?[^/]{1,100}_spec\.rb"
    r"|(?:.{0,300}/)?test/(?:.{0,300}/)?[^/]{1,100}\.rb",
    "C++": r"(?:.{0,300}/)?(?:tests?|unittests?|t|testsuite|regress)/.{1,300}\.(?:c|cc|cpp|cxx|m"
    r"|mm|t|test|sh|tcl|py|cu)",
    "PHP": r"(?:.{0,300}/)?(?:tests?|spec)/.{1,300}(?:Test|Cest|Spec)\.php",
    "C#": r"(?:.{0,300}/)?(?:tests?|[^/]{1,100}(?:Tests?|Specs|Specifications))/.{1,300}\.(?:cs"
    r"|fs|vb)",
    "Dart": r"(?:.{0,300}/)?test/.{1,300}\.dart",
    "Perl": r"(?:.{0,300}/)?t/.{1,300}\.(?:t|pl)",
    "OCaml": r"(?:.{0,300}/)?tests?/.{1,300}\.ml",
    "Lua": r"(?:.{0,300}/)?(?:spec|tests?)/.{1,300}\.luau?",
    "Haskell": r"(?:.{0,300}/)?tests?/.{1,300}\.hs",
    "Shell": r"(?:.{0,300}/)?tests?/.{1,300}\.(?:sh|bats|bash|t)",
}  # fmt: skip
_SUPPORT = re.compile(
    r"(?:.{0,500}/)?(?:conftest|__init__|setup|helpers?|utils?|test_?helpers?|spec_helper"
    r"|rails_helper"
    r"|test_utils?|TestCase|AbstractTest|BaseTest|AssemblyInfo|GlobalUsings|Usings|common|mod)"
    r"\.\w{1,5}"
)
_CONTENT: dict[str, re.Pattern[str]] = {
    "Rust": re.compile(
        r"#\[(?:\w{1,40}::)?(?:test|test_case|rstest|quickcheck)\b|#\[cfg\(test\)\]"
    ),
    "Zig": re.compile(r"(?m)^test\b"),
    "D": re.compile(r"(?m)^[ \t]*unittest\b"),
    "Python": re.compile(r"\bdef test|\bclass \w{0,60}Test|\bTestCase\b|>>> "),
    "JavaScript": re.compile(r"\b(?:it|test|describe|suite|Deno\.test|bench|expectType|assert)\b"),
    "Go": re.compile(r"(?m)^func (?:Test|Benchmark|Example|Fuzz)|ginkgo|\bsuite\b"),
    "Ruby": re.compile(
        r"\b(?:describe|it|test|should|def test_|class \w{1,80}Test|feature|context)\b"
    ),
    "PHP": re.compile(r"function test|@test|#\[Test|\b(?:it|test)\(|--TEST--|Cest|function \w"),
    "Elixir": re.compile(r"\btest\b|\bproperty\b|doctest"),
    "Java": re.compile(
        r"@\w{0,40}Test\b|@Property|\btest\(|\bTestCase\b|should|FunSpec|Spec\b|fun "
    ),
}
"""What a test file says, where an empty or generated one would say nothing."""
_PROJECT = re.compile(r"(?i)xunit|nunit|mstest|tunit|expecto|microsoft\.net\.test\.sdk")
_READ_MAX = 400
_KEPT_MAX = 2_000


def tests_of(facts: Facts, app: App) -> Sequence[str]:
    """The test files of an application's main language, at most some thousands."""
    return facts.remembered(f"tests of {app.path}", lambda: tuple(_find(facts, app)))


def _find(facts: Facts, app: App) -> list[str]:
    language = family(app) or ""
    kind = _LIKE.get(language, language)
    name, folder = _NAMES.get(kind), _FOLDERS.get(kind)
    if name is None:
        name = r"(?:.{0,200}[-_.])?[tT]ests?(?:[-_.].{0,200})?\.\w{1,6}"
    by_name, by_folder = re.compile(name), re.compile(folder or r"(?!)")
    start = 0 if app.path == "." else len(app.path) + 1
    found = []
    for path in _paths(facts, app):
        inside = path[start:] if is_below(path, app.path) else path
        if _SUPPORT.fullmatch(inside) or len(inside) > 500:
            continue
        if kind == "Ruby" and not is_test(path):
            continue  # A gem may have a module called test_something.
        if by_name.fullmatch(inside.rpartition("/")[2]) or by_folder.fullmatch(inside):
            found.append(path)
    found += _inline(facts, app, kind) if not found and kind in ("Rust", "Zig", "D") else []
    return found[:_KEPT_MAX]


def _paths(facts: Facts, app: App) -> Sequence[str]:
    """Files of the application, and of test projects beside it that refer to it."""
    own = facts.tree.of(app)
    if "dotnet" not in app.ecosystems:
        return own
    names = {each.path.rpartition("/")[2] for each in app.manifests}
    beside = [
        path
        for project in facts.tree.glob("**/*.csproj", "**/*.fsproj", "**/*.vbproj")
        if (text := facts.tree.text(project)) and _PROJECT.search(text)
        and any(name in text for name in names)
        for path in facts.tree.glob("**/*.cs", "**/*.fs", "**/*.vb",
                                    under=project.rpartition("/")[0] or ".")
    ]  # fmt: skip
    return tuple(dict.fromkeys((*own, *beside)))


def _inline(facts: Facts, app: App, kind: str) -> list[str]:
    ending = {"Rust": ".rs", "Zig": ".zig", "D": ".d"}[kind]
    sources = [path for path in facts.tree.of(app) if path.endswith(ending)][:_READ_MAX]
    sign = _CONTENT[kind]
    first = next((path for path in sources if sign.search(facts.tree.text(path))), None)
    return [] if first is None else [first]


def first_real(facts: Facts, app: App) -> Place | None:
    """The first test in a test file."""
    found = (_test_in(facts, app, path) for path in tests_of(facts, app)[:_READ_MAX])
    return next((place for place in found if place is not None), None)


def with_tests(facts: Facts, app: App) -> Sequence[str]:
    """The test files that hold a test, of the first some hundreds: others help them."""
    return [path for path in tests_of(facts, app)[:_READ_MAX] if _test_in(facts, app, path)]


def _test_in(facts: Facts, app: App, path: str) -> Place | None:
    language = family(app) or ""
    sign = _CONTENT.get(_LIKE.get(language, language))
    text = facts.tree.text(path)
    if sign is None:
        return Place(path) if text.strip() else None
    at = sign.search(text)
    return None if at is None else Place(path, text.count("\n", 0, at.start()) + 1)


def usual(app: App, paths: Sequence[str]) -> int:
    """How many of an application's tests have the names that runners look for by themselves."""
    language = family(app) or ""
    kind = _LIKE.get(language, language)
    if kind in ("Rust", "Zig", "D", "Swift", "C#"):
        return len(paths)  # They are found by what they say.
    name = re.compile(_NAMES.get(kind, r".{1,300}"))
    return sum(1 for path in paths if name.fullmatch(path.rpartition("/")[2]))
