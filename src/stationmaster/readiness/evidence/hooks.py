"""Which hooks of git check a commit before it is made or pushed."""

from __future__ import annotations

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.layout import layout
from stationmaster.readiness.evidence import shell
from stationmaster.readiness.facts import Facts, once
from stationmaster.reading.projects.command_lines.hooks import STAGED
from stationmaster.reading.projects.model import Hook

_BEFORE = frozenset({"pre-commit", "pre-push", "commit-msg", "prepare-commit-msg"})
_OTHER_TIMES = layout().files.hooks - _BEFORE


@once
def of(facts: Facts) -> tuple[Hook, ...]:
    """The hooks that git runs before commits and pushes; what a manager such as lint-staged runs
    on files of a commit, where one of them starts it."""
    hooks = [
        hook for hook in facts.project.hooks if hook.manager and hook.event not in _OTHER_TIMES
    ]
    own = tuple(hook for hook in hooks if hook.event != STAGED)
    return tuple(hooks) if any(_starts_staged(hook.text) for hook in own) else own


def _starts_staged(command: str) -> bool:
    return any(shell.runs_any(words, lists.phrases("staged")) for words in shell.simple(command))
