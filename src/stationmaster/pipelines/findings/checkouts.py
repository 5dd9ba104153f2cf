"""Where a job with rights takes a contributor's code, and where it runs code of the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stationmaster.agents.shell.programs import base_name
from stationmaster.pipelines import expressions
from stationmaster.pipelines.model import Step
from stationmaster.pipelines.scripts import started
from stationmaster.pipelines.untrusted import Sources
from stationmaster.pipelines.view import View

_HEAD = re.compile(
    r"github\.head_ref|github\.event\.pull_request\.(?:head\.(?:ref|sha|label)|merge_commit_sha)"
    r"|github\.event\.workflow_run\.(?:head_sha|head_branch|head_commit\.id"
    r"|pull_requests\.[^.]+\.head\.(?:ref|sha))|github\.event\.check_suite\.head_sha"
    r"|github\.event\.(?:pull_request\.head\.repo|workflow_run\.head_repository)\.(?:full_name|name)"
)
_NUMBER = re.compile(r"github\.event\.(?:pull_request\.number|number|issue\.number)")
_PULL = re.compile(r"refs/(?:remotes/)?pull/")
_STEP_HEAD = re.compile(
    r"steps\.[^.]+\.outputs\.(?:pr_?)?(?:pull_?request_?)?(?:head_?)?(?:ref|sha|branch)"
    r"|steps\.[^.]+\.outputs\.head[\w-]*"
)
_TAKES = re.compile(r"\b(?:gh|hub)\s+pr\s+checkout\b|\bgit\s+pull\b[^\n]{0,200}\bpull/")
_FETCHES = re.compile(r"\bgit\s+fetch\b[^\n]{0,200}\bpull/")
_MOVES = re.compile(r"\bgit\s+(?:checkout|switch|merge|reset)\b")
_NUMBER_EVENTS = frozenset({"issue_comment", "pull_request_target", "workflow_run"})
_SCRIPT_MAX = 65_536
_RUNS = frozenset(
    {"make", "gmake", "npm", "yarn", "pnpm", "bun", "npx", "bunx", "pip", "pip3", "uv", "poetry"}
    | {"pipenv", "pdm", "hatch", "tox", "nox", "pytest", "mvn", "gradle", "gradlew", "mvnw", "rake"}
    | {"bundle", "bazel", "bazelisk", "cargo", "go", "dotnet", "msbuild", "cmake", "ctest", "ninja"}
    | {"just", "task", "composer", "swift", "flutter", "dart", "mix", "sbt", "earthly", "docker"}
    | {"pre-commit", "tsx", "ts-node", "deno", "turbo", "nx", "lerna", "jekyll", "mkdocs", "hugo"}
    | {
        "terraform",
        "tofu",
        "pulumi",
        "skaffold",
        "ansible-playbook",
        "meson",
        "bats",
        "rspec",
        "phpunit",
    }
)
"""Programs that run what the repository's files say."""
_INTERPRETERS = frozenset(
    {"sh", "bash", "zsh", "python", "python3", "node", "ruby", "perl", "php", "pwsh", "powershell"}
    | {"source", ".", "rscript", "julia", "uv"}
)
_SCRIPT = re.compile(r"[\w.-][\w./-]{0,200}/[\w.-]{1,100}\.(?:sh|bash|py|js|mjs|ts|rb|pl|ps1)")
_HARMLESS = frozenset(
    {"--version", "--info", "--help", "-v", "version", "login", "logout", "inspect", "config"}
)
_BUILD_ACTIONS = re.compile(
    r"(?i)^(?:docker/build-push-action|docker/bake-action|gradle/|pre-commit/action"
    r"|golangci/golangci-lint-action|cypress-io/github-action|ruby/setup-ruby"
    r"|bahmutov/npm-install|pnpm/action-setup|goreleaser/|github/codeql-action/autobuild"
    r"|py-cov-action/|oven-sh/setup-bun/run|hashicorp/setup-terraform/run|changesets/action)"
)


class Checkout(NamedTuple):
    """`source` is what names the code; `folder` where it goes, if not into the work folder."""

    step: Step
    source: str
    folder: str


def untrusted(view: View, job: str) -> Iterator[Checkout]:
    """The steps of a job that fetch what a contributor proposes."""
    events = {trigger.event for trigger in view.open_triggers}
    heads = Sources(view, _HEAD)
    for step in view.steps.get(job, []):
        if (step.uses or "").startswith("actions/checkout@"):
            reference = step.inputs.get("ref", "")
            for text in (reference, step.inputs.get("repository", "")):
                if heads.of(step, text) or _names_head(text, bool(events & _NUMBER_EVENTS)):
                    yield Checkout(step, text.strip(), step.inputs.get("path", "").strip("./"))
                    break
        elif (command := _taking((step.script or "")[:_SCRIPT_MAX])) is not None:
            yield Checkout(step, command, "")


def execution(view: View, checkout: Checkout) -> tuple[Step, str] | None:
    """The step that runs the fetched code, and how; None where nothing is seen to."""
    steps = view.steps.get(checkout.step.job, [])
    # The command that fetches may be followed by others in its own script.
    place = next(n for n, each in enumerate(steps) if each is checkout.step)
    place += checkout.step.uses is not None
    for step in steps[place:]:
        texts = (step.script or "", *step.inputs.values(), *step.env.values())
        if checkout.folder and not any(checkout.folder in text for text in texts):
            continue
        if (run := _run(step)) is not None:
            return step, run
    return None


def gate(view: View, checkout: Checkout, run: Step) -> str | None:
    """What keeps outsiders from it: at the checkout, between that and what runs, or in the action
    of an agent that runs it."""
    job = checkout.step.job
    own = next((each.record.gate for each in view.running if each.step is run), None)
    return view.gate(job, checkout.step) or view.gate(job, run) or own


def _taking(script: str) -> str | None:
    """The command that takes what is proposed; what is only fetched is not in the folder yet."""
    if (taken := _TAKES.search(script)) is not None:
        return taken[0]
    fetched = _FETCHES.search(script)
    return fetched[0] if fetched is not None and _MOVES.search(script, fetched.end()) else None


def _names_head(text: str, by_number: bool) -> bool:
    paths = [flow.path for flow in expressions.flows(text)]
    if _PULL.search(text) and any(_NUMBER.fullmatch(path) for path in paths):
        return True
    return by_number and any(_STEP_HEAD.fullmatch(path) for path in paths)


def runs_files(step: Step) -> bool:
    """Does its script run what lies in the work folder?"""
    return any(_runs_files(command.words) for command in started((step.script or "")[:_SCRIPT_MAX]))


def _run(step: Step) -> str | None:
    if step.agents:
        return step.uses or step.agents[0]
    if step.uses is not None:
        # An action of the work folder is the contributor's own by now.
        is_local = step.uses.startswith(("./", "$/"))
        return step.uses if is_local or _BUILD_ACTIONS.match(step.uses) else None
    for command in started((step.script or "")[:_SCRIPT_MAX]):
        if _runs_files(command.words):
            return " ".join(command.words[:6])
    return None


def _runs_files(words: tuple[str, ...]) -> bool:
    name = base_name(words[0]).lower()
    arguments = [word for word in words[1:] if not word.startswith("-")]
    if words[1:2] and words[1] in _HARMLESS:
        return False
    if words[0].startswith(("./", "../")) or _SCRIPT.fullmatch(words[0]):
        return True
    if name in _INTERPRETERS:
        return bool(arguments) and not {"-c", "-e", "-m"} & set(words[1:2])
    if name in ("pip", "pip3", "npm", "yarn", "pnpm", "docker", "go", "cargo", "uv"):
        return _installs_here(name, words[1:], arguments)
    return name in _RUNS


def _installs_here(name: str, words: tuple[str, ...], arguments: list[str]) -> bool:
    """Installing a named package runs nothing of the repository; installing its own does."""
    if name == "docker":
        return arguments[:1] in (["build"], ["compose"], ["buildx"])
    if name in ("pip", "pip3") or arguments[:1] == ["pip"]:
        return any(word in (".", "-r", "-e") or word.startswith((".", "-r")) for word in words)
    if name == "npm" and arguments[:1] in (["install"], ["i"]):
        return len(arguments) == 1 and "-g" not in words and "--global" not in words
    if name == "go":
        return arguments[:1] in (["run"], ["test"], ["generate"])
    return name == "cargo" or "--ignore-scripts" not in words
