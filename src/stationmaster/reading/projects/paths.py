"""Which paths of a commit are its product; which of them are tests is in `test_files`.

A name such as `examples` or `vendor` classifies a folder only outside packages: below
`src/main/java` it is a word like any other (`com/example/demo`, `it/acme/tools`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from stationmaster.catalogue.repositories.layout import Reason, layout
from stationmaster.reading.projects import globs
from stationmaster.reading.projects.test_files import (
    has_test_name,
    is_test_folder,
    outside_packages,
)

_FOLDERS, _FILES = layout().folders, layout().files
_ASIDE, _MADE, _AT_ROOTS = (
    {name: reason for reason, names in groups.items() for name in names}
    for groups in (_FOLDERS.aside, _FOLDERS.made, _FOLDERS.at_roots)
)


_NUMBERS = re.compile(r"(\d+)")
_EXAMPLE_PROJECT = re.compile(r"(?i).{1,100}[-_](?:examples?|samples?|demos?|playground)")
_TEMPLATES = re.compile(r"templates?(?:[-_].{1,100})?|.{1,100}-templates?|_templates")
_MINIFIED = re.compile(r"\.min\.(?:js|css|mjs)$|\.(?:js|css)\.map$|[-.]bundle\.js$")
_LIBRARY = re.compile(
    r"([\w.-]{1,60}?)(?:[.-](v?\d{1,4}(?:\.\d{1,4}){1,3}))?"
    r"(?:[.-](?:slim|all|umd|global|core|prod|common|bundle|esm))?\.(?:js|css|mjs)"
)
_OF_BROWSERS = (".js", ".css", ".mjs")
"""The name of a library that is copied into a folder of assets, and its version."""
_ATTRIBUTES_MAX = 500


class Products:
    """Decides which paths are the product. `roots` are the folders with a manifest, `excluded`
    patterns of paths that are marked as not part of it, `foreign` the folders of whole projects
    that tests read, `copied` the folders and files of others, `built` those that are marked as
    vendored although the repository itself builds them. `has_examples`: examples are the
    product, as the repository contains nothing else."""

    def __init__(
        self,
        roots: Collection[str] = (),
        excluded: Sequence[str] = (),
        *,
        foreign: Collection[str] = (),
        copied: Collection[str] = (),
        built: Sequence[str] = (),
        has_examples: bool = False,
    ) -> None:
        self._roots = roots
        self._excluded = globs.any_of(excluded)
        self._built = _above(roots)
        self._foreign = foreign
        self.copied = copied
        self.built = built
        self._has_examples = has_examples
        self._reasons: dict[str, Reason] = {"": ""}

    def has(self, path: str) -> bool:
        """True for the path of a file of the product."""
        return not self.reason(path)

    def has_folder(self, folder: str) -> bool:
        """True for a folder of the product; the root is '' and not `.`."""
        return not self._reason_of_folder(folder)

    def has_manifest(self, folder: str) -> bool:
        """Is there a manifest in a folder or anywhere below it?"""
        return folder in self._built

    def reason(self, path: str) -> Reason:
        """The reason why a file is not the product, '' where it is."""
        folder, _, name = path.rpartition("/")
        if of_folder := self._reason_of_folder(folder):
            return (
                ""
                if of_folder == "fixture" and self._is_test_among_data(folder, name)
                else of_folder
            )
        if _MINIFIED.search(name):
            return "minified"
        if path in self.copied or _is_library(folder, name):
            return "vendored"
        return "excluded" if self._excluded.fullmatch(path) else ""

    def _reason_of_folder(self, folder: str) -> Reason:
        if folder == ".":
            return ""
        steps: list[str] = []
        while folder not in self._reasons:
            steps.append(folder)
            folder = folder.rpartition("/")[0]
        for step in reversed(steps):
            self._reasons[step] = self._reasons[folder] or self._reason_of_step(step)
            folder = step
        return self._reasons[folder]

    def _reason_of_step(self, folder: str) -> Reason:
        """The reason of a folder whose parent is the product."""
        parent, _, name = folder.rpartition("/")
        if folder in self.copied:
            return "vendored"
        if reason := _MADE.get(name):
            return reason
        if outside_packages(folder) != folder:
            return ""
        if reason := _ASIDE.get(name):
            return reason
        is_of_tests = name in _FOLDERS.test_data and is_test_folder(parent.rpartition("/")[2])
        if folder in self._foreign or is_of_tests:
            return "fixture"
        is_example = folder in self._roots and _EXAMPLE_PROJECT.fullmatch(name) is not None
        if name in _FOLDERS.examples or is_example:
            return "" if self._has_examples else "example"
        if reason := _AT_ROOTS.get(name):
            return "" if parent and parent not in self._roots else reason
        is_package = folder in self._roots and name == "templates"  # It has its own manifest.
        is_template = _TEMPLATES.fullmatch(name) and (
            (folder in self._built and not is_package)
            or not _FOLDERS.generators.isdisjoint(parent.split("/"))
        )
        return "template" if is_template else ""

    def _is_test_among_data(self, folder: str, name: str) -> bool:
        """Is a file a test by its name, in a folder such as `spec/resources`?"""
        if not has_test_name(name):
            return False
        for step in parents(folder):
            if step in self._roots:
                return False
            if step.rpartition("/")[2] in _FOLDERS.test_data and step not in self._foreign:
                return self.has_folder(step.rpartition("/")[0])
        return False


def is_example(path: str) -> bool:
    """Is a file in a folder of examples?"""
    return not _FOLDERS.examples.isdisjoint(outside_packages(path.rpartition("/")[0]).split("/"))


def marked(attributes: str, but: Collection[str] = ()) -> list[str]:
    """The patterns that the text of a `.gitattributes` marks as not written here, but for those of
    some folders."""
    marked_globs = []
    for line in attributes.split("\n")[:_ATTRIBUTES_MAX]:
        pattern, *words = line.split() or [""]
        if layout().marks.intersection(words) and not pattern.startswith(("#", "!", '"')):
            anchored = pattern.lstrip("/") if "/" in pattern.rstrip("/") else f"**/{pattern}"
            if anchored.rstrip("/*") in but:
                continue
            marked_globs += [anchored, f"{anchored.rstrip('/')}/**"]
    return marked_globs


def folder_of(path: str) -> str:
    """The folder of a file or folder, `.` for one at the root."""
    return path.rpartition("/")[0] or "."


def natural(path: str) -> tuple[tuple[int, int | str], ...]:
    """A sort key by which `V2` comes before `V10`."""
    return tuple(
        (0, int(part[:30])) if part.isdecimal() else (1, part.lower())
        for part in _NUMBERS.split(path)
        if part
    )


def parents(folder: str) -> list[str]:
    """A folder and those above it, the root last."""
    if folder == ".":
        return ["."]
    steps = folder.split("/")
    return ["/".join(steps[:count]) for count in range(len(steps), 0, -1)] + ["."]


def is_below(path: str, folder: str) -> bool:
    """Is it the folder, or in it?"""
    return folder in (".", path) or path.startswith(folder + "/")


def _above(roots: Collection[str]) -> frozenset[str]:
    """The folders that have a manifest in them or anywhere below."""
    folders: set[str] = set()
    for root in roots:
        while root and root != "." and root not in folders:
            folders.add(root)
            root = root.rpartition("/")[0]
    return frozenset(folders)


def _is_library(folder: str, name: str) -> bool:
    """Is it a copy of a library for browsers, by a name of the catalogue or by a version in it?"""
    match = _LIBRARY.fullmatch(name) if name.endswith(_OF_BROWSERS) else None
    if match is None or _FILES.assets.isdisjoint(folder.split("/")):
        return False
    return match[2] is not None or match[1] in _FILES.libraries
