"""How `ci-scan` prints what it has found: workflows, agents and what they may do, findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stationmaster.catalogue import ci
from stationmaster.cli.printing import output

if TYPE_CHECKING:
    from rich.console import Console

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
    "contributors": "anybody from a fork, without secrets and write access",
    "members": "people with write access only",
}
_PROMPTS = {
    "inline": "the prompt is written in the workflow",
    "file": "the prompt is in a file of its own",
    "event": "the prompt contains text that outsiders can write",
    "none": "the workflow gives no prompt",
}


def scanned(found: Members) -> list[Members]:
    """The workflows of an answer, and the actions of repositories that none of them calls."""
    more = [action for each in found.get("repositories", ()) for action in each.get("actions", ())]
    return [*found["workflows"], *found.get("actions", ()), *more]


def findings_of(workflows: Iterable[Members]) -> list[Members]:
    """All findings, suppressed ones included."""
    return [each for workflow in workflows for each in workflow.get("findings", ())]


def worst(workflows: Iterable[Members], severity: str) -> bool:
    """Is there a finding of this severity or a worse one that no comment suppresses?"""
    bad = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return any(
        each["severity"] in bad and "suppressed" not in each for each in findings_of(workflows)
    )


def show(found: Members, *, of_many: bool, agents_only: bool) -> None:
    """Print everything; `of_many` repositories name theirs in every line."""
    workflows = found["workflows"]
    if workflows:
        output.as_table(_columns(of_many), [_workflow(workflow, of_many) for workflow in workflows])
    else:
        output.line(_nothing(of_many, agents_only))
    _show_closed(found)
    _show_agents(workflows, of_many)
    _show_signs(workflows, of_many)
    if workflows or findings_of(scanned(found)):
        _show_findings(scanned(found), of_many)


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


def _show_closed(found: Members) -> None:
    """Files of services that are closed look like checks, and check nothing."""
    from rich.text import Text

    console = output.console()
    for one in (found, *found.get("repositories", ())):
        for path in (one.get("summary") or {}).get("discontinued", ()):
            console.print()
            console.print(Text("closed service", style="red"), Text(path, style="cyan"))
            console.print(Text("  Nothing in this file runs any more, and it checks no change."))


def _show_agents(workflows: Sequence[Members], of_many: bool) -> None:
    from rich.text import Text

    console = output.console()
    for workflow in workflows:
        for step in workflow.get("agentSteps", ()):
            place = Text(_place(workflow, step, of_many), style="cyan")
            console.print()
            console.print(Text("agent", style="magenta"), Text(step["agent"], style="bold"), place)
            for line in _allowed(step):
                console.print(Text(f"  {line}"))


def _show_signs(workflows: Sequence[Members], of_many: bool) -> None:
    """Agents that may run where nothing here shows them."""
    from rich.text import Text

    console = output.console()
    for workflow in workflows:
        for sign in workflow.get("agentSigns", ()):
            if sign["kind"] == "possible":
                place = _place(workflow, sign, of_many)
                console.print()
                console.print(Text("possible agent", style="magenta"), Text(place, style="cyan"))
                console.print(Text(f"  job {sign.get('job', '')}: {sign['evidence']}"))


def _allowed(step: Members) -> Iterator[str]:
    """What an agent's step may do, a line for each thing that the file says."""
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
    known = [(workflow, each) for workflow in workflows for each in workflow.get("findings", ())]
    open_ = [(workflow, each) for workflow, each in known if "suppressed" not in each]
    console = output.console()
    for severity, style in zip(SEVERITIES, _STYLES, strict=True):
        of_severity = [pair for pair in open_ if pair[1]["severity"] == severity]
        by_rule: dict[str, list[tuple[Members, Members]]] = {}
        for pair in of_severity:
            by_rule.setdefault(pair[1]["rule"], []).append(pair)
        for rule, pairs in sorted(by_rule.items(), key=lambda each: (-len(each[1]), each[0])):
            _show_rule(console, severity, style, rule, pairs, of_many)
    console.print()
    console.print(_total(open_))
    _show_suppressed(console, [pair for pair in known if "suppressed" in pair[1]], of_many)


def _show_suppressed(
    console: Console, pairs: Sequence[tuple[Members, Members]], of_many: bool
) -> None:
    """A comment can hide a real fault, so what comments suppress is always reported."""
    from rich.text import Text

    if not pairs:
        return
    console.print()
    console.print(f"{_count(len(pairs), 'finding')} suppressed by comments in the files:")
    for workflow, each in pairs[:SUPPRESSED_MAX]:
        place = Text(f"  {_place(workflow, each, of_many)}  ", style="cyan")
        told = f"{each['severity']} {each['rule']}: {each['evidence']} ({each['suppressed']})"
        console.print(place.append(told, style=""))
    if len(pairs) > SUPPRESSED_MAX:
        console.print(Text(f"  and {len(pairs) - SUPPRESSED_MAX} more", style="dim"))


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _total(found: Sequence[tuple[Members, Members]]) -> str:
    counts = [
        f"{count} {severity}"
        for severity in SEVERITIES
        if (count := sum(each["severity"] == severity for _, each in found))
    ]
    return f"{_count(len(found), 'finding')}{': ' if counts else ''}{', '.join(counts)}"


def _show_rule(
    console: Console,
    severity: str,
    style: str,
    rule: str,
    pairs: Sequence[tuple[Members, Members]],
    of_many: bool,
) -> None:
    """A rule once, with what it means and the remedy, then its places."""
    from rich.text import Text

    first = pairs[0][1]
    console.print()
    console.print(Text(severity, style=style), Text(rule, style="bold"), Text(f"× {len(pairs)}"))
    if severity == SEVERITIES[-1]:  # There are many, and none is urgent.
        console.print(Text(f"  → {first['fix']}", style="dim"))
        return
    console.print(Text(f"  {first['impact']}"))
    console.print(Text(f"  → {first['fix']}"))
    for workflow, each in pairs[:PLACES_MAX]:
        place = Text(f"  {_place(workflow, each, of_many)}  ", style="cyan")
        console.print(place.append(f"{each['message']}: {each['evidence']}", style=""))
    if len(pairs) > PLACES_MAX:
        console.print(Text(f"  and {len(pairs) - PLACES_MAX} more places", style="dim"))


def _place(workflow: Members, thing: Members, of_many: bool) -> str:
    """Where something stands, as editors and terminals open it."""
    at = thing.get("place", thing)
    path = at.get("path") or thing.get("path", workflow["filePath"])
    line = f":{at['line']}:{at['column']}" if "line" in at else ""
    return f"{workflow['repoFullName']} {path}{line}" if of_many else f"{path}{line}"
