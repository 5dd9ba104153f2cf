"""Providers whose files are scripts or programs: that they are there, and what their lines name.

Xcode Cloud, as App Center did, keeps its workflows on the server and runs scripts; lanes of
fastlane and functions of Dagger are called by other CI.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from stationmaster.pipelines import agents, pinning
from stationmaster.pipelines.model import Facts, Include, Job, Pin, Place, Step, Use, line
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import place, said
from stationmaster.repos import yaml_nodes
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import get, items, text

_SIZE_MAX = 2**20
_FOUND_MAX = 5_000
_LANE_OR_COMMAND = re.compile(
    r"^[ \t]{0,40}(?:(?P<private>private_)?lane[ (]{1,3}:(?P<lane>\w{1,100})"
    r"|sh[ (]{1,3}[\"'](?P<command>[^\"'\n]{1,500})[\"'])",
    re.MULTILINE,
)
_BUILD_FILE = re.compile(r"^build_file:\s{0,9}\"([^\"\n]{1,300})\"", re.M)


@dataclass(frozen=True)
class Marked:
    """`describe` fills the draft from the text of a file, and says no if it is none after all."""

    NAME: str
    path: re.Pattern[str]
    ends: tuple[str, ...]
    describe: Callable[[Draft, str], bool]

    def is_workflow(self, path: str) -> bool:
        return path.endswith(self.ends) and self.path.fullmatch(path) is not None

    def Reader(self, files: Files) -> Reader:  # noqa: N802 - what the registry asks for
        return Reader(self, files)


class Reader:
    """Reads the files of one provider in one commit."""

    def __init__(self, provider: Marked, files: Files) -> None:
        self._provider = provider
        self._files = files
        self._commands = agents.Commands()

    def read(self, path: str) -> Facts | None:
        """Raises Fault."""
        text = self._files.content(path, _SIZE_MAX).decode("utf-8-sig", errors="replace")
        draft = Draft(path, self._commands)
        draft.beside = self._files
        return draft.facts() if text.strip() and self._provider.describe(draft, text) else None


def _xcode(draft: Draft, script: str) -> bool:
    job = line(draft.path.rpartition("/")[2].partition(".")[0])
    draft.server_schedules = draft.jobs_unknown = True
    draft.job(Job(id=job, needs=[], runs_on=["macos"], agents=[], place=Place(1, 1)))
    draft.step(
        Step(job=job, path=draft.path, place=Place(1, 1), script=script, script_at=Place(1, 1))
    )
    draft.shell_secrets()
    return True


def _fastlane(draft: Draft, code: str) -> bool:
    """A command belongs to the lane above it."""
    draft.kind = "reusable"
    lane, row, at = None, 1, 0
    for found in islice(_LANE_OR_COMMAND.finditer(code), _FOUND_MAX):
        row += code.count("\n", at, found.start())
        at = found.start()
        if found["lane"] is not None:
            lane = found["lane"]
            if found["private"] is None:
                draft.job(Job(id=lane, needs=[], runs_on=[], agents=[], place=Place(row, 1)))
        elif lane is not None:
            where = Place(row, found.start("command") - found.start() + 1)
            draft.step(Step(lane, draft.path, where, script=found["command"], script_at=where))
    return True


def _dagger(draft: Draft, code: str) -> bool:
    """The functions are in the module's code, which is not run to know them."""
    roots = yaml_nodes.read(code.replace("\t", " ").encode(), merges=False).roots
    if not roots:
        return False
    draft.kind, draft.jobs_unknown = "reusable", True
    draft.name = said(get(roots[0], "name"))
    for each in items(get(roots[0], "dependencies")):
        source = text(get(each, "source")) or ""
        version = source.partition("@")[2]
        pin: Pin = "local" if source.startswith(".") else pinning.of_ref(version or None)
        if text(get(each, "pin")):
            pin = "hash"
        elif pin == "dynamic":
            pin = "branch"
        is_own = source.startswith("github.com/dagger/")
        draft.use(Use(line(source), pin, is_own, line(version) or None, None, place(each)))
    return True


def _kokoro(draft: Draft, text: str) -> bool:
    """A job of Google's own service names the script that it runs."""
    draft.server_schedules = draft.jobs_unknown = True
    for script in _BUILD_FILE.findall(text)[:1]:
        # The path begins with the name that the repository has on the server.
        inside = script.partition("/")[2]
        is_here = inside in draft.beside
        draft.includes.append(Include("script", line(script), is_here, "local", None))
    return "build_file" in text or "action" in text


PROVIDERS = (
    Marked(
        NAME="xcode-cloud",
        path=re.compile(r"(?:.*/)?ci_scripts/ci_(?:post_clone|(?:pre|post)_xcodebuild)\.sh"),
        ends=(".sh",),
        describe=_xcode,
    ),
    Marked(
        NAME="appcenter",
        path=re.compile(r"(?:.*/)?appcenter-(?:post-clone|(?:pre|post)-build)\.(?:sh|ps1)"),
        ends=(".sh", ".ps1"),
        describe=_xcode,
    ),
    Marked(
        NAME="fastlane",
        path=re.compile(r"(?:.*/)?\.?fastlane/Fastfile|Fastfile"),
        ends=("Fastfile",),
        describe=_fastlane,
    ),
    Marked(
        NAME="dagger",
        path=re.compile(r"(?:(?:\.dagger|dagger|ci|\.ci)/)?dagger\.json"),
        ends=("dagger.json",),
        describe=_dagger,
    ),
    Marked(
        NAME="kokoro",
        path=re.compile(r"(?>(?:.*?/)?\.?kokoro/).*\.cfg"),
        ends=(".cfg",),
        describe=_kokoro,
    ),
)
