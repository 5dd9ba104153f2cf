"""Every command line that a repository knows: of packages, tasks, hooks, workflows, containers and
documents."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice

from stationmaster.pipelines import idle
from stationmaster.pipelines.expressions import is_own_repository
from stationmaster.pipelines.model import Pipelines
from stationmaster.reading.projects.applications import deploys
from stationmaster.reading.projects.command_lines import documented, hooks, scripts, tasks
from stationmaster.reading.projects.manifests.common import Reading
from stationmaster.reading.projects.model import Command, Hook, Manifest, Place
from stationmaster.reading.projects.paths import folder_of

COMMANDS_MAX = 20_000
"""Of one repository; further ones are left out."""
_WORKSPACE = re.compile(
    r"^(?:\$\{\{\s?github\.workspace\s?\}\}|\$GITHUB_WORKSPACE|\$\{?(?:CI_PROJECT|TRAVIS_BUILD)_DIR\}?"
    r"|\$\((?:System\.DefaultWorkingDirectory|Build\.SourcesDirectory)\))/?"
)
_GO_ON: Mapping[str, Sequence[str]] = {
    "gitlab-ci": ("script",),
    "travis": ("install", "before_script", "script", "after_success"),
}
"""Parts of a job that go on in the shell, and so in the folder, of the one before."""
_CLONE = re.compile(
    r"git clone (?:--?[\w-]{1,40}(?:[= ]\d{1,9})? ){0,9}((?:https?:|git@|ssh:)\S{1,300})"
    r"(?:\s+(?!-)([\w.-]{1,100}))?"
)
_INTO = re.compile(r"(?:cd|pushd)\s+[\"']?(?:\./)?([\w.][\w./-]{0,200})[\"']?\s*(?:&&|;|$)")


def read(
    paths: Sequence[str], manifests: Sequence[Manifest], pipelines: Pipelines, reading: Reading
) -> tuple[tuple[Command, ...], tuple[Hook, ...]]:
    """The commands by source, those of packages first, each by path; and the hooks of git."""
    declared = [*tasks.of_manifests(manifests, reading), *tasks.of_files(paths, reading)]
    declared += dict.fromkeys(_of_workflows(pipelines, {folder_of(path) for path in paths}))
    others = [*_of_containers(paths, reading)]
    others += documented.read(paths, {manifest.folder for manifest in manifests}, reading)
    git_folders = hooks.folders_of_git([*declared, *others])
    own_hooks = tuple(hooks.read(paths, manifests, git_folders, reading))
    everything = chain(declared, hooks.commands(own_hooks), others)
    return tuple(islice(everything, COMMANDS_MAX)), own_hooks


def _of_workflows(pipelines: Pipelines, folders: Collection[str]) -> Iterator[Command]:
    """Where a script changes its folder, what follows runs there. What runs in a folder into which
    the job brings another repository is none of this one's."""
    for workflow in pipelines.workflows:
        off = idle.jobs(workflow.facts)
        brought: set[tuple[str, str]] = set()
        job, folder, goes_on = "", ".", _GO_ON.get(workflow.provider, ())
        for step in workflow.facts.steps:
            if step.job in off or idle.is_false(step.condition):
                continue
            path = step.inputs.get("path", "")
            if path and not is_own_repository(step.inputs.get("repository", "")):
                brought.add((step.job, _folder(path)))
            begin = (step.script_at or step.place).line
            start = _folder(step.folder)
            if step.job != job or step.name not in goes_on:
                folder = start if start in folders else "."
            job = step.job
            is_other = (step.job, start.partition("/")[0]) in brought
            for line, below in scripts.lines(step.filled):
                if clone := _CLONE.match(line):
                    name = clone[2] or clone[1].rpartition("/")[2].removesuffix(".git")
                    brought.add((step.job, _folder(name)))
                into = _INTO.match(line)
                target = _folder(into[1]) if into else ""
                is_other |= (step.job, target) in brought
                below_it = posixpath.normpath(posixpath.join(folder, target))
                folder = next((it for it in (below_it, target) if target and it in folders), folder)
                for text in [] if is_other else step.chosen(line):
                    yield Command(step.job, text, "ci", folder, Place(step.path, begin + below))


def _folder(written: str) -> str:
    """A folder as steps name it, below the root; "." for that."""
    return posixpath.normpath(_WORKSPACE.sub("", written.strip()) or ".").lstrip("/") or "."


def _of_containers(paths: Sequence[str], reading: Reading) -> Iterator[Command]:
    """The commands that container files run when they are built and started."""
    for path in paths:
        if deploys.is_container_file(path):
            for line, at in scripts.lines(reading.contents.text(path)):
                word, _, rest = line.partition(" ")
                if word.upper() in ("RUN", "CMD", "ENTRYPOINT"):
                    yield Command(
                        word.lower(),
                        _plain(rest),
                        "container",
                        folder_of(path),
                        Place(path, at + 1),
                    )


def _plain(rest: str) -> str:
    """`["a", "b"]` as `a b`; without the options of RUN itself."""
    rest = re.sub(r"^(?:--\w[\w-]{0,30}=\S{0,300}\s+){0,8}", "", rest.strip())
    if rest.startswith("["):
        return " ".join(re.findall(r'"([^"]{0,500})"', rest))
    return rest
