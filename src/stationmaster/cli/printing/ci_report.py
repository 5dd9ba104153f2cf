"""How `ci-scan` prints what it has found: workflows, agents and what they may do, findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from stationmaster.catalogue import ci
from stationmaster.cli.printing import output
from stationmaster.cli.printing.table import counted

Members = Mapping[str, Any]
"""A workflow, or a part of one, as the API answers it."""
SEVERITIES = ("critical", "high", "medium", "low", "info")
"""The worst first."""
PLACES_MAX = 8
"""Of one rule that are printed; --json has all."""
_STYLES = ("bold red", "red", "yellow", "cyan", "dim")
SUPPRESSED_MAX = 20
"""Suppressed findings whose places are printed; --json has all."""
_BY = {
    "outsiders": "anybody",
    "contributors": "anyone from a fork, without secrets and write access",
    "members": "people with write access only",
}
_PROMPTS = {
    "inline": "the prompt is written in the workflow",
    "file": "the prompt is in a separate file",
    "event": "the prompt contains text that outsiders can write",
    "none": "the workflow gives no prompt",
}


def scanned(scan: Members) -> list[Members]:
    """The workflows of an answer, and the actions of repositories that none of them calls."""
    more = [
        action
        for repository in scan.get("repositories", ())
        for action in repository.get("actions", ())
    ]
    return [*scan["workflows"], *scan.get("actions", ()), *more]


def findings_of(workflows: Iterable[Members]) -> list[Members]:
    """All findings, suppressed ones included."""
    return [finding for workflow in workflows for finding in workflow.get("findings", ())]


def worst(workflows: Iterable[Members], severity: str) -> bool:
    """Is there a finding of this severity or a worse one that no comment suppresses?"""
    bad = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return any(
        finding["severity"] in bad and "suppressed" not in finding
        for finding in findings_of(workflows)
    )


def show(scan: Members, *, of_many: bool, agents_only: bool) -> None:
    """Print everything; `of_many` repositories name theirs in every line."""
    workflows = scan["workflows"]
    if workflows:
        output.as_table(_columns(of_many), [_workflow(workflow, of_many) for workflow in workflows])
    else:
        output.line(_nothing(of_many, agents_only))
    _show_closed(scan)
    _show_agents(workflows, of_many)
    _show_signs(workflows, of_many)
    if workflows or findings_of(scanned(scan)):
        _show_findings(scanned(scan), of_many)


def _nothing(of_many: bool, agents_only: bool) -> str:
    if agents_only:
        return "No CI workflow runs a coding agent."
    if of_many:
        return "No registered repository has a CI configuration that was scanned."
    names = ", ".join(sorted((system.title for system in ci.systems().values()), key=str.lower))
    return f"No CI configuration found. Looked for files of: {names}."


def _columns(of_many: bool) -> list[str]:
    return [
        *(["repository"] if of_many else []),
        "file",
        "workflow",
        "starts on",
        "jobs",
        "agents",
        "",
    ]


def _workflow(workflow: Members, of_many: bool) -> list[object]:
    parse, jobs = workflow["parse"], len(workflow["jobs"])
    place = f" (line {parse['line']})" if "line" in parse else ""
    return [
        *([workflow["repoFullName"]] if of_many else []),
        workflow["filePath"],
        workflow["workflowName"],
        ", ".join(workflow["triggerEvents"]),
        f"{jobs} and more" if workflow.get("jobsUnknown") else jobs,
        ", ".join(workflow["agents"]),
        f"{parse['error']}{place}" if "error" in parse else "",
    ]


def _show_closed(scan: Members) -> None:
    """Files of services that are closed look like checks, and check nothing."""
    for one in (scan, *scan.get("repositories", ())):
        for path in (one.get("summary") or {}).get("discontinued", ()):
            output.gap()
            output.prose(("closed service ", "red"), (path, "cyan"))
            output.prose("  Nothing in this file runs any more, and it checks no change.")


def _show_agents(workflows: Sequence[Members], of_many: bool) -> None:
    for workflow in workflows:
        for step in workflow.get("agentSteps", ()):
            place = _place(workflow, step, of_many)
            output.gap()
            output.prose(("agent ", "magenta"), (step["agent"], "bold"), (f" {place}", "cyan"))
            for line in _allowed(step):
                output.prose(f"  {line}")


def _show_signs(workflows: Sequence[Members], of_many: bool) -> None:
    """Agents that may run where nothing here shows them."""
    for workflow in workflows:
        for sign in workflow.get("agentSigns", ()):
            if sign["kind"] == "possible":
                place = _place(workflow, sign, of_many)
                output.gap()
                output.prose(("possible agent ", "magenta"), (place, "cyan"))
                output.prose(f"  job {sign.get('job', '')}: {sign['evidence']}")


def _allowed(step: Members) -> Iterator[str]:
    """What an agent's step may do, a line for each statement of the file."""
    gate = f"; guarded by: {step['gate']}" if "gate" in step else ""
    yield f"can be started by {_BY[step['trigger']]}{gate}"
    rights = "can write to" if step["canWrite"] else "can only read"
    yield f"{rights} the repository; {_PROMPTS[step['promptSource']]}"
    for name in ("tools", "secrets"):
        if name in step:
            yield f"{name}: {', '.join(step[name])}"
    if "sandbox" in step:
        yield f"sandbox: {step['sandbox']}"


def _show_findings(workflows: Sequence[Members], of_many: bool) -> None:
    pairs_of_all = [
        (workflow, finding) for workflow in workflows for finding in workflow.get("findings", ())
    ]
    open_ = [pair for pair in pairs_of_all if "suppressed" not in pair[1]]
    for severity, style in zip(SEVERITIES, _STYLES, strict=True):
        of_severity = [pair for pair in open_ if pair[1]["severity"] == severity]
        by_rule: dict[str, list[tuple[Members, Members]]] = {}
        for pair in of_severity:
            by_rule.setdefault(pair[1]["rule"], []).append(pair)
        for rule, pairs in sorted(by_rule.items(), key=lambda item: (-len(item[1]), item[0])):
            _show_rule(severity, style, rule, pairs, of_many)
    output.gap()
    output.prose(_total(open_))
    _show_suppressed([pair for pair in pairs_of_all if "suppressed" in pair[1]], of_many)


def _show_suppressed(pairs: Sequence[tuple[Members, Members]], of_many: bool) -> None:
    """A comment can hide a real fault, so what comments suppress is always reported."""
    if not pairs:
        return
    output.gap()
    output.prose(f"{counted(len(pairs), 'finding')} suppressed by comments in the files:")
    for workflow, finding in pairs[:SUPPRESSED_MAX]:
        line = f"{finding['severity']} {finding['rule']}: {finding['evidence']}"
        place = f"  {_place(workflow, finding, of_many)}  "
        output.prose((place, "cyan"), f"{line} ({finding['suppressed']})")
    if len(pairs) > SUPPRESSED_MAX:
        output.prose((f"  and {len(pairs) - SUPPRESSED_MAX} more", "dim"))


def _total(pairs: Sequence[tuple[Members, Members]]) -> str:
    counts = [
        f"{count} {severity}"
        for severity in SEVERITIES
        if (count := sum(finding["severity"] == severity for _, finding in pairs))
    ]
    return f"{counted(len(pairs), 'finding')}{': ' if counts else ''}{', '.join(counts)}"


def _show_rule(
    severity: str,
    style: str,
    rule: str,
    pairs: Sequence[tuple[Members, Members]],
    of_many: bool,
) -> None:
    """A rule once, with what it means and the remedy, then its places."""
    first = pairs[0][1]
    output.gap()
    output.prose((severity, style), (f" {rule}", "bold"), f" × {len(pairs)}")
    if severity == SEVERITIES[-1]:  # There are many, and none is urgent.
        output.prose((f"  → {first['fix']}", "dim"))
        return
    output.prose(f"  {first['impact']}")
    output.prose(f"  → {first['fix']}")
    for workflow, finding in pairs[:PLACES_MAX]:
        place = f"  {_place(workflow, finding, of_many)}  "
        output.prose((place, "cyan"), f"{finding['message']}: {finding['evidence']}")
    if len(pairs) > PLACES_MAX:
        output.prose((f"  and {len(pairs) - PLACES_MAX} more places", "dim"))


def _place(workflow: Members, thing: Members, of_many: bool) -> str:
    """A place in a file, as editors and terminals open it."""
    at = thing.get("place", thing)
    path = at.get("path") or thing.get("path", workflow["filePath"])
    line = f":{at['line']}:{at['column']}" if "line" in at else ""
    return f"{workflow['repoFullName']} {path}{line}" if of_many else f"{path}{line}"
