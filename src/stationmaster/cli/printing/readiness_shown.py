"""A readiness report for people: its level, what it consists of, what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from stationmaster.readiness import advice
from stationmaster.readiness.advice import Plan
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.forms.rows import STATES, groups
from stationmaster.readiness.judging import overrides
from stationmaster.readiness.levels import GroupResult, LevelResult, level_of, shown, standing
from stationmaster.readiness.model import (
    LEVELS,
    ApplicationVerdict,
    Evaluation,
    Level,
    Report,
    State,
    scores_of,
    state_of,
)

_BAR = 24
_WIDTH_MAX = 120
"""Reasons are prose, which is hard to read in longer lines."""
_STYLES: dict[State, str] = {
    "pass": "green",
    "partial": "yellow",
    "fail": "red",
    "not_evaluated": "blue",
    "skipped": "dim",
}
_POLICIES = {
    "forbidden": "forbidden",
    "restricted": "restricted",
    "allowed": "allowed",
    "unknown": "not set by the repository",
}
_APPS_SHOWN = 12
_APPS_NAMED = 5
_COLOURS: dict[Level, str] = {1: "red", 2: "dark_orange", 3: "yellow", 4: "green", 5: "cyan"}


def report(console: Console, made: Report) -> None:
    """Print a whole report."""
    result = standing(scores_of(made.report))
    console = Console(width=min(console.width, _WIDTH_MAX), highlight=False)
    parts = (_levels(result), _pillars(result), _apps(made), _open(made, result), _fixes(made))
    console.print(_head(made, result))
    for part in parts:
        console.print(part, "", sep="\n")
    for name, override in (made.overrides or {}).items():
        rationale = override.found.rationale
        console.print(
            Text(f"set by the repository: {name}: {override.reason} ({rationale})", "magenta")
        )


def explained(console: Console, criterion: Criterion, made: Report | None) -> None:
    """Print what a criterion is, and how it was judged of every application."""
    scope = "each application" if criterion.scope == "application" else "the repository"
    console.print(Text.assemble((criterion.title, "bold"), f"  {criterion.id}"))
    counts = "an extra, in no level" if criterion.is_extra else _level_name(criterion.level)
    console.print(Text(f"{criterion.pillar} · {counts} · judged of {scope}", "dim"))
    table = _grid()
    table.add_row("looks for", Text(criterion.looks_for))
    if criterion.kinds is not None:
        table.add_row("counts for", Text(", ".join(sorted(criterion.kinds))))
    table.add_row("needs", Text(", ".join(sorted(criterion.needs))))
    if criterion.requires is not None:
        table.add_row("only with", Text(criterion.requires))
    table.add_row("remedy", Text(criterion.remedy))
    evaluation = None if made is None else made.report.get(criterion.id)
    if evaluation is not None:
        verdict = (" ", _figure(evaluation), evaluation.rationale)
        table.add_row("found", Text.assemble(_mark(state_of(evaluation)), *verdict))
    console.print(table)
    findings = (made.evidence or {}).get(criterion.id, []) if made is not None else []
    if findings:
        console.print("", _findings(findings), sep="\n")


def _findings(findings: Sequence[ApplicationVerdict]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1))
    for _ in range(3):
        table.add_column(overflow="fold")
    for finding in findings:
        text = Text.assemble(("weak: " if finding.is_weak else "", "yellow"), finding.reason)
        for spot in finding.places:
            place = spot.path if spot.line is None else f"{spot.path}:{spot.line}"
            text.append(f"\n{place}", "bold")
            text.append(f"  {spot.excerpt}" if spot.excerpt else "", "dim")
        table.add_row(_mark(finding.state), Text(finding.application or "the repository"), text)
    return table


def _head(made: Report, result: LevelResult) -> RenderableType:
    name = made.repo_url.removesuffix("/").rpartition("://")[2]
    where = " ".join(filter(None, ((made.commit_hash or "")[:12], made.branch)))
    lines = [
        Text.assemble((name, "bold"), (f"  {where}", "dim")),
        Text.assemble(
            (f"Level {result.level} · {LEVELS[result.level]}", f"bold {_COLOURS[result.level]}"),
            _range(result),
            _without_overrides(made, result),
        ),
    ]
    if made.has_local_changes:
        lines.append(Text("Changes that are not committed are not judged.", "yellow"))
    policy = made.agent_policy
    if policy is not None:
        place = f" ({policy.place})" if policy.place else ""
        style = "yellow" if policy.policy in ("forbidden", "restricted") else "dim"
        lines.append(Text(f"Contributions by agents: {_POLICIES[policy.policy]}{place}", style))
    return Panel(Group(*lines), border_style=_COLOURS[result.level], padding=(0, 1))


def _range(result: LevelResult) -> str:
    if result.lowest == result.highest:
        return ""
    missing = result.overall.not_evaluated
    return f"   ({result.lowest} to {result.highest} with the {missing} not evaluated)"


def _without_overrides(made: Report, result: LevelResult) -> tuple[str, str]:
    alone = level_of(scores_of(overrides.undone(made.report, made.overrides)))
    remark = f"   ({alone} without what the repository sets)" if alone != result.level else ""
    return remark, "magenta"


def _levels(result: LevelResult) -> Table:
    table = _grid()
    for level, part in result.levels.items():
        table.add_row(_level_name(level), *_figures(part, _COLOURS[level]))
    return table


def _pillars(result: LevelResult) -> Table:
    table = _grid()
    for pillar, part in result.pillars.items():
        table.add_row(str(pillar), *_figures(part, "white"))
    return table


def _figures(part: GroupResult, colour: str) -> tuple[Text, str, Text]:
    share = part.percentage
    filled = 0 if share is None else int(share * _BAR / 100)
    bar = Text.assemble(("█" * filled, colour), ("░" * (_BAR - filled), "dim"))
    counts = f"{part.evaluated} judged"
    if part.not_evaluated:
        counts += f", {part.not_evaluated} not evaluated"
    return bar, shown(share), Text(counts, "dim")


def _apps(made: Report) -> RenderableType:
    table = _grid("application", "", "")
    for path, app in list(made.apps.items())[:_APPS_SHOWN]:
        table.add_row(Text(path, "bold"), Text(", ".join(app.kinds)), Text(app.description, "dim"))
    more = len(made.apps) - _APPS_SHOWN
    if more > 0:
        table.add_row(Text(f"and {more} more", "dim"), "", "")
    return table


def _open(made: Report, result: LevelResult) -> RenderableType:
    """Every criterion by level: what is missing with its reason, all others by name."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1))
    for _ in range(4):
        table.add_column(overflow="fold")
    for level, _, rows in groups(made, result):
        heading = Text("Extras, in no level", "bold")
        if level is not None:
            heading = Text(_level_name(level), f"bold {_COLOURS[level]}")
        table.add_row("", heading, "", "")
        for row in rows:
            if level is None or row.state in ("fail", "partial"):
                title = Text.assemble(row.title, (f"\n{row.id}", "dim"))
                figure = _figure(made.report[row.id])
                table.add_row(_mark(row.state), title, figure, Text(row.rationale))
        for state in ("not_evaluated", "pass", "skipped") if level is not None else ():
            names = [row.id for row in rows if row.state == state]
            if names:
                listed = Text(", ".join(names), _STYLES[state])
                table.add_row(_mark(state), Text(_STATES[state], "dim"), str(len(names)), listed)
    return table


_STATES = {"not_evaluated": "not evaluated", "pass": "pass", "skipped": "do not apply"}


def _fixes(made: Report) -> RenderableType:
    """The first steps to the next level, and how many it takes."""
    plan = advice.plan(made)
    fixes = (plan.steps or advice.fixes(made))[: advice.FIXES_MAX]
    if not fixes:
        return Text("Nothing that was judged is missing.", "green")
    table = _grid()
    for number, fix in enumerate(fixes, 1):
        opens = f" Opens level {fix.opens}." if fix.opens is not None else ""
        text = Text.assemble((fix.title, "bold"), f": {fix.remedy}")
        text.append(f" Add or change {', '.join(fix.files)}." if fix.files else "")
        text.append(opens, "green")
        if fix.applications:
            text.append(f"\n{_some(fix.applications)}", "dim")
        table.add_row(Text(f"{number}.", "bold"), text)
    more = plan.steps[len(fixes) :]
    if more:
        text = Text("then ", "dim").append(", ".join(step.criterion for step in more))
        table.add_row("", text)
    return Panel(table, title=_takes(plan), title_align="left", border_style="dim", padding=(0, 1))


def _takes(plan: Plan) -> str:
    if not plan.steps:
        return "Next"
    passes = "one more pass" if plan.passes == 1 else f"{plan.passes} more passes"
    return f"Level {plan.level} takes {passes}"


def _some(applications: Sequence[str]) -> str:
    named = ", ".join(applications[:_APPS_NAMED])
    more = len(applications) - _APPS_NAMED
    return f"{named} and {more} more (--explain lists them)" if more > 0 else named


def _mark(state: State) -> Text:
    return Text(STATES[state][0], _STYLES[state])


def _figure(evaluation: Evaluation) -> str:
    if evaluation.numerator is None or evaluation.denominator == 1:
        return ""
    return f"{evaluation.numerator}/{evaluation.denominator} "


def _level_name(level: Level) -> str:
    return f"{level} {LEVELS[level]}"


def _grid(*header: str) -> Table:
    table = Table(
        box=None, pad_edge=False, show_header=any(header), header_style="dim", padding=(0, 2, 0, 0)
    )
    for column in header or ("", "", "", ""):
        table.add_column(column, overflow="fold")
    return table
