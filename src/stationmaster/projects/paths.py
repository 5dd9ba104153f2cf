"""Which paths of a commit are its product, and which of them are tests.

Source: readiness criteria, end of section 2. Names of examples and of build output are words like
any other within a source tree (`com/example/demo`, `internal/build`), and mean nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from stationmaster.projects import globs

Reason = Literal["", "vendored", "fixture", "example", "output", "template", "minified", "excluded"]
"""Why a path is not the product: others' code, what tests are fed with, a demonstration, what a
build makes, what is copied, what a program made small, what somebody marked. `` where it is."""
_NEVER: Mapping[str, Reason] = {
    **dict.fromkeys((
        "node_modules", "vendor", "_vendor", "third_party", "third-party", "thirdparty", ".venv",
        "venv", "bower_components", "Pods", ".yarn", ".git",
    ), "vendored"),
    **dict.fromkeys((
        "testdata", "fixtures", "__fixtures__", "__snapshots__", "__mocks__",
    ), "fixture"),
    **dict.fromkeys((".next", ".nuxt", "__pycache__"), "output"),
}  # fmt: skip
_EXAMPLES = frozenset({
    "playground", "playgrounds", "examples", "example", "samples", "sample", "demo", "demos",
    "tutorials",
})  # fmt: skip
_IN_TESTS = frozenset({
    "resources", "data", "files", "projects", "repos", "snapshots", "cassettes", "packages",
    "assets",
})  # fmt: skip
"""What tests keep of others' code."""
_OUTPUT: Mapping[str, Reason] = {
    **dict.fromkeys(("dist", "build", "out", "target", "coverage"), "output"),
    **dict.fromkeys(("deps", "external"), "vendored"),
}  # fmt: skip
_TEMPLATES = re.compile(r"templates?(?:[-_].{1,100})?|.{1,100}-templates?|_templates")
_PACKAGE_ROOTS = frozenset({"java", "kotlin", "scala", "groovy", "kotlin-multiplatform"})
_MINIFIED = re.compile(r"\.min\.(?:js|css|mjs)$|\.(?:js|css)\.map$|[-.]bundle\.js$")
_ATTRIBUTES_MAX = 500
_MARKS = frozenset({
    "linguist-vendored", "linguist-vendored=true", "linguist-generated",
    "linguist-generated=true",
})  # fmt: skip
TEST_FOLDERS = frozenset({
    "test", "tests", "__tests__", "spec", "specs", "e2e", "testing", "androidTest", "commonTest",
    "jvmTest", "jsTest", "nativeTest", "integration-tests", "integration_tests", "testFixtures",
    "test-d", "__test__", "unittests", "Tests", "it", "cypress", "playwright", "its",
})  # fmt: skip
_TEST_NAME = re.compile(
    r"(?:.{0,200}[._-](?:test|spec|tests|e2e)\.[cm]?[jt]sx?"
    r"|test_.{0,200}\.py|.{0,200}_tests?\.(?:py|go|rb|exs|cc|cpp|c|dart|rs|clj)|conftest\.py"
    r"|.{0,200}_spec\.rb|.{0,200}(?:Test|Tests|TestCase|IT|Spec)\.(?:java|kt|kts|scala|groovy|php|cs|fs|swift)"
    r"|.{0,200}\.(?:bats|tftest\.hcl))"
)  # fmt: skip
_TEST_PROJECT = re.compile(r".{1,200}[._-](?:[Tt]ests?|[Ss]pecs?|e2e|it)|[a-z][A-Za-z]{0,60}Tests?")


class Products:
    """Tells product paths from others. `roots` are the folders that hold a manifest, `excluded`
    patterns of paths that somebody marked as none."""

    def __init__(self, roots: Collection[str] = (), excluded: Sequence[str] = ()) -> None:
        self._roots = roots
        self._excluded = globs.any_of(excluded)
        self._built = _above(roots)
        self._known: dict[str, Reason] = {"": ""}

    def has(self, path: str) -> bool:
        return not self.reason(path)

    def has_folder(self, folder: str) -> bool:
        """Of a folder without `.` for the root."""
        return not self._reason_of_folder(folder)

    def has_manifest(self, folder: str) -> bool:
        """Is there one in a folder or anywhere below?"""
        return folder in self._built

    def reason(self, path: str) -> Reason:
        """Why a file is not the product, '' where it is."""
        folder, _, name = path.rpartition("/")
        if found := self._reason_of_folder(folder):
            return found
        if _MINIFIED.search(name):
            return "minified"
        return "excluded" if self._excluded.fullmatch(path) else ""

    def _reason_of_folder(self, folder: str) -> Reason:
        if folder == ".":
            return ""
        steps: list[str] = []
        while folder not in self._known:
            steps.append(folder)
            folder = folder.rpartition("/")[0]
        for step in reversed(steps):
            self._known[step] = self._known[folder] or self._reason_of_step(step)
            folder = step
        return self._known[folder]

    def _reason_of_step(self, folder: str) -> Reason:
        """Of a folder in one that is the product."""
        parent, _, name = folder.rpartition("/")
        if name in _NEVER:
            return _NEVER[name]
        if name in _IN_TESTS and _is_test_folder(parent.rpartition("/")[2]):
            return "fixture"
        if name in _EXAMPLES:
            return "" if _in_package(parent) else "example"
        if name in _OUTPUT:
            return "" if parent and parent not in self._roots else _OUTPUT[name]
        is_template = _TEMPLATES.fullmatch(name) and folder in self._built
        return "template" if is_template else ""


def is_test(path: str) -> bool:
    """Is a file a test or part of one, as far as its path tells?"""
    folder, _, name = path.rpartition("/")
    if _TEST_NAME.fullmatch(name):
        return True
    return any(map(_is_test_folder, folder.split("/")))


def _is_test_folder(name: str) -> bool:
    return name in TEST_FOLDERS or _TEST_PROJECT.fullmatch(name) is not None


def marked(attributes: str) -> list[str]:
    """The patterns that the text of a `.gitattributes` marks as not written here."""
    found = []
    for line in attributes.split("\n")[:_ATTRIBUTES_MAX]:
        pattern, *words = line.split() or [""]
        if _MARKS.intersection(words) and not pattern.startswith(("#", "!", '"')):
            anchored = pattern.lstrip("/") if "/" in pattern.rstrip("/") else f"**/{pattern}"
            found += [anchored, f"{anchored.rstrip('/')}/**"]
    return found


def folder_of(path: str) -> str:
    """The folder of a file or folder, `.` for what lies at the root."""
    return path.rpartition("/")[0] or "."


def parents(folder: str) -> list[str]:
    """A folder and those above it, the root last."""
    if folder == ".":
        return ["."]
    steps = folder.split("/")
    return ["/".join(steps[:count]) for count in range(len(steps), 0, -1)] + ["."]


def is_below(path: str, folder: str) -> bool:
    """Is it the folder, or in it?"""
    return folder in (".", path) or path.startswith(folder + "/")


def _in_package(folder: str) -> bool:
    return not _PACKAGE_ROOTS.isdisjoint(folder.split("/"))


def _above(roots: Collection[str]) -> frozenset[str]:
    """The folders that have a manifest in them or anywhere below."""
    found: set[str] = set()
    for root in roots:
        while root and root != "." and root not in found:
            found.add(root)
            root = root.rpartition("/")[0]
    return frozenset(found)
