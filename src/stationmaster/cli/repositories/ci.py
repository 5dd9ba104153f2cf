"""`ci-scan`: the CI workflows of a repository that is named, or of all that are registered."""

from __future__ import annotations

import typer

from stationmaster.cli import groups
from stationmaster.cli.printing import ci_report
from stationmaster.cli.repositories import ci_run

ci_scan = groups.command_of(
    ci_run.run,
    "List CI workflows, the agents that they run, and security findings.",
    target=typer.Argument(
        help="A repository: a folder or an address; without it, all registered ones."
    ),
    agents_only=typer.Option("--agents-only", help="Only workflows that run a coding agent."),
    sarif=typer.Option("--sarif", help="Print the findings as SARIF 2.1.0."),
    fail_on=typer.Option(
        help="Exit with 1 on a finding of this severity or a higher one: "
        f"{', '.join(ci_report.SEVERITIES)}."
    ),
    upload=typer.Option("--upload", help="Register the repository, and have it scanned there."),
    force=typer.Option("--force", help="Check every registered repository again."),
)
