"""What people without rights write, where it is run or evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from stationmaster.pipelines import expressions
from stationmaster.pipelines.agents.steps import OWN_CHECK
from stationmaster.pipelines.findings import checkouts
from stationmaster.pipelines.findings.rule import Hit, Look, at_step
from stationmaster.pipelines.model import Severity, Step
from stationmaster.pipelines.untrusted import Sources
from stationmaster.pipelines.view import ENVIRONMENT, View

_SCRIPT_MAX = 65_536
_MACROS_MAX = 20
_OF_FORKS = frozenset({"pull_request", "merge_queue"})
"""Events of runs that have no secrets and no rights where a fork starts them."""

EVALUATED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("actions/github-script@", ("script",)),
    ("appleboy/ssh-action@", ("script",)),
    ("azure/cli@", ("inlinescript",)),
    ("azure/powershell@", ("inlinescript",)),
    ("nick-fields/retry@", ("command", "on_retry_command")),
    ("nick-invision/retry@", ("command", "on_retry_command")),
    ("wandalen/wretry.action@", ("command",)),
    ("jannekem/run-python-script-action@", ("script",)),
    ("mikefarah/yq@", ("cmd",)),
    ("addnab/docker-run-action@", ("run",)),
    ("cypress-io/github-action@", ("command", "build", "start", "install-command")),
    ("reactivecircus/android-emulator-runner@", ("script",)),
    ("uraimo/run-on-arch-action@", ("run", "install")),
    ("cross-platform-actions/action@", ("run",)),
    ("vmactions/freebsd-vm@", ("run", "prepare")),
)
"""Actions that run a text that they are given, by their inputs."""

MACROS: dict[str, re.Pattern[str]] = {
    "azure-pipelines": re.compile(
        r"\$\((?:Build\.SourceVersionMessage|System\.PullRequest\.SourceBranch)\)", re.IGNORECASE
    ),
    "circleci": re.compile(
        r"<<\s{0,9}pipeline\.(?:git\.branch|trigger_parameters\.[\w.]{0,99}(?:message|title))\s{0,9}>>"
    ),
    "woodpecker": re.compile(
        r"(?<!\$)\$\{CI_(?:COMMIT_MESSAGE|COMMIT_PULL_REQUEST_TITLE|COMMIT_SOURCE_BRANCH"
        r"|COMMIT_AUTHOR)\}"
    ),
    "drone": re.compile(
        r"(?<!\$)\$\{DRONE_(?:COMMIT_MESSAGE|PULL_REQUEST_TITLE|SOURCE_BRANCH|COMMIT_AUTHOR_NAME)\}"
    ),
    "tekton": re.compile(
        r"\{\{\s{0,9}(?:source_branch|trigger_comment|pull_request_title"
        r"|body\.(?:comment\.body|pull_request\.(?:title|body|head\.ref)))\s{0,9}\}\}"
    ),
    "jenkins": re.compile(
        r"\$\{env\.(?:CHANGE_TITLE|CHANGE_BRANCH|CHANGE_AUTHOR_DISPLAY_NAME|ghprbPullTitle"
        r"|ghprbSourceBranch|gitlabSourceBranch|gitlabMergeRequestTitle)\}"
    ),
    "buildkite": re.compile(r"(?<!\$)\$\{?BUILDKITE_MESSAGE\b"),
}
"""Names that a provider replaces by their values before any shell sees the script."""

_RUNNER_FILE = re.compile(r">>?\s{0,9}[\"']?\$\{?(GITHUB_ENV|GITHUB_PATH)\b")
_READ_FILE = re.compile(r"\b(\w{1,100})=[\"']?(?:\$\(\s{0,9}(?:cat|head|jq)\b|\$\(<)")
_DOWNLOADS = re.compile(r"(?:actions/download-artifact|dawidd6/action-download-artifact)@")
_NO_NEWLINE = re.compile(r"ref|label|branch|email|name$")
"""Values that cannot hold the end of a line."""


def _scripts(view: View) -> Iterator[Hit]:
    if not view.is_github:
        yield from _macros(view)
        return
    sources = Sources(view)
    for step in view.all_steps:
        for text in evaluated(step):
            for inside in expressions.embedded(text[:_SCRIPT_MAX]):
                evidence = "${{" + inside + "}}"
                found = sources.of(step, evidence)
                if found and (severity := _severity(view, step, found)) is not None:
                    message = f"{found[0]} is put into a script before it is run"
                    yield at_step(view, step, message, evidence, severity)
        yield from _runner_files(view, step, sources)


def evaluated(step: Step) -> Iterator[str]:
    """The texts of a step that are run."""
    if step.script is not None:
        yield step.script
    uses = (step.uses or "").lower()
    for action, inputs in EVALUATED:
        if uses.startswith(action):
            yield from (text for name, text in step.inputs.items() if name.lower() in inputs)


def _severity(view: View, step: Step, found: list[str]) -> Severity | None:
    """Critical where anybody can start it with rights; None where only those who pass a gate can
    write the text."""
    if not view.open_triggers:
        return "low" if _gains_nothing(view, step) else "high"
    if view.gate(step.job, step) is None:
        return "critical"
    is_own = all(path.endswith(("comment.body", "review.body")) for path in found)
    return None if is_own else "medium"


def _gains_nothing(view: View, step: Step) -> bool:
    """Does the step run the proposed code itself, with nothing that a fork's run does not have? Who
    could inject a command can then as well change that code."""
    if any(trigger.kind not in _OF_FORKS for trigger in view.triggers):
        return False
    earlier = takewhile(lambda each: each is not step, view.steps.get(step.job, []))
    has_code = any(
        (each.uses or "").startswith("actions/checkout@")
        and expressions.is_own_repository(each.inputs.get("repository", ""))
        for each in earlier
    )
    return has_code and checkouts.runs_files(step)


def _runner_files(view: View, step: Step, sources: Sources) -> Iterator[Hit]:
    """Variables with outside text, written where the runner reads settings of later steps."""
    script = (step.script or "")[:_SCRIPT_MAX]
    if _RUNNER_FILE.search(script) is None or not view.open_triggers:
        return
    variables = {
        name: found
        for name, found in sources.variables(step).items()
        if not all(map(_NO_NEWLINE.search, found))
    }
    if _has_artifact(view, step):
        variables |= {name: ["a file of the run before"] for name in _READ_FILE.findall(script)}
    for text in script.split("\n"):
        if _RUNNER_FILE.search(text) is None:
            continue
        for name, found in variables.items():
            if re.search(rf"\$\{{?{re.escape(name)}\b", text):
                message = f"{found[0]} can set any variable of later steps"
                severity = _severity(view, step, found)
                yield at_step(view, step, message, text.strip(), severity)


def _has_artifact(view: View, step: Step) -> bool:
    """Does the job have files of the run that it follows, which may be a fork's?"""
    if not any(trigger.event == "workflow_run" for trigger in view.open_triggers):
        return False
    earlier = takewhile(lambda each: each is not step, view.steps.get(step.job, []))
    return any(
        _DOWNLOADS.match(each.uses or "") or "gh run download" in (each.script or "")
        for each in earlier
    )


def _macros(view: View) -> Iterator[Hit]:
    macro = MACROS.get(view.provider)
    if macro is None or (view.who == "members" and view.provider == "azure-pipelines"):
        return
    for step in view.all_steps:
        found = dict.fromkeys(macro.findall((step.script or "")[:_SCRIPT_MAX]))
        for name in list(found)[:_MACROS_MAX]:
            yield at_step(view, step, "its value is put into a script before it is run", name)


def _checkouts(view: View) -> Iterator[Hit]:
    if not view.open_triggers:
        return
    for job in view.steps:
        for checkout in checkouts.untrusted(view, job):
            run = checkouts.execution(view, checkout)
            if run is None:
                continue
            gate = checkouts.gate(view, checkout, run[0])
            if gate is None or gate.startswith(ENVIRONMENT) or gate == OWN_CHECK:
                message = f"a contributor's code is fetched with rights, then run: {run[1]}"
                # An approval is set on the server; an action's check comes after the checkout, and
                # may change with the action.
                severity: Severity | None = None if gate is None else "medium"
                yield at_step(view, checkout.step, message, checkout.source, severity)
                break


LOOKS: dict[str, Look] = {
    "untrusted-checkout": _checkouts,
    "script-injection": _scripts,
}
