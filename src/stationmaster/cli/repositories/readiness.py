"""`readiness`: how ready a repository is, judged on this machine."""

from __future__ import annotations

from typing import Any

import typer

from stationmaster.cli import groups
from stationmaster.cli.repositories import readiness_run, readiness_stored


class _Group(groups.Group):
    """`readiness PATH` is `readiness evaluate PATH`: what names no command is what to evaluate."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse with `evaluate` in front where the first word is neither a command nor --help."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["evaluate", *args]
        return super().parse_args(ctx, args)


readiness = groups.group(cls=_Group)
readiness.registered_commands.extend(readiness_stored.commands.registered_commands)
readiness.command("evaluate")(
    groups.command_of(
        readiness_run.run,
        "Evaluate a repository: read its commit, judge it by every criterion, print the report.",
        target=typer.Argument(help="A local repository, or the address of one."),
        ref=typer.Option(help="A branch, tag, hash or HEAD~2; by default what is checked out."),
        as_of=typer.Option(
            help="The time for criteria about recent activity; by default the commit's."
        ),
        explain=typer.Option(help="Only this criterion, in detail."),
        brief=typer.Option(
            "--brief", help="Print the changes for the next level as a task for an agent."
        ),
        extras=typer.Option("--extras", help="Also evaluate criteria that count in no level."),
        fail_under=typer.Option(metavar="LEVEL", help="Exit with 1 below this level: 1 to 5."),
        require=typer.Option(metavar="ID,ID", help="Exit with 1 unless these criteria pass."),
        no_worse_than=typer.Option(
            metavar="BRANCH", help="Exit with 1 if a criterion is worse than at this branch."
        ),
        html=typer.Option(help="Write the report as an HTML file here."),
        md=typer.Option(help="Write it as Markdown, for a pull request, here."),
        badge=typer.Option(help="Write the level as an SVG picture here."),
        upload=typer.Option("--upload", help="Store the report in the organization, too."),
    )
)
