"""What people without rights write, where it is run or evaluated: texts, and their code, which a
job with rights takes and runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stationmaster.agents.shell.programs import base_name
from stationmaster.catalogue import untrusted as catalogue
from stationmaster.pipelines import commands, expressions
from stationmaster.pipelines.agents.steps import OWN_CHECK
from stationmaster.pipelines.findings.rule import Hit, Look, at_step
from stationmaster.pipelines.model import SCRIPT_MAX, Severity, Step
from stationmaster.pipelines.untrusted import Sources
from stationmaster.pipelines.view import ENVIRONMENT, View

_MACROS_MAX = 20
_OF_FORKS = frozenset({"pull_request", "merge_queue"})
"""Events of runs that have no secrets and no rights where a fork starts them."""

_RUNNER_FILE = re.compile(r">>?\s{0,9}[\"']?\$\{?(GITHUB_ENV|GITHUB_PATH)\b")
_READ_FILE = re.compile(r"\b(\w{1,100})=[\"']?(?:\$\(\s{0,9}(?:cat|head|jq)\b|\$\(<)")
_DOWNLOADS = re.compile(r"(?:actions/download-artifact|dawidd6/action-download-artifact)@")
_NO_NEWLINE = re.compile(r"ref|label|branch|email|name$")
"""Values that cannot hold the end of a line."""
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
_RUNS = catalogue.untrusted().runs
_SCRIPT = re.compile(r"[\w.-][\w./-]{0,200}/[\w.-]{1,100}\.(?:sh|bash|py|js|mjs|ts|rb|pl|ps1)")


def _scripts(view: View) -> Iterator[Hit]:
    if not view.is_github:
        yield from _macros(view)
        return
    sources = Sources(view)
    for step in view.all_steps:
        for expression in evaluated(step):
            values = sources.of(step, expression)
            if values and (severity := _severity(view, step, values)) is not None:
                message = f"{values[0]} is put into a script before it is run"
                yield at_step(view, step, message, expression, severity)
        yield from _runner_files(view, step, sources)


def evaluated(step: Step) -> Iterator[str]:
    """The expressions in the texts of a step that are run, with their braces."""
    inputs = catalogue.untrusted().evaluated.get(step.action, frozenset())
    texts = (text for name, text in step.inputs.items() if name.lower() in inputs)
    for text in (step.script or "", *texts):
        for inside in expressions.embedded(text[:SCRIPT_MAX]):
            yield "${{" + inside + "}}"


def _severity(view: View, step: Step, values: list[str]) -> Severity | None:
    """Critical where anybody can start it with rights; None where only those who pass a gate can
    write the text."""
    if not view.open_triggers:
        return "low" if _gains_nothing(view, step) else "high"
    if view.gate(step.job, step) is None:
        return "critical"
    is_own = all(path.endswith(("comment.body", "review.body")) for path in values)
    return None if is_own else "medium"


def _gains_nothing(view: View, step: Step) -> bool:
    """Does the step run the proposed code itself, with nothing that a fork's run does not have? Who
    could inject a command can then as well change that code."""
    if any(trigger.kind not in _OF_FORKS for trigger in view.triggers):
        return False
    has_code = any(
        earlier.is_checkout and expressions.is_own_repository(earlier.inputs.get("repository", ""))
        for earlier in view.before(step)
    )
    return has_code and any(_runs_files(command.words) for command in commands.started(step.text))


def _runner_files(view: View, step: Step, sources: Sources) -> Iterator[Hit]:
    """Variables with outside text, written where the runner reads settings of later steps."""
    script = step.text
    if _RUNNER_FILE.search(script) is None or not view.open_triggers:
        return
    variables = {
        name: values
        for name, values in sources.variables(step).items()
        if not all(map(_NO_NEWLINE.search, values))
    }
    if _has_artifact(view, step):
        variables |= {name: ["a file of the previous run"] for name in _READ_FILE.findall(script)}
    for text in script.split("\n"):
        if _RUNNER_FILE.search(text) is None:
            continue
        for name, outside in variables.items():
            if re.search(rf"\$\{{?{re.escape(name)}\b", text):
                message = f"{outside[0]} can set any variable of later steps"
                severity = _severity(view, step, outside)
                yield at_step(view, step, message, text.strip(), severity)


def _has_artifact(view: View, step: Step) -> bool:
    """Does the job have files of the run that it follows, which may be a fork's?"""
    if not any(trigger.event == "workflow_run" for trigger in view.open_triggers):
        return False
    return any(
        _DOWNLOADS.match(earlier.uses or "") or "gh run download" in (earlier.script or "")
        for earlier in view.before(step)
    )


def _macros(view: View) -> Iterator[Hit]:
    macro = catalogue.untrusted().macros.get(view.provider)
    if macro is None or (view.who == "members" and view.provider == "azure-pipelines"):
        return
    for step in view.all_steps:
        macros = dict.fromkeys(re.findall(macro, step.text))
        for name in list(macros)[:_MACROS_MAX]:
            yield at_step(view, step, "its value is put into a script before it is run", name)


def _checkouts(view: View) -> Iterator[Hit]:
    if not view.open_triggers:
        return
    for job in view.steps:
        for checkout in checkouts_of(view, job):
            run = execution(view, checkout)
            if run is None:
                continue
            gate = gate_of(view, checkout, run[0])
            if gate is None or gate.startswith(ENVIRONMENT) or gate == OWN_CHECK:
                message = (
                    f"a contributor's code is checked out with permissions, then run: {run[1]}"
                )
                # An approval is set on the server; an action's check runs after the checkout, and
                # may change with the action.
                severity: Severity | None = None if gate is None else "medium"
                yield at_step(view, checkout.step, message, checkout.source, severity)
                break


LOOKS: dict[str, Look] = {"untrusted-checkout": _checkouts, "script-injection": _scripts}


class Checkout(NamedTuple):
    """`source` names the code; `folder` is its target, if not the work folder."""

    step: Step
    source: str
    folder: str


def checkouts_of(view: View, job: str) -> Iterator[Checkout]:
    """The steps of a job that fetch what a contributor proposes."""
    events = {trigger.event for trigger in view.open_triggers}
    heads = Sources(view, _HEAD)
    for step in view.steps.get(job, []):
        if step.is_checkout:
            reference = step.inputs.get("ref", "")
            for text in (reference, step.inputs.get("repository", "")):
                if heads.of(step, text) or _names_head(text, bool(events & _NUMBER_EVENTS)):
                    yield Checkout(step, text.strip(), step.inputs.get("path", "").strip("./"))
                    break
        elif (command := _taking(step.text)) is not None:
            yield Checkout(step, command, "")


def execution(view: View, checkout: Checkout) -> tuple[Step, str] | None:
    """The step that runs the fetched code, and how; None where nothing is seen to."""
    # The command that fetches may be followed by others in its own script.
    own = [] if checkout.step.uses is not None else [checkout.step]
    for step in (*own, *view.behind(checkout.step)):
        texts = (step.script or "", *step.inputs.values(), *step.env.values())
        if checkout.folder and not any(checkout.folder in text for text in texts):
            continue
        if (run := _run(step)) is not None:
            return step, run
    return None


def gate_of(view: View, checkout: Checkout, run: Step) -> str | None:
    """What keeps outsiders from it: at the checkout, between that and what runs, or in the action
    of an agent that runs it."""
    job = checkout.step.job
    own = next((running.record.gate for running in view.running if running.step is run), None)
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


def _run(step: Step) -> str | None:
    if step.agents:
        return step.uses or step.agents[0]
    if step.uses is not None:
        # An action of the work folder is the contributor's own by now.
        is_local = step.is_local
        is_build = step.uses.lower().startswith(_RUNS.actions)
        return step.uses if is_local or is_build else None
    for command in commands.started(step.text):
        if _runs_files(command.words):
            return " ".join(command.words[:6])
    return None


def _runs_files(words: tuple[str, ...]) -> bool:
    """Does a command run what is in the work folder?"""
    name = base_name(words[0]).lower()
    arguments = [word for word in words[1:] if not word.startswith("-")]
    if words[1:2] and words[1] in _RUNS.harmless:
        return False
    if words[0].startswith(("./", "../")) or _SCRIPT.fullmatch(words[0]):
        return True
    if name in _RUNS.interpreters:
        return bool(arguments) and not {"-c", "-e", "-m"} & set(words[1:2])
    if name in ("pip", "pip3", "npm", "yarn", "pnpm", "docker", "go", "cargo", "uv"):
        return _installs_here(name, words[1:], arguments)
    return name in _RUNS.programs


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
