"""What is wrong or risky in workflows: rules with a severity, a place and a remedy.

One is a row of `rules.toml`, and what looks for it in the module of its subject.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from stationmaster.pipelines.agents import steps as agent_steps
from stationmaster.pipelines.findings import agents, injection, pinning, reliability, secrets, trust
from stationmaster.pipelines.findings.rule import RULES, Hit, accepted_by
from stationmaster.pipelines.model import Finding, Found, Pipelines, line
from stationmaster.pipelines.view import Texts, View
from stationmaster.repos.files import Files

LOOKS = {
    **agents.LOOKS,
    **injection.LOOKS,
    **secrets.LOOKS,
    **trust.LOOKS,
    **pinning.LOOKS,
    **reliability.LOOKS,
}
"""What looks for the findings of each rule."""
FINDINGS_MAX = 1_000
"""Of one workflow; a compiled one has thousands of steps."""
_FINGERPRINT = 32

_Key = tuple[str, str, int, int, str]
"""What a finding is reported once for: rule, file, line, column, evidence."""


def of(pipelines: Pipelines, files: Files) -> Pipelines:
    """The same workflows with their findings, by line, column and rule.

    A finding in a file that several workflows use is reported for the first of them only.
    """
    views: dict[str, View] = {}
    texts = Texts(files)
    for flow in pipelines.workflows:
        views[flow.path] = View(flow, views, texts)
    own = agent_steps.product(files)
    actions = [View(action, views, texts) for action in pipelines.actions]
    for view in (*views.values(), *actions):
        _read_agents(view, own)
    reported: set[_Key] = set()
    repeats: Counter[str] = Counter()
    workflows = [
        _with_findings(workflow, views[workflow.path], reported, repeats)
        for workflow in pipelines.workflows
    ]
    uncalled = [
        _with_findings(action, view, reported, repeats)
        for action, view in zip(pipelines.actions, actions, strict=True)
    ]
    return replace(pipelines, workflows=workflows, actions=uncalled)


def _read_agents(view: View, own: str | None) -> None:
    view.running = agent_steps.read(view)
    steps = [step.record for step in view.running]
    steps += agent_steps.unplaced(view, view.running)
    view.facts = replace(view.facts, agent_steps=steps)
    view.facts = replace(view.facts, agent_signs=list(agent_steps.of(view, own)))


def _with_findings(
    workflow: Found, view: View, reported: set[_Key], repeats: Counter[str]
) -> Found:
    """`repeats` counts the fingerprints so far: equal findings in several places each get one."""
    new: list[Finding] = []
    for finding in _findings(view):
        key = (finding.rule, finding.path, finding.line, finding.column, finding.evidence)
        if key not in reported and len(new) < FINDINGS_MAX:
            reported.add(key)
            new.append(finding)
    new.sort(key=lambda hit: (hit.path != workflow.path, hit.path, hit.line, hit.column, hit.rule))
    findings = []
    for finding in new:
        number = repeats[finding.fingerprint]
        repeats[finding.fingerprint] += 1
        if number:
            mark = _fingerprint(finding.fingerprint, str(number))
            finding = msgspec.structs.replace(finding, fingerprint=mark)
        findings.append(finding)
    return replace(workflow, facts=replace(view.facts, findings=findings))


def _findings(view: View) -> Iterator[Finding]:
    for name, rule in RULES.items():
        if not rule.only or view.provider in rule.only:
            for hit in LOOKS[name](view):
                yield _finding(view, name, hit)


def _finding(view: View, name: str, hit: Hit) -> Finding:
    rule = RULES[name]
    path = hit.place.path or view.path
    evidence = line(hit.evidence)
    step = None if hit.step is None else line(hit.step)
    accepted = accepted_by(name, view.lines(path), hit.place.line)
    # A file that several workflows use is the same fault for every job of theirs that uses it.
    job = hit.job if path == view.path and hit.job else ""
    return Finding(
        rule=name,
        severity=hit.severity or rule.severity,
        path=path,
        line=hit.place.line,
        column=hit.place.column,
        message=line(hit.message),
        evidence=evidence,
        impact=rule.impact,
        fix=rule.fix,
        fingerprint=_fingerprint(name, path, job, step or "", evidence),
        job=hit.job,
        step=step,
        suppressed=None if accepted is None else accepted.by,
        suppressed_line=None if accepted is None else accepted.line,
    )


def _fingerprint(*parts: str) -> str:
    """The same as long as none of the parts changes, wherever they are in the file."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_FINGERPRINT]
